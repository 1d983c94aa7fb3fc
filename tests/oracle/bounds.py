"""Both sides of the guarantees of the two-class boosters, from whole matrices: rows are examples, columns learners.

m = y h in [-1, 1] (margins), w the weights of the chain, wrong the experts' 0/1 errors, p Hedge's shares. Every example counts
once. Each function returns (left, right), numbers or arrays, and left <= right is the claim; `errors_accounted_for` is an
equation. A claim with a premise returns (premise, left, right).
Sources: Servedio 2003 (smooth weights), Chen, Lin, Lu 2012 (the votes), Zinkevich 2003 (regret of the vote), Cesa-Bianchi and
Lugosi 2006 (regret of the experts), Beygelzimer, Kale, Luo 2015 (boost by majority, AdaBoost.OL), Noarov, Roth 2026 (the
Defensive Booster), Gaillard, Stoltz, van Erven 2014 (Adapt-ML-Prod).
"""

import itertools
import math

import numpy as np

from oracle.bbm import potential


def theta_of(gamma):
    return gamma / (2 + gamma)


# ---- smooth weights: w has a column more than m


def low_margins(m, w, gamma, slack=0.0):
    """Rows whose mean margin over the first i learners is at most theta <= sum of w^(i+1), for every i."""
    m, w = np.asarray(m), np.asarray(w)
    prefix = np.cumsum(m, axis=1) / np.arange(1, m.shape[1] + 1)
    return (prefix <= theta_of(gamma) - slack).sum(axis=0), w[:, 1:].sum(axis=0)


def advantage_per_example(m, w, gamma):
    """For every example and every n: sum w m <= gamma sum w + 2 / (gamma sqrt(1 - gamma))."""
    m, w = np.asarray(m), np.asarray(w)[:, :-1]
    left = np.cumsum(w * m, axis=1)
    return left, gamma * np.cumsum(w, axis=1) + 2 / (gamma * math.sqrt(1 - gamma))


def advantage_budget(m, w, gamma):
    """For every n: sum over learners of W_i (A_i - gamma) <= 2 T / (gamma sqrt(1 - gamma)), A_i the edges."""
    m, w = np.asarray(m), np.asarray(w)[:, :-1]
    left = np.cumsum((w * m).sum(axis=0) - gamma * w.sum(axis=0))
    return left, np.full(m.shape[1], 2 * len(m) / (gamma * math.sqrt(1 - gamma)))


def edges(m, w):
    m, w = np.asarray(m), np.asarray(w)[:, : np.asarray(m).shape[1]]
    total = w.sum(axis=0)
    return np.divide((w * m).sum(axis=0), total, out=np.zeros(len(total)), where=total > 0)


def number_of_learners(m, w, gamma, delta):
    """Edges >= 2 gamma and W_i >= delta T for the first n learners: n < 2 / (delta gamma^2 sqrt(1 - gamma))."""
    m, w = np.asarray(m), np.asarray(w)[:, :-1]
    good = (edges(m, w) >= 2 * gamma) & (w.sum(axis=0) >= delta * len(m))
    n = m.shape[1] if good.all() else int(np.argmin(good))
    return n > 0, n, 2 / (delta * gamma**2 * math.sqrt(1 - gamma))


# ---- the learned vote


def hinge(alpha, m, theta):
    return np.maximum(0.0, theta - np.asarray(m) @ np.asarray(alpha))


def regret_of_the_vote(m, alphas, etas, theta, u, reach=1):
    """Regret against the fixed point u of the simplex <= reach / eta_T + sum of eta_t ||g_t||^2 / 2.

    The reach is half the square of the largest distance to u: 1 in the simplex, 2 in the l1 ball.
    """
    m, alphas, etas = np.asarray(m), np.asarray(alphas), np.asarray(etas)
    loss = np.maximum(0.0, theta - (m * alphas).sum(axis=1))
    squares = np.where(loss > 0, (m * m).sum(axis=1), 0.0)
    return loss.sum() - hinge(u, m, theta).sum(), reach / etas[-1] + 0.5 * (etas * squares).sum()


