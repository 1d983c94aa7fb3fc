"""One weak learner behind the same face: the baseline of every table."""

from oracle.ensembles import Answer, Ensemble


class Single(Ensemble):
    def __init__(self, make, key, **options):
        super().__init__(make, 1, key, **options)

    def combine(self, row):
        (lane,) = self.lanes
        label = lane.vote(row, self.n_known)
        if label < 0:
            return self.plurality([0.0] * self.n_known)
        scores = [lane.margin(row)] if self.n_known == 2 else lane.distribution(row, self.n_known)
        return Answer(
            label, scores, lane.distribution(row, self.n_known), lane.vote_is_close(row, self.n_known)
        )

    def teach(self, row, label, weight, asked, asked_close):
        self.lanes[0].learn(row, label, weight)
        return {"offered": [weight], "amount": [weight]}
