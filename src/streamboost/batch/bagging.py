"""Bagging of all rows at once: the counterpart of online bagging."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamboost.batch.common import N_PASSES, BatchEnsemble
from streamboost.catalogue import model_entry
from streamboost.ensemble.options import BATCH_OPTIONS, LEARNER, SIZE, BatchOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack


class BaggingClassifier(BatchEnsemble):
    r"""Batch bagging (Breiman) of streamboost's learners: each is trained on a bootstrap sample.

    When to use it: to see what one pass costs, like for like: the same learners and the same vote as
    :class:`OnlineBaggingClassifier`, with all rows at hand.

    Notes
    -----
    For each learner, as many rows as there are are drawn with replacement, with probabilities in proportion to
    `sample_weight`; a row drawn k times is learned as k copies, in the order of the rows. The answer is the class
    with most votes.


    References
    ----------
    L. Breiman, Bagging predictors, Machine Learning 24, 1996. N. Oza, *Online Ensemble Learning*, PhD thesis,
    University of California, Berkeley, 2001, chapter 3.


    Examples
    --------
    >>> from streamboost import BaggingClassifier, NaiveBayes
    >>> model = BaggingClassifier(NaiveBayes(), n_estimators=10, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _entry = model_entry("batch-bagging")
    _parameters = (
        LEARNER,
        SIZE,
        N_PASSES,
        *BATCH_OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        n_passes: int = 1,
        **options: Unpack[BatchOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_passes = n_passes
        self._set_options(options)

    def _params_for(self, n_rows: int) -> dict[str, Any]:
        return {**self._core_params(), "n_rows": n_rows}
