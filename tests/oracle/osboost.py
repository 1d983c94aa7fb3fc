"""OSBoost with the uniform vote (Chen, Lin, Lu 2012, section 4), two classes, y in {-1, +1}.

   z^0 = 0,  w^i = min(1, (1 - gamma)^(z^(i-1) / 2)),  z^i = z^(i-1) + y h^i(x) - theta,  theta = gamma / (2 + gamma)
All h^i are the hypotheses of before the example; learner i is taught with weight w^i times the example's own.
"""

from oracle.binary import Binary
from oracle.ensembles import NEAR, Answer


def chain(margins, gamma, theta=None):
    """From the signed margins y h^i of one example: (z^1..z^N, w^1..w^(N+1))."""
    theta = gamma / (2 + gamma) if theta is None else theta
    z, zs, ws = 0.0, [], [1.0]
    for m in margins:
        z += m - theta
        zs.append(z)
        ws.append(min(1.0, (1 - gamma) ** (z / 2)))
    return zs, ws


class OSBoost(Binary):
    def __init__(self, make, n_estimators, key, *, gamma=0.1, **options):
        super().__init__(make, n_estimators, key, **options)
        self.gamma = gamma
        self.theta = gamma / (2 + gamma)

    def voices(self):
        """The weights of the vote: here all the same."""
        return [1 / len(self.lanes)] * len(self.lanes)

    def combine(self, row):
        h = self.hypotheses(row)
        mean = sum(voice * value for voice, value in zip(self.voices(), h, strict=True))
        silent = not any(lane.trained for lane in self.lanes)  # zero in any arithmetic
        return Answer(
            1 if mean > 0 else 0,
            [mean],
            [(1 - mean) / 2, (1 + mean) / 2],
            self.signs_are_close(row) or (not silent and abs(mean) < NEAR),
        )

    def teach(self, row, label, weight, asked, asked_close):
        y = 1 if label == 1 else -1
        zs, ws = chain([y * h for h in self.asked_h], self.gamma)
        offered = [w * weight for w in ws[:-1]]
        self.hand_out(row, label, offered)
        return {"y": y, "offered": offered, "amount": offered, "z": zs, "w": ws, "h": self.asked_h}
