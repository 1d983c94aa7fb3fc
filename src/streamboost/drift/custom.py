"""Detectors written in Python, as guards of an ensemble's learners: one copy for each learner, at the speed of Python."""

from __future__ import annotations

import copy
import inspect
from typing import Any

import numpy as np


def is_detector(value: Any) -> bool:
    """Whether a value is an object with a method `update`."""
    return (
        not inspect.isclass(value)
        and callable(getattr(value, "update", None))
        and not isinstance(value, dict)
    )


class CustomDetectors:
    """The detectors of all learners. The core asks for a learner by its number, and holds the GIL."""

    def __init__(self, prototype: Any) -> None:
        self._prototype = prototype
        self._detectors: dict[int, Any] = {}
        self._errors: dict[int, tuple[int, float]] = {}

    @property
    def title(self) -> str:
        """The name of their class."""
        return type(self._prototype).__name__

    def update(self, lane: int, error: float) -> tuple[bool, bool]:
        """Give a learner's error to its detector; return whether a drift is suspected, and whether there is one."""
        detector = self._detectors.get(lane)
        if detector is None:
            detector = self._detectors[lane] = copy.deepcopy(self._prototype)
        n, total = self._errors.get(lane, (0, 0.0))
        self._errors[lane] = n + 1, total + error
        said = detector.update(error)
        if said is None or said is detector:  # River's detectors answer by a flag
            said = getattr(detector, "drift_detected", False)
        return _flag(detector, "warning_detected") or _flag(detector, "warning"), bool(said)

    def reset(self, lane: int) -> None:
        """Begin again for a learner."""
        self._detectors.pop(lane, None)
        self._errors.pop(lane, None)

    def width(self, lane: int) -> int:
        """Return how many errors the detector of a learner has seen."""
        return self._errors.get(lane, (0, 0.0))[0]

    def mean(self, lane: int) -> float:
        """Return the mean of these errors."""
        n, total = self._errors.get(lane, (0, 0.0))
        return total / n if n else 0.0

    def take(self, other: CustomDetectors) -> None:
        """Go on with the state of other detectors."""
        self._detectors, self._errors = other._detectors, other._errors


def _flag(detector: Any, name: str) -> bool:
    """Whether an attribute is true; one of that name that is no flag means something else."""
    value = getattr(detector, name, False)
    return isinstance(value, bool | np.bool_) and bool(value)
