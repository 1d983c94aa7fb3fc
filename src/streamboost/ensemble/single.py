"""One weak learner behind the same verbs: the baseline of every table."""

from __future__ import annotations

from typing import Any, ClassVar

from streamboost.base.params import BoosterPlan
from streamboost.ensemble.common import SHARED_CONSTRAINTS, Ensemble


class SingleLearnerClassifier(Ensemble):
    r"""One weak learner, no ensemble.

    When to use it: as the baseline that an ensemble has to beat, or for the learner itself with the verbs, files and
    checks of the ensembles.


    Parameters
    ----------
    estimator : learner, default=None
        The weak learner: one of streamboost's own (None means ``NaiveBayes()``), or any object with ``partial_fit``
        and ``predict`` (scikit-learn style) or ``learn_one`` and ``predict_one`` (River style).
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
    The learner gets every example with its weight, once.

    Examples
    --------
    >>> from streamboost import NaiveBayes, SingleLearnerClassifier
    >>> model = SingleLearnerClassifier(NaiveBayes())
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _model_name = "single"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        name: allowed for name, allowed in SHARED_CONSTRAINTS.items() if name != "n_estimators"
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        random_state: Any = None,
        n_jobs: int | None = None,
        tie: str = "lowest",
        monitor: bool = True,
        categorical_features: Any = None,
    ) -> None:
        self.estimator = estimator
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tie = tie
        self.monitor = monitor
        self.categorical_features = categorical_features

    def _booster_plan(self) -> BoosterPlan:
        return BoosterPlan("single", {})

    def _n_lanes(self) -> int:
        return 1
