"""Online multiclass boosting by majority."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from streamboost.base.params import BoosterPlan
from streamboost.ensemble.multiclass import MULTICLASS_CONSTRAINTS, MulticlassBooster
from streamboost.report import Bound, mbbm_bounds

MOST_EDGES = 16


class OnlineMBBMClassifier(MulticlassBooster):
    r"""Online multiclass boosting by majority (OnlineMBBM; Jung, Goetz and Tewari).

    The number of learners is fixed beforehand, each has one vote, and the weight of an example for learner i is what
    its vote can still change: an example that is won or lost weighs nothing.

    When to use it: several declared classes, above all with :class:`HoeffdingTree` learners. The default runs one
    booster for each of four edges and lets Hedge weigh them, so that no edge has to be known.


    Parameters
    ----------
    estimator : learner, default=None
        The weak learner: one of streamboost's own (None means ``NaiveBayes()``), or any object with ``partial_fit``
        and ``predict`` (scikit-learn style) or ``learn_one`` and ``predict_one`` (River style).
    n_estimators : int, default=100
        Number of learners for each edge.
    preset : {"best", "paper", "paper_code"}, default="best"
        What "auto" stands for below: our choice, the published algorithm to the letter, or the published code with
        its slips.
    edge : float in [0, 1), sequence of these, or "auto", default="auto"
        How much better than guessing the learners are asked to be. Several edges: one booster each, weighed by
        Hedge. Auto: (0.3, 0.1, 0.03, 0.01); paper and paper_code: 0.1.
    potential : {"auto", "exact", "pairwise", "recursion", "mc"}, default="auto"
        How the worth of a vote count is computed: exactly, by the sum over pairs of labels (an upper bound with the
        same guarantee, and faster), by its definition (few learners or classes only), or from random draws (as in
        the published runs). Auto: pairwise; paper: exact; paper_code: mc.
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
        How boosters for several edges are combined: weighted vote, a keyed draw, or the best so far.
    early_exit : bool, default=True
        Teach nothing to the learners that can no longer change the answer. With the exact potential their weight is
        0 anyway; the pairwise one would go on teaching the labels behind the leader.
    n_draws : int, default=100
        Draws for each value of ``potential="mc"``.
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
    With :math:`\phi_n^r(s)` the chance that label r does not win when n more votes fall on r with probability
    :math:`(1 - \gamma) / k + \gamma` and on each other label with :math:`(1 - \gamma) / k`:

    .. math:: C^i[r, l] = \phi_{N-i}^r(s^{i-1} + e_l), \qquad w^i = \sum_l C^i[y, l] - k\,C^i[y, y],

    learner i learns the example with a weight proportional to :math:`w^i` and adds one vote to :math:`s`; the answer
    is the label with the most votes. Classes must be declared (``classes=`` or `fit`).

    References
    ----------
    Y. H. Jung, J. Goetz and A. Tewari, Online multiclass boosting, NIPS 2017.

    Examples
    --------
    >>> from streamboost import NaiveBayes, OnlineMBBMClassifier
    >>> model = OnlineMBBMClassifier(NaiveBayes(), n_estimators=10, edge=0.3, random_state=7)
    >>> X, y = [[0.1], [0.5], [0.9]] * 10, ["low", "mid", "high"] * 10
    >>> model.fit(X, y).predict([[0.0], [0.45], [1.0]]).tolist()
    ['low', 'mid', 'high']
    """

    _model_name = "online-mbbm"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **MULTICLASS_CONSTRAINTS,
        "edge": [Interval(Real, 0, 1, closed="left"), StrOptions({"auto"}), "array-like"],
        "potential": [StrOptions({"auto", "exact", "pairwise", "recursion", "mc"})],
        "early_exit": ["boolean"],
        "n_draws": [Interval(Integral, 1, 1_000_000, closed="both")],
    }
    _presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "best": {
            "edge": (0.3, 0.1, 0.03, 0.01),
            "potential": "pairwise",
            "costs": "argmax",
            "weights": "rescaled",
            "weight_target": 5.0,
        },
        "paper": {
            "edge": 0.1,
            "potential": "exact",
            "costs": "bayes_norm",
            "weights": "normalised",
            "weight_target": 5.0,
        },
        "paper_code": {
            "edge": 0.1,
            "potential": "mc",
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
        edge: Any = "auto",
        potential: str = "auto",
        costs: str = "auto",
        weights: str = "auto",
        weight_target: float | str = "auto",
        hedge: str = "vote",
        early_exit: bool = True,
        n_draws: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        tie: str = "lowest",
        monitor: bool = True,
        categorical_features: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.preset = preset
        self.edge = edge
        self.potential = potential
        self.costs = costs
        self.weights = weights
        self.weight_target = weight_target
        self.hedge = hedge
        self.early_exit = early_exit
        self.n_draws = n_draws
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tie = tie
        self.monitor = monitor
        self.categorical_features = categorical_features

    def _edges(self) -> NDArray[np.float64]:
        edges = np.atleast_1d(np.asarray(self._option("edge"), dtype=np.float64))
        if edges.ndim != 1 or not 1 <= len(edges) <= MOST_EDGES or not ((edges >= 0) & (edges < 1)).all():
            raise ValueError(
                f"The 'edge' parameter of {type(self).__name__} must be 'auto', a number in [0, 1) or up to "
                f"{MOST_EDGES} of them. Got {self.edge!r} instead."
            )
        return np.ascontiguousarray(edges)

    def _n_lanes(self) -> int:
        return int(self.n_estimators) * len(self._edges())

    def _booster_plan(self) -> BoosterPlan:
        return BoosterPlan(
            "mbbm",
            {
                "edges": self._edges(),
                "potential": self._option("potential"),
                "draws": int(self.n_draws),
                "costs": self._option("costs"),
                "weights": self._option("weights"),
                "weight_target": float(self._option("weight_target")),
                "hedge": self.hedge,
                "early_exit": bool(self.early_exit),
                "off_by_one": self.preset == "paper_code",
            },
            declared=True,
        )

    def _bounds(
        self, lanes: Mapping[str, NDArray[Any]], totals: Mapping[str, float], n_learned: int
    ) -> tuple[Bound, ...]:
        if self.preset == "paper_code":
            return ()  # one vote too many to come: nothing is promised
        return mbbm_bounds(lanes, totals, n_learned, self._edges(), self._option("potential"))
