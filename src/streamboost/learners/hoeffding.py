"""Hoeffding trees: decision trees grown from a stream."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from streamboost.base.parameter import NONE, number, numbers, one_of, parameter, whole
from streamboost.base.params import LearnerPlan
from streamboost.catalogue import learner_entry
from streamboost.learners.learner import FEATURE_FRACTION, Learner

AUTO: dict[str, float] = {"grace_period": 200.0, "delta": 1e-7, "tie_threshold": 0.05}
"""What "auto" means unless an ensemble has its own idea."""

Number = float | str | tuple[float, float]


class HoeffdingTree(Learner):
    r"""A Hoeffding tree (VFDT): splits a leaf once a bound says that the best split is the best.

    When to use it: columns that act together, many classes, nominal and numeric columns in one table, no scaling. As
    a weak learner it is the strongest here, and the most expensive.

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

    _entry = learner_entry("hoeffding-tree")
    _parameters = (
        parameter(
            "grace_period",
            [number("(0, inf)"), one_of("auto"), numbers("pair (low, high)")],
            'Weight that a leaf waits between two attempts to split; "auto" is 200 (multiclass boosters draw '
            "it per tree). A pair is drawn uniformly, once per tree.",
            to_core=False,
        ),
        parameter(
            "delta",
            [number("(0, 1)"), one_of("auto"), numbers("pair (low, high)")],
            'Probability of choosing a wrong split; "auto" is 1e-7. A pair is drawn uniformly in its '
            "logarithm.",
            to_core=False,
        ),
        parameter(
            "tie_threshold",
            [number("[0, inf)"), one_of("auto"), numbers("pair (low, high)")],
            'A bound below this splits even if candidates are level; "auto" is 0.05. A pair is drawn as for '
            "delta.",
            to_core=False,
        ),
        parameter(
            "criterion",
            one_of("info_gain", "gini"),
            "Merit of a split.",
        ),
        parameter(
            "leaf_prediction",
            one_of("adaptive", "majority", "naive_bayes", "costs"),
            "What a leaf answers: its most frequent class, naive Bayes on its statistics, whichever of the two "
            "was right for more weight in this leaf (naive Bayes if they are level), or the class of least "
            "cost (for boosters that teach costs).",
        ),
        parameter(
            "n_split_points",
            whole("[1, 1000]"),
            "Candidate thresholds of a numeric column, evenly spaced inside the range seen in the leaf.",
        ),
        parameter(
            "nominal_split",
            one_of("multiway", "binary"),
            "One branch per value seen, or one value against the rest.",
        ),
        parameter(
            "count_mode",
            one_of("weight", "effective"),
            r"What the bound counts: the weight in the leaf, or the effective number of examples :math:`(\sum "
            r"w)^2 / \sum w^2` seen there, which large or unequal weights do not inflate.",
        ),
        parameter(
            "pass_on",
            one_of("all", "seen"),
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
            "Memory of one tree. When it is reached, the leaves that promise least (weight outside their "
            "majority class) stop observing; they keep answering.",
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
        plan = super()._plan()
        drawn = {name: _number(self, name, auto.get(name, usual)) for name, usual in AUTO.items()}
        return replace(plan, params={**plan.params, **drawn})


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
