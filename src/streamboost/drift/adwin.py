"""Adaptive windowing."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from streamboost import _core
from streamboost.drift.detector import Detector


class ADWIN(Detector):
    r"""Adaptive windowing: a window that grows while nothing changes and drops its oldest part when something does.

    Whenever two parts of the window differ in mean by more than chance allows, the older one is forgotten. The window
    is kept as sums over buckets of 1, 2, 4, ... numbers, so a million numbers cost a few hundred bytes.

    Parameters
    ----------
    delta : float in (0, 1), default=0.001
        How sure a change must be: smaller means fewer false alarms and later true ones.
    warning : float in (0, 1) or None, default=None
        A second, less strict level, not below `delta`: ``warning_detected`` says that it was passed. In an ensemble a
        warning starts a background learner.

    Attributes
    ----------
    width : int
        Numbers in the window.
    estimation : float
        Their mean.
    variance : float
        Their variance.
    drift_detected : bool
        Whether the last number brought the news of a rise of the mean.
    warning_detected : bool
        The same at the level `warning`.
    n_detections : int
        Rises found so far.

    Notes
    -----
    A border between two buckets divides the window into :math:`n_0` older and :math:`n_1` newer numbers. The window is cut
    if their means differ by more than

    .. math:: \varepsilon = \sqrt{2 m q D} + \tfrac{2}{3} D m,\quad m = \frac{1}{n_0 - 4} + \frac{1}{n_1 - 4},\quad
              D = \ln \frac{2 \ln W}{\delta},

    :math:`q` being the variance of the whole window and :math:`W` its width. It is looked at after every 32nd number. Only a
    rise counts as drift: an error that falls is good news; the window forgets in both cases.

    References
    ----------
    A. Bifet and R. Gavaldà, Learning from time-changing data with adaptive windowing, SDM 2007.

    Examples
    --------
    >>> from streamboost.drift import ADWIN
    >>> detector = ADWIN()
    >>> [t for t in range(2000) if detector.update(0.0 if t < 1000 else 1.0)]
    [1023, 1055]
    >>> detector.width
    1008
    """

    _lowest, _highest = 0.0, 1.0
    _forgets = False
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "delta": [Interval(Real, 0, 1, closed="neither")],
        "warning": [Interval(Real, 0, 1, closed="neither"), None],
    }

    def __init__(self, delta: float = 0.001, *, warning: float | None = None) -> None:
        self.delta = delta
        self.warning = warning

    def _check_params(self) -> None:
        if self.warning is not None and self.warning < self.delta:
            raise ValueError(
                f"warning={self.warning!r} is stricter than delta={self.delta!r}: a warning must come first, so its "
                "level must be at least delta."
            )

    def as_parameter(self) -> list[Any]:
        """Return what a model file keeps of it as a parameter: name, delta, warning."""
        return ["adwin", self.delta, self.warning]

    def reset(self) -> None:
        """Forget all numbers."""
        self._window = _core.Adwin(float(self.delta))
        self._suspicion = None if self.warning is None else _core.Adwin(float(self.warning))

    def _input(self, x: float) -> bool:
        if self._suspicion is not None:
            self._warning = self._suspicion.update(x)
            if self._warning:
                self._suspicion.reset()
        return self._window.update(x)

    @property
    def width(self) -> int:
        """Numbers in the window."""
        return self._window.width if self._started else 0

    @property
    def estimation(self) -> float:
        """Mean of the numbers in the window; 0 if there are none."""
        return self._window.mean if self._started else 0.0

    @property
    def variance(self) -> float:
        """Variance of the numbers in the window."""
        return self._window.variance if self._started else 0.0

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        for name in ("_window", "_suspicion"):
            detector = state.pop(name, None)
            if detector is not None:
                state[name + "_state"] = detector.state()
        return state

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        if not self._started:
            return
        packed = {name: self.__dict__.pop(name + "_state", None) for name in ("_window", "_suspicion")}
        self.reset()
        self._window.restore(packed["_window"])
        if self._suspicion is not None:
            self._suspicion.restore(packed["_suspicion"])
