"""Adaptive online boosting for several classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import NDArray

from streamboost.base.parameter import one_of, parameter
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
from streamboost.report import Bound, olm_bounds

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AdaBoostOLMClassifier(MulticlassBooster):
    r"""Adaptive online multiclass boosting (Adaboost.OLM; Jung, Goetz and Tewari).

    Each learner's vote is weighted by gradient descent on a loss of the votes before it, and Hedge chooses how many
    of the learners to listen to. Nothing has to be known about the learners' quality.

    When to use it: several declared classes and learners of unequal or unknown quality. With one known edge and
    many learners :class:`OnlineMBBMClassifier` is often a little more accurate.

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

    _entry = model_entry("adaboost-olm")
    _parameters = (
        LEARNER,
        SIZE,
        PRESET,
        parameter(
            "loss",
            one_of("logistic", "exponential", "squared_hinge"),
            "Loss of the votes. The guarantees are best for the logistic one.",
        ),
        parameter(
            "gradient",
            one_of("auto", "true", "paper_code"),
            "The derivative of the loss, or the expression that the published code has in its place for right "
            "answers. Auto: true; paper_code: paper_code.",
        ),
        parameter(
            "step",
            one_of("theory", "binary"),
            r"Step of the descent: :math:`2\sqrt 2 / ((k-1)\sqrt t)` (logistic), or :math:`4 / ((k-1)\sqrt t)` "
            r"as in the two-class algorithm.",
        ),
        COSTS,
        WEIGHT_SCALE,
        WEIGHT_TARGET,
        parameter(
            "hedge",
            one_of("vote", "sample", "best"),
            "How the prefixes are combined: weighted vote, a keyed draw (the one with a guarantee), or the "
            "best so far.",
        ),
        *OPTIONS,
    )
    _presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "best": {**PRESETS["best"], "gradient": "true"},
        "paper": {**PRESETS["paper"], "gradient": "true"},
        "paper_code": {**PRESETS["paper_code"], "gradient": "paper_code"},
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        preset: str = "best",
        loss: str = "logistic",
        gradient: str = "auto",
        step: str = "theory",
        costs: str = "auto",
        weight_scale: str = "auto",
        weight_target: float | str = "auto",
        hedge: str = "vote",
        **options: Unpack[EnsembleOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.preset = preset
        self.loss = loss
        self.gradient = gradient
        self.step = step
        self.costs = costs
        self.weight_scale = weight_scale
        self.weight_target = weight_target
        self.hedge = hedge
        self._set_options(options)

    def _bounds(
        self, lanes: Mapping[str, NDArray[Any]], totals: Mapping[str, float], n_learned: int
    ) -> tuple[Bound, ...]:
        return olm_bounds(lanes, totals, n_learned, self.loss, self._option("gradient"), self.step)
