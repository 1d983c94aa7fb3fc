"""A Hoeffding tree as objects: every leaf remembers the examples it was given and works everything out from them.

Domingos and Hulten 2000; Bayes in the leaves after Gama, Rocha and Medas 2003. Masses of a leaf: what its parent passed on plus
its own examples. Statistics: its own examples only. A value that is missing or was never learned takes the heaviest branch.
Naive Bayes on numbers: one normal distribution per class and column; where a class has shown one value only, that or nothing.
Growth for ensembles: both kinds of nominal splits, merits less what chance gives further branches, a range of max(1, entropy), no
rival where there is one candidate, columns drawn anew for every node.
Splits that are reconsidered after Manapragada, Webb and Salehi 2018: inner nodes go on as leaves beside their splits.
"""

import math
from itertools import pairwise

from oracle.draws import NODE, PARAMETERS, SUBSET, uniform

NEAR = 1e-9
IMPOSSIBLE = -1e300  # log posterior of a class that naive Bayes rules out
GROWTH = {
    "vfdt": (200.0, 1e-7, 0.05, "multiway", "all", "classes", 0.0, True),
    "quick": ((5.0, 20.0), (0.01, 0.9), (0.01, 0.9), "multiway", "all", "classes", 0.0, True),
    "moa": (50.0, 0.01, 0.05, "multiway", "seen", "classes", 0.0, False),
    "ensemble": (50.0, 0.01, 0.05, "both", "seen", "entropy", 2.0, False),
}
GROUPED = (
    "grace_period", "delta", "tie_threshold", "nominal_split", "pass_on", "merit_range", "chance_correction", "null_split",
)  # fmt: skip


def close(a, b):
    """Different, but only just: a rounding could turn the comparison."""
    return a != b and abs(a - b) <= NEAR * max(1.0, abs(a), abs(b))


def phi(z):
    return 0.5 * (1 + math.erf(z / math.sqrt(2)))


def entropy(masses):
    total = sum(masses)
    return -sum(m / total * math.log2(m / total) for m in masses if m > 0)


def gini(masses):
    total = sum(masses)
    return 1 - sum((m / total) ** 2 for m in masses)


def variance_of(seen):
    """Mean and unbiased variance of (value, weight) pairs; small total weights are divided by half of themselves."""
    total = sum(w for _, w in seen)
    mean = sum(w * value for value, w in seen) / total
    squares = sum(w * (value - mean) ** 2 for value, w in seen)
    return mean, squares / max(total - 1, total / 2)


def intervals(seen, most):
    """(value, weight) pairs in the order they came, as at most so many intervals [low, high, weight]."""
    found = []
    for value, weight in seen:
        inside = [part for part in found if part[0] <= value <= part[1]]
        if inside:
            inside[0][2] += weight
            continue
        found = sorted([*found, [value, value, weight]])
        if len(found) > most:
            at = min(range(most), key=lambda k: (found[k][2] + found[k + 1][2], k))
            low, high = found[at], found[at + 1]
            found[at : at + 2] = [[low[0], high[1], low[2] + high[2]]]
    return found


class Leaf:
    def __init__(self, depth, masses, number):
        self.depth = depth
        self.number = number  # nodes are numbered in the order of their making, the branches of a split one after the other
        self.inherited = dict(masses)  # class -> mass
        self.lessons = []  # (class, weight, {column: number}, {column: code})
        self.waited = 0.0
        self.hits = {"majority": 0.0, "naive_bayes": 0.0}
        self.costs = []  # collected per class, once there are any

    def masses(self):
        masses = dict(self.inherited)
        for c, w, _, _ in self.lessons:
            masses[c] = masses.get(c, 0.0) + w
        return {c: m for c, m in masses.items() if m > 0}

    def seen(self, c, j, kind):
        """(value, weight) of class c on column j."""
        return [
            (cells[j], w)
            for label, w, *both in self.lessons
            if label == c
            for cells in [both[kind]]
            if j in cells
        ]


class Node:
    """A split: children in order, and how to choose among them."""

    def __init__(
        self, column, children, heaviest, record, *, threshold=None, values=None, rest=False, group=None
    ):
        self.column, self.children, self.heaviest = column, children, heaviest
        self.threshold, self.values, self.rest, self.group = threshold, values, rest, group
        self.record = record  # the leaf that was split

    def leaves(self):
        return sum(child.leaves() if isinstance(child, Node) else 1 for child in self.children)

    def branch(self, numbers, codes):
        if self.threshold is not None:
            x = numbers.get(self.column)
            return self.heaviest if x is None else int(x > self.threshold)
        v = codes.get(self.column)
        if v is None:
            return self.heaviest
        return self.branch_of(v)

    def branch_of(self, v):
        if self.group is not None:
            return 0 if v in self.group else 1
        if self.rest:
            return 0 if v == self.values[0] else 1
        return self.values.index(v) if v in self.values else self.heaviest


