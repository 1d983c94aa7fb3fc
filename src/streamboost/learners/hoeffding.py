"""Hoeffding trees: decision trees grown from a stream."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from streamboost.base.params import LearnerPlan
from streamboost.learners.learner import FRACTION, Learner

AUTO: dict[str, float] = {"grace_period": 200.0, "delta": 1e-7, "tie_threshold": 0.05}
"""What "auto" means unless an ensemble has its own idea."""

Number = float | str | tuple[float, float]


class HoeffdingTree(Learner):
    r"""A Hoeffding tree (VFDT): splits a leaf once a bound says that the best split is the best.

    When to use it: columns that act together, many classes, nominal and numeric columns in one table, no scaling. As
    a weak learner it is the strongest here, and the most expensive.

    Parameters
    ----------
    grace_period : float, "auto" or (low, high), default="auto"
        Weight that a leaf waits between two attempts to split; "auto" is 200 (multiclass boosters draw it per
        tree). A pair is drawn uniformly, once per tree.
    delta : float, "auto" or (low, high), default="auto"
        Probability of choosing a wrong split; "auto" is 1e-7. A pair is drawn uniformly in its logarithm.
    tie_threshold : float, "auto" or (low, high), default="auto"
        A bound below this splits even if candidates are level; "auto" is 0.05. A pair is drawn as for delta.
    criterion : {"info_gain", "gini"}, default="info_gain"
        Merit of a split.
    leaf_prediction : {"adaptive", "majority", "naive_bayes", "costs"}, default="adaptive"
        What a leaf answers: its most frequent class, naive Bayes on its statistics, whichever of the two was right
        for more weight in this leaf (naive Bayes if they are level), or the class of least cost (for boosters that teach costs).
    n_split_points : int, default=10
        Candidate thresholds of a numeric column, evenly spaced inside the range seen in the leaf.
    nominal_split : {"multiway", "binary"}, default="multiway"
        One branch per value seen, or one value against the rest.
    count_mode : {"weight", "effective"}, default="weight"
        What the bound counts: the weight in the leaf, or the effective number of examples
        :math:`(\sum w)^2 / \sum w^2` seen there, which large or unequal weights do not inflate.
    pass_on : {"all", "seen"}, default="all"
        What the leaves below a new split start with: all the weight of the leaf that was split, or only what it has
        seen itself since it came to be. The second makes smaller trees.
    min_branch : float, default=0.01
        At least two branches must hold more than this share of the weight.
    max_depth : int or None, default=None
        Largest depth of a leaf; 0 never splits.
    max_leaves : int or None, default=None
        Largest number of leaves.
    max_bytes : int or None, default=None
        Memory of one tree. When it is reached, the leaves that promise least (weight outside their majority class)
        stop observing; they keep answering.
    alpha : float, default=1
        Pseudo count of each class in a leaf's probabilities and of each nominal value in naive Bayes leaves.
    var_floor : float, default=1e-6
        Added to the variances in naive Bayes leaves.
    feature_fraction : float or None, default=None
        If given, each tree of the ensemble looks at its own random subset of this share of the columns.

    Notes
    -----
    After every `grace_period` of weight a leaf with two classes compares the merits :math:`G_1 \ge G_2` of the two
    best columns (no split has merit 0) and splits if

    .. math:: G_1 - G_2 > \epsilon \quad\text{or}\quad \epsilon < \tau, \qquad
              \epsilon = \sqrt{\frac{R^2 \ln(1/\delta)}{2 n}},

    with R the binary logarithm of the number of classes in the leaf (1 for Gini). Numeric columns are summarised by
    one normal distribution per class, with the unbiased variance. In naive Bayes leaves a column that has shown a class
    one value only counts 1 for that value and excludes every other. A missing value, or one never learned, takes the
    branch that held the most weight when the node was split.

    References
    ----------
    P. Domingos and G. Hulten, Mining high-speed data streams, KDD 2000.
    J. Gama, R. Rocha and P. Medas, Accurate decision trees for mining high-speed data streams, KDD 2003.

    Examples
    --------
    >>> from streamboost import HoeffdingTree, SingleLearnerClassifier
    >>> from streamboost.learners import tree_text
    >>> model = SingleLearnerClassifier(HoeffdingTree(grace_period=20, delta=0.01))
    >>> for i in range(200):
    ...     model.learn_one({"size": i % 10}, "small" if i % 10 < 4 else "large")
    >>> model.predict_one({"size": 3.2})
    'small'
    >>> print(tree_text(model))
    size <= 3.273: small (weight 80.0 of 80.0)
    size > 3.273: large (weight 120.0 of 120.0)
    """

    _table_name = "hoeffding-tree"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "grace_period": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"}), "array-like"],
        "delta": [Interval(Real, 0, 1, closed="neither"), StrOptions({"auto"}), "array-like"],
        "tie_threshold": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"}), "array-like"],
        "criterion": [StrOptions({"info_gain", "gini"})],
        "leaf_prediction": [StrOptions({"adaptive", "majority", "naive_bayes", "costs"})],
        "n_split_points": [Interval(Integral, 1, 1000, closed="both")],
        "nominal_split": [StrOptions({"multiway", "binary"})],
        "count_mode": [StrOptions({"weight", "effective"})],
        "pass_on": [StrOptions({"all", "seen"})],
        "min_branch": [Interval(Real, 0, 0.5, closed="left")],
        "max_depth": [Interval(Integral, 0, None, closed="left"), None],
        "max_leaves": [Interval(Integral, 1, None, closed="left"), None],
        "max_bytes": [Interval(Integral, 1, None, closed="left"), None],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "var_floor": [Interval(Real, 0, None, closed="left")],
        "feature_fraction": FRACTION,
    }

    def __init__(
        self,
        grace_period: Number = "auto",
        *,
        delta: Number = "auto",
        tie_threshold: Number = "auto",
        criterion: str = "info_gain",
        leaf_prediction: str = "adaptive",
        n_split_points: int = 10,
        nominal_split: str = "multiway",
        count_mode: str = "weight",
        pass_on: str = "all",
        min_branch: float = 0.01,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bytes: int | None = None,
        alpha: float = 1.0,
        var_floor: float = 1e-6,
        feature_fraction: float | None = None,
    ) -> None:
        self.grace_period = grace_period
        self.delta = delta
        self.tie_threshold = tie_threshold
        self.criterion = criterion
        self.leaf_prediction = leaf_prediction
        self.n_split_points = n_split_points
        self.nominal_split = nominal_split
        self.count_mode = count_mode
        self.pass_on = pass_on
        self.min_branch = min_branch
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_bytes = max_bytes
        self.alpha = alpha
        self.var_floor = var_floor
        self.feature_fraction = feature_fraction

    def plan(self, **auto: Number) -> LearnerPlan:
        """Return what the core needs, after checking the parameters.

        An ensemble may pass its own meaning of "auto", such as ``grace_period=(5, 20)``.
        """
        self._validate_params()
        return self._plan(**auto)

    def _plan(self, **auto: Number) -> LearnerPlan:
        params: dict[str, Any] = {
            name: _number(self, name, auto.get(name, default)) for name, default in AUTO.items()
        }
        for name in ("criterion", "leaf_prediction", "nominal_split", "count_mode", "pass_on"):
            params[name] = getattr(self, name)
        for name in ("n_split_points", "max_depth", "max_leaves", "max_bytes"):
            value = getattr(self, name)
            params[name] = None if value is None else int(min(value, 2**62))
        for name in ("min_branch", "alpha", "var_floor", "feature_fraction"):
            value = getattr(self, name)
            params[name] = None if value is None else float(value)
        return LearnerPlan(
            bank="hoeffding",
            params=params,
            title=type(self).__name__,
            table_name=self._table_name,
            version=self._version,
        )


def _number(learner: HoeffdingTree, name: str, auto: Number) -> Any:
    """Resolve "auto", and check a range."""
    value = getattr(learner, name)
    if isinstance(value, str):
        value = auto
    if isinstance(value, Real):
        return float(value)
    ends = np.ascontiguousarray(value, dtype=np.float64)
    least, most = 0.0, 1.0 if name == "delta" else np.inf
    if ends.shape != (2,) or not (least < ends[0] <= ends[1] < most):
        raise ValueError(
            f"The {name!r} parameter of {type(learner).__name__} must be 'auto', a number or a pair (low, high) with "
            f"{least:g} < low <= high < {most:g}. Got {value!r} instead."
        )
    return ends
