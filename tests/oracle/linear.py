"""Linear learners: Perceptron, OGD, Logistic. One vector for two classes, one vector per class for more.

Coordinates of a row: x_j / R for a number, 1 / R for the value of a nominal column and for the intercept, with
R = sqrt(columns + 1). Class code 1 is y = +1, code 0 is y = -1; with k > 2 vectors, vector c sees +1 for class c.
Chen, Lin, Lu 2012 (perceptron, weights as step sizes); Zinkevich 2003 with the sum-of-squares step (OGD).
"""

import math

from oracle import draws

INTERCEPT = "intercept"
NEAR = 1e-9  # decisions closer than this may fall otherwise in other arithmetic


class Linear:
    def __init__(self, columns, n_classes, seed, lane, *, start="zero", fit_intercept=True):
        self.columns, self.seed, self.lane = columns, seed, lane
        self.start, self.fit_intercept = start, fit_intercept
        self.several = n_classes is not None and n_classes > 2
        self.vectors = [{} for _ in range(n_classes if self.several else 1)]
        self.squares = 0.0  # sum of squared weights so far
        self.moved = set()  # coordinates that some step has touched
        self.taught = set()  # labels learned so far
        self.doubt = False  # a decision that altered the state was too close to call
        self.meet()
        self.trained = any(value != 0 for vector in self.vectors for value in vector.values())

    # ---- coordinates

    def meet(self):
        """Give every coordinate that exists by now its start: keyed for numbers and intercept, 0 for a nominal value."""
        numbers = [("number", j) for j in self.columns.history]
        values = [("value", j, v) for j, codes in self.columns.values.items() for v in codes.values()]
        for c, vector in enumerate(self.vectors):
            for coordinate in numbers + [INTERCEPT] * self.fit_intercept:
                if coordinate not in vector:
                    vector[coordinate] = self.begin(coordinate, c)
            for coordinate in values:
                vector.setdefault(coordinate, 0.0)

    def begin(self, coordinate, c):
        column = self.columns.width if coordinate == INTERCEPT else coordinate[1]
        if not isinstance(self.start, str):
            return float(self.start[column])
        if self.start == "zero":
            return 0.0
        length = math.sqrt(self.columns.width + self.fit_intercept)
        return draws.normal(self.seed, column, self.lane, draws.START, attempt=c) / length

    def point(self, row):
        r = math.sqrt(self.columns.width + 1)
        x = {("number", j): value / r for j, value in row.scaled}
        x.update({("value", j, v): 1 / r for j, v in row.codes})
        if self.fit_intercept:
            x[INTERCEPT] = 1 / r
        return x

    def raw(self, vector, x):
        return sum(vector[coordinate] * value for coordinate, value in x.items())

    def unsure(self, vector, x):
        """Near zero because steps cancelled, so its sign is rounding; what was never moved from 0 is 0 in any arithmetic."""
        moved = any(vector[at] != 0 or at in self.moved for at, value in x.items() if value != 0)
        return moved and abs(self.raw(vector, x)) < NEAR

    def add(self, vector, step, x):
        for coordinate, value in x.items():
            vector[coordinate] += step * value
        if step != 0:
            self.moved.update(x)

    # ---- answers

    def hypothesis(self, vector, x):
        raise NotImplementedError

    def margin(self, row):
        return self.hypothesis(self.vectors[0], self.point(row)) if self.trained else 0.0

    def vote(self, row, n_known):
        if not self.trained:
            return -1
        x = self.point(row)
        if not self.several:
            return 1 if self.raw(self.vectors[0], x) > 0 else 0
        answers = [self.hypothesis(vector, x) for vector in self.vectors]
        return answers.index(max(answers))

    def vote_is_close(self, row, n_known):
        if not self.trained:
            return False
        x = self.point(row)
        if not self.several:
            return self.unsure(self.vectors[0], x)
        answers = [self.hypothesis(vector, x) for vector in self.vectors]
        best = answers.index(max(answers))
        # Classes never met have equal vectors, hence equal answers in any arithmetic: the lowest code, no doubt. Vectors that
        # became equal by steps that cancel are equal in this arithmetic only.
        unmet = {c for c in range(len(answers)) if c not in self.taught}
        twins = {c for c in unmet if best in unmet and self.vectors[c] == self.vectors[best]}
        return any(answers[best] - h < NEAR for c, h in enumerate(answers) if c != best and c not in twins)

    def distribution(self, row, n_known):
        if not self.trained:
            return [0.0] * n_known
        x = self.point(row)
        if not self.several:
            h = self.hypothesis(self.vectors[0], x)
            return [(1 - h) / 2, (1 + h) / 2][:n_known]
        shares = [(1 + self.hypothesis(vector, x)) / 2 for vector in self.vectors]
        if sum(shares) == 0:  # every column says no: nothing tells the classes apart
            return [1 / len(shares)] * len(shares)
        return [share / sum(shares) for share in shares]

    # ---- learning

    def learn(self, row, label, amount, copies=False):
        """`amount` as the weight of one update, or as a number of updates in a row."""
        if amount <= 0:
            return
        x = self.point(row)
        self.prepare(amount, copies)
        for c, vector in enumerate(self.vectors):
            y = (1 if label == c else -1) if self.several else (1 if label == 1 else -1)
            self.learn_vector(vector, x, y, amount, copies)
        self.taught.add(label)
        self.trained = True

    def prepare(self, amount, copies):
        pass

    def learn_vector(self, vector, x, y, amount, copies):
        raise NotImplementedError


def norm(vector):
    return math.sqrt(sum(value * value for value in vector.values()))


def clip(value):
    return max(-1.0, min(1.0, value))


class Perceptron(Linear):
    def __init__(self, *args, start="sphere", **options):
        super().__init__(*args, start=start, **options)

    def hypothesis(self, vector, x):
        return clip(self.raw(vector, x) / max(1.0, norm(vector)))

    def learn_vector(self, vector, x, y, amount, copies):
        steps, size = (int(amount), 1.0) if copies else (1, amount)
        for _ in range(steps):
            self.doubt |= self.unsure(vector, x)
            if y * self.raw(vector, x) > 0 or not any(x.values()):
                return  # a further copy would find the same
            self.add(vector, size * y, x)


class OGD(Linear):
    """Projected online gradient descent; k copies are one step of weight k."""

    def hypothesis(self, vector, x):
        return clip(self.raw(vector, x))

    def prepare(self, amount, copies):
        self.squares += amount * amount

    def learn_vector(self, vector, x, y, amount, copies):
        self.add(vector, math.sqrt(2) / math.sqrt(self.squares) * amount * y, x)
        length = norm(vector)
        if length > 1:
            for coordinate in vector:
                vector[coordinate] /= length


def sigmoid(value):
    return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))


class Logistic(Linear):
    def hypothesis(self, vector, x):
        return 2 * sigmoid(self.raw(vector, x)) - 1

    def learn(self, row, label, amount, copies=False):
        if not copies:
            self.one_update(row, label, amount)
        else:
            for _ in range(int(min(amount, 100))):
                self.one_update(row, label, 1.0)

    def one_update(self, row, label, weight):
        if weight <= 0:
            return
        self.squares += weight * weight
        x = self.point(row)
        for c, vector in enumerate(self.vectors):
            target = 1.0 if label == (c if self.several else 1) else 0.0
            step = math.sqrt(2) / math.sqrt(self.squares) * weight
            self.add(vector, step * (target - sigmoid(self.raw(vector, x))), x)
        self.taught.add(label)
        self.trained = True
