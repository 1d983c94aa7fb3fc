"""Base class of the batch ensembles: they are told how many rows there are, and learn nothing after `fit`."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NoReturn

from streamboost.base.classifier import Classifier
from streamboost.base.parameter import parameter, whole
from streamboost.base.params import BoosterPlan
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.common import LearnerEnsemble

N_PASSES = parameter(
    "n_passes",
    whole("[1, inf)"),
    "Passes over the rows for each learner, for learners that depend on the order (networks).",
)


class BatchEnsemble(LearnerEnsemble, Classifier):
    """An ensemble trained on all rows at once: `fit`, answers and files."""

    monitor = False

    def __getattr__(self, name: str) -> NoReturn:
        """Say what to use in place of a verb of streams."""
        advice = ": it learns all rows at once, so use fit, or one of the online ensembles"
        raise AttributeError(f"{type(self).__name__} has no {name}" + advice * hasattr(Ensemble, name))

    @abstractmethod
    def _params_for(self, n_rows: int) -> dict[str, Any]:
        """Return what the core is given for training on so many rows."""

    def _fit_plan(self, n_rows: int) -> BoosterPlan:
        return BoosterPlan(self._entry.core, self._params_for(n_rows))

    def _booster_plan(self) -> BoosterPlan:
        return self._fit_plan(1)  # a model from a file has its own number
