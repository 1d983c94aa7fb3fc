"""Weak learners, and the way in for everybody else's."""

from __future__ import annotations

from streamboost import catalogue
from streamboost.learners.adapters import adapter_plan, resumed_plan
from streamboost.learners.hoeffding import HoeffdingTree
from streamboost.learners.iti import IncrementalTree
from streamboost.learners.learner import Learner
from streamboost.learners.linear import OGD, LogisticRegression, Perceptron
from streamboost.learners.mlp import MLP
from streamboost.learners.naive_bayes import NaiveBayes
from streamboost.learners.stump import DecisionStump
from streamboost.learners.tan import BAN, TAN
from streamboost.learners.trees import tree_dot, tree_text

LEARNERS: dict[str, type[Learner]] = {entry.name: globals()[entry.class_name] for entry in catalogue.LEARNERS}
"""Name on the command line and in model files -> class."""

__all__ = [
    "BAN",
    "LEARNERS",
    "MLP",
    "OGD",
    "TAN",
    "DecisionStump",
    "HoeffdingTree",
    "IncrementalTree",
    "Learner",
    "LogisticRegression",
    "NaiveBayes",
    "Perceptron",
    "adapter_plan",
    "resumed_plan",
    "tree_dot",
    "tree_text",
]
