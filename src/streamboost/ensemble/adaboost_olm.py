"""Adaptive online boosting for several classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from numpy.typing import NDArray
from sklearn.utils._param_validation import StrOptions

from streamboost.base.params import BoosterPlan
from streamboost.ensemble.multiclass import MULTICLASS_CONSTRAINTS, MulticlassBooster
from streamboost.report import Bound, olm_bounds


class AdaBoostOLMClassifier(MulticlassBooster):
    r"""Adaptive online multiclass boosting (Adaboost.OLM; Jung, Goetz and Tewari).

    Each learner's vote is weighted by gradient descent on a loss of the votes before it, and Hedge chooses how many
    of the learners to listen to. Nothing has to be known about the learners' quality.

    When to use it: several declared classes and learners of unequal or unknown quality. With one known edge and
    many learners :class:`OnlineMBBMClassifier` is often a little more accurate.


    Parameters
    ----------
    estimator : learner, default=None
        The weak learner: one of streamboost's own (None means ``NaiveBayes()``), or any object with ``partial_fit``
        and ``predict`` (scikit-learn style) or ``learn_one`` and ``predict_one`` (River style).
    n_estimators : int, default=100
        Number of learners.
    preset : {"best", "paper", "paper_code"}, default="best"
        What "auto" stands for below: our choice, the published algorithm to the letter, or the published code with
        its slips.
    loss : {"logistic", "exponential", "squared_hinge"}, default="logistic"
        Loss of the votes. The guarantees are best for the logistic one.
    gradient : {"auto", "true", "paper_code"}, default="auto"
        The derivative of the loss, or the expression that the published code has in its place for right answers.
        Auto: true; paper_code: paper_code.
    rate : {"theory", "binary"}, default="theory"
        Step of the descent: :math:`2\sqrt 2 / ((k-1)\sqrt t)` (logistic), or :math:`4 / ((k-1)\sqrt t)` as in the
        two-class algorithm.
    costs : {"auto", "argmax", "bayes_norm", "bayes_raw", "leaf_costs"}, default="auto"
        How learners use costs: not at all when answering, by the least expected cost under their class distribution
        (rows of costs normalised or not), or by collecting them (HoeffdingTree). Auto: argmax; paper: bayes_norm;
        paper_code: bayes_raw.
    weights : {"auto", "rescaled", "normalised", "paper_code"}, default="auto"
        Scale of the weights: brought to the mean `weight_target` in each learner, within [0, 1] as in the theory, or
        with the constants of the published code. Auto: rescaled; paper: normalised; paper_code: paper_code.
    weight_target : float or "auto", default="auto"
        Mean weight of an example with ``weights="rescaled"``. Auto: 5.
    hedge : {"vote", "sample", "best"}, default="vote"
        How the prefixes are combined: weighted vote, a keyed draw (the one with a guarantee), or the best so far.
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
    Votes :math:`s^i = s^{i-1} + \alpha_i e_{l_i}` with :math:`l_i` the answer of learner i, loss
    :math:`L^y(s) = \sum_{l \ne y} \ln(1 + e^{s_l - s_y})`:

    .. math:: w_i = \frac{1}{k-1} \sum_{l \ne y} \sigma(s^{i-1}_l - s^{i-1}_y), \qquad
              \alpha_i \leftarrow \mathrm{clip}\big(\alpha_i - \eta_t\,\partial_\alpha L^y(s^{i-1} + \alpha e_{l_i}),
              -2, 2\big).

    Expert i answers :math:`\arg\max s^i`; each mistake multiplies its weight by :math:`e^{-1}`.
    Classes must be declared (``classes=`` or `fit`).

    References
    ----------
    Y. H. Jung, J. Goetz and A. Tewari, Online multiclass boosting, NIPS 2017.

    Examples
    --------
    >>> from streamboost import AdaBoostOLMClassifier, NaiveBayes
    >>> model = AdaBoostOLMClassifier(NaiveBayes(), n_estimators=10, random_state=7)
    >>> X, y = [[0.1], [0.5], [0.9]] * 10, ["low", "mid", "high"] * 10
    >>> model.fit(X, y).predict([[0.0], [0.45], [1.0]]).tolist()
    ['low', 'mid', 'high']
    """

    _model_name = "adaboost-olm"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **MULTICLASS_CONSTRAINTS,
        "loss": [StrOptions({"logistic", "exponential", "squared_hinge"})],
        "gradient": [StrOptions({"auto", "true", "paper_code"})],
        "rate": [StrOptions({"theory", "binary"})],
    }
    _presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "best": {"gradient": "true", "costs": "argmax", "weights": "rescaled", "weight_target": 5.0},
        "paper": {"gradient": "true", "costs": "bayes_norm", "weights": "normalised", "weight_target": 5.0},
        "paper_code": {
            "gradient": "paper_code",
            "costs": "bayes_raw",
            "weights": "paper_code",
            "weight_target": 5.0,
        },
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        preset: str = "best",
        loss: str = "logistic",
        gradient: str = "auto",
        rate: str = "theory",
        costs: str = "auto",
        weights: str = "auto",
        weight_target: float | str = "auto",
        hedge: str = "vote",
        random_state: Any = None,
        n_jobs: int | None = None,
        tie: str = "lowest",
        monitor: bool = True,
        categorical_features: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.preset = preset
        self.loss = loss
        self.gradient = gradient
        self.rate = rate
        self.costs = costs
        self.weights = weights
        self.weight_target = weight_target
        self.hedge = hedge
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tie = tie
        self.monitor = monitor
        self.categorical_features = categorical_features

    def _booster_plan(self) -> BoosterPlan:
        return BoosterPlan(
            "adaboost_olm",
            {
                "loss": self.loss,
                "gradient": self._option("gradient"),
                "rate": self.rate,
                "costs": self._option("costs"),
                "weights": self._option("weights"),
                "weight_target": float(self._option("weight_target")),
                "hedge": self.hedge,
            },
            declared=True,
        )

    def _bounds(
        self, lanes: Mapping[str, NDArray[Any]], totals: Mapping[str, float], n_learned: int
    ) -> tuple[Bound, ...]:
        return olm_bounds(lanes, totals, n_learned, self.loss, self._option("gradient"), self.rate)
