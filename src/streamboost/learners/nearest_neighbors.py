"""Nearest neighbours among the last examples."""

from __future__ import annotations

from streamboost.base.parameter import parameter, whole
from streamboost.catalogue import learner_entry
from streamboost.learners.learner import Learner


class NearestNeighbors(Learner):
    r"""Nearest neighbours: the classes of the closest rows among the last ones learned.

    When to use it: classes that are clouds of any form, in few columns that all matter, moving or not; beside other learners
    rather than instead of them. It forgets by itself: a row that has left the window is gone.

    Notes
    -----
    Distances are squared differences of numeric columns, each standardised by its running mean and deviation, plus 2 for every
    nominal column whose values differ. Missing numbers count as the mean; a missing or new value differs from all. With the
    weights w and distances d of the closest `n_neighbors` rows, the largest of them D, and K classes

    .. math:: v = w\,e^{-3 d / D}, \qquad p(c) = \frac{\sum v\,[y = c] + 1 / K}{\sum v + 1} .

    A row learned with weight w, or w copies of it, is one row of weight w. Of rows with more than 4,000 columns fewer than
    `window` are kept: 32 megabytes per learner.

    References
    ----------
    T. Cover, P. Hart, Nearest neighbor pattern classification, *IEEE Transactions on Information Theory* 13 (1967).

    Examples
    --------
    >>> from streamboost import NearestNeighbors, SingleLearnerClassifier
    >>> model = SingleLearnerClassifier(NearestNeighbors(n_neighbors=3))
    >>> model.fit([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 10, [0, 1, 1, 0] * 10).predict([[0.1, 0.9], [0.9, 0.8]])
    array([1, 0])
    """

    _entry = learner_entry("nearest-neighbors")
    _parameters = (
        parameter("n_neighbors", whole("[1, 1000]"), "Number of neighbours."),
        parameter("window", whole("[1, 1000000]"), "Number of recent rows that are kept."),
    )

    def __init__(self, n_neighbors: int = 5, *, window: int = 1000) -> None:
        self.n_neighbors = n_neighbors
        self.window = window
