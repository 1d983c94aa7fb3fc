"""Blocked boosting after Breiman: one learner per small block of the stream."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar

from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from streamboost.base.params import BoosterPlan
from streamboost.ensemble.common import SHARED_CONSTRAINTS, Ensemble


class BlockedBoostingClassifier(Ensemble):
    r"""Blocked boosting (Breiman): each learner is made of one small block, half of it what the others get wrong.

    The stream passes once. The learner whose block is not full yet takes every example that the finished learners get
    wrong, and of the others as many as make the halves even; a finished learner never learns again.

    When to use it: on long streams without drift, where learners are costly: each sees `block_size` examples. Once
    all learners are finished, nothing more is learned.



    Parameters
    ----------
    estimator : learner, default=None
        The weak learner: one of streamboost's own (None means ``NaiveBayes()``), or any object with ``partial_fit``
        and ``predict`` (scikit-learn style) or ``learn_one`` and ``predict_one`` (River style).
    n_estimators : int, default=100
        Number of learners, at most.
    block_size : int, default=100
        Examples each learner is made of.
    literal : bool, default=False
        Whether the smoothing of the error begins as printed, with 1 for the first learner, which makes the second
        learner accept every example.
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
    With :math:`e / t` the share of tried examples that the finished learners got wrong, an example that they get
    right is accepted with probability :math:`\min(1, r / (1 - r))`, where :math:`r_2 = e / t` and
    :math:`r_m = 0.75\, r_{m-1} + 0.25\, e / t` after that. The answer is the class with most votes; a learner whose
    block is not full votes once it has met two classes.


    References
    ----------
    L. Breiman, Pasting small votes for classification in large databases and on-line, Machine Learning 36, 1999.
    N. Oza, *Online Ensemble Learning*, PhD thesis, University of California, Berkeley, 2001, section 2.4.


    Examples
    --------
    >>> from streamboost import BlockedBoostingClassifier, NaiveBayes
    >>> model = BlockedBoostingClassifier(NaiveBayes(), n_estimators=10, block_size=8, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _model_name = "blocked-boost"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SHARED_CONSTRAINTS,
        "block_size": [Interval(Integral, 1, None, closed="left")],
        "literal": ["boolean"],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        block_size: int = 100,
        literal: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        tie: str = "lowest",
        monitor: bool = True,
        categorical_features: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.block_size = block_size
        self.literal = literal
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tie = tie
        self.monitor = monitor
        self.categorical_features = categorical_features

    def _booster_plan(self) -> BoosterPlan:
        return BoosterPlan("blocked", {"block_size": int(self.block_size), "literal": bool(self.literal)})

    def _advice(self, lanes: Mapping[str, NDArray[Any]], n_learned: int) -> tuple[str, ...]:
        return ()  # learners that wait for their block are no sign of trouble
