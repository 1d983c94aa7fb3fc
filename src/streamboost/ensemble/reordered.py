"""Online boosting that reorders its learners for every example: ADOB and BOLE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamboost.base.parameter import one_of, parameter, with_defaults
from streamboost.catalogue import model_entry
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.options import LEARNER, OPTIONS, SIZE, EnsembleOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack


class ReorderedBoostingClassifier(Ensemble):
    r"""Boosting in a changing order (ADOB, BOLE; de Barros, Santos et al.), for streams that change.

    The learner that was right least often meets an example first; after a right answer the best that is left comes next, after a
    wrong one the worst. Learners that have lost track get the examples that they need, and recover sooner.

    When to use it: to compare with the published algorithms, or with few cheap learners on streams that change often. Every
    learner may follow any other, so the model runs on one thread. :class:`StreamBoostClassifier` is more accurate.

    Notes
    -----
    With :math:`\lambda = s` at first and T the examples so far, learner i gets Poisson(:math:`\lambda`) copies, and by its
    answer of before

    .. math:: \text{right:}\; c_i \mathrel{+}= \lambda,\ \lambda \leftarrow \lambda T / (2 c_i), \qquad
              \text{wrong:}\; w_i \mathrel{+}= \lambda,\ \lambda \leftarrow \lambda T / (2 w_i).

    Learners with :math:`\epsilon_i = w_i / (c_i + w_i) \le 1/2` vote :math:`\log((1 - \epsilon_i) / \epsilon_i)`. A guard
    watches each of them; BOLE's is the quick DDM that is the default here, ADOB's is ``drift="adwin"``.

    References
    ----------
    S. Santos, P. Goncalves, G. Silva, R. de Barros, Speeding up recovery from concept drifts, ECML PKDD 2014.
    R. de Barros, S. Santos, P. Goncalves, A boosting-like online learning ensemble, IJCNN 2016.

    Examples
    --------
    >>> from streamboost import NaiveBayes, ReorderedBoostingClassifier
    >>> model = ReorderedBoostingClassifier(NaiveBayes(), random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.partial_fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _entry = model_entry("reordered-boost")
    _parameters = (
        LEARNER,
        SIZE,
        parameter(
            "method",
            one_of("bole", "adob"),
            "Which learners vote: all that are right more often than not (BOLE), or those before the first that is not "
            "(ADOB).",
        ),
        parameter(
            "ballot",
            one_of("label", "distribution"),
            "What a learner contributes to the vote: its label, or its class distribution.",
        ),
        *with_defaults(OPTIONS, drift="ddm(warm_start=7, warning_threshold=1.2, drift_threshold=1.95)"),
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 10,
        method: str = "bole",
        ballot: str = "distribution",
        **options: Unpack[EnsembleOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.method = method
        self.ballot = ballot
        self._set_options(options)
