"""Online bagging (Oza 2001, chapter 3): Poisson(s) copies of a row of weight s for every learner.

Or, after Fern and Givan 2000, the row itself with a fixed probability; or, after Wang and Pineau 2016, Poisson(s (i + 1) / N)
copies for learner i = 0, ..., N - 1.
"""

from oracle import draws
from oracle.ensembles import Ensemble


class Bagging(Ensemble):
    def __init__(
        self, make, n_estimators, key, *, sampling="poisson", fraction=0.7, ballot="label", **options
    ):
        super().__init__(make, n_estimators, key, **options)
        self.sampling, self.fraction, self.ballot = sampling, fraction, ballot

    def combine(self, row):
        votes = [0.0] * self.n_known
        close = False
        for lane in self.lanes:
            code = lane.vote(row, self.n_known)
            if self.ballot == "distribution":
                shares = lane.distribution(row, self.n_known)
                votes = [v + p for v, p in zip(votes, shares, strict=True)]
            elif code >= 0:
                votes[code] += 1.0
            close |= lane.vote_is_close(row, self.n_known)
        return self.plurality(votes, close, exact=self.ballot == "label")

    def teach(self, row, label, weight, asked, asked_close):
        amounts = []
        for i, lane in enumerate(self.lanes):
            if self.sampling == "poisson":
                amount = draws.poisson(self.key, self.examples, i, weight)
            elif self.sampling == "under_over":
                amount = draws.poisson(self.key, self.examples, i, weight * ((i + 1) / len(self.lanes)))
            else:
                amount = (
                    weight
                    if draws.uniform(self.key, self.examples, i, draws.FRACTION) < self.fraction
                    else 0.0
                )
            lane.learn(row, label, amount, copies=self.sampling != "fraction")
            amounts.append(amount)
        return {"offered": [weight] * len(self.lanes), "amount": amounts}
