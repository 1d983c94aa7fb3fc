"""Online bagging: every learner sees its own random resample of the stream."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from streamboost.base.params import BoosterPlan
from streamboost.ensemble.common import SHARED_CONSTRAINTS, Ensemble


class OnlineBaggingClassifier(Ensemble):
    r"""Online bagging (Oza and Russell).

    Each learner gets each example k times, k drawn anew from a Poisson distribution of mean 1; the majority decides.

    When to use it: to steady a learner that changes a lot with its data, for any number of classes, with the least
    risk of making it worse.


    Parameters
    ----------
    estimator : learner, default=None
        The weak learner: one of streamboost's own (None means ``NaiveBayes()``), or any object with ``partial_fit``
        and ``predict`` (scikit-learn style) or ``learn_one`` and ``predict_one`` (River style).
    n_estimators : int, default=100
        Number of learners.
    sampling : {"poisson", "fraction"}, default="poisson"
        Copies drawn from Poisson(1), or each example passed on with probability `fraction`.
    fraction : float, default=0.7
        Share of the examples each learner sees with ``sampling="fraction"``.
    ballot : {"label", "distribution"}, default="label"
        What a learner puts into the vote: its label, or its class distribution.
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
    For each learner :math:`h_m` and each example of weight s: :math:`k \sim \mathrm{Poisson}(s)`, then k updates;
    the answer is :math:`\arg\max_c \sum_m [h_m(x) = c]` over the learners that have learned something.
    ``predict_proba`` is the share of votes.

    References
    ----------
    N. Oza and S. Russell, Online bagging and boosting, AISTATS 2001.

    Examples
    --------
    >>> from streamboost import NaiveBayes, OnlineBaggingClassifier
    >>> model = OnlineBaggingClassifier(NaiveBayes(), n_estimators=10, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.test_then_train(X, y)[-2:].tolist()
    ['low', 'high']
    >>> model.predict_proba([[0.0]]).tolist()
    [[0.0, 1.0]]
    """

    _model_name = "bagging"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SHARED_CONSTRAINTS,
        "sampling": [StrOptions({"poisson", "fraction"})],
        "fraction": [Interval(Real, 0, 1, closed="right")],
        "ballot": [StrOptions({"label", "distribution"})],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        sampling: str = "poisson",
        fraction: float = 0.7,
        ballot: str = "label",
        random_state: Any = None,
        n_jobs: int | None = None,
        tie: str = "lowest",
        monitor: bool = True,
        categorical_features: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.sampling = sampling
        self.fraction = fraction
        self.ballot = ballot
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tie = tie
        self.monitor = monitor
        self.categorical_features = categorical_features

    def _booster_plan(self) -> BoosterPlan:
        return BoosterPlan(
            "bagging", {"sampling": self.sampling, "fraction": float(self.fraction), "ballot": self.ballot}
        )
