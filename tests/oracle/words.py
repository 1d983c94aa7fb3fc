"""Hashed tokens as their definition says: words, pairs, runs of characters, values, crosses."""

import itertools
import math
import re
import unicodedata
from collections import Counter

import numpy as np

from oracle.log_pool import LogPool
from oracle.logistic import V, flow

MASK = 2**64 - 1
WORD, PAIR, RUN, VALUE, NUMBER, CROSS = range(1, 7)


def add(h, x):
    h = ((h ^ x) * 0x9E3779B97F4A7C15) & MASK
    return h ^ (h >> 32)


def hashed(kind, column, *more):
    h = add(add(0, kind), column)
    for x in more:
        h = add(h, x)
    return h


def place(h, bits):
    return ((h * 0x9E3779B97F4A7C15) & MASK) >> (64 - bits)


def stands_alone(character):
    """Whether it is of a script that is written without spaces."""
    script = unicodedata.name(character, "").split(" ")[0]
    return script in ("CJK", "HIRAGANA", "THAI", "LAO", "MYANMAR", "KHMER")


def text_tokens(text, column, view):
    if view == "characters":
        for word in text.lower().split():
            points = [*map(ord, f" {word} ")]
            for n, i in itertools.product((3, 4, 5), range(len(points))):
                if i + n <= len(points):
                    yield hashed(RUN, column, *points[i : i + n])
        return
    apart = "".join(f" {c} " if stands_alone(c) else c for c in text.lower())
    words = [hashed(WORD, column, *map(ord, word)) for word in re.findall(r"[\w\u0e00-\u0e7f]+", apart)]
    yield from words
    if view == "pairs":
        for a, b in itertools.pairwise(words):
            yield hashed(PAIR, column, a, b)


def value_hashes(cells):
    """Of the identifiers and nominal values among the cells, in their order."""
    return [
        hashed(VALUE, column, *(value.encode() if kind == "identifier" else [value]))
        for column, (kind, value) in enumerate(cells)
        if kind in ("identifier", "nominal") and value is not None and value == value
    ]


def crosses_of(values):
    return [hashed(CROSS, 0, a, b) for a, b in itertools.islice(itertools.combinations(values, 2), 64)]


def tokens(cells, view, bits):
    """cells: (kind, value) of each column. Returns {place: value}."""
    out = Counter()
    for column, (kind, value) in enumerate(cells):
        if value is None or value != value:
            continue
        if kind == "text":
            counts = Counter(place(h, bits) for h in text_tokens(value, column, view))
            length = math.sqrt(sum(n * n for n in counts.values()))
            for at, n in counts.items():
                out[at] += n / length
        elif kind == "number":
            out[place(hashed(NUMBER, column), bits)] += value
    values = value_hashes(cells)
    for h in values + (crosses_of(values) if view == "crosses" else []):
        out[place(h, bits)] += 1
    if view == "scaled":
        length = math.sqrt(sum(n * n for n in out.values())) or 1.0
        out = Counter({at: n / length for at, n in out.items()})
    return out


def paces(cells, bits):
    """How fast the places of crosses are learned, {place: pace}; others have 1, and so have crosses that share their place."""
    values = value_hashes(cells)
    crosses = crosses_of(values)
    alone = tokens(cells, "words", bits)
    found = {place(h, bits) for h in crosses}
    return {at: min(len(values) / len(crosses), 1) for at in found if at not in alone}


class HashedLogistic:
    """Logistic regression over places with rates by how often each was there; one vector of weights for each of k > 2 classes."""

    def __init__(self, k, newton):
        self.k, self.newton, self.n, self.total = k, newton, 0, 0.0
        self.largest, self.size = {}, Counter()
        self.weights = [Counter() for _ in range(k if k > 2 else 1)]
        self.squares = [0.0] * len(self.weights)

    def step(self, row, slow, label):
        """Probabilities of before, then learn. row: {place: value}; slow: {place: pace}."""
        for at, x in row.items():
            self.largest[at] = max(self.largest.get(at, 0), abs(x))
        t = {at: x / self.largest[at] for at, x in row.items()} | {"intercept": 1.0}
        z = [sum(w[at] * x for at, x in t.items()) for w in self.weights]
        odds = [0.0, z[0]] if self.k == 2 else z
        power = [math.exp(value - max(odds)) for value in odds]
        self.n += 1
        self.total += sum(x * x for x in t.values())
        u = {}
        for at, x in t.items():
            self.size[at] += x * x
            rate = math.sqrt(self.n / self.total) / math.sqrt(V * self.size[at])
            u[at] = x * slow.get(at, 1) * (max(rate, 1 / (1 + V * self.size[at])) if self.newton else rate)
        Q = sum(u[at] * x for at, x in t.items())
        for c, weights in enumerate(self.weights):
            up = label == (1 if self.k == 2 else c)
            p = power[1 if self.k == 2 else c] / sum(power)
            g = 1 - p if up else p
            self.squares[c] += g * g
            moved = flow((1 - g) / g, Q * math.sqrt(V * self.n / self.squares[c])) / Q
            for at in t:
                weights[at] += (1 if up else -1) * moved * u[at]
        return [value / sum(power) for value in power]


