"""Agnostic boosting (Brukhim et al. 2020; many classes: Raman and Tewari 2022).

For every example p starts uniform over the classes. Learner i, whose answer before learning is h (one-hot), is taught a label
drawn from p, and then p <- the point of the simplex nearest to p - gamma / sqrt(N) ((2 h - 1) / gamma - (2 e_y - 1)). A learner
that was never taught has no answer and moves nothing. The answer is the largest vote; probabilities are the point of the simplex
nearest to votes / (N gamma), and with draw=True the answer is drawn from them.
"""

import math

from oracle import draws, simplex
from oracle.ensembles import NEAR, Answer, Ensemble


def project(v):
    return [float(x) for x in simplex.project(v)]


class Agnostic(Ensemble):
    def __init__(self, make, n_estimators, key, *, gamma=0.1, draw=False, **options):
        super().__init__(make, n_estimators, key, **options)
        self.gamma, self.draw = gamma, draw

    def combine(self, row):
        votes = [0.0] * self.n_known
        close = False
        for lane in self.lanes:
            code = lane.vote(row, self.n_known)
            if code >= 0:
                votes[code] += 1
            close |= lane.vote_is_close(row, self.n_known)
        if not any(votes):
            return self.plurality(votes, close, exact=True)
        n = len(self.lanes)
        proba = project([v / (n * self.gamma) for v in votes])
        if not self.draw:
            return Answer(votes.index(max(votes)), votes, proba, close)
        u, label = draws.uniform(self.key, self.examples, 0, draws.HEDGE), 0
        reached = proba[0]
        close |= abs(u - reached) < NEAR
        while label < self.n_known - 1 and u >= reached:
            label += 1
            reached += proba[label]
            close |= abs(u - reached) < NEAR
        return Answer(label, votes, proba, close)

    def teach(self, row, label, weight, asked, asked_close):
        k, n = self.n_known, len(self.lanes)
        p = [1 / k] * k
        taught = []
        for i, lane in enumerate(self.lanes):
            u, drawn, reached = draws.uniform(self.key, self.examples, i, draws.COIN), 0, p[0]
            self.doubt |= abs(u - reached) < NEAR
            while drawn < k - 1 and u >= reached:
                drawn += 1
                reached += p[drawn]
                self.doubt |= abs(u - reached) < NEAR
            self.doubt |= asked_close[i]
            if asked[i] >= 0:
                slope = [
                    ((1 if c == asked[i] else -1) / self.gamma) - (1 if c == label else -1) for c in range(k)
                ]
                step = self.gamma / math.sqrt(n)
                p = project([value - step * s for value, s in zip(p, slope, strict=True)])
            lane.learn(row, drawn, weight)
            taught.append(drawn)
        return {"offered": [weight] * n, "amount": [weight] * n, "taught": taught, "p": p}
