"""Ensembles that learn from streams: online boosting and online bagging, one example at a time.

Names load on first use (PEP 562), so that ``import streamboost`` stays light: scikit-learn comes in with the
first estimator.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streamboost.base.archive import ModelFileError
    from streamboost.ensemble import (
        AdaBoostOLClassifier,
        AdaBoostOLMClassifier,
        BayesianEnsembleClassifier,
        OGBoostClassifier,
        OnlineBaggingClassifier,
        OnlineBBMClassifier,
        OnlineBoostingClassifier,
        OnlineMBBMClassifier,
        OSBoostClassifier,
        SingleLearnerClassifier,
    )
    from streamboost.learners import (
        OGD,
        DecisionStump,
        HoeffdingTree,
        IncrementalTree,
        LogisticRegression,
        NaiveBayes,
        Perceptron,
    )
    from streamboost.models import load

    __version__: str

__all__ = [
    "OGD",
    "AdaBoostOLClassifier",
    "AdaBoostOLMClassifier",
    "BayesianEnsembleClassifier",
    "DecisionStump",
    "HoeffdingTree",
    "IncrementalTree",
    "LogisticRegression",
    "ModelFileError",
    "NaiveBayes",
    "OGBoostClassifier",
    "OSBoostClassifier",
    "OnlineBBMClassifier",
    "OnlineBaggingClassifier",
    "OnlineBoostingClassifier",
    "OnlineMBBMClassifier",
    "Perceptron",
    "SingleLearnerClassifier",
    "__version__",
    "load",
]

_HOME = {
    "AdaBoostOLMClassifier": "ensemble",
    "BayesianEnsembleClassifier": "ensemble",
    "OGD": "learners",
    "AdaBoostOLClassifier": "ensemble",
    "DecisionStump": "learners",
    "HoeffdingTree": "learners",
    "IncrementalTree": "learners",
    "LogisticRegression": "learners",
    "ModelFileError": "base.archive",
    "NaiveBayes": "learners",
    "OGBoostClassifier": "ensemble",
    "OSBoostClassifier": "ensemble",
    "OnlineBBMClassifier": "ensemble",
    "OnlineBaggingClassifier": "ensemble",
    "OnlineBoostingClassifier": "ensemble",
    "OnlineMBBMClassifier": "ensemble",
    "Perceptron": "learners",
    "SingleLearnerClassifier": "ensemble",
    "load": "models",
}
_SUBMODULES = frozenset({"base", "checks", "ensemble", "evaluate", "learners", "models", "report", "streams"})


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
