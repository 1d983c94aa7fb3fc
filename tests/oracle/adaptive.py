"""Adaptive bagging and the guard of a lane, as their definitions say.

Copies are drawn from Poisson(s rate), for odd lanes from Poisson(s rate min(lambda, 5)) with the chain's lambda. A lane votes
with its class distribution times a weight that says how often it was right lately. A guard watches the errors of every lane.
"""

import math

from oracle import draws
from oracle.drift import DETECTORS
from oracle.ensembles import Ensemble

PATIENCE = 4096
"""Inputs of a lane after which a warning that no drift has followed was a false one."""


class Guard:
    """Detector, births and the background learner of one lane. The detector's parameters are the remaining options."""

    def __init__(self, make, lane, *, detector="adwin", background=True, spare_amount="lane", **params):
        self.make, self.lane = make, lane
        self.background, self.spare_amount = background, spare_amount
        self.detector = DETECTORS[detector](**params, lane=lane)
        self.spare = None
        self.since_warning = 0
        self.spare_birth = self.births = 0
        self.warnings = self.drifts = self.replaced = 0
        self.born_at = 0

    def teach_spare(self, row, label, amount, weight, copies):
        if self.spare is not None and amount > 0:
            self.spare.learn(row, label, amount if self.spare_amount == "lane" else weight, copies=copies)

    def judge(self, example, wrong):
        """The learner that takes the lane's place from now on, or None."""
        self.since_warning += 1
        warning, drift = self.detector.update(1.0 if wrong else 0.0)
        if self.background and warning:
            self.since_warning = 0
            if self.spare is None or not self.detector.lasting:
                self.warnings += 1
                self.births += 1
                self.spare_birth = self.births
                self.spare = self.make(self.lane, self.spare_birth)
        if not drift:
            if self.since_warning >= PATIENCE:
                self.spare = None
            return None
        self.drifts += 1
        self.replaced += 1
        self.born_at = example + 1
        self.detector.reset(suspicion=self.spare is not None)
        if self.spare is None:
            self.births += 1
            return self.make(self.lane, self.births)
        learner, self.spare = self.spare, None
        return learner


class AdaptiveBagging(Ensemble):
    def __init__(
        self,
        make,
        n_estimators,
        key,
        *,
        poisson_rate=6.0,
        vote="log_odds",
        chain=True,
        window=1000.0,
        drift=None,
        n_classes=None,
        **options,
    ):
        super().__init__(make, n_estimators, key, n_classes=n_classes, **options)
        self.rate, self.vote, self.chain, self.fading = poisson_rate, vote, chain, 1 - 1 / window
        self.right = [0.0] * n_estimators
        self.seen = [0.0] * n_estimators
        self.chain_right = [0.0] * n_estimators
        self.chain_wrong = [0.0] * n_estimators

        def born(lane, birth):
            learner = make(self.columns, n_classes, key, lane, birth)
            learner.meet()
            return learner

        self.guards = None if drift is None else [Guard(born, i, **drift) for i in range(n_estimators)]

    def say(self, i):
        if self.vote == "uniform":
            return 1.0
        if self.vote == "accuracy":
            return self.right[i] / self.seen[i] if self.seen[i] else 0.0
        a = (self.right[i] + 1) / (self.seen[i] + 2)
        return max(0.01, math.log(a * (max(self.n_known, 2) - 1) / (1 - a)))

    def combine(self, row):
        votes = [0.0] * self.n_known
        close = False
        for i, lane in enumerate(self.lanes):
            shares = lane.distribution(row, self.n_known)
            votes = [v + self.say(i) * p for v, p in zip(votes, shares, strict=True)]
            close |= lane.vote_is_close(row, self.n_known)
        return self.plurality(votes, close)

    def teach(self, row, label, weight, asked, asked_close):
        amounts = []
        travelling = 1.0
        fading = 1.0 if self.vote == "accuracy" else self.fading
        for i, lane in enumerate(self.lanes):
            right = asked[i] == label
            rate = weight * self.rate
            if self.chain and i % 2 == 1:
                rate *= min(travelling, 5.0)
                self.chain_right[i] = self.fading * self.chain_right[i] + (travelling if right else 0.0)
                self.chain_wrong[i] = self.fading * self.chain_wrong[i] + (0.0 if right else travelling)
                own = self.chain_right[i] if right else self.chain_wrong[i]
                travelling *= (self.chain_right[i] + self.chain_wrong[i] + 1) / (2 * own + 1)
                travelling = min(max(travelling, 0.05), 20.0)
            self.right[i] = fading * self.right[i] + right
            self.seen[i] = fading * self.seen[i] + 1
            amount = draws.poisson(self.key, self.examples, i, rate)
            lane.learn(row, label, amount, copies=True)
            amounts.append(amount)
            if self.guards is None:
                continue
            guard = self.guards[i]
            guard.teach_spare(row, label, amount, weight, copies=True)
            if amount > 0:
                self.doubt |= asked_close[i]
                heir = guard.judge(self.examples, not right)
                if heir is not None:
                    self.lanes[i] = heir
                    self.right[i] = self.seen[i] = 0.0
        return {"offered": amounts, "amount": amounts}
