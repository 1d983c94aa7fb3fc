"""Ensembles that learn from streams: online boosting and online bagging, one example at a time.

Names load on first use (PEP 562), so that ``import streamboost`` stays light: scikit-learn comes in with the
first estimator.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streamboost.base.files.archive import ModelFileError
    from streamboost.batch import AdaBoostM1Classifier, BaggingClassifier
    from streamboost.ensemble import (
        AdaBoostOLClassifier,
        AdaBoostOLMClassifier,
        BayesianEnsembleClassifier,
        BlockedBoostingClassifier,
        HedgeClassifier,
        OGBoostClassifier,
        OnlineArcX4Classifier,
        OnlineBaggingClassifier,
        OnlineBBMClassifier,
        OnlineBoostingClassifier,
        OnlineMBBMClassifier,
        OSBoostClassifier,
        PrimedOnlineBoostingClassifier,
        SingleLearnerClassifier,
        WeightedMajorityClassifier,
        WinnowClassifier,
    )
    from streamboost.learners import (
        BAN,
        MLP,
        OGD,
        TAN,
        DecisionStump,
        HoeffdingTree,
        IncrementalTree,
        LogisticRegression,
        NaiveBayes,
        Perceptron,
    )
    from streamboost.models import load
    from streamboost.sequences import UniversalPredictor

    __version__: str

__all__ = [
    "BAN",
    "MLP",
    "OGD",
    "TAN",
    "AdaBoostM1Classifier",
    "AdaBoostOLClassifier",
    "AdaBoostOLMClassifier",
    "BaggingClassifier",
    "BayesianEnsembleClassifier",
    "BlockedBoostingClassifier",
    "DecisionStump",
    "HedgeClassifier",
    "HoeffdingTree",
    "IncrementalTree",
    "LogisticRegression",
    "ModelFileError",
    "NaiveBayes",
    "OGBoostClassifier",
    "OSBoostClassifier",
    "OnlineArcX4Classifier",
    "OnlineBBMClassifier",
    "OnlineBaggingClassifier",
    "OnlineBoostingClassifier",
    "OnlineMBBMClassifier",
    "Perceptron",
    "PrimedOnlineBoostingClassifier",
    "SingleLearnerClassifier",
    "UniversalPredictor",
    "WeightedMajorityClassifier",
    "WinnowClassifier",
    "__version__",
    "load",
]

_HOME = {
    "AdaBoostOLMClassifier": "ensemble",
    "BayesianEnsembleClassifier": "ensemble",
    "BAN": "learners",
    "MLP": "learners",
    "OGD": "learners",
    "AdaBoostM1Classifier": "batch",
    "TAN": "learners",
    "AdaBoostOLClassifier": "ensemble",
    "DecisionStump": "learners",
    "HoeffdingTree": "learners",
    "BaggingClassifier": "batch",
    "BlockedBoostingClassifier": "ensemble",
    "IncrementalTree": "learners",
    "LogisticRegression": "learners",
    "ModelFileError": "base.files.archive",
    "NaiveBayes": "learners",
    "OGBoostClassifier": "ensemble",
    "OSBoostClassifier": "ensemble",
    "OnlineArcX4Classifier": "ensemble",
    "OnlineBBMClassifier": "ensemble",
    "OnlineBaggingClassifier": "ensemble",
    "OnlineBoostingClassifier": "ensemble",
    "OnlineMBBMClassifier": "ensemble",
    "Perceptron": "learners",
    "PrimedOnlineBoostingClassifier": "ensemble",
    "SingleLearnerClassifier": "ensemble",
    "HedgeClassifier": "ensemble",
    "UniversalPredictor": "sequences",
    "WeightedMajorityClassifier": "ensemble",
    "WinnowClassifier": "ensemble",
    "load": "models",
}
_SUBMODULES = frozenset(
    {
        "base",
        "batch",
        "checks",
        "compat",
        "drift",
        "ensemble",
        "evaluate",
        "experiments",
        "learners",
        "models",
        "report",
        "sequences",
        "streams",
    }
)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value: Any = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    elif name in _SUBMODULES:
        value = importlib.import_module(f"{__name__}.{name}")
    elif name == "__version__":
        value = importlib.import_module("importlib.metadata").version("streamboost")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBMODULES})
