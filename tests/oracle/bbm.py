"""Online boost-by-majority (Beygelzimer, Kale, Luo 2015), two classes, hypotheses in {-1, +1}.

   phi_N(s) = 1{s <= 0},  phi_(i-1)(s) = (1 - p) phi_i(s - 1) + p phi_i(s + 1),  p = (1 + c) / 2
   w^i(s) = (phi_i(s - 1) - phi_i(s + 1)) / 2       at s = z^1 + ... + z^(i-1),  z^j = y h^j(x)
c is the assumed correlation of every learner with the label. Learner i is taught with w^i over its largest possible value
(over all s), or the example itself with that probability. The answer is the majority. A learner that was never taught
says what sign(0) says, so that every hypothesis is -1 or +1.
"""

import math
from fractions import Fraction
from functools import cache

from oracle import draws
from oracle.binary import Binary
from oracle.ensembles import NEAR, Answer


@cache
def potential(n, i, s, edge):
    """phi_i(s) for n learners, exactly."""
    if i == n:
        return Fraction(1 if s <= 0 else 0)
    p = (1 + Fraction(edge)) / 2
    return (1 - p) * potential(n, i + 1, s - 1, edge) + p * potential(n, i + 1, s + 1, edge)


def weight(n, i, s, edge):
    """w of learner i = 1..n."""
    return (potential(n, i, s - 1, edge) - potential(n, i, s + 1, edge)) / 2


@cache
def largest_weight(n, i, edge):
    return max(weight(n, i, s, edge) for s in range(-n - 1, n + 2))


def relative_weight(n, i, s, edge):
    """In [0, 1]: what the learner gets."""
    return float(weight(n, i, s, edge) / largest_weight(n, i, edge))


def log_pmf(n, k, p):
    """Binomial, any n: no whole number is ever formed."""
    return (
        math.lgamma(n + 1)
        - math.lgamma(k + 1)
        - math.lgamma(n - k + 1)
        + k * math.log(p)
        + (n - k) * math.log1p(-p)
    )


def closed_weight(n, i, s, edge):
    """The same w in closed form: a binomial probability."""
    rest = n - i
    k = (rest - s + 1) // 2
    return 0.5 * math.exp(log_pmf(rest, k, (1 + edge) / 2)) if 0 <= k <= rest else 0.0


def closed_relative_weight(n, i, s, edge):
    rest, p = n - i, (1 + edge) / 2
    k = (rest - s + 1) // 2
    mode = min(rest, math.floor((rest + 1) * p))
    return math.exp(log_pmf(rest, k, p) - log_pmf(rest, mode, p)) if 0 <= k <= rest else 0.0


class BBM(Binary):
    def __init__(self, make, n_estimators, key, *, edge=0.05, weighting="importance", **options):
        super().__init__(make, n_estimators, key, hypothesis="sign", **options)
        self.assumed_edge, self.weighting = edge, weighting

    def combine(self, row):
        total = sum(self.hypotheses(row))
        mean = total / len(self.lanes)
        return Answer(
            1 if total > 0 else 0, [mean], [(1 - mean) / 2, (1 + mean) / 2], self.signs_are_close(row)
        )

    def teach(self, row, label, weight_of_example, asked, asked_close):
        y = 1 if label == 1 else -1
        n = len(self.lanes)
        s, sums, raw, relative, amounts = 0, [], [], [], []
        for i, h in enumerate(self.asked_h, start=1):
            raw.append(float(weight(n, i, s, self.assumed_edge)))
            relative.append(relative_weight(n, i, s, self.assumed_edge))
            amount = relative[-1] * weight_of_example
            if self.weighting == "sampling":
                u = draws.uniform(self.key, self.examples, i - 1, draws.COIN)
                self.doubt |= abs(u - relative[-1]) < NEAR
                amount = weight_of_example if u < relative[-1] else 0.0
            amounts.append(amount)
            s += int(y * h)
            sums.append(s)
        offered = [w * weight_of_example for w in relative]
        self.hand_out(row, label, offered, amounts)
        return {"y": y, "offered": offered, "amount": amounts, "w": raw, "s": sums, "h": self.asked_h}
