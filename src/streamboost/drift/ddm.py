"""The drift detection method."""

from __future__ import annotations

from streamboost.base.parameter import number, parameter, whole
from streamboost.catalogue import detector_entry
from streamboost.drift.detector import Detector


class DDM(Detector):
    r"""Drift detection method: the error rate has risen above its lowest point by several standard deviations.

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

    _entry = detector_entry("ddm")
    _parameters = (
        parameter("warm_start", whole("[1, inf)"), "Numbers before the first judgement."),
        parameter(
            "warning_threshold",
            number("(0, inf)"),
            "Standard deviations above the lowest point that give a warning.",
        ),
        parameter(
            "drift_threshold",
            number("(0, inf)"),
            "Standard deviations above the lowest point that mean drift; not below `warning_threshold`.",
        ),
    )

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
