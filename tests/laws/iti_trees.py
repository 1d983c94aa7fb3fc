"""The trees of IncrementalTree out of a model's native state, in the oracle's words."""

import numpy as np
from oracle.iti import Node

from tests.inside.handles import state_of

PARTS, REALS = 9, 2  # numbers per node; see core/include/streamboost/learners/iti_tree.hpp


def lane_of(state, name, lane):
    lengths = state[f"bank/{name}.length"]
    begin = int(lengths[:lane].sum())
    return state[f"bank/{name}"][begin : begin + int(lengths[lane])]


def tree_of(model, nominal=(), lane=0):
    """One tree as nested oracle nodes; classes and values are codes."""
    state = state_of(model)
    nodes = lane_of(state, "node", lane).reshape(-1, PARTS)
    reals = lane_of(state, "node_real", lane).reshape(-1, REALS)
    columns, classes = lane_of(state, "entry_column", lane), lane_of(state, "entry_class", lane)
    weights = lane_of(state, "entry_weight", lane)

    def read(n):
        column, yes, no, at, length, _, _, n_tests, pruned = nodes[n].tolist()
        cut, bits = reals[n].tolist()
        here = [e for e in range(at, at + length) if columns[e] < 0]
        counts = {int(classes[e]): float(weights[e]) for e in here}
        if column < 0:
            return Node(None, counts, None, None, False, bits, 0)
        test = (column, "=" if column in nominal else "<", cut)
        return Node(test, counts, read(yes), read(no), bool(pruned), bits, n_tests)

    return read(0)


def shape(node, pruning=True):
    """What two trees must share to be the same tree: tests, shares of the classes, pruning."""
    if node is None:
        return None
    total = float(sum(node.counts.values()))
    shares = {c: float(w) / total for c, w in sorted(node.counts.items())}
    return (node.test, shares, node.pruned and pruning, shape(node.yes, pruning), shape(node.no, pruning))


def assert_same_tree(got, expected, pruning):
    """Structure exactly, counts exactly (whole weights), code lengths up to rounding."""
    assert got.test == expected.test
    assert got.counts == {c: float(w) for c, w in expected.counts.items()}
    if pruning:
        assert got.pruned == expected.pruned
        np.testing.assert_allclose(got.bits, expected.bits, rtol=1e-12)
    if expected.test is not None:
        assert got.n_tests == expected.n_tests
        assert_same_tree(got.yes, expected.yes, pruning)
        assert_same_tree(got.no, expected.no, pruning)


def text(node, names, values, labels):
    """``size < 2 ? A1 : (colour = red ? B1 : A1)``."""
    if node.test is None:
        return " ".join(f"{labels[c]}{w:g}" for c, w in sorted(node.counts.items()))
    column, kind, cut = node.test
    right = values[column][int(cut)] if kind == "=" else f"{cut:g}"
    yes, no = (text(child, names, values, labels) for child in (node.yes, node.no))
    yes, no = (f"({t})" if "?" in t else t for t in (yes, no))
    return f"{names[column]} {kind} {right} ? {yes} : {no}"
