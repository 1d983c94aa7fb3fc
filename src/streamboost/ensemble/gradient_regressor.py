"""Online gradient boosting of regressors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from streamboost.base.parameter import NONE, number, one_of, parameter
from streamboost.catalogue import model_entry
from streamboost.ensemble.options import REGRESSION_OPTIONS, SIZE, RegressionOptions
from streamboost.ensemble.regressors import REGRESSION_LEARNER, RegressionEnsemble
from streamboost.report import Bound

if TYPE_CHECKING:
    from typing_extensions import Unpack


class OnlineGradientBoostingRegressor(RegressionEnsemble):
    r"""Online gradient boosting (Beygelzimer, Hazan, Kale and Luo).

    The learners form a chain: each corrects the sum of those before it by a step along the slope of the loss.

    When to use it: where one learner is too simple for the target and bagging, which keeps its bias, does not help; for
    losses other than the squared one (medians, quantiles, Huber's); and for its regret bound against the best
    combination of learners.

    Notes
    -----
    Targets are taken about their running mean, B bounds them, and :math:`L` bounds the slope of the loss :math:`\ell`. With
    :math:`y^0 = 0` the answer is :math:`y^N`,

    .. math:: y^i = \mathrm{clip}_B\big((1 - \sigma_i \eta)\, y^{i-1} + \eta\, h_i(x)\big) \quad \text{(span)}, \qquad
              y^i = \tfrac{i - 1}{i + 1}\, y^{i-1} + \tfrac{2}{i + 1}\, h_i(x) \quad \text{(hull)}.

    Learner i learns the target :math:`-r\,\ell'(y^{i-1}) / L` (span; r is B for the squared loss, less for the others), or
    :math:`-B\,\mathrm{sign}\,\ell'(y^{i-1})` with the weight :math:`|\ell'(y^{i-1})| / L` (hull), and :math:`\sigma_i` takes a
    step of size :math:`1 / (L B \sqrt t)` along :math:`\ell'(y^{i-1})\,y^{i-1}` within [0, 1]. When a target leaves [-B, B], B
    doubles from the next example on. ``report()`` compares the loss with the paper's bound against the best constant, for the
    squared loss over the span.

    References
    ----------
    A. Beygelzimer, E. Hazan, S. Kale, H. Luo, Online gradient boosting, NIPS 2015.

    Examples
    --------
    >>> from streamboost import LinearRegression, OnlineGradientBoostingRegressor
    >>> model = OnlineGradientBoostingRegressor(LinearRegression(), n_estimators=10)
    >>> X = [[i % 7, i % 5] for i in range(1000)]
    >>> y = [3.0 * a - 2.0 * b + 100 for a, b in X]
    >>> round(float(model.fit(X, y).predict([[3, 4]])[0]))
    101
    """

    _entry = model_entry("gradient-boosting")
    _parameters = (
        REGRESSION_LEARNER,
        SIZE,
        parameter(
            "loss",
            one_of("squared", "absolute", "huber", "quantile"),
            "The loss that is minimised: the squared error (predicts means), the absolute error (medians), Huber's loss, or "
            "the loss of a quantile.",
        ),
        parameter(
            "domain",
            one_of("span", "hull"),
            "Whether sums of the learners' answers are built (the paper's algorithm 1), or mixtures (algorithm 2).",
        ),
        parameter(
            "learning_rate",
            [number("(0, 1]"), NONE],
            "Step size. None means min(1, 10 ln(N + 1) / N).",
            to_core=False,
        ),
        parameter(
            "delta",
            number("(0, 2]"),
            'With ``loss="huber"``: where it turns linear, in units of the bound B.',
        ),
        parameter("quantile", number("(0, 1)"), 'With ``loss="quantile"``: the quantile to predict.'),
        *REGRESSION_OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        loss: str = "squared",
        domain: str = "span",
        learning_rate: float | None = None,
        delta: float = 0.1,
        quantile: float = 0.5,
        **options: Unpack[RegressionOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.loss = loss
        self.domain = domain
        self.learning_rate = learning_rate
        self.delta = delta
        self.quantile = quantile
        self._set_options(options)

    def _step(self) -> float:
        if self.learning_rate is not None:
            return float(self.learning_rate)
        return min(1.0, 10 * math.log(self.n_estimators + 1) / self.n_estimators)

    def _core_params(self) -> dict[str, Any]:
        return {**super()._core_params(), "learning_rate": self._step()}

    def _bounds(
        self, lanes: Mapping[str, NDArray[Any]], totals: Mapping[str, float], n_learned: int
    ) -> tuple[Bound, ...]:
        weight = totals.get("weight", 0.0)
        if self.loss != "squared" or self.domain != "span" or not weight or "slope_sum" not in lanes:
            return ()
        B, L, N, eta = totals["bound"], totals["slope_bound"], self.n_estimators, self._step()
        best = totals["target_sum"] / weight
        of_best = (totals["target_squares"] - best * totals["target_sum"]) / 2
        norm = max(abs(best) / B, eta)
        # The learners' regret against the best constant in [-B, B], for losses of slope at most 1.
        regret = max(float((lanes["slope_answer_sum"] + B * abs(lanes["slope_sum"])).max()), 0.0)
        allowed = (
            (1 - eta / norm) ** N * totals["loss_of_zero"]
            + 3 * eta * B * B * norm * weight  # B**2 would raise where this is infinite
            + L * norm * regret
            + 2 * L * B * norm * math.sqrt(weight)
        )
        return (
            Bound(
                "regret against the best constant",
                (totals["loss"] - of_best) / weight,
                allowed / weight,
                premise="the bound B of the last example had stood from the first",
                trivial=totals["loss_of_zero"] / weight,
                statement="mean loss of the model less that of the best constant answer, and what theorem 1 allows at most",
            ),
        )
