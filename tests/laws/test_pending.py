"""Pending answers: what was said to a row teaches the model when the truth comes, bit for bit however rows are cut or saved."""

import pickle

import numpy as np
import pytest

import streamboost as sb
from streamboost import models
from streamboost.base.pending import PendingAnswers
from streamboost.evaluate import prequential
from tests.inside.handles import bits

ALL = ("linear", "naive-bayes", "neighbors", "replay", "history")
CLASSIFIERS = {
    "default": lambda **o: sb.StreamBoostClassifier(n_estimators=3, random_state=3, **o),
    "history": lambda **o: sb.StreamBoostClassifier(n_estimators=3, random_state=3, companions=ALL, **o),
    "lags": lambda **o: sb.StreamBoostClassifier(n_estimators=3, random_state=3, lags=2, **o),
    "stages": lambda **o: sb.StreamBoostClassifier(
        n_estimators=3, random_state=3, calibration="platt", coverages=(0.9,), **o
    ),
    "plain": lambda **o: sb.OnlineBoostingClassifier(n_estimators=3, random_state=3),
}
REGRESSORS = {
    "default": lambda **o: sb.StreamBoostRegressor(n_estimators=3, random_state=3, **o),
    "lags": lambda **o: sb.StreamBoostRegressor(n_estimators=3, random_state=3, lags=(1, 3), **o),
    "intervals": lambda **o: sb.StreamBoostRegressor(
        n_estimators=3, random_state=3, coverages=(0.9,), target="log1p", **o
    ),
    "linear": lambda **o: sb.StreamBoostRegressor(
        n_estimators=3, random_state=3, companions=("linear",), **o
    ),
}
MODELS = {
    **{f"{name} classifier": (make, True) for name, make in CLASSIFIERS.items()},
    **{f"{name} regressor": (make, False) for name, make in REGRESSORS.items()},
}


def stream(classes, n=420, seed=0, k=2):
    """Rows in time; of the labels the last class comes late."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    walk = np.cumsum(rng.normal(size=n))
    if not classes:
        return X, 30 + walk + 2 * X[:, 0] - walk.min()
    y = (X[:, 0] + np.sin(np.arange(n) / 9) > 0).astype(int)
    if k > 2:
        y[n // 2 :][X[n // 2 :, 1] > 0.8] = 2
    return X, y


def row_by_row(model, X, y, delay, every=None):
    """The public verbs: a row is answered when it comes and learned with its answer when `delay` more have come."""
    said, waiting = [], []
    for t, (x, truth) in enumerate(zip(X.tolist(), y.tolist(), strict=True)):
        row = dict(enumerate(x))
        waiting.append((row, truth, model.predict_pending_one(row)))
        said.append(waiting[-1][2].prediction)
        if len(waiting) > delay:
            row, truth, pending = waiting.pop(0)
            model.learn_one(row, truth, pending=pending)
        if every and t % every == 0 and t > delay:
            model = every_way(model)
            waiting = pickle.loads(pickle.dumps(waiting))
    for row, truth, pending in waiting:
        model.learn_one(row, truth, pending=pending)
    return model, said


def every_way(model):
    return pickle.loads(pickle.dumps(models.load(model.to_bytes())))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("delay", [1, 30])
@pytest.mark.parametrize("name", MODELS)
def test_an_evaluation_learns_what_the_verbs_learn(name, delay, k):
    make, classes = MODELS[name]
    if not classes and k > 2:
        k = 2
    X, y = stream(classes, 300, k=k)
    rows, said = row_by_row(make(delay=delay), X, y, delay)
    for chunk in (7, 64, 1000):
        model = make(delay=delay)
        result = prequential(model, (X, y), delay=delay, chunk_size=chunk)
        assert bits(model) == bits(rows)
        assert result.left_out == delay + 1
    dicts = make(delay=delay)
    pairs = [(dict(enumerate(x)), truth) for x, truth in zip(X.tolist(), y.tolist(), strict=True)]
    assert prequential(dicts, pairs, delay=delay, chunk_size=64).error == pytest.approx(result.error)
    assert bits(dicts) == bits(rows)
    saved, again = row_by_row(make(delay=delay), X, y, delay, every=50)
    assert again == said
    assert bits(saved) == bits(rows)


@pytest.mark.parametrize(
    "records", [None, [[1.0]], np.ones(3), np.ones((1, 3), np.float32), np.ones((1, 3), object), b"x"]
)
def test_records_that_are_none_are_refused(records):
    with pytest.raises(TypeError, match="matrix of float64"):
        PendingAnswers(0, None, records)
