"""Online GradientBoost (Leistner, Saffari, Roth, Bischof 2009): M selectors of K learners descend a loss l(y F).

   F = 0, w = -l'(0);  selector m: every learner (m, k) is taught with weight w;  THEN e_{m,k} += w 1{it is wrong};
   j = the k with the least e (the lowest among equals);  F += nu f_{m,j}(x);  w = -l'(y F)
where wrong and f are those of the learner AFTER its own update. Answer: the sign of the sum of nu f_{m,best}(x).
An example of weight s multiplies w for the learners and in e, not F. Learner (m, k) is lane m K + k.
"""

import math

from oracle.binary import Binary, sign
from oracle.ensembles import NEAR, Answer
from oracle.linear import sigmoid

LARGEST_SCORE = 50.0  # in an exponent
LARGEST_WEIGHT = 1e3  # of the exponential loss


def losses():
    """name -> (l(s), -l'(s))."""
    return {
        "logistic": (lambda s: math.log1p(math.exp(-s)), lambda s: sigmoid(-s)),
        "exponential": (lambda s: math.exp(-s), lambda s: min(math.exp(-s), LARGEST_WEIGHT)),
        "hinge": (lambda s: max(0.0, 1 - s), lambda s: 1.0 if s < 1 else 0.0),
        "doom": (lambda s: 1 - math.tanh(s), lambda s: 1 - math.tanh(s) ** 2),
        "savage": (
            lambda s: 1 / (1 + math.exp(2 * s)) ** 2,
            lambda s: 4 * math.exp(2 * s) / (1 + math.exp(2 * s)) ** 3,
        ),
    }


def weight_of(loss, s):
    return losses()[loss][1](max(-LARGEST_SCORE, min(LARGEST_SCORE, s)))


def chain(margins, loss, shrinkage=1.0):
    """Without selectors (K = 1): the weights w^1..w^(M+1) from y f_m of one example."""
    total, ws = 0.0, [weight_of(loss, 0.0)]
    for m in margins:
        total += shrinkage * m
        ws.append(weight_of(loss, total))
    return ws


class OGBoost(Binary):
    def __init__(self, make, n_estimators, key, *, n_candidates=1, loss="logistic", shrinkage=1.0, **options):
        super().__init__(make, n_estimators * n_candidates, key, **options)
        self.selectors = [range(m * n_candidates, (m + 1) * n_candidates) for m in range(n_estimators)]
        self.loss, self.shrinkage = loss, shrinkage
        self.error = [0.0] * len(self.lanes)
        self.blame = [[] for _ in self.lanes]  # the weights that make up each error

    def best(self, selector):
        return min(selector, key=lambda i: (self.error[i], i))

    def score(self, row):
        return sum(self.shrinkage * self.h(self.lanes[self.best(s)], row) for s in self.selectors)

    def combine(self, row):
        total = self.score(row)
        p = sigmoid(total if self.loss == "logistic" else 2 * total)
        silent = not any(lane.trained for lane in self.lanes)
        close = not silent and abs(total) < NEAR
        return Answer(1 if total > 0 else 0, [total], [1 - p, p], close or self.signs_are_close(row))

    def choice_is_close(self, selector, first):
        """Another learner has the same error up to rounding. The first selector's weights are exact."""
        best = self.best(selector)
        return any(
            abs(self.error[i] - self.error[best]) < NEAR and self.blame[i] != self.blame[best]
            for i in selector
            if i != best and not (first and self.error[i] == self.error[best])
        )

    def teach(self, row, label, weight, asked, asked_close):
        y = 1 if label == 1 else -1
        total, w = 0.0, weight_of(self.loss, 0.0)
        ws, chosen, answers = [], [], []
        offered = [0.0] * len(self.lanes)
        for m, selector in enumerate(self.selectors):
            ws.append(w)
            for i in selector:
                lane = self.lanes[i]
                offered[i] = w * weight
                lane.learn(row, label, w * weight)
                self.edge_sum[i] += w * weight * y * self.asked_h[i]
                self.doubt |= w > 0 and lane.vote_is_close(row, 2)
                vote = lane.vote(row, 2) if lane.trained else 0
                if sign(1 if vote == 1 else -1) != y and w > 0:
                    self.error[i] += w * weight
                    self.blame[i].append(w * weight)
            self.doubt |= self.choice_is_close(selector, m == 0)
            best = self.best(selector)
            f = self.h(self.lanes[best], row)
            total += self.shrinkage * f
            exact = self.shrinkage == 1 and all(value.is_integer() for value in [*answers, f])
            self.doubt |= self.loss == "hinge" and not exact and abs(y * total - 1) < NEAR
            w = weight_of(self.loss, y * total)
            chosen.append(best)
            answers.append(f)
        return {
            "offered": offered,
            "amount": offered,
            "w": [*ws, w],
            "chosen": chosen,
            "f": answers,
            "F": total,
            "error": list(self.error),
        }
