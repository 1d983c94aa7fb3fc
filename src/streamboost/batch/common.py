"""What the batch ensembles share: `fit` and answers, and none of the verbs of a stream."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, NoReturn

from sklearn.utils._param_validation import Interval

from streamboost.base.params import BoosterPlan
from streamboost.ensemble.common import SHARED_CONSTRAINTS, Ensemble


class Absent:
    """An attribute that does not exist: hasattr says no, and the error says what to use."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> NoReturn:
        raise AttributeError(
            f"{owner.__name__} learns all rows at once and has no {self.name}: use fit, or one of the online ensembles."
        )


class BatchEnsemble(Ensemble):
    """An ensemble trained on arrays: it has `fit`, `predict` and files; learning more, or row by row, does not exist."""

    monitor = False
    partial_fit: Any = Absent()
    test_then_train: Any = Absent()
    learn_one: Any = Absent()
    report: Any = Absent()

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **{name: allowed for name, allowed in SHARED_CONSTRAINTS.items() if name != "monitor"},
        "n_passes": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        n_passes: int = 1,
        random_state: Any = None,
        n_jobs: int | None = None,
        tie: str = "lowest",
        categorical_features: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_passes = n_passes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tie = tie
        self.categorical_features = categorical_features

    def _booster_plan(self) -> BoosterPlan:
        return self._fit_plan(1)  # a model from a file has its own number
