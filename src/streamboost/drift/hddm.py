"""Detectors with Hoeffding's and McDiarmid's bounds."""

from __future__ import annotations

from streamboost.base.parameter import FLAG, number, parameter
from streamboost.catalogue import detector_entry
from streamboost.drift.detector import Detector

_DRIFT = parameter("drift_confidence", number("(0, 1)"), "How sure a change must be: smaller is surer.")
_WARNING = parameter(
    "warning_confidence", number("(0, 1)"), "The same for a warning; not below `drift_confidence`."
)
_TWO_SIDED = parameter("two_sided", FLAG, "Whether falls of the mean count as well as rises.")


class _HDDM(Detector):
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

    _entry = detector_entry("hddm-a")
    _parameters = (_DRIFT, _WARNING, _TWO_SIDED)

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


class HDDM_W(_HDDM):
    r"""Hoeffding drift detection with weights: recent numbers count more, so that slow changes are seen too.

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

    _entry = detector_entry("hddm-w")
    _parameters = (
        _DRIFT,
        _WARNING,
        parameter("lambda_val", number("(0, 1)"), "Share of the newest number in the weighted mean."),
        _TWO_SIDED,
    )

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
