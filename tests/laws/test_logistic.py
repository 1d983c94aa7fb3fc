"""The laws of the scale-free logistic learner: units, offsets, labels, weights, order and company do not matter."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.linear import INTERCEPT
from oracle.logistic import Adaptive, RowStage, flow
from oracle.rows import Columns, Row

from laws.strategies import seeds
from streamboost import (
    LogisticRegression,
    OnlineBaggingClassifier,
    OSBoostClassifier,
    SingleLearnerClassifier,
)
from streamboost.streams import HyperplaneStream
from tests.inside.handles import state_of

quick = settings(max_examples=15)


def single(**options):
    return SingleLearnerClassifier(LogisticRegression(**options), calibration=None)


def stream(seed, n=200, d=5, k=2):
    """Dense rows with an indicator, gaps and labels that follow the first columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.choice([0.1, 1.0, 30.0], d) + rng.choice([0.0, 5.0], d)
    X[:, 1] = rng.integers(0, 2, n) * 3.0
    s = (X[:, 0] - X[:, 0].mean()) / X[:, 0].std() + X[:, 1] / 3 + 0.3 * rng.normal(size=n)
    y = np.searchsorted(np.quantile(s, np.arange(1, k) / k), s)
    return X, y, np.round(rng.uniform(0.1, 3, n), 2)


def proba(X, y, w=None, classes=None, **options):
    model = single(**options)
    kinds = np.unique(y) if classes is None else classes
    return model.test_then_train(X, y, sample_weight=w, classes=kinds, output="proba"), model


# ---- closed forms


def test_flow_solves_its_equation():
    for m in np.linspace(-30, 30, 41):
        a, last = math.exp(m), 0.0
        assert flow(a, 0.0) == 0
        for S in np.logspace(-8, 6, 57):
            D = flow(a, S)
            assert abs(D + a * math.expm1(D) - S) <= 4.4e-6 * S
            assert last < D <= min(S / (1 + a), math.log1p(S / a)) * (1 + 4e-6)
            last = D


@pytest.mark.parametrize("w", [1.0, 0.25, 7.0])
@pytest.mark.parametrize("label", [0, 1])
def test_first_row_by_hand(w, label):
    """One CSR column and the intercept: t = (1, 1), n / M = 1/2, c = max(1/1.1, sqrt(.5/.1)), B = w / 4."""
    model = single()
    model.partial_fit(sp.csr_matrix([[-40.0]]), [label], classes=[0, 1], sample_weight=[w])
    c = max(1 / 1.1, math.sqrt(0.5 / 0.1))
    D = flow(1.0, w * 2 * c * math.sqrt(0.1 / (w / 4)))
    y = 2 * label - 1
    state = state_of(model)
    # both coordinates share Q = 2c, so each takes half of the move; the value is the column's largest, with its sign
    np.testing.assert_allclose(state["bank/weights"][:, 0], [y * D / 2, -y * D / 2], rtol=1e-14)
    assert state["bank/squares"][0, 0] == pytest.approx(w / 4, rel=1e-15)
    np.testing.assert_array_equal(state["intake/coordinate_size"], [1, 1])
    p = model.predict_proba(sp.csr_matrix([[-40.0]]))[0, label]
    assert math.log(p / (1 - p)) == pytest.approx(D, rel=1e-12)


def test_a_constant_column_is_a_second_intercept_and_zeros_are_absent():
    X = np.column_stack([np.full(40, -7.0), np.zeros(40)])
    _, model = proba(X, np.arange(40) % 3 == 0)
    bias, constant, nothing = state_of(model)["bank/weights"][:, 0]
    assert constant == -bias != 0
    assert nothing == 0


# ---- the oracle, over a long stream


def test_agrees_with_the_oracle_over_five_thousand_rows():
    rng = np.random.default_rng(5)
    X = rng.standard_t(2.5, size=(5000, 6)) * [1, 10, 0.1, 1, 1, 1] + [0, 100, 0, 0, 0, 0]
    X[:, 3] = rng.integers(0, 2, 5000)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = (np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 3]) + rng.normal(size=5000) > 0.5).astype(int)
    w = rng.choice([0.0, 0.5, 1.0, 20.0], 5000)
    columns = Columns(6, scale="auto")
    lane = Adaptive(columns, 2, 0, 0)
    expected = []
    for x, label, weight in zip(X.tolist(), y.tolist(), w.tolist(), strict=True):
        columns.history = {j: [] for j in range(6)}  # only the other scales look at all the past
        row = columns.read(x)
        expected.append(lane.distribution(row, 2)[1] if lane.trained else 0.5)
        if weight > 0:
            lane.learn(columns.learn(x), label, weight)
    got, _ = proba(X, y, w)
    first = int(np.argmax(w > 0)) + 1
    np.testing.assert_allclose(got[first:, 1], expected[first:], rtol=1e-9, atol=1e-12)


