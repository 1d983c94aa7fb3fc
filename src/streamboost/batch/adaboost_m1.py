"""AdaBoost.M1: the counterpart of Oza's online boosting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from streamboost.base.parameter import FLAG, parameter
from streamboost.batch.common import N_PASSES, BatchEnsemble
from streamboost.catalogue import model_entry
from streamboost.ensemble.options import BATCH_OPTIONS, LEARNER, SIZE, BatchOptions
from streamboost.ensemble.oza import OnlineBoostingClassifier

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AdaBoostM1Classifier(BatchEnsemble):
    r"""AdaBoost.M1 (Freund and Schapire) of streamboost's learners.

    Each learner is trained on weights that give the rows its predecessor got wrong half of the total.

    When to use it: to see what one pass costs, like for like: the same learners and the same vote as
    :class:`OnlineBoostingClassifier`, with all rows at hand.

    Notes
    -----
    :math:`D_1 = s / \sum s` with s the `sample_weight`; learner m is trained on weights in proportion to
    :math:`D_m`, and :math:`\epsilon_m` is the share of :math:`D_m` it gets wrong. Right rows are divided by
    :math:`2(1 - \epsilon_m)`, wrong ones by :math:`2\epsilon_m`. A learner with :math:`\epsilon_m \ge 1/2` is dropped
    and ends the training, one with :math:`\epsilon_m = 0` is kept and ends it. The answer is
    :math:`\arg\max_c \sum_{h_m(x) = c} \ln((1 - \epsilon_m) / \epsilon_m)`, :math:`\epsilon` kept above 1e-10; without
    a learner it is the most frequent class.


    References
    ----------
    Y. Freund and R. Schapire, Experiments with a new boosting algorithm, ICML 1996. N. Oza, *Online Ensemble
    Learning*, PhD thesis, University of California, Berkeley, 2001, chapter 4.


    Examples
    --------
    >>> from streamboost import AdaBoostM1Classifier, NaiveBayes
    >>> model = AdaBoostM1Classifier(NaiveBayes(), n_estimators=10)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _entry = model_entry("adaboost-m1")
    _parameters = (
        LEARNER,
        SIZE.saying(
            "Number of learners, at most: boosting stops at a learner that is perfect or no better than a coin."
        ),
        N_PASSES,
        parameter(
            "resample",
            FLAG,
            "Train each learner on as many rows as there are, drawn with replacement by the weights, instead "
            "of on the weights: for learners that take a weight for a longer step (networks).",
        ),
        *BATCH_OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        n_passes: int = 1,
        resample: bool = False,
        **options: Unpack[BatchOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_passes = n_passes
        self.resample = resample
        self._set_options(options)

    def _params_for(self, n_rows: int) -> dict[str, Any]:
        online = {
            **OnlineBoostingClassifier()._core_params(),
            "copies_cap": None,
        }  # of a phase that never comes
        return {**online, **self._core_params(), "n_prime": n_rows, "keep_one": False}

    @property
    def estimator_errors_(self) -> NDArray[np.float64]:
        """Weighted training errors of the learners that were kept, in order."""
        lanes = self._read(lambda session: session.model.report())
        total = lanes["sum_correct"] + lanes["sum_wrong"]
        errors: NDArray[np.float64] = lanes["sum_wrong"][total > 0] / total[total > 0]
        return errors
