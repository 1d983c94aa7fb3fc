"""Streaming gradient boosted trees are what their oracle says; their laws are those of all models (test_options.py)."""

import math

import numpy as np
import pytest
from oracle import regression
from oracle.streaming_gradient import Classes, Numbers, Trees
from sklearn.multiclass import OneVsRestClassifier

from streamboost import (
    HoeffdingTreeRegressor,
    LinearRegression,
    StreamingGradientBoostingClassifier,
    StreamingGradientBoostingRegressor,
)
from streamboost.base.random import draw_seed

BANKS = {
    "linear": (
        lambda n: LinearRegression(learning_rate_spread=1.0),
        lambda n: regression.Bank(n, spread=1.0),
    ),
    "trees": (
        lambda n: HoeffdingTreeRegressor(grace_period=20, delta=0.3, leaf_prediction="mean"),
        lambda n: Trees([regression.Tree([False] * 4, grace=20, delta=0.3, leaf="mean") for _ in range(n)]),
    ),
}


def stream(seed, n=300):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[rng.random(X.shape) < 0.03] = np.nan
    score = np.nan_to_num(X[:, 0]) + np.abs(np.nan_to_num(X[:, 1])) + 0.3 * rng.normal(size=n)
    return X, score, rng.integers(0, 3, n).astype(float)


@pytest.mark.parametrize("bag", [1, 3])
@pytest.mark.parametrize("bank", BANKS)
@pytest.mark.parametrize("seed", [1, 2])
def test_numbers_are_the_oracles(bank, bag, seed):
    X, y, w = stream(seed)
    learner, slow = BANKS[bank]
    model = StreamingGradientBoostingRegressor(
        learner(3 * bag), n_estimators=3, learning_rate=0.7, n_bagged=bag, warm_up=9 * bag, random_state=seed
    )
    oracle = Numbers(slow(3 * bag), draw_seed(seed), rate=0.7, bag=bag, warm_up=9 * bag)
    for row, target, weight, said in zip(X.tolist(), y, w, model.test_then_train(X, y, w), strict=True):
        assert said == pytest.approx(oracle.ask(row), rel=1e-7, abs=1e-7, nan_ok=True)
        oracle.learn(row, target, weight)


@pytest.mark.parametrize("bag", [1, 3])
@pytest.mark.parametrize("bank", BANKS)
@pytest.mark.parametrize("seed", [1, 2])
def test_probabilities_are_the_oracles(bank, bag, seed):
    X, score, w = stream(seed)
    y = (score > 0.6).astype(int)
    learner, slow = BANKS[bank]
    model = StreamingGradientBoostingClassifier(
        learner(4 * bag),
        n_estimators=4,
        learning_rate=0.5,
        n_bagged=bag,
        warm_up=9 * bag,
        drift=None,
        calibration=None,
        random_state=seed,
    )
    oracle = Classes(slow(4 * bag), draw_seed(seed), rate=0.5, bag=bag, warm_up=9 * bag)
    answers = model.test_then_train(X, y, classes=[0, 1], sample_weight=w, output="proba")[:, 1]
    for row, label, weight, said in zip(X.tolist(), y.tolist(), w, answers, strict=True):
        assert said == pytest.approx(oracle.ask(row), rel=1e-7, abs=1e-7)
        oracle.learn(row, label, weight)


def test_the_first_rows_by_hand():
    """One stage that has learned [y = 1] once answers its mean, 2 = g / h at raw 0; the next target is that at raw .5 * 2."""
    model = StreamingGradientBoostingClassifier(
        HoeffdingTreeRegressor(leaf_prediction="mean"), n_estimators=2, learning_rate=0.5, warm_up=0
    )
    said = np.diff(model.test_then_train([[0.0]] * 3, [1, 0, 0], classes=[0, 1], output="score"))[:, 0]
    assert said[0] == 0
    # Both trees have learned the target 2 with weight 1: raw is .5 * 2, then 2.
    assert said[1] == pytest.approx(2.0)
    # Tree 1 learned -2 at raw 0 with weight 1, mean 0; tree 2 at raw 1: -1 / (1 - p) = -3.718, weight 4 p (1 - p) = 0.786.
    p = 1 / (1 + math.exp(-1))
    second = (2 - 1 / (1 - p) * 4 * p * (1 - p)) / (1 + 4 * p * (1 - p))
    assert said[2] == pytest.approx(0.5 * second)


def test_several_classes_are_several_chains():
    X, score, _ = stream(3, 900)
    X, y = np.nan_to_num(X), np.digitize(score, [0.0, 1.0])
    chain = StreamingGradientBoostingClassifier(n_estimators=20, learning_rate=0.1, random_state=1)
    model = OneVsRestClassifier(chain).partial_fit(X, y, classes=[0, 1, 2])
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
    assert (model.predict(X) == y).mean() > 0.7


def test_learners_are_regressors():
    from streamboost import NaiveBayes

    with pytest.raises(
        TypeError, match=r"StreamingGradientBoostingClassifier takes a regressor.*LinearRegression"
    ):
        StreamingGradientBoostingClassifier(NaiveBayes()).partial_fit([[0.0]], [0], classes=[0, 1])
