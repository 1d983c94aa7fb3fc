"""Linear regression: the scale-free learner with the squared loss."""

from __future__ import annotations

from typing import Any

from streamboost.base.parameter import parameter
from streamboost.catalogue import learner_entry
from streamboost.learners.learner import FEATURE_FRACTION, Learner
from streamboost.learners.linear import DTYPE, FIT_INTERCEPT, LogisticRegression

_OF = {p.name: p for p in LogisticRegression._parameters}


class LinearRegression(Learner):
    r"""Linear regression that needs no tuning: scale-free in columns and targets, weight-aware.

    When to use it: the regressor to begin with, alone or in any ensemble. Units and offsets of the columns and of the target
    do not matter, outliers are pulled in, a missing value counts as the column's mean.

    Notes
    -----
    Rows, rates and steps are those of :class:`LogisticRegression` with the squared loss: with y the target less the running
    mean m over the running deviation s of the targets so far, this one included, and v = 1 in the rates,

    .. math:: z = \langle W, t\rangle, \quad g = y - z, \quad B \leftarrow B + w g^2, \quad
              S = w\,Q\,\kappa\sqrt{n / B}, \quad W \leftarrow W + \frac{g\,(1 - e^{-S})}{Q}\,u .

    The step never passes the target, however large the weight w. The answer is m + s z, kept within the targets seen.
    A draw of k copies is one step of weight k.

    References
    ----------
    N. Karampatziakis, J. Langford, Online importance weight aware updates, UAI 2011.
    S. Ross, P. Mineiro, J. Langford, Normalized online learning, UAI 2013.

    Examples
    --------
    >>> from streamboost import LinearRegression, SingleLearnerRegressor
    >>> model = SingleLearnerRegressor(LinearRegression())
    >>> X = [[i % 7, i % 5] for i in range(500)]
    >>> y = [3.0 * a - 2.0 * b + 100 for a, b in X]
    >>> round(float(model.fit(X, y).predict([[3, 4]])[0]))
    101
    """

    _entry = learner_entry("linear-regression")
    _parameters = (
        FIT_INTERCEPT,
        parameter(
            "learning_rate",
            _OF["learning_rate"].kinds,
            "Size of the steps. 0.1 to 0.5 make little difference; 1 or more for targets that drift.",
        ),
        parameter(
            "learning_rate_spread",
            _OF["learning_rate_spread"].kinds,
            "How far apart the learning rates of an ensemble's learners are: `learning_rate` times 2^(spread o) for learner i, "
            "o = 0, 1, -1, 2, -2 and so on.",
        ),
        parameter(
            "scale",
            _OF["scale"].kinds,
            "Online scaling of numeric columns, by statistics that include the row itself and count every row once, "
            'whatever its weight. "auto" standardises, but leaves alone columns that hold 0 and one other value, and in CSR '
            'rows divides by the largest value seen; "standard" centres the former too.',
        ),
        parameter(
            "clip",
            _OF["clip"].kinds,
            "Values and targets so many standard deviations from their mean are pulled in, from the 20th on; those of columns "
            'with scale="auto". None leaves them.',
        ),
        FEATURE_FRACTION,
        DTYPE,
    )

    def __init__(
        self,
        fit_intercept: bool = True,
        *,
        learning_rate: float = 0.25,
        learning_rate_spread: float = 0.0,
        scale: str = "auto",
        clip: float | None = 5.0,
        feature_fraction: float | None = None,
        dtype: str = "float64",
    ) -> None:
        self.fit_intercept = fit_intercept
        self.learning_rate = learning_rate
        self.learning_rate_spread = learning_rate_spread
        self.scale = scale
        self.clip = clip
        self.feature_fraction = feature_fraction
        self.dtype = dtype

    def _core_params(self) -> dict[str, Any]:
        return {**super()._core_params(), "start": "zero"}
