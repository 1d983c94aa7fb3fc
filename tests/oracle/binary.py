"""What the oracles of the two-class boosters share: one hypothesis per learner, asked before anybody is taught.

h^i is the learner's margin in [-1, 1] ("real") or its sign ("sign"); the same function enters weights, votes and losses.
Class code 1 is y = +1, code 0 is y = -1, and the sign of 0 is -1: so, too, is that of a learner never taught (margin 0).
"""

from oracle.ensembles import NEAR, Ensemble


def sign(value):
    return 1.0 if value > 0 else -1.0


def prefix_sums(terms):
    total, sums = 0.0, []
    for term in terms:
        total += term
        sums.append(total)
    return sums


def unsure_prefixes(terms, shaky):
    """Prefixes whose sum is near zero by cancellation: their sign is rounding.

    Whole numbers (signs, clipped values) cancel in any arithmetic, unless a learner's own answer is `shaky`.
    """
    vague = [s or not float(term).is_integer() for term, s in zip(terms, shaky, strict=True)]
    return [abs(total) < NEAR and any(vague[: i + 1]) for i, total in enumerate(prefix_sums(terms))]


class Binary(Ensemble):
    def __init__(self, make, n_estimators, key, *, hypothesis="real", **options):
        super().__init__(make, n_estimators, key, **options)
        self.hypothesis = hypothesis
        self.edge_sum = [0.0] * n_estimators  # sum of w y h

    def h(self, lane, row):
        if self.hypothesis == "real":
            return lane.margin(row)
        return 1.0 if lane.trained and lane.vote(row, 2) == 1 else -1.0

    def hypotheses(self, row):
        return [self.h(lane, row) for lane in self.lanes]

    def signs_are_close(self, row):
        return self.hypothesis == "sign" and any(self.shaky(row))

    def shaky(self, row):
        return [lane.vote_is_close(row, 2) for lane in self.lanes]

    def learn(self, x, label, weight=1.0):
        if weight > 0:
            before = self.columns.read(x)
            self.asked_h = self.hypotheses(before)
            self.asked_shaky = self.shaky(before)
            self.doubt |= self.signs_are_close(before)
        super().learn(x, label, weight)

    def hand_out(self, row, label, offered, amounts=None):
        """Teach learner i its amount; what was offered is what the report counts."""
        y = 1 if label == 1 else -1
        for i, lane in enumerate(self.lanes):
            lane.learn(row, label, (amounts or offered)[i])
            self.edge_sum[i] += offered[i] * y * self.asked_h[i]

    @property
    def edge(self):
        return [
            total / weight if weight > 0 else 0.0
            for total, weight in zip(self.edge_sum, self.weight_sum, strict=True)
        ]
