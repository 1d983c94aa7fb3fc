"""Regressors, slow and obvious: scale-free linear learners, bagging, online gradient boosting, a model tree.

A learner has `ask(row)` (a number, or None while it is untrained) and `learn(row, target, amount)`; NaN is missing.
"""

import math

import numpy as np

from oracle import draws
from oracle.logistic import RATE_ORDER, Numeric


class Rates:
    """What all linear lanes share: running standardised rows and a rate for every coordinate; v = 1."""

    def __init__(self, rate=0.25, clip=5.0):
        self.rate, self.clip, self.n, self.total = rate, clip, 0, 0.0
        self.columns, self.sizes = {}, {}

    def look(self, row):
        """Return t of the row by statistics that include it, keeping nothing."""
        t = {"intercept": 1.0}
        for j, x in enumerate(row):
            if not math.isnan(x):
                numeric = self.columns.get(j, Numeric())
                copy = Numeric()
                copy.__dict__.update(numeric.__dict__)
                t[j] = copy.take(x, self.clip)
        return t

    def take(self, row):
        """Count the row: t, u and Q."""
        t = {"intercept": 1.0}
        for j, x in enumerate(row):
            if not math.isnan(x):
                t[j] = self.columns.setdefault(j, Numeric()).take(x, self.clip)
        self.n += 1
        for at, value in t.items():
            self.total += value * value
            self.sizes[at] = self.sizes.get(at, 0.0) + value * value
        u = {}
        for at, value in t.items():
            size = self.sizes[at]
            rate = 0.0
            if size > 0:
                rate = max(1 / (1 + size), self.rate * math.sqrt(self.n / self.total) / math.sqrt(size))
            u[at] = rate * value
        return t, u, sum(u[at] * t[at] for at in t)


class Linear:
    """One lane of linear regression; the shared rates are moved by whoever runs the lanes."""

    def __init__(self, lane=0, spread=0.0, clip=5.0):
        self.kappa, self.clip = 2.0 ** (spread * RATE_ORDER[lane % 5]), clip
        self.W, self.B = {}, 0.0
        self.n, self.mean, self.m2 = 0, 0.0, 0.0
        self.low, self.high = math.inf, -math.inf

    def score(self, t):
        return sum(self.W.get(at, 0.0) * value for at, value in t.items())

    def ask(self, t):
        if self.n == 0:
            return None
        said = self.mean + math.sqrt(self.m2 / self.n) * self.score(t)
        return max(min(said, self.high), self.low)

    def learn(self, lesson, n_rows, target, amount):
        if amount <= 0:
            return
        t, u, Q = lesson
        z = self.score(t)
        self.low, self.high = min(self.low, target), max(self.high, target)
        if self.n >= 20 and self.m2 > 0:
            reach = self.clip * math.sqrt(self.m2 / self.n)
            target = min(max(target, self.mean - reach), self.mean + reach)
        self.n += 1
        off = target - self.mean
        self.mean += off / self.n
        self.m2 += off * (target - self.mean)
        y = (target - self.mean) / math.sqrt(self.m2 / self.n) if self.m2 > 0 else 0.0
        g = y - z
        self.B += amount * g * g
        S = min(amount * Q * self.kappa * math.sqrt(n_rows / (self.B + 1e-300)), 1e30)
        if Q > 0:
            for at, value in u.items():
                self.W[at] = self.W.get(at, 0.0) + g * (1 - math.exp(-S)) / Q * value


class Bank:
    """N linear lanes over the same rows."""

    def __init__(self, n, **options):
        self.rates = Rates()
        self.lanes = [Linear(i, **options) for i in range(n)]

    def ask(self, row):
        t = self.rates.look(row)
        return [lane.ask(t) for lane in self.lanes]

    def learn(self, row, targets, amounts):
        lesson = self.rates.take(row)
        for lane, target, amount in zip(self.lanes, targets, amounts, strict=True):
            lane.learn(lesson, self.rates.n, target, amount)


