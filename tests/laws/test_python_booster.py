"""Boosters written in Python: whole, lawful, and the same as the core's where they say the same."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from streamboost import (
    LogisticRegression,
    NaiveBayes,
    OnlineArcX4Classifier,
    OSBoostClassifier,
    PythonBooster,
)
from streamboost.checks import check_ensemble


class SmoothBoost(PythonBooster):
    """OSBoost of Chen, Lin and Lu with the uniform vote."""

    def __init__(self, estimator=None, *, gamma=0.1, **options):
        super().__init__(estimator, **options)
        self.gamma = gamma

    def begin(self, state, answers, example):
        example.ahead = 0.0

    def weigh(self, state, lane, answer, example):
        weight = min(1.0, (1 - self.gamma) ** (example.ahead / 2))
        other = 1 - example.label
        example.ahead += answer[example.label] - answer[other] - self.gamma / (2 + self.gamma)
        return weight


class ArcX4(PythonBooster):
    """Online Arc-x4: a state of its own and a plurality vote."""

    def begin(self, state, answers, example):
        example.wrong = 0

    def weigh(self, state, lane, answer, example):
        return 1 + example.wrong**4

    def learned(self, state, lane, answer, example):
        example.wrong += int(answer.argmax()) != example.label

    def combine(self, state, answers):
        votes = np.zeros(answers.shape[1])
        for answer in answers:
            votes[answer.argmax()] += 1
        return votes


class Tallied(PythonBooster):
    """Looks back, and remembers how often each lane was right."""

    def start(self, state, n_lanes, n_classes):
        state.right = np.ones(n_lanes)

    def weigh(self, state, lane, answer, example):
        return 2.0 if answer[example.label] < 0.5 else 0.5

    def learned(self, state, lane, answer, example):
        state.right[lane] += answer[example.label]

    def combine(self, state, answers):
        return state.right @ answers


def stream(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 3)) + y[:, None] * [1.0, 0.5, 0.0], y


@pytest.mark.parametrize("booster", [SmoothBoost, Tallied, PythonBooster])
@pytest.mark.parametrize("learner", [None, LogisticRegression()], ids=["naive Bayes", "logistic"])
def test_it_keeps_the_laws(booster, learner):
    check_ensemble(booster(learner, n_estimators=2))


def test_smooth_boosting_is_that_of_the_core():
    X, y = stream()
    ours = SmoothBoost(NaiveBayes(), n_estimators=4, calibration=None, random_state=1)
    core = OSBoostClassifier(NaiveBayes(), n_estimators=4, gamma=0.1, calibration=None, random_state=1)
    found = ours.test_then_train(X, y, classes=[0, 1], output="proba")
    expected = core.test_then_train(X, y, classes=[0, 1], output="proba")
    np.testing.assert_allclose(found[10:], expected[10:], atol=1e-9)


def test_arc_x4_is_that_of_the_core():
    X, y = stream(200, seed=1)
    ours = ArcX4(NaiveBayes(), n_estimators=3, random_state=1)
    core = OnlineArcX4Classifier(NaiveBayes(), n_estimators=3, random_state=1)
    found = ours.test_then_train(X, y, classes=[0, 1])
    expected = core.test_then_train(X, y, classes=[0, 1])
    assert found[5:].tolist() == expected[5:].tolist()


@pytest.mark.parametrize(
    ("method", "value", "message"),
    [
        ("weigh", -1.0, "weigh must give a weight of 0 or more, got -1.0 for lane 0"),
        ("weigh", np.nan, "weigh must give a weight"),
        ("combine", [1.0], "combine must give 2 finite scores"),
        ("combine", [1.0, -1.0], "combine must give 2 finite scores"),
    ],
)
def test_nonsense_is_named(method, value, message):
    booster = type("Nonsense", (PythonBooster,), {method: lambda *_: value})
    model = booster(n_estimators=2, random_state=1)
    X, y = stream(20)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y).predict(X)


def test_columns_of_any_kind():
    rows = [{"size": 1.0, "kind": "a"}, {"size": None, "kind": "b"}, {"kind": "c"}, {"size": 3.0}] * 10
    model = SmoothBoost(n_estimators=2, random_state=1)
    for number, row in enumerate(rows):
        model.learn_one(row, "pq"[number % 2], classes=["p", "q"] if number == 0 else None)
    assert set(model.predict_proba_one({"kind": "a"})) == {"p", "q"}
    with pytest.raises(ValueError, match="pickle"):
        model.save("never.sboost")


def test_parameters_of_its_own_are_parameters():
    X, y = stream(60)
    model = SmoothBoost(n_estimators=3, gamma=0.4, random_state=1)
    assert repr(model) == "SmoothBoost(gamma=0.4, n_estimators=3, random_state=1)"
    assert clone(model).gamma == 0.4
    model.partial_fit(X, y, classes=[0, 1])
    again = pickle.loads(pickle.dumps(model))
    assert again.gamma == 0.4
    for each in (model, again):
        each.partial_fit(X, y)
    assert np.array_equal(model.predict_proba(X), again.predict_proba(X))
    other = SmoothBoost(n_estimators=3, random_state=1).fit(X, y).partial_fit(X, y)
    assert not np.array_equal(model.predict_proba(X), other.predict_proba(X))
    with pytest.raises(TypeError, match="unexpected keyword argument 'gama'"):
        SmoothBoost(gama=0.2)


@pytest.mark.parametrize("learner", [NaiveBayes(), LogisticRegression(scale="standard")])
def test_columns_and_categories_that_come_later(learner):
    """Learners that have not learned a row know neither its new column nor its new category."""
    rows = [{"size": float(i % 7), "kind": "ab"[i % 2]} for i in range(20)]
    rows += [{"size": float(i % 5), "kind": "abc"[i % 3], "late": i / 10} for i in range(20)]
    ours = SmoothBoost(learner, n_estimators=3, calibration=None, random_state=1)
    core = OSBoostClassifier(learner, n_estimators=3, gamma=0.1, calibration=None, random_state=1)
    for number, row in enumerate(rows):
        for model in (ours, core):
            model.learn_one(row, number % 2, classes=[0, 1] if number == 0 else None)
        for asked in (row, {"kind": "never"}, {"late": 3.0}):
            found, expected = ours.predict_proba_one(asked), core.predict_proba_one(asked)
            assert list(found.values()) == pytest.approx(list(expected.values()), abs=1e-9)
        if number == 25:
            ours = pickle.loads(pickle.dumps(ours))
