"""AdaBoost.M1: the counterpart of Oza's online boosting."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from streamboost.base.params import BoosterPlan
from streamboost.batch.common import BatchEnsemble


class AdaBoostM1Classifier(BatchEnsemble):
    r"""AdaBoost.M1 (Freund and Schapire) of streamboost's learners.

    Each learner is trained on weights that give the rows its predecessor got wrong half of the total.

    When to use it: to see what one pass costs, like for like: the same learners and the same vote as
    :class:`OnlineBoostingClassifier`, with all rows at hand.



    Parameters
    ----------
    estimator : learner, default=None
        The weak learner: one of streamboost's own (None means ``NaiveBayes()``), or any object with ``partial_fit``
        and ``predict`` (scikit-learn style) or ``learn_one`` and ``predict_one`` (River style).
    n_estimators : int, default=100
        Number of learners, at most: boosting stops at a learner that is perfect or no better than a coin.
    n_passes : int, default=1
        Passes over the rows for each learner, for learners that depend on the order (networks).
    resample : bool, default=False
        Train each learner on as many rows as there are, drawn with replacement by the weights, instead of on the weights:
        for learners that take a weight for a longer step (networks).
    random_state : int, RandomState or None, default=None
        Key of all random draws. An integer gives the same model every time; None draws a new key at the start.
    n_jobs : int or None, default=None
        Threads: None is one, -1 as many as the process may use. Answers and state are the same bits for any number.
        Taken when the model starts or is loaded; learners written in Python stay on one thread.
    tie : {"lowest", "random"}, default="lowest"
        Who wins equal votes: the class with the lowest internal code, or a keyed draw.
    categorical_features : array-like or None, default=None
        Nominal columns, as a mask, column numbers or names; in frames and dicts, text, categories and booleans are
        nominal without being named.

    Attributes
    ----------
    classes_ : array
        Labels known so far, sorted.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns, if the first rows had names.
    estimator_errors_ : array
        Weighted training error of each learner that was kept.

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

    _model_name = "adaboost-m1"
    _added_parameters: ClassVar[dict[str, Any]] = {"resample": False}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BatchEnsemble._parameter_constraints,
        "resample": ["boolean"],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        n_passes: int = 1,
        resample: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        tie: str = "lowest",
        categorical_features: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            n_passes=n_passes,
            random_state=random_state,
            n_jobs=n_jobs,
            tie=tie,
            categorical_features=categorical_features,
        )
        self.resample = resample

    def _fit_plan(self, n_rows: int) -> BoosterPlan:
        return BoosterPlan(
            "primed",
            {
                "n_prime": n_rows,
                "n_passes": int(self.n_passes),
                "resample": bool(self.resample),
                "keep_one": False,
            },
        )

    @property
    def estimator_errors_(self) -> NDArray[np.float64]:
        """Weighted training errors of the learners that were kept, in order."""
        lanes = self._fitted().model.report()
        total = lanes["sum_correct"] + lanes["sum_wrong"]
        errors: NDArray[np.float64] = lanes["sum_wrong"][total > 0] / total[total > 0]
        return errors
