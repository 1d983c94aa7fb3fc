"""Property tests of the algorithms: what the papers prove, checked on the oracle's formulas and on the product."""

import math
from itertools import pairwise

import numpy as np
import pytest
from golden.scripted import ScriptedLearner, ScriptedProba
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracle.osboost import chain
from oracle.oza import Oza

from laws.catalogue import ENSEMBLES, LEARNERS, pairs
from laws.strategies import seeds, streams
from streamboost import (
    OGD,
    LogisticRegression,
    NaiveBayes,
    OnlineBaggingClassifier,
    OnlineBoostingClassifier,
    OSBoostClassifier,
    Perceptron,
    SingleLearnerClassifier,
)

gammas = st.floats(0.001, 0.499)
matrices = hnp.arrays(float, st.tuples(st.integers(1, 8), st.integers(1, 12)), elements=st.floats(-1, 1))
quick = settings(max_examples=10)

# ---- OSBoost: weights as a function of margins


@given(m=matrices, gamma=gammas)
def test_ranges_of_the_smooth_weights(m, gamma):
    """On any margins whatever; the bounds are in test_binary_properties.py."""
    theta = gamma / (2 + gamma)
    n = m.shape[1]
    zw = [chain(row, gamma) for row in m]
    z, w = np.array([a for a, _ in zw]), np.array([b for _, b in zw])
    steps = np.arange(1, n + 1)
    assert ((w > 0) & (w <= 1)).all()
    assert (w[:, 1:] >= (1 - gamma) ** (steps * (1 - theta) / 2) * (1 - 1e-12)).all()
    assert (z <= steps * (1 - theta) + 1e-12).all()
    assert (z >= -steps * (1 + theta) - 1e-12).all()
    assert ((w[:, 1:] == 1) | (z > 0)).all()


def test_flat_and_perfect_margins():
    assert chain([0.0] * 6, 0.3)[1] == [1.0] * 7
    w = chain([1.0] * 6, 0.3)[1]
    assert all(a > b for a, b in pairwise(w))
    assert chain([1.0] * 6, 1e-12)[1] == pytest.approx([1.0] * 7)


@quick
@given(
    m=hnp.arrays(float, st.tuples(st.integers(2, 6), st.just(4)), elements=st.floats(-1, 1)),
    gamma=gammas,
    y=st.lists(st.integers(0, 1), min_size=6, max_size=6),
)
def test_product_hands_out_the_smooth_weights(m, gamma, y):
    signs = np.where(np.array(y[: len(m)]) == 1, 1, -1)
    script = (m * signs[:, None]).T.tolist()
    ScriptedLearner.roll.clear()
    model = OSBoostClassifier(ScriptedProba(script), n_estimators=4, gamma=gamma, random_state=0)
    for t in range(len(m)):
        model.partial_fit([[float(t)]], [y[t]], classes=[0, 1])
        expected = chain(m[t] if t else [0.0] * 4, gamma)[1][:4]  # on row 0 nobody is trained yet
        got = [sum(w for at, w in learner.received_ if at == t) for learner in ScriptedLearner.roll]
        np.testing.assert_allclose(got, expected, rtol=1e-9)
    ScriptedLearner.roll.clear()


# ---- Oza: the chain of weights


def lane_sums(model):
    report = model.report()
    return tuple(np.array(report.lanes[name]) for name in ("weight_sum", "sum_correct", "sum_wrong"))


