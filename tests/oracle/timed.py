"""Experts of time around a regressor, slow and obvious: the last target, boosted trees beyond a base, a pool, a referee."""

from __future__ import annotations

import math

import numpy as np

from oracle.replay_boosting import Boosting, plan_of_fits


class RefereePool:
    def __init__(self, experts, window=2000.0, referee_window=500.0):
        self.keep, self.fade = 1 - 1 / window, 1 - 1 / referee_window
        self.beta, self.H = np.zeros(experts - 1), 20 * np.eye(experts - 1)
        self.missed, self.rows, self.square = np.zeros(experts + 1), 0, 0.0
        self.past = []  # before each learned example: the shares, and who spoke

    def all_answers(self, said, beta):
        return np.append(said, said[0] + beta @ (said[1:] - said[0]))

    def voice(self, delay):
        """The shares and the speaker of so many examples ago; those of the start before the first."""
        if delay == 0:
            return self.beta, np.argmin(self.missed)
        return self.past[-delay] if len(self.past) >= delay else (np.zeros(len(self.beta)), 0)

    def answer(self, said, delay=0):
        beta, who = self.voice(delay)
        spoken = self.all_answers(said, beta)[who]
        return spoken if math.isfinite(spoken) else said[0]

    def learn(self, said, y, w, delay=0):
        answers = self.all_answers(said, self.voice(delay)[0])
        self.past.append((self.beta, np.argmin(self.missed)))
        if not np.isfinite(said).all():
            return
        self.missed = self.fade * self.missed + w * np.abs(answers - y)
        self.rows = min(self.rows + 1, 500)
        self.square += ((y - said[0]) ** 2 - self.square) / self.rows
        s = math.sqrt(self.square)
        if s > 0:
            z = np.clip((said[1:] - said[0]) / s, -5, 5)
            r = np.clip((y - self.all_answers(said, self.beta)[-1]) / s, -3, 3)
            self.H = self.keep * self.H + w * np.outer(z, z) + (1 - self.keep) * 4 * np.eye(len(z))
            self.beta = self.beta + np.linalg.solve(self.H, w * z * r)


def sum_of(fit, x):
    """What the trees of a fit add up to; a value beyond all that a nominal column had is missing."""
    codes = [
        0 if math.isnan(v) else 1 + sum(cut < v for cut in cuts) for v, cuts in zip(x, fit.cuts, strict=True)
    ]
    return float(fit.start[0]) + sum(float(tree.values[tree.leaf_of(codes)][0]) for tree in fit.trees)


def answers(X, y, w, own, names, *, delay=0, **trees):
    """Return what is said to each row, given the regressor's own answers; X holds numbers alone."""
    pool = RefereePool(1 + len(names))
    rows, targets, bases, weights, out = [], [], [], [], []
    fits = {end: (begin, due) for begin, end, due in plan_of_fits(len(y), memory=10**6)}
    waiting, spoke = [], {name: [] for name in names}
    for x, target, weight, mine in zip(X, y, w, own, strict=True):
        late = delay if weight > 0 else 0  # a row of weight 0 is only asked about
        ago = [targets[-1 - late - k] if len(targets) > late + k else math.nan for k in (0, 1)]
        row = np.float32([ago[0], ago[0] - ago[1], *x]).astype(float)
        then = {
            name: [fit for since, fit in all_of if since <= len(targets) - late]
            for name, all_of in spoke.items()
        }
        speaking = {name: fits_of[-1] for name, fits_of in then.items() if fits_of}
        base = {"differences": ago[0], "residuals": mine, "replay": 0.0 if "replay" in speaking else mine}
        said = [mine]
        for name in names:
            said.append(ago[0] if name == "last" else base[name])
            if name in speaking:
                said[-1] += sum_of(speaking[name], row)
        said = np.array(said)
        out.append(pool.answer(said, late))
        if weight == 0:
            continue
        pool.learn(said, target, weight, late)
        known = {name: b if math.isfinite(b) else target for name, b in base.items()}
        known["replay"] = 0.0
        rows.append(row)
        targets.append(target)
        bases.append(known)
        weights.append(weight)
        t = len(targets)
        for due, name, fit in [w for w in waiting if w[0] == t]:
            spoke[name].append((due, fit))
            waiting.remove((due, name, fit))
        if t in fits:
            for name in set(names) - {"last"}:
                beyond = np.array(targets) - np.array([b[name] for b in bases])
                fit = Boosting(np.array(rows), beyond, weights, loss="squared", **trees)
                waiting.append((fits[t][1], name, fit))
    return np.array(out)
