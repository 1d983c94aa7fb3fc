"""Decision stumps in batch: every answer looks at the whole weighted multiset of examples.

Oza 2001, section 2.3: one test on one attribute, chosen by information gain; a leaf answers with its majority. Nominal
attributes have a leaf per value, numeric ones two around the best cut, midway between neighbouring values. Gains count the
examples that have the attribute: share of the weight times (entropy before - entropy after).
"""

import itertools
import math
from collections import defaultdict

from oracle.remembering import Remembering

TIE = 1e-10  # gains nearer than this are equal: the first attribute, the lowest cut
GREY = 1e-7  # nearer than this but not equal: other arithmetic may see it otherwise


def entropy(counts):
    total = sum(counts)
    return -sum(n / total * math.log(n / total) for n in counts if n > 0)


def better(gain, than):
    return gain > than + TIE


def grey(gain, than):
    return TIE / 10 < abs(gain - than) < GREY


class Stump(Remembering):
    def __init__(self, columns, n_classes, seed, lane, *, numeric="bins", max_bins=64):
        super().__init__(columns)  # examples: (class, weight, {column: number}, {column: value code})
        self.candidates = None  # the columns of a learner that has only some; None: all
        self.max_bins = math.inf if numeric == "exact" else max_bins
        self.learning = (
            None  # the row that is being learned: its values are there, nothing is merged for it yet
        )
        self.quotients = (
            False  # amounts are quotients: two that are equal on paper may differ in the last bit
        )

    def learn(self, row, label, amount, copies=False):
        self.learning = row
        if amount > 0:
            self.examples.append((label, amount, dict(row.numbers), dict(row.codes)))

    # ---- numeric columns: intervals, shared by all learners

    def intervals(self, j, row):
        """Ascending (low, high) of column j."""
        numbers = self.columns.history[j]
        merged = len(numbers) - (row is self.learning and j in dict(row.numbers))
        found = []  # [low, high, rows]
        for t, x in enumerate(numbers):
            if not any(low <= x <= high for low, high, _ in found):
                found = sorted([*found, [x, x, 0]])
            if t >= merged:
                continue
            next(cell for cell in found if cell[0] <= x <= cell[1])[2] += 1
            if len(found) > self.max_bins:
                while len(found) > max(self.max_bins * 3 // 4, 2):
                    rows = [a[2] + b[2] for a, b in itertools.pairwise(found)]
                    p = rows.index(min(rows))
                    a, b = found[p : p + 2]
                    found[p : p + 2] = [[a[0], b[1], a[2] + b[2]]]
        return [(low, high) for low, high, _ in found]

    # ---- leaves

    def counts(self, examples, n_known):
        out = [0.0] * n_known
        for label, weight, _, _ in examples:
            out[label] += weight
        return out

    def gain(self, leaves, n_known):
        """Of a split of the examples that have the attribute."""
        having = [example for leaf in leaves for example in leaf]
        everything = sum(weight for _, weight, _, _ in self.examples)
        weight = sum(weight for _, weight, _, _ in having)
        after = 0.0
        for leaf in leaves:
            inside = self.counts(leaf, n_known)
            after += sum(inside) * entropy(inside) if sum(inside) > 0 else 0.0
        return (weight * entropy(self.counts(having, n_known)) - after) / everything if weight > 0 else 0.0

    def nominal_leaf(self, j, row, n_known):
        leaves = defaultdict(list)
        for example in self.examples:
            if j in example[3]:
                leaves[example[3][j]].append(example)
        return self.gain(list(leaves.values()), n_known), leaves.get(dict(row.codes).get(j)), False

    def numeric_leaf(self, j, row, n_known):
        cells = []
        for low, high in self.intervals(j, row):
            inside = [example for example in self.examples if low <= example[2].get(j, math.nan) <= high]
            if inside:
                cells.append((low, high, inside))
        best, cut, unsure = 0.0, None, False
        for p in range(1, len(cells)):
            left = [example for _, _, inside in cells[:p] for example in inside]
            right = [example for _, _, inside in cells[p:] for example in inside]
            gain = self.gain([left, right], n_known)
            unsure |= grey(gain, best)
            if better(gain, best):
                best, cut = gain, ((cells[p - 1][1] + cells[p][0]) / 2, left, right)
        x = dict(row.numbers).get(j)
        if cut is None or x is None:
            return best, None, unsure
        return best, cut[1] if x <= cut[0] else cut[2], unsure or abs(x - cut[0]) < 1e-12

    def leaf(self, row, n_known):
        """(class counts that answer for the row, whether rounding could have chosen others)."""
        best, chosen, unsure = None, None, False
        for j in range(self.columns.width) if self.candidates is None else sorted(self.candidates):
            of = self.nominal_leaf if j in self.columns.nominal else self.numeric_leaf
            gain, leaf, grey_cut = of(j, row, n_known)
            if best is not None:
                unsure |= grey(gain, best)
            if best is None or better(gain, best):
                best, chosen = max(gain, 0.0), leaf
                unsure |= grey_cut
        counts = self.counts(chosen or [], n_known)
        if sum(counts) == 0:
            counts = self.counts(self.examples, n_known)
        return counts, unsure

    # ---- answers

    def vote(self, row, n_known):
        if not self.trained:
            return -1
        counts, _ = self.leaf(row, n_known)
        return counts.index(max(counts))

    def vote_is_close(self, row, n_known):
        if not self.trained or n_known < 2:
            return False
        counts, unsure = self.leaf(row, n_known)
        best, second = sorted(counts, reverse=True)[:2]
        exact = not self.quotients and all(
            weight * 4 == round(weight * 4) for _, weight, _, _ in self.examples
        )
        return unsure or (not exact and best - second < 1e-9 * best)

    def distribution(self, row, n_known):
        if not self.trained:
            return [0.0] * n_known
        counts, _ = self.leaf(row, n_known)
        return [n / sum(counts) for n in counts]

    def margin(self, row):
        if not self.trained:
            return 0.0
        no, yes = self.distribution(row, 2)
        return yes - no
