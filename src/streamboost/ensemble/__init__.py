"""The ensembles."""

from __future__ import annotations

from streamboost.ensemble.bagging import OnlineBaggingClassifier
from streamboost.ensemble.bayes import BayesianEnsembleClassifier
from streamboost.ensemble.osboost import OSBoostClassifier
from streamboost.ensemble.oza import OnlineBoostingClassifier
from streamboost.ensemble.single import SingleLearnerClassifier

__all__ = [
    "BayesianEnsembleClassifier",
    "OSBoostClassifier",
    "OnlineBaggingClassifier",
    "OnlineBoostingClassifier",
    "SingleLearnerClassifier",
]
