"""What scikit-learn's conformance checks cannot ask of a learner of streams."""

from __future__ import annotations

from typing import Any

from streamboost.ensemble import SingleLearnerClassifier
from streamboost.learners import NaiveBayes

_ORDER = (
    "A stream learner depends on the order of its rows and draws by example number: k rows of weight 1 are k "
    "examples, one row of weight k is one, so repetition and weighting agree in expectation, not bit for bit."
)
_EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": _ORDER,
    "check_sample_weight_equivalence_on_sparse_data": _ORDER,
}


def expected_failed_checks(estimator: Any) -> dict[str, str]:
    """Return the checks of `sklearn.utils.estimator_checks` that cannot pass, with the reason for each.

    Pass the result as ``check_estimator(..., expected_failed_checks=...)``. There are at most two, both about
    trading repetition for weight, which is not a symmetry of an order-dependent learner; a single naive Bayes only
    counts, and passes them.

    Parameters
    ----------
    estimator : estimator
        Any ensemble of streamboost.

    Returns
    -------
    dict of str to str
        Name of the check -> reason.
    """
    counts = isinstance(estimator, SingleLearnerClassifier) and isinstance(
        estimator.estimator, NaiveBayes | type(None)
    )
    return {} if counts else dict(_EXPECTED)


__all__ = ["expected_failed_checks"]
