"""The scale-free logistic learner: rates per column from the rows alone, one scalar per lane, importance-invariant steps.

A row becomes coordinates t (standardised by statistics that include the row, indicators and one-hot values left alone), every
coordinate gets a rate c from how often and how large it was, u = c t, Q = sum u t. Karampatziakis, Langford 2011: a step of
weight w is the limit of infinitely many small ones, which moves the margin m by D with D + e^m (e^D - 1) = S.
"""

import copy
import math

from oracle.linear import INTERCEPT, NEAR, Linear, sigmoid

V = 0.1  # a typical squared slope of the loss
RATE_ORDER = (0, 1, -1, 2, -2)


def halley(D, grown, a, S):
    """One step towards the root of D + a (e^D - 1) - S; `grown` is e^D - 1."""
    e = a * grown
    f, f1, f2 = D + e - S, 1 + a + e, a + e
    return D - 2 * f * f1 / (2 * f1 * f1 - f * f2)


def flow(a, S):
    """How far the margin moves: the root of D + a (e^D - 1) = S."""
    o = 1 + a
    if o >= S:  # near
        D = 2 * S * o / (2 * o * o + S * a)
        p, q = 120 + 12 * D * D, D * (60 + D * D)
        D = halley(D, 2 * q / (p - q), a, S)
    else:
        D = min(S / o, math.log1p(S / a))
        for _ in range(3):
            D = halley(D, math.expm1(D), a, S)
    return max(D, 0.0)


class Numeric:
    """Running statistics of one numeric column of dense rows."""

    def __init__(self):
        self.n, self.mean, self.m2, self.first, self.many = 0, 0.0, 0.0, 0.0, False

    def take(self, x, clip):
        """Count x; what it is worth by the statistics that include it."""
        if self.first == 0:
            self.first = x
        self.many = self.many or (x != 0 and x != self.first)
        if self.many and self.n >= 20 and self.m2 > 0 and clip is not None:
            b = clip * math.sqrt(self.m2 / self.n)
            x = min(max(x, self.mean - b), self.mean + b)
        self.n += 1
        off = x - self.mean
        self.mean += off / self.n
        self.m2 += off * (x - self.mean)
        if not self.many:
            return 0.0 if x == 0 else x / abs(self.first)
        return (x - self.mean) / math.sqrt(self.m2 / self.n) if self.m2 > 0 else 0.0


class RowStage:
    """What a row is before any lane sees it."""

    def __init__(self, columns, *, learning_rate=1.0, clip=5.0, fit_intercept=True, sparse=False):
        self.columns, self.rate, self.clip = columns, learning_rate, clip
        self.fit_intercept, self.sparse = fit_intercept, sparse
        self.numeric, self.largest = {}, {}
        self.n, self.total, self.sizes = 0, 0.0, {}  # rows, M, N by coordinate

    def look(self, row):
        """Give the row what `learn` would, without keeping anything."""
        before = self.n, self.total, copy.deepcopy((self.numeric, self.largest, self.sizes))
        self.learn(row)
        self.n, self.total, (self.numeric, self.largest, self.sizes) = before

    def learn(self, row):
        """Count the row; give it t, u, Q and n."""
        row.t = t = self.coordinates(row)
        self.n += 1
        for at, value in t.items():
            self.total += value * value
            self.sizes[at] = self.sizes.get(at, 0.0) + value * value
        row.n = self.n
        row.u = {at: self.column_rate(at) * value for at, value in t.items()}
        row.Q = sum(row.u[at] * value for at, value in t.items())

    def see(self, j, x):
        """A number of a row without a label."""
        if self.columns.scale == "auto" and not self.sparse:
            self.numeric.setdefault(j, Numeric()).take(x, self.clip)

    def column_rate(self, at):
        size = V * self.sizes[at]
        if size == 0:
            return 0.0
        return max(1 / (1 + size), self.rate * math.sqrt(self.n / self.total) / math.sqrt(size))

    def coordinates(self, row):
        t = {INTERCEPT: 1.0} if self.fit_intercept else {}
        if self.columns.scale != "auto":
            t.update({("number", j): value for j, value in row.scaled})
        for j, x in row.numbers if self.columns.scale == "auto" else ():
            if not self.sparse:
                t["number", j] = self.numeric.setdefault(j, Numeric()).take(x, self.clip)
            elif x != 0:
                self.largest[j] = max(self.largest.get(j, 0.0), abs(x))
                t["number", j] = x / self.largest[j]
        t.update({("value", j, v): 1.0 for j, v in row.codes})
        return {at: value for at, value in t.items() if value != 0}


