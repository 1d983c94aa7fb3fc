"""The ensembles."""

from __future__ import annotations

from streamboost.ensemble.adaboost_ol import AdaBoostOLClassifier
from streamboost.ensemble.adaboost_olm import AdaBoostOLMClassifier
from streamboost.ensemble.arcx4 import OnlineArcX4Classifier
from streamboost.ensemble.bagging import OnlineBaggingClassifier
from streamboost.ensemble.bayes import BayesianEnsembleClassifier
from streamboost.ensemble.bbm import OnlineBBMClassifier
from streamboost.ensemble.blocked import BlockedBoostingClassifier
from streamboost.ensemble.experts import HedgeClassifier, WeightedMajorityClassifier, WinnowClassifier
from streamboost.ensemble.mbbm import OnlineMBBMClassifier
from streamboost.ensemble.ogboost import OGBoostClassifier
from streamboost.ensemble.osboost import OSBoostClassifier
from streamboost.ensemble.oza import OnlineBoostingClassifier
from streamboost.ensemble.primed import PrimedOnlineBoostingClassifier
from streamboost.ensemble.single import SingleLearnerClassifier

__all__ = [
    "AdaBoostOLClassifier",
    "AdaBoostOLMClassifier",
    "BayesianEnsembleClassifier",
    "BlockedBoostingClassifier",
    "HedgeClassifier",
    "OGBoostClassifier",
    "OSBoostClassifier",
    "OnlineArcX4Classifier",
    "OnlineBBMClassifier",
    "OnlineBaggingClassifier",
    "OnlineBoostingClassifier",
    "OnlineMBBMClassifier",
    "PrimedOnlineBoostingClassifier",
    "SingleLearnerClassifier",
    "WeightedMajorityClassifier",
    "WinnowClassifier",
]
