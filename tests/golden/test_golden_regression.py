"""Regressors step by step, worked out by hand: gradient_steps.csv and regression_tree_steps.csv, for the oracle and the product.

gradient_steps.csv. Two scripted learners, squared loss, step 1/2. Targets are taken about their mean so far (`centre`). Nothing
is taught before two targets have given B = |4 - 0| = 4; the slope bound is L = 2 B.
    span, row 3  y = 6 - 2 = 4; learners say 4 and -2: y^1 = 2, y^2 = 2 - 1 = 1, answer 2 + 1. Slopes -4 and 2 - 4 = -2; targets
                 B / L = 1/2 of their opposites
    span, row 4  y = 0; y^1 = 1, y^2 = 2. The slope 1 at y^1 = 1 moves sigma_2 from 0 by 1 / (8 4 sqrt 5) = .013975
    span, row 5  y = 6; y^1 = -4, y^2 = -4 (1 - sigma_2 / 2) + 4 = .027951; sigma_2 moves by 10 4 / (8 4 sqrt 6) = .510310.
                 |9 - 3| > B: B = 8
    span, row 6  y = -4; y^1 = 4, y^2 = 4 (1 - .524286 / 2) + 4 = 6.951428
    hull, row 3  y = 4; y^1 = 4, y^2 = 4 / 3 - 2 2/3 = 0. Slopes -4 (the target is B, its weight 4 / L) and 0: nothing to learn
    hull, row 4  y = 0; y^1 = 1, y^2 = 1/3 + 4 2/3 = 3
bagging_steps.csv (golden/tables.py) with numbers: the mean of trained learners is the share of class 1.

regression_tree_steps.csv. One column, means in the leaves, grace 4, delta 1/2. `leaves` are their means after the row.
    row 3  0 and 1 open intervals of 1/8 from -1 on, 8 doubles them twice: [-1, 15) in steps of 1/2. Of the cuts .5, 1.5 and 8.5
           the second leaves no deviations: merit 16 / 4. eps = sqrt(ln 2 / 8) = .29 < 1: split at 1.5
    row 7  a missing value goes where more of the weight went, here to the first of two equal branches
    row 9  the right leaf has seen 2, 5, 9, 7 with 2, 1, 3, 3: deviations 11/4, of {2, 1} 1/2, of {3, 3} 0. 2 and 5 opened
           intervals of 3/8 from -1 on, so the cut behind 5 is at -1 + 17 3/8 = 5.375
"""

import math
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from oracle import regression as oracle
from sklearn.base import BaseEstimator, RegressorMixin

from golden import tables
from golden.tables import numbers, rows
from streamboost import (
    HoeffdingTreeRegressor,
    OnlineBaggingRegressor,
    OnlineGradientBoostingRegressor,
    SingleLearnerRegressor,
)

TREE = {"grace_period": 4, "delta": 0.5, "tie_threshold": 0.0, "leaf_prediction": "mean"}


class Scripted(RegressorMixin, BaseEstimator):
    """Column 0 of a row is its number, and the script says who answers what; clones stand in the order of their first lesson."""

    roll: ClassVar[list] = []

    def __init__(self, script=None):
        self.script = script

    def partial_fit(self, X, y, sample_weight=None):
        if not hasattr(self, "lane_"):
            self.lane_ = len(Scripted.roll)
            Scripted.roll.append(self)
            self.received_ = []
        weights = np.ones(len(y)) if sample_weight is None else sample_weight
        self.received_ += [(int(x[0]), float(t), float(w)) for x, t, w in zip(X, y, weights, strict=True)]
        return self

    def predict(self, X):
        return np.array([self.script[self.lane_][int(x[0])] for x in X], dtype=float)


@pytest.fixture(autouse=True)
def empty_roll():
    Scripted.roll.clear()
    yield
    Scripted.roll.clear()


class ScriptedBank:
    """The same for the oracle."""

    def __init__(self, script):
        self.script, self.lanes, self.received, self.trained = script, script, [], [False] * len(script)

    def ask(self, row):
        return [
            lane[int(row[0])] if known else None
            for lane, known in zip(self.script, self.trained, strict=True)
        ]

    def learn(self, row, targets, amounts):
        self.received.append([(t, a) for t, a in zip(targets, amounts, strict=True)])
        self.trained = [known or a > 0 for known, a in zip(self.trained, amounts, strict=True)]