@pytest.mark.parametrize("draw", ["poisson", "weight"])
@pytest.mark.parametrize("learner", [Perceptron, NaiveBayes], ids=lambda k: k.__name__)
@quick
@given(stream=streams(min_rows=3, declared=True, weights=False), seed=seeds)
def test_oza_chain(learner, draw, stream, seed):
    n = 6
    model, twin = (
        OnlineBoostingClassifier(learner(), n_estimators=n, random_state=seed, draw=draw) for _ in range(2)
    )
    old = (np.zeros(n),) * 3
    for t in range(len(stream)):
        model.partial_fit(**stream.rows(slice(t, t + 1)), classes=stream.classes)
        new = lane_sums(model)
        offered, right, wrong = (a - b for a, b in zip(new, old, strict=True))
        sc, sw = new[1], new[2]
        assert offered[0] == pytest.approx(1)
        assert ((right >= 0) & (wrong >= 0)).all()
        assert (np.minimum(right, wrong) <= 1e-12 * offered).all()  # one side only
        np.testing.assert_allclose(right + wrong, offered, rtol=1e-9, atol=1e-12)
        assert sc[0] + sw[0] == pytest.approx(t + 1)
        own = np.where(right > wrong, sc, sw)
        passed_on = offered * (sc + sw) / (2 * own)
        np.testing.assert_allclose(offered[1:], passed_on[:-1], rtol=1e-6)
        assert (passed_on >= offered / 2 * (1 - 1e-9)).all()
        assert (passed_on <= (sc + sw) / 2 * (1 + 1e-9)).all()
        old = new
    twin.partial_fit(**stream.everything, classes=stream.classes)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(lane_sums(model), lane_sums(twin), strict=True))


@given(rights=hnp.arrays(bool, st.tuples(st.integers(1, 15), st.integers(1, 6))))
def test_oza_chain_of_the_oracle(rights):
    from golden.scripted import ScriptedLane

    script = np.where(rights.T, 1, -1).tolist()
    ensemble = Oza(lambda c, k, s, lane: ScriptedLane(script, lane), rights.shape[1], 0, width=1, n_classes=2,
                   draw="weight")  # fmt: skip
    for t in range(len(rights)):
        ensemble.learn([t], 1)
        step = ensemble.trace[-1]
        for i in range(rights.shape[1]):
            total = step["sc"][i] + step["sw"][i]
            assert step["offered"][i] / 2 <= step["passed_on"][i] * (1 + 1e-12)
            assert step["passed_on"][i] <= total / 2 * (1 + 1e-12)
        assert step["sc"][0] + step["sw"][0] == pytest.approx(t + 1)


# ---- weak learners, behind SingleLearnerClassifier


@quick
@given(stream=streams(kinds=("numeric", "nominal", "mixed"), min_rows=4, declared=True), seed=seeds)
def test_naive_bayes_forgets_the_order(stream, seed):
    order = np.random.default_rng(seed).permutation(len(stream))
    one, two = (
        SingleLearnerClassifier(NaiveBayes(), categorical_features=stream.categorical, calibration=None)
        for _ in range(2)
    )
    one.partial_fit(**stream.everything, classes=stream.classes)
    two.partial_fit(**stream.rows(order), classes=stream.classes)
    np.testing.assert_allclose(
        one.predict_proba(stream.X), two.predict_proba(stream.X), rtol=1e-7, atol=1e-12
    )


@quick
@given(stream=streams(kinds=("numeric", "nominal", "mixed"), declared=True, weights=False), seed=seeds)
def test_naive_bayes_weight_is_copies(stream, seed):
    copies = np.random.default_rng(seed).integers(0, 4, len(stream))
    weighted, copied = (
        SingleLearnerClassifier(NaiveBayes(), categorical_features=stream.categorical, calibration=None)
        for _ in "ab"
    )
    weighted.partial_fit(stream.X, stream.y, classes=stream.classes, sample_weight=copies.astype(float))
    if not copies.any():
        return
    repeat = np.repeat(np.arange(len(stream)), copies)
    copied.partial_fit(stream.X[repeat], stream.y[repeat], classes=stream.classes)
    np.testing.assert_allclose(
        weighted.predict_proba(stream.X), copied.predict_proba(stream.X), rtol=1e-7, atol=1e-12
    )


