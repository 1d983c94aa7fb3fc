"""Naive Bayes over nominal and numeric columns, by remembering every cell it was taught.

Nothing is updated in place: each answer is computed from the list of (class, column, value, weight), so the oracle
is lossless by construction. Oza 2001, figure 2.3, for nominal columns; Gaussian densities for numeric ones. With divisor "all"
the examples are replayed: there the mean of a class is a walk whose steps are divided by the weight of all.
"""

import math

from oracle.remembering import Remembering

NEAR = 1e-9
LIMIT = 60.0  # on the log odds of two classes


class NaiveBayes(Remembering):
    def __init__(
        self,
        columns,
        n_classes,
        seed,
        lane,
        *,
        alpha=0.0,
        var_floor=1e-3,
        prior_alpha=1e-2,
        floor=1e-30,
        divisor="class",
        sparse="never",  # how it is computed makes no difference
    ):
        self.divisor = divisor
        self.alpha, self.var_floor, self.prior_alpha, self.floor = alpha, var_floor, prior_alpha, floor
        super().__init__(columns)  # examples: (class, weight, {column: number}, {column: value code})

    def learn(self, row, label, amount, copies=False):
        if amount > 0:
            self.examples.append((label, amount, dict(row.numbers), dict(row.codes)))

    # ---- one class, one column

    def class_weight(self, c):
        return sum(w for label, w, _, _ in self.examples if label == c)

    def log_value(self, c, j, value):
        """Nominal: log of the share of the value among what class c showed in column j."""
        n_values = len(self.columns.values[j])
        total = sum(w for label, w, _, codes in self.examples if label == c and j in codes)
        count = sum(w for label, w, _, codes in self.examples if label == c and codes.get(j) == value)
        if total == 0 and self.alpha == 0:
            return 0.0
        probability = (count + self.alpha) / (total + self.alpha * n_values)
        return math.log(probability) if probability > 0 else math.log(self.floor)

    def log_density(self, c, j, x):
        """Numeric: a Gaussian without its constant 1 / sqrt(2 pi)."""
        seen = [(numbers[j], w) for label, w, numbers, _ in self.examples if label == c and j in numbers]
        total = sum(w for _, w in seen)
        if total == 0:
            return 0.0
        if self.divisor == "all":
            mean, spread, total = self.walk(c, j)
        else:
            mean = sum(w * value for value, w in seen) / total
            spread = sum(w * (value - mean) ** 2 for value, w in seen)
        variance = spread / total + self.var_floor
        precision = min(max(1 / variance if variance > 0 else math.inf, 1e-30), 1e30)
        return 0.5 * math.log(precision) - 0.5 * (x - mean) ** 2 * precision

    def walk(self, c, j):
        """Numeric, divisor all: (mean, sum of squares, weight of all classes) of class c in column j."""
        mean = spread = total = 0.0
        for label, w, numbers, _ in self.examples:
            if j not in numbers:
                continue
            total += w
            if label == c:
                off = numbers[j] - mean
                mean += off * w / total
                spread += w * off * (numbers[j] - mean)
        return mean, spread, total

    def log_joint(self, c, row):
        return (
            math.log(self.class_weight(c) + self.prior_alpha)
            + sum(self.log_value(c, j, value) for j, value in row.codes)
            + sum(self.log_density(c, j, x) for j, x in row.numbers)
        )

    # ---- answers

    def distribution(self, row, n_known):
        if not self.trained:
            return [0.0] * n_known
        weights = [self.class_weight(c) for c in range(n_known)]
        unseen = self.prior_alpha / (sum(weights) + n_known * self.prior_alpha)
        logs = {c: self.log_joint(c, row) for c in range(n_known) if weights[c] > 0}
        top = max(logs.values())
        shares = {c: math.exp(value - top) for c, value in logs.items()}
        rest = 1 - unseen * (n_known - len(logs))
        return [rest * shares[c] / sum(shares.values()) if c in shares else unseen for c in range(n_known)]

    def log_odds(self, row):
        no, yes = self.class_weight(0), self.class_weight(1)
        if no > 0 and yes > 0:
            odds = self.log_joint(1, row) - self.log_joint(0, row)
        else:
            a = self.prior_alpha
            odds = (math.log(yes + a) if yes + a > 0 else -math.inf) - (
                math.log(no + a) if no + a > 0 else -math.inf
            )
        return max(-LIMIT, min(LIMIT, odds))

    def margin(self, row):
        return math.tanh(self.log_odds(row) / 2) if self.trained else 0.0

    def ranking(self, row, n_known):
        """(log of the posterior up to a constant, class), best first: logs tell apart what rounds to the same probability."""
        weights = [self.class_weight(c) for c in range(n_known)]
        with_data = [c for c in range(n_known) if weights[c] > 0]
        logs = {c: self.log_joint(c, row) for c in with_data}
        top = max(logs.values())
        mass = math.log(sum(math.exp(value - top) for value in logs.values())) + top
        total = sum(weights) + n_known * self.prior_alpha
        unseen = self.prior_alpha / total
        rest = math.log1p(-unseen * (n_known - len(with_data)))
        scores = [
            logs[c] - mass + rest if c in logs else (math.log(unseen) if unseen > 0 else -math.inf)
            for c in range(n_known)
        ]
        return sorted(((score, c) for c, score in enumerate(scores)), key=lambda pair: (-pair[0], pair[1]))

    def vote(self, row, n_known):
        return self.ranking(row, n_known)[0][1] if self.trained else -1

    def vote_is_close(self, row, n_known):
        if not self.trained or n_known < 2:
            return False
        (best, _), (second, _) = self.ranking(row, n_known)[:2]
        return best - second < NEAR
