"""Naive Bayes for nominal, numeric and mixed columns."""

from __future__ import annotations

from streamboost.base.parameter import number, one_of, parameter
from streamboost.catalogue import learner_entry
from streamboost.learners.learner import FEATURE_FRACTION, Learner


class NaiveBayes(Learner):
    r"""Naive Bayes, counting nominal values and fitting a normal distribution to numeric ones.

    When to use it: the default. It needs no scaling, takes missing values and new categories as they come, any
    number of classes, and what it knows does not depend on the order of the rows.

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

    _entry = learner_entry("naive-bayes")
    _parameters = (
        parameter(
            "alpha",
            number("[0, inf)"),
            "Pseudo count of each nominal value: 0 is the raw estimate with a floor of 1e-30, 1 is Laplace's.",
        ),
        parameter(
            "var_floor",
            number("[0, inf)"),
            "Added to the variance of every numeric column; meant for features of size about 1.",
        ),
        parameter(
            "prior_alpha",
            number("[0, inf)"),
            "Pseudo count of each class in the prior.",
        ),
        parameter(
            "divisor",
            one_of("class", "all"),
            "What means and variances of numeric columns are divided by: the weight of the class, or that of "
            "all classes. The second is no estimate of anything and depends on the order of the rows; it is "
            "here because published figures (Chen et al. 2012) fit it.",
        ),
        FEATURE_FRACTION,
    )

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
