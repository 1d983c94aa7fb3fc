"""The two-class boosters beside their oracles, row by row: what each learner is offered, the combiner's state, the guarantees.

test_oracle_agreement.py compares answers and weights of every ensemble x learner; here the state that couples the learners is
compared after every row (alpha, the experts' losses and shares, the candidates' errors), and both sides of every guarantee in
`report()` with those computed from the whole history. A step that hangs on a rounding ends the stream.
"""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle import bounds

from laws.catalogue import ENSEMBLES, LEARNERS, key_of, pairs
from laws.strategies import seeds, streams

REL, ABS = 1e-9, 1e-11

FOUR = [a for a in LEARNERS if a.name in ("perceptron", "ogd", "logistic", "bayes-mixed")]
BOOSTERS = [e for e in ENSEMBLES if e.name.startswith(("osboost", "ogboost", "online-bbm", "adaboost-ol"))]
quick = settings(max_examples=6)


def both(ensemble, learner, stream, n_estimators, seed):
    model = ensemble.make_product(learner, n_estimators, seed, stream.categorical)
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
    low, after = bounds.g1(m, w, gamma)
    spent, limit = bounds.g2_summed(m, w, gamma)
    return {
        "G1 low margins of a prefix": (
            "gap",
            (low - after).max(),
        ),  # equal gaps: any of those prefixes may be named
        "G1 low margins of the uniform vote": (low[-1], after[-1]),
        "G2 advantage budget": (spent.max(), limit[-1]),
    }


def ocp_sides(ensemble, oracle):
    m = history(oracle, "h") * history(oracle, "y")[:, None]
    alphas, etas, theta = history(oracle, "alpha"), history(oracle, "eta"), oracle.theta
    n = m.shape[1]
    rivals = [*np.eye(n), *((np.arange(n) < i) / i for i in range(1, n + 1))]
    regret, limit = max(bounds.g5(m, alphas, etas, theta, u) for u in rivals)
    errors, limit_of_errors = bounds.g6(m, alphas, theta)
    clear = (abs(history(oracle, "margin")[1:]) > ABS).all()  # a vote that cancels may be an error or not
    if oracle.step == "1/sqrt(Nt)":
        assert limit <= bounds.g5_plain(m) + ABS
    return {
        **smooth_sides(ensemble, oracle),
        "G5 regret of the vote": (regret, limit),
        "G6 errors by hinge loss": (errors if clear else None, limit_of_errors),
    }


def exp_sides(ensemble, oracle):
    wrong, p = history(oracle, "wrong"), history(oracle, "p")
    left, _ = bounds.g8_anytime(wrong, p)
    sides = {
        **smooth_sides(ensemble, oracle),
        "G8 regret of the experts": (left, None),
        "G9 expected error rate": ((wrong * p).sum() / len(wrong), None),
        "majority of the experts": (None, 2 * (wrong * p).sum()),
    }
    if oracle.rate != "anytime":
        sides["G8 at a constant rate"] = bounds.g8_constant(wrong, p, oracle.rate)
    return sides


def bbm_sides(ensemble, oracle):
    z, w = history(oracle, "h") * history(oracle, "y")[:, None], history(oracle, "w")
    left, right = bounds.g10(z, w, oracle.assumed_edge)
    assert left == pytest.approx(right, abs=1e-6)
    return {"G10 errors accounted for": (left, right)}


def ol_sides(ensemble, oracle):
    z, s, w, wrong, p = (history(oracle, name) for name in ("z", "s", "w", "wrong", "p"))
    left, right = bounds.g12(z, s)  # in no report: it needs the whole history
    assert (left <= right + ABS).all()
    return {
        "G13 sum of squared edges": (bounds.g13(z, w)[0], None),
        "G14 mistakes of the best prefix": (wrong.sum(axis=0)[:-1].min(initial=len(wrong)), None),
        "G15 expected mistakes": bounds.g15(wrong, p),
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
