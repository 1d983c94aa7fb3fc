"""Learners whose answers are written down beforehand: column 0 of a row is its number, the script says who answers what.

A booster clones one learner many times, so a clone finds its lane by the order in which clones are first taught; the tables
are made so that the first row teaches every lane.
"""

from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class ScriptedLane:
    """For the oracles: script[lane][row] is a margin in [-1, 1]; its sign is the vote."""

    def __init__(self, script, lane):
        self.answers = script[lane]
        self.trained = False
        self.doubt = False
        self.received = []

    def meet(self):
        pass

    def margin(self, row):
        return float(self.answers[int(row.numbers[0][1])]) if self.trained else 0.0

    def vote(self, row, n_known):
        return (1 if self.margin(row) > 0 else 0) if self.trained else -1

    def vote_is_close(self, row, n_known):
        return False

    def learn(self, row, label, amount, copies=False):
        if amount > 0:
            self.trained = True
            self.received.append((int(row.numbers[0][1]), amount))


class ScriptedLearner(ClassifierMixin, BaseEstimator):
    """For the product: scikit-learn style, hard labels only."""

    roll: ClassVar[list] = []  # clones in the order of their first lesson

    def __init__(self, script=None):
        self.script = script

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        if not hasattr(self, "lane_"):
            self.lane_ = len(ScriptedLearner.roll)
            self.received_ = []
            ScriptedLearner.roll.append(self)
            self.classes_ = np.array([0, 1])
        weights = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        self.received_ += [(int(x[0]), float(w)) for x, w in zip(X, weights, strict=True)]
        return self

    def margins(self, X):
        return np.array([float(self.script[self.lane_][int(x[0])]) for x in X])

    def predict(self, X):
        return (self.margins(X) > 0).astype(int)


class ScriptedProba(ScriptedLearner):
    """The same with probabilities: p = (1 + margin) / 2."""

    def predict_proba(self, X):
        p = (1 + self.margins(X)) / 2
        return np.column_stack([1 - p, p])


class LabelLane(ScriptedLane):
    """For the oracles: script[lane][row] is a label code."""

    def vote(self, row, n_known):
        return int(self.answers[int(row.numbers[0][1])]) if self.trained else -1


def scripted_lanes(script):
    return lambda columns, n_classes, seed, lane: LabelLane(script, lane)


class ScriptedLabels(ScriptedLearner):
    """For the product: script[lane][row] is a label code; any number of classes."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        super().partial_fit(X, y, classes, sample_weight)
        if classes is not None:
            self.classes_ = np.asarray(classes)
        return self

    def predict(self, X):
        return np.array([int(self.script[self.lane_][int(x[0])]) for x in X])
