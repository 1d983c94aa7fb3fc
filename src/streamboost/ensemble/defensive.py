"""The Defensive Booster: one learner whose answers are corrected until nothing is left to gain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from streamboost.base.parameter import FLAG, parameter
from streamboost.catalogue import model_entry
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.options import LEARNER, OPTIONS, EnsembleOptions
from streamboost.learners import OGD, Learner
from streamboost.report import Bound, EnsembleReport, defensive_bounds
from streamboost.report.defensive import in_short

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from streamboost.base.session import Session


class DefensiveBoostingClassifier(Ensemble):
    r"""The Defensive Booster (Noarov and Roth) for two classes: calibrated probabilities with a certificate.

    One learner, taught with the error of the ensemble's own probability, and two numbers that balance it against the
    probability itself.

    When to use it: where probabilities are to be trusted on a stream that changes, at the cost of a single learner; and to
    learn whether a class of learners has anything left to give: ``report()`` shows the edge that the learner still has, and
    what it can have at most. For more classes put it into scikit-learn's ``OneVsRestClassifier``, whose probabilities are
    normalised.

    Notes
    -----
    With :math:`h` the learner's answer in [-1, 1], :math:`q = (1 + \lambda) / 2` and :math:`r = (1 - \lambda) / 2`, the
    probability is :math:`(1 + \mu) / 2`,

    .. math:: q\,h + r\,\theta\,\mu = 0, \quad \mu \in [-1, 1],

    or :math:`\mu = \mathrm{sign}(q h)` where that has no root. After :math:`y = \pm 1` and with :math:`e = y - \mu`,
    :math:`\lambda` moves along :math:`(h e - \theta \mu e) / 2` and :math:`\theta` along :math:`\mu e`, and the learner is
    taught the example with the weight :math:`|e| / 2`. Whatever comes, :math:`|\sum \mu e| \le 8 \sqrt S + 16` with
    :math:`S = \sum e^2`: the probabilities are right on average, and so they are against every function that the learner could
    have learned.

    References
    ----------
    G. Noarov and A. Roth, Defensive boosting, 2026.

    Examples
    --------
    >>> from streamboost import DefensiveBoostingClassifier
    >>> model = DefensiveBoostingClassifier(random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.partial_fit(X, y, classes=["low", "high"]).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    >>> model.report().broken()
    ()
    """

    _entry = model_entry("defensive-boost")
    _parameters = (
        LEARNER.saying(
            "The weak learner: one of streamboost's own (None means ``OGD(scale='standard')``, projected gradient ascent on the "
            "unit ball as in the paper), or any object with ``partial_fit`` and ``predict`` (scikit-learn style) or "
            "``learn_one`` and ``predict_one`` (River style)."
        ),
        parameter(
            "adaptive",
            FLAG,
            "Whether the two numbers begin anew on intervals of every length that is a power of 2, mixed by how they do: the "
            "promise then holds on every stretch of the stream, not on the whole of it alone. ``report()`` says how many "
            "pairs of numbers are alive, and since when the strongest is.",
        ),
        *OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        adaptive: bool = False,
        **options: Unpack[EnsembleOptions],
    ) -> None:
        self.estimator = estimator
        self.adaptive = adaptive
        self._set_options(options)

    @classmethod
    def _default_learner(cls) -> Learner:
        return OGD(scale="standard")

    def _n_lanes(self) -> int:
        return 1

    def _bounds(
        self, lanes: Mapping[str, NDArray[Any]], totals: Mapping[str, float], n_learned: int
    ) -> tuple[Bound, ...]:
        return defensive_bounds(totals, n_learned, self.adaptive)

    def _report_of(self, session: Session) -> EnsembleReport:
        report = super()._report_of(session)
        return in_short(report) if self.adaptive else report
