"""Bandits, one row at a time: OptBandit and AdaBandit from the paper (Zhang, Jung and Tewari 2019) and the specification; and
those with a model for each label, after Chen, Lin and Lu (2014) or of plain rewards.

A learner is an object with ``vote(x) -> label or None`` and ``learn(x, label, weight)``. ``potential(votes, r, n)`` is that
of the truth r when n more votes come; ``draw(t, lane)`` a keyed uniform number.
"""

import numpy as np


def sigma(z):
    return 1 / (1 + np.exp(-z))


class Bandit:
    def __init__(self, learners, k, base, rho, potential, draw):
        self.learners, self.k, self.base, self.rho = learners, k, base, rho
        self.potential, self.draw, self.t = potential, draw, 0
        self.alpha = np.full(len(learners), 1.0 if base == "mbbm" else 0.0)
        self.lost = np.zeros(len(learners))

    def experts(self, x):
        """What the learners say, the votes before each of them, and what the prefixes say."""
        said = [learner.vote(x) or 0 for learner in self.learners]
        s, before, prefix = np.zeros(self.k), [], []
        for alpha, label in zip(self.alpha, said, strict=True):
            before.append(s.copy())
            s[label] += alpha
            prefix.append(int(np.argmax(s)))
        return said, before, prefix, s

    def proba(self, x):
        _, _, prefix, s = self.experts(x)
        if self.base == "mbbm":
            return s / len(self.learners)
        v = np.exp(-(self.lost - self.lost.min()))
        return np.array([v[np.array(prefix) == c].sum() for c in range(self.k)]) / v.sum()

    def estimate(self, played, reward, p, best):
        """Losses that are right on average."""
        L = np.zeros(self.k)
        for r in range(self.k):
            if r == best:
                L[r] = (played == best) * (reward == 0) / p
            else:
                L[r] = (reward == 1) * (r != played) / p
        return L

    def costs(self, s, n):
        C = np.zeros((self.k, self.k))
        for r in range(self.k):
            if self.base == "mbbm":
                C[r] = [self.potential(s + np.eye(self.k)[l], r, n) for l in range(self.k)]
                C[r] -= C[r, r]
            else:
                C[r] = sigma(s - s[r])
                C[r, r] = 0
                C[r, r] = -C[r].sum()
        return C

    def learn(self, x, played, reward, p, best, weight=1.0):
        said, before, prefix, _ = self.experts(x)
        L = self.estimate(played, reward, p, best)
        I = 1 - L
        for i, (learner, s) in enumerate(zip(self.learners, before, strict=True)):
            c = I @ self.costs(s, len(self.learners) - 1 - i)
            least = np.flatnonzero(np.isclose(c, c.min(), rtol=0, atol=1e-12))
            amount = max(np.minimum(c - c.min(), 100).sum(), 1e-10)
            if reward == 1 and played in least:
                label = played
            else:
                label = int(least[int(self.draw(self.t, i) * len(least))])
            if self.base == "olm":
                a, l, slope = self.alpha[i], said[i], 0.0
                for r in range(self.k):
                    if r != l:
                        slope += I[r] * sigma(s[l] + a - s[r])
                    else:
                        slope -= I[r] * sum(sigma(s[j] - s[r] - a) for j in range(self.k) if j != r)
                step = weight * self.rho / (self.k**2 * np.sqrt(self.t + 1))
                self.alpha[i] = np.clip(a - step * slope, -2, 2)
            learner.learn(x, label, weight * amount)
        self.lost += weight * np.array([L[label] for label in prefix])
        self.t += 1


class EachLabel:
    """A model of "right or wrong" for every label; only that of the label that was played learns.

    Play label l with rho / k + (1 - rho) 1[l is best]; a number drawn from [0, 1) chooses the best one first, then the others in
    their order. Chen, Lin and Lu: the model is OSBoost with votes learned by OCP, and the example weighs 1 / P(played). Rewards:
    any model, the example as it is. `models` are ensembles of tests/oracle; while one has learned nothing it says 1/2.
    """

    def __init__(self, models, rho, draw, *, importance):
        self.models, self.rho, self.draw, self.importance, self.t = models, rho, draw, importance, 0

    def answer(self, x):
        """The shares of the labels, and whether a rounding could turn the best one."""
        p = [model.answer(x).proba[1] if model.examples else 0.5 for model in self.models]
        first, second = sorted(p, reverse=True)[:2]
        shares = [one / sum(p) for one in p] if sum(p) > 0 else [1 / len(p)] * len(p)
        return shares, 0 < first - second < 1e-9

    def play(self, x):
        shares, _ = self.answer(x)
        k, best = len(shares), shares.index(max(shares))
        u, self.t = self.draw(self.t), self.t + 1
        reached = 1 - self.rho + self.rho / k
        for label in [best, *(other for other in range(k) if other != best)]:
            p = self.rho / k + (1 - self.rho) * (label == best)
            if u < reached:
                return label, p
            reached += self.rho / k
        return label, p

    def learn(self, x, played, reward, p, weight=1.0):
        self.models[played].learn(x, int(reward), weight / p if self.importance else weight)
