"""Online bagging: every learner sees its own random resample of the stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamboost.base.parameter import number, one_of, parameter
from streamboost.catalogue import model_entry
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.options import LEARNER, OPTIONS, SIZE, EnsembleOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack


class OnlineBaggingClassifier(Ensemble):
    r"""Online bagging (Oza and Russell).

    Each learner gets each example k times, k drawn anew from a Poisson distribution of mean 1; the mean of their class
    distributions decides.

    When to use it: to reduce the variance of an unstable learner, for any number of classes, with the least
    risk of making it worse.

    Notes
    -----
    For each learner :math:`h_m` and each example of weight s: :math:`k \sim \mathrm{Poisson}(s)`, then k updates;
    the answer is :math:`\arg\max_c \sum_m P_m(c \mid x)` over the learners that have learned something, and
    the vote's probability the mean of these. With ``ballot="label"``, as in the paper, it is
    :math:`\arg\max_c \sum_m [h_m(x) = c]` and the share of votes.

    References
    ----------
    N. Oza and S. Russell, Online bagging and boosting, AISTATS 2001.

    Examples
    --------
    >>> from streamboost import NaiveBayes, OnlineBaggingClassifier
    >>> model = OnlineBaggingClassifier(NaiveBayes(), n_estimators=10, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.test_then_train(X, y)[-2:].tolist()
    ['low', 'high']
    >>> model.predict_proba([[0.0]]).round(3).tolist()
    [[0.0, 1.0]]
    """

    _entry = model_entry("bagging")
    _parameters = (
        LEARNER,
        SIZE,
        parameter(
            "sampling",
            one_of("poisson", "fraction", "under_over"),
            "Copies drawn from Poisson(1); each example passed on with probability `fraction`; or copies from Poisson(i / N) for "
            "learner i of N, with `class_weight` UnderOverBagging.",
        ),
        parameter(
            "fraction",
            number("(0, 1]"),
            'Share of the examples each learner sees with ``sampling="fraction"``.',
        ),
        parameter(
            "ballot",
            one_of("label", "distribution"),
            "What a learner contributes to the vote: its label, as in the paper, or its class distribution, which is about "
            "as accurate or more so, with far better probabilities.",
        ),
        *OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        sampling: str = "poisson",
        fraction: float = 0.7,
        ballot: str = "distribution",
        **options: Unpack[EnsembleOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.sampling = sampling
        self.fraction = fraction
        self.ballot = ballot
        self._set_options(options)
