"""Breiman's blocked boosting (1999), as the thesis tells it: learner m is batch-trained on a block of accepted examples.

An example is accepted for learner m if m = 1 or the plurality of learners 1 .. m-1 is wrong on it, else with probability
r / (1 - r) where r = 0.75 r_{m-1} + 0.25 e / t. For m = 2 there is no earlier r to smooth with: r = e / t (literal: r_1 = 1).
The answer at any time is that of data ending there: a block of at least two classes that is not full is trained on as it is.
"""

import copy

from oracle import draws
from oracle.ensembles import Ensemble


class Blocked(Ensemble):
    def __init__(self, make, n_estimators, key, *, block_size=100, literal=False, **options):
        super().__init__(make, n_estimators, key, **options)
        self.block_size, self.literal = block_size, literal
        self.full = 0  # learners that are finished
        self.r = []  # final r of each of them
        self.block, self.t, self.e = [], 0.0, 0.0
        self.unsure_error_rate = True  # learners of unfinished blocks do not exist here

    def votes(self, row, learners):
        votes, close = [0.0] * self.n_known, False
        for lane in learners:
            code = lane.vote(row, self.n_known)
            if 0 <= code < self.n_known:
                votes[code] += 1.0
            close |= lane.vote_is_close(row, self.n_known)
        return votes, close

    def combine(self, row):
        learners = self.lanes[: self.full]
        if len({label for _, label, _ in self.block}) > 1:
            last = copy.deepcopy(self.lanes[self.full])
            for lesson in self.block:
                last.learn(*lesson)
            learners = [*learners, last]
        return self.plurality(*self.votes(row, learners), exact=True)

    def rate(self):
        m = self.full + 1
        if m == 1:
            return 1.0
        if m == 2 and not self.literal:
            return self.e / self.t
        return 0.75 * self.r[-1] + 0.25 * self.e / self.t

    def learn(self, x, label, weight=1.0):
        # The vote that decides is of before the row: classes and values it brings are not known yet.
        self.before = None
        if weight > 0 and self.full < len(self.lanes):
            votes, close = self.votes(self.columns.read(x), self.lanes[: self.full])
            self.before = (votes.index(max(votes)) if votes else None), close
        super().learn(x, label, weight)

    def teach(self, row, label, weight, asked, asked_close):
        amounts = [0.0] * len(self.lanes)
        m = self.full
        step = {"offered": amounts, "amount": amounts}
        if m == len(self.lanes):
            return step
        said, close = self.before
        self.doubt |= close
        wrong = m == 0 or said != label
        self.t += weight
        self.e += weight if wrong else 0.0
        r = self.rate()
        chance = 1.0 if r >= 0.5 else r / (1 - r)
        u = draws.uniform(self.key, self.examples, m, draws.FRACTION)
        self.doubt |= not wrong and abs(u - chance) < 1e-9
        if wrong or u < chance:
            amounts[m] = weight
            self.block.append((row, label, weight))
        if len(self.block) == self.block_size:
            for lesson in self.block:
                self.lanes[m].learn(*lesson)
            self.r.append(self.rate())
            self.full += 1
            self.block, self.t, self.e = [], 0.0, 0.0
        return {**step, "chance": chance, "wrong": wrong}
