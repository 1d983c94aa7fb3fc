"""Expert advice, from the answers of the experts alone (specs: Weighted Majority, Winnow, Hedge). Code -1: an expert is silent.

Weighted Majority   Littlestone, Warmuth 1994: weights 1; each wrong expert's weight is multiplied by beta, every round.
Hedge               Freund, Schapire 1997: p_i ~ exp(-eta_t L_i), L_i the mistakes of before.
Winnow              Littlestone 1988: answer 1 iff the weights of the experts that say 1 reach theta; on mistakes their weights
                    are multiplied (false negative) or divided by the factor (false positive; Winnow1: set to 0).
A sample weight s multiplies losses: factors become beta^s, factor^s.
"""

import math

from oracle import draws


def shares(answers, weights, n_classes):
    votes = [0.0] * n_classes
    for answer, weight in zip(answers, weights, strict=True):
        if answer >= 0:
            votes[answer] += weight
    return votes


class WeightedMajority:
    def __init__(self, n, beta=0.5):
        self.beta, self.weights = beta, [1.0] * n
        self.penalty = [0.0] * n
        self.log_mistakes = 0.0  # sum over mistakes and ties of ln(2 / (1 + beta^s))

    def votes(self, answers, n_classes):
        return shares(answers, self.weights, n_classes)

    def learn(self, answers, label, n_classes, s=1.0):
        votes = self.votes(answers, n_classes)
        if not votes[label] > max([v for c, v in enumerate(votes) if c != label], default=0.0):
            self.log_mistakes += math.log(2 / (1 + self.beta**s))
        for i, answer in enumerate(answers):
            if answer != label:
                self.weights[i] *= self.beta**s
                self.penalty[i] += s

    def limit(self):
        return math.log(len(self.weights)) + min(self.penalty) * math.log(1 / self.beta)


class Hedge:
    def __init__(self, n, rate="anytime", eta=1.0, horizon=1):
        self.n, self.rate, self.constant, self.horizon = n, rate, eta, horizon
        self.loss = [0.0] * n
        self.t = 0
        self.expected = self.squares = 0.0

    def eta(self):
        if self.rate == "constant":
            return self.constant
        return math.sqrt(8 * math.log(self.n) / (self.horizon if self.rate == "horizon" else self.t + 1))

    def p(self):
        raw = [math.exp(-self.eta() * (loss - min(self.loss))) for loss in self.loss]
        return [w / sum(raw) for w in raw]

    def votes(self, answers, n_classes):
        return shares(answers, self.p(), n_classes)

    def drawn(self, key):
        u, reached = draws.uniform(key, self.t, 0, draws.HEDGE), 0.0
        for i, share in enumerate(self.p()):
            reached += share
            if u < reached:
                return i
        return self.n - 1

    def learn(self, answers, label, s=1.0):
        p, eta = self.p(), self.eta()
        self.expected += s * sum(share for share, answer in zip(p, answers, strict=True) if answer != label)
        self.squares += eta * s * s / 8
        self.loss = [loss + s * (a != label) for loss, a in zip(self.loss, answers, strict=True)]
        self.t += 1
        self.regret_limit = (math.log(self.n) / eta if self.n > 1 else 0.0) + self.squares


class Winnow:
    def __init__(self, n, threshold=None, factor=2.0, eliminate=False):
        self.threshold = n / 2 if threshold is None else threshold
        self.factor, self.eliminate = factor, eliminate
        self.weights = [1.0] * n
        self.loss = [0.0] * n
        self.promotions = self.raised = self.lowered = self.largest = 0.0

    def total(self, answers):
        return sum(w for w, answer in zip(self.weights, answers, strict=True) if answer == 1)

    def answer(self, answers):
        return int(self.total(answers) >= self.threshold)

    def learn(self, answers, label, s=1.0):
        said = self.answer(answers)
        up = self.factor**s
        for i, answer in enumerate(answers):
            self.loss[i] += s * ((answer == 1) != (label == 1))
            if answer == 1 and said != label:
                self.weights[i] *= up if label == 1 else 0 if self.eliminate else 1 / up
        self.largest = max(self.largest, s)
        if said == 0 and label == 1:
            self.promotions += s
            self.raised += up - 1
        if said == 1 and label == 0:
            self.lowered += 1 if self.eliminate else 1 - 1 / up

    def lowered_limit(self):
        return len(self.weights) / self.threshold + self.raised

    def promotion_limit(self):
        return min(self.loss) + math.log(max(self.threshold, 1)) / math.log(self.factor) + self.largest
