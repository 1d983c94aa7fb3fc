"""Explanations as the specification has them: by brute force over subsets, by chords, along the path of a tree.

Trees are lists of nodes (kind, column, threshold, value, fallback, children, masses of the classes); answers of nodes are
functions of masses.
"""

import itertools
import math


def shapley(value, d):
    """Of the game value(subset of columns), over all subsets."""
    out = [0.0] * d
    for j in range(d):
        others = [i for i in range(d) if i != j]
        for size in range(d):
            share = math.factorial(size) * math.factorial(d - size - 1) / math.factorial(d)
            for subset in itertools.combinations(others, size):
                out[j] += share * (value({*subset, j}) - value(set(subset)))
    return out


def chord(start, terms, answer):
    """Base and contributions of a learner that adds up log odds and answers a function of them."""
    end = start + math.fsum(terms)
    slope = (answer(end) - answer(start)) / (end - start) if end != start else 0.0
    return answer(start), [slope * term for term in terms]


def branch(nodes, n, x):
    kind, column, threshold, _, fallback, children, _, named = nodes[n]
    if math.isnan(x[column]):
        return children[fallback]
    if kind == "numeric":
        return children[0] if x[column] <= threshold else children[1]
    if kind == "below":
        return children[0] if x[column] < threshold else children[1]
    if named:
        return children[0] if x[column] in named else children[1]
    for child in children:
        if nodes[child][3] == x[column]:
            return child
    rest = [child for child in children if nodes[child][3] == -1]
    return rest[0] if rest and len(children) == 2 else children[fallback]


def masses(nodes, n):
    children = nodes[n][5]
    if not children:
        return list(nodes[n][6])
    return [sum(parts) for parts in zip(*(masses(nodes, child) for child in children), strict=True)]


def along_path(nodes, x, answer):
    """Base and contributions by column, and the answer of the leaf."""
    out, n = [0.0] * len(x), 0
    while nodes[n][5]:
        following = branch(nodes, n, x)
        out[nodes[n][1]] += answer(masses(nodes, following)) - answer(masses(nodes, n))
        n = following
    return answer(masses(nodes, 0)), out, answer(masses(nodes, n))


def tree_game(nodes, x, answer):
    """The mean answer of the leaves where only the columns of a subset are followed, others by the branches' weights."""

    def value(subset, n=0):
        children = nodes[n][5]
        if not children:
            return answer(masses(nodes, n))
        if nodes[n][1] in subset:
            return value(subset, branch(nodes, n, x))
        weight = [sum(masses(nodes, child)) for child in children]
        whole = sum(weight)
        return sum(
            (w / whole if whole > 0 else 1 / len(children)) * value(subset, child)
            for w, child in zip(weight, children, strict=True)
            if w > 0 or whole == 0
        )

    return value
