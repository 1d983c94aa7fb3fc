"""Oza's chain with costs and for rare classes (Wang and Pineau 2016), two classes: AdaC2, CSB2, RUSBoost.

An example of class y arrives at learner i with weight lam (s at the first). The learner's answer before it learns is right or
wrong (no answer is wrong). T is the sum of lam that has arrived at this learner, this one included; C_y is the cost of the class.
   adac2     right, wrong: sums of C lam;  lam <- C_y lam T / (2 right) or C_y lam T / (2 wrong);  vote log(right / wrong)
   csb2      e = (sum of lam wrong) / T, w = (sum of C lam wrong) / T;  lam <- lam (e / (1 - e)) / (e + w), or C_y lam / (e + w);
             vote log((1 - e) / e)
   rusboost  lam <- lam T / (2 right) or lam T / (2 wrong), sums of lam;  vote log((1 - e) / e);  but the copies are drawn at
             the rate
             lam min(1, ratio * (least sum of lam of a class) / (that of class y)), sums of before this example plus s each
Each learns Poisson(lam) copies, at most 10 max(s, 1). Learners whose vote is not positive are not heard.
Balanced costs: C_y = (n_min + 1) / (n_y + 1), n the weights of the classes before, to the power min(1, 2 / N) of AdaC2,
min(1, 4 / N) of CSB2.
"""

import math

from oracle import draws
from oracle.ensembles import Ensemble

TINY = 1e-10


class CostBoosting(Ensemble):
    def __init__(self, make, n_estimators, key, *, algorithm="adac2", costs="balanced", ratio=1.0, **options):
        super().__init__(make, n_estimators, key, **options)
        self.algorithm, self.costs, self.ratio = algorithm, costs, ratio
        self.arrived = [[0.0, 0.0] for _ in range(n_estimators)]  # lam of each class
        self.right = [0.0] * n_estimators  # times the cost, where there is one
        self.wrong = [0.0] * n_estimators
        self.error = [0.0] * n_estimators  # lam answered wrong
        self.seen = [0.0, 0.0]

    def cost(self, label):
        if self.algorithm == "rusboost":
            return 1.0
        if self.costs == "balanced":
            spread = min(1.0, (2 if self.algorithm == "adac2" else 4) / len(self.lanes))
            return ((min(self.seen) + 1) / (self.seen[label] + 1)) ** spread
        return self.costs[label]

    def voice(self, i):
        total = sum(self.arrived[i])
        if total == 0:
            return 0.0
        if self.algorithm == "csb2":
            good, bad = total - self.error[i], self.error[i]
        else:
            good, bad = self.right[i], self.wrong[i]
        if good + bad == 0:
            return 0.0
        share = min(max(bad / (good + bad), TINY), 1 - TINY)
        return max(math.log((1 - share) / share), 0.0)

    def combine(self, row):
        votes, close = [0.0] * self.n_known, False
        for i, lane in enumerate(self.lanes):
            code = lane.vote(row, self.n_known)
            if code >= 0:
                votes[code] += self.voice(i)
            close |= lane.vote_is_close(row, self.n_known)
        return self.plurality(votes, close)

    def teach(self, row, label, weight, asked, asked_close):
        lam, cost = weight, self.cost(label)
        offered, amounts = [], []
        for i, lane in enumerate(self.lanes):
            lam = min(lam, draws.LARGEST_RATE)
            rate = lam
            if self.algorithm == "rusboost":
                sums = [value + weight for value in self.arrived[i]]
                rate = lam * min(1.0, self.ratio * min(sums) / sums[label])
            self.arrived[i][label] += lam
            total = sum(self.arrived[i])
            right = asked[i] == label
            self.doubt |= asked_close[i]
            if right:
                self.right[i] += cost * lam
            else:
                self.wrong[i] += cost * lam
                self.error[i] += lam
            offered.append(rate)
            amounts.append(
                min(draws.poisson(self.key, self.examples, i, rate), math.floor(10 * max(weight, 1)))
            )
            if self.algorithm == "csb2":
                e = min(max(self.error[i] / total, TINY), 1 - TINY) if total > 0 else 0.5
                w = max(self.wrong[i] / total, TINY) if total > 0 else 0.5
                lam = (lam * e / (1 - e) if right else cost * lam) / (e + w)
            else:
                own = self.right[i] if right else self.wrong[i]
                lam = cost * lam * total / (2 * own) if own > 0 else 0.0
            lane.learn(row, label, amounts[-1], copies=True)
        self.seen[label] += weight
        return {"offered": offered, "amount": amounts}
