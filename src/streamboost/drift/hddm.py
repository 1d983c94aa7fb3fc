"""Detectors with Hoeffding's and McDiarmid's bounds."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from streamboost.drift.detector import Detector

_LEVEL = [Interval(Real, 0, 1, closed="neither")]


class _HDDM(Detector):
    _lowest, _highest = 0.0, 1.0

    drift_confidence: float
    warning_confidence: float

    def _check_params(self) -> None:
        if self.warning_confidence < self.drift_confidence:
            raise ValueError(
                f"warning_confidence={self.warning_confidence!r} is stricter than "
                f"drift_confidence={self.drift_confidence!r}: a warning must come first."
            )


class HDDM_A(_HDDM):
    r"""Hoeffding drift detection with averages: the mean has risen above its lowest point by more than chance allows.

    Parameters
    ----------
    drift_confidence : float in (0, 1), default=0.001
        How sure a change must be.
    warning_confidence : float in (0, 1), default=0.005
        The same for a warning; not below `drift_confidence`.
    two_sided : bool, default=False
        Whether falls of the mean count as well as rises.

    Notes
    -----
    The prefix of :math:`n_1` numbers with the least :math:`\bar x_1 + \sqrt{\ln(1/\delta) / (2 n_1)}` is remembered. With
    :math:`n` numbers of mean :math:`\bar x` so far the mean has risen if

    .. math:: \bar x - \bar x_1 \ge \sqrt{\tfrac{1}{2}\left(\tfrac{1}{n_1} - \tfrac{1}{n}\right) \ln\tfrac{2}{\delta}}.

    No assumption but that the numbers lie in [0, 1]. After a drift it starts again. Good for sudden changes.

    References
    ----------
    I. Frías-Blanco et al., Online and non-parametric drift detection methods based on Hoeffding's bounds, IEEE TKDE 27, 2015.

    Examples
    --------
    >>> from streamboost.drift import HDDM_A
    >>> detector = HDDM_A()
    >>> [t for t in range(400) if detector.update(0.0 if t < 200 else 1.0)]
    [203]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "drift_confidence": _LEVEL,
        "warning_confidence": _LEVEL,
        "two_sided": ["boolean"],
    }

    def __init__(
        self,
        drift_confidence: float = 0.001,
        *,
        warning_confidence: float = 0.005,
        two_sided: bool = False,
    ) -> None:
        self.drift_confidence = drift_confidence
        self.warning_confidence = warning_confidence
        self.two_sided = two_sided

    def reset(self) -> None:
        """Forget all numbers."""
        self._n = 0
        self._sum = 0.0
        self._low: tuple[int, float] | None = None  # length and sum of the prefix with the lowest upper bound
        self._high: tuple[int, float] | None = None

    def _input(self, x: float) -> bool:
        self._n += 1
        self._sum += x
        mean, room = self._sum / self._n, self._room(self._n)
        if self._low is None or mean + room <= self._low[1] / self._low[0] + self._room(self._low[0]):
            self._low = (self._n, self._sum)
        if self._high is None or mean - room >= self._high[1] / self._high[0] - self._room(self._high[0]):
            self._high = (self._n, self._sum)
        self._warning = self._moved(self.warning_confidence)
        return self._moved(self.drift_confidence)

    def _room(self, n: int) -> float:
        return math.sqrt(math.log(1 / self.drift_confidence) / (2 * n))

    def _moved(self, level: float) -> bool:
        return self._away(self._low, 1.0, level) or (self.two_sided and self._away(self._high, -1.0, level))

    def _away(self, prefix: tuple[int, float] | None, sign: float, level: float) -> bool:
        if prefix is None or prefix[0] == self._n:
            return False
        n, total = prefix
        bound = math.sqrt(0.5 * (1 / n - 1 / self._n) * math.log(2 / level))
        return sign * (self._sum / self._n - total / n) >= bound