def regret_of_the_vote_at_most(m):
    """What the right side comes to at most with eta_t = 1 / sqrt(N t)."""
    rows, n = np.shape(m)
    return 2 * math.sqrt(n * rows)


def errors_by_hinge_loss(m, alphas, theta):
    """Errors, ties included, <= sum of hinge losses / theta."""
    margin = (np.asarray(m) * np.asarray(alphas)).sum(axis=1)
    return (margin <= 0).sum(), np.maximum(0.0, theta - margin).sum() / theta


def error_rate_of_the_vote(m, w, alphas, gamma):
    """Error rate of OCP (eta_t = 1 / sqrt(N t)) against the measured delta = min_i mean of w^(i+1)."""
    rows, n = np.shape(m)
    theta = theta_of(gamma)
    margin = (np.asarray(m) * np.asarray(alphas)).sum(axis=1)
    delta = np.asarray(w)[:, 1:].mean(axis=0).min()
    return (margin <= 0).mean(), (1 + theta) / theta * delta + 2 * math.sqrt(n / rows) / theta


# ---- Hedge over prefixes: wrong in {0, 1}


def regret_of_the_experts(wrong, p):
    wrong = np.asarray(wrong)
    rows, n = wrong.shape
    left = (wrong * p).sum() - wrong.sum(axis=0).min()
    return left, math.sqrt(2 * rows * math.log(n)) + math.sqrt(math.log(n) / 8)


def regret_known_horizon(wrong, p):
    """Rate sqrt(8 ln N / T), T known."""
    wrong = np.asarray(wrong)
    rows, n = wrong.shape
    return (wrong * p).sum() - wrong.sum(axis=0).min(), math.sqrt(rows * math.log(n) / 2)


def mistakes_at_a_constant_rate(wrong, p, eta):
    wrong = np.asarray(wrong)
    best = wrong.sum(axis=0).min()
    return (wrong * p).sum(), (eta * best + math.log(wrong.shape[1])) / (1 - math.exp(-eta))


def expected_error_rate(wrong, p, w):
    """Expected error rate of EXP (anytime rate) <= min_i mean of w^(i+1) + 2 sqrt(ln N / T)."""
    wrong = np.asarray(wrong)
    rows, n = wrong.shape
    delta = np.asarray(w)[:, 1:].mean(axis=0).min()
    return (wrong * p).sum() / rows, delta + 2 * math.sqrt(math.log(n) / rows)


def majority(wrong, p):
    """Errors of the weighted majority (ties as errors) <= twice the expected loss."""
    share = (np.asarray(wrong) * p).sum(axis=1)
    return (share >= 0.5).sum(), 2 * share.sum()


# ---- boost by majority: z in {-1, +1}, w the weights before they are divided by their largest


def errors_accounted_for(z, w, edge):
    """Rows with a sum of z at most 0  =  T phi_0(0) + sum of w (edge - z)."""
    z, w = np.asarray(z), np.asarray(w)
    rows, n = z.shape
    phi = float(potential(n, 0, 0, edge))
    return (z.sum(axis=1) <= 0).sum(), rows * phi + (w * (edge - z)).sum()


def first_potential(n, edge):
    return float(potential(n, 0, 0, edge)), math.exp(-n * edge * edge / 2)


def errors_with_strong_learners(z, w, edge, excess):
    """Every learner within `excess` largest weights of its edge: errors <= T exp(-N c^2 / 2) + excess sum of largest weights."""
    z, w = np.asarray(z), np.asarray(w)
    rows, n = z.shape
    largest = w.max(axis=0)
    premise = ((w * z).sum(axis=0) >= edge * w.sum(axis=0) - excess * largest).all()
    return premise, (z.sum(axis=1) <= 0).sum(), rows * math.exp(-n * edge**2 / 2) + excess * largest.sum()


