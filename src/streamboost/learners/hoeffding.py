"""Hoeffding trees: decision trees grown from a stream."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from streamboost.base.parameter import FLAG, NONE, number, numbers, one_of, parameter, whole
from streamboost.base.params import LearnerPlan
from streamboost.catalogue import learner_entry
from streamboost.learners.learner import FEATURE_FRACTION, Learner

GROWTH: dict[str, dict[str, Any]] = {
    "vfdt": {
        "grace_period": 200.0,
        "delta": 1e-7,
        "tie_threshold": 0.05,
        "nominal_split": "multiway",
        "pass_on": "all",
        "merit_range": "classes",
        "chance_correction": 0.0,
        "null_split": True,
    },
}
GROWTH["quick"] = {
    **GROWTH["vfdt"],
    "grace_period": (5.0, 20.0),
    "delta": (0.01, 0.9),
    "tie_threshold": (0.01, 0.9),
}
GROWTH["varied"] = {**GROWTH["quick"], "nominal_split": "both", "chance_correction": 2.0}
GROWTH["moa"] = {
    **GROWTH["vfdt"],
    "grace_period": 50.0,
    "delta": 0.01,
    "pass_on": "seen",
    "null_split": False,
}
GROWTH["ensemble"] = {
    **GROWTH["moa"],
    "nominal_split": "both",
    "merit_range": "entropy",
    "chance_correction": 2.0,
}
"""How trees grow: what "auto" means for each of these parameters, by the value of ``growth``."""

DEFAULT_GROWTH = "varied"
"""What growth="auto" stands for in an ensemble: the most accurate in docs/results/studies.md."""

NUMBERS = ("grace_period", "delta", "tie_threshold")
"""Parameters that may be drawn per tree."""

Number = float | str | tuple[float, float]


class HoeffdingTree(Learner):
    r"""A Hoeffding tree (VFDT): splits a leaf once a bound says that the best split is the best.

    When to use it: columns that act together, many classes, nominal and numeric columns in one table, no scaling. As
    a weak learner it is the strongest here, and the most expensive.

    Notes
    -----
    After every `grace_period` of weight a leaf with two classes compares the merits :math:`G_1 \ge G_2` of the two
    best columns (no split has merit 0; see `null_split`) and splits if

    .. math:: G_1 - G_2 > \epsilon \quad\text{or}\quad \epsilon < \tau, \qquad
              \epsilon = \sqrt{\frac{R^2 \ln(1/\delta)}{2 n}},

    with R the range of a merit (1 for Gini and the gain ratio). Numeric columns are summarised by
    one normal distribution per class, with the unbiased variance. In naive Bayes leaves a column that has shown a class
    one value only counts 1 for that value and excludes every other. A missing value, or one never learned, takes the
    branch that held the most weight when the node was split.

    References
    ----------
    P. Domingos and G. Hulten, Mining high-speed data streams, KDD 2000.
    J. Gama, R. Rocha and P. Medas, Accurate decision trees for mining high-speed data streams, KDD 2003.
    C. Manapragada, G. Webb and M. Salehi, Extremely fast decision tree, KDD 2018.

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

    _entry = learner_entry("hoeffding-tree")
    _parameters = (
        parameter(
            "grace_period",
            [number("(0, inf)"), one_of("auto"), numbers("pair (low, high)")],
            'Weight that a leaf waits between two attempts to split. A pair is drawn uniformly, once per tree. "auto", here and '
            "below: what `growth` says.",
            to_core=False,
        ),
        parameter(
            "delta",
            [number("(0, 1)"), one_of("auto"), numbers("pair (low, high)")],
            "Probability of choosing a wrong split. A pair is drawn uniformly in its logarithm.",
            to_core=False,
        ),
        parameter(
            "tie_threshold",
            [number("[0, inf)"), one_of("auto"), numbers("pair (low, high)")],
            "If the bound is below this, a leaf splits even if candidates are tied. A pair is drawn as for delta.",
            to_core=False,
        ),
        parameter(
            "growth",
            one_of("auto", *GROWTH),
            'A group of settings for everything that is "auto". "vfdt": as first published (200, 1e-7, 0.05), trees that split '
            'late and with confidence. "quick": (5, 20), (0.01, 0.9), (0.01, 0.9), drawn per tree. "varied": the same, nominal '
            'columns split both ways with a correction for chance. "moa": what MOA\'s adaptive forests use (50, 0.01, 0.05; no '
            'rival where there is one candidate; only weight seen is passed on). "ensemble": these numbers, nominal columns as '
            'in "varied", and the entropy as the range of a merit. "auto" is "varied", and "vfdt" for a tree that stands '
            "alone.",
            to_core=False,
        ),
        parameter(
            "criterion",
            one_of("info_gain", "gain_ratio", "gini"),
            "Merit of a split: information gain, the gain of each column's best candidate over the information of its "
            "branches, or the drop of Gini's index.",
        ),
        parameter(
            "leaf_prediction",
            one_of("adaptive", "majority", "naive_bayes", "costs"),
            "What a leaf predicts: its most frequent class, naive Bayes on its statistics, whichever of the two was right "
            "for more weight in this leaf (naive Bayes if they are equal), or the class of least cost (for boosters that "
            "pass costs to their learners).",
        ),
        parameter(
            "n_split_points",
            whole("[1, 1000]"),
            "Candidate thresholds of a numeric column, evenly spaced inside the range seen in the leaf.",
        ),
        parameter(
            "nominal_split",
            one_of("auto", "multiway", "binary", "both", "grouped"),
            'One branch per value seen, one value against the rest ("binary"), the better of the two ("both"), or two groups of '
            "values: they are sorted by the rate of the class that is most frequent in the leaf, and the best cut is taken (with "
            "two classes no grouping is better). A value the leaf has not seen goes with the heavier group.",
        ),
        parameter(
            "merit_range",
            one_of("auto", "classes", "entropy"),
            "Range of the information gain in the bound: the binary logarithm of the number of classes in the leaf, or its "
            "entropy, at least 1.",
        ),
        parameter(
            "chance_correction",
            [number("[0, inf)"), one_of("auto")],
            "Information gain grows with the number of branches even if a column is uninformative. This many times the gain "
            "that the branches beyond two bring by chance is subtracted.",
        ),
        parameter(
            "null_split",
            [FLAG, one_of("auto")],
            'Whether "no split", with merit 0, competes if only one column has a candidate. If False, such a leaf splits at '
            "its first attempt.",
        ),
        parameter(
            "reevaluate",
            [number("(0, inf)"), NONE],
            "If given, splits are reconsidered (extremely fast decision tree): a leaf splits as soon as its best candidate beats "
            "no split by the bound, inner nodes keep statistics of their own, and after every so much weight an inner node "
            "compares its split with the best one by now, which replaces it and all below if it is better by the bound. If no "
            "candidate beats no split any more, and the bound is below `tie_threshold`, the node becomes a leaf again. For "
            "concepts that change under a tree; it costs memory and time per level.",
        ),
        parameter(
            "max_features",
            [number("(0, 1]"), one_of("sqrt"), NONE],
            "If given, each node may split on its own random subset of the columns: this share of them, or round(sqrt(d)) + 1.",
            to_core=False,
        ),
        parameter(
            "leaf_features",
            one_of("all", "candidates"),
            "With `max_features`: whether the statistics and naive Bayes of a leaf use all columns, or only those it may "
            "split on.",
        ),
        parameter(
            "numeric_observer",
            one_of("gaussian", "histogram"),
            "How the search for splits summarises a numeric column: by a normal distribution per class, or by at most "
            "`n_bins` intervals of about equal weight, exact for a class with no more distinct values than that. Naive Bayes "
            "uses the normal distributions either way.",
            to_core=False,
        ),
        parameter(
            "n_bins",
            whole("[2, 1000]"),
            'Intervals per class, column and leaf with `numeric_observer="histogram"`.',
            to_core=False,
        ),
        parameter(
            "count_mode",
            one_of("weight", "effective"),
            r"What the bound counts: the weight in the leaf, or the effective number of examples :math:`(\sum "
            r"w)^2 / \sum w^2` seen there, which large or unequal weights do not inflate.",
        ),
        parameter(
            "pass_on",
            one_of("auto", "all", "seen"),
            "What the leaves below a new split start with: all the weight of the leaf that was split, or only "
            "what it has seen itself since it came to be. The second makes smaller trees.",
        ),
        parameter(
            "min_branch",
            number("[0, 0.5)"),
            "At least two branches must hold more than this share of the weight.",
        ),
        parameter(
            "max_depth",
            [whole("[0, inf)"), NONE],
            "Largest depth of a leaf; 0 never splits.",
        ),
        parameter(
            "max_leaves",
            [whole("[1, inf)"), NONE],
            "Largest number of leaves.",
        ),
        parameter(
            "max_bytes",
            [whole("[1, inf)"), NONE],
            "Memory limit of one tree in bytes. When it is reached, the least promising leaves (by the weight outside their "
            "majority class) stop collecting statistics but go on predicting. When no leaf is less promising than one that "
            "wants to split, growth stops.",
        ),
        parameter(
            "alpha",
            number("[0, inf)"),
            "Pseudo count of each class in a leaf's probabilities and of each nominal value in naive Bayes "
            "leaves.",
        ),
        parameter(
            "var_floor",
            number("[0, inf)"),
            "Added to the variances in naive Bayes leaves.",
        ),
        FEATURE_FRACTION,
    )

    def __init__(
        self,
        grace_period: Number = "auto",
        *,
        delta: Number = "auto",
        tie_threshold: Number = "auto",
        growth: str = "auto",
        criterion: str = "info_gain",
        leaf_prediction: str = "adaptive",
        n_split_points: int = 10,
        nominal_split: str = "auto",
        merit_range: str = "auto",
        chance_correction: float | str = "auto",
        null_split: bool | str = "auto",
        reevaluate: float | None = None,
        max_features: float | str | None = None,
        leaf_features: str = "all",
        numeric_observer: str = "gaussian",
        n_bins: int = 16,
        count_mode: str = "weight",
        pass_on: str = "auto",
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
        self.growth = growth
        self.criterion = criterion
        self.leaf_prediction = leaf_prediction
        self.n_split_points = n_split_points
        self.nominal_split = nominal_split
        self.merit_range = merit_range
        self.chance_correction = chance_correction
        self.null_split = null_split
        self.reevaluate = reevaluate
        self.max_features = max_features
        self.leaf_features = leaf_features
        self.numeric_observer = numeric_observer
        self.n_bins = n_bins
        self.count_mode = count_mode
        self.pass_on = pass_on
        self.min_branch = min_branch
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_bytes = max_bytes
        self.alpha = alpha
        self.var_floor = var_floor
        self.feature_fraction = feature_fraction

    def plan(self, **auto: Any) -> LearnerPlan:
        """Return what the core needs, after checking the parameters.

        An ensemble may pass its own meaning of "auto", such as ``grace_period=(5, 20)``. It holds for trees that name
        no way to grow, and for "vfdt", whose numbers have always been the ensemble's to choose.
        """
        self._validate_params()
        return self._plan(**auto)

    def _plan(self, **auto: Any) -> LearnerPlan:
        plan = super()._plan()
        group = GROWTH[DEFAULT_GROWTH if self.growth == "auto" else self.growth]
        if self.growth in ("auto", "vfdt"):
            group = {**group, **auto}
        params = {
            name: group[name] if name in group and value == "auto" else value
            for name, value in plan.params.items()
        }
        params |= {name: _number(self, name, group[name]) for name in NUMBERS}
        # 0 is the core's word for the square root
        params["max_features"] = 0.0 if self.max_features == "sqrt" else float(self.max_features or 1)
        params["bins"] = int(self.n_bins) if self.numeric_observer == "histogram" else 0
        if self.max_features is None:
            params["leaf_features"] = "all"
        return replace(plan, params=params)


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
