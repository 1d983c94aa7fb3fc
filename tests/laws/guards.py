"""Streams that turn, and the laws of a model whose learners are being warned, planted and replaced."""

import pickle

import numpy as np
from sklearn.base import clone, is_regressor

import streamboost as sb
from laws.catalogue import lane_report
from streamboost import models
from tests.inside.handles import bits, lanes_cut


def turning(n, seed=0, classes=2, columns=2):
    """Rows whose labels mean something else after every quarter of them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, columns))
    y = (X[:, 0] > 0).astype(int) + (classes > 2) * (X[:, 1] > 0.5)
    turn = np.arange(n) * 4 // n
    y = np.where(rng.random(n) < 0.1, rng.integers(0, classes, n), (y + turn) % classes)
    return X, y


def check_guard_laws(model, X, y, path):
    """Chunks, cuts, threads, pauses, predictions and weights of 0 do not matter, bit for bit. No file of what is in Python."""
    options = {} if is_regressor(model) else {"classes": [0, 1], "output": "proba"}
    weight = np.resize([1.0, 0.3, 1.7, 0.0, 1.0, 1.0, 0.6], len(y))

    def fresh():
        return clone(model).set_params(random_state=3)

    whole = fresh()
    answers = whole.test_then_train(X, y, sample_weight=weight, **options)
    assert lane_report(whole, "drifts").sum() > 0, "nothing drifted: nothing is shown"
    saves = whole.session.detectors is None

    pieces = fresh()
    got = []
    for at in [slice(0, 1), slice(1, 120), slice(120, 121), slice(121, 290), slice(290, len(y))]:
        got.append(pieces.test_then_train(X[at], y[at], sample_weight=weight[at], **options))
        if at.start in (1, 121):  # in the middle of warnings
            if saves:
                pieces.save(path)
                pieces = models.load(path)
            pieces = pickle.loads(pickle.dumps(pieces))
    assert np.concatenate(got).tobytes() == answers.tobytes()
    assert bits(pieces) == bits(whole)

    if "n_estimators" in model.get_params() and not isinstance(model, sb.OGBoostClassifier):
        with lanes_cut([2, 3], wave_chunk=16):
            cut = fresh().set_params(n_jobs=2)
            assert cut.test_then_train(X, y, sample_weight=weight, **options).tobytes() == answers.tobytes()
        assert bits(cut) == bits(whole)

    before = bits(whole)
    assert whole.predict(X[:50]).tobytes() == whole.predict(X[:50]).tobytes()
    whole.partial_fit(X[:20], y[:20], sample_weight=np.zeros(20))
    assert bits(whole) == before