class Bagging:
    def __init__(self, bank, key, *, sampling="poisson", poisson_rate=1.0, fraction=0.7, combine="mean"):
        self.bank, self.key, self.sampling, self.rate, self.fraction = (
            bank,
            key,
            sampling,
            poisson_rate,
            fraction,
        )
        self.combine, self.examples, self.weight, self.sum = combine, 0, 0.0, 0.0

    def ask(self, row):
        said = [a for a in self.bank.ask(row) if a is not None]
        if not said:
            return self.sum / self.weight if self.weight else math.nan
        return sum(said) / len(said) if self.combine == "mean" else sorted(said)[(len(said) - 1) // 2]

    def learn(self, row, target, weight=1.0):
        if weight == 0:
            return
        amounts = []
        for i in range(len(self.bank.lanes)):
            if self.sampling == "poisson":
                amounts.append(draws.poisson(self.key, self.examples, i, weight * self.rate))
            elif self.sampling == "fraction":
                drawn = draws.uniform(self.key, self.examples, i, draws.FRACTION)
                amounts.append(weight if drawn < self.fraction else 0.0)
            else:
                amounts.append(weight)
        self.bank.learn(row, [target] * len(amounts), amounts)
        self.examples += 1
        self.weight += weight
        self.sum += weight * target


class GradientBoosting:
    """Beygelzimer, Hazan, Kale, Luo 2015, algorithms 1 (span) and 2 (hull)."""

    def __init__(self, bank, *, loss="squared", domain="span", step=0.5, delta=0.1, quantile=0.5):
        self.bank, self.loss, self.domain, self.step = bank, loss, domain, step
        self.delta, self.tau = delta, quantile
        self.sigma = [0.0] * len(bank.lanes)
        self.t, self.weight, self.sum, self.B = 0, 0.0, 0.0, 0.0

    @property
    def L(self):
        tau = max(self.tau, 1 - self.tau)
        return {"squared": 2 * self.B, "huber": self.delta * self.B, "absolute": 1.0, "quantile": tau}[
            self.loss
        ]

    @property
    def range(self):
        steep = min(self.B, 4 * self.B / (self.step * len(self.sigma)))
        return {"squared": self.B, "huber": self.delta * self.B}.get(self.loss, steep)

    def slope(self, z, y):
        off = z - y
        if self.loss == "squared":
            return off
        if self.loss == "huber":
            return max(-self.delta * self.B, min(off, self.delta * self.B))
        if off == 0:
            return 0.0
        if self.loss == "absolute":
            return math.copysign(1.0, off)
        return 1 - self.tau if off > 0 else -self.tau

    def chain(self, said):
        """y^0 ... y^N."""
        y = [0.0]
        for i, answer in enumerate(said):
            A = 0.0 if answer is None else answer
            if self.domain == "hull":
                eta = 2 / (i + 2)
                moved = (1 - eta) * y[-1] + eta * A
            else:
                moved = (1 - self.sigma[i] * self.step) * y[-1] + self.step * A
            y.append(max(-self.B, min(moved, self.B)))
        return y

    @property
    def centre(self):
        return self.sum / self.weight if self.weight else math.nan

    def ask(self, row):
        return self.centre + (self.chain(self.bank.ask(row))[-1] if self.B > 0 else 0.0)

    def learn(self, row, target, weight=1.0):
        if weight == 0:
            return
        n = len(self.sigma)
        if self.B > 0:
            y = target - self.centre
            chain = self.chain(self.bank.ask(row))
            slopes = [self.slope(z, y) for z in chain[:-1]]
            if self.domain == "hull":
                targets = [-self.B * np.sign(s) for s in slopes]
                amounts = [weight * abs(s) / self.L for s in slopes]
            else:
                targets, amounts = [-self.range * s / self.L for s in slopes], [weight] * n
            alpha = weight / (self.L * self.B * math.sqrt(self.t + 1))
            for i in range(n):
                self.sigma[i] = max(0.0, min(self.sigma[i] + alpha * slopes[i] * chain[i], 1.0))
            self.bank.learn(row, targets, amounts)
        else:
            self.bank.learn(row, [0.0] * n, [0.0] * n)  # the rows are counted all the same
        off = abs(target - self.centre) if self.weight else 0.0
        self.B = self.B or off
        while off > self.B:
            self.B *= 2
        self.t += 1
        self.weight += weight
        self.sum += weight * target


class Intervals:
    """Targets by where x lies: 32 intervals of equal width, doubled when x falls outside. Keeps all points."""

    def __init__(self):
        self.points, self.origin, self.width = [], 0.0, 0.0  # points: [interval, y, w]
        self.xs = []

    def add(self, x, y, w):
        self.xs.append(x)
        if self.width == 0:
            if len(self.xs) == 1:
                self.origin = x
            if x == self.origin:
                self.points.append([0, y, w])
                return
            first = self.origin
            self.width = abs(x - first) / 8
            self.origin = min(x, first) - 8 * self.width
            for point in self.points:
                point[0] = int((first - self.origin) / self.width)
        reach = 12 * float(np.std(self.xs))
        while not self.origin <= x < self.origin + 32 * self.width:
            if len(self.xs) >= 20 and 64 * self.width > reach:
                break
            if x < self.origin:
                self.origin -= 32 * self.width
                for point in self.points:
                    point[0] += 32
            for point in self.points:
                point[0] //= 2
            self.width *= 2
        self.points.append([min(max(math.floor((x - self.origin) / self.width), 0), 31), y, w])

    def splits(self):
        """Every cut: threshold, points below, points above."""
        for b in sorted({point[0] for point in self.points}):
            below = [p[1:] for p in self.points if p[0] <= b]
            yield self.origin + self.width * (b + 1), below, [p[1:] for p in self.points if p[0] > b]


class Values:
    """Targets by nominal value."""

    def __init__(self):
        self.points = []

    def add(self, x, y, w):
        self.points.append((x, y, w))

    def splits(self):
        for value in sorted({p[0] for p in self.points}):
            equal = [p[1:] for p in self.points if p[0] == value]
            yield value, equal, [p[1:] for p in self.points if p[0] != value]


def deviations(points):
    w = sum(p[1] for p in points)
    mean = sum(p[0] * p[1] for p in points) / w
    return sum(p[1] * (p[0] - mean) ** 2 for p in points)


class Leaf:
    def __init__(self, tree, seen, plane, low, high, depth, errors=(0.0, 0.0)):
        self.tree, self.seen, self.low, self.high, self.depth = tree, seen, low, high, depth
        self.inherited = plane  # intercept, slopes, reference
        self.plane = plane
        self.rows, self.solved = [], 0.0
        self.mean_error, self.plane_error = errors
        self.tried = sum(w for _, w in seen)
        self.observers = [Values() if nominal else Intervals() for nominal in tree.nominal]

    def mean(self):
        return sum(y * w for y, w in self.seen) / sum(w for _, w in self.seen)

    def offsets(self, x):
        reference = self.plane[2]
        z = []
        for k, j in enumerate(self.tree.numeric):
            if math.isnan(x[j]):
                mass = sum(w for _, _, w in self.rows)
                z.append(sum(row[k] * w for row, _, w in self.rows) / mass if mass else 0.0)
            else:
                z.append(x[j] - reference[k])
        return np.array(z)

    def through_plane(self, x):
        value = self.plane[0] + float(np.dot(self.plane[1], self.offsets(x)))
        return min(max(value, self.low), self.high)

    def solve(self):
        intercept, slopes, reference = self.inherited
        Z = np.array([row for row, _, _ in self.rows])
        w = np.array([w for _, _, w in self.rows])
        d = np.array([y for _, y, _ in self.rows]) - intercept - Z @ slopes
        n, centre = w.sum(), (w @ Z) / w.sum()
        C = (Z - centre).T @ ((Z - centre) * w[:, None])
        size = np.sqrt(np.diag(C))
        unit = np.divide(1.0, size, out=np.zeros_like(size), where=size**2 > 1e-12 * (w @ (Z * Z)))
        R = C * np.outer(unit, unit)
        np.fill_diagonal(R, 1 + self.tree.ridge / n)
        bend = np.linalg.solve(R, (Z - centre).T @ (w * d) * unit) * unit
        self.plane = intercept + (w @ d) / (n + 1) - bend @ centre, slopes + bend, reference


class Tree:
    """A regression Hoeffding tree that remembers every row. `columns`: which of them are nominal."""

    def __init__(
        self, nominal, *, grace=200.0, delta=1e-7, tie=0.05, min_branch=0.01, ridge=10.0, leaf="adaptive"
    ):
        self.nominal, self.grace, self.delta, self.tie = nominal, grace, delta, tie
        self.min_branch, self.ridge, self.leaf = min_branch, ridge, leaf
        self.numeric = [j for j, n in enumerate(nominal) if not n]
        self.root = None

    def route(self, x):
        place = self.root
        while isinstance(place, list):
            column, threshold, fallback, first, second = place
            value = x[column]
            if math.isnan(value) or (self.nominal[column] and value < 0):
                place = second if fallback else first
            elif value == threshold if self.nominal[column] else value < threshold:
                place = first
            else:
                place = second
        return place

    def ask(self, x):
        if self.root is None:
            return None
        leaf = self.route(x)
        plane = self.numeric and self.leaf != "mean"
        if plane and (self.leaf == "linear" or leaf.plane_error < leaf.mean_error):
            return leaf.through_plane(x)
        return leaf.mean()

    def learn(self, x, y, w=1.0):
        if self.root is None:
            reference = np.array([0.0 if math.isnan(x[j]) else x[j] for j in self.numeric])
            self.root = Leaf(self, [], (y, np.zeros(len(self.numeric)), reference), y, y, 0)
            leaf = self.root
        else:
            leaf = self.route(x)
            leaf.mean_error = 0.995 * leaf.mean_error + (y - leaf.mean()) ** 2
            said = leaf.through_plane(x) if self.numeric else leaf.mean()
            leaf.plane_error = 0.995 * leaf.plane_error + (y - said) ** 2
        leaf.low, leaf.high = min(leaf.low, y), max(leaf.high, y)
        leaf.seen.append((y, w))
        if self.numeric and self.leaf != "mean":
            leaf.rows.append((leaf.offsets(x), y, w))
            mass = sum(w for _, _, w in leaf.rows)
            if mass - leaf.solved > mass / 16:
                leaf.solve()
                leaf.solved = mass
        for j, observer in enumerate(leaf.observers):
            if not math.isnan(x[j]) and not (self.nominal[j] and x[j] < 0):
                observer.add(x[j], y, w)
        n = sum(w for _, w in leaf.seen)
        if n - leaf.tried >= self.grace:
            leaf.tried = n
            self.try_split(leaf, n)

    def try_split(self, leaf, n):
        best = []
        for j, observer in enumerate(leaf.observers):
            found = (0.0, None)
            everything = [p[1:] for p in observer.points]
            mass = sum(p[1] for p in everything)
            for threshold, left, right in observer.splits():
                a, b = sum(p[1] for p in left), sum(p[1] for p in right)
                if min(a, b) < max(self.min_branch * mass, 1.0):
                    continue
                merit = (deviations(everything) - deviations(left) - deviations(right)) / mass
                if merit > found[0] * (1 + 1e-12):
                    found = (merit, (j, threshold, b > a, left, right))
            best.append(found)
        best.sort(key=lambda pair: -pair[0])
        if not best or best[0][0] <= 0:
            return
        second = best[1][0] if len(best) > 1 else 0.0
        eps = math.sqrt(math.log(1 / self.delta) / (2 * n))
        if second / best[0][0] < 1 - eps or eps < self.tie:
            column, threshold, fallback, left, right = best[0][1]
            intercept, slopes, reference = leaf.plane
            moved = np.zeros(len(self.numeric))
            if leaf.rows:
                w = np.array([w for _, _, w in leaf.rows])
                moved = (w @ np.array([row for row, _, _ in leaf.rows])) / w.sum()
            plane = intercept + float(slopes @ moved), slopes, reference + moved
            errors = 0.1 * leaf.mean_error, 0.1 * leaf.plane_error
            children = [
                Leaf(self, list(points), plane, leaf.low, leaf.high, leaf.depth + 1, errors)
                for points in (left, right)
            ]
            self.replace(leaf, [column, threshold, fallback, *children])

    def replace(self, leaf, branch):
        if self.root is leaf:
            self.root = branch
            return
        stack = [self.root]
        while stack:
            place = stack.pop()
            for side in (3, 4):
                if place[side] is leaf:
                    place[side] = branch
                elif isinstance(place[side], list):
                    stack.append(place[side])
