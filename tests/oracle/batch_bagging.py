"""Batch bagging (Breiman 1996): every learner sees its own bootstrap sample. Draw j of learner i is keyed by (j, i)."""

from bisect import bisect_right
from itertools import accumulate

from oracle import draws
from oracle.bagging import Bagging


class BatchBagging(Bagging):
    def __init__(self, make, n_estimators, key, *, n_rows, **options):
        super().__init__(make, n_estimators, key, **options)
        self.n_rows = n_rows
        self.kept = []

    def learn(self, x, label, weight=1.0):
        if weight > 0:
            self.kept.append((x, label, weight))
        super().learn(x, label, weight)

    def counts_of(self, lane):
        n = len(self.kept)
        sums = list(accumulate(w for _, _, w in self.kept))
        copies = [0] * n
        for j in range(n):
            u = draws.uniform(self.key, j, lane, draws.POISSON)
            copies[min(bisect_right(sums, u * sums[-1]), n - 1)] += 1
        return copies

    def teach(self, row, label, weight, asked, asked_close):
        if self.examples == self.n_rows - 1:
            rows = [(self.columns.read(x), label) for x, label, _ in self.kept]
            for i, lane in enumerate(self.lanes):
                for (seen, code), k in zip(rows, self.counts_of(i), strict=True):
                    lane.learn(seen, code, k, copies=True)
        return {"offered": []}
