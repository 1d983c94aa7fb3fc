"""Lags are columns that the model makes itself: it answers as one that was given them, and keeps the laws."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

import streamboost as sb
from laws.cuts import check_cuts
from streamboost import models
from tests.inside.handles import bits
from tests.oracle.explain import shapley

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

    def fresh():
        return MAKES[name](lags=LAGS, delay=2)

    check_cuts(fresh, X, y, w, [0, 1, 2, 105, 130, 131, 300], tmp_path / "m.sboost")
    model, rows = fresh().partial_fit(X, y, w), fresh()
    for x, target, weight in zip(X.tolist(), y.tolist(), w.tolist(), strict=True):
        rows.partial_fit([x], [target], [weight])
    assert bits(rows) == bits(model)


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
    assert len(dense.gain_importances_) == 2
    for rows, model in ((X[:5], dense), (sp.csr_matrix(X[:5]), sparse)):
        told = model.explain(rows)
        assert list(told.columns) == [0, 1, "target[-1]", "target[-2]", "target[-3]"]
        np.testing.assert_allclose(told.base + told.contributions.sum(1), model.predict(rows))


@pytest.mark.parametrize("name", ["linear", "forest", "replay", "boosting"])
def test_lags_are_explained_as_columns(name):
    X, y, w = stream()
    given = MAKES[name]().partial_fit(np.full((1, 5), np.nan), [0.0], [0.0])
    given.partial_fit(with_lags(X, y, w, LAGS), y, w)
    model = MAKES[name](lags=LAGS).partial_fit(X, y, w)
    past = y[w > 0]
    rows = np.hstack((np.tile([past[-lag] for lag in LAGS], (3, 1)), X[:3]))
    for options in ({"exact": True}, {"n_orders": 6}):
        told = model.explain(X[:3], **options)
        np.testing.assert_allclose(told.base + told.contributions.sum(1), model.predict(X[:3]), rtol=1e-9)
    assert told[0].cells["target[-7]"] == past[-7]
    told = model.explain(X[:3], exact=True)
    assert told.method == "exact"
    for one, row in zip(told.contributions, rows, strict=True):
        if name == "replay":  # by the nodes of its trees
            break

        def answer(there, row=row):
            return given.predict([[x if j in there else np.nan for j, x in enumerate(row)]])[0]

        expected = shapley(answer, 5)
        np.testing.assert_allclose(one, [*expected[3:], *expected[:3]], rtol=1e-9, atol=1e-9)
    theirs = given.explain(rows, exact=True)
    np.testing.assert_allclose(
        told.contributions, np.roll(theirs.contributions, 2, axis=1), rtol=1e-9, atol=1e-12
    )


def test_a_lag_that_is_not_there_yet_contributes_nothing():
    X, y, _ = stream(4)
    told = MAKES["linear"](lags=(1, 50)).partial_fit(X, y).explain(X[:1])[0]
    assert told.contributions["target[-50]"] == 0 != told.contributions["target[-1]"]


@pytest.mark.parametrize("companions", [(), ("linear", "replay")])
def test_past_labels_are_explained_by_their_names(companions):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(500, 2)), np.array(list("ab"))[np.arange(500) % 2]
    make = {
        "n_estimators": 3,
        "lags": (1, 2),
        "companions": companions,
        "random_state": 1,
        "importances": True,
    }
    model = sb.StreamBoostClassifier(**make).partial_fit(X, y)
    told = model.explain(X[:4])
    np.testing.assert_allclose(
        told.base + told.contributions.sum(1), model.decision_function(X[:4]), rtol=1e-9
    )
    assert told[0].name_of("target[-1]") == "target[-1] = b"
    assert np.abs(told.contributions[:, 2:]).max() > np.abs(told.contributions[:, :2]).max()
    assert len(model.feature_importances_) == 2
    assert model.explain_one({0: 0.5, 1: 0.1}).contributions.keys() == {0, 1, "target[-1]", "target[-2]"}


@pytest.mark.parametrize("lags", [-1, (0,), (1, 1), "3", 1.5, (1, 200_000), True, 1001, 2**40, 10**30])
def test_wrong_lags_are_named(lags):
    with pytest.raises(ValueError, match="lags="):
        sb.StreamBoostRegressor(lags=lags).fit([[0.0], [1.0]], [0.0, 1.0])
