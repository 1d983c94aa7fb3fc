"""A Hoeffding tree step by step, worked out by hand: hoeffding_steps.csv, for the oracle and for the product.

One numeric column, grace 4, delta 1/2, two split points, naive Bayes leaves, no pseudo counts, no variance floor. p0 is the
probability of class 0 before the row, `leaves` the class weights of the leaves after it, nearest to the root first.
    row 3  class 1 has shown 4 only, so 6 excludes it: class 0. Then 4 of weight: candidates 2 and 4. At 2 the classes part
           (gain 1 bit); at 4 class 1 sends 2 Phi(-1/sqrt 2) = .48 to the left (gain .56). eps = sqrt(ln 2 / 8) = .29 < 1: split
    row 5  the left leaf holds weight 2 of class 0, but has seen class 1 only, at 1: class 0 is not considered
    row 7  both classes have shown 1 only, so 2 excludes both: the weights 3 to 1 decide
    row 8  class 0: mean 1.5, variance 1/2, density at 1 exp(-1/4) / sqrt(pi) = .4394, times 4; class 1: 1, times 1.
           Then candidates 4/3 (gain .39) and 5/3 (.24); eps = sqrt(ln 2 / 12) = .24: split at 4/3, where class 0 sends
           Phi(-1/(3 sqrt 2)) = (1 - erf(1/6)) / 2 = .40683 of its weight 4 to the left. With pass_on="seen" it is that share
           of the 2 seen in this leaf.
"""

import csv

import numpy as np
import pytest
from oracle.hoeffding import HoeffdingTree as Oracle
from oracle.hoeffding import Leaf
from oracle.single import Single

from golden.tables import HERE
from streamboost import HoeffdingTree, SingleLearnerClassifier
from tests.inside.handles import tree_nodes

OPTIONS = {
    "grace_period": 4,
    "delta": 0.5,
    "tie_threshold": 0.0,
    "n_split_points": 2,
    "leaf_prediction": "naive_bayes",
    "alpha": 0.0,
    "var_floor": 0.0,
}
SEEN = [
    [0, 3],
    [0.813664, 2],
    [1.186336, 0],
]  # the leaves at the end with pass_on="seen": 1 -+ erf(1/6) of class 0


def table():
    with open(HERE / "hoeffding_steps.csv", newline="") as file:
        for line in csv.DictReader(file):
            leaves = [[float(m) for m in leaf.split()] for leaf in line["leaves"].split("|")]
            said = (int(line["answer"]), float(line["p0"])) if line["answer"] else None
            yield float(line["x"]), int(line["y"]), said, leaves


def oracle_leaves(tree):
    """Class weights, nearest to the root first."""
    found, level = [], [tree.root]
    while level:
        found += [[node.masses().get(c, 0.0) for c in (0, 1)] for node in level if isinstance(node, Leaf)]
        level = [child for node in level if not isinstance(node, Leaf) for child in node.children]
    return found


def product_leaves(model):
    return [list(node[6]) for node in tree_nodes(model, 0) if node[0] == "leaf"]


@pytest.mark.parametrize("pass_on", ["all", "seen"])
def test_oracle(pass_on):
    options = {**OPTIONS, "pass_on": pass_on}
    single = Single(lambda c, k, s, lane: Oracle(c, k, s, lane, **options), 0, width=1, n_classes=2)
    for x, y, said, leaves in table():
        if said is not None:
            answer = single.answer([x])
            assert (answer.label, answer.proba[0]) == (said[0], pytest.approx(said[1], abs=1e-6))
        single.learn([x], y)
        last = leaves
        if pass_on == "all":
            np.testing.assert_allclose(oracle_leaves(single.lanes[0]), leaves, atol=1e-6)
    expected = last if pass_on == "all" else SEEN
    np.testing.assert_allclose(oracle_leaves(single.lanes[0]), expected, atol=1e-6)


@pytest.mark.parametrize("pass_on", ["all", "seen"])
def test_product(pass_on):
    model = SingleLearnerClassifier(HoeffdingTree(**OPTIONS, pass_on=pass_on), calibration=None)
    for x, y, said, leaves in table():
        proba = model.test_then_train([[x]], [y], classes=[0, 1], output="proba")[0]
        if said is not None:
            assert (int(proba.argmax()), proba[0]) == (said[0], pytest.approx(said[1], abs=1e-6))
        last = leaves
        if pass_on == "all":
            np.testing.assert_allclose(product_leaves(model), leaves, atol=1e-6)
    expected = last if pass_on == "all" else SEEN
    np.testing.assert_allclose(product_leaves(model), expected, atol=1e-6)