class Adaptive(Linear):
    """One column of weights for two classes, one per class for more; labels may be discovered."""

    def __init__(
        self,
        columns,
        n_classes,
        seed,
        lane,
        *,
        learning_rate=1.0,
        learning_rate_spread=0.0,
        clip=5.0,
        **options,
    ):
        super().__init__(columns, n_classes, seed, lane, **options)
        self.kappa = 2.0 ** (learning_rate_spread * RATE_ORDER[lane % 5])
        self.slopes = [0.0] * len(self.vectors)  # B
        if columns.stage is None:
            columns.stage = RowStage(
                columns, learning_rate=learning_rate, clip=clip, fit_intercept=self.fit_intercept
            )

    def point(self, row):
        return row.t

    def scores(self, row, n_known):
        """Log weights of the classes, up to a constant all of them share."""
        if not self.several:
            return [0.0, self.raw(self.vectors[0], row.t)]
        return [self.raw(vector, row.t) for vector in self.vectors[:n_known]]

    def raw(self, vector, x):
        return sum(vector.get(at, 0.0) * value for at, value in x.items())

    # ---- answers

    def hypothesis(self, vector, x):
        return 2 * sigmoid(self.raw(vector, x)) - 1

    def log_odds(self, row):
        return self.raw(self.vectors[0], row.t)

    def vote(self, row, n_known):
        z = self.scores(row, n_known)
        return z.index(max(z)) if self.trained else -1

    def unsure(self, vector, x):
        """As its parent says; a coordinate that every other lane could see may be new to this one."""
        moved = any(vector.get(at, 0.0) != 0 or at in self.moved for at in x)
        return moved and abs(self.raw(vector, x)) < NEAR

    def vote_is_close(self, row, n_known):
        if not self.trained:
            return False
        if not self.several:
            return self.unsure(self.vectors[0], row.t)
        z = self.scores(row, n_known)
        best = z.index(max(z))
        twins = [c for c in range(len(z)) if c not in self.taught]
        return any(
            z[best] - other < NEAR for c, other in enumerate(z) if c != best and not {c, best} <= set(twins)
        )

    def distribution(self, row, n_known):
        if not self.trained:
            return [0.0] * n_known
        z = self.scores(row, n_known)
        e = [math.exp(value - max(z)) for value in z]
        return [value / sum(e) for value in e][:n_known]

    # ---- learning

    def meet(self):
        super().meet()
        n_known = self.columns.n_known
        if n_known <= 2:
            return
        if not self.several:  # the third label: one column becomes a pair with the same answers
            (vector,) = self.vectors
            half = {at: value / 2 for at, value in vector.items()}
            self.vectors = [{at: -value for at, value in half.items()}, half]
            self.slopes = self.slopes * 2
            self.several = True
        while len(self.vectors) < n_known:
            self.vectors.append(dict.fromkeys(self.vectors[0], 0.0))
            self.slopes.append(0.0)

    def learn(self, row, label, amount, copies=False):
        """A number of copies is one step of that weight."""
        if amount <= 0:
            return
        self.trained = True
        self.taught.add(label)
        z = [self.raw(vector, row.t) for vector in self.vectors]
        for c, vector in enumerate(self.vectors):
            y = 1 if label == (c if self.several else 1) else -1
            others = 0.0
            if self.several:
                rest = [value for k, value in enumerate(z) if k != c]
                others = max(rest) + math.log(sum(math.exp(value - max(rest)) for value in rest))
            a = math.exp(min(max(y * (z[c] - others), -30.0), 30.0))
            self.slopes[c] += amount * (1 / (1 + a)) ** 2
            rho = self.kappa * math.sqrt(V * row.n / (self.slopes[c] + 1e-300))
            S = min(amount * row.Q * rho, 1e30)
            self.doubt |= abs(S - 1 - a) < NEAR * S  # the near form or the far one, whose errors differ
            D = flow(a, S)
            if row.Q > 0:
                self.add(vector, y * D / row.Q, row.u)
