"""The Page-Hinkley test."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from streamboost.drift.detector import Detector


class PageHinkley(Detector):
    r"""Page-Hinkley test: the sum of deviations from the mean so far has moved away from its extreme.

    Parameters
    ----------
    min_instances : int, default=30
        Numbers before the first judgement.
    delta : float, default=0.005
        Deviations this small are tolerated.
    threshold : float, default=50.0
        How far the sum may move: larger means fewer false alarms and later true ones.
    alpha : float in (0, 1], default=0.9999
        Factor by which the sum fades with every number.
    mode : {"up", "down", "both"}, default="both"
        Which changes count.

    Notes
    -----
    :math:`U_t = \alpha U_{t-1} + (x_t - \bar x_t - \delta)`; the mean has risen if :math:`U_t - \min U > \lambda`; likewise for
    falls with the signs turned round. Numbers of any size are taken. After a drift it starts again.

    References
    ----------
    E. S. Page, Continuous inspection schemes, Biometrika 41, 1954.

    Examples
    --------
    >>> from streamboost.drift import PageHinkley
    >>> detector = PageHinkley(threshold=10)
    >>> [t for t in range(400) if detector.update(0.0 if t < 200 else 1.0)]
    [210]
    """

    _lowest, _highest = -1e300, 1e300
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "min_instances": [Interval(Integral, 1, None, closed="left")],
        "delta": [Interval(Real, 0, None, closed="left")],
        "threshold": [Interval(Real, 0, None, closed="neither")],
        "alpha": [Interval(Real, 0, 1, closed="right")],
        "mode": [StrOptions({"up", "down", "both"})],
    }

    def __init__(
        self,
        min_instances: int = 30,
        *,
        delta: float = 0.005,
        threshold: float = 50.0,
        alpha: float = 0.9999,
        mode: str = "both",
    ) -> None:
        self.min_instances = min_instances
        self.delta = delta
        self.threshold = threshold
        self.alpha = alpha
        self.mode = mode

    def reset(self) -> None:
        """Forget all numbers."""
        self._n = 0
        self._mean = 0.0
        self._up = self._least = 0.0
        self._down = self._most = 0.0

    def _input(self, x: float) -> bool:
        self._n += 1
        self._mean += (x - self._mean) / self._n
        deviation = x - self._mean
        self._up = self.alpha * self._up + deviation - self.delta
        self._down = self.alpha * self._down + deviation + self.delta
        self._least = min(self._least, self._up)
        self._most = max(self._most, self._down)
        if self._n < self.min_instances:
            return False
        rose = self.mode != "down" and self._up - self._least > self.threshold
        fell = self.mode != "up" and self._most - self._down > self.threshold
        return rose or fell
