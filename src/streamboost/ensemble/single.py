"""One weak learner with the interface of an ensemble: the baseline of every table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamboost.base.params import LearnerPlan
from streamboost.catalogue import model_entry
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.options import LEARNER, OPTIONS, EnsembleOptions
from streamboost.learners import HoeffdingTree
from streamboost.learners.hoeffding import GROWTH

if TYPE_CHECKING:
    from typing_extensions import Unpack


class SingleLearnerClassifier(Ensemble):
    r"""One weak learner, no ensemble.

    When to use it: as the baseline that an ensemble has to beat, or to use the learner itself with the methods, files and
    checks of the ensembles.

    Notes
    -----
    The learner gets every example with its weight, once.

    Examples
    --------
    >>> from streamboost import NaiveBayes, SingleLearnerClassifier
    >>> model = SingleLearnerClassifier(NaiveBayes())
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _entry = model_entry("single")
    _parameters = (
        LEARNER,
        *OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        **options: Unpack[EnsembleOptions],
    ) -> None:
        self.estimator = estimator
        self._set_options(options)

    def _n_lanes(self) -> int:
        return 1

    def _learner_plan(self, seed: int) -> LearnerPlan:
        if not isinstance(self.estimator, HoeffdingTree):
            return super()._learner_plan(seed)
        # One tree alone has no others that make up for a split made too early.
        return self._within_memory(self.estimator.plan(**GROWTH["vfdt"]))
