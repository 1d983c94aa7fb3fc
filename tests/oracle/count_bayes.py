"""Naive Bayes for counts, by remembering every row it was taught: multinomial, complement and Bernoulli.

McCallum and Nigam 1998 for the two event models, Rennie et al. 2003 for the complement, whose class prior is kept. Nothing is
updated in place: every answer is computed from the list of examples. A missing count is 0.
"""

import math

from .naive_bayes import NaiveBayes as GaussianBayes


class CountBayes(GaussianBayes):
    def __init__(
        self, columns, n_classes, seed, lane, *, counts, alpha=1.0, prior_alpha=1e-2, floor=1e-30, sparse=None
    ):
        super().__init__(columns, n_classes, seed, lane, alpha=alpha, prior_alpha=prior_alpha, floor=floor)
        self.counts = counts

    def log(self, probability):
        return math.log(max(probability, self.floor))

    def count(self, classes, j):
        """Weighted sum of column j over the examples of these classes."""
        return sum(w * numbers.get(j, 0.0) for label, w, numbers, _ in self.examples if label in classes)

    def share(self, classes, j):
        """Smoothed share of column j among all that these classes have counted; None if that is nothing."""
        width = self.columns.width
        total = sum(self.count(classes, i) for i in range(width)) + self.alpha * width
        return (self.count(classes, j) + self.alpha) / total if total > 0 else None

    def log_words(self, classes, row):
        shares = [(x, self.share(classes, j)) for j, x in row.numbers if x > 0]
        return sum(x * self.log(share) for x, share in shares if share is not None)

    def log_presences(self, c, row):
        n, x = self.class_weight(c), dict(row.numbers)
        total = 0.0
        for j in range(self.columns.width):
            seen = sum(w for label, w, numbers, _ in self.examples if label == c and numbers.get(j, 0.0) > 0)
            there = x.get(j, 0.0) > 0
            # The product of two kinds of factors: what is against n + alpha is never below the floor.
            p = (seen if there else n - seen) + self.alpha
            total += self.log(p / (n + self.alpha)) - math.log((n + 2 * self.alpha) / (n + self.alpha))
        return total

    def log_joint(self, c, row):
        prior = math.log(self.class_weight(c) + self.prior_alpha)
        if self.counts == "bernoulli":
            return prior + self.log_presences(c, row)
        if self.counts == "multinomial":
            return prior + self.log_words({c}, row)
        others = {label for label, *_ in self.examples} - {c}
        return prior - self.log_words(others, row)