def target_statistics(columns, truth, weight, k):
    """columns: values of each, None for missing. Returns what rows are described by: of each column the share of class 1 (of
    numbers the mean) and ln(1 + n), then the shares of class 2 of all columns, and so on. k: classes, 0 for numbers."""
    outputs = min(max(k, 2), 4) - 1
    rows = []
    for t in range(len(truth)):
        past = [i for i in range(t) if weight[i] > 0]
        first, more = [], [[] for _ in range(outputs - 1)]
        for values in columns:
            if values[t] is None:
                first += [math.nan, math.nan]
                for shares in more:
                    shares.append(math.nan)
                continue
            same = [i for i in past if values[i] == values[t]]
            n, total = sum(weight[i] for i in same), sum(weight[i] for i in past)
            stats = []
            for c in range(1, outputs + 1):
                said = (lambda i: truth[i]) if k == 0 else (lambda i, c=c: truth[i] == c)
                overall = sum(weight[i] * said(i) for i in past) / total if total else math.nan
                q = (sum(weight[i] * said(i) for i in same) + 10 * overall) / (n + 10)
                stats.append(q if k == 0 else math.log(q / (1 - q)) if 0 < overall < 1 else math.nan)
            first += [stats[0], math.log(1 + n)]
            for shares, share in zip(more, stats[1:], strict=True):
                shares.append(share)
        rows.append([*first, *(share for shares in more for share in shares)])
    return rows


class PastShares(LogPool):
    """Class shares, those of the values and those of the crosses as three opinions; values that meet in a place stay apart.

    With bits: those of the places of all other tokens take the part of the crosses, and values have places, too.
    """

    least = -4.0

    def __init__(self, window, bits=None):
        super().__init__(3, window=window, information=0.03)
        self.bits = bits
        self.all, self.of_value = Counter(), {}

    def found(self, cells):
        """Values, and crosses or words."""
        values = value_hashes(cells)
        if not self.bits:
            return values, crosses_of(values)
        places = {place(h, self.bits) for h in values}
        return places, [
            at for at, x in tokens(cells, "words", self.bits).items() if x != 0 and at not in places
        ]

    def opinions(self, cells, k):
        values, others = self.found(cells)
        m = np.array([self.all[c] + 1 / k for c in range(k)]) / (sum(self.all.values()) + 1)

        def told(hashes, prior):
            shares = []
            for h in hashes:
                counts = np.array([self.of_value.get(h, Counter())[c] for c in range(k)])
                shares.append(np.log((counts + prior * m) / (counts.sum() + prior) / m))
            total = np.sum(shares, axis=0) if shares else np.zeros(k)
            return total - total.max()

        share = 1 if self.bits else 2 / (len(values) - 1) if len(values) > 1 else 0
        of_others = told(others, 10 if self.bits else 5) * share
        return np.array([np.log(m), np.maximum(told(values, 10), -30), np.maximum(of_others, -30)])

    def step(self, cells, known, label, weight):
        """Probabilities of before for the classes known, then learn."""
        answer = None
        if known > 1:
            z = self.beta @ self.opinions(cells, known)
            answer = np.exp(z - z.max()) / np.exp(z - z.max()).sum()
        if weight > 0:
            k = max(known, label + 1)
            if k > 1:
                L = self.opinions(cells, k)
                self.learn_opinions(L, label, weight)
            self.all[label] += weight
            for h in itertools.chain(*self.found(cells)):
                self.of_value.setdefault(h, Counter())[label] += weight
        return answer
