"""Online bagging of regressors, and one regressor alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamboost.base.parameter import number, one_of, parameter
from streamboost.catalogue import model_entry
from streamboost.ensemble.options import REGRESSION_OPTIONS, SIZE, RegressionOptions
from streamboost.ensemble.regressors import REGRESSION_LEARNER, RegressionEnsemble

if TYPE_CHECKING:
    from typing_extensions import Unpack


class OnlineBaggingRegressor(RegressionEnsemble):
    r"""Online bagging (Oza and Russell) of regressors.

    Each learner gets each example k times, k drawn anew from a Poisson distribution; their mean or median is the answer.

    When to use it: to reduce the variance of an unstable regressor, with the least risk of making it worse.

    Notes
    -----
    For each learner :math:`h_m` and each example of weight s: :math:`k \sim \mathrm{Poisson}(s r)`, r the `poisson_rate`, then k
    updates. The answer is the mean of :math:`h_m(x)`, or their lower median, over the learners that have learned something.

    References
    ----------
    N. Oza and S. Russell, Online bagging and boosting, AISTATS 2001.

    Examples
    --------
    >>> from streamboost import LinearRegression, OnlineBaggingRegressor
    >>> model = OnlineBaggingRegressor(LinearRegression(), n_estimators=10, random_state=7)
    >>> X = [[i % 7, i % 5] for i in range(500)]
    >>> y = [3.0 * a - 2.0 * b + 100 for a, b in X]
    >>> round(float(model.fit(X, y).predict([[3, 4]])[0]))
    101
    """

    _entry = model_entry("bagging-regressor")
    _parameters = (
        REGRESSION_LEARNER,
        SIZE,
        parameter(
            "sampling",
            one_of("poisson", "fraction"),
            "Copies drawn from Poisson(`poisson_rate`), or each example passed on with probability `fraction`.",
        ),
        parameter(
            "fraction",
            number("(0, 1]"),
            'Share of the examples each learner sees with ``sampling="fraction"``.',
        ),
        parameter("poisson_rate", number("(0, inf)"), "Mean number of copies; 6 is leveraging bagging."),
        parameter(
            "combine",
            one_of("mean", "median"),
            "How the learners' predictions are combined: by their mean, or by their median, which is robust to a few that "
            "are far off.",
        ),
        *REGRESSION_OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        sampling: str = "poisson",
        fraction: float = 0.7,
        poisson_rate: float = 1.0,
        combine: str = "mean",
        **options: Unpack[RegressionOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.sampling = sampling
        self.fraction = fraction
        self.poisson_rate = poisson_rate
        self.combine = combine
        self._set_options(options)


class SingleLearnerRegressor(RegressionEnsemble):
    r"""One regressor, no ensemble.

    When to use it: as the baseline that an ensemble has to beat, or to use the learner itself with the methods, files and
    checks of the ensembles.

    Notes
    -----
    The learner gets every example with its weight, once.

    Examples
    --------
    >>> from streamboost import LinearRegression, SingleLearnerRegressor
    >>> model = SingleLearnerRegressor(LinearRegression())
    >>> model.fit([[0.0], [1.0], [2.0]] * 100, [1.0, 3.0, 5.0] * 100).predict([[1.5]]).round(1)
    array([4.])
    """

    _entry = model_entry("single-regressor")
    _parameters = (REGRESSION_LEARNER, *REGRESSION_OPTIONS)

    def __init__(
        self,
        estimator: Any = None,
        **options: Unpack[RegressionOptions],
    ) -> None:
        self.estimator = estimator
        self._set_options(options)

    def _n_lanes(self) -> int:
        return 1

    def _core_params(self) -> dict[str, Any]:
        return {"sampling": "all", "fraction": 1.0, "poisson_rate": 1.0, "combine": "mean"}
