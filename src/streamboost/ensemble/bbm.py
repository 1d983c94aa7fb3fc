"""Online boost-by-majority for two classes."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar

from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from streamboost.base.params import BoosterPlan
from streamboost.ensemble.common import SHARED_CONSTRAINTS, Ensemble
from streamboost.report import Bound, bbm_bounds


class OnlineBBMClassifier(Ensemble):
    r"""Online boost-by-majority (Online BBM) for two classes.

    Each example is weighted by how much one more right answer would matter for the majority of all learners, if those
    still to come were coins of a known bias. Hopeless examples and safe ones weigh little.

    When to use it: when the learners' edge is roughly known; with perceptrons it is the strongest of the binary boosters
    here on most small sets. An odd number of learners avoids ties.


    Parameters
    ----------
    estimator : learner, default=None
        The weak learner: one of streamboost's own (None means ``NaiveBayes()``), or any object with ``partial_fit``
        and ``predict`` (scikit-learn style) or ``learn_one`` and ``predict_one`` (River style).
    n_estimators : int, default=100
        Number of learners.
    edge : float in (0, 1), default=0.05
        The correlation of each learner with the label that is counted on: an error of (1 - edge) / 2 on the weighted
        examples. Other programs state half of it.
    weighting : {"importance", "sampling"}, default="importance"
        Learners get the example with its weight, or the whole example with that probability (as in the paper).
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
    With :math:`h_i(x) \in \{-1, +1\}`, :math:`p = (1 + \text{edge}) / 2`, s the votes for minus those against the label
    before learner i, :math:`n = N - i` and :math:`k = \lfloor (n - s + 1) / 2 \rfloor`:

    .. math:: w_i \propto \binom{n}{k} p^k (1 - p)^{n - k},

    divided by its largest value over k. The answer is the majority; ``predict_proba`` is the share of votes.

    References
    ----------
    A. Beygelzimer, S. Kale and H. Luo, Optimal and adaptive algorithms for online boosting, ICML 2015.

    Examples
    --------
    >>> from streamboost import OnlineBBMClassifier, NaiveBayes
    >>> model = OnlineBBMClassifier(NaiveBayes(), n_estimators=10, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.partial_fit(X, y, classes=["low", "high"]).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    >>> model.report().broken()
    ()
    """

    _model_name = "online-bbm"
    _trace_label: ClassVar[str] = "what is promised if every learner keeps its edge"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SHARED_CONSTRAINTS,
        "edge": [Interval(Real, 0, 1, closed="neither")],
        "weighting": [StrOptions({"importance", "sampling"})],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        edge: float = 0.05,
        weighting: str = "importance",
        random_state: Any = None,
        n_jobs: int | None = None,
        tie: str = "lowest",
        monitor: bool = True,
        categorical_features: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.edge = edge
        self.weighting = weighting
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tie = tie
        self.monitor = monitor
        self.categorical_features = categorical_features

    def _booster_plan(self) -> BoosterPlan:
        params = {"edge": float(self.edge), "weighting": self.weighting}
        return BoosterPlan("online_bbm", params, max_classes=2)

    def _bounds(
        self, lanes: Mapping[str, NDArray[Any]], totals: Mapping[str, float], n_learned: int
    ) -> tuple[Bound, ...]:
        return bbm_bounds(lanes, totals, float(self.edge))