def test_sparse_rows_agree_with_the_oracle():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(500, 9)) * (rng.random((500, 9)) < 0.3)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    columns = Columns(9, scale="auto")
    lane = Adaptive(columns, 2, 0, 0)
    columns.stage = RowStage(columns, sparse=True)
    expected = []
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        row = Row([(j, v) for j, v in enumerate(x) if v != 0], [], [])
        columns.stage.look(row)
        expected.append(lane.distribution(row, 2)[1] if lane.trained else 0.5)
        columns.stage.learn(row)
        lane.learn(row, label, 1.0)
    got, _ = proba(sp.csr_matrix(X), y)
    np.testing.assert_allclose(got[1:, 1], expected[1:], rtol=1e-9)
    assert INTERCEPT in row.t


# ---- L1: units and offsets


@pytest.mark.parametrize("sparse", [False, True])
@quick
@given(seed=seeds, data=st.data())
def test_powers_of_two_change_no_answer(sparse, seed, data):
    X, y, w = stream(seed, k=data.draw(st.integers(2, 3)))
    powers = 2.0 ** np.array(data.draw(st.lists(st.integers(-60, 60), min_size=5, max_size=5)))
    kind = sp.csr_matrix if sparse else np.asarray
    one, _ = proba(kind(X), y, w)
    two, _ = proba(kind(X * powers), y, w)
    assert one.tobytes() == two.tobytes()


def test_offsets_change_the_first_rows_only():
    X, y = HyperplaneStream(n_features=10, n_drifting=5, magnitude=0.01, seed=1).arrays(10_000)[:2]
    rng = np.random.default_rng(0)
    hits = [
        (single().test_then_train(X + offset, y, classes=[0, 1]) == y).mean()
        for offset in (np.zeros(10), rng.uniform(1, 100, 10))
    ]
    assert abs(hits[0] - hits[1]) <= 0.001
    assert hits[0] > 0.9


# ---- L2: labels


@quick
@given(seed=seeds)
def test_flipped_labels_flip_the_answers(seed):
    X, y, w = stream(seed)
    one, _ = proba(X, y, w, classes=[0, 1])
    two, _ = proba(X, 1 - y, w, classes=[0, 1])
    assert one.tobytes() == np.ascontiguousarray(two[:, ::-1]).tobytes()


# ---- L3: a weight is so many copies, nearly, and the more rows the nearer


@pytest.mark.parametrize(("rows", "within"), [(10, 0.10), (1000, 0.02)])
def test_a_weight_is_so_many_copies(rows, within):
    """Statistics count rows: the copies of the oracle share one look at the row."""
    for seed in range(5):
        X, y, _ = stream(seed, n=rows + 1)
        moves = []
        for k, weight in ((1, 2.0), (2, 1.0)):
            columns = Columns(5, scale="auto")
            lane = Adaptive(columns, 2, 0, 0)
            for x, label in zip(X[:-1].tolist(), y[:-1].tolist(), strict=True):
                columns.history = {j: [] for j in range(5)}
                lane.learn(columns.learn(x), label, 1.0)
            row = columns.learn(X[-1].tolist())
            before = lane.raw(lane.vectors[0], row.t)
            for _ in range(k):
                lane.learn(row, int(y[-1]), weight)
            moves.append(lane.raw(lane.vectors[0], row.t) - before)
        assert moves[0] / moves[1] == pytest.approx(1, abs=within)


# ---- L4: what weighs nothing does nothing


def test_an_amount_of_zero_leaves_the_lane_alone():
    X, y, _ = stream(1, n=60)
    model = OnlineBaggingClassifier(LogisticRegression(), n_estimators=40, random_state=3)
    model.partial_fit(X[:30], y[:30], classes=[0, 1])
    still = 0
    for t in range(30, 60):
        before = {name: state_of(model)[f"bank/{name}"].copy() for name in ("weights", "squares", "trained")}
        model.partial_fit(X[t : t + 1], y[t : t + 1])
        after = {name: state_of(model)[f"bank/{name}"] for name in before}
        moved = (before["squares"] != after["squares"]).any(axis=0)
        still += (~moved).sum()
        for name in before:
            assert before[name][:, ~moved].tobytes() == after[name][:, ~moved].tobytes()
    assert still > 200  # Poisson(1) is 0 in 37 of 100 draws


