"""OSBoost with the uniform vote (Chen, Lin, Lu 2012, section 4), two classes, y in {-1, +1}.

   z^0 = 0,  w^i = min(1, (1 - gamma)^(z^(i-1) / 2)),  z^i = z^(i-1) + y h^i(x) - theta,  theta = gamma / (2 + gamma)
All h^i are the hypotheses of before the example; learner i is taught with weight w^i times the example's own.
"""

from oracle.ensembles import NEAR, Answer, Ensemble


def chain(margins, gamma, theta=None):
    """From the signed margins y h^i of one example: (z^1..z^N, w^1..w^(N+1))."""
    theta = gamma / (2 + gamma) if theta is None else theta
    z, zs, ws = 0.0, [], [1.0]
    for m in margins:
        z += m - theta
        zs.append(z)
        ws.append(min(1.0, (1 - gamma) ** (z / 2)))
    return zs, ws


class OSBoost(Ensemble):
    def __init__(self, make, n_estimators, key, *, gamma=0.1, hypothesis="real", **options):
        super().__init__(make, n_estimators, key, **options)
        self.gamma, self.hypothesis = gamma, hypothesis
        self.edge_sum = [0.0] * n_estimators  # sum of w y h

    def h(self, lane, row):
        if self.hypothesis == "real" or not lane.trained:
            return lane.margin(row)
        return 1.0 if lane.vote(row, 2) == 1 else -1.0

    def combine(self, row):
        total = sum(self.h(lane, row) for lane in self.lanes)
        mean = total / len(self.lanes)
        rounding = self.hypothesis == "sign" and any(lane.vote_is_close(row, 2) for lane in self.lanes)
        silent = all(lane.margin(row) == 0 for lane in self.lanes)  # zero in any arithmetic
        return Answer(
            1 if total > 0 else 0,
            [mean],
            [(1 - mean) / 2, (1 + mean) / 2],
            rounding or (not silent and abs(mean) < NEAR),
        )

    def learn(self, x, label, weight=1.0):
        if weight > 0:
            before = self.columns.read(x)
            self.asked_h = [self.h(lane, before) for lane in self.lanes]
            if self.hypothesis == "sign":
                self.doubt |= any(lane.vote_is_close(before, 2) for lane in self.lanes)
        super().learn(x, label, weight)

    def teach(self, row, label, weight, asked, asked_close):
        y = 1 if label == 1 else -1
        zs, ws = chain([y * h for h in self.asked_h], self.gamma)
        for i, lane in enumerate(self.lanes):
            lane.learn(row, label, ws[i] * weight)
            self.edge_sum[i] += ws[i] * weight * y * self.asked_h[i]
        offered = [w * weight for w in ws[:-1]]
        return {"offered": offered, "amount": offered, "z": zs, "w": ws, "h": self.asked_h}

    @property
    def edge(self):
        return [total / weight for total, weight in zip(self.edge_sum, self.weight_sum, strict=True)]