class HDDM_W(_HDDM):
    r"""Hoeffding drift detection with weights: recent numbers count more, so that slow changes are seen too.

    Parameters
    ----------
    drift_confidence : float in (0, 1), default=0.001
        How sure a change must be.
    warning_confidence : float in (0, 1), default=0.005
        The same for a warning; not below `drift_confidence`.
    lambda_val : float in (0, 1), default=0.05
        Share of the newest number in the weighted mean.
    two_sided : bool, default=False
        Whether falls of the mean count as well as rises.

    Notes
    -----
    :math:`z \leftarrow \lambda x + (1 - \lambda) z` with :math:`v \leftarrow \lambda^2 + (1 - \lambda)^2 v`, the sum of the
    squared weights. The point with the least :math:`z + \sqrt{v \ln(1/\delta) / 2}` is remembered as :math:`(z_1, v_1)`,
    and a second mean :math:`(z_2, v_2)` runs from there. The mean has risen if
    :math:`z_2 - z_1 > \sqrt{(v_1 + v_2) \ln(1/\delta) / 2}`. After a drift it starts again.

    References
    ----------
    I. Frías-Blanco et al., Online and non-parametric drift detection methods based on Hoeffding's bounds, IEEE TKDE 27, 2015.

    Examples
    --------
    >>> from streamboost.drift import HDDM_W
    >>> detector = HDDM_W()
    >>> [t for t in range(400) if detector.update(0.0 if t < 200 else 1.0)]
    [214]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "drift_confidence": _LEVEL,
        "warning_confidence": _LEVEL,
        "lambda_val": _LEVEL,
        "two_sided": ["boolean"],
    }

    def __init__(
        self,
        drift_confidence: float = 0.001,
        *,
        warning_confidence: float = 0.005,
        lambda_val: float = 0.05,
        two_sided: bool = False,
    ) -> None:
        self.drift_confidence = drift_confidence
        self.warning_confidence = warning_confidence
        self.lambda_val = lambda_val
        self.two_sided = two_sided

    def reset(self) -> None:
        """Forget all numbers."""
        self._all: _Weighted | None = None
        self._sides = [_Side(1.0), _Side(-1.0)]

    def _input(self, x: float) -> bool:
        self._all = _Weighted(x, 1.0) if self._all is None else self._all.then(x, self.lambda_val)
        sides = self._sides if self.two_sided else self._sides[:1]
        for side in sides:
            side.observe(x, self._all, self.lambda_val, self.drift_confidence)
        self._warning = any(side.moved(self.warning_confidence) for side in sides)
        return any(side.moved(self.drift_confidence) for side in sides)


class _Weighted:
    """A weighted mean and the sum of its squared weights."""

    __slots__ = ("mean", "squares")

    def __init__(self, mean: float, squares: float) -> None:
        self.mean = mean
        self.squares = squares

    def then(self, x: float, share: float) -> _Weighted:
        return _Weighted(share * x + (1 - share) * self.mean, share**2 + (1 - share) ** 2 * self.squares)


class _Side:
    """One direction of change: the extreme so far, and the mean since then."""

    __slots__ = ("extreme", "sign", "since")

    def __init__(self, sign: float) -> None:
        self.sign = sign
        self.extreme: _Weighted | None = None
        self.since: _Weighted | None = None

    def observe(self, x: float, now: _Weighted, share: float, level: float) -> None:
        if self.extreme is None or self._edge(now, level) < self._edge(self.extreme, level):
            self.extreme, self.since = now, None
        else:
            self.since = _Weighted(x, 1.0) if self.since is None else self.since.then(x, share)

    def moved(self, level: float) -> bool:
        if self.extreme is None or self.since is None:
            return False
        bound = math.sqrt((self.extreme.squares + self.since.squares) * math.log(1 / level) / 2)
        return self.sign * (self.since.mean - self.extreme.mean) > bound

    def _edge(self, mean: _Weighted, level: float) -> float:
        return self.sign * mean.mean + math.sqrt(mean.squares * math.log(1 / level) / 2)
