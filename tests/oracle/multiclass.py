"""What the oracles of the two multiclass boosters share: how costs reach a learner, how large weights are, Hedge over labels.

Costs are rows C[r, l] less their diagonal. A learner that was never taught says the lowest code.
"""

import math

from oracle import draws
from oracle.ensembles import NEAR, Answer, Ensemble


def argmax(values):
    return values.index(max(values))


def nearly_tied(values):
    """Whether the two largest are apart by no more than a rounding. Equal values of exact counts are no doubt."""
    best, second = sorted(values, reverse=True)[:2]
    return best - second < NEAR


class Multiclass(Ensemble):
    def __init__(
        self,
        make,
        n_lanes,
        key,
        *,
        costs="argmax",
        weight_scale="rescaled",
        weight_target=5.0,
        hedge="vote",
        **options,
    ):
        super().__init__(make, n_lanes, key, **options)
        self.costs, self.weight_scale, self.target, self.hedge = costs, weight_scale, weight_target, hedge
        self.raw_sums = [0.0] * n_lanes
        for lane in self.lanes:
            lane.quotients = True
        # There the answers are not the votes that the base class counts.
        self.unsure_error_rate = costs not in (
            "argmax",
            "leaf_costs",
        )
        self.experts = []
        self.expected = 0.0

    # ---- learners

    def trained(self, i, row):
        return self.lanes[i].vote(row, self.n_known) >= 0

    def lane_label(self, i, row, excess):
        """(label, whether rounding could turn it). `excess()` gives the matrix of costs less their diagonals."""
        lane = self.lanes[i]
        if not self.trained(i, row):
            return 0, False
        if self.costs in ("argmax", "leaf_costs"):
            return lane.vote(row, self.n_known), lane.vote_is_close(row, self.n_known)
        rows = excess()
        if self.costs == "bayes_norm":
            sums = [sum(r) for r in rows]
            rows = [[c / s if s > 1e-12 else 0.0 for c in r] for r, s in zip(rows, sums, strict=True)]
            if any(1e-13 < s < 1e-11 for s in sums):
                return 0, True
        p = lane.distribution(row, self.n_known)
        expected = [sum(p[r] * rows[r][l] for r in range(self.n_known)) for l in range(self.n_known)]
        best, second = sorted(expected)[:2]
        return expected.index(best), (best != second and second - best < 1e-11) or (
            best == second and best != 0
        )

    def teach_costs(self, lane, row, label, amount, costs):
        """leaf_costs: the learner collects its amount times the row of costs less its diagonal, scaled to sum 1."""
        excess = [c - costs[label] for c in costs]
        if self.costs == "leaf_costs":
            whole = sum(excess)
            scale = amount / whole if whole > 1e-12 else 0.0
            self.lanes[lane].learn_costs(row, [scale * c for c in excess])

    # ---- weights

    def constant(self, i):
        return 5 + 195 * draws.uniform(self.key, 0, i, draws.PARAMETERS, 16)

    def amount(self, i, w):
        """w in [0, 1]."""
        if self.weight_scale == "rescaled":
            self.raw_sums[i] += w
            mean = self.raw_sums[i] / (self.examples + 1)
            return self.target * w / mean if w > 0 else 0.0
        return min(w, 1.0)

    # ---- Hedge

    def shares(self):
        least = min(self.experts)
        p = [math.exp(least - loss) for loss in self.experts]
        return [x / sum(p) for x in p]

    def hedged(self, labels, close):
        p = self.shares()
        proba = [sum(x for x, l in zip(p, labels, strict=True) if l == c) for c in range(self.n_known)]
        label = argmax(proba)
        if self.hedge == "vote":
            close |= nearly_tied(proba)
        elif self.hedge == "best":
            label = labels[self.experts.index(min(self.experts))]
        else:
            mark, reached = draws.uniform(self.key, self.examples, 0, draws.HEDGE), 0.0
            label = labels[-1]
            for x, l in zip(p, labels, strict=True):
                reached += x
                close |= abs(mark - reached) < NEAR
                if mark < reached:
                    label = l
                    break
        return Answer(label, None, proba, close)

    def punish(self, labels, truth, weight):
        wrong = [l != truth for l in labels]
        self.expected += weight * sum(x for x, bad in zip(self.shares(), wrong, strict=True) if bad)
        self.experts = [loss + weight * bad for loss, bad in zip(self.experts, wrong, strict=True)]
