"""The logarithmic opinion pool with a referee, the temperature after it, and the labels' past, as their definitions say."""

from __future__ import annotations

import math

import numpy as np


def softmax(z):
    p = np.exp(z - z.max())
    return p / p.sum()


class LogPool:
    """`first_alone` and what follows: as the pool around the default's pool has them."""

    prior, refill, least, most, caution = 10.0, 1.0, 0.0, 4.0, 0.0

    def __init__(self, experts, window=1000.0, referee=True, information=0.0):
        self.f = self.referee_f = 1 - 1 / window
        self.referee = referee
        self.information = information  # 0: every row fades the past alike
        self.beta = np.full(experts, 1 / (experts + 1))
        self.beta[0] *= 2
        self.A = self.prior * np.eye(experts)
        self.q = np.zeros(experts + 1)  # right answers lately; the last one is the pool's
        self.n = 0.0  # all answers lately

    def opinions(self, proba, k):
        """proba: [expert][classes known]; classes beyond have the floor."""
        known = proba.shape[1]
        p = np.full((len(proba), k), 1e-4)
        p[:, :known] = np.maximum(proba, 1e-4)
        return np.log(p)

    def pool(self, L):
        return softmax(self.beta @ L)

    def speaker(self):
        """The expert that answers alone, or None."""
        best = int(np.argmax(self.q[:-1]))
        doubt = self.caution * math.sqrt(max(self.n - self.q[best], 1))
        return best if self.referee and self.q[best] - doubt > self.q[-1] else None

    def answer(self, proba):
        """The speaker's distribution."""
        best = self.speaker()
        return self.pool(self.opinions(proba, proba.shape[1])) if best is None else proba[best]

    def learn(self, proba, labels, y, s=1.0):
        """labels: what each expert answered, -1 for nothing."""
        k = max(proba.shape[1], y + 1)
        known = proba.shape[1]
        pool_label = int(np.argmax(self.pool(self.opinions(proba, known)))) if known else -1
        L = self.opinions(proba, k)
        P = self.pool(L)
        mu = L @ P
        g = s * (mu - L[:, y])
        D = L - mu[:, None]
        gain = self.gain(P)
        f, referee_f = 1 - gain * (1 - self.f), 1 - gain * (1 - self.referee_f)
        self.A = f * self.A + s * (D * P) @ D.T + (1 - f) * self.refill * self.prior * np.eye(len(mu))
        self.beta = np.clip(self.beta - np.linalg.solve(self.A, g), self.least, self.most)
        self.q = referee_f * self.q + gain - np.array([*(label != y for label in labels), pool_label != y])
        self.n = referee_f * self.n + gain

    def gain(self, P):
        """How much a row teaches."""
        return min(1.0, (1 - P @ P) / self.information) if self.information else 1.0


class TemperedPool(LogPool):
    """A pool that ends with a temperature."""

    def __init__(self, experts, **options):
        super().__init__(experts, **options)
        self.w, self.H = 1.0, 20.0

    def logs(self, proba):
        floor = 1e-9 if self.speaker() is None else 1e-4
        logs = np.log(np.maximum(super().answer(proba), floor))
        return logs - logs.mean()

    def answer(self, proba):
        return softmax(self.w * self.logs(proba))

    def learn(self, proba, labels, y, s=1.0):
        if y < proba.shape[1] >= 2:
            logs = self.logs(proba)
            P = softmax(self.w * logs)
            mean = P @ logs
            fading = self.gain(self.pool(self.opinions(proba, proba.shape[1]))) * (1 - self.f)
            self.H = (1 - fading) * self.H + s * (P @ logs**2 - mean**2) + fading
            self.w = float(np.clip(self.w + s * (logs[y] - mean) / self.H, 0.2, 3))
        super().learn(proba, labels, y, s)


class OuterPool(TemperedPool):
    """The pool around another one: starts with its answer, and distrusts its referee."""

    prior, refill, least, most, caution = 20.0, 0.05, -0.2, 3.0, 0.5

    def __init__(self, experts, window=1000.0, **options):
        super().__init__(experts, window=window, **options)
        self.referee_f = 1 - 1 / (0.3 * window)
        self.beta = np.eye(experts)[0]


class LabelHistory:
    """What follows no label, the last, the last two: counts that fade by 1 - 1/1000 an example, the longer over the shorter."""

    def __init__(self):
        self.counts, self.t, self.past = {}, 0, ()

    def contexts(self):
        return [self.past[len(self.past) - n :] for n in range(len(self.past) + 1)]

    def answer(self, k):
        p = np.full(k, 1 / k)
        for context in self.contexts():
            w = np.zeros(k)
            for label, when in self.counts.get(context, ()):
                w[label] += 0.999 ** (self.t - when)
            p = (w + 2 * p) / (w.sum() + 2)
        return p

    def learn(self, y):
        for context in self.contexts():
            self.counts.setdefault(context, []).append((y, self.t))
        self.past = (*self.past, y)[-2:]
        self.t += 1
