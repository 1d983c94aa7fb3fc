"""Kolmogorov-Smirnov windowing."""

from __future__ import annotations

import math
from collections import deque
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from streamboost import _core
from streamboost.drift.detector import Detector


class KSWIN(Detector):
    r"""Kolmogorov-Smirnov windowing: the newest numbers are not distributed like a sample of the ones before them.

    It sees changes of shape, not of the mean alone, and takes numbers of any size.

    Parameters
    ----------
    alpha : float in (0, 1), default=0.005
        Level of the test.
    window_size : int, default=100
        Numbers that are kept.
    stat_size : int, default=30
        How many of the newest are compared with as many drawn from the others; less than half of `window_size`, or equal.
    seed : int, default=0
        Key of the draws: the same numbers give the same answers.

    Notes
    -----
    With :math:`r` numbers on either side the distributions differ if the largest gap between their empirical distribution
    functions exceeds :math:`\sqrt{\ln(2/\alpha) / r}`, the closed form of the two-sample test for equal sizes. After a drift only
    the newest numbers are kept.

    References
    ----------
    C. Raab, M. Heusinger and F.-M. Schleif, Reactive soft prototype computing for concept drift streams,
    Neurocomputing 416, 2020.

    Examples
    --------
    >>> from streamboost.drift import KSWIN
    >>> detector = KSWIN()
    >>> [t for t in range(400) if detector.update(t % 7 if t < 200 else 10 + t % 7)]
    [213]
    """

    _lowest, _highest = -1e300, 1e300
    _forgets = False
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "window_size": [Interval(Integral, 2, None, closed="left")],
        "stat_size": [Interval(Integral, 1, None, closed="left")],
        "seed": [Interval(Integral, 0, 2**64 - 1, closed="both")],
    }

    def __init__(
        self, alpha: float = 0.005, *, window_size: int = 100, stat_size: int = 30, seed: int = 0
    ) -> None:
        self.alpha = alpha
        self.window_size = window_size
        self.stat_size = stat_size
        self.seed = seed

    def _check_params(self) -> None:
        if 2 * self.stat_size > self.window_size:
            raise ValueError(
                f"stat_size={self.stat_size!r} must be at most half of window_size={self.window_size!r}: as many "
                "older numbers are drawn for comparison."
            )

    def reset(self) -> None:
        """Forget all numbers."""
        self._window: deque[float] = deque(maxlen=int(self.window_size))
        self._time = 0

    def _input(self, x: float) -> bool:
        self._time += 1
        self._window.append(x)
        if len(self._window) < self.window_size:
            return False
        r = int(self.stat_size)
        numbers = np.array(self._window)
        older, newest = numbers[:-r], numbers[-r:]
        keys = [_core.uniform(self.seed, self._time, i, 3) for i in range(len(older))]
        sample = older[np.argsort(keys, kind="stable")[:r]]
        if largest_gap(sample, newest) <= math.sqrt(math.log(2 / self.alpha) / r):
            return False
        self._window.clear()
        self._window.extend(newest.tolist())
        return True


def largest_gap(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> float:
    """Return the largest difference between the empirical distribution functions of two samples."""
    at = np.concatenate([a, b])
    below_a = np.searchsorted(np.sort(a), at, side="right") / len(a)
    below_b = np.searchsorted(np.sort(b), at, side="right") / len(b)
    return float(np.max(np.abs(below_a - below_b)))
