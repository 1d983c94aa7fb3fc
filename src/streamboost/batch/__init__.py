"""Ensembles of all rows at once, of the same learners: what the online ones are measured against."""

from __future__ import annotations

from streamboost.batch.adaboost_m1 import AdaBoostM1Classifier as AdaBoostM1Classifier
from streamboost.batch.bagging import BaggingClassifier as BaggingClassifier
