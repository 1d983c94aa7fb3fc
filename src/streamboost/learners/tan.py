"""Bayesian networks over nominal columns: a tree of columns (TAN), or up to two parents each (BAN)."""

from __future__ import annotations

from typing import Any

from streamboost.base.parameter import number, one_of, parameter, whole
from streamboost.catalogue import learner_entry
from streamboost.learners.learner import Learner


class _Network(Learner):
    """Base class of TAN and BAN."""

    relearn: int | str

    def _core_params(self) -> dict[str, Any]:
        return {
            "n_parents": 1,
            **super()._core_params(),
            "relearn": 0 if self.relearn == "query" else int(self.relearn),
        }


class TAN(_Network):
    r"""Tree-augmented naive Bayes: every column depends on the class and on one other column.

    When to use it: nominal columns that depend on each other in pairs, where naive Bayes counts the same evidence twice.
    Numeric columns are refused: cut them into bins, or use :class:`NaiveBayes` or :class:`DecisionStump`.

    Notes
    -----
    The tree is the maximum spanning tree of the conditional mutual information

    .. math:: I(i; j \mid C) = \sum P(x_i, x_j, c) \ln \frac{P(x_i, x_j \mid c)}{P(x_i \mid c)\, P(x_j \mid c)},

    rooted at the first column; the answer is the class with the largest :math:`P(c) \prod_i P(x_i \mid x_{pa(i)}, c)`.
    Counts of all pairs of columns are kept: time per example and memory grow with the square of the number of columns.

    References
    ----------
    N. Friedman, D. Geiger, M. Goldszmidt, Bayesian network classifiers, *Machine Learning* 29 (1997).

    Examples
    --------
    >>> from streamboost import TAN, SingleLearnerClassifier
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 20
    >>> model = SingleLearnerClassifier(TAN(), categorical_features=[0, 1])
    >>> model.fit(X, [0, 1, 1, 0] * 20).predict([[0, 1], [1, 1]])
    array([1, 0])
    """

    _entry = learner_entry("tan")
    _parameters = (
        parameter(
            "smoothing",
            number("[0, inf)"),
            "Weight of the column's marginal distribution in every estimate; 0 takes raw frequencies, with a "
            "floor of 1e-30 and, where the parent's value was never met in a class, the estimate without the "
            "parent.",
        ),
        parameter(
            "relearn",
            [whole("[1, inf)"), one_of("query")],
            "When the tree is chosen anew: after 1, 2, 4, 8, ... examples of a learner and after every "
            '`relearn` of them. "query": after each, so that the model is a function of the counts alone '
            "(lossless) and slower. Probabilities are always read from the present counts.",
            to_core=False,
        ),
    )

    def __init__(self, smoothing: float = 5, *, relearn: int | str = 1000) -> None:
        self.smoothing = smoothing
        self.relearn = relearn


class BAN(_Network):
    r"""Bayesian network of limited dependence: every column depends on the class and on up to two other columns.

    When to use it: nominal columns with dependences that a tree cannot hold, and few columns: with two parents the counts of
    all triples of columns are kept. Numeric columns are refused, as by :class:`TAN`.

    Notes
    -----
    The tree of :class:`TAN`, grown column by column; each column takes, of those that are in the tree before it, one more
    parent: the one with which it shares most information given the class.

    References
    ----------
    M. Sahami, Learning limited dependence Bayesian classifiers, KDD 1996.

    Examples
    --------
    >>> from streamboost import BAN, SingleLearnerClassifier
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 20
    >>> model = SingleLearnerClassifier(BAN(), categorical_features=[0, 1])
    >>> model.fit(X, [0, 1, 1, 0] * 20).predict([[0, 1], [1, 1]])
    array([1, 0])
    """

    _entry = learner_entry("ban")
    _parameters = (
        parameter(
            "n_parents",
            whole("[0, 2]"),
            "Largest number of columns that a column may depend on; 1 is :class:`TAN`, 0 is naive Bayes.",
        ),
        parameter(
            "smoothing",
            number("[0, inf)"),
            "As in :class:`TAN`; with 0, of two parents never met together in a class the weaker one is "
            "dropped first.",
        ),
        parameter(
            "relearn",
            [whole("[1, inf)"), one_of("query")],
            "As in :class:`TAN`.",
            to_core=False,
        ),
    )

    def __init__(self, n_parents: int = 2, *, smoothing: float = 5, relearn: int | str = 1000) -> None:
        self.n_parents = n_parents
        self.smoothing = smoothing
        self.relearn = relearn
