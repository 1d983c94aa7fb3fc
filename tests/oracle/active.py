"""Budgets of labels and query strategies, from the paper (Žliobaitė et al. 2014) and the specification, one row at a time.

By the rule "quantile" the threshold follows the quantile of the budget instead; the budget of 1,000 rows may be spent ahead, and
what was not spent at any time.

``uniform(t, what)`` and ``normal(t, what)`` are the draws of row t; ``what`` 0 decides whether chance has the row, 1 whether
chance labels it, 2 moves the threshold.
"""

import math


class Oracle:
    def __init__(self, budget, query, uniform, normal, drift, rule, fixed=0.9, share=0.1):
        self.B, self.query, self.uniform, self.normal, self.drift = budget, query, uniform, normal, drift
        self.fixed, self.share = fixed, share
        self.w = 100 if rule == "paper" else 1000
        self.saves = rule == "quantile"
        self.down, self.up = (0.01, 0.01) if rule == "paper" else (0.02 * (1 - budget), 0.02 * budget)
        self.t = self.labels = 0
        self.u, self.theta = 0.0, 1.0

    def room(self):
        return self.saves or self.u / self.w < self.B

    def chance(self):
        if self.query == "random":
            return True
        return self.query == "split" and self.uniform(self.t, 0) < self.share

    def ask(self, sure):
        if self.B == 1:
            return True
        if self.labels >= self.B * (self.t + self.w):
            return False
        if self.query == "random":
            return self.uniform(self.t, 1) < self.B
        if not self.room():
            return False
        if self.chance():
            return self.uniform(self.t, 1) < self.B
        theta = {"uncertainty": self.fixed, "randomized": self.theta * (1 + self.normal(self.t, 2))}
        return sure < theta.get(self.query, self.theta)

    def step(self, asked, wrong):
        """Before it, `ask` was answered for this row; a row is skipped or learned, whatever the answer was."""
        consulted = self.labels < self.B * (self.t + self.w) and self.room()
        if self.chance():
            if asked and self.drift(float(wrong)):
                self.theta = 1.0
        elif self.query != "uncertainty" and (asked or consulted):
            self.theta = min(max(self.theta * (1 - self.down if asked else 1 + self.up), 0.001), 2)
        self.u = self.u * (self.w - 1) / self.w + (1 if asked else 0)
        self.labels += 1 if asked else 0
        self.t += 1


def confidence(shares, query):
    """Of probabilities, or of the votes of the learners; 0 while there is no choice."""
    if len(shares) < 2:
        return 0.0
    if query != "disagreement":
        return max(shares)
    return 1 + sum(p * math.log(p) for p in shares if p > 0) / math.log(len(shares))
