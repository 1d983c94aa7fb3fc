"""Weights of single precision: the answers are those of doubles up to rounding. The laws draw `dtype` in test_options.py."""

import numpy as np
import pytest

import streamboost as sb


def osboost(learner):
    return sb.OSBoostClassifier(learner, n_estimators=20, random_state=3)


def rows(n=300, d=30, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, d))
    return X, (X @ rng.normal(size=d) > 0).astype(int)


@pytest.mark.parametrize("learner", [sb.OGD, sb.LogisticRegression])
def test_answers_are_near_those_of_doubles(learner):
    X, y = rows()
    double, single = (
        osboost(learner(dtype=dtype)).partial_fit(X, y, classes=[0, 1]) for dtype in ("float64", "float32")
    )
    near = double.predict_proba(X)
    assert not np.array_equal(near, single.predict_proba(X))
    np.testing.assert_allclose(single.predict_proba(X), near, atol=1e-4)


def test_several_classes():
    X, _ = rows(d=4)
    y = np.argmax(X[:, :3], axis=1)
    double, single = (
        sb.AdaBoostOLMClassifier(
            sb.LogisticRegression(dtype=dtype), n_estimators=5, random_state=1
        ).partial_fit(X, y, classes=[0, 1, 2])
        for dtype in ("float64", "float32")
    )
    assert (double.predict(X) == single.predict(X)).mean() > 0.98


def test_memory_and_names():
    X, y = rows(d=400)
    sizes = [
        osboost(sb.Perceptron(dtype=dtype)).partial_fit(X, y, classes=[0, 1]).memory_bytes()
        for dtype in ("float64", "float32")
    ]
    assert sizes[1] < 0.6 * sizes[0]
    with pytest.raises(ValueError, match="dtype"):
        osboost(sb.Perceptron(dtype="single")).partial_fit(X, y)
