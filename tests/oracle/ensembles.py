"""What all oracle ensembles have in common: known classes, lanes, the order of asking and learning, the report.

`answer(x)` is what the ensemble says before it learns the row: it knows the classes and values learned so far and nothing of
this row. `learn(x, label, weight)` takes class codes; a weight of zero is a no-op. Every learned row leaves one dict in `trace`.
"""

from collections import namedtuple

from oracle.rows import Columns

# label: code or None; scores: the combined votes; proba: one share per known class; close: a rounding could turn the label.
Answer = namedtuple("Answer", "label scores proba close")

NEAR = 1e-9


class Ensemble:
    def __init__(self, make, n_estimators, key, *, width, n_classes=None, nominal=(), scale="none"):
        self.key = key
        self.n_declared = n_classes
        self.n_known = n_classes or 0
        self.counts = [0.0] * self.n_known  # summed weight per class
        self.examples = 0  # learned so far
        self.columns = Columns(width, nominal, scale)
        self.columns.n_known = self.n_known
        self.lanes = [make(self.columns, n_classes, key, lane) for lane in range(n_estimators)]
        self.trace = []
        self.wrong_rows = [0] * n_estimators
        self.weight_sum = [0.0] * n_estimators
        self.unsure_error_rate = False
        self.doubt = False  # some decision that keyed_model the state was too close to call

    # ---- answering

    def answer(self, x):
        if self.n_known == 0:
            return Answer(None, None, None, False)
        if self.n_known == 1:
            return Answer(0, None, [1.0], False)
        return self.combine(self.columns.read(x))

    def combine(self, row):
        raise NotImplementedError

    def plurality(self, votes, close=False, exact=False):
        """The largest vote wins, the lowest code among equals; without votes the class frequencies decide."""
        positive = [max(v, 0.0) for v in votes]
        if any(v != 0 for v in votes):
            shares, ranked = positive, votes
        else:
            shares, ranked, exact = self.counts, self.counts, True
        if sum(shares) == 0:
            shares = self.counts
        label = ranked.index(max(ranked))
        proba = [s / sum(shares) for s in shares] if sum(shares) > 0 else None
        best, second = sorted(ranked, reverse=True)[:2]
        tied = not exact and best - second < NEAR  # counting votes involves no rounding
        return Answer(label, list(votes), proba, close or tied)

    # ---- learning

    def learn(self, x, label, weight=1.0):
        if weight <= 0:
            return
        before = self.columns.read(x)
        n_before = self.n_known
        while self.n_known <= label:
            self.n_known += 1
            self.columns.n_known = self.n_known
            self.counts.append(0.0)
        asked = [lane.vote(before, n_before) for lane in self.lanes]
        asked_close = [lane.vote_is_close(before, n_before) for lane in self.lanes]
        self.unsure_error_rate |= any(asked_close)
        self.wrong_rows = [
            wrong + (code != label) for wrong, code in zip(self.wrong_rows, asked, strict=True)
        ]
        row = self.columns.learn(x)
        for lane in self.lanes:
            lane.meet()
        step = self.teach(row, label, weight, asked, asked_close)
        self.counts[label] += weight
        self.examples += 1
        for i, amount in enumerate(step["offered"]):
            self.weight_sum[i] += amount
        self.doubt |= any(lane.doubt for lane in self.lanes)
        self.trace.append(step)

    def teach(self, row, label, weight, asked, asked_close):
        raise NotImplementedError

    @property
    def error_rate(self):
        return [wrong / self.examples for wrong in self.wrong_rows]
