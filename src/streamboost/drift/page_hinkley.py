"""The Page-Hinkley test."""

from __future__ import annotations

from streamboost.base.parameter import number, one_of, parameter, whole
from streamboost.catalogue import detector_entry
from streamboost.drift.detector import Detector

MODE = parameter("mode", one_of("up", "down", "both"), "Which changes of the mean count.")


class PageHinkley(Detector):
    r"""Page-Hinkley test: the sum of deviations from the mean so far has moved away from its extreme.

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

    _entry = detector_entry("page-hinkley")
    _parameters = (
        parameter("min_instances", whole("[1, inf)"), "Numbers before the first judgement."),
        parameter("delta", number("[0, inf)"), "Deviations this small are tolerated."),
        parameter(
            "threshold",
            number("(0, inf)"),
            "How far the sum may move: larger means fewer false alarms and later true ones.",
        ),
        parameter("alpha", number("(0, 1]"), "Factor by which the sum fades with every number."),
        MODE,
    )

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
