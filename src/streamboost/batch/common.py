"""What the batch ensembles share: `fit` and answers, and none of the verbs of a stream."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NoReturn

from streamboost.base.parameter import parameter, whole
from streamboost.base.params import BoosterPlan
from streamboost.ensemble.common import CATEGORICAL_FEATURES, N_JOBS, RANDOM_STATE, TIE, Ensemble

N_PASSES = parameter(
    "n_passes",
    whole("[1, inf)"),
    "Passes over the rows for each learner, for learners that depend on the order (networks).",
)
SHARED = (RANDOM_STATE, N_JOBS, TIE, CATEGORICAL_FEATURES)
"""The last parameters of every batch ensemble."""


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

    @abstractmethod
    def _params_for(self, n_rows: int) -> dict[str, Any]:
        """Return what the core is given for training on so many rows."""

    def _fit_plan(self, n_rows: int) -> BoosterPlan:
        return BoosterPlan(self._entry.core, self._params_for(n_rows))

    def _booster_plan(self) -> BoosterPlan:
        return self._fit_plan(1)  # a model from a file has its own number
