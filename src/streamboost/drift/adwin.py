"""Adaptive windowing."""

from __future__ import annotations

from typing import Any

from streamboost.base.parameter import NONE, number, parameter
from streamboost.catalogue import detector_entry
from streamboost.drift.detector import Detector


class ADWIN(Detector):
    r"""Adaptive windowing: a window that grows while nothing changes and drops its oldest part when something does.

    Whenever two parts of the window differ in mean by more than chance allows, the older one is forgotten. The window
    is kept as sums over buckets of 1, 2, 4, ... numbers, so a million numbers cost a few hundred bytes.

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

    _entry = detector_entry("adwin")
    _parameters = (
        parameter(
            "delta",
            number("(0, 1)"),
            "How sure a change must be: smaller means fewer false alarms and later true ones.",
        ),
        parameter(
            "warning",
            [number("(0, 1)"), NONE],
            "A second, less strict level, not below `delta`, for ``warning_detected``. In an ensemble a warning starts a "
            "background learner; None then stands for `delta`.",
        ),
    )
    _attributes = (
        ("width", "int", "Numbers in the window."),
        ("estimation", "float", "Their mean."),
        ("variance", "float", "Their variance."),
        *Detector._attributes,
    )

    def __init__(self, delta: float = 0.001, *, warning: float | None = None) -> None:
        self.delta = delta
        self.warning = warning

    def _check_params(self) -> None:
        if self.warning is not None and self.warning < self.delta:
            raise ValueError(
                f"warning={self.warning!r} is stricter than delta={self.delta!r}: a warning must come first, so its "
                "level must be at least delta."
            )

    def guard_params(self, background: bool) -> dict[str, Any]:
        """Return the detector of every learner of an ensemble as the core reads it: only background learners need warnings."""
        level = self.delta if self.warning is None else self.warning
        return {**self._named_params(), "warning": float(level) if background else None}

    @property
    def width(self) -> int:
        """Numbers in the window."""
        return 0 if self._running is None else self._running.width

    @property
    def estimation(self) -> float:
        """Mean of the numbers in the window; 0 if there are none."""
        return 0.0 if self._running is None else self._running.mean

    @property
    def variance(self) -> float:
        """Variance of the numbers in the window."""
        if self._running is None:
            return 0.0
        _, _, width, total, squares = self._running.state()[:5]
        mean = total / width
        return max(squares / width - mean * mean, 0.0)