# ---- L5: lanes do not see one another


def test_lanes_are_independent():
    X, y, _ = stream(2)
    few, many = (
        OnlineBaggingClassifier(
            LogisticRegression(learning_rate_spread=1), n_estimators=n, random_state=3
        ).partial_fit(X, y, classes=[0, 1])
        for n in (7, 23)
    )
    a, b = state_of(few)["bank/weights"], state_of(many)["bank/weights"]
    assert a.tobytes() == np.ascontiguousarray(b[:, :7]).tobytes()


# ---- L6, L7, L10: columns that say nothing, and their order


@pytest.mark.parametrize("filler", [np.nan, 0.0])
@quick
@given(seed=seeds, k=st.integers(2, 3))
def test_columns_without_content_change_nothing(filler, seed, k):
    X, y, w = stream(seed, k=k)
    empty = np.full(len(X), filler)
    one, _ = proba(X, y, w)
    two, _ = proba(np.column_stack([empty, X[:, :2], empty, X[:, 2:]]), y, w)
    assert one.tobytes() == two.tobytes()


@quick
@given(seed=seeds)
def test_stored_zeros_are_no_values(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(100, 6)) * (rng.random((100, 6)) < 0.4)
    y = (X.sum(axis=1) > 0).astype(int)
    full = sp.csr_matrix((X.ravel(), np.tile(np.arange(6), 100), np.arange(0, 601, 6)), shape=X.shape)
    one, _ = proba(sp.csr_matrix(X), y)
    two, _ = proba(full, y)
    assert one.tobytes() == two.tobytes()


@quick
@given(seed=seeds)
def test_the_order_of_columns_is_rounding(seed):
    X, y, w = stream(seed)
    one, _ = proba(X, y, w)
    two, _ = proba(X[:, [3, 0, 4, 2, 1]], y, w)
    np.testing.assert_allclose(one, two, rtol=1e-8)


# ---- L9: nothing overflows


@pytest.mark.filterwarnings("ignore:X holds values")
@pytest.mark.parametrize("scale", ["auto", "none", "standard", "maxabs"])
def test_extreme_values_and_weights_stay_finite(scale, tmp_path):
    rng = np.random.default_rng(0)
    n = 1_000_000 if scale == "auto" else 50_000
    X = np.clip(rng.normal(size=(n, 3)) * 10.0 ** rng.integers(-150, 100, (n, 3)), -1e100, 1e100)
    X[:, 2] = rng.choice([0.0, 1e100, -1e100], n)
    w = rng.choice([0.0, 1e-12, 1.0, 1e6], n)
    y = (rng.random(n) < 0.3).astype(int)
    p, model = proba(X, y, w, scale=scale)
    assert np.isfinite(p[1:]).all()
    assert all(np.isfinite(array).all() for array in state_of(model).values())
    model.save(tmp_path / "m.sboost")


# ---- outliers, precision, classes, rates


def outlier_race(X, y, **options):
    rng = np.random.default_rng(1)
    spoiled = X.copy()
    spoiled[len(X) // 2, : X.shape[1] // 2] *= 1e4 * rng.choice([-1, 1], X.shape[1] // 2)
    return [(single(**options).test_then_train(z, y, classes=[0, 1]) == y).mean() for z in (X, spoiled)]


def test_one_outlier_costs_little():
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (6000, 20))
    y = (X @ rng.normal(size=20) + 0.5 * rng.normal(size=6000) > 0).astype(int)
    clean, spoiled = outlier_race(X, y)
    assert clean - spoiled <= 0.01
    bare, ruined = outlier_race(X, y, clip=None)
    assert bare - ruined > 0.05  # what clipping saves


def test_float32_is_nearly_as_good():
    X, y = HyperplaneStream(n_features=10, n_drifting=5, magnitude=0.01, seed=1).arrays(10_000)[:2]
    wide, narrow = (
        (single(dtype=dtype).test_then_train(X, y, classes=[0, 1]) == y).mean()
        for dtype in ("float64", "float32")
    )
    assert abs(wide - narrow) <= 0.002


