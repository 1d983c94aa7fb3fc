"""Oza's online boosting (thesis 2001, figure 4.3 and section 4.6.3), with the options the literature left open.

One example travels from learner to learner with weight lam. Learner i is taught Poisson(lam) copies, then tested:
   right   sc += lam,  lam *= (sc + sw) / (2 sc)
   wrong   sw += lam,  lam *= (sc + sw) / (2 sw)
It votes with log((1 - e) / e), e = sw / (sc + sw), up to the first learner whose e exceeds 1/2: for its label, or shared out
as its class distribution says.
"""

import math

from oracle import draws
from oracle.ensembles import Ensemble

TINY = 1e-10


class Oza(Ensemble):
    def __init__(self, make, n_estimators, key, *, untrained="wrong", order="update_first", draw="poisson",
                 lambda_cap=None, copies_cap=10, vote="log_odds", prefix="stop_at_first_bad", normalise="running",
                 ballot="label", **options):  # fmt: skip
        super().__init__(make, n_estimators, key, **options)
        self.untrained, self.order, self.draw, self.lambda_cap = untrained, order, draw, lambda_cap
        self.copies_cap = copies_cap
        self.vote, self.prefix, self.normalise, self.ballot = vote, prefix, normalise, ballot
        self.sc = [0.0] * n_estimators
        self.sw = [0.0] * n_estimators

    # ---- the vote

    def lane_vote(self, i, row, n_known):
        code = self.lanes[i].vote(row, n_known)
        if code >= 0:
            return code
        if self.untrained == "class0":
            return 0
        if self.untrained == "random" and n_known > 0:
            return math.floor(draws.uniform(self.key, self.examples, i, draws.TIE) * n_known)
        return -1

    def epsilon(self, i):
        total = self.sc[i] + self.sw[i]
        return self.sw[i] / total if total > 0 else 0.5

    def voice(self, i):
        """How much the vote of learner i counts."""
        if self.vote == "uniform":
            return 1.0
        total = self.sc[i] + self.sw[i]
        if total == 0:
            return 0.0
        if self.vote == "log_odds":
            e = min(max(self.epsilon(i), TINY), 1 - TINY)
            return math.log((1 - e) / e)
        return {"sun_literal": total, "linear_edge": self.sc[i] - self.sw[i]}[self.vote]

    def combine(self, row):
        votes = [0.0] * self.n_known
        close = False
        for i, lane in enumerate(self.lanes):
            gap = abs(self.sc[i] - self.sw[i])
            if (
                self.prefix != "all"
                and self.sc[i] + self.sw[i] > 0
                and gap < 1e-12 * (self.sc[i] + self.sw[i])
            ):
                close = True  # whether this learner is bad is rounding
            if self.prefix != "all" and self.epsilon(i) > 0.5:
                if self.prefix == "stop_at_first_bad":
                    break
                continue
            code = self.lane_vote(i, row, self.n_known)
            if self.ballot == "distribution" and lane.vote(row, self.n_known) >= 0:
                shares = lane.distribution(row, self.n_known)
                votes = [v + self.voice(i) * p for v, p in zip(votes, shares, strict=True)]
            elif code >= 0:
                votes[code] += self.voice(i)
            close |= lane.vote_is_close(row, self.n_known)
        return self.plurality(votes, close, exact=self.vote == "uniform" and self.ballot == "label")

    # ---- the chain

    def copies(self, i, lam, weight):
        drawn = draws.poisson(self.key, self.examples, i, lam)
        return drawn if self.copies_cap is None else min(drawn, math.floor(self.copies_cap * max(weight, 1)))

    def teach(self, row, label, weight, asked, asked_close):
        lam = weight
        step = {name: [] for name in ("offered", "amount", "right", "sc", "sw", "passed_on")}
        for i, lane in enumerate(self.lanes):
            if self.lambda_cap is not None:
                lam = min(lam, self.lambda_cap)
            lam = min(lam, draws.LARGEST_RATE)
            amount = lam if self.draw == "weight" else self.copies(i, lam, weight)
            if self.order == "test_first":
                code, close = asked[i], asked_close[i]
                if code < 0:
                    code = self.lane_vote(i, row, self.n_known)
                lane.learn(row, label, amount, copies=self.draw == "poisson")
            else:
                lane.learn(row, label, amount, copies=self.draw == "poisson")
                code, close = self.lane_vote(i, row, self.n_known), lane.vote_is_close(row, self.n_known)
            self.doubt |= close
            right = code == label
            step["offered"].append(lam)
            step["amount"].append(amount)
            step["right"].append(right)
            if right:
                self.sc[i] += lam
            else:
                self.sw[i] += lam
            top = self.sc[i] + self.sw[i] if self.normalise == "running" else self.examples + 1
            own_side = self.sc[i] if right else self.sw[i]
            lam = lam * top / (2 * own_side) if own_side > 0 else 0.0
            step["sc"].append(self.sc[i])
            step["sw"].append(self.sw[i])
            step["passed_on"].append(lam)
        return step
