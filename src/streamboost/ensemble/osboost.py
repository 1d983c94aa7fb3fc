"""Smooth online boosting for two classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from streamboost.base.parameter import number, one_of, parameter
from streamboost.base.params import BoosterPlan
from streamboost.catalogue import model_entry
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.hedging import HEDGE_RATE, HORIZON, hedge_params
from streamboost.ensemble.options import LEARNER, OPTIONS, SIZE, EnsembleOptions
from streamboost.report import Bound, exp_bounds, ocp_bounds, smooth_bounds

if TYPE_CHECKING:
    from typing_extensions import Unpack

_CORE_NAMES = {"uniform": "osboost", "ocp": "osboost_ocp", "exp": "osboost_exp"}
_ONLY_FOR = {
    "ocp": ("projection", "step", "domain"),
    "exp": ("hedge", "hedge_rate", "horizon"),
}
"""Parameters that one vote alone reads."""


class OSBoostClassifier(Ensemble):
    r"""Online smooth boosting (OSBoost) for two classes.

    No example ever weighs more than 1, so that a few mislabelled rows cannot take over the ensemble.

    When to use it: binary streams with noise, and wherever speed matters: one pass, no random draws, weights in
    [0, 1]. For more classes use :class:`OnlineBoostingClassifier`, or scikit-learn's ``OneVsRestClassifier`` around
    this one.

    Notes
    -----
    With margins :math:`m_i = y\,h_i(x)` and :math:`\theta = \gamma / (2 + \gamma)`:

    .. math:: z_0 = 0,\quad w_1 = 1,\quad z_i = z_{i-1} + m_i - \theta,\quad
              w_{i+1} = \min\{1, (1 - \gamma)^{z_i / 2}\},

    learner i learns the example with weight :math:`w_i`, and the answer is the sign of :math:`\sum_i h_i(x)`.
    The vote's probability is :math:`(1 + \bar h) / 2`.

    With ``vote="ocp"`` the answer is the sign of :math:`\langle\alpha, h(x)\rangle`; on an example with
    :math:`y \langle\alpha, h(x)\rangle < \theta` the weights move to :math:`\alpha + \eta_t\, y\, h(x)`, projected back onto
    the simplex. With ``vote="exp"`` prefix i is an expert that answers with the sign of :math:`h_1 + \dots + h_i`; after
    :math:`L_i` mistakes its share in the answer is proportional to :math:`e^{-\eta_t L_i}`, and the vote's probability is the
    share of the experts that say so.

    References
    ----------
    S.-T. Chen, H.-T. Lin and C.-J. Lu, An online boosting algorithm with theoretical justifications, ICML 2012.

    Examples
    --------
    >>> from streamboost import NaiveBayes, OSBoostClassifier
    >>> model = OSBoostClassifier(NaiveBayes(), n_estimators=10, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.partial_fit(X, y, classes=["low", "high"]).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    >>> model.report().broken()
    ()
    """

    _entry = model_entry("osboost")
    _parameters = (
        LEARNER,
        SIZE,
        parameter(
            "gamma",
            number("(0, 0.5)"),
            "The advantage over random guessing required of the weak learners; larger values make the weights steeper.",
        ),
        parameter(
            "vote",
            one_of("uniform", "ocp", "exp"),
            "How the learners' answers are combined: their plain mean; a mean whose weights are learned online "
            "(OSBoost.OCP); or the best of the prefixes 1, 2, ..., N of the ensemble, found by Hedge "
            "(OSBoost.EXP).",
            to_core=False,
        ),
        parameter(
            "hypothesis",
            one_of("real", "sign"),
            "Whether a learner's prediction is its confidence in [-1, 1] or its sign.",
        ),
        parameter(
            "projection",
            one_of("sort", "pivot"),
            'For ``vote="ocp"``: how the weights are brought back onto the simplex; the same point by sorting, '
            "O(N log N), or by random pivots, O(N) on average.",
            to_core=False,
        ),
        parameter(
            "step",
            one_of("1/sqrt(Nt)", "1/sqrt(t)", "sqrt(2/(Nt))"),
            'For ``vote="ocp"``: the step size after t examples.',
            to_core=False,
        ),
        parameter(
            "domain",
            one_of("simplex", "l1_ball"),
            'For ``vote="ocp"``: which weights are allowed: positive ones that sum to 1, as the paper says, or '
            "any whose sizes sum to at most 1, so that learners can also count against themselves. The paper's "
            "own tables fit the second; it answers worse on short streams.",
            to_core=False,
        ),
        parameter(
            "hedge",
            one_of("vote", "sample", "best"),
            'For ``vote="exp"``: the weighted majority of the prefixes, one drawn at random (as in the paper), '
            "or the one with the fewest mistakes so far.",
            to_core=False,
        ),
        HEDGE_RATE,
        HORIZON,
        *OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        gamma: float = 0.1,
        vote: str = "uniform",
        hypothesis: str = "real",
        projection: str = "sort",
        step: str = "1/sqrt(Nt)",
        domain: str = "simplex",
        hedge: str = "vote",
        hedge_rate: str | float = "anytime",
        horizon: int | None = None,
        **options: Unpack[EnsembleOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.gamma = gamma
        self.vote = vote
        self.hypothesis = hypothesis
        self.projection = projection
        self.step = step
        self.domain = domain
        self.hedge = hedge
        self.hedge_rate = hedge_rate
        self.horizon = horizon
        self._set_options(options)

    def _validate_params(self) -> None:
        super()._validate_params()
        defaults = {p.name: p.default for p in self._parameters}
        for vote, names in _ONLY_FOR.items():
            for name in names:
                if vote != self.vote and getattr(self, name) != defaults[name]:
                    raise ValueError(
                        f"{name}={getattr(self, name)!r} has no effect with vote={self.vote!r}: set vote={vote!r}, or leave "
                        f"{name} as it is."
                    )

    def _booster_plan(self) -> BoosterPlan:
        return replace(super()._booster_plan(), name=_CORE_NAMES[self.vote])

    def _core_params(self) -> dict[str, Any]:
        params = super()._core_params()
        if self.vote == "ocp":
            params |= {"projection": self.projection, "step": self.step, "domain": self.domain}
        if self.vote == "exp":
            params |= {"hedge": self.hedge, **hedge_params(self.hedge_rate, self.horizon)}
        return params

    def _bounds(
        self, lanes: Mapping[str, NDArray[Any]], totals: Mapping[str, float], n_learned: int
    ) -> tuple[Bound, ...]:
        found = smooth_bounds(lanes, totals, float(self.gamma))
        if self.vote == "ocp":
            found += ocp_bounds(lanes, totals, float(self.gamma), self.domain)
        if self.vote == "exp":
            found += exp_bounds(lanes, totals)
        return found
