"""The drift detection method."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from streamboost.drift.detector import Detector


class DDM(Detector):
    r"""Drift detection method: the error rate has risen above its lowest point by several standard deviations.

    Parameters
    ----------
    warm_start : int, default=30
        Numbers before the first judgement.
    warning_threshold : float, default=2.0
        Standard deviations above the lowest point that give a warning.
    drift_threshold : float, default=3.0
        Standard deviations above the lowest point that mean drift; more than `warning_threshold`.

    Notes
    -----
    With :math:`p` the mean of :math:`n` errors and :math:`s = \sqrt{p (1 - p) / n}`, the pair with the least :math:`p + s` is
    remembered; drift is :math:`p + s > p_{min} + 3 s_{min}`. It was made for errors, 0 or 1, that come suddenly more often;
    slow changes are seen late. After a drift it starts again.

    References
    ----------
    J. Gama, P. Medas, G. Castillo and P. Rodrigues, Learning with drift detection, SBIA 2004.

    Examples
    --------
    >>> from streamboost.drift import DDM
    >>> detector = DDM()
    >>> [t for t in range(400) if detector.update(t % 10 == 0 if t < 200 else 1)]
    [209]
    """

    _lowest, _highest = 0.0, 1.0
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "warm_start": [Interval(Integral, 1, None, closed="left")],
        "warning_threshold": [Interval(Real, 0, None, closed="neither")],
        "drift_threshold": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self, warm_start: int = 30, *, warning_threshold: float = 2.0, drift_threshold: float = 3.0
    ) -> None:
        self.warm_start = warm_start
        self.warning_threshold = warning_threshold
        self.drift_threshold = drift_threshold

    def _check_params(self) -> None:
        if self.warning_threshold > self.drift_threshold:
            raise ValueError(
                f"warning_threshold={self.warning_threshold!r} is above drift_threshold={self.drift_threshold!r}: "
                "a warning must come first."
            )

    def reset(self) -> None:
        """Forget all numbers."""
        self._n = 0
        self._sum = 0.0
        self._least = (math.inf, 0.0, 0.0)  # p + s, p, s

    def _input(self, x: float) -> bool:
        self._n += 1
        self._sum += x
        if self._n < self.warm_start:
            return False
        p = self._sum / self._n
        s = math.sqrt(max(p * (1 - p), 0.0) / self._n)
        if p + s <= self._least[0]:
            self._least = (p + s, p, s)
        _, lowest, deviation = self._least
        self._warning = p + s > lowest + self.warning_threshold * deviation
        return p + s > lowest + self.drift_threshold * deviation
