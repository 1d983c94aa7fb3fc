"""The regression Hoeffding tree."""

from __future__ import annotations

from typing import Any

from streamboost.base.parameter import NONE, number, one_of, parameter, whole
from streamboost.catalogue import learner_entry
from streamboost.learners.learner import FEATURE_FRACTION, Learner


class HoeffdingTreeRegressor(Learner):
    r"""A regression tree that grows with the stream, with a plane in every leaf.

    When to use it: for targets that are not linear in the columns; alone, or better in a forest
    (:class:`AdaptiveRandomForestRegressor`).

    Notes
    -----
    A leaf splits on the column that reduces the variance of its targets most, once the second best reduces it by less than
    :math:`1 - \epsilon` times as much, :math:`\epsilon = \sqrt{\ln(1/\delta) / 2n}`, or :math:`\epsilon` is below the tie
    threshold.
    Numeric columns are watched in 32 intervals that widen as values come, nominal ones by value, one against the rest. A leaf
    answers with its mean or with its plane, whichever was closer lately; the plane is a ridge regression that bends that of the
    leaf's parent, over the first 32 numeric columns. Answers keep within the targets seen. A missing value goes where most of the
    weight went, and counts as the mean in a plane.

    References
    ----------
    E. Ikonomovska, J. Gama, S. Dzeroski, Learning model trees from evolving data streams,
    *Data Mining and Knowledge Discovery* 23 (2011).
    S. Mastelini, A. de Carvalho, Using dynamical quantization to perform split attempts in online tree regressors,
    *Pattern Recognition Letters* 145 (2021).

    Examples
    --------
    >>> from streamboost import HoeffdingTreeRegressor, SingleLearnerRegressor
    >>> model = SingleLearnerRegressor(HoeffdingTreeRegressor())
    >>> X = [[i % 10] for i in range(2000)]
    >>> model.fit(X, [abs(x - 5.0) for [x] in X]).predict([[1], [5], [9]]).round(1)
    array([4. , 0.3, 4. ])
    """

    _entry = learner_entry("hoeffding-tree-regressor")
    _parameters = (
        parameter(
            "grace_period", number("(0, inf)"), "Weight that a leaf collects between two attempts to split."
        ),
        parameter("delta", number("(0, 1)"), "Probability that a split is chosen wrongly."),
        parameter(
            "tie_threshold",
            number("[0, inf)"),
            "If the bound is below this, the best split is taken even if another is as good.",
        ),
        parameter(
            "min_branch",
            number("[0, 0.5]"),
            "Smallest share of a leaf's weight that each branch of a split must have.",
        ),
        parameter(
            "leaf_prediction",
            one_of("adaptive", "mean", "linear"),
            "What a leaf predicts: its mean, its linear model, or whichever of the two was closer recently.",
        ),
        parameter(
            "ridge",
            number("(0, inf)"),
            "How strongly a leaf's linear model is pulled towards that of its parent, as a number of examples.",
        ),
        parameter(
            "max_features",
            [number("(0, 1]"), one_of("sqrt"), NONE],
            "If given, each node may split on its own random subset of the columns: this share of them, or round(sqrt(d)) + 1.",
            to_core=False,
        ),
        FEATURE_FRACTION,
        parameter("max_depth", [whole("[1, inf)"), NONE], "Leaves at this depth do not split."),
        parameter(
            "max_bytes",
            [whole("[1, inf)"), NONE],
            "Memory limit of a tree in bytes: it stops splitting before it needs more.",
        ),
    )

    def __init__(
        self,
        *,
        grace_period: float = 200.0,
        delta: float = 1e-7,
        tie_threshold: float = 0.05,
        min_branch: float = 0.01,
        leaf_prediction: str = "adaptive",
        ridge: float = 10.0,
        max_features: float | str | None = None,
        feature_fraction: float | None = None,
        max_depth: int | None = None,
        max_bytes: int | None = 2**26,
    ) -> None:
        self.grace_period = grace_period
        self.delta = delta
        self.tie_threshold = tie_threshold
        self.min_branch = min_branch
        self.leaf_prediction = leaf_prediction
        self.ridge = ridge
        self.max_features = max_features
        self.feature_fraction = feature_fraction
        self.max_depth = max_depth
        self.max_bytes = max_bytes

    def _core_params(self) -> dict[str, Any]:
        features = 0.0 if self.max_features == "sqrt" else float(self.max_features or 1)
        return {**super()._core_params(), "max_features": features}
