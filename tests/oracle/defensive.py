"""The Defensive Booster (Noarov and Roth 2026), two classes, y in {-1, +1}: one learner and two numbers in [-1, 1].

   h = learner(x),  q = (1 + lam) / 2,  r = (1 - lam) / 2
   mu solves q h + r theta mu = 0 in [-1, 1]; where there is no root it is the sign of q h, and 0 where both terms vanish
   e = y - mu;  lam moves by (h e - theta mu e) / 2, theta by mu e, each by its gain over sqrt(V), V = 4 + squared gains so far
   the learner is taught y with weight |e| / 2

Strongly adaptive form: level j starts a new pair of numbers whenever 2^j divides t, t = 1, 2, ...; the pairs that are alive are
mixed by Adapt-ML-Prod: p_j is proportional to eta_j w_j, eta_j = min(1/2, sqrt(ln(4 start^2) / (1 + squared regrets))), and after
the regret R = (f_j - f) e / 4 w_j becomes (w_j (1 + eta_j R))^(eta_j' / eta_j).
"""

import math

from oracle.binary import Binary, sign
from oracle.ensembles import NEAR, Answer

VANISHES = 1e-12


def clip(value):
    return min(max(value, -1.0), 1.0)


def root(a, b):
    """mu with a + b mu = 0, or where a + b mu keeps its sign the end of that sign."""
    if abs(a) < VANISHES and abs(b) < VANISHES:
        return 0.0
    if b != 0 and abs(a / b) <= 1:
        return -a / b
    return sign(a)


class Pair:
    """The two numbers, and what Adapt-ML-Prod knows of them."""

    def __init__(self, start):
        self.theta = self.lam = 0.0
        self.v_theta = self.v_lam = 4.0
        self.log_w = self.squares = 0.0
        self.start = start

    def terms(self, h):
        return (1 + self.lam) / 2 * h, (1 - self.lam) / 2 * self.theta

    def eta(self):
        return min(0.5, math.sqrt(math.log(4 * self.start**2) / (1 + self.squares)))

    def judge(self, regret):
        before = self.eta()
        grown = self.log_w + math.log1p(before * regret)
        self.squares += regret**2
        self.log_w = self.eta() / before * grown

    def move(self, h, mu, e, weight):
        g_lam = weight * (h * e - self.theta * mu * e) / 2
        g_theta = weight * mu * e
        self.lam = clip(self.lam + g_lam / math.sqrt(self.v_lam))
        self.theta = clip(self.theta + g_theta / math.sqrt(self.v_theta))
        self.v_lam += g_lam**2
        self.v_theta += g_theta**2


class Defensive(Binary):
    def __init__(self, make, key, *, adaptive=False, **options):
        super().__init__(make, 1, key, **options)
        self.adaptive = adaptive
        self.pairs = {0: Pair(1)}  # level -> pair

    def alive(self):
        """The pairs that speak about the next example: those of levels that begin with it are new."""
        if not self.adaptive:
            return dict(self.pairs)
        t = self.examples + 1
        return {j: Pair(t) if t % 2**j == 0 else self.pairs[j] for j in range(t.bit_length())}

    def solve(self, row):
        pairs, h = self.alive(), self.h(self.lanes[0], row)
        say = {j: pair.eta() * math.exp(pair.log_w) if self.adaptive else 1.0 for j, pair in pairs.items()}
        share = {j: value / sum(say.values()) for j, value in say.items()}
        a = sum(share[j] * pair.terms(h)[0] for j, pair in pairs.items())
        b = sum(share[j] * pair.terms(h)[1] for j, pair in pairs.items())
        return pairs, h, a, b, root(a, b)

    def unsure(self, a, b):
        edge = abs(abs(a) - abs(b)) < NEAR and abs(a) > 0  # a root at the very end, or none
        return edge or any(VANISHES / 1e3 < abs(v) < VANISHES * 1e3 for v in (a, b))

    def combine(self, row):
        _, _h, a, b, mu = self.solve(row)
        silent = not self.lanes[0].trained
        return Answer(
            1 if mu > 0 else 0,
            [mu],
            [(1 - mu) / 2, (1 + mu) / 2],
            self.unsure(a, b) or (not silent and abs(mu) < NEAR),
        )

    def learn(self, x, label, weight=1.0):
        if weight > 0:
            self.solved = self.solve(self.columns.read(x))
        super().learn(x, label, weight)

    def teach(self, row, label, weight, asked, asked_close):
        y = 1 if label == 1 else -1
        pairs, h, a, b, mu = self.solved
        self.doubt |= self.unsure(a, b)
        e = y - mu
        for pair in pairs.values():
            if self.adaptive:
                own = pair.terms(h)
                pair.judge(clip(weight * (own[0] + own[1] * mu - (a + b * mu)) * e / 4))
            pair.move(h, mu, e, weight)
        self.pairs = pairs
        offered = [weight * abs(e) / 2]
        self.hand_out(row, label, offered)
        return {"y": y, "offered": offered, "amount": offered, "mu": mu, "h": h, "e": e}
