"""Acts and rewards: a label is shown, and what came of it is learned once, whatever happens in between."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from streamboost import BanditBoostingClassifier, NaiveBayes, OnlineBaggingClassifier, OSBoostClassifier
from streamboost.client import Client, ServiceError
from streamboost.service import audit
from streamboost.service.store import BadRequest, Conflict, LearningStore, NotFound, Refused, Settings
from tests.service.test_http import Running

LABELS = ["art", "news", "sport"]
BANDIT = {"model": "bandit", "learner": "naive-bayes", "params": {"n_estimators": 3}, "classes": LABELS}


def event(t: int) -> dict[str, Any]:
    return {"x": t * 0.618 % 1, "hour": t % 24}


def truth(t: int) -> str:
    return LABELS[int(3 * event(t)["x"])]


def play(store: LearningStore, first: int, last: int) -> list[str]:
    shown = []
    for t in range(first, last):
        label = store.act("b", event(t), f"e{t}").answer.label
        store.reward("b", f"e{t}", label == truth(t))
        shown.append(label)
    return shown


@pytest.fixture(params=["rewards", "mbbm", "olm", "osboost"])
def described(request: Any) -> dict[str, Any]:
    return {**BANDIT, "params": {"n_estimators": 3, "base": request.param, "exploration": 0.2}, "seed": 5}


def test_what_is_shown_is_learned_once(tmp_path: Path, described: dict[str, Any]) -> None:
    with LearningStore(tmp_path, Settings(snapshot_every=40)) as store:
        store.create("b", **described)
        first = store.act("b", event(0), "e0")
        assert first.answer.label in LABELS
        assert first.state == "waiting"
        assert first.answer.chance is not None
        again = store.act("b", {"x": 0.99}, "e0")
        assert (again.answer.label, again.state, again.differs) == (first.answer.label, "duplicate", True)
        assert store.reward("b", "e0", 1).state == "learned"
        assert store.reward("b", "e0", 1).state == "duplicate"
        assert store.reward("b", "e0", 0).differs
        with pytest.raises(NotFound, match="no act with the id 'e1'"):
            store.reward("b", "e1", 1)
        assert store.act("b", event(1), "e1").state == "waiting", (
            "a reward that came before its act is not kept"
        )
        assert store.describe("b")["champion"]["learned"] == 1
        with pytest.raises(Conflict, match="does not learn from labels"):
            store.allow("b", "weather")
        play(store, 1, 100)
        assert store.scores("b")["n"] == 100
        file = store.file("b")

    with LearningStore(tmp_path) as store:
        assert store.file("b") == file, "the log and the snapshots give the same model"
        assert store.scores("b")["n"] == 100
        play(store, 100, 150)
        seq = store.stream("b").champion.seq
        there = store.file("b")
        store.rollback("b", seq - 20)
        store.rollback("b", seq)
        assert store.file("b") == there
    assert all(sound for _, sound in audit.verify(tmp_path))


def test_it_goes_where_the_library_goes(tmp_path: Path, described: dict[str, Any]) -> None:
    params = described["params"]
    learner = (
        OnlineBaggingClassifier(NaiveBayes(), n_estimators=3) if params["base"] == "rewards" else NaiveBayes()
    )
    model = BanditBoostingClassifier(learner, labels=LABELS, random_state=5, **params)
    with LearningStore(tmp_path, Settings(publish_share=1.0)) as store:
        store.create("b", **described)
        for t in range(60):
            seq = store.stream("b").champion.seq
            store.reader("b", seq)
            given = store.act("b", event(t), f"e{t}").answer
            assert given.label in LABELS
            if t:
                assert given.p == list(model.predict_proba_one(event(t)).values())
            reward = float(given.label == truth(t))
            store.reward("b", f"e{t}", reward)
            model.learn_bandit_one(event(t), given.label, reward, given.chance)
        assert store.file("b") == model.to_bytes()


def test_it_learns(tmp_path: Path) -> None:
    with LearningStore(tmp_path) as store:
        store.create("b", **BANDIT)
        play(store, 0, 400)
        assert store.scores("b", 100)["windowed"]["error"] < 0.4
        best = [store.predict("b", event(t)).answer.label == truth(t) for t in range(400, 450)]
        assert sum(best) > 35


def test_a_bandit_is_no_classifier(tmp_path: Path) -> None:
    with LearningStore(tmp_path) as store:
        store.create("b", **BANDIT)
        store.create("c", model="osboost", learner="naive-bayes")
        with pytest.raises(Conflict, match="no bandit"):
            store.act("c", event(0), "a")
        with pytest.raises(Conflict, match="no bandit"):
            store.reward("c", "a", 1)
        with pytest.raises(BadRequest, match="it must be 1"):
            store.reward("b", "a", 0.5)
        with pytest.raises(Refused, match="learns from rewards"):
            store.learn("b", event(0), "news")
        with pytest.raises(Conflict, match="never judged"):
            store.add_shadow("b", "s", **BANDIT)
        with pytest.raises(Conflict, match="is for classification"):
            store.add_shadow("b", "s", model="osboost")
        with pytest.raises(Conflict, match="does not learn from labels"):
            store.label_wishes("b")
        with pytest.raises(Conflict, match="no report"):
            store.report("b")
        model = OSBoostClassifier(NaiveBayes()).partial_fit([[1.0], [2.0]], [0, 1])
        with pytest.raises(BadRequest, match="by position"):
            store.put_file("b", model.to_bytes())
        for wrong, words in (
            ({"classes": ["one"]}, "at least two labels"),
            ({"params": {"base": "best"}}, "base"),
            ({"params": {"labels": [1, 2]}}, "is given as 'classes'"),
            ({"learner": "nobody"}, "no learner"),
            ({"seed": -1}, "seed"),
        ):
            with pytest.raises(BadRequest, match=words):
                store.create("d", **{**BANDIT, **wrong})
        play(store, 0, 5)
        moved = store.file("b")
        store.create("e", file=moved)
        assert store.describe("e")["champion"]["task"] == "bandit"
        assert store.file("e") == moved


def test_over_http(tmp_path: Path) -> None:
    running = Running(tmp_path)
    with Client(str(running.http.base_url)) as client:
        client.create("b", **BANDIT)
        client.create("c", model="osboost", learner="naive-bayes")
        shown = client.act("b", event(0))
        assert shown["label"] in LABELS
        assert 0 < shown["probability"] <= 1
        assert shown["logged"]
        assert client.reward("b", shown["id"], 1)["state"] == "learned"
        assert client.reward("b", shown["id"], 1)["state"] == "duplicate"
        many = list(client.act_many("b", [{"features": event(t), "id": f"m{t}"} for t in range(5)]))
        assert [one["id"] for one in many] == [f"m{t}" for t in range(5)]
        said = list(client.reward_many("b", [{"id": f"m{t}", "reward": t % 2} for t in (0, 1, 1, 9)]))
        assert [one.get("state") for one in said] == ["learned", "learned", "duplicate", None]
        assert said[3]["error"]["code"] == "not_found"
        assert client.predict("b", event(3))["label"] in LABELS
        for ask, status in (
            (lambda: client.reward("b", "nobody", 1), 404),
            (lambda: client.reward("b", "m4", 2), 400),
            (lambda: client.predict("b", event(0), id="p"), 409),
            (lambda: client.label("b", "m4", "art"), 409),
            (lambda: client.learn("b", event(0), "art"), 409),
            (lambda: client.act("c", event(0)), 409),
            (lambda: client.reward("c", "m4", 1), 409),
        ):
            with pytest.raises(ServiceError) as refused:
                ask()
            assert refused.value.status == status
        assert client.model("b")["waiting"]["events"] == 3
        assert client.model("b")["counts"]["unknown"] == 2
        assert client.events("b", "waiting")[0]["answer"]["probability"] > 0
    running.close()
