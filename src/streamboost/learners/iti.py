"""Incremental decision trees that lose nothing (ITI)."""

from __future__ import annotations

from streamboost.base.parameter import FLAG, NONE, one_of, parameter, whole
from streamboost.catalogue import learner_entry
from streamboost.learners.learner import Learner


class IncrementalTree(Learner):
    r"""An incremental decision tree (ITI): after every example the tree that a batch learner would build.

    When to use it: small and middling data of which nothing may be wasted, nominal and numeric columns in one table,
    and wherever online and batch learning are compared like for like. It keeps every distinct example, so its memory
    and the cost of an example grow with the stream until `max_bytes` is reached; for long streams take a tree that forgets.

    Notes
    -----
    Tests are binary: "column = value" for nominal, "column < cut" for numeric columns, cuts midway between
    neighbouring values. A node is a leaf if it holds one class or nothing separates its examples. A missing value, or
    one never learned, fails every test on its column. Ties go to the lower column, then to the lower value or cut.

    Lossless for whole weights: any order of the rows that shows classes and nominal values in the same order for the
    first time gives the same tree. Without pruning also proportional: multiplying all weights by a whole number
    changes nothing. With pruning it is not, since description lengths grow with counts.

    With i the weight at a node, x of it outside the majority class, c classes and q candidate tests there, the
    description lengths are

    .. math:: 1 + \log_2 c + x (\log_2 i + \log_2 (c - 1)) \quad\text{and}\quad
              1 + \log_2 q + \text{bits}(\text{true}) + \text{bits}(\text{false}).

    References
    ----------
    P. Utgoff, N. Berkman and J. Clouse, Decision tree induction based on efficient tree restructuring, *Machine
    Learning* 29, 1997. N. Oza, *Online Ensemble Learning*, PhD thesis, University of California, Berkeley, 2001.

    Examples
    --------
    >>> from streamboost import IncrementalTree, SingleLearnerClassifier
    >>> model = SingleLearnerClassifier(IncrementalTree(prune=False))
    >>> for size, colour, taste in [(1, "red", "sweet"), (5, "red", "sour"), (7, "green", "sweet")]:
    ...     model.learn_one({"size": size, "colour": colour}, taste)
    >>> model.predict_one({"size": 5.5, "colour": "red"})
    'sour'
    >>> from streamboost.learners import tree_text
    >>> print(tree_text(model))
    size < 3: sweet (weight 1.0 of 1.0)
    size >= 3
    |   size < 6: sour (weight 1.0 of 1.0)
    |   size >= 6: sweet (weight 1.0 of 1.0)
    """

    _entry = learner_entry("iti")
    _parameters = (
        parameter(
            "metric",
            one_of("gain_ratio", "info_gain", "ks"),
            "The criterion for the best test: gain ratio (information gain over the information of the split itself), "
            "information gain, or the largest difference between two classes in the share that passes the test "
            "(Kolmogorov-Smirnov).",
        ),
        parameter(
            "prune",
            FLAG,
            "Whether a node answers for its subtree where that shortens the description of tree and exceptions "
            "(minimum description length). Nothing is deleted: more data may bring the subtree back.",
        ),
        parameter(
            "max_bytes",
            [whole("[1, inf)"), NONE],
            "Memory limit of the tree in bytes: examples it has no room for are not stored, and a warning says so once. "
            "None: only the ensemble's limit.",
        ),
    )

    def __init__(
        self, metric: str = "gain_ratio", *, prune: bool = True, max_bytes: int | None = None
    ) -> None:
        self.metric = metric
        self.prune = prune
        self.max_bytes = max_bytes
