"""The tasks that the evaluation loop knows, and which of them a model is for."""

from __future__ import annotations

from typing import Any

from streamboost.evaluate.classification import Classification
from streamboost.evaluate.label_sets import Multilabel
from streamboost.evaluate.regression import Regression
from streamboost.evaluate.task import Task

TASKS: dict[str, Task[Any]] = {task.name: task for task in (Classification(), Regression(), Multilabel())}
"""By name: one for every value of a catalogue entry's ``task``."""


def task_of(model: Any) -> Task[Any]:
    """The task of a model of ours, scikit-learn's or River's; what says nothing is a classifier."""
    task = getattr(getattr(model, "_entry", model), "task", None)
    if task in TASKS:
        return TASKS[task]
    if hasattr(model, "__sklearn_tags__") and not isinstance(model, type):
        from sklearn.base import is_regressor

        return TASKS["regression" if is_regressor(model) else "classification"]
    steps = getattr(model, "steps", None)
    last = list(steps.values())[-1] if isinstance(steps, dict) else model  # a pipeline of River
    regressor = any(base.__name__ == "Regressor" for base in type(last).__mro__)
    return TASKS["regression" if regressor else "classification"]
