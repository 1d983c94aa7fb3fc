"""Potentials of OnlineMBBM (Jung, Goetz, Tewari 2017), each in the plainest way there is.

Votes s[0..k-1], n votes still to come, each for r with probability p = q + gamma and for any other label
with q = (1 - gamma) / k.
The 0-1 potential is the chance that in the end some other label ties with r or beats it.

    recursion    phi_0 = loss, phi_{n+1}(s) = E phi_n(s + e_l), with a memo on the sorted gaps
    enumeration  the multinomial sum, term by term
    convolution  given the number m of votes for r, the others' counts are multinomial: truncated exponential series multiplied
    pairwise     the sum over the rivals of the chance that this one ties or beats r: a random walk each
"""

import itertools
import math
from functools import lru_cache


def loss(s, r):
    """1 unless r is strictly ahead of everybody."""
    return float(any(s[l] >= s[r] for l in range(len(s)) if l != r))


def rivals(s, r):
    """The number of labels that tie with r or beat it: what the pairwise potential starts from."""
    return float(sum(s[l] >= s[r] for l in range(len(s)) if l != r))


def gaps(s, r):
    return tuple(sorted(s[r] - s[l] for l in range(len(s)) if l != r))


class Potential:
    """What all of them share: costs, weights and normalised rows are definitions."""

    def __init__(self, k, edge):
        self.k, self.edge = k, edge
        self.q = (1 - edge) / k
        self.p = self.q + edge

    def phi(self, n, s, r):
        raise NotImplementedError

    def row(self, n, s, r):
        """Cost of each answer when the truth is r."""
        return [self.phi(n, [v + (l == j) for j, v in enumerate(s)], r) for l in range(self.k)]

    def weight(self, n, s, r):
        costs = self.row(n, s, r)
        return sum(costs) - self.k * costs[r]

    def expected(self, n, s, r):
        """Mean of the next potential, one vote thrown: must be the potential with one vote more to come."""
        costs = self.row(n, s, r)
        return sum((self.p if l == r else self.q) * c for l, c in enumerate(costs))


class Recursion(Potential):
    def __init__(self, k, edge):
        super().__init__(k, edge)
        self.memo = lru_cache(maxsize=None)(self.by_gaps)

    def phi(self, n, s, r):
        return self.memo(n, gaps(s, r))

    def by_gaps(self, n, a):
        if min(a) <= -n:
            return 1.0
        if min(a) > n:
            return 0.0
        ahead = self.memo(n - 1, tuple(x + 1 for x in a))
        behind = [self.memo(n - 1, tuple(sorted((*a[:j], a[j] - 1, *a[j + 1 :])))) for j in range(len(a))]
        return self.p * ahead + self.q * sum(behind)


class Enumeration(Potential):
    def phi(self, n, s, r):
        total = 0.0
        for counts in itertools.product(range(n + 1), repeat=self.k - 1):
            rest = n - sum(counts)
            if rest < 0:
                continue
            x = [*counts[:r], rest, *counts[r:]]
            ways = math.factorial(n) / math.prod(math.factorial(c) for c in x)
            chance = ways * self.p ** x[r] * self.q ** (n - x[r])
            total += chance * loss([a + b for a, b in zip(s, x, strict=True)], r)
        return total


class Convolution(Potential):
    def phi(self, n, s, r):
        others = [s[l] for l in range(self.k) if l != r]
        safe = 0.0
        for m in range(n + 1):
            chance = math.comb(n, m) * self.p**m * (1 - self.p) ** (n - m)
            safe += chance * self.all_below(n - m, s[r] + m, others)
        return 1 - safe

    def all_below(self, thrown, limit, others):
        """P(every other label stays below `limit` when `thrown` votes fall on them uniformly)."""
        series = [1.0] + [0.0] * thrown
        for votes in others:
            room = limit - votes - 1
            if room < 0:
                return 0.0
            term = [1 / math.factorial(j) for j in range(min(room, thrown) + 1)]
            series = [
                sum(term[j] * series[t - j] for j in range(min(t + 1, len(term)))) for t in range(thrown + 1)
            ]
        return series[thrown] * math.factorial(thrown) / len(others) ** thrown


class Pairwise(Potential):
    def __init__(self, k, edge):
        super().__init__(k, edge)
        self.walk = lru_cache(maxsize=None)(self.distribution)

    def distribution(self, n):
        """{rival's lead gained in n votes: probability}."""
        if n == 0:
            return {0: 1.0}
        step = {1: self.q, -1: self.p, 0: 1 - self.p - self.q}
        out = {}
        for at, chance in self.walk(n - 1).items():
            for move, probability in step.items():
                out[at + move] = out.get(at + move, 0.0) + chance * probability
        return out

    def phi(self, n, s, r):
        walk = self.walk(n)
        return sum(
            sum(chance for at, chance in walk.items() if at >= s[r] - s[l]) for l in range(self.k) if l != r
        )


def two_class_weight(n, s, r, edge):
    """Closed form for k = 2: the weight of boosting by majority."""
    p = (1 + edge) / 2
    a = s[r] - s[1 - r]
    j = math.floor((n - a + 1) / 2)
    return math.comb(n, j) * p**j * (1 - p) ** (n - j) if 0 <= j <= n else 0.0


def make(name, k, edge):
    return {"exact": Recursion, "pairwise": Pairwise}[name](k, edge)
