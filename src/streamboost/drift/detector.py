"""Base class of the drift detectors: one verb, two flags, declared parameters, and the core that does the work."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.base import BaseEstimator

from streamboost import _core
from streamboost.base.parameter import Declared
from streamboost.catalogue import DetectorEntry


class Detector(Declared, BaseEstimator):
    """A detector takes one number after the other; its flags are about the last one."""

    _entry: ClassVar[DetectorEntry]
    _attributes: ClassVar[tuple[tuple[str, str, str], ...]] = (
        ("drift_detected", "bool", "Whether the last number showed a change."),
        ("warning_detected", "bool", "Whether the last number made a change likely, but not certain."),
        ("n_detections", "int", "Number of changes found so far."),
    )
    _running: _core.Detector | None = None
    _drift = False
    _warning = False
    _n_detections = 0

    @property
    def drift_detected(self) -> bool:
        """Whether the last number showed a change."""
        return self._drift

    @property
    def warning_detected(self) -> bool:
        """Whether the last number made a change likely, but not certain."""
        return self._warning

    @property
    def n_detections(self) -> int:
        """Number of changes found so far."""
        return self._n_detections

    def update(self, x: float) -> bool:
        """Take one number; return whether it showed a change."""
        if self._running is None:
            self.check()
            self._running = _core.Detector(self._named_params())
        value = float(x)
        if not self._entry.lowest <= value <= self._entry.highest:
            raise ValueError(
                f"{type(self).__name__} takes {self._entry.takes}, got {x!r}: nothing was learned from it."
            )
        warning, self._drift = self._running.update(value)
        self._warning = warning and not self._drift
        self._n_detections += self._drift
        return self._drift

    def reset(self) -> None:
        """Forget all numbers."""
        self._running = None
        self._drift = self._warning = False

    def check(self) -> None:
        """Refuse parameters that are not allowed, or that do not go together."""
        self._validate_params()
        self._check_params()

    def guard_params(self, background: bool) -> dict[str, Any]:
        """Return the detector of every learner of an ensemble as the core reads it."""
        return self._named_params()

    def as_parameter(self) -> list[Any]:
        """Return what a model file keeps of it: its name, then names and values of its parameters."""
        pairs = [(p.name, getattr(self, p.name)) for p in self._parameters]
        return [self._entry.name, *(part for pair in pairs for part in pair)]

    def _named_params(self) -> dict[str, Any]:
        return {"detector": self._entry.name, **self._core_params()}

    def _check_params(self) -> None:
        """Refuse parameters that do not go together."""

    def numbers(self) -> list[float]:
        """Return what it remembers, for :meth:`restore`; empty before the first number."""
        return [] if self._running is None else self._running.state()

    def restore(self, numbers: list[float]) -> None:
        """Go on from what :meth:`numbers` gave."""
        self.reset()
        if numbers:
            self._run(numbers)

    def _run(self, numbers: list[float]) -> None:
        running = _core.Detector(self._named_params())
        running.restore(numbers)
        self._running = running

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state.pop("_running", None)
        return {**state, "_numbers": self.numbers()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        attributes = dict(state)
        numbers = attributes.pop("_numbers")
        self.__dict__.update(attributes)
        if numbers:
            self._run(numbers)
