"""Adaptive online boosting for two classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from streamboost.base.parameter import one_of, parameter
from streamboost.catalogue import model_entry
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.options import LEARNER, OPTIONS, SIZE, EnsembleOptions
from streamboost.report import Bound, adaboost_ol_bounds

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AdaBoostOLClassifier(Ensemble):
    r"""AdaBoost.OL and AdaBoost.OL.W for two classes: online boosting without a parameter to guess.

    Each learner's weight in the vote follows its success, down to negative weights for learners that are worse than
    guessing; the answer comes from the best prefixes of the ensemble.

    When to use it: when nothing is known about the learners' edges, or when they differ much from each other.

    Notes
    -----
    With :math:`z_i = y\,h_i(x)`, :math:`s_0 = 0` and t the number of the example:

    .. math:: w_i = \frac{1}{1 + e^{s_{i-1}}},\quad s_i = s_{i-1} + \alpha_i z_i,\quad
              \alpha_i \leftarrow \Bigl[\alpha_i + \frac{4}{\sqrt t}\,\frac{z_i}{1 + e^{s_i}}\Bigr]_{-2}^{2}.

    Expert i answers with the sign of :math:`\sum_{j \le i} \alpha_j h_j(x)`; its share in the answer is proportional to
    :math:`e^{-\text{mistakes}}`. The vote's probability is the share of the experts, and with ``hedge="full"`` the logistic
    function of the whole vote.

    References
    ----------
    A. Beygelzimer, S. Kale and H. Luo, Optimal and adaptive algorithms for online boosting, ICML 2015.

    Examples
    --------
    >>> from streamboost import AdaBoostOLClassifier, NaiveBayes
    >>> model = AdaBoostOLClassifier(NaiveBayes(), n_estimators=10, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.partial_fit(X, y, classes=["low", "high"]).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    >>> model.report().broken()
    ()
    """

    _entry = model_entry("adaboost-ol")
    _parameters = (
        LEARNER,
        SIZE,
        parameter(
            "weighting",
            one_of("sampling", "importance"),
            "Learners see the example with probability :math:`w_i` (AdaBoost.OL), or with weight :math:`w_i` "
            "(AdaBoost.OL.W).",
        ),
        parameter(
            "hedge",
            one_of("vote", "sample", "best", "full"),
            "How the prediction is made: by the weighted majority of the prefixes, one drawn at random (as in the paper), "
            "the one with the fewest mistakes so far, or the whole ensemble.",
        ),
        parameter(
            "hypothesis",
            one_of("real", "sign"),
            "Whether a learner's prediction is its confidence in [-1, 1] or its sign.",
        ),
        *OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        weighting: str = "sampling",
        hedge: str = "vote",
        hypothesis: str = "real",
        **options: Unpack[EnsembleOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.weighting = weighting
        self.hedge = hedge
        self.hypothesis = hypothesis
        self._set_options(options)

    def _bounds(
        self, lanes: Mapping[str, NDArray[Any]], totals: Mapping[str, float], n_learned: int
    ) -> tuple[Bound, ...]:
        return adaboost_ol_bounds(lanes, totals, n_learned)
