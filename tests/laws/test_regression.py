"""The laws for regressors, and their agreement with the oracles. Two ways of serving a stream are compared bit for bit."""

import itertools
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from oracle import regression as oracle
from sklearn.base import clone

import streamboost
from streamboost import (
    AdaptiveRandomForestRegressor,
    HoeffdingTreeRegressor,
    LinearRegression,
    OnlineBaggingRegressor,
    OnlineGradientBoostingRegressor,
    SingleLearnerRegressor,
    StreamBoostRegressor,
    StreamingGradientBoostingRegressor,
    _core,
)
from tests.catalogue import state_bytes
from tests.inside.handles import session_of

TREE = HoeffdingTreeRegressor(grace_period=30, delta=0.1, max_features=0.6)
MODELS = {
    "single": SingleLearnerRegressor(LinearRegression()),
    "single-float32": SingleLearnerRegressor(LinearRegression(dtype="float32", feature_fraction=0.7)),
    "single-tree": SingleLearnerRegressor(HoeffdingTreeRegressor(grace_period=30, delta=0.1)),
    "bagging": OnlineBaggingRegressor(LinearRegression(learning_rate_spread=1.0), n_estimators=5),
    "bagging-fraction": OnlineBaggingRegressor(n_estimators=5, sampling="fraction", combine="median"),
    "bagging-tree": OnlineBaggingRegressor(TREE, n_estimators=5, poisson_rate=3.0),
    "boosting": OnlineGradientBoostingRegressor(n_estimators=5),
    "boosting-hull": OnlineGradientBoostingRegressor(TREE, n_estimators=5, domain="hull"),
    "boosting-huber": OnlineGradientBoostingRegressor(TREE, n_estimators=5, loss="huber"),
    "boosting-quantile": OnlineGradientBoostingRegressor(
        n_estimators=5, loss="quantile", quantile=0.9, drift="adwin"
    ),
    "streaming": StreamingGradientBoostingRegressor(TREE, n_estimators=5, n_bagged=1),
    "forest": AdaptiveRandomForestRegressor(TREE, n_estimators=5),
    "forest-instant": AdaptiveRandomForestRegressor(TREE, n_estimators=5, background=False),
    "streamboost": StreamBoostRegressor(TREE, n_estimators=5),
}


