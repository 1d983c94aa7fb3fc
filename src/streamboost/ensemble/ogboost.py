"""Online gradient boosting for two classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamboost.base.parameter import number, one_of, parameter, whole
from streamboost.catalogue import model_entry
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.options import LEARNER, OPTIONS, SIZE, EnsembleOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack


class OGBoostClassifier(Ensemble):
    r"""Online GradientBoost (OGBoost) for two classes.

    Selectors descend a loss one after the other; each selector holds several candidates and answers with the one that has
    erred least. The loss decides how an example's weight falls as it becomes safe.

    When to use it: noisy labels, with ``loss="savage"`` or ``"doom"``, which let go of hopeless examples; linear learners.
    With naive Bayes it is often worse than a single learner. No guarantee is known for streams.

    Notes
    -----
    With :math:`F_0 = 0` and loss l: selector m learns with weight :math:`w_m = -l'(y F_{m-1})`; each candidate adds
    :math:`w_m` to its error if it is wrong after learning; the candidate with the least error answers
    :math:`f_m`, and :math:`F_m = F_{m-1} + \nu f_m`. The answer is the sign of :math:`F_M`; the vote's probability is
    :math:`1 / (1 + e^{-F})` for the logistic loss and :math:`1 / (1 + e^{-2F})` for the others.

    References
    ----------
    C. Leistner, A. Saffari, P. M. Roth and H. Bischof, On robustness of on-line boosting: a competitive study, ICCV
    workshops 2009.

    Examples
    --------
    >>> from streamboost import OGBoostClassifier, NaiveBayes
    >>> model = OGBoostClassifier(NaiveBayes(), n_estimators=10, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.partial_fit(X, y, classes=["low", "high"]).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    >>> model.report().broken()
    ()
    """

    _entry = model_entry("ogboost")
    _parameters = (
        LEARNER,
        SIZE.saying("Number of selectors."),
        parameter(
            "n_candidates",
            whole("[1, inf)"),
            "Number of learners in each selector.",
        ),
        parameter(
            "loss",
            one_of("logistic", "exponential", "hinge", "doom", "savage"),
            'The loss of the margin. "doom" and "savage" are bounded, and therefore robust to false labels.',
        ),
        parameter(
            "shrinkage",
            number("(0, 1]"),
            "Shrinkage: the factor on each selector's contribution.",
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
        n_candidates: int = 1,
        loss: str = "logistic",
        shrinkage: float = 1.0,
        hypothesis: str = "real",
        **options: Unpack[EnsembleOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_candidates = n_candidates
        self.loss = loss
        self.shrinkage = shrinkage
        self.hypothesis = hypothesis
        self._set_options(options)

    def _n_lanes(self) -> int:
        return int(self.n_estimators) * int(self.n_candidates)
