"""A regressor in the service: numbers in, numbers out, errors in numbers, and the same log, restarts and shadows."""

import math
from pathlib import Path

import pytest

from streamboost import NaiveBayes, OnlineBaggingClassifier, OnlineBaggingRegressor, SingleLearnerRegressor
from streamboost.models import load
from streamboost.service.store import BadRequest, Conflict, LearningStore, Refused, Settings
from streamboost.service.store.history import History
from streamboost.service.store.records import Answer
from streamboost.service.store.regression_scores import RegressionScores
from tests.waiting import PATIENCE, until

NUMBERS = {"model": "single-regressor"}


def opened(folder: Path) -> LearningStore:
    store = LearningStore(folder, Settings(snapshot_every=40))
    store.wait_ready(PATIENCE)
    return store


def example(t: int) -> tuple[dict[str, float], float]:
    x = {"a": math.sin(t), "b": float(t % 7)}
    return x, 3 * x["a"] - x["b"] + 20


def test_a_regressor_lives_in_the_service(tmp_path: Path) -> None:
    alone = SingleLearnerRegressor(random_state=0)
    errors = []
    with opened(tmp_path) as store:
        store.create("load", **NUMBERS)
        assert store.predict("load", example(0)[0]).answer.label is None
        for t in range(90):
            x, y = example(t)
            if t:
                errors.append(abs(alone.predict_one(x) - y))
            alone.learn_one(x, y)
            store.learn("load", x, y, id=f"l{t}")
        file = store.file("load")
        scores = store.scores("load")
        assert scores["task"] == "regression"
        assert scores["cumulative"]["mae"] == pytest.approx(sum(errors) / len(errors))
        assert scores["windowed"]["rmse"] > 0
        assert 0 < scores["cumulative"]["r2"] <= 1
        described = store.describe("load")
        assert described["champion"]["error"] == pytest.approx(scores["cumulative"]["mae"])
        store.reader("load", store.stream("load").champion.seq, timeout=PATIENCE)
        assert store.report("load")["n_learned"] == 90
        with pytest.raises(Refused, match="must hold numbers"):
            store.learn("load", example(1)[0], "a word", id="w")
        assert store.events("load", "poison")[0]["label"] == "a word"
        until(lambda: store.snapshots("load")["snapshots"], "a snapshot every 40 examples")
        seq = store.rollback("load", store.snapshots("load")["snapshots"][0]["seq"])
        assert seq > 0
    with opened(tmp_path) as store:
        assert store.scores("load")["cumulative"] == pytest.approx(scores["cumulative"])
        assert load(file).predict_one(example(3)[0]) == pytest.approx(alone.predict_one(example(3)[0]), abs=0)


def test_numbers_and_classes_do_not_mix(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.create("load", **NUMBERS)
        store.create("kind", model="osboost", learner="naive-bayes")
        with pytest.raises(
            Conflict,
            match=r"OSBoostClassifier is for classification, but the champion of 'load' is for regression",
        ):
            store.add_shadow("load", "s", model="osboost", learner="naive-bayes")
        store.add_shadow("load", "boosted", model="gradient-boosting", params={"n_estimators": 3})
        for t in range(20):
            store.learn("load", *example(t))
        assert store.scores("load")["shadows"]["boosted"]["cumulative"]["mae"] > 0
        classifier = OnlineBaggingClassifier(NaiveBayes(), n_estimators=2, random_state=0)
        classifier.learn_one({"a": 1.0}, "x")
        classifier.save(tmp_path / "c.sboost")
        with pytest.raises(Conflict, match="is for classification"):
            store.put_file("load", (tmp_path / "c.sboost").read_bytes())
        with pytest.raises(BadRequest, match="is a classifier, but OnlineBaggingRegressor is a regressor"):
            store.create("x", model="bagging-regressor", learner="naive-bayes")
        with pytest.raises(BadRequest, match="has no classes"):
            store.create("x", **NUMBERS, classes=[1, 2])
        regressor = OnlineBaggingRegressor(n_estimators=2, random_state=0)
        regressor.learn_one({"x": 1.0}, 2.5)
        regressor.save(tmp_path / "r.sboost")
        store.create("r", file=(tmp_path / "r.sboost").read_bytes())
        assert store.predict("r", {"x": 1.0}).answer.label == 2.5


def test_the_board_goes_on_where_it_stopped() -> None:
    def fed(scores: RegressionScores, first: int, last: int) -> RegressionScores:
        for t in range(first, last):
            scores.add(float(t % 5), Answer(None if t % 50 == 0 else float(t % 4)), float(t))
        return scores

    whole = fed(RegressionScores(), 0, 1500)
    again = fed(RegressionScores.from_bytes(fed(RegressionScores(), 0, 700).to_bytes()), 700, 1500)
    for span in ("cumulative", "windowed", "faded"):
        assert again.values()[span] == pytest.approx(whole.values()[span])
    assert again.error() == whole.error()
    assert again.curve(100) == whole.curve(100)


def test_history_of_sizes() -> None:
    history, sizes = History(), [abs(math.sin(t)) * 1000 for t in range(900)]
    history.extend(sizes, [float(t) for t in range(900)])
    curve = history.curve(10_000)
    assert curve["cumulative"][-1] == pytest.approx(sum(sizes) / 900)
    assert curve["low"][-1] == pytest.approx(sum(sizes[-200:]) / 200)
