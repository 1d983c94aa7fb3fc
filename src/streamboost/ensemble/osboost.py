"""Smooth online boosting for two classes."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar

from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from streamboost.base.params import BoosterPlan
from streamboost.ensemble.common import SHARED_CONSTRAINTS, Ensemble
from streamboost.report import Bound, osboost_bounds


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
    vote : {"uniform"}, default="uniform"
        How the learners' answers are combined.
    hypothesis : {"real", "sign"}, default="real"
        Whether a learner answers with its confidence in [-1, 1] or with its sign.
    random_state : int, RandomState or None, default=None
        Key of all random draws. An integer gives the same model every time; None draws a new key at the start.
    n_jobs : None or 1, default=None
        Reserved for threads.
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
    >>> all(bound.holds for bound in model.report().bounds if bound.premise_holds)
    True
    """

    _model_name = "osboost"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SHARED_CONSTRAINTS,
        "gamma": [Interval(Real, 0, 0.5, closed="neither")],
        "vote": [StrOptions({"uniform"})],
        "hypothesis": [StrOptions({"real", "sign"})],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        gamma: float = 0.1,
        vote: str = "uniform",
        hypothesis: str = "real",
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
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tie = tie
        self.monitor = monitor
        self.categorical_features = categorical_features

    def _booster_plan(self) -> BoosterPlan:
        # The uniform vote is the core's only one for now, so it has no parameter there.
        params = {"gamma": float(self.gamma), "hypothesis": self.hypothesis}
        return BoosterPlan("osboost", params, max_classes=2)

    def _bounds(self, lanes: Mapping[str, NDArray[Any]]) -> tuple[Bound, ...]:
        return osboost_bounds(lanes, float(self.gamma))
