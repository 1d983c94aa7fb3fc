"""A neural network with one hidden layer, a unit at a time: sigmoid units, one output per class, squared error.

Oza 2001, section 2.3; sizes and rates are choices of ours.
"""

import math

from oracle import draws

BIAS = (0, 0)


def sigmoid(z):
    return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))


class MLP:
    def __init__(
        self, columns, n_classes, seed, lane, *, hidden_units="auto", updates_per_example=1, learning_rate=0.2
    ):
        self.columns, self.seed, self.lane = columns, seed, lane
        self.updates, self.rate = updates_per_example, learning_rate
        auto = max(5, min(50, math.floor((columns.width + (n_classes or 2)) / 2 + 0.5)))
        self.n_hidden = auto if hidden_units == "auto" else hidden_units
        self.first, self.second = {}, {}  # (input, hidden) and (hidden, class) -> weight
        self.trained = self.doubt = False

    def meet(self):
        pass

    # ---- weights, made when first needed

    def start(self, key, unit, fan_in):
        return (draws.uniform(self.seed, key, self.lane, draws.START, attempt=unit) - 0.5) / math.sqrt(fan_in)

    def w1(self, name, h):
        if (name, h) not in self.first:
            place, value = name
            self.first[name, h] = self.start(place << 32 | value, h, self.columns.width + 1)
        return self.first[name, h]

    def w2(self, h, c):
        """h = 0: the bias."""
        if (h, c) not in self.second:
            self.second[h, c] = self.start(1 << 62 | h, c, self.n_hidden + 1)
        return self.second[h, c]

    # ---- forward

    def inputs(self, row):
        x = {BIAS: 1.0}
        x.update({(j + 1, 0): value for j, value in row.scaled})
        x.update({(j + 1, v): 1.0 for j, v in row.codes})
        return x

    def forward(self, row, n_known):
        x = self.inputs(row)
        a = [sigmoid(sum(v * self.w1(name, h) for name, v in x.items())) for h in range(self.n_hidden)]
        out = [
            sigmoid(self.w2(0, c) + sum(a[h] * self.w2(h + 1, c) for h in range(self.n_hidden)))
            for c in range(n_known)
        ]
        return x, a, out

    # ---- learning

    def learn(self, row, label, amount, copies=False):
        if amount <= 0:
            return
        self.trained = True
        repeats, weight = (min(int(amount), 100), 1.0) if copies else (1, amount)
        for _ in range(repeats * self.updates):
            self.step(row, label, weight)

    def step(self, row, label, weight):
        x, a, out = self.forward(row, max(self.columns.n_known, label + 1))
        delta = [weight * self.rate * ((c == label) - o) * o * (1 - o) for c, o in enumerate(out)]
        back = [
            a[h] * (1 - a[h]) * sum(d * self.w2(h + 1, c) for c, d in enumerate(delta))
            for h in range(self.n_hidden)
        ]
        for c, d in enumerate(delta):
            self.second[0, c] += d
            for h in range(self.n_hidden):
                self.second[h + 1, c] += d * a[h]
        for h in range(self.n_hidden):
            for name, value in x.items():
                self.first[name, h] += back[h] * value

    # ---- answers

    def distribution(self, row, n_known):
        if not self.trained:
            return [0.0] * n_known
        out = self.forward(row, n_known)[2]
        return [o / sum(out) for o in out]

    def margin(self, row):
        if not self.trained:
            return 0.0
        if self.columns.n_known < 2:
            return -1.0  # the other class has no output yet
        no, yes = self.distribution(row, 2)
        return yes - no

    def vote(self, row, n_known):
        n_known = min(n_known, self.columns.n_known)  # a class not known yet has no output
        if not self.trained or n_known == 0:
            return -1
        out = self.forward(row, n_known)[2]
        return out.index(max(out))

    def vote_is_close(self, row, n_known):
        n_known = min(n_known, self.columns.n_known)
        if not self.trained or n_known < 2:
            return False
        best, second = sorted(self.forward(row, n_known)[2], reverse=True)[:2]
        return best - second < 1e-9
