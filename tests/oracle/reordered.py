"""ADOB (Santos et al. 2014) and BOLE (2016): Oza's chain in an order of its own for every example.

Learners are sorted by sc / (sc + sw), the worst first (none yet: 0; equal: by number). An example meets the worst; after a right
answer the best that is left, after a wrong one the worst that is left. With its answer of before it learns:
   right   sc += lam,  lam <- lam T / (2 sc)          wrong   sw += lam,  lam <- lam T / (2 sw)          T examples so far
Each learns Poisson(lam) copies, at most 10 max(s, 1). Vote log((1 - e) / e) where e = sw / (sc + sw) <= 1/2; ADOB hears learners
up to the first that may not vote, BOLE all that may; for a label, or shared out as the class distribution says.
"""

import itertools
import math

from oracle import draws
from oracle.ensembles import Ensemble

TINY = 1e-10


class Reordered(Ensemble):
    def __init__(self, make, n_estimators, key, *, method="bole", ballot="distribution", **options):
        super().__init__(make, n_estimators, key, **options)
        self.method, self.ballot = method, ballot
        self.sc, self.sw = [0.0] * n_estimators, [0.0] * n_estimators

    def accuracy(self, i):
        total = self.sc[i] + self.sw[i]
        return self.sc[i] / total if total > 0 else 0.0

    def combine(self, row):
        votes, close = [0.0] * self.n_known, False
        for i, lane in enumerate(self.lanes):
            total = self.sc[i] + self.sw[i]
            if total > 0 and abs(self.sc[i] - self.sw[i]) < 1e-12 * total:
                close = True
            if total == 0 or self.sw[i] > self.sc[i]:
                if self.method == "adob":
                    break
                continue
            e = max(self.sw[i] / total, TINY)
            code = lane.vote(row, self.n_known)
            voice = math.log((1 - e) / e)
            if self.ballot == "distribution":
                shares = lane.distribution(row, self.n_known)
                votes = [v + voice * p for v, p in zip(votes, shares, strict=True)]
            elif code >= 0:
                votes[code] += voice
            close |= lane.vote_is_close(row, self.n_known)
        return self.plurality(votes, close)

    def teach(self, row, label, weight, asked, asked_close):
        left = sorted(range(len(self.lanes)), key=lambda i: (self.accuracy(i), i))
        gaps = [self.accuracy(b) - self.accuracy(a) for a, b in itertools.pairwise(left)]
        self.doubt |= any(0 < gap < 1e-12 for gap in gaps) or any(asked_close)
        offered, amounts = [0.0] * len(left), [0.0] * len(left)
        lam, right = weight, False
        while left:
            i = left.pop(-1 if right else 0)
            lam = min(lam, draws.LARGEST_RATE)
            offered[i] = lam
            amounts[i] = min(draws.poisson(self.key, self.examples, i, lam), math.floor(10 * max(weight, 1)))
            right = asked[i] == label
            if right:
                self.sc[i] += lam
            else:
                self.sw[i] += lam
            own = self.sc[i] if right else self.sw[i]
            lam = lam * (self.examples + 1) / (2 * own) if own > 0 else 0.0
        for i, lane in enumerate(self.lanes):
            lane.learn(row, label, amounts[i], copies=True)
        return {"offered": offered, "amount": amounts}
