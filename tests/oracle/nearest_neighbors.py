"""Nearest neighbours among the last rows, one by one."""

import math


class NearestNeighbors:
    def __init__(self, columns, n_classes, seed, lane, *, n_neighbors=5, window=1000):
        self.columns, self.n_neighbors = columns, n_neighbors
        self.window = window
        self.kept = []  # (numbers by column, codes by column, label, weight), the oldest first
        self.doubt = False

    @property
    def trained(self):
        return bool(self.kept)

    def meet(self):
        pass

    def learn(self, row, label, amount, copies=False):
        if amount > 0:
            self.kept = [*self.kept, (dict(row.scaled), dict(row.codes), label, amount)][-self.window :]

    def distance(self, row, numbers, codes):
        mine, own = dict(row.scaled), dict(row.codes)
        total = 0.0
        for j in range(self.columns.width):
            if j in self.columns.nominal:
                total += 0.0 if j in own and own[j] == codes.get(j) else 2.0
            else:
                total += (mine.get(j, 0.0) - numbers.get(j, 0.0)) ** 2
        return total

    def nearest(self, row):
        """(distance, label, weight), the closest first, of equally close ones the youngest."""
        found = [(self.distance(row, numbers, codes), y, w) for numbers, codes, y, w in reversed(self.kept)]
        return sorted(found, key=lambda one: one[0])

    def rounding_decides(self, row):
        """Whether the last neighbour and the first that is none are equally far, up to rounding, or the last at no distance."""
        near = [d for d, _, _ in self.nearest(row)]
        if not self.columns.history:
            return False
        far = near[min(self.n_neighbors, len(near)) - 1]
        return far < 1e-18 or any(d - far < 1e-9 for d in near[self.n_neighbors :])

    def counts(self, row, n_known):
        self.doubt |= self.rounding_decides(row)
        near = self.nearest(row)[: self.n_neighbors]
        far = near[-1][0]
        counts = [1 / n_known] * n_known
        for d, y, w in near:
            if y < n_known:
                counts[y] += w * (math.exp(-3 * d / far) if far > 0 else 1.0)
        return counts

    # ---- answers

    def distribution(self, row, n_known):
        if not self.kept:
            return [0.0] * n_known
        counts = self.counts(row, n_known)
        return [c / sum(counts) for c in counts]

    def margin(self, row):
        if not self.kept:
            return 0.0
        if self.columns.n_known < 2:
            return -1.0
        no, yes = self.distribution(row, 2)
        return yes - no

    def vote(self, row, n_known):
        n_known = min(n_known, self.columns.n_known)
        if not self.kept or n_known == 0:
            return -1
        counts = self.counts(row, n_known)
        return counts.index(max(counts))

    def vote_is_close(self, row, n_known):
        n_known = min(n_known, self.columns.n_known)
        if not self.kept or n_known < 2:
            return False
        best, second = sorted(self.counts(row, n_known), reverse=True)[:2]
        return best - second < 1e-9 or self.rounding_decides(row)
