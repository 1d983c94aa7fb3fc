"""Online multiclass boosting by majority."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from streamboost.base.parameter import FLAG, number, numbers, one_of, parameter, whole
from streamboost.catalogue import model_entry
from streamboost.ensemble.multiclass import (
    COSTS,
    PRESET,
    PRESETS,
    WEIGHT_SCALE,
    WEIGHT_TARGET,
    MulticlassBooster,
)
from streamboost.ensemble.options import LEARNER, OPTIONS, SIZE, EnsembleOptions
from streamboost.report import Bound, mbbm_bounds

if TYPE_CHECKING:
    from typing_extensions import Unpack

MOST_EDGES = 16


class OnlineMBBMClassifier(MulticlassBooster):
    r"""Online multiclass boosting by majority (OnlineMBBM; Jung, Goetz and Tewari).

    The number of learners is fixed beforehand, each has one vote, and the weight of an example for learner i is what
    its vote can still change: an example that is won or lost weighs nothing.

    When to use it: several declared classes, above all with :class:`HoeffdingTree` learners. The default runs one
    booster for each of four edges and lets Hedge weigh them, so that no edge has to be known.

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

    _entry = model_entry("online-mbbm")
    _parameters = (
        LEARNER,
        SIZE.saying("Number of learners for each edge."),
        PRESET,
        parameter(
            "edge",
            [number("[0, 1)"), one_of("auto"), numbers("sequence of these")],
            "How much better than random guessing each learner has to be. Several edges: one booster for each, combined by "
            'Hedge. "auto": (0.3, 0.1, 0.03, 0.01); "paper" and "paper_code": 0.1.',
            to_core=False,
        ),
        parameter(
            "potential",
            one_of("auto", "exact", "pairwise", "recursion", "mc"),
            "How the worth of a vote count is computed: exactly, by the sum over pairs of labels (an upper "
            "bound with the same guarantee, and faster), by its definition (few learners or classes only), or "
            "from random draws (as in the published runs). Auto: pairwise; paper: exact; paper_code: mc.",
        ),
        COSTS,
        WEIGHT_SCALE,
        WEIGHT_TARGET,
        parameter(
            "hedge",
            one_of("vote", "sample", "best"),
            "How boosters for several edges are combined: weighted vote, a keyed draw, or the best so far.",
        ),
        parameter(
            "early_exit",
            FLAG,
            "Skip the learners that can no longer change the prediction. With the exact potential their weight is 0 anyway; "
            "with the pairwise one they would go on learning to separate the labels behind the leader.",
        ),
        parameter(
            "n_draws",
            whole("[1, 1000000]"),
            'Number of draws for each value of ``potential="mc"``.',
        ),
        *OPTIONS,
    )
    _presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "best": {**PRESETS["best"], "edge": (0.3, 0.1, 0.03, 0.01), "potential": "pairwise"},
        "paper": {**PRESETS["paper"], "edge": 0.1, "potential": "exact"},
        "paper_code": {**PRESETS["paper_code"], "edge": 0.1, "potential": "mc"},
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
        weight_scale: str = "auto",
        weight_target: float | str = "auto",
        hedge: str = "vote",
        early_exit: bool = True,
        n_draws: int = 100,
        **options: Unpack[EnsembleOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.preset = preset
        self.edge = edge
        self.potential = potential
        self.costs = costs
        self.weight_scale = weight_scale
        self.weight_target = weight_target
        self.hedge = hedge
        self.early_exit = early_exit
        self.n_draws = n_draws
        self._set_options(options)

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

    def _core_params(self) -> dict[str, Any]:
        slip = self.preset == "paper_code"
        return {**super()._core_params(), "edges": self._edges(), "off_by_one": slip}

    def _bounds(
        self, lanes: Mapping[str, NDArray[Any]], totals: Mapping[str, float], n_learned: int
    ) -> tuple[Bound, ...]:
        if self.preset == "paper_code":
            return ()  # more votes to come than learners: the bound says nothing
        return mbbm_bounds(lanes, totals, n_learned, self._edges(), self._option("potential"))
