"""The decision tree of ITI (Utgoff, Berkman, Clouse 1997), as a batch learner: the whole tree from all examples, every time.

   tree(S) = leaf, if S holds one class or no test separates S
             else the best test t over tree(S with t) and tree(S without t)

Tests: nominal "a = v", numeric "a < cut" with cuts midway between neighbouring values; a missing value fails. Weights are
fractions, so counts are exact; scores are not, so two that differ by less than LEVEL count as equal and the first in the order
(column, value or cut) wins. A difference between LEVEL and NEAR is left undecided: `doubt`.
"""

import math
from collections import Counter, namedtuple
from fractions import Fraction
from itertools import pairwise

from oracle.remembering import Remembering

NEAR, LEVEL = 1e-8, 1e-12

# test: (column, kind, value or cut) or None for a leaf; counts: {class: weight}; pruned: answers for what is below
Node = namedtuple("Node", "test counts yes no pruned bits n_tests")


def passes(test, cells):
    column, kind, cut = test
    if column not in cells:
        return False
    return cells[column] == cut if kind == "=" else cells[column] < cut


def entropy(counts):
    total = sum(counts.values())
    return -math.fsum(float(n / total) * math.log(n / total) for n in counts.values() if 0 < n < total)


class IncrementalTree(Remembering):
    def __init__(self, columns, n_classes, seed, lane, *, metric="gain_ratio", prune=True):
        super().__init__(columns)
        self.metric, self.prune = metric, prune
        self.examples = Counter()  # (cells, class) -> weight
        self.whole = True  # all weights are whole: sums in floating point are exact too
        self.built = None

    def learn(self, row, label, amount, copies=False):
        if amount > 0:
            self.examples[(frozenset([*row.numbers, *row.codes]), label)] += Fraction(amount)
            self.whole &= float(amount).is_integer()
            self.built = None
            self.tree()  # doubts belong to the step that raised them

    # ---- the tree

    def tree(self):
        if self.built is None:
            self.built = self.build([(dict(cells), y, w) for (cells, y), w in self.examples.items()])
        return self.built

    def build(self, examples):
        counts = Counter()
        for _, y, w in examples:
            counts[y] += w
        tests = self.tests(examples) if len(counts) > 1 else []
        as_leaf = self.leaf_bits(counts)
        if not tests:
            return Node(None, dict(counts), None, None, False, as_leaf, 0)
        test = self.best(tests, examples, counts)
        yes = self.build([e for e in examples if passes(test, e[0])])
        no = self.build([e for e in examples if not passes(test, e[0])])
        as_node = 1 + math.log2(len(tests)) + yes.bits + no.bits
        pruned = False
        if self.prune:
            gap = as_leaf - as_node
            pruned = gap <= LEVEL * as_node
            self.doubt |= LEVEL * as_node / 100 < abs(gap) < NEAR * as_node
        return Node(test, dict(counts), yes, no, pruned, min(as_leaf, as_node), len(tests))

    def tests(self, examples):
        """All tests that separate the examples, in canonical order."""
        found = []
        for j in range(self.columns.width):
            kind = "=" if j in self.columns.nominal else "<"
            seen = sorted({cells[j] for cells, _, _ in examples if j in cells})
            if kind == "=":
                gaps = any(j not in cells for cells, _, _ in examples)
                found += [(j, kind, v) for v in seen] if len(seen) + gaps > 1 else []
            else:
                found += [(j, kind, a / 2 + b / 2) for a, b in pairwise(seen)]
        return found

    def best(self, tests, examples, counts):
        scores = [self.score(test, examples, counts) for test in tests]
        top = max(scores)
        self.doubt |= any(LEVEL < top - score < NEAR for score in scores)
        return next(test for test, score in zip(tests, scores, strict=True) if top - score <= LEVEL)

    def score(self, test, examples, counts):
        yes = Counter()
        for cells, y, w in examples:
            if passes(test, cells):
                yes[y] += w
        if self.metric == "ks":
            shares = [float(yes[y] / n) for y, n in counts.items()]
            return max(shares) - min(shares)
        no = {y: n - yes[y] for y, n in counts.items()}
        total, n_yes = sum(counts.values()), sum(yes.values())
        p = float(n_yes / total)
        gain = entropy(counts) - p * entropy(yes) - (1 - p) * entropy(no)
        return gain if self.metric == "info_gain" else gain / entropy({0: n_yes, 1: total - n_yes})

    @staticmethod
    def leaf_bits(counts):
        i, c = sum(counts.values()), len(counts)
        x = i - max(counts.values())
        return 1 + math.log2(c) + float(x) * (math.log2(max(i, 1)) + math.log2(max(c - 1, 1)))

    # ---- answers

    def counts_at(self, row):
        cells = dict([*row.numbers, *row.codes])
        node = self.tree()
        while node.test is not None and not node.pruned:
            node = node.yes if passes(node.test, cells) else node.no
        return node.counts

    def distribution(self, row, n_known):
        if not self.trained:
            return [0.0] * n_known
        counts = self.counts_at(row)
        return [float(counts.get(c, 0) / sum(counts.values())) for c in range(n_known)]

    def margin(self, row):
        if not self.trained:
            return 0.0
        no, yes = self.distribution(row, 2)
        return yes - no

    def vote(self, row, n_known):
        if not self.trained:
            return -1
        counts = self.counts_at(row)
        return min(counts, key=lambda c: (-counts[c], c))

    def vote_is_close(self, row, n_known):
        if not self.trained or self.whole:
            return False
        best, second = sorted([*self.counts_at(row).values(), Fraction(0)], reverse=True)[:2]
        return best - second < NEAR * best
