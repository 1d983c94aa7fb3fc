"""AdaBoost.M1 (Freund and Schapire 1996) on the first n0 examples, then Oza's online boosting on the learners it made.

Hand-over: learners were trained on weights n0 D_m(n), sc = n0 (1 - e), sw = n0 e. n0 is the sum of the sample weights. With
resample a learner learns, instead of weights, as many rows drawn by them, in the order of the draws.
"""

from itertools import accumulate

from oracle import draws
from oracle.oza import Oza


class Primed(Oza):
    def __init__(self, make, n_estimators, key, *, n_prime, keep_one=True, resample=False, **options):
        super().__init__(make, n_estimators, key, **options)
        self.n_prime, self.keep_one, self.resample = n_prime, keep_one, resample
        self.kept = []  # (x, label, weight)
        self.made = 0
        self.masses = []  # of each round: D right, D wrong after the reweighting
        self.spare = self.lanes
        self.lanes = []

    def learn(self, x, label, weight=1.0):
        if weight > 0:
            self.kept.append((x, label, weight))
            for lane in self.spare:
                lane.meet()
        all_wrong, self.wrong_rows = self.wrong_rows, self.wrong_rows[: len(self.lanes)]
        super().learn(x, label, weight)
        self.wrong_rows = self.wrong_rows + all_wrong[len(self.wrong_rows) :]

    def teach(self, row, label, weight, asked, asked_close):
        if self.lanes:
            return super().teach(row, label, weight, asked, asked_close)
        for lane in self.spare:
            lane.meet()
        if self.examples == self.n_prime - 1:
            self.batch()
        return {"offered": []}

    def batch(self):
        rows, lessons = ([(self.columns.read(x), label) for x, label, _ in self.kept] for _ in range(2))
        total = sum(w for _, _, w in self.kept)
        share = [w / total for _, _, w in self.kept]
        for lane in self.spare:
            lane.meet()  # the values of the last row too belong to the batch
            if self.resample:
                for n in self.sample(share, len(self.lanes)):
                    lane.learn(*lessons[n], 1.0)
            else:
                for (row, label), d in zip(lessons, share, strict=True):
                    lane.learn(row, label, total * d)
            right = [lane.vote(row, self.n_known) == label for row, label in rows]
            self.doubt |= any(lane.vote_is_close(row, self.n_known) for row, _ in rows) or lane.doubt
            error = sum(d for d, ok in zip(share, right, strict=True) if not ok)
            self.doubt |= abs(error - 0.5) < 1e-9
            if error >= 0.5 and (self.lanes or not self.keep_one):
                break
            i = len(self.lanes)
            self.lanes.append(lane)
            self.sc[i], self.sw[i] = total * (1 - error), total * error
            if error >= 0.5 or all(right):
                break
            share = [
                d / (2 * (1 - error)) if ok else d / (2 * error) for d, ok in zip(share, right, strict=True)
            ]
            self.masses.append(
                tuple(
                    sum(d for d, ok in zip(share, right, strict=True) if ok == side) for side in (True, False)
                )
            )
        self.made = len(self.lanes)

    def sample(self, share, lane):
        sums = list(accumulate(share))
        for j in range(len(share)):
            u = draws.uniform(self.key, j, lane, draws.POISSON) * sums[-1]
            self.doubt |= any(abs(u - at) < 1e-12 for at in sums)
            yield next((n for n, at in enumerate(sums) if at > u), len(sums) - 1)
