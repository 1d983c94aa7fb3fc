"""Experts of time around the default regressor: their oracle, and the laws, bit for bit, also in the middle of a fit."""

import numpy as np
import pytest
import scipy.sparse as sp
from oracle import timed

import streamboost as sb
from laws.cuts import check_cuts
from streamboost.ensemble import adaptive_regressor
from tests.inside.handles import bits

EXPERTS = ("last", "differences", "residuals", "replay")
SMALL = {"rounds": 3, "leaves": 4}


@pytest.fixture
def small(monkeypatch):
    """Trees that an oracle can grow."""
    monkeypatch.setattr(adaptive_regressor, "_TREES", {name: {**SMALL, "bins": 31} for name in EXPERTS[1:]})


def stream(n=700, seed=0):
    """A walk that the columns know a part of; missing cells, and weights of which some are 0."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = 20 + np.cumsum(rng.normal(size=n)) + 2 * X[:, 0]
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y, np.resize([1.0, 0.5, 2.0, 0.0, 1.0], n)


def made(companions=("linear", *EXPERTS), **options):
    return sb.StreamBoostRegressor(n_estimators=3, companions=companions, random_state=3, **options)


@pytest.mark.parametrize("names", [EXPERTS, EXPERTS[:1], EXPERTS[1:2], ("last", "residuals")], ids="+".join)
@pytest.mark.parametrize("delay", [0, 4])
def test_the_experts_are_their_oracle(small, names, delay):
    X, y, w = stream(400)
    own = made(("linear",), delay=delay).test_then_train(X, y, w)
    got = made(("linear", *names), delay=delay).test_then_train(X, y, w)
    np.testing.assert_allclose(
        got, timed.answers(X, y, w, own, names, delay=delay, **SMALL), rtol=1e-6, equal_nan=True
    )


def test_the_regressor_inside_is_the_one_without_experts():
    X, y, w = stream()
    alone, around = made(("linear",)).partial_fit(X, y, w), made().partial_fit(X, y, w)
    inside = {name: value for name, value in bits(around).items() if not name.startswith("time/")}
    assert inside == bits(alone)


@pytest.mark.parametrize(
    "options", [{}, {"coverages": (0.9,)}, {"companions": ("last", "differences")}], ids=str
)
def test_chunks_files_copies_and_threads_do_not_matter(options, tmp_path):
    X, y, w = stream()
    edges = [0, 1, 2, 105, 130, 131, 300, 460, 470]
    check_cuts(lambda: made(**options), X, y, w, edges, tmp_path / "m.sboost")


def test_a_snapshot_stays_and_columns_may_come_late():
    X, y, _ = stream(500)
    X = np.nan_to_num(X)
    rows = [{"a": x[0], "b": x[1], **({"late": x[2]} if i > 200 else {})} for i, x in enumerate(X.tolist())]
    model = made()
    for row, target in zip(rows[:450], y[:450].tolist(), strict=True):
        model.learn_one(row, target)
    snapshot = model.snapshot()
    before = snapshot.predict_one(rows[450])
    for row, target in zip(rows[450:], y[450:].tolist(), strict=True):
        model.learn_one(row, target)
    assert snapshot.predict_one(rows[450]) == before != model.predict_one(rows[450])


def test_sparse_rows_are_rows_of_zeros():
    X, y, _ = stream(400)
    X = np.nan_to_num(X) * (np.random.default_rng(1).random(X.shape) < 0.5)
    dense, sparse = (made(EXPERTS).fit(rows, y) for rows in (X, sp.csr_matrix(X)))
    np.testing.assert_allclose(dense.predict(X), sparse.predict(sp.csr_matrix(X)), rtol=1e-9)


def test_a_walk_is_followed_as_closely_as_by_its_last_value():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(3000, 3)), np.cumsum(rng.normal(size=3000))
    error = np.abs(sb.StreamBoostRegressor(random_state=1).test_then_train(X, y) - y)[200:].mean()
    assert error < 1.02 * np.abs(np.diff(y))[199:].mean()


def test_the_report_names_the_experts():
    X, y, _ = stream(300)
    totals = made().fit(X, y).report().totals
    for name in EXPERTS:
        assert f"recently_missed/{name}" in totals
    assert totals["fits/differences"] > 1
    assert totals["remembered_rows"] == 300
