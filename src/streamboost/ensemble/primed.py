"""Primed online boosting after Oza: a batch start, then the stream."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar

from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from streamboost.base.params import BoosterPlan
from streamboost.ensemble.common import SHARED_CONSTRAINTS, Ensemble
from streamboost.ensemble.oza import DEFAULT_COPIES_CAP
from streamboost.report import advise

LARGEST_PRIME = 10_000
"""The thesis primes with a fifth of the rows, and never with more than these."""


class PrimedOnlineBoostingClassifier(Ensemble):
    r"""Primed online boosting: AdaBoost.M1 on the first rows, Oza's online boosting from there on.

    The first `n_prime` rows are kept until the last of them has come; then AdaBoost.M1 makes learners of them, often
    far fewer than `n_estimators`, and only these go on learning online. Until then the answer is the most frequent
    class.

    When to use it: where the start of a stream may be stored, and few examples follow: online boosting sets the
    weights of early examples by learners that know nothing yet, and never corrects them.



    Parameters
    ----------
    estimator : learner, default=None
        The weak learner: one of streamboost's own (None means ``NaiveBayes()``), or any object with ``partial_fit``
        and ``predict`` (scikit-learn style) or ``learn_one`` and ``predict_one`` (River style).
    n_estimators : int, default=100
        Number of learners, at most.
    n_prime : int, default=2000
        Rows of the batch phase. :meth:`fit`, which knows how many rows there are, uses 20 % of them, at most 10,000,
        as the thesis does.
    n_passes : int, default=1
        Passes over the rows for each learner of the batch phase, for learners that depend on the order (networks).
    resample : bool, default=False
        Train each learner of the batch phase on as many rows, drawn with replacement by the weights, instead of on the
        weights: for learners that take a weight for a longer step (networks).
    copies_cap : int or None, default=10
        Most copies of an example that a learner is taught at once online, as in :class:`OnlineBoostingClassifier`.
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
    The batch phase trains learner m on weights :math:`n_0 D_m`, stops before the first learner with
    :math:`\epsilon_m \ge 1/2` (a first one is kept all the same) and after the first with :math:`\epsilon_m = 0`, and
    hands over :math:`s^c_m = n_0 (1 - \epsilon_m)`, :math:`s^w_m = n_0 \epsilon_m`. The rest is
    :class:`OnlineBoostingClassifier` with its default options.


    References
    ----------
    N. Oza, *Online Ensemble Learning*, PhD thesis, University of California, Berkeley, 2001, section 4.6.


    Examples
    --------
    >>> from streamboost import NaiveBayes, PrimedOnlineBoostingClassifier
    >>> model = PrimedOnlineBoostingClassifier(NaiveBayes(), n_estimators=10, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _model_name = "primed-boost"
    _added_parameters: ClassVar[dict[str, Any]] = {"copies_cap": None, "resample": False}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SHARED_CONSTRAINTS,
        "n_prime": [Interval(Integral, 1, None, closed="left")],
        "n_passes": [Interval(Integral, 1, None, closed="left")],
        "resample": ["boolean"],
        "copies_cap": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        n_prime: int = 2000,
        n_passes: int = 1,
        resample: bool = False,
        copies_cap: int | None = DEFAULT_COPIES_CAP,
        random_state: Any = None,
        n_jobs: int | None = None,
        tie: str = "lowest",
        monitor: bool = True,
        categorical_features: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_prime = n_prime
        self.n_passes = n_passes
        self.resample = resample
        self.copies_cap = copies_cap
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tie = tie
        self.monitor = monitor
        self.categorical_features = categorical_features

    def _booster_plan(self) -> BoosterPlan:
        return self._plan_for(int(self.n_prime))

    def _fit_plan(self, n_rows: int) -> BoosterPlan:
        return self._plan_for(min(max(n_rows // 5, 1), LARGEST_PRIME))

    def _plan_for(self, n_prime: int) -> BoosterPlan:
        return BoosterPlan(
            "primed",
            {
                "n_prime": n_prime,
                "n_passes": int(self.n_passes),
                "resample": bool(self.resample),
                "keep_one": True,
                "copies_cap": None if self.copies_cap is None else int(self.copies_cap),
            },
        )

    def _advice(self, lanes: Mapping[str, NDArray[Any]], n_learned: int) -> tuple[str, ...]:
        made = lanes["sum_correct"] + lanes["sum_wrong"] > 0  # the others were never meant to learn
        return advise({name: values[made] for name, values in lanes.items()}, n_learned)
