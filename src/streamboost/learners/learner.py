"""Base class of the native weak learners: they hold parameters and nothing else; their state lives in the core."""

from __future__ import annotations

from typing import ClassVar

from sklearn.base import BaseEstimator

from streamboost.base.parameter import NONE, Declared, number, parameter
from streamboost.base.params import LearnerPlan
from streamboost.catalogue import LearnerEntry

FEATURE_FRACTION = parameter(
    "feature_fraction",
    [number("(0, 1]"), NONE],
    "If given, each learner of the ensemble uses its own random subset of the columns, of this share.",
)


class Learner(Declared, BaseEstimator):
    """A weak learner of the core. It never learns by itself: an ensemble runs a bank of them."""

    _entry: ClassVar[LearnerEntry]
    _version: ClassVar[int] = 1

    def plan(self) -> LearnerPlan:
        """Return what the core needs, after checking the parameters."""
        self._validate_params()
        return self._plan()

    def _plan(self) -> LearnerPlan:
        return LearnerPlan(
            bank=self._entry.core,
            params=self._core_params(),
            title=type(self).__name__,
            table_name=self._entry.name,
            version=self._version,
            discovers=self._entry.discovers,
            trees=self._entry.trees,
            collects_costs=self._entry.collects_costs,
        )
