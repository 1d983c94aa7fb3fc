"""Decision stumps: trees of one test."""

from __future__ import annotations

from streamboost.base.parameter import one_of, parameter, whole
from streamboost.catalogue import learner_entry
from streamboost.learners.learner import FEATURE_FRACTION, Learner


class DecisionStump(Learner):
    r"""One test on the most informative column: one leaf per nominal value, or two leaves around a numeric cut.

    When to use it: the classic partner of boosting. It takes missing values, new categories and any number of classes,
    is fast to ask, and says which column it uses. What it knows does not depend on the order of the rows.

    Notes
    -----
    The column and cut with the largest information gain

    .. math:: H(N_1, \dots, N_k) - \sum_{\text{leaves}} \frac{n}{N} H(n_1, \dots, n_k)

    wins, H the entropy of the weighted class counts; among equals (to 1e-10) the first column and the lowest cut. A leaf
    answers with its majority; a missing value, or one never learned, with the majority of all rows.

    References
    ----------
    N. Oza, *Online Ensemble Learning*, PhD thesis, University of California, Berkeley, 2001, section 2.3.

    Examples
    --------
    >>> from streamboost import DecisionStump, SingleLearnerClassifier
    >>> model = SingleLearnerClassifier(DecisionStump())
    >>> for size, taste in [(1.0, "sour"), (3.0, "sweet"), (1.5, "sour"), (2.5, "sweet")]:
    ...     model.learn_one({"size": size}, taste)
    >>> model.predict_one({"size": 2.1})
    'sweet'
    """

    _entry = learner_entry("stump")
    _parameters = (
        parameter(
            "numeric",
            one_of("bins", "exact"),
            'How the values of a numeric column are kept. "exact" keeps every distinct value, and each example '
            'costs time in proportion to them; "bins" keeps at most `max_bins` intervals by merging the '
            "neighbours that hold the fewest examples. Up to `max_bins` distinct values the two are the same. The memory "
            'of "exact" has no limit: an ensemble refuses to be given one with it.',
        ),
        parameter(
            "max_bins",
            whole("[2, 1048576]"),
            'Largest number of intervals per numeric column with ``numeric="bins"``.',
        ),
        FEATURE_FRACTION,
    )

    def __init__(
        self,
        numeric: str = "bins",
        *,
        max_bins: int = 64,
        feature_fraction: float | None = None,
    ) -> None:
        self.numeric = numeric
        self.max_bins = max_bins
        self.feature_fraction = feature_fraction
