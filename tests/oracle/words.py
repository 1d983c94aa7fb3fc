"""Hashed tokens as their definition says: words, pairs, runs of characters, values, crosses."""

import itertools
import math
import re
from collections import Counter

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


def text_tokens(text, column, view):
    if view == "characters":
        for word in text.lower().split():
            points = [*map(ord, f" {word} ")]
            for n, i in itertools.product((3, 4, 5), range(len(points))):
                if i + n <= len(points):
                    yield hashed(RUN, column, *points[i : i + n])
        return
    words = [hashed(WORD, column, *map(ord, word)) for word in re.findall(r"\w+", text.lower())]
    yield from words
    if view == "pairs":
        for a, b in itertools.pairwise(words):
            yield hashed(PAIR, column, a, b)


def tokens(cells, view, bits):
    """cells: (kind, value) of each column. Returns {place: value}."""
    out, values = Counter(), []
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
        else:
            h = hashed(VALUE, column, *(value.encode() if kind == "identifier" else [value]))
            values.append(h)
            out[place(h, bits)] += 1
    if view == "crosses":
        for a, b in itertools.islice(itertools.combinations(values, 2), 64):
            out[place(hashed(CROSS, 0, a, b), bits)] += 1
    return out
