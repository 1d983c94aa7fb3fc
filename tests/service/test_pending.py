"""Labels that come late in the service: the model learns from the answers that it gave, live, after a restart and in a replay."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import streamboost as sb
from streamboost.service.store.records import Kind, Work
from streamboost.service.store.settings import Settings
from streamboost.service.store.store import LearningStore
from tests.waiting import PATIENCE


def rows(n: int, words: bool) -> list[tuple[dict[str, Any], str]]:
    rng = random.Random(4)
    found = []
    for _ in range(n):
        x: dict[str, Any] = {"a": rng.gauss(0, 1), "b": rng.gauss(0, 1)}
        yes = x["a"] + x["b"] > 0
        if words:
            x |= {
                "text": f"{'free prize' if yes else 'see you'} {rng.random():.2f}",
                "user": f"u{rng.randrange(9)}",
            }
        found.append((x, "yes" if yes else "no"))
    return found


@pytest.mark.parametrize("words", [False, True])
def test_the_answers_given_are_learned_from(tmp_path: Path, words: bool) -> None:
    delay, stream = 6, rows(60, words)
    kinds = {"text_features": ["text"], "identifier_features": ["user"]} if words else {}
    alone = sb.StreamBoostClassifier(n_estimators=3, random_state=0, delay=delay, **kinds)
    waiting: list[Any] = []
    seq = None
    settings = Settings()
    store = LearningStore(tmp_path / "s", settings)
    store.create("m", model="streamboost", params={"n_estimators": 3, "delay": delay, **kinds})
    for i, (x, y) in enumerate(stream):
        reader = store.reader("m", seq, timeout=PATIENCE)
        event = store.event("m", x, str(i), reader)
        waiting.append((i, x, y, alone.predict_pending_one(x)))
        assert event.answer is not None
        assert event.answer.label == waiting[-1][3].prediction
        seq = store.submit("m", [event]).result()[0].seq
        if len(waiting) <= delay:
            continue
        j, x, y, pending = waiting.pop(0)
        alone.learn_one(x, y, pending=pending)
        seq = store.submit("m", [Work(Kind.LABEL, str(j), None, y)]).result()[0].seq
        if i == 40:
            store.close()
            store = LearningStore(tmp_path / "s", settings)
            middle, then = seq, alone.to_bytes()
    with store:
        assert store.file("m") == alone.to_bytes()
        assert store.file("m", seq=middle) == then


@pytest.mark.parametrize("lags", [[1, 3], 0])
def test_targets_come_out_of_order_or_never(tmp_path: Path, lags: Any) -> None:
    """Lags are those of the rows in the order in which their targets arrived; a target that never comes is no lag."""
    rng = random.Random(7)
    params = {"n_estimators": 3, "lags": lags, "delay": 4}
    alone = sb.StreamBoostRegressor(random_state=0, **params)
    arrived: list[float] = []
    waiting: list[Any] = []
    seq = None
    with LearningStore(tmp_path / "s", Settings()) as store:
        store.create("m", model="streamboost-regressor", params=params)
        for i in range(70):
            x, y = {"a": rng.gauss(0, 1)}, 20 + i % 12 + rng.gauss(0, 1)
            event = store.event("m", x, str(i), store.reader("m", seq, timeout=PATIENCE))
            waiting.append((i, x, y, alone.predict_pending_one(x)))
            seq = store.submit("m", [event]).result()[0].seq
            if i % 9 == 0:
                waiting.pop(rng.randrange(len(waiting)))  # its target never comes
            while len(waiting) > rng.randrange(2, 7):
                j, x, y, pending = waiting.pop(rng.randrange(len(waiting)))
                alone.learn_one(x, y, pending=pending)
                arrived.append(y)
                seq = store.submit("m", [Work(Kind.LABEL, str(j), None, y)]).result()[0].seq
        assert store.file("m") == alone.to_bytes()
    if lags:
        told = alone.explain_one({"a": 0.0})
        assert [told.cells[f"target[-{lag}]"] for lag in lags] == [arrived[-lag] for lag in lags]
