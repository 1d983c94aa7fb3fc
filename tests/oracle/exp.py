"""OSBoost.EXP (Chen, Lin, Lu 2012): Hedge over the N uniform prefixes; expert i says sign(h^1 + ... + h^i).

   L_i += 1{expert i wrong},   p_i ~ exp(-eta_t L_i),   eta_t = sqrt(8 ln N / t) at round t, whatever is known of the horizon
Answers: "vote" the sign of the p-weighted experts, "sample" an expert drawn from p, "best" the expert with the largest p (the
lowest number among equals). Learning does not know which expert answered. An example of weight s adds s to the losses.
"""

import math

from oracle import draws
from oracle.binary import prefix_sums, sign, unsure_prefixes
from oracle.ensembles import NEAR, Answer
from oracle.osboost import OSBoost


def anytime(n, t):
    return math.sqrt(8 * math.log(n) / t)


def shares(losses, eta):
    """Hedge's distribution."""
    least = min(losses)
    weights = [math.exp(-eta * (loss - least)) for loss in losses]
    return [w / sum(weights) for w in weights]


def drawn(p, u):
    """The expert of the uniform number u: the first whose summed share exceeds it; and whether a rounding could change it."""
    sums = prefix_sums(p)
    close = any(abs(u - total) < NEAR for total in sums[:-1])
    return next((i for i, total in enumerate(sums) if u < total), len(p) - 1), close


def answer_of_experts(mode, votes, unsure, p, u):
    """(+-1, too close to call) from the experts' votes, whether each vote is rounding, the shares and a uniform number."""
    if mode == "vote":
        total = sum(share * vote for share, vote in zip(p, votes, strict=True))
        return sign(total), any(unsure) or abs(total) < NEAR
    if mode == "best":
        best = p.index(max(p))
        rivals = [i for i, share in enumerate(p) if max(p) - share < NEAR and share != max(p)]
        return votes[best], unsure[best] or any(votes[i] != votes[best] for i in rivals)
    i, close = drawn(p, u)
    return votes[i], close or unsure[i]


def answer_by_experts(mode, votes, unsure, p, u, signs_are_close):
    """The label, and the share of the experts that are for each."""
    label, close = answer_of_experts(mode, votes, unsure, p, u)
    total = sum(share * vote for share, vote in zip(p, votes, strict=True))
    plus = (1 + total) / 2
    return Answer(
        1 if label > 0 else 0, [total], [(1 - total) / 2, plus], close or any(unsure) or signs_are_close
    )


class EXP(OSBoost):
    def __init__(self, make, n_estimators, key, *, hedge="vote", hedge_rate="anytime", **options):
        super().__init__(make, n_estimators, key, **options)
        self.hedge, self.rate = hedge, hedge_rate
        self.losses = [0.0] * n_estimators
        self.expected_loss = 0.0

    def shares(self):
        """The distribution of the coming round."""
        eta = anytime(len(self.lanes), self.examples + 1) if self.rate == "anytime" else self.rate
        return shares(self.losses, eta)

    def combine(self, row):
        h = self.hypotheses(row)
        votes = [sign(total) for total in prefix_sums(h)]
        p = self.shares()
        u = draws.uniform(self.key, self.examples, 0, draws.HEDGE)
        unsure = unsure_prefixes(h, self.shaky(row))
        return answer_by_experts(self.hedge, votes, unsure, p, u, self.signs_are_close(row))

    def teach(self, row, label, weight, asked, asked_close):
        step = super().teach(row, label, weight, asked, asked_close)
        p = self.shares()
        wrong = [float(sign(total) != step["y"]) for total in prefix_sums(self.asked_h)]
        self.doubt |= any(unsure_prefixes(self.asked_h, self.asked_shaky))
        self.losses = [loss + weight * e for loss, e in zip(self.losses, wrong, strict=True)]
        expected = sum(share * e for share, e in zip(p, wrong, strict=True))
        self.expected_loss += weight * expected
        return {**step, "p": p, "wrong": wrong, "losses": self.losses, "expected": expected}
