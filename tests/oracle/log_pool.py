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

    def __init__(self, experts, window=1000.0, referee=True, by_loss=False, information=0.0, total=math.inf):
        self.f = self.referee_f = 1 - 1 / window
        self.referee = referee
        self.information = information  # 0: every row fades the past alike
        self.beta = np.full(experts, 1 / (experts + 1))
        self.beta[0] *= 2
        self.A = self.prior * np.eye(experts)
        self.q = np.zeros(experts + 1)  # right answers lately; the last one is the pool's
        self.n = 0.0  # all answers lately
        self.by_loss = by_loss
        self.lost = np.zeros(experts)  # how much more than the pool, lately
        self.total = total  # of the weights, at most

    def opinions(self, proba, k):
        """proba: [expert][classes known]; classes beyond have the floor."""
        known = proba.shape[1]
        p = np.full((len(proba), k), 1e-4)
        p[:, :known] = np.maximum(proba, 1e-4)
        return np.log(p)

    def speaker(self):
        """The expert that answers alone, or None."""
        best = int(np.argmax(self.q[:-1]))
        doubt = self.caution * math.sqrt(max(self.n - self.q[best], 1))
        if self.by_loss and self.lost[best] < 0:
            doubt /= 4
        return best if self.referee and self.q[best] - doubt > self.q[-1] else None

    def said(self, proba):
        """The pool's own distribution, and the speaker's with its floor."""
        best = self.speaker()
        P = softmax(self.beta @ self.opinions(proba, proba.shape[1]))
        return (P, P, 1e-9) if best is None else (P, proba[best], 1e-4)

    def answer(self, proba):
        """The speaker's distribution."""
        return self.said(proba)[1]

    def learn(self, proba, labels, y, s=1.0, pending=None):
        """labels: what each expert answered, -1 for nothing. pending: the same, and what was said, when the row came."""
        k = max(proba.shape[1], y + 1)
        said = self.said(proba) if proba.shape[1] >= 2 else None
        share = 1.0 if pending is None else 0.5
        self.learn_from(proba, labels, said, k, y, share * s, share)
        if pending is not None:
            self.learn_from(*pending, k, y, share * s, share)

    def learn_from(self, proba, labels, said, k, y, s, share):
        pool_label = -1 if said is None else int(np.argmax(said[0]))
        L = self.opinions(proba, k)
        more = np.log(max(softmax(self.beta @ L)[y], 1e-4)) - L[:, y]
        gain = self.learn_opinions(L, y, s, share)
        referee_f = 1 - gain * (1 - self.referee_f)
        self.lost = referee_f * self.lost + share * more
        wrong = np.array([*(label != y for label in labels), pool_label != y])
        self.q = referee_f * self.q + gain - share * wrong
        self.n = referee_f * self.n + gain

    def learn_opinions(self, L, y, s, share=1.0):
        """One step of the weights; returns how much the row teaches."""
        P = softmax(self.beta @ L)
        mu = L @ P
        g = s * (mu - L[:, y])
        D = L - mu[:, None]
        gain = share * self.gain(P)
        f = 1 - gain * (1 - self.f)
        self.A = f * self.A + s * (D * P) @ D.T + (1 - f) * self.refill * self.prior * np.eye(len(mu))
        self.beta = np.clip(self.beta - np.linalg.solve(self.A, g), self.least, self.most)
        self.beta = self.beta * min(1.0, self.total / max(self.beta.sum(), 1e-300))
        return gain

    def gain(self, P):
        """How much a row teaches."""
        return min(1.0, (1 - P @ P) / self.information) if self.information else 1.0


class TemperedPool(LogPool):
    """A pool that ends with a temperature."""

    def __init__(self, experts, **options):
        super().__init__(experts, **options)
        self.w, self.H = 1.0, 20.0

    def logs(self, said):
        logs = np.log(np.maximum(said[1], said[2]))
        return logs - logs.mean()

    def answer(self, proba):
        return softmax(self.w * self.logs(self.said(proba)))

    def learn_from(self, proba, labels, said, k, y, s, share):
        if said is not None and y < proba.shape[1]:
            logs = self.logs(said)
            P = softmax(self.w * logs)
            mean = P @ logs
            fading = share * self.gain(said[0]) * (1 - self.f)
            self.H = (1 - fading) * self.H + s * (P @ logs**2 - mean**2) + fading
            self.w = float(np.clip(self.w + s * (logs[y] - mean) / self.H, 0.2, 3))
        super().learn_from(proba, labels, said, k, y, s, share)


class PoolOfAll(LogPool):
    """The pool around experts over words."""

    prior = 50.0

    def __init__(self, experts, window=1000.0, **options):
        super().__init__(experts, window=4 * window, referee=False, information=0.03, **options)


class OuterPool(TemperedPool):
    """The pool around another one: starts with its answer, and distrusts its referee."""

    prior, refill, least, most, caution = 20.0, 0.05, -0.2, 3.0, 1.0

    def __init__(self, experts, window=1000.0, **options):
        super().__init__(experts, window=window, **options)
        self.referee_f = 1 - 1 / (0.3 * window)
        self.beta = np.eye(experts)[0]


class LabelHistory:
    """What follows no label, the last, the last two: counts that fade by 1 - 1/1000 an example, the longer over the shorter.

    With a delay the contexts of a row that is learned are of so many rows before, and so are the counts it is answered with.
    """

    def __init__(self, delay=0):
        self.delay, self.labels = delay, []

    @staticmethod
    def contexts(labels):
        past = tuple(labels[-2:])
        return [past[len(past) - n :] for n in range(len(past) + 1)]

    def answer(self, k, learned=False):
        known = self.labels[: max(0, len(self.labels) - self.delay)] if learned else self.labels
        counts = {}
        for t, label in enumerate(known):
            for context in self.contexts(self.labels[: max(0, t - self.delay)]):
                counts.setdefault(context, []).append((label, t))
        p = np.full(k, 1 / k)
        for context in self.contexts(known):
            w = np.zeros(k)
            for label, when in counts.get(context, ()):
                w[label] += 0.999 ** (len(known) - when)
            p = (w + 2 * p) / (w.sum() + 2)
        return p

    def learn(self, y):
        self.labels.append(y)
