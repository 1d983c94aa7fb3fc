"""Naive Bayes for nominal, numeric and mixed columns."""

from __future__ import annotations

from dataclasses import replace

from streamboost.base.parameter import NONE, number, one_of, parameter
from streamboost.base.params import LearnerPlan
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

    On sparse rows (SciPy CSR, LIBSVM) with many columns the work follows what is not zero, with the same answers:
    see `sparse`. For the words of a text `counts` replaces the normal distributions. With :math:`N_{cj}` the weighted
    sum of column j in class c, over d columns, and :math:`O_{cj}` that of all other classes:

    * ``"multinomial"``: :math:`\sum_j x_j \ln (N_{cj} + \alpha) / (\sum_i N_{ci} + \alpha d)`,
    * ``"complement"``: :math:`-\sum_j x_j \ln (O_{cj} + \alpha) / (\sum_i O_{ci} + \alpha d)`, better where classes are
      of very different size,
    * ``"bernoulli"``: :math:`p_{cj}` if the word is there and :math:`1 - p_{cj}` if not, with
      :math:`p_{cj} = (N_{cj} + \alpha) / (n_c + 2 \alpha)` and :math:`N_{cj}` the weight of the rows that have it.

    A missing count is 0.

    References
    ----------
    N. Oza, *Online Ensemble Learning*, PhD thesis, University of California, Berkeley, 2001, section 2.3.
    A. McCallum and K. Nigam, A comparison of event models for naive Bayes text classification, AAAI-98 workshop.
    J. Rennie, L. Shih, J. Teevan and D. Karger, Tackling the poor assumptions of naive Bayes text classifiers, ICML 2003.

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
            [number("[0, inf)"), NONE],
            "Pseudo count of each nominal value, or of each column with `counts`: 0 is the raw estimate with a floor of "
            "1e-30, 1 is Laplace's. None is 0, and 1 with `counts`.",
            to_core=False,
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
        parameter(
            "counts",
            [one_of("multinomial", "complement", "bernoulli"), NONE],
            "If given, columns are counts of 0 or more (words of a text) and are modelled as such; none may be nominal.",
            to_core=False,
        ),
        parameter(
            "sparse",
            one_of("auto", "always", "never"),
            'Whether numeric columns keep the moments of what is not zero, so that the work follows it. "auto": if the first '
            "rows learned are a sparse matrix of 1,000 columns or more. Answers are the same to about 1e-9.",
        ),
        FEATURE_FRACTION,
    )

    def __init__(
        self,
        alpha: float | None = None,
        *,
        var_floor: float = 1e-3,
        prior_alpha: float = 1e-2,
        divisor: str = "class",
        counts: str | None = None,
        sparse: str = "auto",
        feature_fraction: float | None = None,
    ) -> None:
        self.alpha = alpha
        self.var_floor = var_floor
        self.prior_alpha = prior_alpha
        self.divisor = divisor
        self.counts = counts
        self.sparse = sparse
        self.feature_fraction = feature_fraction

    def _plan(self) -> LearnerPlan:
        plan = super()._plan()
        if self.divisor == "all" and (self.counts is not None or self.sparse == "always"):
            other = "sparse='always'" if self.counts is None else f"counts={self.counts!r}"
            raise ValueError(
                f"The 'divisor' parameter of NaiveBayes is 'all', which {other} does not allow; use 'class'."
            )
        if self.counts is None:
            return replace(plan, params={**plan.params, "alpha": 0.0 if self.alpha is None else self.alpha})
        params = {
            "counts": self.counts,
            "alpha": 1.0 if self.alpha is None else self.alpha,
            "prior_alpha": self.prior_alpha,
            "feature_fraction": self.feature_fraction,
        }
        return replace(plan, bank="count_bayes", params=params, counts=True)