def stream(n=600, seed=0, drift=True):
    """Numbers, a nominal column, missing cells, weights (some 0), and a rule that turns in the middle."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)) * [1, 10, 0.1, 1]
    X[:, 3] = rng.integers(0, 3, n)
    y = X[:, 0] * 3 + np.abs(X[:, 1]) + 5 * (X[:, 3] == 1) + rng.normal(size=n) * 0.3
    if drift:
        y[n // 2 :] = 40 - 2 * y[n // 2 :]
    X[rng.random((n, 4)) < 0.03] = np.nan
    weight = rng.integers(0, 4, n).astype(float)
    return X, y, weight


def made(name):
    return clone(MODELS[name]).set_params(random_state=7, categorical_features=[3])


def assert_same(one, other, X):
    a, b = state_bytes(one), state_bytes(other)
    assert a.keys() == b.keys()
    assert [key for key in a if a[key] != b[key]] == []
    assert one.predict(X).tobytes() == other.predict(X).tobytes()


@pytest.mark.parametrize("name", MODELS)
def test_any_chunking_is_the_whole(name):
    X, y, w = stream()
    whole, chunked, silent = made(name), made(name), made(name)
    expected = whole.test_then_train(X, y, w)
    got = []
    edges = [0, 1, 2, 7, 40, 41, 300, 555, len(X)]
    for a, b in itertools.pairwise(edges):
        got.append(chunked.test_then_train(X[a:b], y[a:b], w[a:b]))
        silent.partial_fit(X[a:b], y[a:b], w[a:b])
    assert np.concatenate(got).tobytes() == expected.tobytes()
    assert_same(whole, chunked, X)
    assert_same(whole, silent, X)
    first = int(np.argmax(w > 0))
    assert np.isnan(expected[: first + 1]).all()
    assert np.isfinite(expected[first + 1 :]).all()


@pytest.mark.parametrize("name", MODELS)
def test_rows_of_dicts_are_rows(name):
    X, y, _ = stream(n=200)
    X = np.nan_to_num(X)
    table, rows = made(name).partial_fit(X, y), made(name).partial_fit(X[:1], y[:1])
    for x, target in zip(X[1:], y[1:], strict=True):
        before = rows.predict_one(dict(enumerate(x)))
        rows.learn_one(dict(enumerate(x)), target)
    assert isinstance(before, float)
    assert_same(table, rows, X)
    assert rows.predict_one(dict(enumerate(X[0]))) == rows.predict(X[:1])[0]


@pytest.mark.parametrize("name", MODELS)
def test_cuts_and_threads_do_not_matter(name):
    X, y, w = stream(n=400)
    straight = made(name).partial_fit(X, y, w)
    threads = made(name).set_params(n_jobs=3).partial_fit(X, y, w)
    assert_same(straight, threads, X)
    session = session_of(straight)
    n = straight._n_lanes()
    if n == 1:
        return
    for cuts in ([1], [2, 3], list(range(1, n))):
        cut = _core.Model(**{**session.plan, "n_estimators": n, "cuts": cuts, "threads": 2, "wave_chunk": 16})
        cut.reserve(session.schema.n_values(), 1, True)
        coded = np.where(
            np.arange(4) == 3,
            np.array([[session.schema.books[3].codes.get(v, np.nan) for v in row] for row in X]),
            X,
        )
        cut.learn(np.ascontiguousarray(coded), y, w, "none")
        state = cut.state()
        assert {key: (v.dtype.str, v.shape, v.tobytes()) for key, v in state.items()} == state_bytes(straight)


@pytest.mark.parametrize("name", MODELS)
def test_save_load_and_go_on(name, tmp_path):
    X, y, w = stream()
    straight, saved = made(name).partial_fit(X, y, w), made(name).partial_fit(X[:350], y[:350], w[:350])
    saved.save(tmp_path / "m.sboost")
    loaded = streamboost.load(tmp_path / "m.sboost")
    pickled = pickle.loads(pickle.dumps(saved))
    snapshot = saved.snapshot()
    before = snapshot.predict(X)
    for other in (loaded, pickled):
        assert type(other) is type(saved)
        other.partial_fit(X[350:], y[350:], w[350:])
        assert_same(straight, other, X)
    saved.partial_fit(X[350:], y[350:], w[350:])
    assert snapshot.predict(X).tobytes() == before.tobytes()


@pytest.mark.parametrize("name", MODELS)
def test_predict_is_pure_and_weight_0_is_nothing(name):
    X, y, w = stream()
    one, other = made(name).partial_fit(X, y, w), made(name)
    kept = w > 0
    other.partial_fit(X[:1], y[:1], [0.0])
    other.partial_fit(X[kept], y[kept], w[kept])
    before = state_bytes(one)
    assert one.predict(X).tobytes() == one.predict(X).tobytes()
    one.partial_fit(X, y, np.zeros(len(X)))
    assert state_bytes(one) == before
    assert_same(one, other, X)


def test_sparse_rows_are_rows_of_zeros():
    X, y, _ = stream(n=300)
    X = np.nan_to_num(X) * (np.random.default_rng(1).random(X.shape) < 0.5)
    for learner in (LinearRegression(scale="maxabs"), HoeffdingTreeRegressor(grace_period=30)):
        dense, sparse = (
            SingleLearnerRegressor(learner).fit(X, y),
            SingleLearnerRegressor(learner).fit(sp.csr_matrix(X), y),
        )
        assert np.allclose(dense.predict(X), sparse.predict(sp.csr_matrix(X)), rtol=1e-9, atol=1e-9)


def compare(model, slow, X, y, w, tolerance=1e-8):
    got = model.test_then_train(X, y, w)
    for row, target, weight, answer in zip(X.tolist(), y.tolist(), w.tolist(), got.tolist(), strict=True):
        expected = slow.ask(row)
        assert answer == pytest.approx(expected, rel=tolerance, abs=tolerance, nan_ok=True)
        slow.learn(row, target, weight)


def numeric_stream(n, seed):
    X, y, w = stream(n, seed)
    return np.where(np.arange(4) == 3, np.random.default_rng(seed).random((n, 4)), X), y, w


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "options",
    [{}, {"combine": "median"}, {"sampling": "fraction", "fraction": 0.5}, {"poisson_rate": 6.0}],
    ids=str,
)
def test_bagging_is_its_oracle(seed, options):
    X, y, w = numeric_stream(400, seed)
    model = OnlineBaggingRegressor(
        LinearRegression(learning_rate_spread=1.0), n_estimators=4, random_state=seed, **options
    )
    compare(model, oracle.Bagging(oracle.Bank(4, spread=1.0), seed_of(seed), **options), X, y, w)


def seed_of(random_state):
    from streamboost.base.random import draw_seed

    return draw_seed(random_state)


@pytest.mark.parametrize("domain", ["span", "hull"])
@pytest.mark.parametrize("loss", ["squared", "absolute", "huber", "quantile"])
def test_gradient_boosting_is_its_oracle(loss, domain):
    X, y, w = numeric_stream(400, 5)
    options = {"loss": loss, "domain": domain, "quantile": 0.8, "delta": 0.2}
    model = OnlineGradientBoostingRegressor(n_estimators=6, learning_rate=0.3, **options)
    compare(model, oracle.GradientBoosting(oracle.Bank(6), step=0.3, **options), X, y, w, 1e-7)


class OneTree:
    def __init__(self, tree):
        self.tree = tree

    def ask(self, row):
        said = self.tree.ask(row)
        return float("nan") if said is None else said

    def learn(self, row, target, weight):
        if weight > 0:
            self.tree.learn(row, target, weight)


@pytest.mark.parametrize("leaf", ["adaptive", "mean", "linear"])
@pytest.mark.parametrize("seed", range(2))
def test_a_tree_is_its_oracle(leaf, seed):
    X, y, w = stream(800, seed)
    model = SingleLearnerRegressor(
        HoeffdingTreeRegressor(grace_period=60, delta=0.05, leaf_prediction=leaf), categorical_features=[3]
    )
    model.partial_fit(X[:1], y[:1], [0.0])
    slow = OneTree(oracle.Tree([False, False, False, True], grace=60, delta=0.05, leaf=leaf))
    codes: dict[float, float] = {}
    got = model.test_then_train(X, y, w)
    for row, target, weight, answer in zip(X.tolist(), y.tolist(), w.tolist(), got.tolist(), strict=True):
        unseen = -1.0 if weight == 0 else float(len(codes))
        code = row[3] if np.isnan(row[3]) else codes.get(row[3], unseen)
        if weight > 0 and not np.isnan(row[3]):
            codes.setdefault(row[3], code)
        asked = [*row[:3], code]
        assert answer == pytest.approx(slow.ask(asked), rel=1e-6, abs=1e-6, nan_ok=True)
        slow.learn([*row[:3], code], target, weight)
    assert isinstance(slow.tree.root, list)


def test_the_promise_of_gradient_boosting_holds():
    X, y, _ = stream(3000, drift=False)
    model = OnlineGradientBoostingRegressor(n_estimators=20, categorical_features=[3]).fit(X, y)
    (bound,) = model.report().bounds
    assert bound.lhs < 0 < bound.rhs
    assert bound.holds
