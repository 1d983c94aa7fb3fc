"""Weak learners, and adapters for those of other libraries."""

from __future__ import annotations

from streamboost import catalogue
from streamboost.learners.adapters import adapter_plan as adapter_plan
from streamboost.learners.adapters import check_task as check_task
from streamboost.learners.adapters import resumed_plan as resumed_plan
from streamboost.learners.hashed import HashedLogisticRegression as HashedLogisticRegression
from streamboost.learners.hoeffding import HoeffdingTree as HoeffdingTree
from streamboost.learners.hoeffding_regressor import HoeffdingTreeRegressor as HoeffdingTreeRegressor
from streamboost.learners.iti import IncrementalTree as IncrementalTree
from streamboost.learners.learner import Learner as Learner
from streamboost.learners.linear import OGD as OGD
from streamboost.learners.linear import LogisticRegression as LogisticRegression
from streamboost.learners.linear import Perceptron as Perceptron
from streamboost.learners.linear_regression import LinearRegression as LinearRegression
from streamboost.learners.mlp import MLP as MLP
from streamboost.learners.naive_bayes import NaiveBayes as NaiveBayes
from streamboost.learners.nearest_neighbors import NearestNeighbors as NearestNeighbors
from streamboost.learners.stump import DecisionStump as DecisionStump
from streamboost.learners.tan import BAN as BAN
from streamboost.learners.tan import TAN as TAN
from streamboost.learners.trees import tree_dot as tree_dot
from streamboost.learners.trees import tree_text as tree_text

LEARNERS: dict[str, type[Learner]] = {entry.name: globals()[entry.class_name] for entry in catalogue.LEARNERS}
"""Name on the command line and in model files -> class."""

REGRESSION_LEARNERS: dict[str, type[Learner]] = {
    entry.name: globals()[entry.class_name] for entry in catalogue.REGRESSION_LEARNERS
}
"""The same for regression."""

ALL_LEARNERS = {**LEARNERS, **REGRESSION_LEARNERS}
