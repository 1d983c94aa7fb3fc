"""Ensembles of models of any make, whose answers a pool combines."""

from streamboost.stacking.stacked import StackedClassifier

__all__ = ["StackedClassifier"]
