"""OSBoost.OCP (Chen, Lin, Lu 2012, algorithm 1): the vote's weights are learned by gradient descent on the simplex.

   f = <alpha, h>;  if y f < theta:  alpha <- Proj(alpha + eta_t y h)         hinge loss max(0, theta - y f)
with the h and alpha of before the example; t counts examples. The learners' own weights do not know alpha.
The domain may also be the l1 ball, where weights can be negative.
An example of weight s counts s times in the loss, hence in the step; s changes neither the condition nor eta_t.
"""

import math

from oracle.ensembles import NEAR
from oracle.osboost import OSBoost
from oracle.simplex import project, project_to_ball

DOMAINS = {"simplex": project, "l1_ball": project_to_ball}
STEPS = {
    "1/sqrt(Nt)": lambda n, t: 1 / math.sqrt(n * t),
    "1/sqrt(t)": lambda n, t: 1 / math.sqrt(t),
    "sqrt(2/(Nt))": lambda n, t: math.sqrt(2 / (n * t)),
}


def learn_alpha(alpha, h, y, theta, eta, weight=1.0, domain="simplex"):
    """One round: (alpha of after, y f). In exact fractions from the floats given, rounded once."""
    margin = y * sum(a * value for a, value in zip(alpha, h, strict=True))
    if not margin < theta:
        return alpha, margin
    moved = [a + eta * weight * y * value for a, value in zip(alpha, h, strict=True)]
    return [float(a) for a in DOMAINS[domain](moved)], margin


class OCP(OSBoost):
    def __init__(self, make, n_estimators, key, *, step="1/sqrt(Nt)", domain="simplex", **options):
        super().__init__(make, n_estimators, key, **options)
        self.step = step
        self.domain = domain
        self.alpha = [1 / n_estimators] * n_estimators

    def voices(self):
        return self.alpha

    def teach(self, row, label, weight, asked, asked_close):
        step = super().teach(row, label, weight, asked, asked_close)
        eta = STEPS[self.step](len(self.lanes), self.examples + 1)
        before = self.alpha
        self.alpha, margin = learn_alpha(
            before, self.asked_h, step["y"], self.theta, eta, weight, self.domain
        )
        self.doubt |= abs(margin - self.theta) < NEAR
        return {**step, "alpha": before, "eta": eta, "margin": margin, "alpha_after": self.alpha}
