"""What is proved of the two-class boosters, on arbitrary margins, votes and losses: guarantees, invariants, known traps.

These tests ask the oracles alone. A guarantee that needs no assumption has to hold on every matrix, so the matrices are
random, or made by an adversary that turns against whoever has the most weight.
"""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from golden.scripted import ScriptedLane
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracle import adaboost_ol, bbm, bounds, exp, linear, naive_bayes, ocp, ogboost, osboost, simplex
from oracle.single import Single

from laws.strategies import seeds, streams

quick = settings(max_examples=12)
gammas = st.floats(0.001, 0.499)
TINY = 1e-9


def matrices(low=-1.0, high=1.0, rows=(1, 12), columns=(1, 8)):
    return hnp.arrays(
        float, st.tuples(st.integers(*rows), st.integers(*columns)), elements=st.floats(low, high)
    )


def smooth(m, gamma):
    return np.array([osboost.chain(row, gamma)[1] for row in m])


def below(sides, tolerance=TINY):
    left, right = sides[-2:]
    return np.all(np.asarray(left) <= np.asarray(right) * (1 + tolerance) + tolerance)


# ---- OSBoost (P1)


@given(m=matrices(), gamma=gammas)
def test_smooth_weights_keep_their_promises(m, gamma):
    w = smooth(m, gamma)
    assert below(bounds.low_margins(m, w, gamma, slack=TINY))
    assert below(bounds.advantage_per_example(m, w, gamma))
    assert below(bounds.advantage_budget(m, w, gamma))
    for delta in (0.05, 0.5, 1.0):
        premise, left, right = bounds.number_of_learners(m, w, gamma, delta)
        assert not premise or left < right


@pytest.mark.parametrize("gamma", [0.02, 0.1, 0.4])
@pytest.mark.parametrize("kind", ["barely", "greedy", "swing"])
def test_smooth_weights_against_an_adversary(gamma, kind):
    """Margins that keep z just above 0, where the weights are largest; that spend the budget; that swing."""
    theta, n = gamma / (2 + gamma), 400
    i = np.arange(n)
    m = {
        "barely": np.full(n, theta + 1e-3),
        "greedy": np.where(i < n // 2, 2 * gamma, 1.0),
        "swing": np.where(i % 3 == 0, 1.0, -0.3),
    }[kind][None, :]
    w = smooth(m, gamma)
    assert below(bounds.low_margins(m, w, gamma, slack=TINY))
    assert below(bounds.advantage_per_example(m, w, gamma))


def test_the_papers_setting_is_outside_its_guarantee():
    """N = 100 at gamma = 0.1 would need delta > 2; delta = 0.1 needs 2109 learners."""
    limit = bounds.number_of_learners(np.ones((1, 1)), np.ones((1, 2)), 0.1, 1.0)[2]
    assert limit / 100 == pytest.approx(2.108, abs=1e-3)
    assert math.ceil(limit / 0.1) == 2109


def test_lemma_two_as_printed_fails():
    """Margins +1, -1 on every row: with delta = 0.96 the printed lemma speaks of prefix k = 2, which is always wrong."""
    gamma, delta, rows = 0.1, 0.96, 50
    m = np.tile([1.0, -1.0], (rows, 1))
    w = smooth(m, gamma)
    shares = w.sum(axis=0) / rows
    assert shares[1] == pytest.approx(0.9511, abs=1e-4)
    k = 1 + int(np.argmin(shares >= delta))
    assert k == 2
    left, right = bounds.low_margins(m, w, gamma)
    assert left[k - 1] > delta * rows  # printed: prefix k errs on fewer than delta T rows
    assert left[k - 2] <= delta * rows  # true: prefix k - 1 does
    assert (left <= right).all()  # and so does the form without an assumption


def test_tiny_positive_z_rounds_to_weight_one():
    """w = 1 while z > 0: why the strict claim "w = 1 iff z <= 0" is tested with a tolerance."""
    zs, ws = osboost.chain([0.1 / 2.1 + 1e-17], 0.1)
    assert ws[1] == 1.0
    assert zs[0] < 1e-16


def test_deep_weights_underflow_to_zero_not_nan():
    ws = osboost.chain([1.0] * 40000, 0.499)[1]
    assert ws[-1] == 0.0
    assert all(math.isfinite(w) for w in ws)


# ---- projection onto the simplex (P2)

sizes = st.floats(-300, 300).map(lambda e: 10.0**e)
coordinates = st.one_of(
    st.sampled_from([0.0, 0.25, 1.0, -1.0, 3.0]),  # ties
    st.floats(-3, 3),
    st.builds(lambda a, s: a * s, sizes, st.sampled_from([-1.0, 1.0])),
)
vectors = st.lists(coordinates, min_size=1, max_size=40)


@given(v=vectors, seed=seeds)
def test_projections_agree(v, seed):
    rng = np.random.default_rng(seed)
    exact = simplex.project(v)
    assert sum(exact) == 1
    assert min(exact) >= 0
    assert simplex.project_by_pivots(v, lambda n: int(rng.integers(n))) == exact
    assert simplex.project_by_pivots(v, lambda n: 0) == exact
    np.testing.assert_allclose(simplex.project_by_bisection(v), [float(a) for a in exact], atol=TINY)
    np.testing.assert_allclose(simplex.project_quickly(v), [float(a) for a in exact], atol=TINY)
    assert simplex.project(exact) == exact  # idempotent
    order = np.argsort(v, kind="stable")
    assert all(exact[i] <= exact[j] for i, j in pairwise(order))


@given(v=vectors, seed=seeds)
def test_projection_shifts_and_does_not_expand(v, seed):
    rng = np.random.default_rng(seed)
    shift = Fraction(float(rng.normal()) * 10.0 ** int(rng.integers(-20, 20)))
    moved = [Fraction(x) + shift for x in v]
    assert simplex.project(moved) == simplex.project(v)
    other = [Fraction(x) + Fraction(float(e)) for x, e in zip(v, rng.normal(size=len(v)), strict=True)]

    def distance(a, b):
        return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))

    assert distance(simplex.project(v), simplex.project(other)) <= distance(map(Fraction, v), other)


