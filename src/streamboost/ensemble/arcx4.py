"""Online Arc-x4 after Fern and Givan: boosting by counting mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamboost.catalogue import model_entry
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.options import LEARNER, OPTIONS, SIZE, EnsembleOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack


class OnlineArcX4Classifier(Ensemble):
    r"""Online Arc-x4 (Fern and Givan): an example weighs more the more learners got it wrong.

    Nothing is estimated and nothing is drawn: the number of earlier learners that still answer the example wrongly
    after having learned it decides its weight for the next one.

    When to use it: as the plain rival of :class:`OnlineBoostingClassifier`; with learners that take large weights in
    one update. A weight reaches :math:`1 + (n - 1)^4`.

    Notes
    -----
    Learner m learns the example with weight :math:`1 + w^4`, where w counts the learners before it that were wrong
    after their update. The answer is the class with most votes; the vote's probability is the share of votes.


    References
    ----------
    A. Fern and R. Givan, Online ensemble learning: an empirical study, ICML 2000. L. Breiman, Arcing classifiers,
    Annals of Statistics 26, 1998.


    Examples
    --------
    >>> from streamboost import NaiveBayes, OnlineArcX4Classifier
    >>> model = OnlineArcX4Classifier(NaiveBayes(), n_estimators=10)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _entry = model_entry("arc-x4")
    _parameters = (
        LEARNER,
        SIZE,
        *OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        **options: Unpack[EnsembleOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self._set_options(options)
