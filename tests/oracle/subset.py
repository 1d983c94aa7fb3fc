"""A learner that looks at some columns only: Bai, Lam, Sclaroff 2014, section 5 (each weak learner has its own features).

Of the d columns lane i takes k = max(1, round(fraction * d)), half up: those with the k smallest keyed numbers.
"""

import math

from oracle import draws
from oracle.rows import Row


def chosen(fraction, width, seed, lane):
    rank = sorted(range(width), key=lambda j: (draws.uniform(seed, j, lane, draws.SUBSET), j))
    return set(rank[: min(width, max(1, math.floor(fraction * width + 0.5)))])


class SubsetLane:
    """Hands its learner rows without the other columns; a linear learner's weights there are and stay 0."""

    def __init__(self, lane, keep):
        self.lane, self.keep = lane, keep
        if hasattr(lane, "chosen"):  # a tree draws the candidates of a node from these
            lane.chosen = sorted(keep)
        elif hasattr(lane, "candidates"):  # a stump would also take a column that tells nothing
            lane.candidates = keep
        self.silence()

    def silence(self):
        for vector in getattr(self.lane, "vectors", ()):
            for coordinate in vector:
                if coordinate != "intercept" and coordinate[1] not in self.keep:
                    vector[coordinate] = 0.0

    def cut(self, row):
        parts = (row.numbers, row.scaled, row.codes)
        cut = Row(*([pair for pair in part if pair[0] in self.keep] for part in parts))
        if row.t is not None:  # the row stage is the same for all lanes; a lane's Q counts its own columns
            mine = [at for at in row.t if at == "intercept" or at[1] in self.keep]
            cut.t, cut.u = ({at: part[at] for at in mine} for part in (row.t, row.u))
            cut.Q, cut.n = sum(row.t[at] * row.u[at] for at in mine), row.n
        return cut

    def meet(self):
        self.lane.meet()
        self.silence()

    @property
    def trained(self):
        return self.lane.trained

    @property
    def doubt(self):
        return self.lane.doubt

    def margin(self, row):
        return self.lane.margin(self.cut(row))

    def log_odds(self, row):
        return log_odds(self.lane, self.cut(row))

    def vote(self, row, n_known):
        return self.lane.vote(self.cut(row), n_known)

    def vote_is_close(self, row, n_known):
        return self.lane.vote_is_close(self.cut(row), n_known)

    def learn(self, row, label, amount, copies=False):
        self.lane.learn(self.cut(row), label, amount, copies)


def log_odds(lane, row):
    """ln p(+1 | x) / p(-1 | x): a learner's own, or from its margin h = 2 p - 1."""
    if not lane.trained:
        return 0.0
    if hasattr(lane, "log_odds"):
        return lane.log_odds(row)
    if type(lane).__name__ == "Logistic":
        return lane.raw(lane.vectors[0], lane.point(row))
    h = lane.margin(row)
    return math.inf * h if abs(h) == 1 else math.log((1 + h) / (1 - h))
