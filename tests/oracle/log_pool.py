"""The logarithmic opinion pool with a referee, as its definition says."""

from __future__ import annotations

import numpy as np


class LogPool:
    def __init__(self, experts, window=1000.0, referee=True):
        self.f = 1 - 1 / window
        self.referee = referee
        self.beta = np.full(experts, 1 / (experts + 1))
        self.beta[0] *= 2
        self.A = 10 * np.eye(experts)
        self.q = np.zeros(experts + 1)  # right answers lately; the last one is the pool's

    def opinions(self, proba, k):
        """proba: [expert][classes known]; classes beyond have the floor."""
        known = proba.shape[1]
        p = np.full((len(proba), k), 1e-4)
        p[:, :known] = np.maximum(proba, 1e-4)
        return np.log(p)

    def pool(self, L):
        z = self.beta @ L
        p = np.exp(z - z.max())
        return p / p.sum()

    def answer(self, proba):
        """The speaker's distribution."""
        best = int(np.argmax(self.q[:-1]))
        if self.referee and self.q[best] > self.q[-1]:
            return proba[best]
        return self.pool(self.opinions(proba, proba.shape[1]))

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
        self.A = self.f * self.A + s * (D * P) @ D.T + (1 - self.f) * 10 * np.eye(len(mu))
        self.beta = np.clip(self.beta - np.linalg.solve(self.A, g), 0, 4)
        self.q = self.f * self.q + np.array([*(label == y for label in labels), pool_label == y])
