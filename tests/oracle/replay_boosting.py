"""Gradient boosting over remembered rows, slow and obvious: bins, trees, losses, the plan of fits.

Gradients are rounded to multiples of a power of two before they are summed: a sum does not depend on its order, and equal splits
are equal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from streamboost import _core

LAMBDA, LEAST_ROWS, LEAST_HESSIAN, SKETCH, SAMPLE = 1.0, 20, 1e-3, 3, 2000
SKETCH_PURPOSE = 14


def cuts_of(values, most):
    """Cuts between bins of about equal numbers of rows; `values` has no missing ones."""
    x, rows = np.unique(values.astype(np.float32), return_counts=True)
    cuts, left, bins_left, filled = [], int(rows.sum()), most, 0
    for i in range(len(x) - 1):
        if bins_left <= 1:
            break
        filled += int(rows[i])
        full = filled * bins_left >= left or int(rows[i + 1]) * bins_left >= left
        if len(x) <= most or full:
            middle = np.float32(float(x[i]) + (float(x[i + 1]) - float(x[i])) / 2)
            cuts.append(float(middle if middle < x[i + 1] else x[i]))
            left, bins_left, filled = left - filled, bins_left - 1, 0
    return cuts


def bin_rows(X, nominal, most):
    """Return codes [row, column] (0: missing), and for each column its cuts and the highest value that is not missing."""
    X = X.astype(np.float32)
    n, d = X.shape
    codes, cuts = np.zeros((n, d), int), []
    sampled = [i * n // min(n, SAMPLE) for i in range(min(n, SAMPLE))]
    for j in range(d):
        column = X[:, j]
        if j in nominal:
            highest = int(np.nanmax(column, initial=0))
            cuts.append([float(c) for c in range(min(highest + 1, 254) - 1)])
        else:
            cuts.append(cuts_of(column[sampled][~np.isnan(column[sampled])], most))
        for i in range(n):
            if not math.isnan(column[i]):
                codes[i, j] = 1 + sum(cut < column[i] for cut in cuts[j])
    return codes, cuts


def rounded(values, bits):
    """Return the values as multiples of a power of two: the largest has so many bits."""
    largest = float(np.abs(values).max(initial=0))
    if largest == 0:
        return values
    mantissa, exponent = math.frexp(largest)
    unit = math.ldexp(1.0, (exponent - 1 if mantissa == 0.5 else exponent) - bits)
    return np.rint(values / unit) * unit


@dataclass
class Split:
    gain: float
    column: int
    cut: int
    missing_left: bool


class Tree:
    """One tree: nodes (column, cut, missing goes left, left, right); a leaf is ~number."""

    def __init__(self):
        self.nodes, self.rows, self.values = [], [], []

    def leaf_of(self, codes):
        at = 0 if self.nodes else ~0
        while at >= 0:
            column, cut, missing_left, left, right = self.nodes[at]
            code = codes[column]
            at = left if (missing_left if code == 0 else code <= cut) else right
        return ~at


def score(g, h, rows):
    """How good a leaf of these rows is; g: [row, output]."""
    squares = 0.0
    for total in g[rows].sum(0):
        squares += total**2
    return squares / (h[rows].sum() + LAMBDA)


def best_split(codes, n_bins, g, h, rows):
    best = None
    least = max(LEAST_HESSIAN, LEAST_ROWS * (h[rows].sum() / len(rows)))  # curvature of so many usual rows
    for column in range(codes.shape[1]):
        code = codes[rows, column]
        missing = code == 0
        last = n_bins[column]
        for cut in range(1, last + 1):
            ways = [True, False] if missing.any() else [False]
            for missing_left in ways:
                if cut == last and (missing_left or not missing.any()):
                    continue
                goes = np.where(missing, missing_left, code <= cut)
                left, right = rows[goes], rows[~goes]
                if min(h[left].sum(), h[right].sum()) < least:
                    continue
                gain = score(g, h, left) + score(g, h, right)
                if best is None or gain > best.gain:
                    way = missing_left if missing.any() else len(left) >= len(right)
                    best = Split(gain, column, cut, bool(way))
    if best is None:
        return None
    both = best.gain
    best.gain -= score(g, h, rows)
    return best if best.gain > 1e-10 * both else None


def grow(codes, n_bins, g, h, leaves):
    """Grow a tree at the leaf of highest gain, the oldest of equals."""
    tree = Tree()
    rows = [np.arange(len(codes))]
    splits = [best_split(codes, n_bins, g, h, rows[0])]
    while len(rows) < leaves:
        gains = [0.0 if split is None else split.gain for split in splits]
        at = int(np.argmax(gains))
        if gains[at] <= 0:
            break
        split, new = splits[at], len(rows)
        code = codes[rows[at], split.column]
        goes = np.where(code == 0, split.missing_left, code <= split.cut)
        for node in tree.nodes:
            node[3:] = [len(tree.nodes) if child == ~at else child for child in node[3:]]
        tree.nodes.append([split.column, split.cut, split.missing_left, ~at, ~new])
        rows[at : at + 1], right = [rows[at][goes]], rows[at][~goes]
        rows.append(right)
        splits[at] = best_split(codes, n_bins, g, h, rows[at])
        splits.append(best_split(codes, n_bins, g, h, right))
    tree.rows = rows
    return tree


def median(values, weight):
    order = np.lexsort((weight, values))
    below = np.cumsum(weight[order])
    return float(values[order][np.argmax(below >= 0.5 * weight.sum())])


class Boosting:
    """One fit. `loss`: "classes", "squared", "absolute" or "huber"; `end`: the example at which it was planned."""

    def __init__(
        self,
        X,
        y,
        weight,
        *,
        nominal=(),
        rounds=100,
        leaves=31,
        rate=0.1,
        bins=31,
        loss="classes",
        shared=True,
        seed=0,
        end=0,
    ):
        self.codes, self.cuts = bin_rows(X, nominal, bins)
        self.n_bins = [len(cuts) + 1 for cuts in self.cuts]
        self.y, self.weight, self.loss = np.asarray(y), np.asarray(weight, float), loss
        self.classes = int(self.y.max()) + 1 if loss == "classes" else 0
        self.outputs = self.classes if self.classes > 2 else 1
        self.start = self.begin()
        self.F = np.tile(self.start, (len(X), 1))
        self.trees = []
        self.rate, self.leaves, self.shared = rate, leaves, shared and self.outputs > 1
        for number in range(2 * rounds if self.shared else rounds):
            g, h = self.slopes()
            before = len(self.trees)
            if self.shared:
                drawn = self.draw(g, seed, end, number)
                self.add(g[:, drawn], h[:, drawn].mean(1), g, h, None)
            else:
                more = self.outputs / (self.outputs - 1) if self.outputs > 1 else 1
                for k in range(self.outputs):
                    self.add(g[:, [k]], more * h[:, k], g, h, k)
            if len(self.trees) == before and not (self.shared and self.outputs > SKETCH):
                break

    def add(self, g, h, all_g, all_h, output):
        """Grow a tree by g and h; it is for one output, or for all."""
        bits = len(g).bit_length()
        g, h = rounded(g, 43 - bits), rounded(h, 50 - bits)
        tree = grow(self.codes, self.n_bins, g, h, self.leaves)
        if not tree.nodes:
            return
        for rows in tree.rows:
            if self.loss in ("absolute", "huber"):
                value = self.rate * self.leaf(rows)
            elif self.shared:
                value = -self.rate * all_g[rows].sum(0) / (all_h[rows].sum(0) + LAMBDA)
            else:
                value = -self.rate * g[rows].sum(0) / (h[rows].sum() + LAMBDA)
            tree.values.append(value)
            self.F[rows, slice(None) if output is None else slice(output, output + 1)] += value
        tree.output = output
        self.trees.append(tree)

    def begin(self):
        if self.loss == "squared":
            return np.array([np.average(self.y, weights=self.weight)])
        if self.loss != "classes":
            return np.array([median(self.y, self.weight)])
        shares = np.array([self.weight[self.y == c].sum() + 0.5 for c in range(self.classes)])
        logs = np.log(shares / shares.sum())
        return logs if self.outputs > 1 else np.array([logs[1] - logs[0]])

    def slopes(self):
        w = self.weight[:, None]
        if self.loss == "classes" and self.outputs == 1:
            p = 1 / (1 + np.exp(-self.F))
            return w * (p - self.y[:, None]), w * p * (1 - p)
        if self.loss == "classes":
            p = np.exp(self.F - self.F.max(1, keepdims=True))
            p /= p.sum(1, keepdims=True)
            return w * (p - (self.y[:, None] == np.arange(self.classes))), w * p * (1 - p)
        r = self.F - self.y[:, None]
        if self.loss == "huber":
            self.delta = np.sort(np.abs(r[:, 0]))[len(r) * 9 // 10]
        g = {
            "squared": lambda: r,
            "absolute": lambda: np.sign(r),
            "huber": lambda: np.clip(r, -self.delta, self.delta),
        }
        return w * g[self.loss](), w * np.ones_like(r)

    def leaf(self, rows):
        residual, weight = (self.y - self.F[:, 0])[rows], self.weight[rows]
        middle = median(residual, weight)
        if self.loss == "huber":
            middle += np.average(np.clip(residual - middle, -self.delta, self.delta), weights=weight)
        return np.array([middle])

    def draw(self, g, seed, end, number):
        if self.outputs <= SKETCH:
            return list(range(self.outputs))
        chance, drawn = (g**2).sum(0), []
        for attempt in range(SKETCH):
            u = _core.uniform(seed, end, number, SKETCH_PURPOSE, attempt)
            rest, chosen = u * chance.sum(), 0
            for k in np.flatnonzero(chance > 0):
                chosen, rest = int(k), rest - chance[k]
                if rest < 0:
                    break
            drawn.append(chosen)
            chance[chosen] = 0
        return drawn


def plan_of_fits(n_rows, memory, refit=1.5, late=0.25):
    """Return (begin, end, due) of every fit that begins among so many examples."""
    fits, t = [], 100
    while t <= n_rows:
        step = max(50, math.floor(min(t, memory) * (refit - 1)))
        fits.append((max(0, t - memory), t, t + max(1, math.floor(step * late))))
        t += step
    return fits
