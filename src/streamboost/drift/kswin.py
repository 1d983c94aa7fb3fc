"""Kolmogorov-Smirnov windowing."""

from __future__ import annotations

from streamboost.base.parameter import number, parameter, whole
from streamboost.catalogue import detector_entry
from streamboost.drift.detector import Detector
from streamboost.drift.page_hinkley import MODE


class KSWIN(Detector):
    r"""Kolmogorov-Smirnov windowing: the newest numbers are not distributed like a sample of the ones before them.

    It sees changes of shape, not of the mean alone, and takes numbers of any size.

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

    _entry = detector_entry("kswin")
    _parameters = (
        parameter("alpha", number("(0, 1)"), "Level of the test."),
        parameter("window_size", whole("[2, 10000]"), "Numbers that are kept."),
        parameter(
            "stat_size",
            whole("[1, 5000]"),
            "How many of the newest are compared with as many drawn from the others; at most half of `window_size`.",
        ),
        parameter(
            "seed", whole("[0, 4294967295]"), "Key of the draws: the same numbers give the same answers."
        ),
        MODE.saying(
            'Which changes count: "up" means that the newest numbers are larger, "down" that they are smaller, "both" any change '
            "of the distribution."
        ),
    )

    def __init__(
        self,
        alpha: float = 0.005,
        *,
        window_size: int = 100,
        stat_size: int = 30,
        seed: int = 0,
        mode: str = "both",
    ) -> None:
        self.alpha = alpha
        self.window_size = window_size
        self.stat_size = stat_size
        self.seed = seed
        self.mode = mode

    def _check_params(self) -> None:
        if 2 * self.stat_size > self.window_size:
            raise ValueError(
                f"stat_size={self.stat_size!r} must be at most half of window_size={self.window_size!r}: as many "
                "older numbers are drawn for comparison."
            )
