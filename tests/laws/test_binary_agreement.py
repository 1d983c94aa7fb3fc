"""The two-class boosters beside their oracles, row by row: what each learner is offered, the combiner's state, the guarantees.

test_oracle_agreement.py compares answers and weights of every ensemble x learner; here the state that couples the learners is
compared after every row (alpha, the experts' losses and shares, the candidates' errors), and both sides of every guarantee in
`report()` with those computed from the whole history. A step that hangs on a rounding ends the stream.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle import bounds
from oracle.bbm import closed_relative_weight
from oracle.simplex import project

from laws.catalogue import ENSEMBLES, LEARNERS, pairs
from laws.strategies import Stream, seeds, streams
from streamboost import NaiveBayes, OnlineBBMClassifier, _core
from tests.inside.handles import key_of

REL, ABS = 1e-9, 1e-11

FOUR = [a for a in LEARNERS if a.name in ("perceptron", "ogd", "logistic", "bayes-mixed")]
BOOSTERS = [e for e in ENSEMBLES if e.name.startswith(("osboost", "ogboost", "online-bbm", "adaboost-ol"))]
quick = settings(max_examples=6)


def both(ensemble, learner, stream, n_estimators, seed):
    model = ensemble.make_product(learner, n_estimators, seed, stream.categorical, calibration=None)
    return model, lambda: ensemble.make_oracle(
        learner,
        n_estimators,
        key_of(model),
        width=stream.X.shape[1],
        nominal=stream.categorical,
        n_classes=None if stream.classes is None else len(stream.classes),
    )


def steps(ensemble, learner, stream, n_estimators, seed):
    """After every row of positive weight: (row, report, oracle), up to the first doubt."""
    model, make_oracle = both(ensemble, learner, stream, n_estimators, seed)
    oracle = None
    for t, code in enumerate(stream.codes()[0]):
        model.partial_fit(**stream.rows(slice(t, t + 1)), classes=stream.classes)
        oracle = oracle or make_oracle()
        oracle.learn(stream.X[t].tolist(), code, float(stream.weight[t]))
        if oracle.doubt:
            oracle.trace.pop()  # of the doubtful row
            return
        if oracle.examples and stream.weight[t] > 0:
            yield t, model.report(), oracle


def assert_close(got, expected, what):
    np.testing.assert_allclose(got, expected, rtol=REL, atol=ABS, err_msg=what)


@pytest.mark.parametrize(("ensemble", "learner"), pairs(BOOSTERS, FOUR))
@quick
@given(data=st.data(), seed=seeds)
def test_state_agrees_step_by_step(ensemble, learner, data, seed):
    stream = data.draw(streams(kinds=learner.kinds, min_rows=4))
    n_estimators = data.draw(st.integers(1, 6))
    before = 0.0
    for t, report, oracle in steps(ensemble, learner, stream, n_estimators, seed):
        lanes, totals, where = report.lanes, report.totals, f"row {t}"
        offered = lanes["weight_sum"] - before
        np.testing.assert_allclose(
            offered, oracle.trace[-1]["offered"], rtol=1e-7, atol=1e-9 * lanes["weight_sum"].max()
        )
        before = lanes["weight_sum"]
        assert_close(before, oracle.weight_sum, where)
        assert_close(lanes["edge"], oracle.edge, where)
        if "alpha" in lanes:
            assert_close(lanes["alpha"], oracle.alpha, where)
        if "expert_loss" in lanes:
            assert_close(lanes["expert_loss"], oracle.losses, where)
            assert_close(totals["expected_loss"], oracle.expected_loss, where)
            shares = np.exp(lanes["hedge_log_weight"])
            assert_close(shares / shares.sum(), oracle.shares(), where)
        if "error" in lanes:
            assert_close(lanes["error"], oracle.error, where)


# ---- both sides of the guarantees, every example counting once


def history(oracle, name):
    return np.array([step[name] for step in oracle.trace], dtype=float)


def smooth_sides(ensemble, oracle):
    gamma = oracle.gamma
    m, w = history(oracle, "h") * history(oracle, "y")[:, None], history(oracle, "w")
    theta = gamma / (2 + gamma)
    assume(not np.isclose(np.cumsum(m, axis=1) / np.arange(1, m.shape[1] + 1), theta, rtol=0, atol=ABS).any())
    low, after = bounds.low_margins(m, w, gamma)
    spent, limit = bounds.advantage_budget(m, w, gamma)
    return {
        "low margins of a prefix": (
            "gap",
            (low - after).max(),
        ),  # equal gaps: any of those prefixes may be named
        "low margins of the uniform vote": (low[-1], after[-1]),
        "advantage budget": (spent.max(), limit[-1]),
    }


def ocp_sides(ensemble, oracle):
    m = history(oracle, "h") * history(oracle, "y")[:, None]
    alphas, etas, theta = history(oracle, "alpha"), history(oracle, "eta"), oracle.theta
    n = m.shape[1]
    rivals = [*np.eye(n), *((np.arange(n) < i) / i for i in range(1, n + 1))]
    reach = 1 if oracle.domain == "simplex" else 2
    regret, limit = max(bounds.regret_of_the_vote(m, alphas, etas, theta, u, reach) for u in rivals)
    errors, limit_of_errors = bounds.errors_by_hinge_loss(m, alphas, theta)
    clear = (abs(history(oracle, "margin")[1:]) > ABS).all()  # a vote that cancels may be an error or not
    if (oracle.step, reach) == ("1/sqrt(Nt)", 1):
        assert limit <= bounds.regret_of_the_vote_at_most(m) + ABS
    return {
        **smooth_sides(ensemble, oracle),
        "regret of the vote": (regret, limit),
        "errors by hinge loss": (errors if clear else None, limit_of_errors),
    }


def exp_sides(ensemble, oracle):
    wrong, p = history(oracle, "wrong"), history(oracle, "p")
    left, _ = bounds.regret_of_the_experts(wrong, p)
    sides = {
        **smooth_sides(ensemble, oracle),
        "regret of the experts": (left, None),
        "expected error rate": ((wrong * p).sum() / len(wrong), None),
        "majority of the experts": (None, 2 * (wrong * p).sum()),
    }
    if oracle.rate != "anytime":
        sides["mistakes at a constant rate"] = bounds.mistakes_at_a_constant_rate(wrong, p, oracle.rate)
    return sides


def bbm_sides(ensemble, oracle):
    z, w = history(oracle, "h") * history(oracle, "y")[:, None], history(oracle, "w")
    left, right = bounds.errors_accounted_for(z, w, oracle.assumed_edge)
    assert left == pytest.approx(right, abs=1e-6)
    return {"errors accounted for": (left, right)}


def ol_sides(ensemble, oracle):
    z, s, w, wrong, p = (history(oracle, name) for name in ("z", "s", "w", "wrong", "p"))
    left, right = bounds.regret_of_each_alpha(z, s)  # in no report: it needs the whole history
    assert (left <= right + ABS).all()
    return {
        "sum of squared edges": (bounds.sum_of_squared_edges(z, w)[0], None),
        "mistakes of the best prefix": (wrong.sum(axis=0)[:-1].min(initial=len(wrong)), None),
        "expected mistakes": bounds.expected_mistakes(wrong, p),
    }


SIDES = {
    "OSBoost": smooth_sides,
    "OCP": ocp_sides,
    "EXP": exp_sides,
    "BBM": bbm_sides,
    "AdaBoostOL": ol_sides,
}
WATCHED = [e for e in BOOSTERS if e.oracle.__name__ in SIDES]


@pytest.mark.parametrize(("ensemble", "learner"), pairs(WATCHED, FOUR))
@quick
@given(data=st.data(), seed=seeds)
def test_the_monitor_reports_both_sides(ensemble, learner, data, seed):
    stream = data.draw(streams(kinds=learner.kinds, min_rows=4, weights=False))
    n_estimators = data.draw(st.integers(1, 6))
    *_, last = [None, *steps(ensemble, learner, stream, n_estimators, seed)]
    if last is None:
        return
    _, report, oracle = last
    sides = SIDES[ensemble.oracle.__name__](ensemble, oracle)
    reported = {bound.name: bound for bound in report.bounds}
    assert not report.broken()
    for name, (left, right) in sides.items():
        bound = reported[name]
        if left == "gap":
            assert bound.lhs - bound.rhs == pytest.approx(right, rel=REL, abs=1e-8), name
            continue
        if left is not None:
            assert bound.lhs == pytest.approx(left, rel=REL, abs=1e-8), name
        if right is not None and right != math.inf:
            assert bound.rhs == pytest.approx(right, rel=REL, abs=1e-8), name


# ---- the projection by itself: ties, tiny and huge values

coordinates = st.one_of(
    st.sampled_from([0.0, 0.25, 1.0, -1.0, 3.0]),
    st.floats(-3, 3),
    st.builds(lambda e, sign: sign * 10.0**e, st.floats(-300, 300), st.sampled_from([-1.0, 1.0])),
)


@pytest.mark.parametrize("projection", ["sort", "pivot"])
@settings(max_examples=80)
@given(v=st.lists(coordinates, min_size=1, max_size=60), seed=seeds)
def test_projection_agrees_with_the_exact_one(projection, v, seed):
    got = _core.project_simplex(np.array(v), projection, seed, 0)
    assert (got >= 0).all()
    assert abs(got.sum() - 1) <= 1e-12
    np.testing.assert_allclose(got, [float(a) for a in project(v)], atol=1e-12)
    again = _core.project_simplex(got, projection, seed, 1)
    np.testing.assert_allclose(again, got, atol=1e-12)


@pytest.mark.parametrize("projection", ["sort", "pivot"])
@pytest.mark.parametrize("value", [0.0, 1.0, -5.0, 1e300, -1e300, 1e-300])
@pytest.mark.parametrize("n", [1, 2, 17, 200])
def test_projection_of_equal_values(projection, value, n):
    np.testing.assert_allclose(_core.project_simplex(np.full(n, value), projection, 0, 0), 1 / n, rtol=1e-12)


# ---- deeper ensembles on a longer stream than the random ones


def deep_stream(rows):
    rng = np.random.default_rng(12)
    X = rng.uniform(-1, 1, (rows, 4))
    y = (X[:, 0] - 0.7 * X[:, 1] + 0.3 * rng.normal(size=rows) > 0).astype(int)
    return Stream(X, y, rng.choice([0.5, 1.0, 2.0], rows), [], [0, 1], [0, 1])


@pytest.mark.parametrize("ensemble", BOOSTERS, ids=lambda e: e.name)
def test_deep_ensembles_agree(ensemble):
    """Thirty-one perceptrons, fifty rows: nothing doubtful, so the whole stream counts."""
    (learner,) = (a for a in FOUR if a.name == "perceptron")
    stream = deep_stream(50)
    *_, (_, report, oracle) = steps(ensemble, learner, stream, 31, seed=8)
    assert oracle.examples == 50
    assert_close(report.lanes["weight_sum"], oracle.weight_sum, "weights")
    for name, expected in (("alpha", "alpha"), ("expert_loss", "losses"), ("error", "error")):
        if name in report.lanes:
            assert_close(report.lanes[name], getattr(oracle, expected), name)


def test_rate_for_a_known_horizon():
    (exp,) = (e for e in BOOSTERS if e.name == "osboost-exp")
    (learner,) = (a for a in FOUR if a.name == "perceptron")
    stream, n = deep_stream(50), 6
    known = replace(
        exp,
        options={"vote": "exp", "hedge_rate": "horizon", "horizon": 50},
        oracle_options={"hedge_rate": math.sqrt(8 * math.log(n) / 50)},
    )
    for t, report, oracle in steps(known, learner, stream, n, seed=8):
        shares = np.exp(report.lanes["hedge_log_weight"])
        assert_close(shares / shares.sum(), oracle.shares(), f"row {t}")
        assert_close(report.totals["expected_loss"], oracle.expected_loss, f"row {t}")
    assert oracle.examples == 50


@pytest.mark.parametrize("n", [70, 10_000])
@pytest.mark.parametrize("label", [0, 1])
def test_majority_weights_beyond_64_bits(n, label):
    """The first row finds everybody untaught, for class 0: s = +-(i - 1), all right or all wrong."""
    model = OnlineBBMClassifier(NaiveBayes(), n_estimators=n, edge=0.1).partial_fit(
        [[0.0]], [label], classes=[0, 1]
    )
    expected = [closed_relative_weight(n, i, (i - 1) * (-1 if label else 1), 0.1) for i in range(1, n + 1)]
    np.testing.assert_allclose(model.report().lanes["weight_sum"], expected, rtol=1e-8, atol=1e-290)
