"""Streaming gradient boosted trees, for two classes and for numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamboost.base.parameter import number, parameter, whole, with_defaults
from streamboost.catalogue import model_entry
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.options import (
    LEARNER,
    OPTIONS,
    REGRESSION_OPTIONS,
    SIZE,
    EnsembleOptions,
    RegressionOptions,
)
from streamboost.ensemble.regressors import RegressionEnsemble
from streamboost.learners import HoeffdingTreeRegressor, Learner

if TYPE_CHECKING:
    from typing_extensions import Unpack

_CHAIN = (
    SIZE.saying("Number of stages of the chain."),
    parameter("learning_rate", number("(0, 1]"), "Shrinkage: the factor on each stage's contribution."),
    parameter(
        "n_bagged",
        whole("[1, 1000]"),
        "Number of learners in a stage: it predicts their mean, and if there is more than one, each learns a row "
        "Poisson(1) times.",
    ),
    parameter(
        "warm_up",
        whole("[0, 100000]"),
        "Number of rows after which the next stage joins the chain, so that each stage corrects what those before it "
        "have learned.",
    ),
)


def _learner(trees: str) -> Any:
    return LEARNER.saying(
        f"The weak learner, a regressor: one of streamboost's own (None means {trees}), or any regressor with "
        "``partial_fit`` and ``predict`` (scikit-learn style) or ``learn_one`` and ``predict_one`` (River style)."
    )


class _Stages:
    """Stages of several learners each."""

    n_estimators: int
    n_bagged: int

    def _set_chain(
        self, estimator: Any, n_estimators: int, learning_rate: float, n_bagged: int, warm_up: int
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.n_bagged = n_bagged
        self.warm_up = warm_up

    def _n_lanes(self) -> int:
        return int(self.n_estimators) * int(self.n_bagged)


class StreamingGradientBoostingClassifier(_Stages, Ensemble):
    r"""Streaming gradient boosted trees (SGBT) for two classes.

    A chain of small regression trees, each of which learns the slope of the log loss at the sum of those before it.

    When to use it: where gradient boosting is what you would use on a table and rows come one by one. Its probabilities are a
    logistic model's; :class:`StreamBoostClassifier` is usually more accurate on streams that change. For more classes put it
    into scikit-learn's ``OneVsRestClassifier``: one chain for each class.

    Notes
    -----
    With :math:`F_0 = 0` and :math:`p_m = 1 / (1 + e^{-F_{m-1}(x)})` tree m learns the target

    .. math:: \frac{y - p_m}{p_m (1 - p_m)}, \quad y \in \{0, 1\},

    cut to [-4, 4], with the weight :math:`4 p_m (1 - p_m)`, and :math:`F_m = F_{m-1} + \eta\, h_m(x)` with its answer of before
    it learned the row. The vote's probability is :math:`1 / (1 + e^{-F_S(x)})`. ADWIN watches every tree and replaces it when it
    misses more than before, as the trees of the paper watch themselves; ``drift=None`` leaves that out.

    References
    ----------
    N. Gunasekara, B. Pfahringer, H. M. Gomes, A. Bifet, Gradient boosted trees for evolving data streams,
    *Machine Learning* 113 (2024).

    Examples
    --------
    >>> from streamboost import StreamingGradientBoostingClassifier
    >>> model = StreamingGradientBoostingClassifier(n_estimators=20, learning_rate=0.1, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 50, ["low", "high", "low", "high"] * 50
    >>> model.partial_fit(X, y, classes=["low", "high"]).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _entry = model_entry("streaming-gradient-boost")
    _parameters = (
        _learner(
            "``HoeffdingTreeRegressor(grace_period=25, delta=0.05, leaf_prediction='mean', feature_fraction=0.75)``"
        ),
        *_CHAIN,
        *with_defaults(OPTIONS, drift="adwin"),
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        learning_rate: float = 0.05,
        n_bagged: int = 1,
        warm_up: int = 1,
        **options: Unpack[EnsembleOptions],
    ) -> None:
        self._set_chain(estimator, n_estimators, learning_rate, n_bagged, warm_up)
        self._set_options(options)

    @classmethod
    def _default_learner(cls) -> Learner:
        return HoeffdingTreeRegressor(
            grace_period=25, delta=0.05, leaf_prediction="mean", feature_fraction=0.75
        )


class StreamingGradientBoostingRegressor(_Stages, RegressionEnsemble):
    r"""Streaming gradient boosted trees of numbers (SGBR).

    A short chain of bags of trees, each of which learns what the sum of those before it has left over.

    When to use it: as a strong single ensemble of trees for targets that are not linear in the columns;
    :class:`StreamBoostRegressor` also pools linear learners and the past of the target.

    Notes
    -----
    Targets are taken about their running mean. With :math:`F_0 = 0` stage m learns the target :math:`y - F_{m-1}(x)`, each of its
    trees Poisson(1) times, and :math:`F_m = F_{m-1} + \eta\, \bar h_m(x)` with the mean of their answers of before they learned
    the row. The answer is :math:`F_S`.

    References
    ----------
    N. Gunasekara, B. Pfahringer, H. M. Gomes, A. Bifet, Gradient boosted trees for evolving data streams,
    *Machine Learning* 113 (2024), and its sequel for regression (2025).

    Examples
    --------
    >>> from streamboost import StreamingGradientBoostingRegressor
    >>> model = StreamingGradientBoostingRegressor(n_estimators=3, random_state=7)
    >>> X = [[i % 10] for i in range(2000)]
    >>> model.fit(X, [abs(x - 5.0) for [x] in X]).predict([[1], [5], [9]]).round(1)
    array([3.8, 0.3, 3.8])
    """

    _entry = model_entry("streaming-gradient-regressor")
    _parameters = (
        _learner("``HoeffdingTreeRegressor(grace_period=50, delta=0.01)``"),
        *_CHAIN,
        *REGRESSION_OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 10,
        learning_rate: float = 0.5,
        n_bagged: int = 10,
        warm_up: int = 20,
        **options: Unpack[RegressionOptions],
    ) -> None:
        self._set_chain(estimator, n_estimators, learning_rate, n_bagged, warm_up)
        self._set_options(options)

    @classmethod
    def _default_learner(cls) -> Learner:
        return HoeffdingTreeRegressor(grace_period=50, delta=0.01)
