"""Adaptive online boosting for two classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from numpy.typing import NDArray
from sklearn.utils._param_validation import StrOptions

from streamboost.base.params import BoosterPlan
from streamboost.ensemble.common import SHARED_CONSTRAINTS, Ensemble
from streamboost.report import Bound, adaboost_ol_bounds


class AdaBoostOLClassifier(Ensemble):
    r"""AdaBoost.OL and AdaBoost.OL.W for two classes: online boosting without a parameter to guess.

    Each learner's weight in the vote follows its success, down to negative weights for learners that are worse than
    guessing; the answer comes from the best prefixes of the ensemble.

    When to use it: when nothing is known about the learners' edges, or when they differ much from each other.


    Parameters
    ----------
    estimator : learner, default=None
        The weak learner: one of streamboost's own (None means ``NaiveBayes()``), or any object with ``partial_fit``
        and ``predict`` (scikit-learn style) or ``learn_one`` and ``predict_one`` (River style).
    n_estimators : int, default=100
        Number of learners.
    weighting : {"sampling", "importance"}, default="sampling"
        Learners see the example with probability :math:`w_i` (AdaBoost.OL), or with weight :math:`w_i`
        (AdaBoost.OL.W).
    hedge : {"vote", "sample", "best", "full"}, default="vote"
        Who answers: the weighted majority of the prefixes, one drawn at random (as in the paper), the one with the fewest
        mistakes so far, or the whole ensemble.
    hypothesis : {"real", "sign"}, default="real"
        Whether a learner answers with its confidence in [-1, 1] or with its sign.
    random_state : int, RandomState or None, default=None
        Key of all random draws. An integer gives the same model every time; None draws a new key at the start.
    n_jobs : int or None, default=None
        Threads: None is one, -1 as many as the process may use. Answers and state are the same bits for any number.
        Taken when the model starts or is loaded; learners written in Python stay on one thread.
    tie : {"lowest", "random"}, default="lowest"
        Who wins equal votes: the class with the lowest internal code, or a keyed draw.
    monitor : bool, default=True
        Keep the sums for :meth:`report`: what each learner was given and how it did, and the bounds.
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
    With :math:`z_i = y\,h_i(x)`, :math:`s_0 = 0` and t the number of the example:

    .. math:: w_i = \frac{1}{1 + e^{s_{i-1}}},\quad s_i = s_{i-1} + \alpha_i z_i,\quad
              \alpha_i \leftarrow \Bigl[\alpha_i + \frac{4}{\sqrt t}\,\frac{z_i}{1 + e^{s_i}}\Bigr]_{-2}^{2}.

    Expert i answers with the sign of :math:`\sum_{j \le i} \alpha_j h_j(x)`; its share in the answer is proportional to
    :math:`e^{-\text{mistakes}}`. ``predict_proba`` is the share of the experts, and with ``hedge="full"`` the logistic
    function of the whole vote.

    References
    ----------
    A. Beygelzimer, S. Kale and H. Luo, Optimal and adaptive algorithms for online boosting, ICML 2015.

    Examples
    --------
    >>> from streamboost import AdaBoostOLClassifier, NaiveBayes
    >>> model = AdaBoostOLClassifier(NaiveBayes(), n_estimators=10, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.partial_fit(X, y, classes=["low", "high"]).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    >>> model.report().broken()
    ()
    """

    _model_name = "adaboost-ol"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SHARED_CONSTRAINTS,
        "weighting": [StrOptions({"sampling", "importance"})],
        "hedge": [StrOptions({"vote", "sample", "best", "full"})],
        "hypothesis": [StrOptions({"real", "sign"})],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        weighting: str = "sampling",
        hedge: str = "vote",
        hypothesis: str = "real",
        random_state: Any = None,
        n_jobs: int | None = None,
        tie: str = "lowest",
        monitor: bool = True,
        categorical_features: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.weighting = weighting
        self.hedge = hedge
        self.hypothesis = hypothesis
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tie = tie
        self.monitor = monitor
        self.categorical_features = categorical_features

    def _booster_plan(self) -> BoosterPlan:
        params = {"weighting": self.weighting, "hedge": self.hedge, "hypothesis": self.hypothesis}
        return BoosterPlan("adaboost_ol", params, max_classes=2)

    def _bounds(
        self, lanes: Mapping[str, NDArray[Any]], totals: Mapping[str, float], n_learned: int
    ) -> tuple[Bound, ...]:
        return adaboost_ol_bounds(lanes, totals, n_learned)
