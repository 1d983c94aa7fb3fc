"""Naive Bayes for nominal, numeric and mixed columns."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from streamboost.base.params import LearnerPlan
from streamboost.learners.learner import FRACTION, Learner


class NaiveBayes(Learner):
    r"""Naive Bayes, counting nominal values and fitting a normal distribution to numeric ones.

    When to use it: the default. It needs no scaling, takes missing values and new categories as they come, any
    number of classes, and what it knows does not depend on the order of the rows.

    Parameters
    ----------
    alpha : float, default=0
        Pseudo count of each nominal value: 0 is the raw estimate with a floor of 1e-30, 1 is Laplace's.
    var_floor : float, default=1e-3
        Added to the variance of every numeric column; meant for features of size about 1.
    prior_alpha : float, default=1e-2
        Pseudo count of each class in the prior.
    divisor : {"class", "all"}, default="class"
        What means and variances of numeric columns are divided by: the weight of the class, or that of all classes. The
        second is no estimate of anything and depends on the order of the rows; it is here because published figures
        (Chen et al. 2012) fit it.
    feature_fraction : float or None, default=None
        If given, each learner of the ensemble sees its own random subset of this share of the columns.

    Notes
    -----
    With :math:`n_c` the weight of class c, the class with the largest

    .. math:: \ln(n_c + a) + \sum_j \ln P(x_j \mid c)

    wins, where :math:`P(v \mid c) = (N_{cjv} + \alpha) / (N_{cj} + \alpha V_j)` for a nominal value and
    :math:`N(x_j; \mu_{cj}, \sigma^2_{cj} + \text{floor})` for a number. A missing value, or one never learned, is
    skipped.

    References
    ----------
    N. Oza, *Online Ensemble Learning*, PhD thesis, University of California, Berkeley, 2001, section 2.3.

    Examples
    --------
    >>> from streamboost import NaiveBayes, SingleLearnerClassifier
    >>> model = SingleLearnerClassifier(NaiveBayes(alpha=1))
    >>> for colour, taste in [("red", "sweet"), ("green", "sour"), ("red", "sweet")]:
    ...     model.learn_one({"colour": colour}, taste)
    >>> model.predict_one({"colour": "green"})
    'sour'
    """

    _table_name = "naive-bayes"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "var_floor": [Interval(Real, 0, None, closed="left")],
        "prior_alpha": [Interval(Real, 0, None, closed="left")],
        "divisor": [StrOptions({"class", "all"})],
        "feature_fraction": FRACTION,
    }

    def __init__(
        self,
        alpha: float = 0,
        *,
        var_floor: float = 1e-3,
        prior_alpha: float = 1e-2,
        divisor: str = "class",
        feature_fraction: float | None = None,
    ) -> None:
        self.alpha = alpha
        self.var_floor = var_floor
        self.prior_alpha = prior_alpha
        self.divisor = divisor
        self.feature_fraction = feature_fraction

    def _plan(self) -> LearnerPlan:
        return LearnerPlan(
            bank="naive_bayes",
            params={
                "alpha": float(self.alpha),
                "var_floor": float(self.var_floor),
                "prior_alpha": float(self.prior_alpha),
                "divisor": self.divisor,
                "feature_fraction": None if self.feature_fraction is None else float(self.feature_fraction),
            },
            title=type(self).__name__,
            table_name=self._table_name,
            version=self._version,
        )