@pytest.mark.parametrize("n", [1, 2, 7, 200])
def test_projection_of_ties(n):
    """All equal: removing every value equal to the pivot, instead of the pivot alone, would lose them all."""
    for value in (0.0, 1.0, -5.0, 1e300, 1e-300):
        for pick in (lambda k: 0, lambda k: k - 1, lambda k: k // 2):
            assert simplex.project_by_pivots([value] * n, pick) == [Fraction(1, n)] * n
        assert simplex.project([value] * n) == [Fraction(1, n)] * n


def test_projection_needs_the_shift_in_floating_point():
    """u_1 > u_1 - 1 is false at 1e300: the textbook test finds no prefix at all unless the largest value is made 0 first."""
    v = np.array([1e300, -1e300, 3.0])
    u = np.sort(v)[::-1]
    assert not (u * np.arange(1, 4) > np.cumsum(u) - 1)[0]
    assert simplex.project_quickly(v).tolist() == [1.0, 0.0, 0.0]


# ---- the learned vote (P3)


def hypotheses(kind, rng, rows, n):
    """h[t] as a function of the weights of before; y = +1 throughout, so that h is the margin."""

    def answer(t, alpha):
        if kind == "random":
            return rng.uniform(-1, 1, n)
        if kind == "rotating":
            return np.where(np.arange(n) == t % n, 1.0, -1.0)
        # Anti-heavy.
        return np.where(np.asarray(alpha) >= np.max(alpha) - TINY, -1.0, rng.choice([0.2, 1.0], n))

    return answer


@pytest.mark.parametrize("domain", list(ocp.DOMAINS))
@pytest.mark.parametrize("step", list(ocp.STEPS))
@pytest.mark.parametrize("kind", ["random", "rotating", "anti-heavy"])
@settings(max_examples=6)
@given(seed=seeds, rows=st.integers(1, 40), n=st.integers(1, 6), gamma=gammas)
def test_ocp_regret(domain, step, kind, seed, rows, n, gamma):
    simple = domain == "simplex"
    rng = np.random.default_rng(seed)
    theta = gamma / (2 + gamma)
    ask = hypotheses(kind, rng, rows, n)
    alpha, h, alphas, etas = [1 / n] * n, [], [], []
    for t in range(rows):
        alphas.append(alpha)
        h.append(ask(t, alpha))
        etas.append(ocp.STEPS[step](n, t + 1))
        after, margin = ocp.learn_alpha(alpha, h[-1], 1, theta, etas[-1], domain=domain)
        assert sum(map(abs, after)) <= 1 + 1e-12
        assert not simple or (min(after) >= 0 and sum(after) >= 1 - 1e-12)
        assert margin < theta or after == alpha
        alpha = after
    rivals = [*np.eye(n), *(np.arange(n) < i for i in range(1, n + 1)), *rng.dirichlet(np.ones(n), 5)]
    for u in rivals:
        left, right = bounds.regret_of_the_vote(
            h, alphas, etas, theta, u / np.sum(u), reach=1 if simple else 2
        )
        assert left <= right + TINY
        if simple and step == "1/sqrt(Nt)":
            assert right <= bounds.regret_of_the_vote_at_most(h) + TINY
    assert below(bounds.errors_by_hinge_loss(h, alphas, theta))
    if simple and step == "1/sqrt(Nt)":
        assert below(bounds.error_rate_of_the_vote(h, smooth(h, gamma), alphas, gamma))


def test_one_learner_has_the_whole_vote():
    assert ocp.learn_alpha([1.0], [-1.0], 1, 0.05, 1.0)[0] == [1.0]


def test_the_ball_lets_a_learner_count_against_itself():
    """All learners wrong and equal: the simplex cannot move, the ball turns them round."""
    wrong = ([0.5, 0.5], [-1.0, -1.0], 1, 0.05, 0.6)
    assert ocp.learn_alpha(*wrong)[0] == [0.5, 0.5]
    assert ocp.learn_alpha(*wrong, domain="l1_ball")[0] == pytest.approx([-0.1, -0.1])


def test_ocp_tests_the_weighted_vote():
    """Trap: the condition concerns <alpha, h>, not the plain sum of votes (here +1, which would not move alpha)."""
    alpha, margin = ocp.learn_alpha([0.8, 0.1, 0.1], [-1.0, 1.0, 1.0], 1, 0.05, 0.1)
    assert margin == pytest.approx(-0.6)
    assert alpha == pytest.approx([0.8 - 2 * 0.2 / 3, 0.1 + 0.2 / 3, 0.1 + 0.2 / 3])


def test_z_is_summed_once():
    """Trap: z <- z + m - theta, not 2 z + m - theta."""
    zs, _ = osboost.chain([1.0, 1.0, 1.0], 0.1)
    assert zs == pytest.approx([(1 - 0.1 / 2.1) * i for i in (1, 2, 3)])


# ---- Hedge (P4)


def losses_of_experts(kind, rng, t, p):
    n = len(p)
    if kind == "random":
        return rng.integers(0, 2, n).astype(float)
    if kind == "rotating":
        return (np.arange(n) != t % n).astype(float)
    return (np.asarray(p) >= np.max(p) - TINY).astype(float)


@pytest.mark.parametrize("rate", ["anytime", "horizon", "ln 2", "one"])
@pytest.mark.parametrize("kind", ["random", "rotating", "anti-heavy"])
@settings(max_examples=8)
@given(seed=seeds, rows=st.integers(1, 60), n=st.integers(1, 8))
def test_hedge_regret(rate, kind, seed, rows, n):
    rng = np.random.default_rng(seed)
    total, wrong, p = np.zeros(n), [], []
    for t in range(rows):
        eta = {
            "anytime": exp.anytime(n, t + 1),
            "horizon": exp.anytime(n, rows),
            "ln 2": math.log(2),
            "one": 1.0,
        }[rate]
        p.append(exp.shares(total.tolist(), eta))
        assert sum(p[-1]) == pytest.approx(1)
        assert exp.shares((total + 7.0).tolist(), eta) == pytest.approx(p[-1])
        assert all(p[-1][i] == p[-1][j] for i in range(n) for j in range(n) if total[i] == total[j])
        wrong.append(losses_of_experts(kind, rng, t, p[-1]))
        total += wrong[-1]
    if rate == "anytime":
        left, right = bounds.regret_of_the_experts(wrong, p)
        assert left <= right + TINY
        assert n == 1 or right <= 2 * math.sqrt(rows * math.log(n)) + TINY
    elif rate == "horizon":
        assert below(bounds.regret_known_horizon(wrong, p))
    else:
        assert below(bounds.mistakes_at_a_constant_rate(wrong, p, 1.0 if rate == "one" else math.log(2)))
    assert below(bounds.majority(wrong, p))


@given(m=matrices(), gamma=gammas)
def test_exp_error_follows_the_weights(m, gamma):
    """The expected error rate through EXP itself: experts are prefixes of the margins that make the weights; ties are errors."""
    n = m.shape[1]
    wrong = (np.cumsum(m, axis=1) <= 0).astype(float)
    total, p = np.zeros(n), []
    for t, row in enumerate(wrong):
        p.append(exp.shares(total.tolist(), exp.anytime(n, t + 1)))
        total += row
    assert below(bounds.expected_error_rate(wrong, p, smooth(m, gamma)))


def test_one_expert_needs_no_rate():
    assert exp.anytime(1, 5) == 0
    assert exp.shares([12.0], 0.0) == [1.0]


def test_shares_survive_long_streams():
    p = exp.shares([1e6, 1e6 - 1.0, 2e6], 1.0)
    assert p == pytest.approx([1 / (1 + math.e), math.e / (1 + math.e), 0.0])


@pytest.mark.parametrize("mode", ["vote", "sample", "best"])
def test_the_answer_does_not_touch_the_learning(mode):
    """Whichever expert answers, and however often: the state is the same."""
    script = np.random.default_rng(5).uniform(-1, 1, (3, 20)).tolist()
    quiet, loud = (
        exp.EXP(lambda c, k, s, lane: ScriptedLane(script, lane), 3, 1, width=1, n_classes=2, hedge=mode)
        for _ in range(2)
    )
    for t in range(20):
        first = loud.answer([t])
        assert loud.answer([t]) == first
        for model in (quiet, loud):
            model.learn([t], t % 2)
    assert quiet.trace == loud.trace


# ---- boost by majority (P5)

edges = st.floats(0.01, 0.9)


@given(
    z=hnp.arrays(
        float, st.tuples(st.integers(1, 12), st.integers(1, 9)), elements=st.sampled_from([-1.0, 1.0])
    ),
    edge=st.floats(0.01, 0.9).map(lambda c: round(c, 3)),
)
def test_bbm_accounts_for_every_error(z, edge):
    n = z.shape[1]
    s = np.column_stack([np.zeros(len(z)), np.cumsum(z, axis=1)[:, :-1]]).astype(int)
    w = np.array([[float(bbm.weight(n, i + 1, int(row[i]), edge)) for i in range(n)] for row in s])
    left, right = bounds.errors_accounted_for(z, w, edge)
    assert left == pytest.approx(right, abs=1e-6)
    assert (w >= 0).all()
    premise, left, right = bounds.errors_with_strong_learners(z, w, edge, excess=float(len(z)))
    assert not premise or left <= right + TINY


@quick
@given(n=st.integers(1, 30), edge=edges)
def test_bbm_potential_and_weights(n, edge):
    for i in range(0, n + 1, max(1, n // 5)):
        values = [bbm.potential(n, i, s, edge) for s in range(-n - 2, n + 3)]
        assert all(0 <= b <= a <= 1 for a, b in pairwise(values))
    for i in range(1, n + 1):
        for s in range(-i + 1, i, 2):
            exact = float(bbm.weight(n, i, s, edge))
            assert bbm.closed_weight(n, i, s, edge) == pytest.approx(exact, rel=1e-10, abs=1e-300)
            relative = bbm.relative_weight(n, i, s, edge)
            assert 0 <= relative <= 1
            assert bbm.closed_relative_weight(n, i, s, edge) == pytest.approx(relative, rel=1e-10, abs=1e-300)
    assert below(bounds.first_potential(n, edge))
    assert bbm.weight(1, 1, 0, edge) == Fraction(1, 2)


@pytest.mark.parametrize("edge", [0.01, 0.1, 0.9])
def test_bbm_beyond_whole_numbers_of_64_bits(edge):
    """C(70, 35) does not fit into 64 bits, C(10000, 5000) into no double."""
    assert math.comb(70, 35) > 2**64
    for n in (70, 1100, 10_000):
        start = bbm.closed_relative_weight(n, 1, 0, edge)
        assert 0 <= start <= 1
        ways = [
            (i, s) for i in range(1, n + 1, n // 7) for s in {0 if i % 2 else 1, min(i - 1, round(edge * i))}
        ]
        assert all(0 <= bbm.closed_relative_weight(n, i, s, edge) <= 1 + 1e-9 for i, s in ways)
        late = bbm.closed_relative_weight(n, n, 0, edge)
        assert late == pytest.approx(1.0)
        on_track = bbm.closed_relative_weight(n, n // 2, -round(edge * (n - n // 2)), edge)
        assert on_track > 0.9  # as many steps behind as the rest is expected to gain: the heaviest example


def test_bbm_largest_weights_add_up_slowly():
    """At c = 0.1 the sum of the largest weights is about 0.76 sqrt(N)."""
    for n in (100, 400, 2500):
        p = 0.55
        total = sum(0.5 * math.exp(bbm.log_pmf(k, min(k, math.floor((k + 1) * p)), p)) for k in range(n))
        assert total / math.sqrt(n) == pytest.approx(0.8, abs=0.06)


# ---- AdaBoost.OL (P6)


def run_ol(z):
    """The whole recursion on a matrix of margins."""
    n = z.shape[1]
    alpha, losses = [0.0] * n, [0.0] * n
    keep = {"w": [], "s": [], "wrong": [], "p": [], "alpha": []}
    for t, row in enumerate(z, start=1):
        w, s = adaboost_ol.chain(row, alpha)
        wrong = [float(total <= 0) for total in s]
        for name, value in zip(keep, (w, s, wrong, exp.shares(losses, 1.0), alpha), strict=True):
            keep[name].append(value)
        alpha = adaboost_ol.learn_alpha(alpha, row, t)
        losses = [a + b for a, b in zip(losses, wrong, strict=True)]
    return {name: np.array(value) for name, value in keep.items()}


@settings(max_examples=30)
@given(z=matrices(rows=(1, 40)))
def test_ol_guarantees(z):
    run = run_ol(z)
    n = z.shape[1]
    assert ((run["w"] > 0) & (run["w"] < 1)).all()
    assert (run["w"][:, 0] == 0.5).all()
    assert (np.abs(run["alpha"]) <= 2).all()
    assert (np.abs(run["s"][:, -1]) <= 2 * n).all()
    assert below(bounds.regret_of_each_alpha(z, run["s"]))
    assert below(bounds.sum_of_squared_edges(z, run["w"]))
    assert below(bounds.mistakes_of_the_best_prefix(z, run["w"], run["wrong"]))
    assert below(bounds.expected_mistakes(run["wrong"], run["p"]))
    later = run["w"][:, 1:].sum(axis=0)
    assert (
        later >= run["wrong"].sum(axis=0)[:-1] / 2 - TINY
    ).all()  # the step from squared edges to mistakes


@pytest.mark.parametrize("kind", ["flip", "drift", "one good"])
def test_ol_guarantees_on_hard_streams(kind):
    rng = np.random.default_rng(11)
    t = np.arange(400)[:, None]
    noise = rng.choice([-1.0, 1.0], (400, 5))
    z = {
        "flip": np.where(t % 2 == 0, 1.0, -1.0) * np.ones(5),
        "drift": np.where(t < 200, 1.0, -1.0) * np.ones(5),
        "one good": np.where(np.arange(5) == 3, np.where(rng.random((400, 1)) < 0.8, 1.0, -1.0), noise),
    }[kind]
    run = run_ol(z)
    for claim in (
        bounds.regret_of_each_alpha(z, run["s"]),
        bounds.sum_of_squared_edges(z, run["w"]),
        bounds.mistakes_of_the_best_prefix(z, run["w"], run["wrong"]),
        bounds.expected_mistakes(run["wrong"], run["p"]),
    ):
        assert below(claim)


def test_ol_first_step_goes_to_the_end_of_the_range():
    assert adaboost_ol.learn_alpha([0.0, 0.0, 0.0], [1.0, -1.0, 0.5], 1) == [2.0, -2.0, 1.0]


def test_ol_needs_a_stable_sigmoid():
    w, s = adaboost_ol.chain([-1.0] * 600, [2.0] * 600)
    assert s[-1] == -1200
    assert w[-1] == 1.0
    w, _ = adaboost_ol.chain([1.0] * 600, [2.0] * 600)
    assert w[-1] == 0.0 or w[-1] < 1e-300


# ---- OGBoost (P8)


@pytest.mark.parametrize(
    ("loss", "start"),
    [("logistic", 0.5), ("exponential", 1.0), ("hinge", 1.0), ("doom", 1.0), ("savage", 0.5)],
)
def test_losses_and_their_slopes(loss, start):
    value, weight = ogboost.losses()[loss]
    assert ogboost.weight_of(loss, 0.0) == pytest.approx(start)
    points = [s for s in np.linspace(-4, 4, 33) if loss != "hinge" or abs(s - 1) > 1e-3]
    for s in points:
        slope = (value(s + 1e-6) - value(s - 1e-6)) / 2e-6
        assert weight(s) == pytest.approx(-slope, rel=1e-5, abs=1e-8)
        assert weight(s) >= 0
    weights = [weight(s) for s in points]
    falling = all(b <= a for a, b in pairwise(weights))
    # The others forgive what is hopelessly wrong.
    assert falling == (loss in ("logistic", "exponential", "hinge"))
    for s in (-1e9, 1e9):
        assert math.isfinite(ogboost.weight_of(loss, s))


@given(
    m=hnp.arrays(float, st.integers(1, 20), elements=st.floats(-1, 1)), nu=st.sampled_from([1.0, 0.5, 0.1])
)
def test_gradient_weights_rise_on_errors(m, nu):
    for loss in ("logistic", "exponential"):
        ws = ogboost.chain(m, loss, nu)
        for (a, b), margin in zip(pairwise(ws), m, strict=True):
            assert (b > a) == (margin < 0) or abs(margin) < 1e-12
    assert all(0 < w < 1 for w in ogboost.chain(m, "logistic", nu))


@given(seed=seeds, loss=st.sampled_from(list(ogboost.losses())))
def test_selectors_of_one_are_the_plain_recursion(seed, loss):
    rng = np.random.default_rng(seed)
    script = rng.uniform(-1, 1, (4, 12)).tolist()
    model = ogboost.OGBoost(
        lambda c, k, s, lane: ScriptedLane(script, lane), 4, 0, width=1, n_classes=2, loss=loss
    )
    errors = np.zeros(4)
    for t in range(12):
        label = int(rng.integers(2))
        model.learn([t], label)
        m = [(1 if label else -1) * script[i][t] for i in range(4)]
        assert model.trace[-1]["w"] == pytest.approx(ogboost.chain(m, loss))
        assert (np.asarray(model.error) >= errors).all()
        errors = np.asarray(model.error)


def test_equal_candidates_choose_the_first():
    script = np.random.default_rng(3).uniform(-1, 1, 15).tolist()
    model = ogboost.OGBoost(
        lambda c, k, s, lane: ScriptedLane([script] * 6, lane), 2, 0, width=1, n_classes=2, n_candidates=3
    )
    for t in range(15):
        model.learn([t], t % 2)
        assert model.trace[-1]["chosen"] == [0, 3]
        assert not model.doubt


def test_starved_learners_say_nothing():
    """A perfect first learner leaves hinge weights of exactly 0: naive Bayes without data answers 0, not NaN."""

    def make(columns, n_classes, key, lane):
        if lane == 0:
            return ScriptedLane([[1.0 if t % 2 else -1.0 for t in range(30)]], 0)
        return naive_bayes.NaiveBayes(columns, n_classes, key, lane)

    model = ogboost.OGBoost(make, 4, 0, width=1, n_classes=2, loss="hinge")
    for t in range(30):
        model.learn([float(t)], t % 2)
        assert model.trace[-1]["w"] == [1.0, 0.0, 0.0, 0.0, 0.0]
    row = model.columns.read([1.0])
    assert [lane.margin(row) for lane in model.lanes[1:]] == [0.0] * 3
    assert model.answer([1.0]).scores == [1.0]


# ---- degeneracies (P11) and mirrors (P12), on the oracles


def perceptrons(start):
    return lambda columns, n_classes, seed, lane: linear.Perceptron(
        columns, n_classes, seed, lane, start=start
    )


@pytest.mark.parametrize("booster", [osboost.OSBoost, ocp.OCP, exp.EXP])
@quick
@given(stream=streams(min_rows=4, declared=True, weights=False), n=st.integers(2, 5))
def test_zero_starts_collapse_into_one_perceptron(booster, stream, n):
    many = booster(perceptrons("zero"), n, 0, width=stream.X.shape[1], n_classes=2)
    one = Single(perceptrons("zero"), 0, width=stream.X.shape[1], n_classes=2)
    for x, label in zip(stream.X.tolist(), stream.codes()[0], strict=True):
        a, b = many.answer(x), one.answer(x)
        if not (a.close or b.close or many.doubt or one.doubt) and one.examples:
            assert a.label == b.label
        many.learn(x, label)
        one.learn(x, label)
        assert all(lane.vectors == many.lanes[0].vectors for lane in many.lanes)


@pytest.mark.parametrize(
    "booster", [osboost.OSBoost, ocp.OCP, exp.EXP, ogboost.OGBoost, bbm.BBM, adaboost_ol.AdaBoostOL]
)
@quick
@given(stream=streams(min_rows=4, declared=True, missing=False), seed=seeds)
def test_mirrored_data_mirrors_the_answers(booster, stream, seed):
    """(x, y) -> (-x, -y) without intercept, same starts: every answer flips, ties apart."""

    def make(columns, n_classes, key, lane):
        return linear.Perceptron(columns, n_classes, key, lane, fit_intercept=False)

    one, two = (booster(make, 3, seed, width=stream.X.shape[1], n_classes=2) for _ in range(2))
    for x, label, w in zip(stream.X.tolist(), stream.codes()[0], stream.weight.tolist(), strict=True):
        mirrored = [-value for value in x]
        a, b = one.answer(x), two.answer(mirrored)
        if one.doubt or two.doubt or not all(x):
            return
        silent = any(getattr(one, "alpha", [1])) is False  # AdaBoost.OL at the start: a tie of all experts
        if not (a.close or b.close or silent or abs(a.scores[0]) < TINY):
            assert a.label == 1 - b.label
        one.learn(x, label, w)
        two.learn(mirrored, 1 - label, w)


# ---- long runs (P14, short form)


def test_hundred_thousand_rounds():
    """Alpha stays on the simplex, Hedge's shares and AdaBoost.OL's weights stay finite."""
    rounds, n, theta = 100_000, 8, 0.1 / 2.1
    rng = np.random.default_rng(2)
    h = rng.uniform(-1, 1, (rounds, n))
    alpha = np.full(n, 1 / n)
    weights_of_vote, losses = np.zeros(n), np.zeros(n)
    roots = np.sqrt(np.arange(1, rounds + 1))
    for t in range(rounds):
        if h[t] @ alpha < theta:
            v = alpha + h[t] / (math.sqrt(n) * roots[t])
            alpha = simplex.project_quickly(v) if v.min() < 0 else v - (v.sum() - 1) / n
            if alpha.min() < 0:
                alpha = simplex.project_quickly(v)
        terms = weights_of_vote * h[t]
        s = np.cumsum(terms)
        weights_of_vote = np.clip(weights_of_vote + 4 / roots[t] * h[t] / (1 + np.exp(s)), -2, 2)
        losses += s <= 0
    assert abs(alpha.sum() - 1) <= 1e-12
    assert alpha.min() >= 0
    assert np.isfinite(losses).all()
    assert (np.abs(weights_of_vote) <= 2).all()
    p = exp.shares(losses.tolist(), exp.anytime(n, rounds))
    assert sum(p) == pytest.approx(1)
    assert sum(exp.shares(losses.tolist(), 1.0)) == pytest.approx(1)