@quick
@given(
    stream=streams(kinds=("nominal",), min_rows=4, declared=True, weights=False),
    factor=st.sampled_from([2, 3, 1e6]),
)
def test_raw_naive_bayes_is_proportional(stream, factor):
    one, many = (
        SingleLearnerClassifier(
            NaiveBayes(prior_alpha=0), categorical_features=stream.categorical, calibration=None
        )
        for _ in "ab"
    )
    one.partial_fit(stream.X, stream.y, classes=stream.classes)
    many.partial_fit(stream.X, stream.y, classes=stream.classes, sample_weight=np.full(len(stream), factor))
    np.testing.assert_allclose(
        one.predict_proba(stream.X), many.predict_proba(stream.X), rtol=1e-9, atol=1e-12
    )


@quick
@given(stream=streams(min_rows=3, declared=True), seed=seeds)
def test_perceptron_moves_on_mistakes_only(stream, seed):
    model = SingleLearnerClassifier(Perceptron(), random_state=seed)
    high = max(stream.classes)
    model.partial_fit(stream.X[:1], stream.y[:1], classes=stream.classes)
    for t in range(1, len(stream)):
        row = stream.rows(slice(t, t + 1))
        score = model.decision_function(row["X"])[0]
        before = model.decision_function(stream.X)
        model.partial_fit(**row)
        after = model.decision_function(stream.X)
        if score * (1 if stream.y[t] == high else -1) > 0 or stream.weight[t] == 0:
            assert after.tobytes() == before.tobytes()


@pytest.mark.parametrize(
    "learner", [Perceptron, OGD, LogisticRegression, NaiveBayes], ids=lambda k: k.__name__
)
@quick
@given(stream=streams(min_rows=3, declared=True), seed=seeds)
def test_margins_stay_in_range(learner, stream, seed):
    model = SingleLearnerClassifier(learner(), random_state=seed)
    model.partial_fit(**stream.everything, classes=stream.classes)
    wide = np.vstack([stream.X, 5 * stream.X])
    score = model.decision_function(wide)
    proba = model.predict_proba(wide)
    assert ((score >= -1) & (score <= 1)).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-12)


@given(
    m=hnp.arrays(float, st.tuples(st.integers(3, 40), st.just(3)), elements=st.floats(-1, 1)),
    seed=seeds,
)
def test_ogd_regret(m, seed):
    """Against the best unit vector in hindsight: at most 2 sqrt 2 sqrt(sum of squared weights), for any weights."""
    rng = np.random.default_rng(seed)
    y, w = rng.integers(0, 2, len(m)), rng.uniform(0, 1, len(m))
    model = SingleLearnerClassifier(OGD(fit_intercept=False))
    margins = []
    for t in range(len(m)):
        margins.append(model.decision_function(m[t : t + 1])[0] if t else 0.0)
        model.partial_fit(m[t : t + 1], y[t : t + 1], classes=[0, 1], sample_weight=w[t : t + 1])
    sign = np.where(y == 1, 1, -1)
    best = np.linalg.norm((w * sign) @ (m / 2))  # rows are divided by R = sqrt(3 + 1)
    assert best - np.sum(w * sign * margins) <= 2 * math.sqrt(2) * math.sqrt(np.sum(w * w)) + 1e-9


@quick
@given(
    stream=streams(min_rows=4, declared=True, missing=False), scale=st.sampled_from([0.25, 0.5]), seed=seeds
)
def test_perceptron_signs_ignore_a_common_scale(stream, scale, seed):
    start = np.random.default_rng(seed).normal(size=stream.X.shape[1])
    one = SingleLearnerClassifier(Perceptron(fit_intercept=False, start=start))
    two = SingleLearnerClassifier(Perceptron(fit_intercept=False, start=start * scale))
    a = one.test_then_train(**stream.everything, classes=stream.classes)
    # Powers of two: no rounding differs.
    b = two.test_then_train(stream.X * scale, stream.y, sample_weight=stream.weight, classes=stream.classes)
    assert a.tolist() == b.tolist()


# ---- degeneracy guards


