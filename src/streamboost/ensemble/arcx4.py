"""Online Arc-x4 after Fern and Givan: boosting by counting mistakes."""

from __future__ import annotations

from typing import Any, ClassVar

from streamboost.base.params import BoosterPlan
from streamboost.ensemble.common import SHARED_CONSTRAINTS, Ensemble


class OnlineArcX4Classifier(Ensemble):
    r"""Online Arc-x4 (Fern and Givan): an example weighs more the more learners got it wrong.

    Nothing is estimated and nothing is drawn: the number of earlier learners that still answer the example wrongly
    after having learned it decides its weight for the next one.

    When to use it: as the plain rival of :class:`OnlineBoostingClassifier`; with learners that take large weights in
    one update. A weight reaches :math:`1 + (n - 1)^4`.



    Parameters
    ----------
    estimator : learner, default=None
        The weak learner: one of streamboost's own (None means ``NaiveBayes()``), or any object with ``partial_fit``
        and ``predict`` (scikit-learn style) or ``learn_one`` and ``predict_one`` (River style).
    n_estimators : int, default=100
        Number of learners.
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
    Learner m learns the example with weight :math:`1 + w^4`, where w counts the learners before it that were wrong
    after their update. The answer is the class with most votes; ``predict_proba`` is the share of votes.


    References
    ----------
    A. Fern and R. Givan, Online ensemble learning: an empirical study, ICML 2000. L. Breiman, Arcing classifiers,
    Annals of Statistics 26, 1998.


    Examples
    --------
    >>> from streamboost import NaiveBayes, OnlineArcX4Classifier
    >>> model = OnlineArcX4Classifier(NaiveBayes(), n_estimators=10)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _model_name = "arc-x4"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SHARED_CONSTRAINTS,
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        tie: str = "lowest",
        monitor: bool = True,
        categorical_features: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tie = tie
        self.monitor = monitor
        self.categorical_features = categorical_features

    def _booster_plan(self) -> BoosterPlan:
        return BoosterPlan("arcx4", {})
