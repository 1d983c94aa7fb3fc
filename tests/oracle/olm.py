"""Adaboost.OLM (Jung, Goetz, Tewari 2017, algorithm 2), three losses.

s^i = s^(i-1) + alpha_i e_{l_i};  expert i says argmax s^i;  v_i *= exp(-1{expert i wrong})
C[r, l] = slope(s[l] - s[r]) for l != r, C[r, r] = -(sum of the others), at s^(i-1)
learner i is taught with -C[y, y] / (k - 1);  alpha_i <- clip(alpha_i - eta f', -2, 2),  f(alpha) = L^y(s^(i-1) + alpha e_l)
"""

import math

from oracle.ensembles import NEAR
from oracle.multiclass import Multiclass, argmax


def sigmoid(z):
    return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))


LOSSES = {
    "logistic": lambda z: max(z, 0.0) + math.log1p(math.exp(-abs(z))),
    "exponential": lambda z: math.exp(z),
    "squared_hinge": lambda z: max(0.0, 1 + z) ** 2 / 2,
}
SLOPES = {
    "logistic": sigmoid,
    "exponential": lambda z: math.exp(z),
    "squared_hinge": lambda z: max(0.0, 1 + z),
}


def loss(name, s, y):
    return sum(LOSSES[name](s[l] - s[y]) for l in range(len(s)) if l != y)


def cost_row(name, s, r):
    """Gradient of the loss of truth r."""
    row = [SLOPES[name](v - s[r]) for v in s]
    row[r] = 0.0
    row[r] = -sum(row)
    return row


def derivative(name, s, y, l, alpha, gradient="true"):
    """f'(alpha) with f(alpha) = loss(s + alpha e_l)."""
    moved = [v + alpha * (j == l) for j, v in enumerate(s)]
    if l == y and gradient == "paper_code" and name == "logistic":
        return -sum(sigmoid(moved[y] - moved[j]) for j in range(len(s)) if j != y)
    sign = -1 if l == y and gradient == "paper_code" and name == "exponential" else 1
    return sign * cost_row(name, moved, y)[l]


def rate(name, k, i, t, gradient="true", kind="theory"):
    """Step of learner i = 1.. at time t = 1..: diameter 4 over sqrt(2) times the bound of the gradient."""
    if kind == "binary":
        return 4 / ((k - 1) * math.sqrt(t))
    bound = {"logistic": 1.0, "exponential": math.exp(2 * i), "squared_hinge": 1 + 2 * i}[name]
    if gradient == "paper_code" and name == "exponential":
        bound = math.exp(i - 1)
    return 4 / (math.sqrt(2) * (k - 1) * bound * math.sqrt(t))


class OLM(Multiclass):
    def __init__(
        self,
        make,
        n_estimators,
        key,
        *,
        loss="logistic",
        gradient="true",
        step="theory",
        preset=None,
        **options,
    ):
        super().__init__(make, n_estimators, key, **options)
        self.loss, self.gradient, self.step_kind = loss, gradient, step
        self.alpha = [0.0] * n_estimators
        self.experts = [0.0] * n_estimators
        self.costs_paid = [0.0] * n_estimators  # sum of C[y, l]
        self.slopes = [0.0] * n_estimators  # sum of -C[y, y]

    def walk(self, row):
        """[(votes before, label)], what each prefix says, final votes, doubt."""
        s, steps, says, close = [0.0] * self.n_known, [], [], False
        for i in range(len(self.lanes)):

            def excess(s=tuple(s)):
                rows = [cost_row(self.loss, s, r) for r in range(self.n_known)]
                return [
                    [c - row[r] if l != r else 0.0 for l, c in enumerate(row)] for r, row in enumerate(rows)
                ]

            label, unsure = self.lane_label(i, row, excess)
            close |= unsure
            steps.append((list(s), label))
            s[label] += self.alpha[i]
            best = argmax(s)
            close |= any(v != s[best] and s[best] - v < NEAR for v in s)
            says.append(best)
        return steps, says, s, close

    def combine(self, row):
        _, says, _, close = self.walk(row)
        return self.hedged(says, close)

    def learn(self, x, label, weight=1.0):
        if weight > 0 and self.n_known > 1:
            *self.walked, close = self.walk(self.columns.read(x))
            self.doubt |= close
        super().learn(x, label, weight)

    def teach(self, row, label, weight, asked, asked_close):
        steps, says, final = self.walked
        amounts, before, ws = [], list(self.alpha), []
        for i, (s, l) in enumerate(steps):
            costs = cost_row(self.loss, s, label)
            w = -costs[label] / (self.n_known - 1)
            ws.append(w)
            amounts.append(self.lesson(i, w) * weight)
            self.costs_paid[i] += weight * costs[l]
            self.slopes[i] -= weight * costs[label]
            g = derivative(self.loss, s, label, l, before[i], self.gradient)
            eta = rate(self.loss, self.n_known, i + 1, self.examples + 1, self.gradient, self.step_kind)
            self.alpha[i] = max(-2.0, min(2.0, before[i] - weight * eta * g))
        self.punish(says, label, weight)
        for i, lane in enumerate(self.lanes):
            lane.learn(row, label, amounts[i])
            self.teach_costs(i, row, label, amounts[i], cost_row(self.loss, steps[i][0], label))
        return {"offered": amounts, "amount": amounts, "w": ws, "alpha": before, "says": says, "s": final}

    def lesson(self, i, w):
        if self.weight_scale != "paper_code":
            return self.amount(i, w)
        if self.loss == "exponential":
            return max(10 * w / math.exp(0.2 * math.sqrt(i)), 1e-10)
        return 5.0 if i == 0 else max(self.constant(i) * w, 1e-10)
