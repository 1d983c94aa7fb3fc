"""Online boost-by-majority for two classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import NDArray

from streamboost.base.parameter import number, one_of, parameter
from streamboost.catalogue import model_entry
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.options import LEARNER, OPTIONS, SIZE, EnsembleOptions
from streamboost.report import Bound, bbm_bounds

if TYPE_CHECKING:
    from typing_extensions import Unpack


class OnlineBBMClassifier(Ensemble):
    r"""Online boost-by-majority (Online BBM) for two classes.

    Each example is weighted by how much one more right answer would matter for the majority of all learners, if those
    still to come were coins of a known bias. Hopeless examples and safe ones weigh little.

    When to use it: when the learners' edge is roughly known; with perceptrons it is the strongest of the binary boosters
    here on most small sets. An odd number of learners avoids ties.

    Notes
    -----
    With :math:`h_i(x) \in \{-1, +1\}`, :math:`p = (1 + \text{edge}) / 2`, s the votes for minus those against the label
    before learner i, :math:`n = N - i` and :math:`k = \lfloor (n - s + 1) / 2 \rfloor`:

    .. math:: w_i \propto \binom{n}{k} p^k (1 - p)^{n - k},

    divided by its largest value over k. The answer is the majority; the vote's probability is the share of votes.

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

    _entry = model_entry("online-bbm")
    _trace_label: ClassVar[str] = "what is promised if every learner keeps its edge"
    _parameters = (
        LEARNER,
        SIZE,
        parameter(
            "edge",
            number("(0, 1)"),
            "The correlation of each learner with the label that is counted on: an error of (1 - edge) / 2 on "
            "the weighted examples. Other programs state half of it.",
        ),
        parameter(
            "weighting",
            one_of("importance", "sampling"),
            "Whether learners get the example with its weight, or the whole example with that probability (as in the paper).",
        ),
        *OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        edge: float = 0.05,
        weighting: str = "importance",
        **options: Unpack[EnsembleOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.edge = edge
        self.weighting = weighting
        self._set_options(options)

    def _bounds(
        self, lanes: Mapping[str, NDArray[Any]], totals: Mapping[str, float], n_learned: int
    ) -> tuple[Bound, ...]:
        return bbm_bounds(lanes, totals, float(self.edge))
