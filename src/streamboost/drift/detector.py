"""What all detectors share: one verb, two flags, checked parameters."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

from sklearn.base import BaseEstimator


class Detector(BaseEstimator):
    """One number after the other goes in; the flags speak of the last one."""

    _lowest = -math.inf
    _highest = math.inf
    _started = False
    _drift = False
    _warning = False
    _n_detections = 0

    @property
    def drift_detected(self) -> bool:
        """Whether the last number brought the news of a change."""
        return self._drift

    @property
    def warning_detected(self) -> bool:
        """Whether a change is suspected, but not sure yet."""
        return self._warning

    @property
    def n_detections(self) -> int:
        """Changes found so far."""
        return self._n_detections

    def update(self, x: float) -> bool:
        """Take one number; return whether it brought the news of a change."""
        if not self._started:
            self._validate_params()
            self._check_params()
            self.reset()
            self._started = True
        value = float(x)
        if not self._lowest <= value <= self._highest:
            raise ValueError(
                f"{type(self).__name__} takes {self._domain()}, got {x!r}: nothing was learned from it."
            )
        if self._drift and self._forgets:
            self.reset()
        self._warning = False
        self._drift = self._input(value)
        if self._drift:
            self._warning = False
            self._n_detections += 1
        return self._drift

    _forgets = True
    """Whether the detector starts anew after a change (ADWIN forgets by itself)."""

    def _check_params(self) -> None:
        """Refuse parameters that do not go together."""

    @abstractmethod
    def reset(self) -> None:
        """Forget all numbers."""

    @abstractmethod
    def _input(self, x: float) -> bool: ...

    @classmethod
    def _domain(cls) -> str:
        if cls._highest < math.inf:
            return f"numbers from {cls._lowest:g} to {cls._highest:g}"
        return "finite numbers"

    def __sklearn_clone__(self) -> Any:
        return type(self)(**self.get_params())
