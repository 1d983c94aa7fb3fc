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
        self.t = self.u = None  # coordinates and what a step adds, where there is a row stage (logistic.py)


class Columns:
    def __init__(self, width, nominal=(), scale="none"):
        self.width = width
        self.nominal = frozenset(nominal)
        self.n_known = 0  # classes; kept by the ensemble
        self.scale = scale
        self.stage = None  # of learners that have a row stage of their own (logistic.py)
        self.values = {
            j: {} for j in self.nominal
        }  # column -> {value: code}, codes in order of first appearance
        self.history = {j: [] for j in range(width) if j not in self.nominal}  # column -> [x]

    def read(self, x):
        """The row as seen before it is learned."""
        numbers = [(j, float(x[j])) for j in sorted(self.history) if not math.isnan(x[j])]
        codes = [
            (j, self.values[j][x[j]])
            for j in sorted(self.nominal)
            if not math.isnan(x[j]) and x[j] in self.values[j]
        ]
        scaled = [(j, self.scale_one(number, [*self.history[j], number])) for j, number in numbers]
        row = Row(numbers, scaled, codes)
        if self.stage is not None:
            self.stage.look(row)
        return row

    def learn(self, x):
        """Take the row's values and statistics in; the row as seen from now on. Its weight does not matter here."""
        self.take_in(x)
        row = self.read(x)
        row.scaled = [(j, self.scale_one(number, self.history[j])) for j, number in row.numbers]
        if self.stage is not None:
            self.stage.learn(row)
        return row

    def see(self, x):
        """A row that nobody has labelled: its values and statistics are taken in, and nothing is learned."""
        self.take_in(x)
        for j in self.history if self.stage is not None else ():
            if not math.isnan(x[j]):
                self.stage.see(j, float(x[j]))

    def take_in(self, x):
        for j in sorted(self.nominal):
            if not math.isnan(x[j]):
                self.values[j].setdefault(x[j], len(self.values[j]))
        for j, seen in self.history.items():
            if not math.isnan(x[j]):
                seen.append(float(x[j]))

    def scale_one(self, x, seen):
        if self.scale in ("none", "auto"):
            return x
        if self.scale == "unit":
            low, high = min(seen), max(seen)
            return (x - low) / (high - low) if high > low else 0.0
        if self.scale == "maxabs":
            largest = max(abs(value) for value in seen)
            return x / largest if largest > 0 else 0.0
        mean = sum(seen) / len(seen)
        deviation = math.sqrt(sum((value - mean) ** 2 for value in seen) / len(seen))
        # All values equal: the two-pass mean may miss them by a rounding; there is no spread all the same.
        return 0.0 if len(set(seen)) == 1 else (x - mean) / deviation
