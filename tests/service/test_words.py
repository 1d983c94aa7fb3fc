"""Words and identifiers in the service: declared, learned, predicted, explained, and as they were after a restart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import streamboost as sb
from streamboost.base.inputs import schema as schemas
from tests.service.test_http import Running, error_of

JSON = {"Content-Type": "application/json"}
KINDS = {"text_features": ["text"], "identifier_features": ["user"]}


def message(i: int) -> dict[str, Any]:
    text = "Free prize, call now 🙂" if i % 3 == 0 else "see you at home"
    return {
        "features": {"text": text, "user": f"u{i % 40}", "size": i % 7},
        "label": "spam" if i % 3 == 0 else "ham",
    }


def learn(running: Running, name: str, examples: list[dict[str, Any]]) -> int:
    seq = 0
    for example in examples:
        response = running.post(f"/v1/models/{name}/learn", example)
        assert response.status_code == 200, response.text
        seq = response.json()["seq"]
    return seq


def test_a_model_of_words(tmp_path: Path) -> None:
    running = Running(tmp_path / "s")
    params = {"n_estimators": 3, **KINDS}
    description = {"name": "filter", "model": "streamboost", "params": params, "limits": {"text": 200_000}}
    assert running.post("/v1/models", description).status_code == 201
    examples = [message(i) for i in range(80)]
    seq = learn(running, "filter", examples)
    asked = {"features": {"text": "a FREE prize for you", "user": "u3"}}
    told = running.post(f"/v1/models/filter/predict?at_least_seq={seq}", asked).json()
    assert told["label"] == "spam"
    why = running.post("/v1/models/filter/explain", asked).json()
    assert set(why["words"]["text"]) == {"a", "free", "prize", "for", "you"}
    assert sum(why["words"]["text"].values()) == pytest.approx(why["contributions"]["text"])
    bad = [
        ({"text": "half a pair \ud800"}, "surrogate"),
        ({"text": ["a", "list"]}, "features"),
        ({"text": {"a": 1}}, "features"),
    ]
    for features, word in bad:
        body = json.dumps({"features": features, "label": "ham"})
        refused = running.http.post("/v1/models/filter/learn", content=body, headers=JSON)
        assert 400 <= refused.status_code < 500, refused.text
        assert word in str(error_of(refused))
    not_utf8 = running.http.post(
        "/v1/models/filter/learn",
        content=b'{"features": {"text": "\xff\xfe"}, "label": "ham"}',
        headers=JSON,
    )
    assert 400 <= not_utf8.status_code < 500
    for text, code in (("", 200), ("\x00\x01\x7f", 200), ("x" * 100_000, 200), ("x" * 200_001, 400)):
        assert running.post("/v1/models/filter/predict", {"features": {"text": text}}).status_code == code
    before = running.store.file("filter")
    running.close()
    again = Running(tmp_path / "s")
    assert again.store.file("filter") == before
    assert again.post("/v1/models/filter/predict", asked).json()["label"] == "spam"
    alone = sb.StreamBoostClassifier(n_estimators=3, random_state=0, **KINDS)
    for example in examples:
        alone.learn_one(example["features"], example["label"])
    assert before == alone.to_bytes()
    again.close()


def test_a_nominal_column_becomes_one_of_identifiers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemas, "MANY_IN_DICTS", 12)
    running = Running(tmp_path / "s")
    assert (
        running.post(
            "/v1/models", {"name": "m", "params": {"n_estimators": 3}, "model": "streamboost"}
        ).status_code
        == 201
    )
    learn(
        running,
        "m",
        [{"features": message(i)["features"] | {"text": "-"}, "label": i % 2} for i in range(60)],
    )
    before = running.store.file("m")
    why = running.post("/v1/models/m/explain", {"features": {"user": "u39"}}).json()
    assert "user as identifier" in why["contributions"]
    running.close()
    again = Running(tmp_path / "s")
    assert again.store.file("m") == before
    learn(again, "m", [{"features": {"user": "nobody has met"}, "label": 1}])
    again.close()
