"""Online boosting after Oza: an AdaBoost of streams."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from streamboost.base.params import BoosterPlan
from streamboost.ensemble.common import SHARED_CONSTRAINTS, Ensemble

DEFAULT_COPIES_CAP = 10
"""Measured on the thesis' data sets: see the page on online boosting."""


class OnlineBoostingClassifier(Ensemble):
    r"""Online boosting (Oza and Russell), with the semantics of Oza's thesis.

    An example travels along the learners with a weight that grows where it is answered wrongly and shrinks where it
    is answered rightly, so that each learner sees the two kinds in equal parts.

    When to use it: to turn many weak learners into a strong one, for any number of classes. On noisy labels prefer
    bagging or :class:`OSBoostClassifier`, whose weights stay bounded.


    Parameters
    ----------
    estimator : learner, default=None
        The weak learner: one of streamboost's own (None means ``NaiveBayes()``), or any object with ``partial_fit``
        and ``predict`` (scikit-learn style) or ``learn_one`` and ``predict_one`` (River style).
    n_estimators : int, default=100
        Number of learners.
    order : {"update_first", "test_first"}, default="update_first"
        Whether a learner is judged after or before it has learned the example.
    untrained : {"wrong", "class0", "random"}, default="wrong"
        How a learner that has learned nothing yet is judged.
    lambda_cap : float or None, default=None
        Largest weight an example may reach.
    copies_cap : int or None, default=10
        Most copies of an example that a learner is taught at once (times its sample weight, where that is above 1);
        its weight travels on in full. None sets no limit.
    vote : {"log_odds", "sun_literal", "linear_edge", "unweighted"}, default="log_odds"
        Weight of a learner's vote as a function of its error.
    prefix : {"stop_at_first_bad", "skip_bad", "all"}, default="stop_at_first_bad"
        Which learners vote: those before the first with an error above 1/2, those below 1/2, or all.
    draw : {"poisson", "weight"}, default="poisson"
        Copies drawn from Poisson(lambda), or one update of weight lambda.
    normalise : {"running", "n"}, default="running"
        Total weight in the rescaling: what the learner has seen, or the number of examples.
    ballot : {"label", "distribution"}, default="label"
        What a learner puts into the vote, times its weight: its label, or its class distribution.
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
    With :math:`\lambda = 1` at the first learner, learner m draws :math:`k \sim \mathrm{Poisson}(\lambda)`, learns k
    copies and is tested on the example; then

    .. math:: \text{right: } s^c_m \mathrel{+}= \lambda,\ \lambda \leftarrow \lambda\,\frac{s^c_m + s^w_m}{2 s^c_m};
              \qquad
              \text{wrong: } s^w_m \mathrel{+}= \lambda,\ \lambda \leftarrow \lambda\,\frac{s^c_m + s^w_m}{2 s^w_m}.

    The answer is :math:`\arg\max_c \sum_{m \le L,\ h_m(x) = c} \ln((1 - \epsilon_m) / \epsilon_m)` with
    :math:`\epsilon_m = s^w_m / (s^c_m + s^w_m)` and L the last learner before the first with an error above 1/2.

    References
    ----------
    N. Oza, *Online Ensemble Learning*, PhD thesis, University of California, Berkeley, 2001, chapter 4.

    Examples
    --------
    >>> from streamboost import NaiveBayes, OnlineBoostingClassifier
    >>> model = OnlineBoostingClassifier(NaiveBayes(), n_estimators=10, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _model_name = "oza-boost"
    _added_parameters: ClassVar[dict[str, Any]] = {"copies_cap": None}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SHARED_CONSTRAINTS,
        "order": [StrOptions({"update_first", "test_first"})],
        "untrained": [StrOptions({"wrong", "class0", "random"})],
        "lambda_cap": [Interval(Real, 0, None, closed="neither"), None],
        "copies_cap": [Interval(Integral, 1, None, closed="left"), None],
        "vote": [StrOptions({"log_odds", "sun_literal", "linear_edge", "unweighted"})],
        "prefix": [StrOptions({"stop_at_first_bad", "skip_bad", "all"})],
        "draw": [StrOptions({"poisson", "weight"})],
        "normalise": [StrOptions({"running", "n"})],
        "ballot": [StrOptions({"label", "distribution"})],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        order: str = "update_first",
        untrained: str = "wrong",
        lambda_cap: float | None = None,
        copies_cap: int | None = DEFAULT_COPIES_CAP,
        vote: str = "log_odds",
        prefix: str = "stop_at_first_bad",
        draw: str = "poisson",
        normalise: str = "running",
        ballot: str = "label",
        random_state: Any = None,
        n_jobs: int | None = None,
        tie: str = "lowest",
        monitor: bool = True,
        categorical_features: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.order = order
        self.untrained = untrained
        self.lambda_cap = lambda_cap
        self.copies_cap = copies_cap
        self.vote = vote
        self.prefix = prefix
        self.draw = draw
        self.normalise = normalise
        self.ballot = ballot
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tie = tie
        self.monitor = monitor
        self.categorical_features = categorical_features

    def _booster_plan(self) -> BoosterPlan:
        return BoosterPlan(
            "oza",
            {
                "order": self.order,
                "untrained": self.untrained,
                "lambda_cap": None if self.lambda_cap is None else float(self.lambda_cap),
                "copies_cap": None if self.copies_cap is None else int(self.copies_cap),
                "vote": self.vote,
                "prefix": self.prefix,
                "draw": self.draw,
                "normalise": self.normalise,
                "ballot": self.ballot,
            },
        )
