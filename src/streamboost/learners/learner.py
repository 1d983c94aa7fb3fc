"""What the native weak learners share: they hold parameters and nothing else."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import Any, ClassVar

from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from streamboost.base.params import LearnerPlan

FRACTION = [Interval(Real, 0, 1, closed="right"), None]


class Learner(BaseEstimator):
    """A weak learner of the core. It never learns by itself: an ensemble runs a bank of them."""

    _table_name: ClassVar[str]
    _version: ClassVar[int] = 1
    _parameter_constraints: ClassVar[dict[str, Any]]

    def plan(self) -> LearnerPlan:
        """Return what the core needs, after checking the parameters."""
        self._validate_params()
        return self._plan()

    @abstractmethod
    def _plan(self) -> LearnerPlan: ...
