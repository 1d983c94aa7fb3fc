"""Smooth online boosting for two classes."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from streamboost.base.params import BoosterPlan
from streamboost.ensemble.common import SHARED_CONSTRAINTS, Ensemble
from streamboost.report import Bound, exp_bounds, ocp_bounds, smooth_bounds

_CORE_NAMES = {"uniform": "osboost", "ocp": "osboost_ocp", "exp": "osboost_exp"}


class OSBoostClassifier(Ensemble):
    r"""Online smooth boosting (OSBoost) for two classes.

    No example ever weighs more than 1, so that a few mislabelled rows cannot take over the ensemble.

    When to use it: binary streams with noise, and wherever speed matters: one pass, no random draws, weights in
    [0, 1]. For more classes use :class:`OnlineBoostingClassifier`, or scikit-learn's ``OneVsRestClassifier`` around
    this one.


    Parameters
    ----------
    estimator : learner, default=None
        The weak learner: one of streamboost's own (None means ``NaiveBayes()``), or any object with ``partial_fit``
        and ``predict`` (scikit-learn style) or ``learn_one`` and ``predict_one`` (River style).
    n_estimators : int, default=100
        Number of learners.
    gamma : float in (0, 0.5), default=0.1
        The advantage over guessing that is asked of the weak learners; larger means steeper weights.
    vote : {"uniform", "ocp", "exp"}, default="uniform"
        How the learners' answers are combined: their plain mean; a mean whose weights are learned online (OSBoost.OCP);
        or the best of the prefixes 1, 2, ..., N of the ensemble, found by Hedge (OSBoost.EXP).
    hypothesis : {"real", "sign"}, default="real"
        Whether a learner answers with its confidence in [-1, 1] or with its sign.
    projection : {"sort", "pivot"}, default="sort"
        For ``vote="ocp"``: how the weights are brought back onto the simplex; the same point by sorting, O(N log N), or
        by random pivots, O(N) on average.
    step : {"1/sqrt(Nt)", "1/sqrt(t)", "sqrt(2/(Nt))"}, default="1/sqrt(Nt)"
        For ``vote="ocp"``: the step size after t examples.
    domain : {"simplex", "l1-ball"}, default="simplex"
        For ``vote="ocp"``: which weights are allowed: positive ones that sum to 1, as the paper says, or any whose sizes
        sum to at most 1, so that learners can also count against themselves. The paper's own tables fit the second;
        it answers worse on short streams.
    hedge : {"vote", "sample", "best"}, default="vote"
        For ``vote="exp"``: the weighted majority of the prefixes, one drawn at random (as in the paper), or the one with
        the fewest mistakes so far.
    rate : {"anytime", "horizon"} or float, default="anytime"
        For ``vote="exp"``: Hedge's rate: :math:`\sqrt{8 \ln N / t}`, the best constant for `horizon` examples, or a
        given constant.
    horizon : int or None, default=None
        For ``rate="horizon"``: how many examples there will be.
    random_state : int, RandomState or None, default=None
        Key of all random draws. An integer gives the same model every time; None draws a new key at the start.
    n_jobs : int or None, default=None
        Threads: None is one, -1 as many as the process may use. Answers and state are the same bits for any number.
        Taken when the model starts or is loaded; learners written in Python stay on one thread.
    tie : {"lowest", "random"}, default="lowest"
        Who wins equal votes: the class with the lowest internal code, or a keyed draw.
    monitor : bool, default=True
        Keep the per-learner sums for :meth:`report`.
    categorical_features : array-like or None, default=None
        Nominal columns, as a mask, column numbers or names; in frames and dicts, text, categories and booleans are
        nominal without being named.

    Attributes
    ----------
    classes_ : array
        Labels known so far, sorted.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns, if the first rows had names.

    Notes
    -----
    With margins :math:`m_i = y\,h_i(x)` and :math:`\theta = \gamma / (2 + \gamma)`:

    .. math:: z_0 = 0,\quad w_1 = 1,\quad z_i = z_{i-1} + m_i - \theta,\quad
              w_{i+1} = \min\{1, (1 - \gamma)^{z_i / 2}\},

    learner i learns the example with weight :math:`w_i`, and the answer is the sign of :math:`\sum_i h_i(x)`.
    ``predict_proba`` is :math:`(1 + \bar h) / 2`.

    With ``vote="ocp"`` the answer is the sign of :math:`\langle\alpha, h(x)\rangle`; on an example with
    :math:`y \langle\alpha, h(x)\rangle < \theta` the weights move to :math:`\alpha + \eta_t\, y\, h(x)`, projected back onto
    the simplex. With ``vote="exp"`` prefix i is an expert that answers with the sign of :math:`h_1 + \dots + h_i`; after
    :math:`L_i` mistakes its share in the answer is proportional to :math:`e^{-\eta_t L_i}`, and ``predict_proba`` is the
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

    _model_name = "osboost"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SHARED_CONSTRAINTS,
        "gamma": [Interval(Real, 0, 0.5, closed="neither")],
        "vote": [StrOptions({"uniform", "ocp", "exp"})],
        "hypothesis": [StrOptions({"real", "sign"})],
        "projection": [StrOptions({"sort", "pivot"})],
        "step": [StrOptions({"1/sqrt(Nt)", "1/sqrt(t)", "sqrt(2/(Nt))"})],
        "domain": [StrOptions({"simplex", "l1-ball"})],
        "hedge": [StrOptions({"vote", "sample", "best"})],
        "rate": [StrOptions({"anytime", "horizon"}), Interval(Real, 0, None, closed="neither")],
        "horizon": [Interval(Integral, 1, None, closed="left"), None],
    }

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
        rate: str | float = "anytime",
        horizon: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        tie: str = "lowest",
        monitor: bool = True,
        categorical_features: Any = None,
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
        self.rate = rate
        self.horizon = horizon
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tie = tie
        self.monitor = monitor
        self.categorical_features = categorical_features

    def _booster_plan(self) -> BoosterPlan:
        params: dict[str, Any] = {"gamma": float(self.gamma), "hypothesis": self.hypothesis}
        if self.vote == "ocp":
            params |= {"projection": self.projection, "step": self.step, "domain": self.domain}
        if self.vote == "exp":
            if self.rate == "horizon" and self.horizon is None:
                raise ValueError("rate='horizon' needs horizon=, the number of examples there will be.")
            params |= {
                "hedge": self.hedge,
                "eta": None if isinstance(self.rate, str) else float(self.rate),
                "horizon": self.horizon if self.rate == "horizon" else None,
            }
        return BoosterPlan(_CORE_NAMES[self.vote], params, max_classes=2)

    def _bounds(
        self, lanes: Mapping[str, NDArray[Any]], totals: Mapping[str, float], n_learned: int
    ) -> tuple[Bound, ...]:
        found = smooth_bounds(lanes, totals, float(self.gamma))
        if self.vote == "ocp":
            found += ocp_bounds(lanes, totals, float(self.gamma), self.domain)
        if self.vote == "exp":
            found += exp_bounds(lanes, totals)
        return found
