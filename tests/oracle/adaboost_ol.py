"""AdaBoost.OL and AdaBoost.OL.W (Beygelzimer, Kale, Luo 2015), two classes.

   s^0 = 0;  w^i = 1 / (1 + exp(s^(i-1)));  z = y h^i;  s^i = s^(i-1) + alpha_i z
   alpha_i <- clip(alpha_i + eta_t z / (1 + exp(s^i)), -2, 2),  eta_t = 4 / sqrt(t)
   expert i says sign(alpha_1 h^1 + ... + alpha_i h^i);  v_i *= exp(-1{expert i wrong})
all with the h and alpha of before the example. .OL teaches the example with probability w^i, .W with weight w^i.
Answers of the experts as in exp.py, with shares v; "full" is expert N. An example of weight s multiplies what the learner
gets, the step of alpha and the loss of the experts.
"""

import math

from oracle import draws
from oracle.binary import Binary, prefix_sums, sign, unsure_prefixes
from oracle.ensembles import NEAR, Answer
from oracle.exp import answer_by_experts, shares
from oracle.linear import sigmoid

LARGEST_ALPHA = 2.0


def chain(margins, alpha):
    """(w^1..w^N, s^1..s^N) of one example."""
    sums = prefix_sums([a * z for a, z in zip(alpha, margins, strict=True)])
    return [sigmoid(-s) for s in [0.0, *sums[:-1]]], sums


def learn_alpha(alpha, margins, t, weight=1.0):
    _, sums = chain(margins, alpha)
    moved = [
        a + weight * 4 / math.sqrt(t) * z * sigmoid(-s) for a, z, s in zip(alpha, margins, sums, strict=True)
    ]
    return [max(-LARGEST_ALPHA, min(LARGEST_ALPHA, a)) for a in moved]


class AdaBoostOL(Binary):
    def __init__(self, make, n_estimators, key, *, weighting="sampling", hedge="vote", **options):
        super().__init__(make, n_estimators, key, **options)
        self.weighting, self.hedge = weighting, hedge
        self.alpha = [0.0] * n_estimators
        self.losses = [0.0] * n_estimators  # log v = -losses
        self.expected_loss = 0.0

    def shares(self):
        return shares(self.losses, 1.0)

    def terms(self, h):
        return [a * value for a, value in zip(self.alpha, h, strict=True)]

    def combine(self, row):
        terms = self.terms(self.hypotheses(row))
        votes = [sign(total) for total in prefix_sums(terms)]
        unsure = unsure_prefixes(terms, self.shaky(row))
        p = self.shares()
        u = draws.uniform(self.key, self.examples, 0, draws.HEDGE)
        if self.hedge == "full":  # no experts: the whole vote, and the logistic link for its probability
            whole = prefix_sums(terms)[-1]
            plus = sigmoid(whole)
            return Answer(
                1 if votes[-1] > 0 else 0, [whole], [1 - plus, plus], unsure[-1] or self.signs_are_close(row)
            )
        return answer_by_experts(self.hedge, votes, unsure, p, u, self.signs_are_close(row))

    def teach(self, row, label, weight, asked, asked_close):
        y = 1 if label == 1 else -1
        margins = [y * h for h in self.asked_h]
        before, p = self.alpha, self.shares()
        ws, sums = chain(margins, before)
        terms = self.terms(self.asked_h)
        wrong = [float(sign(total) != y) for total in prefix_sums(terms)]
        self.doubt |= any(unsure_prefixes(terms, self.asked_shaky))
        self.alpha = learn_alpha(before, margins, self.examples + 1, weight)
        self.losses = [loss + weight * e for loss, e in zip(self.losses, wrong, strict=True)]
        expected = sum(share * e for share, e in zip(p, wrong, strict=True))
        self.expected_loss += weight * expected

        offered = [w * weight for w in ws]
        amounts = offered
        if self.weighting == "sampling":
            coins = [draws.uniform(self.key, self.examples, i, draws.COIN) for i in range(len(self.lanes))]
            self.doubt |= any(abs(u - w) < NEAR for u, w in zip(coins, ws, strict=True))
            amounts = [weight if u < w else 0.0 for u, w in zip(coins, ws, strict=True)]
        self.hand_out(row, label, offered, amounts)
        return {
            "y": y,
            "offered": offered,
            "amount": amounts,
            "w": ws,
            "s": sums,
            "z": margins,
            "alpha": before,
            "alpha_after": self.alpha,
            "p": p,
            "wrong": wrong,
            "losses": self.losses,
            "expected": expected,
        }
