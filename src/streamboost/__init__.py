"""Ensembles that learn from streams: online boosting and online bagging, one example at a time.

Names load on first use (PEP 562), so that ``import streamboost`` stays light: scikit-learn comes in with the
first estimator.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from streamboost import catalogue

if TYPE_CHECKING:
    from streamboost.base.files.archive import ModelFileError as ModelFileError
    from streamboost.base.pieces import LearningInterrupted as LearningInterrupted
    from streamboost.batch import *  # noqa: F403 (the table below says what)
    from streamboost.ensemble import *  # noqa: F403 (the table below says what)
    from streamboost.ensemble.python_booster import PythonBooster as PythonBooster
    from streamboost.feedback import ActiveClassifier as ActiveClassifier
    from streamboost.feedback import BanditBoostingClassifier as BanditBoostingClassifier
    from streamboost.feedback import BinaryRelevanceClassifier as BinaryRelevanceClassifier
    from streamboost.feedback import ClassifierChain as ClassifierChain
    from streamboost.learners import *  # noqa: F403 (the table below says what)
    from streamboost.models import load as load
    from streamboost.sequences import UniversalPredictor as UniversalPredictor
    from streamboost.stacking import StackedClassifier as StackedClassifier

    __version__: str

_HOME = {
    **{entry.class_name: entry.package for entry in catalogue.ENTRIES},
    "ActiveClassifier": "feedback",
    "BanditBoostingClassifier": "feedback",
    "BinaryRelevanceClassifier": "feedback",
    "ClassifierChain": "feedback",
    "LearningInterrupted": "base.pieces",
    "ModelFileError": "base.files.archive",
    "PythonBooster": "ensemble.python_booster",
    "StackedClassifier": "stacking",
    "UniversalPredictor": "sequences",
    "load": "models",
}
"""Where each public name lives: models and learners as their table says."""

__all__ = sorted([*_HOME, "__version__"])

_SUBMODULES = frozenset(
    {
        "adapters",
        "base",
        "baselines",
        "batch",
        "checks",
        "compat",
        "distributed",
        "drift",
        "ensemble",
        "evaluate",
        "experiments",
        "feedback",
        "learners",
        "models",
        "report",
        "sequences",
        "stacking",
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
