"""Online Arc-x4 (Fern and Givan 2000): the weight of an example is 1 + w^4, w the learners that got it wrong so far.

A learner is tested after it has learned the example. Plurality vote. No randomness.
"""

from oracle.bagging import Bagging


class ArcX4(Bagging):
    def teach(self, row, label, weight, asked, asked_close):
        wrong, amounts = 0, []
        for lane in self.lanes:
            amount = weight * (1 + wrong**4)
            lane.learn(row, label, amount)
            amounts.append(amount)
            self.doubt |= lane.vote_is_close(row, self.n_known)
            if lane.vote(row, self.n_known) != label:
                wrong += 1
        return {"offered": amounts, "amount": amounts, "wrong": wrong}
