"""Online boosting after Oza: an AdaBoost of streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamboost.base.parameter import NONE, number, one_of, parameter, whole
from streamboost.catalogue import model_entry
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.options import LEARNER, OPTIONS, SIZE, EnsembleOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

DEFAULT_COPIES_CAP = 10
"""Measured on the thesis' data sets: see the page on online boosting."""


class OnlineBoostingClassifier(Ensemble):
    r"""Online boosting (Oza and Russell), with the semantics of Oza's thesis.

    An example travels along the learners with a weight that grows where it is answered wrongly and shrinks where it
    is answered rightly, so that each learner sees the two kinds in equal parts.

    When to use it: to turn many weak learners into a strong one, for any number of classes. On noisy labels prefer
    bagging or :class:`OSBoostClassifier`, whose weights stay bounded.

    Notes
    -----
    With :math:`\lambda = 1` at the first learner, learner m draws :math:`k \sim \mathrm{Poisson}(\lambda)`, learns k
    copies and is tested on the example; then

    .. math:: \text{right: } s^c_m \mathrel{+}= \lambda,\ \lambda \leftarrow \lambda\,\frac{s^c_m + s^w_m}{2 s^c_m};
              \qquad
              \text{wrong: } s^w_m \mathrel{+}= \lambda,\ \lambda \leftarrow \lambda\,\frac{s^c_m + s^w_m}{2 s^w_m}.

    The answer is :math:`\arg\max_c \sum_{m \le L,\ h_m(x) = c} \ln((1 - \epsilon_m) / \epsilon_m)` with
    :math:`\epsilon_m = s^w_m / (s^c_m + s^w_m)` and L the last learner before the first with an error above 1/2.

    References
    ----------
    N. Oza, *Online Ensemble Learning*, PhD thesis, University of California, Berkeley, 2001, chapter 4.

    Examples
    --------
    >>> from streamboost import NaiveBayes, OnlineBoostingClassifier
    >>> model = OnlineBoostingClassifier(NaiveBayes(), n_estimators=10, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _entry = model_entry("oza-boost")
    _parameters = (
        LEARNER,
        SIZE,
        parameter(
            "order",
            one_of("update_first", "test_first"),
            "Whether a learner is judged after or before it has learned the example.",
        ),
        parameter(
            "untrained",
            one_of("wrong", "class0", "random"),
            "How the prediction of a learner that has learned nothing yet is judged.",
        ),
        parameter(
            "lambda_cap",
            [number("(0, inf)"), NONE],
            "Largest weight an example may reach.",
        ),
        parameter(
            "copies_cap",
            [whole("[1, inf)"), NONE],
            "Largest number of copies of an example that a learner learns at once (times its sample weight, if that is above "
            "1); the weight passed on to the next learner is not limited. None sets no limit.",
        ),
        parameter(
            "vote",
            one_of("log_odds", "sun_literal", "linear_edge", "uniform"),
            "Weight of a learner's vote as a function of its error.",
        ),
        parameter(
            "prefix",
            one_of("stop_at_first_bad", "skip_bad", "all"),
            "Which learners vote: those before the first with an error above 1/2, those below 1/2, or all.",
        ),
        parameter(
            "draw",
            one_of("poisson", "weight"),
            "Copies drawn from Poisson(lambda), or one update of weight lambda.",
        ),
        parameter(
            "normalise",
            one_of("running", "n"),
            "Total weight in the rescaling: what the learner has seen, or the number of examples.",
        ),
        parameter(
            "ballot",
            one_of("label", "distribution"),
            "What a learner contributes to the vote, times its weight: its label, or its class distribution.",
        ),
        *OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        order: str = "update_first",
        untrained: str = "wrong",
        lambda_cap: float | None = None,
        copies_cap: int | None = DEFAULT_COPIES_CAP,
        vote: str = "log_odds",
        prefix: str = "stop_at_first_bad",
        draw: str = "poisson",
        normalise: str = "running",
        ballot: str = "label",
        **options: Unpack[EnsembleOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.order = order
        self.untrained = untrained
        self.lambda_cap = lambda_cap
        self.copies_cap = copies_cap
        self.vote = vote
        self.prefix = prefix
        self.draw = draw
        self.normalise = normalise
        self.ballot = ballot
        self._set_options(options)
