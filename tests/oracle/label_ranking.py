"""OnlineBMR and Ada.OLMR from the paper (Jung and Tewari 2018) and the specification: slow, plain, with the product's keyed
draws.

Y[l] is 1, 0, or NaN where nobody knows: pairs are made of the labels that are known.

A learner is an object with ``answer(x) -> distribution`` (zeros while untrained) and ``learn(x, label, weight)``.
"""

from functools import cache

import numpy as np


def rank_loss(s, Y):
    """Pairs that are ranked wrongly, half of those that tie."""
    inside, outside = [l for l in range(len(s)) if Y[l] == 1], [l for l in range(len(s)) if Y[l] == 0]
    if not inside or not outside:
        return 0.0
    wrong = sum((s[l] < s[r]) + 0.5 * (s[l] == s[r]) for l in inside for r in outside)
    return wrong / (len(inside) * len(outside))


def ranks(Y):
    return 1 in Y and 0 in Y


class Sets:
    """What both have: lessons and probabilities."""

    def __init__(self, learners, constants, k):
        self.learners, self.constants, self.k, self.t = learners, constants, k, 0
        self.theta = np.tile([1.0, -2.0], (k, 1))
        self.H = np.tile(np.eye(2), (k, 1, 1))

    def proba(self, s):
        z = np.stack([s - np.mean(s), np.ones(self.k)], axis=1)
        return 1 / (1 + np.exp(-(z * self.theta).sum(axis=1)))

    def calibrate(self, s, Y, weight):
        p = self.proba(s)
        for l in np.flatnonzero(~np.isnan(Y)):
            z = np.array([s[l] - np.mean(s), 1.0])
            self.H[l] += weight * p[l] * (1 - p[l]) * np.outer(z, z)
            self.theta[l] += np.linalg.solve(self.H[l], weight * (Y[l] - p[l]) * z)

    def teach(self, x, Y, costs, weight):
        for l in np.flatnonzero(Y == 1):
            for learner, constant, c in zip(self.learners, self.constants, costs, strict=True):
                learner.learn(x, l, weight * constant * (np.max(c) - c[l]))


class BMR(Sets):
    def __init__(self, learners, constants, k, edge, loss):
        super().__init__(learners, constants, k)
        self.edge, self.loss = edge, loss

    def potential(self, s, Y, n):
        """The recursion itself, over the gaps of every pair."""
        m = int(np.sum(Y == 1))
        edge = min(self.edge, 0.9 / m)
        q = (1 - edge * m) / self.k
        p = q + edge

        @cache
        def pair(gap, left):
            if left == 0:
                if self.loss == "rank":
                    gap = round(gap) if abs(gap - round(gap)) < 1e-9 else gap
                    return 1.0 if gap < 0 else 0.5 if gap == 0 else 0.0
                return max(0.0, 1 - gap)
            return (
                p * pair(gap + 1, left - 1) + q * pair(gap - 1, left - 1) + (1 - p - q) * pair(gap, left - 1)
            )

        inside, outside = np.flatnonzero(Y == 1), np.flatnonzero(Y == 0)
        return sum(pair(float(s[l] - s[r]), n) for l in inside for r in outside) / (m * len(outside))

    def score(self, x):
        return np.sum([learner.answer(x) for learner in self.learners], axis=0)

    def learn(self, x, Y, weight=1.0):
        Y = np.asarray(Y, dtype=float)
        answers = [learner.answer(x) for learner in self.learners]
        s, costs = np.zeros(self.k), []
        if ranks(Y):
            for i, h in enumerate(answers):
                n = len(answers) - 1 - i
                costs.append([self.potential(s + np.eye(self.k)[l], Y, n) for l in range(self.k)])
                s = s + h
            self.teach(x, Y, costs, weight)
        self.calibrate(np.sum(answers, axis=0), Y, weight)
        self.t += 1


class OLMR(Sets):
    def __init__(self, learners, constants, k, hedge, draw):
        super().__init__(learners, constants, k)
        self.hedge, self.draw = hedge, draw
        self.alpha = np.zeros(len(learners))
        self.lost = np.zeros(len(learners))

    def experts(self, answers):
        return np.cumsum(self.alpha[:, None] * np.asarray(answers), axis=0)

    def speak(self, experts):
        v = np.exp(-(self.lost - self.lost.min()))
        if self.hedge == "best":
            return experts[int(np.argmin(self.lost))]
        if self.hedge == "sample":
            return experts[int(np.searchsorted(np.cumsum(v), self.draw(self.t) * v.sum(), side="right"))]
        return v @ experts / v.sum()

    def score(self, x):
        return self.speak(self.experts([learner.answer(x) for learner in self.learners]))

    def gradient(self, s, Y):
        c = np.zeros(self.k)
        inside, outside = np.flatnonzero(Y == 1), np.flatnonzero(Y == 0)
        for l in inside:
            for r in outside:
                pull = 1 / (1 + np.exp(s[l] - s[r])) / (len(inside) * len(outside))
                c[l] -= pull
                c[r] += pull
        return c

    def learn(self, x, Y, weight=1.0):
        Y = np.asarray(Y, dtype=float)
        answers = [learner.answer(x) for learner in self.learners]
        experts = self.experts(answers)
        spoken = self.speak(experts)
        if ranks(Y):
            before = np.vstack([np.zeros(self.k), experts[:-1]])
            costs = [self.gradient(s, Y) for s in before]
            steps = [self.gradient(s, Y) @ h for s, h in zip(experts, answers, strict=True)]
            self.alpha = np.clip(self.alpha - weight * np.array(steps) / np.sqrt(self.t + 1), -2, 2)
            self.teach(x, Y, costs, weight)
            self.lost += weight * np.array([rank_loss(s, Y) for s in experts])
        self.calibrate(spoken, Y, weight)
        self.t += 1
