"""What every learner of an oracle ensemble shares: the columns, the values met so far, the running scale.

A row is asked about before it is learned. Until then a nominal value not learned yet has no code and counts as
missing; the running scale, on the other hand, includes the very row that is asked about (transiently).
"""

import math


class Row:
    """One example as learners see it: lists of (column, number) and (column, value code), missing cells left out."""

    def __init__(self, numbers, scaled, codes):
        self.numbers = numbers
        self.scaled = scaled
        self.codes = codes


class Columns:
    def __init__(self, width, nominal=(), scale="none"):
        self.width = width
        self.nominal = frozenset(nominal)
        self.n_known = 0  # classes; kept by the ensemble
        self.scale = scale
        self.values = {
            j: {} for j in self.nominal
        }  # column -> {value: code}, codes in order of first appearance
        self.history = {j: [] for j in range(width) if j not in self.nominal}  # column -> [(x, weight)]

    def read(self, x):
        """The row as seen before it is learned."""
        numbers = [(j, float(x[j])) for j in sorted(self.history) if not math.isnan(x[j])]
        codes = [
            (j, self.values[j][x[j]])
            for j in sorted(self.nominal)
            if not math.isnan(x[j]) and x[j] in self.values[j]
        ]
        scaled = [(j, self.scale_one(number, [*self.history[j], (number, 1.0)])) for j, number in numbers]
        return Row(numbers, scaled, codes)

    def learn(self, x, weight):
        """Take the row's values and statistics in; the row as seen from now on."""
        for j in sorted(self.nominal):
            if not math.isnan(x[j]):
                self.values[j].setdefault(x[j], len(self.values[j]))
        for j, seen in self.history.items():
            if not math.isnan(x[j]):
                seen.append((float(x[j]), weight))
        row = self.read(x)
        row.scaled = [(j, self.scale_one(number, self.history[j])) for j, number in row.numbers]
        return row

    def scale_one(self, x, seen):
        if self.scale == "none":
            return x
        if self.scale == "unit":
            low, high = min(value for value, _ in seen), max(value for value, _ in seen)
            return (x - low) / (high - low) if high > low else 0.0
        if self.scale == "maxabs":
            largest = max(abs(value) for value, _ in seen)
            return x / largest if largest > 0 else 0.0
        total = sum(w for _, w in seen)
        mean = sum(w * value for value, w in seen) / total
        deviation = math.sqrt(sum(w * (value - mean) ** 2 for value, w in seen) / total)
        # All values equal: the two-pass mean may miss them by a rounding; there is no spread all the same.
        return 0.0 if len({value for value, _ in seen}) == 1 else (x - mean) / deviation