def gradient_table(domain):
    table = [line for line in rows("gradient_steps.csv") if line["domain"] == domain]
    said = [[0.0, 0.0] if line["says"] == "silent" else numbers(line["says"]) for line in table]
    return table, [list(lane) for lane in zip(*said, strict=True)]


def lessons(line):
    """(target, amount) of the learners that are taught."""
    pairs = zip(numbers(line["targets"]), numbers(line["amounts"]), strict=True)
    return [pair if pair[1] else None for pair in pairs]


@pytest.mark.parametrize("domain", ["span", "hull"])
def test_gradient_oracle(domain):
    table, script = gradient_table(domain)
    bank = ScriptedBank(script)
    model = oracle.GradientBoosting(bank, domain=domain, step=0.5)
    for t, line in enumerate(table):
        answer = model.ask([float(t)])
        assert math.isnan(answer) if t == 0 else answer == pytest.approx(float(line["answer"]), abs=1e-6)
        model.learn([float(t)], float(line["y"]))
        taught = [(target, amount) if amount else None for target, amount in bank.received[-1]]
        assert taught == (lessons(line) or [None, None])


@pytest.mark.parametrize("domain", ["span", "hull"])
def test_gradient_product(domain):
    table, script = gradient_table(domain)
    model = OnlineGradientBoostingRegressor(
        Scripted(script), n_estimators=2, learning_rate=0.5, domain=domain, random_state=1
    )
    for t, line in enumerate(table):
        answer = model.test_then_train([[float(t)]], [float(line["y"])])[0]
        assert math.isnan(answer) if t == 0 else answer == pytest.approx(float(line["answer"]), abs=1e-6)
        for lane, lesson in enumerate(lessons(line)):
            got = [(target, w) for at, target, w in Scripted.roll[lane].received_ if at == t]
            assert got == ([] if lesson is None else [pytest.approx(lesson)])


def test_bagging_product():
    script = [tables.BAGGING_SCRIPT[lane] for lane in (1, 2, 0)]  # learner 0 gets its first lesson last
    model = OnlineBaggingRegressor(Scripted(script), n_estimators=3, random_state=tables.BAGGING_KEY)
    steps = rows("bagging_steps.csv")
    for t, share in enumerate(tables.BAGGING_SHARES):
        now = [line for line in steps if int(line["row"]) == t]
        answer = model.test_then_train([[float(t)]], [1.0], [float(now[0]["weight"])])[0]
        assert math.isnan(answer) if share is None else answer == pytest.approx(share)
        copies = [sum(w for at, _, w in learner.received_ if at == t) for learner in Scripted.roll]
        assert copies == [int(now[lane]["copies"]) for lane in (1, 2, 0)][: len(copies)]


def tree_table():
    for line in rows("regression_tree_steps.csv"):
        x = math.nan if line["x"] == "missing" else float(line["x"])
        answer = float(Fraction(line["answer"])) if line["answer"] else None
        yield x, float(line["y"]), answer, [float(Fraction(mean)) for mean in line["leaves"].split("|")]


def oracle_means(place):
    return oracle_means(place[3]) + oracle_means(place[4]) if isinstance(place, list) else [place.mean()]


def test_tree_oracle():
    tree = oracle.Tree([False], grace=4, delta=0.5, tie=0.0, leaf="mean")
    for x, y, answer, leaves in tree_table():
        assert tree.ask([x]) == (None if answer is None else pytest.approx(answer))
        tree.learn([x], y)
        assert oracle_means(tree.root) == pytest.approx(leaves)


def test_tree_product():
    model = SingleLearnerRegressor(HoeffdingTreeRegressor(**TREE))
    for x, y, answer, leaves in tree_table():
        said = model.test_then_train([[x]], [y])[0]
        assert math.isnan(said) if answer is None else said == pytest.approx(answer)
        probes = model.predict(np.linspace(-1, 20, 4001)[:, None])
        edges = np.concatenate(([0], 1 + np.flatnonzero(np.diff(probes))))
        assert probes[edges].tolist() == pytest.approx(leaves)
