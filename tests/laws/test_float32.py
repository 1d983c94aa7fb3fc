"""Weights of single precision: the laws hold bit for bit, the answers are those of doubles up to rounding."""

import numpy as np
import pytest

import streamboost as sb

LEARNERS = (sb.Perceptron, sb.OGD, sb.LogisticRegression)
ENSEMBLES = {
    "osboost": lambda learner: sb.OSBoostClassifier(learner, n_estimators=20, random_state=3),
    "bagging": lambda learner: sb.OnlineBaggingClassifier(learner, n_estimators=20, random_state=3),
    "oza": lambda learner: sb.OnlineBoostingClassifier(learner, n_estimators=20, random_state=3),
}
PAIRS = [
    pytest.param(make, learner, id=f"{name}:{learner.__name__}")
    for name, make in ENSEMBLES.items()
    for learner in LEARNERS
]


def rows(n=300, d=30, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, d))
    return X, (X @ rng.normal(size=d) > 0).astype(int)


@pytest.mark.parametrize(("make", "learner"), PAIRS)
def test_one_row_at_a_time_is_the_whole(make, learner):
    X, y = rows()
    whole, single = (make(learner(dtype="float32")) for _ in range(2))
    answers = whole.test_then_train(X, y, classes=[0, 1])
    assert [
        single.test_then_train(X[t : t + 1], y[t : t + 1], classes=[0, 1])[0] for t in range(len(y))
    ] == answers.tolist()
    assert np.array_equal(whole.predict_proba(X), single.predict_proba(X))


@pytest.mark.parametrize(("make", "learner"), PAIRS)
def test_saved_and_loaded_is_never_stopped(make, learner, tmp_path):
    X, y = rows()
    model = make(learner(dtype="float32", feature_fraction=0.5)).partial_fit(X[:150], y[:150], classes=[0, 1])
    model.save(tmp_path / "model.sb")
    loaded = sb.load(tmp_path / "model.sb")
    assert loaded.estimator.dtype == "float32"
    for one in (model, loaded):
        one.partial_fit(X[150:], y[150:])
    assert np.array_equal(model.predict_proba(X), loaded.predict_proba(X))


@pytest.mark.parametrize("learner", [sb.OGD, sb.LogisticRegression])
def test_answers_are_near_those_of_doubles(learner):
    X, y = rows()
    double, single = (
        ENSEMBLES["osboost"](learner(dtype=dtype)).partial_fit(X, y, classes=[0, 1])
        for dtype in ("float64", "float32")
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
    X, y = rows(d=200)
    sizes = [
        ENSEMBLES["osboost"](sb.Perceptron(dtype=dtype)).partial_fit(X, y, classes=[0, 1]).memory_bytes()
        for dtype in ("float64", "float32")
    ]
    assert sizes[1] < 0.6 * sizes[0]
    with pytest.raises(ValueError, match="dtype"):
        ENSEMBLES["osboost"](sb.Perceptron(dtype="single")).partial_fit(X, y)
