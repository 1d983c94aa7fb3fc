"""Lags are columns that the model makes itself: it answers as one that was given them, and keeps the laws."""

import itertools
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import streamboost as sb
from streamboost import models
from tests.inside.handles import state_of

LAGS = (1, 2, 7)
MAKES = {
    "linear": lambda **o: sb.SingleLearnerRegressor(random_state=3, **o),
    "forest": lambda **o: sb.AdaptiveRandomForestRegressor(n_estimators=3, random_state=3, **o),
    "replay": lambda **o: sb.ReplayBoostingRegressor(rounds=5, random_state=3, **o),
    "boosting": lambda **o: sb.OnlineGradientBoostingRegressor(n_estimators=3, random_state=3, **o),
    "default": lambda **o: sb.StreamBoostRegressor(n_estimators=3, random_state=3, **o),
    "staged": lambda **o: sb.OnlineBaggingRegressor(
        n_estimators=3, random_state=3, coverages=(0.9,), target="log1p", **o
    ),
}


def stream(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = 30 + 10 * np.sin(np.arange(n) / 4) + X[:, 0] + rng.normal(size=n) * 0.1
    return X, y, np.resize([1.0, 0.5, 2.0, 0.0, 1.0], n)


def with_lags(X, y, w, lags, delay=0):
    """The columns that the model makes, made by hand."""
    past, out = [], []
    for x, target, weight in zip(X.tolist(), y.tolist(), w.tolist(), strict=True):
        late = delay if weight > 0 else 0  # a row of weight 0 is only asked about
        seen = [past[-lag - late] if len(past) >= lag + late else np.nan for lag in lags]
        out.append([*seen, *x])
        if weight > 0:
            past.append(target)
    return np.array(out)


def bits(model):
    return {name: value.tobytes() for name, value in state_of(model).items()}


@pytest.mark.parametrize("delay", [0, 3])
@pytest.mark.parametrize("name", ["linear", "forest", "replay", "boosting"])
def test_a_lag_is_a_column(name, delay):
    X, y, w = stream()
    given = MAKES[name]().partial_fit(np.full((1, 5), np.nan), [0.0], [0.0])
    expected = given.test_then_train(with_lags(X, y, w, LAGS, delay), y, w)
    got = MAKES[name](lags=LAGS, delay=delay).test_then_train(X, y, w)
    assert got.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", MAKES)
def test_chunks_files_copies_and_rows_do_not_matter(name, tmp_path):
    X, y, w = stream()
    options = {"lags": LAGS, "delay": 2}
    model = MAKES[name](**options)
    whole = model.test_then_train(X, y, w)
    pieces, got = MAKES[name](**options, n_jobs=2), []
    for a, b in itertools.pairwise([0, 1, 2, 105, 130, 131, 300, len(y)]):
        got.append(pieces.test_then_train(X[a:b], y[a:b], w[a:b]))
        pieces.save(tmp_path / "m.sboost")
        pieces = pickle.loads(pickle.dumps(models.load(tmp_path / "m.sboost")))
    assert np.concatenate(got).tobytes() == whole.tobytes()
    assert bits(pieces) == bits(model)
    rows = MAKES[name](**options)
    for x, target, weight in zip(X.tolist(), y.tolist(), w.tolist(), strict=True):
        rows.partial_fit([x], [target], [weight])
    assert bits(rows) == bits(model)
    before = bits(model)
    assert (
        model.predict(X).tobytes() == np.concatenate([model.predict(X[:1]), model.predict(X[1:])]).tobytes()
    )
    model.partial_fit(X[:20], y[:20], np.zeros(20))
    assert bits(model) == before


def test_late_answers_know_what_was_learned_by_then():
    X, y, _ = stream()
    honest = MAKES["default"](lags=(1,), delay=5).partial_fit(X[:300], y[:300])
    asked = [honest.predict(X[300 + i : 301 + i])[0] for i in range(5)]
    assert np.isfinite(asked).all()
    again = MAKES["default"](lags=(1,), delay=5).partial_fit(X[:300], y[:300])
    assert bits(again) == bits(honest)


def test_labels_have_lags_too(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 2))
    y = np.array(list("abc"))[np.arange(600) % 3]
    model = sb.StreamBoostClassifier(n_estimators=5, lags=2, random_state=1)
    whole = model.test_then_train(X, y)
    assert (whole[300:] == y[300:]).mean() > 0.95
    pieces = sb.StreamBoostClassifier(n_estimators=5, lags=2, random_state=1)
    got = []
    for a, b in itertools.pairwise([0, 1, 50, 400, 600]):
        got.append(pieces.test_then_train(X[a:b], y[a:b]))
        pieces.save(tmp_path / "m.sboost")
        pieces = models.load(tmp_path / "m.sboost")
    assert np.concatenate(got).tolist() == whole.tolist()
    assert bits(pieces) == bits(model)


def test_sparse_rows_and_explanations():
    X, y, _ = stream()
    X = X * (np.random.default_rng(1).random(X.shape) < 0.5)
    dense, sparse = (MAKES["replay"](lags=3).partial_fit(rows, y) for rows in (X, sp.csr_matrix(X)))
    np.testing.assert_allclose(dense.predict(X), sparse.predict(sp.csr_matrix(X)), rtol=1e-9)
    told = dense.explain(X[:5])
    assert told.contributions.shape == (5, 2)
    np.testing.assert_allclose(told.base + told.contributions.sum(1), dense.predict(X[:5]))
    assert len(dense.gain_importances_) == 2


@pytest.mark.parametrize("lags", [-1, (0,), (1, 1), "3", 1.5, (1, 200_000), True, 1001, 2**40, 10**30])
def test_wrong_lags_are_named(lags):
    with pytest.raises(ValueError, match="lags="):
        sb.StreamBoostRegressor(lags=lags).fit([[0.0], [1.0]], [0.0, 1.0])