# ---- AdaBoost.OL: s[t, i] = s^i, z in [-1, 1], wrong the experts' errors


def log_loss(s):
    return np.logaddexp(0.0, -np.asarray(s)).sum()


def best_alpha(before, z):
    """The minimum over a in [-2, 2] of the convex sum of ln(1 + exp(-(before + a z)))."""

    def slope(a):
        s = before + a * z
        return -(z * np.exp(-np.logaddexp(0.0, s))).sum()

    low, high = -2.0, 2.0
    if slope(low) >= 0:
        return log_loss(before + low * z)
    if slope(high) <= 0:
        return log_loss(before + high * z)
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if slope(middle) > 0 else (middle, high)
    return log_loss(before + (low + high) / 2 * z)


def regret_of_each_alpha(z, s):
    """For every learner: its log loss <= that of the best fixed alpha in its place + 6 sqrt(T)."""
    z, s = np.asarray(z), np.asarray(s)
    before = np.column_stack([np.zeros(len(s)), s[:, :-1]])
    left = np.array([log_loss(s[:, i]) for i in range(s.shape[1])])
    right = np.array([best_alpha(before[:, i], z[:, i]) for i in range(s.shape[1])])
    return left, right + 6 * math.sqrt(len(s))


def budget(rows, n):
    return rows * math.log(2) + 6 * n * math.sqrt(rows)


def sum_of_squared_edges(z, w):
    """Half the sum of (squared edge times weight) <= T ln 2 + 6 N sqrt(T)."""
    z, w = np.asarray(z), np.asarray(w)
    return 0.5 * (edges(z, w) ** 2 * w.sum(axis=0)).sum(), budget(*z.shape)


def mistakes_of_the_best_prefix(z, w, wrong):
    """Least errors of an expert but the last, times the sum of squared edges over 4, <= the same."""
    z, w, wrong = np.asarray(z), np.asarray(w), np.asarray(wrong)
    if z.shape[1] < 2:
        return 0.0, math.inf
    return wrong.sum(axis=0)[:-1].min() * (edges(z, w) ** 2).sum() / 4, budget(*z.shape)


def expected_mistakes(wrong, p):
    """Expected mistakes with the factor 1 / e <= (least errors of an expert + ln N) / (1 - 1 / e)."""
    return mistakes_at_a_constant_rate(wrong, p, 1.0)


# ---- the Defensive Booster: h the learner's answers, mu the booster's, y = -1 or +1


def defensive_gains(h, mu, y, adaptive):
    """What is left to gain for the learner and for mu itself, and the most of each: pair by pair, (left, right) twice.

    A pair that begins at s promises 4 sqrt S + 8 and 8 sqrt S + 16 over what it lives through. Adapt-ML-Prod adds to that of the
    pairs that begin at 1, 2, 4, ... and follow one another: 4 sum R, from ln w <= ln W, eta <= 1/2 and sums over R^2.
    """
    h, mu, y = map(np.asarray, (h, mu, y))
    e, n = y - mu, len(y)
    cuts = [0, *(2**j - 1 for j in range(1, n.bit_length())), n] if adaptive else [0, n]
    of_learner = of_answer = 0.0
    for first, end in itertools.pairwise(cuts):
        squares = float((e[first:end] ** 2).sum())
        mixing = 0.0
        if adaptive:
            rate, root = math.log(4 * (first + 1) ** 2), math.sqrt(1 + squares / 4)
            most = math.log(sum(end // 2**j for j in range(60)) + 1) + math.log1p(
                (1 + math.log1p(end)) / 2 / math.e
            )
            mixing = 4 * (most * max(2, root / math.sqrt(rate)) + 2 * math.sqrt(rate) * root)
        of_learner += 4 * math.sqrt(squares) + 8 + mixing
        of_answer += 8 * math.sqrt(squares) + 16 + mixing
    return (float((h * e).sum()), of_learner), (abs(float((mu * e).sum())), of_answer)