def test_random_starts_break_the_collapse():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=60) > 0).astype(int)
    boosted = OSBoostClassifier(Perceptron(), n_estimators=8, random_state=1).fit(X, y)
    single = SingleLearnerClassifier(Perceptron(), random_state=1).fit(X, y)
    assert np.abs(boosted.decision_function(X) - single.decision_function(X)).max() > 1e-3
    edges = np.asarray(boosted.report().lanes["edge"])
    assert len(set(edges.tolist())) == 8


# ---- edges of the input


EVERY = pairs(
    [e for e in ENSEMBLES if not e.declared],  # these discover their classes
    [a for a in LEARNERS if a.name in ("perceptron", "ogd", "logistic", "bayes-numeric")],
)


@pytest.mark.parametrize(("ensemble", "learner"), EVERY)
def test_edges_of_the_input(ensemble, learner):
    X, y = np.array([[0.5, -1.0], [1.0, 2.0], [-0.3, 0.1]]), np.array([3, 8, 3])

    def new(n=3):
        return ensemble.make_product(learner, n, 0)

    model = new().partial_fit(X, y, classes=[8, 3])
    assert model.classes_.tolist() == [3, 8]
    before = model.predict_proba(X).tobytes()
    with pytest.raises(ValueError, match="5"):
        model.partial_fit(X, [3, 8, 5])
    with pytest.raises(ValueError, match="infinity"):
        model.partial_fit([[np.inf, 0.0]], [3])
    with pytest.raises(ValueError, match="3 features"):
        model.partial_fit([[1.0, 0.0, 0.0]], [3])
    with pytest.raises(ValueError, match="3 features"):
        model.predict([[1.0, 0.0, 0.0]])
    with pytest.raises(ValueError):
        model.partial_fit(X, y, sample_weight=[1.0, -1.0, 1.0])
    assert model.predict_proba(X).tobytes() == before  # a refused call teaches nothing
    model.partial_fit([[np.nan, 1.0], [np.nan, np.nan]], [3, 8])  # missing, not refused
    assert np.isfinite(model.predict_proba([[np.nan, np.nan]])).all()

    one = new(1).partial_fit(X[:1], y[:1])  # one learner, one row, one class
    assert one.predict(X).tolist() == [3, 3, 3]
    assert one.predict_proba(X).tolist() == [[1.0]] * 3

    for declared in (None, [3, 8]):
        same = new()
        answers = same.test_then_train(np.tile(X, (20, 1)), [8] * 60, classes=declared, output="proba")
        assert np.isfinite(answers[3:]).all()
        assert np.isfinite(same.predict_proba(X)).all()
        if not ensemble.name.startswith("agnostic"):  # whose learners are taught drawn labels
            assert same.predict(X[:1]).tolist() == [8]


@pytest.mark.parametrize("gamma", [1e-6, 0.4999])
def test_gamma_at_the_ends(gamma):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    model = OSBoostClassifier(NaiveBayes(), n_estimators=50, gamma=gamma).fit(X, X[:, 0] > 0)
    assert np.isfinite(model.predict_proba(X)).all()
    weights = np.asarray(model.report().lanes["weight_sum"])
    assert ((weights > 0) & (weights <= 200)).all()


@pytest.mark.parametrize("gamma", [0.0, 0.5, -1.0, math.nan])
def test_gamma_outside_its_range(gamma):
    with pytest.raises(ValueError, match="gamma"):
        OSBoostClassifier(gamma=gamma).fit([[0.0], [1.0]], [0, 1])


def test_third_class_is_refused_by_name():
    model = OSBoostClassifier(NaiveBayes(), n_estimators=2).partial_fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(ValueError, match=r"^Only binary classification is supported\."):
        model.partial_fit([[0.0]], ["c"])
    bagging = OnlineBaggingClassifier(NaiveBayes(), n_estimators=2).partial_fit(
        [[0.0], [1.0], [2.0]], list("abc")
    )
    assert bagging.classes_.tolist() == ["a", "b", "c"]