def test_labels_may_be_discovered():
    """The third label splits one column into a pair; declared labels learn from the first row on."""
    X, y, _ = stream(4, n=3000, k=5)
    order = np.argsort(y > 1, kind="stable")  # two classes first
    late = single()
    first = late.test_then_train(X[order], y[order])
    assert set(late.classes_) == set(range(5))
    again = single()
    for t in range(1500):
        again.partial_fit(X[order][t : t + 1], y[order][t : t + 1])
    again.partial_fit(X[order][1500:], y[order][1500:])
    np.testing.assert_array_equal(again.predict_proba(X), late.predict_proba(X))
    shuffled = np.random.default_rng(0).permutation(3000)
    found, told = single(), single()
    a = (found.test_then_train(X[shuffled], y[shuffled]) == y[shuffled]).mean()
    b = (told.test_then_train(X[shuffled], y[shuffled], classes=np.arange(5)) == y[shuffled]).mean()
    assert abs(a - b) < 0.01
    assert len(first) == 3000


def test_the_pair_answers_as_the_column_did():
    X, y, _ = stream(4, n=500)
    two, three = single().partial_fit(X, y), single().partial_fit(X, y)
    for model, label in ((two, 0), (three, 2)):
        model.partial_fit(X[:1], [label], sample_weight=[1e-300])  # met, hardly learned
    before, after = two.predict_proba(X), three.predict_proba(X)
    np.testing.assert_allclose(after[:, 1] / after[:, 0], before[:, 1] / before[:, 0], rtol=1e-6)


def test_rates_differ_by_lane():
    X, y, _ = stream(7, n=20)
    model = OSBoostClassifier(
        LogisticRegression(learning_rate_spread=1), n_estimators=6, gamma=0.1
    ).partial_fit(X, y, classes=[0, 1])
    alone = OSBoostClassifier(LogisticRegression(), n_estimators=6, gamma=0.1).partial_fit(
        X, y, classes=[0, 1]
    )
    spread, same = state_of(model)["bank/weights"], state_of(alone)["bank/weights"]
    assert spread[:, 0].tobytes() == same[:, 0].tobytes()
    size = np.abs(spread).sum(axis=0)
    assert size[3] > size[1] > size[0] > size[2] > size[4]


def test_plain_takes_the_steps_of_before():
    """Its first steps by hand: rate sqrt(2 / n), rows over sqrt(d + 1), no scale."""
    X = np.array([[0.5, -0.25], [0.1, 0.9]])
    model = SingleLearnerClassifier(LogisticRegression(update="plain"))
    model.partial_fit(X, [1, 0], classes=[0, 1])
    v = np.zeros(3)
    for t, (x, label) in enumerate(zip(np.column_stack([np.ones(2), X]) / math.sqrt(3), [1, 0], strict=True)):
        v += math.sqrt(2 / (t + 1)) * (label - 1 / (1 + math.exp(-v @ x))) * x
    np.testing.assert_allclose(state_of(model)["bank/weights"][:, 0], v, rtol=1e-14)
    with pytest.warns(UserWarning, match="scale='none'"):
        SingleLearnerClassifier(LogisticRegression(update="plain")).fit(X * 1e3, [1, 0])
    with pytest.raises(ValueError, match="more than two classes"):
        SingleLearnerClassifier(LogisticRegression(update="plain")).partial_fit(np.eye(3), [0, 1, 2])


@pytest.mark.parametrize("scale", ["standard", "auto", "maxabs"])
@pytest.mark.parametrize("update", ["plain", "adaptive"])
def test_an_answer_does_not_depend_on_the_weight_to_come(scale, update):
    X, y, _ = stream(9, n=50)
    X /= 100
    model = single(scale=scale, update=update).partial_fit(X[:40], y[:40], classes=[0, 1])
    expected = model.predict_proba(X[40:41])
    for weight in (0.0, 0.5, 50.0):
        fresh = single(scale=scale, update=update).partial_fit(X[:40], y[:40], classes=[0, 1])
        got = fresh.test_then_train(X[40:41], y[40:41], sample_weight=[weight], output="proba")
        assert got.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("learning_rate", 0.0),
        ("learning_rate", -1),
        ("clip", 0),
        ("update", "nag"),
        ("learning_rate_spread", -0.5),
        ("scale", "unit"),
    ],
)
def test_parameters_are_judged(name, value):
    with pytest.raises(ValueError, match=name):
        single(**{name: value}).fit([[0.0], [1.0]], [0, 1])
