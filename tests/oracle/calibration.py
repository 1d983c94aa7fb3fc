"""Online calibration, slowly: Platt and beta scaling by online Newton steps, vector scaling, bins.

The equations are those of docs/calibration.md.
"""

import numpy as np

LEAST = 1e-6


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


class TemperatureCalibration:
    """p ~ q^w s^a, s the shares of the classes: two numbers, from (1, 0) on, by Newton steps; labels stay.

    After 512 rows the first 8 of every 64 are learned from, each for 8; q speaks while it loses less.
    """

    def __init__(self, half_life=1000):
        self.keep = 1.0 if half_life is None else 2.0 ** (-1 / half_life)
        self.sparse = half_life is None or half_life > 500
        self.w, self.H = np.array([1.0, 0.0]), 20 * np.eye(2)
        self.counts = {}
        self.lost = np.zeros(2)  # of q and of p

    def logs(self, q):
        n = np.array([self.counts.get(c, 0.0) for c in range(len(q))])
        logs = np.log([np.maximum(q, 1e-3), (n + 1) / (n.sum() + len(q))])
        return logs - logs.mean(axis=1, keepdims=True)

    def scaled(self, q):
        z = self.w @ self.logs(q)
        z = np.exp(z - z.max())
        return z / z.sum()

    def raised(self, q):
        p, label = self.scaled(q), np.argmax(q)
        other = np.delete(p, label).max()
        if p[label] < 1.05 * other:
            p[label] = other * (1 + 0.05 / 1.05 * p[label] / other)
            p /= p.sum()
        return p

    def answer(self, q):
        return q if self.lost[0] <= self.lost[1] else self.raised(q)

    def learn(self, q, label, s, number):
        if not self.sparse or number < 512:
            self.lesson(q, label, s, self.keep)
        elif number % 64 < 8:
            self.lesson(q, label, 8 * s, self.keep**8)
        self.counts[label] = self.counts.get(label, 0.0) + s

    def lesson(self, q, label, s, keep):
        said = np.array([q[label], self.raised(q)[label]])
        self.lost = keep * self.lost - s * np.log(np.clip(said, LEAST, 1))
        p, logs = self.scaled(q), self.logs(q)
        far = logs - (logs @ p)[:, None]
        self.H = keep * self.H + s * (far * p) @ far.T + (1 - keep) * 20 * np.eye(2)
        self.w = np.clip(self.w + s * np.linalg.solve(self.H, far[:, label]), [0.01, 0], [3, 1.5])
        self.counts = {c: n * keep for c, n in self.counts.items()}


class Calibration:
    """q over the known classes in, p out; `learn` takes the answer of before."""

    def __init__(self, method="platt", half_life=None):
        self.features = 3 if method == "beta" else 2
        self.with_bins = method.endswith("bins")
        self.keep = 1.0 if half_life is None else 2.0 ** (-1 / half_life)
        self.theta = np.array([1.0] * (self.features - 1) + [0.0])
        self.A = 100 * np.eye(self.features)
        self.a, self.b, self.Aa, self.Ab = {}, {}, {}, {}
        self.bins = {}  # (class, point) -> weight, sum of p, hits

    def x(self, q):
        q = np.clip(q, LEAST, 1 - LEAST)
        if self.features == 2:
            return np.array([np.log(q / (1 - q)), 1.0])
        return np.array([np.log(q), -np.log(1 - q), 1.0])

    def scaled(self, q):
        """Before the bins."""
        if len(q) == 2:
            one = sigmoid(self.theta @ self.x(q[1]))
            return np.array([1 - one, one])
        z = [
            self.a.get(c, 1.0) * np.log(np.clip(q[c], LEAST, 1 - LEAST)) + self.b.get(c, 0.0)
            for c in range(len(q))
        ]
        z = np.exp(np.array(z) - max(z))
        return z / z.sum()

    def answer(self, q):
        p = self.scaled(q)
        if not self.with_bins:
            return p
        if len(q) == 2:
            one = self.steadied(1, p[1])
            return np.array([1 - one, one])
        p = np.array([self.steadied(c, p[c]) for c in range(len(p))])
        return p / p.sum()

    @staticmethod
    def points(p):
        """The two points of hundred and one beside p, with their nearness."""
        low = min(int(p * 100), 99)
        return [(low, 1 - (p * 100 - low)), (low + 1, p * 100 - low)]

    def steadied(self, c, p):
        gap = 0.0
        for point, near in self.points(p):
            weight, sure, hits = self.bins.get((c, point), (0.0, 0.0, 0.0))
            gap += near * (hits - sure) / (weight + 8)
        return np.clip(p + gap, min(p, 1e-3), max(p, 1 - 1e-3))

    def learn(self, q, label, s, number):
        p = self.scaled(q)
        if self.with_bins:
            fading = min(self.keep, 0.99986138)
            self.bins = {key: tuple(x * fading for x in sums) for key, sums in self.bins.items()}
            for c in [1] if len(q) == 2 else range(len(q)):
                for point, near in self.points(p[c]):
                    w, sure, hits = self.bins.get((c, point), (0.0, 0.0, 0.0))
                    m = s * near
                    self.bins[c, point] = (w + m, sure + m * p[c], hits + m * (label == c))
        fresh = (1 - self.keep) * 100
        if len(q) == 2:
            g = (p[1] - label) * self.x(q[1])
            self.A = self.keep * self.A + fresh * np.eye(self.features) + s * np.outer(g, g)
            self.theta = self.theta - 2 * s * np.linalg.solve(self.A, g)
            self.theta[:-1] = np.clip(self.theta[:-1], 0, 20)
            self.theta[-1] = np.clip(self.theta[-1], -20, 20)
            return
        for c in range(len(q)):
            e = p[c] - (label == c)
            ga = e * np.log(np.clip(q[c], LEAST, 1 - LEAST))
            self.Aa[c] = self.keep * self.Aa.get(c, 100.0) + fresh + s * ga * ga
            self.Ab[c] = self.keep * self.Ab.get(c, 100.0) + fresh + s * e * e
            self.a[c] = np.clip(self.a.get(c, 1.0) - 2 * s * ga / self.Aa[c], 0, 20)
            self.b[c] = np.clip(self.b.get(c, 0.0) - 2 * s * e / self.Ab[c], -20, 20)


def follow(raw, y, weight, calibration, declared=None):
    """The answers of a calibration to a stream of raw probabilities; classes are known from the start or as they come."""
    out = np.array(raw, dtype=float)
    known = declared or 0
    number = 0
    for t in range(len(y)):
        if known > 1:
            out[t, :known] = calibration.answer(raw[t, :known])
        if weight[t] > 0:
            if known > 1 and y[t] < known:
                calibration.learn(raw[t, :known], y[t], weight[t], number)
            known = max(known, y[t] + 1)
            number += 1
    return out