class HoeffdingTree:
    def __init__(
        self, columns, n_classes, seed, lane, *, growth="vfdt", criterion="info_gain", leaf_prediction="adaptive",
        n_split_points=10, count_mode="weight", min_branch=0.01, max_depth=math.inf, max_leaves=math.inf, alpha=1.0,
        var_floor=1e-6, feature_fraction=None, max_features=None, leaf_features="all", numeric_observer="gaussian",
        n_bins=16, birth=0, reevaluate=None, **grouped,
    ):  # fmt: skip
        self.columns = columns
        given = dict(zip(GROUPED, GROWTH[growth], strict=True))
        assert set(grouped) <= set(given)
        given.update({name: value for name, value in grouped.items() if value != "auto"})
        numbers = {name: given[name] for name in GROUPED[:3]}
        for attempt, (name, value) in enumerate(numbers.items()):
            if isinstance(value, tuple):
                u = uniform(seed, 0, lane, PARAMETERS, 256 * birth + attempt)
                low, high = value if name == "grace_period" else map(math.log, value)
                drawn = low + (high - low) * u
                numbers[name] = drawn if name == "grace_period" else math.exp(drawn)
        self.grace, self.delta, self.tie = numbers.values()
        self.impurity = gini if criterion == "gini" else entropy
        self.criterion, self.leaf_prediction, self.points = criterion, leaf_prediction, n_split_points
        self.nominal_split, self.effective, self.min_branch = (
            given["nominal_split"],
            count_mode == "effective",
            min_branch,
        )
        self.pass_on_all = given["pass_on"] == "all"
        self.merit_range, self.null_split = given["merit_range"], given["null_split"]
        self.factor = 0.0 if criterion == "gini" else given["chance_correction"]
        self.reevaluate = reevaluate
        self.bins = n_bins if numeric_observer == "histogram" else 0
        self.max_features, self.leaf_features, self.key = max_features, leaf_features, (seed, lane, birth)
        self.max_depth, self.max_leaves, self.alpha, self.var_floor = max_depth, max_leaves, alpha, var_floor
        order = sorted(range(columns.width), key=lambda j: (uniform(seed, j, lane, SUBSET, birth), j))
        take = columns.width
        if feature_fraction is not None:
            take = min(columns.width, max(1, math.floor(feature_fraction * columns.width + 0.5)))
        self.chosen = sorted(order[:take])
        self.root = Leaf(0, {}, 0)
        self.n_leaves = self.n_nodes = 1
        self.known = dict.fromkeys(columns.nominal, 0)  # before the present example
        self.known_now = dict(self.known)
        self.doubt = False

    def meet(self):
        self.known = self.known_now
        self.known_now = {j: len(values) for j, values in self.columns.values.items()}

    @property
    def trained(self):
        return isinstance(self.root, Node) or bool(self.root.lessons)

    # ---- where a row ends

    def cells(self, row, known=None):
        numbers = {j: x for j, x in row.numbers if j in self.chosen}
        codes = {j: v for j, v in row.codes if j in self.chosen and (known is None or v < known[j])}
        return numbers, codes

    def leaf(self, numbers, codes):
        at, parent, branch = self.root, None, None
        while isinstance(at, Node):
            parent, branch = at, at.branch(numbers, codes)
            at = at.children[branch]
        return at, parent, branch

    # ---- the columns of a node

    def candidates(self, leaf):
        """The columns a leaf may split on: those with the smallest draws of this node."""
        d = len(self.chosen)
        if self.max_features is None:
            return self.chosen
        if self.max_features == "sqrt":
            take = min(d, math.floor(math.sqrt(d) + 0.5) + 1)
        else:
            take = max(1, math.floor(self.max_features * d + 0.5))
        seed, lane, birth = self.key
        order = sorted(
            self.chosen, key=lambda j: (uniform(seed, leaf.number + 2**32 * j, lane, NODE, birth), j)
        )
        return sorted(order[:take])

    def visible(self, leaf, cells):
        """What a leaf's statistics and its naive Bayes see of a row."""
        if self.leaf_features == "all":
            return cells
        columns = self.candidates(leaf)
        return tuple({j: x for j, x in part.items() if j in columns} for part in cells)

    # ---- answers of a leaf, as {class: log of the posterior up to a constant}

    def majority(self, leaf):
        return {c: math.log(m) for c, m in leaf.masses().items()}

    def bayes(self, leaf, numbers, codes, n_values):
        logs = {}
        strict = bool(leaf.lessons) and bool(numbers)  # a density cannot be compared with none
        for c, mass in leaf.masses().items():
            logs[c] = math.log(mass + self.alpha)
            if strict and all(label != c for label, *_ in leaf.lessons):
                logs[c] = IMPOSSIBLE
                continue
            distance = 0.0
            for j, x in numbers.items():
                log, squared = self.log_density(leaf.seen(c, j, 0), x)
                logs[c] += log
                distance += squared
            for j, v in codes.items():
                logs[c] += self.log_value(leaf.seen(c, j, 1), v, n_values[j])
            logs[c] = IMPOSSIBLE if distance > 1e6 else logs[c] - 0.5 * distance
        if all(log == IMPOSSIBLE for log in logs.values()):
            return {c: math.log(mass + self.alpha) for c, mass in leaf.masses().items()}
        return logs

    def log_density(self, seen, x):
        """The logarithm of the normal density in two parts: the constant, and the squared distance in deviations."""
        if not seen:
            return 0.0, 0.0
        if len({value for value, _ in seen}) == 1:
            return 0.0, (x - seen[0][0]) ** 2 * 1e30
        mean, variance = variance_of(seen)
        precision = min(max(1 / (variance + self.var_floor), 1e-30), 1e30)
        return 0.5 * math.log(precision / (2 * math.pi)), (x - mean) ** 2 * precision

    def log_value(self, seen, v, n_values):
        total = sum(w for _, w in seen) + self.alpha * n_values
        count = sum(w for value, w in seen if value == v) + self.alpha
        if total == 0:
            return 0.0
        return math.log(count / total) if count > 0 else math.log(1e-30)

    def speaker(self, leaf):
        if self.leaf_prediction != "adaptive":
            return self.leaf_prediction
        return "naive_bayes" if leaf.hits["naive_bayes"] >= leaf.hits["majority"] else "majority"

    def cheapest(self, leaf, logs):
        """The class of least collected cost, as logs; before any cost the majority."""
        return {c: -cost for c, cost in enumerate(leaf.costs)} if any(leaf.costs) else logs

    def logs(self, row):
        n_values = {j: len(values) for j, values in self.columns.values.items()}
        numbers, codes = self.cells(row, n_values)
        leaf, _, _ = self.leaf(numbers, codes)
        if self.speaker(leaf) == "costs":
            return leaf, self.cheapest(leaf, self.majority(leaf)), bool(leaf.costs)
        if self.speaker(leaf) == "majority":
            return leaf, self.majority(leaf), False
        return leaf, self.bayes(leaf, *self.visible(leaf, (numbers, codes)), n_values), True

    @staticmethod
    def best(logs):
        return min(logs, key=lambda c: (-logs[c], c))

    @staticmethod
    def is_close(leaf, logs, is_bayes):
        """Equal sums of weights are a tie; equal logarithms, or shares of a parent's mass, only look like one."""
        ranked = sorted(logs.values(), reverse=True)
        if len(ranked) < 2:
            return False
        same = ranked[0] == ranked[1] and (is_bayes or bool(leaf.inherited))
        return same or close(ranked[0], ranked[1])

    def vote(self, row, n_known):
        return self.best(self.logs(row)[1]) if self.trained else -1

    def vote_is_close(self, row, n_known):
        if not self.trained:
            return False
        leaf, logs, is_bayes = self.logs(row)
        return self.is_close(leaf, logs, is_bayes) or close(leaf.hits["majority"], leaf.hits["naive_bayes"])

    def distribution(self, row, n_known):
        if not self.trained:
            return [0.0] * n_known
        leaf, logs, is_bayes = self.logs(row)
        masses = leaf.masses()
        whole = sum(masses.values()) + n_known * self.alpha
        if not is_bayes:
            return [(masses.get(c, 0.0) + self.alpha) / whole for c in range(n_known)]
        top = max(logs.values())
        shares = {c: math.exp(log - top) for c, log in logs.items()}
        rest = 1 - (n_known - len(logs)) * self.alpha / whole
        return [
            rest * shares[c] / sum(shares.values()) if c in shares else self.alpha / whole
            for c in range(n_known)
        ]

    def margin(self, row):
        if not self.trained:
            return 0.0
        leaf, logs, is_bayes = self.logs(row)
        no, yes = leaf.masses().get(0, 0.0), leaf.masses().get(1, 0.0)
        if is_bayes and no > 0 and yes > 0:
            return math.tanh(0.5 * max(-60.0, min(60.0, logs[1] - logs[0])))
        return (yes - no) / (yes + no + 2 * self.alpha)

    # ---- learning

    def learn(self, row, label, amount, copies=False):
        if amount < 1e-9:
            return
        numbers, codes = self.cells(row, self.known)
        if self.reevaluate is not None and self.learn_on_the_way(row, label, amount):
            return
        leaf, parent, branch = self.leaf(numbers, codes)
        if leaf.masses():
            for name, logs in (
                ("majority", self.majority(leaf)),
                ("naive_bayes", self.bayes(leaf, *self.visible(leaf, (numbers, codes)), self.known)),
            ):
                self.doubt |= self.leaf_prediction == "adaptive" and self.is_close(
                    leaf, logs, name != "majority"
                )
                if self.best(logs) == label:
                    leaf.hits[name] += amount
        leaf.lessons.append((label, amount, *self.visible(leaf, self.cells(row))))
        leaf.waited += amount
        self.doubt |= close(leaf.waited, self.grace)
        if leaf.waited >= self.grace:
            leaf.waited = 0.0
            self.attempt(leaf, parent, branch)

    def learn_on_the_way(self, row, label, amount):
        """Inner nodes learn as the leaves they were. True if one of them has reconsidered: all below it is gone or new."""
        at, parent, branch = self.root, None, None
        while isinstance(at, Node):
            record = at.record
            record.lessons.append((label, amount, *self.visible(record, self.cells(row))))
            record.waited += amount
            self.doubt |= close(record.waited, self.reevaluate)
            if record.waited >= self.reevaluate:
                record.waited = 0.0
                if self.reconsider(at, parent, branch):
                    return True
            parent, branch = at, at.branch(*self.cells(row, self.known))
            at = at.children[branch]
        return False

    def reconsider(self, node, parent, branch):
        record = node.record
        merit, column, how, _, bound = self.weigh(record)
        present = self.present_merit(node)
        replace = how is not None and merit - present > bound
        self.doubt |= close(merit - present, bound) or close(merit, bound) or close(bound, self.tie)
        if not (replace or merit <= bound < self.tie):
            return False
        self.n_leaves -= node.leaves() - 1
        if parent is None:
            self.root = record
        else:
            parent.children[branch] = record
        if replace:
            self.split(record, parent, branch, column, how)
        return True

    def present_merit(self, node):
        """The merit of a node's split by all that the node has seen."""
        record, j = node.record, node.column
        classes = sorted(record.masses())
        kind = 1 if node.threshold is None else 0
        seen = {c: record.seen(c, j, kind) for c in classes}
        if kind == 0:
            branches = self.branches(seen, classes, {"threshold": node.threshold})
        else:
            branches = [
                [sum(w for v, w in seen[c] if self.branch_among(node, v) == b) for c in classes]
                for b in range(len(node.children))
            ]
        if sum(sum(b) > 0 for b in branches) < 2:
            return 0.0
        values = {v for c in classes for v, _ in seen[c]}
        merit = self.gain(branches) - self.chance(record, len(values) if node.group is not None else branches)
        if self.criterion == "gain_ratio":
            merit /= entropy([sum(b) for b in branches])
        return merit

    @staticmethod
    def branch_among(node, v):
        return node.branch({}, {node.column: v})

    def gain(self, branches):
        totals = [sum(column) for column in zip(*branches, strict=True)]
        return self.impurity(totals) - sum(
            sum(b) / sum(totals) * self.impurity(b) for b in branches if sum(b) > 0
        )

    def learn_costs(self, row, costs):
        """Into the leaf where the row ends now, after a split perhaps, and on the way where inner nodes learn."""
        numbers, codes = self.cells(row, self.known)
        at = self.root
        while isinstance(at, Node):
            self.collect(at.record, costs)
            at = at.children[at.branch(numbers, codes)]
        self.collect(at, costs)

    @staticmethod
    def collect(leaf, costs):
        leaf.costs = [a + b for a, b in zip(leaf.costs or [0.0] * len(costs), costs, strict=True)]

    def attempt(self, leaf, parent, branch):
        if len(leaf.masses()) < 2 or leaf.depth >= self.max_depth:
            return
        merit, column, how, second, bound = self.weigh(leaf)
        if how is None:
            return
        if self.reevaluate is not None:
            self.doubt |= close(merit, bound)
            if not merit > bound:
                return
        elif second is not None:
            self.doubt |= close(merit - second, bound) or close(bound, self.tie)
            if not (merit - second > bound or bound < self.tie):
                return
        self.split(leaf, parent, branch, column, how)

    def weigh(self, leaf):
        """Merit, column and manner of the best split (0, None, None without one), the merit of its rival, and the bound."""
        masses = leaf.masses()
        found = [c for j in self.candidates(leaf) for c in [self.candidate(leaf, j)] if c]
        promising = [c for c in found if c[2] is not None]
        best = promising[0] if promising else (0.0, None, None)
        for other in promising[1:]:
            best = other if self.better(other[0], best[0]) else best
        n = self.examples(leaf) if self.effective else sum(masses.values())
        bound = math.sqrt(self.spread(masses) ** 2 * math.log(1 / self.delta) / (2 * n))
        second = None
        if len(found) > 1 or self.null_split:
            second = max((other[0] for other in found if other is not best), default=0.0)
        return (*best, second, bound)

    def spread(self, masses):
        """The range of a merit."""
        if self.criterion != "info_gain":
            return 1.0
        if self.merit_range == "entropy":
            return max(1.0, entropy(list(masses.values())))
        return math.log2(max(2, len(masses)))

    @staticmethod
    def examples(leaf):
        """How many equal weights would carry as much evidence as those learned here."""
        weights = [w for _, w, _, _ in leaf.lessons]
        return sum(weights) ** 2 / sum(w * w for w in weights)

    def chance(self, leaf, branches):
        """What further branches gain by chance: twice the mean of a chi-squared number, in bits. Or their number is given."""
        filled = branches if isinstance(branches, int) else sum(sum(b) > 0 for b in branches)
        classes = len(leaf.masses())
        return self.factor * (classes - 1) * (filled - 2) / (2 * self.examples(leaf) * math.log(2))

    def better(self, merit, other):
        """More by 1e-10: what is nearer is a tie, which the earlier candidate wins."""
        self.doubt |= 1e-11 < abs(merit - other) < 1e-9
        return merit > other + 1e-10

    def candidate(self, leaf, j):
        """(merit, column, how to split) of a column's best candidate; (0, column, None) if it is of no use, None without any."""
        classes = sorted(leaf.masses())
        kind = 1 if j in self.columns.nominal else 0
        seen = {c: leaf.seen(c, j, kind) for c in classes}
        totals = [sum(w for _, w in seen[c]) for c in classes]
        if sum(totals) == 0:
            return None
        options = []
        if kind == 0:
            values = [value for c in classes for value, _ in seen[c]]
            low, high = min(values), max(values)
            if low < high:
                thresholds = [low + (high - low) * (m / (self.points + 1)) for m in range(1, self.points + 1)]
                if self.bins:
                    thresholds = self.interval_ends(seen)
                options = [{"threshold": t} for t in thresholds]
        else:
            values = sorted({value for c in classes for value, _ in seen[c]})
            if self.nominal_split == "grouped":
                options = self.groups(seen, classes, values)
            if self.nominal_split in ("multiway", "both"):
                options.append({"values": values})
            if self.nominal_split in ("binary", "both"):
                options += [{"values": [v, -1], "rest": True} for v in values]
        best = None
        for how in options:
            branches = self.branches(seen, classes, how)
            heavy = [sum(b) > self.min_branch * sum(totals) for b in branches]
            self.doubt |= any(close(sum(b) / sum(totals), self.min_branch) for b in branches)
            if sum(heavy) < 2:
                continue
            merit = self.gain(branches) - self.chance(leaf, len(values) if "group" in how else branches)
            best = best or (0.0, j, None)
            if self.better(merit, best[0]):
                best = (merit, j, how)
                shares = [sum(b) for b in branches]
        if best and best[2] and self.criterion == "gain_ratio":
            best = (best[0] / entropy(shares), *best[1:])
        return best

    def groups(self, seen, classes, values):
        """Cuts of the values in the order of the rate of the most frequent class; the lighter group is named."""
        count = {(c, v): sum(w for value, w in seen[c] if value == v) for c in classes for v in values}
        total = {v: sum(count[c, v] for c in classes) for v in values}
        most = max(classes, key=lambda c: (sum(count[c, v] for v in values), -c))
        sums = sorted((sum(count[c, v] for v in values) for c in classes), reverse=True)
        self.doubt |= len(sums) > 1 and close(sums[0], sums[1])
        rate = {v: count[most, v] / total[v] for v in values}
        self.doubt |= any(close(rate[v], rate[u]) for v in values for u in values)
        order = sorted(values, key=lambda v: (rate[v], v))
        found = []
        for cut in range(1, len(order)):
            low, high = order[:cut], order[cut:]
            weights = [sum(total[v] for v in part) for part in (low, high)]
            self.doubt |= close(*weights)
            found.append({"group": sorted(low if weights[0] <= weights[1] else high)})
        return found

    def interval_ends(self, seen):
        """Ends of intervals at which the mass reaches the next of points + 1 equal parts; all but the last if they are few."""
        weight_at = {}
        for pairs in seen.values():
            for _, high, weight in intervals(pairs, self.bins):
                weight_at[high] = weight_at.get(high, 0.0) + weight
        ends = sorted(weight_at)
        if len(ends) <= self.points + 1:
            return ends[:-1]
        total, below, chosen, m = sum(weight_at.values()), 0.0, [], 1
        for end in ends[:-1]:
            below += weight_at[end]
            self.doubt |= any(
                close(below, total * (q / (self.points + 1))) for q in range(1, self.points + 1)
            )
            reached = m
            while m <= self.points and below >= total * (m / (self.points + 1)):
                m += 1
            if m > reached:
                chosen.append(end)
        return chosen

    def branches(self, seen, classes, how):
        """Masses of the classes in each branch."""
        if "threshold" in how:
            left = [self.left_mass(seen[c], how["threshold"], self.bins) for c in classes]
            return [left, [sum(w for _, w in seen[c]) - m for c, m in zip(classes, left, strict=True)]]
        if "group" in how:
            inside = [sum(w for v, w in seen[c] if v in how["group"]) for c in classes]
            return [inside, [sum(w for v, w in seen[c] if v not in how["group"]) for c in classes]]
        counts = [[sum(w for v, w in seen[c] if v == value) for c in classes] for value in how["values"]]
        if "rest" in how:
            counts[1] = [sum(w for v, w in seen[c] if v != how["values"][0]) for c in classes]
        return counts

    @staticmethod
    def left_mass(seen, threshold, bins):
        if not seen:
            return 0.0
        if bins:
            return sum(
                weight if high <= threshold else weight * (threshold - low) / (high - low)
                for low, high, weight in intervals(seen, bins)
                if low <= threshold
            )
        total = sum(w for _, w in seen)
        if threshold < min(value for value, _ in seen):
            return 0.0
        if threshold >= max(value for value, _ in seen):
            return total
        mean, variance = variance_of(seen)
        return total * phi((threshold - mean) / math.sqrt(variance))

    def split(self, leaf, parent, branch, column, how):
        masses = leaf.masses()
        classes = sorted(masses)
        kind = 0 if "threshold" in how else 1
        parts = self.branches({c: leaf.seen(c, column, kind) for c in classes}, classes, how)
        if self.n_leaves + len(parts) - 1 > self.max_leaves:
            return
        whole = sum(map(sum, parts))
        children = []
        for part in parts:
            passed_on = {}
            for position, c in enumerate(classes):
                of_class = sum(p[position] for p in parts)
                share = part[position] / of_class if of_class > 0 else sum(part) / whole
                passed_on[c] = masses[c] * share if self.pass_on_all else part[position]
            children.append(Leaf(leaf.depth + 1, passed_on, self.n_nodes + len(children)))
        everything = sum(sum(child.inherited.values()) for child in children)
        for child in children:
            child.costs = [c * (sum(child.inherited.values()) / everything) for c in leaf.costs]
        weights = [sum(child.inherited.values()) for child in children]
        ranked = sorted(weights, reverse=True)
        # Sums of quarters are the same in any arithmetic; other equal masses (boosting makes halves) are equal in this one only.
        exact = kind == 1 and all(w * 4 == round(w * 4) for _, w, _, _ in leaf.lessons)
        self.doubt |= any(close(a, b) or (a == b and not exact) for a, b in pairwise(ranked))
        node = Node(column, children, weights.index(max(weights)), leaf, **how)
        self.n_leaves += len(parts) - 1
        self.n_nodes += len(parts)
        if parent is None:
            self.root = node
        else:
            parent.children[branch] = node
