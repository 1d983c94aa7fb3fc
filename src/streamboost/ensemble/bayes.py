"""The Bayesian ensemble: learners weighed by a posterior over their losses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from streamboost.base.parameter import NONE, number, one_of, parameter, whole
from streamboost.base.params import LearnerPlan
from streamboost.catalogue import model_entry
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.options import LEARNER, OPTIONS, SIZE, EnsembleOptions
from streamboost.learners import LogisticRegression, NaiveBayes
from streamboost.report import Bound, bayes_bounds, error_bound, halves_bound

if TYPE_CHECKING:
    from typing_extensions import Unpack


class BayesianEnsembleClassifier(Ensemble):
    r"""Bayesian online ensemble (Bai, Lam and Sclaroff) for two classes.

    Every learner learns every example, looking at its own random half of the columns. On top of that, each learner has a
    weight: the posterior mean of a parameter that explains its losses so far.

    When to use it: many columns of uneven value, and learners that should be weighted instead of examples. It
    is as fast as :class:`OSBoostClassifier`, has no random draws but the columns, and never gives a learner a
    negative weight. For more classes use :class:`OnlineBoostingClassifier` or ``OneVsRestClassifier``.

    Notes
    -----
    With :math:`g_{t,i}` the loss of learner i on example t, before it learns it, :math:`\alpha` the `prior_shape` and
    :math:`\beta` the `prior_rate`,

    .. math:: \lambda_i = \frac{\alpha + n}{\beta + \theta \sum_t g_{t,i}}, \qquad
              \hat y = \mathrm{sign} \sum_i \lambda_i \,\big(g_i(x, -1) - g_i(x, +1)\big),

    which for the logistic loss is the sign of :math:`\sum_i \lambda_i c_i(x)`. ``decision_function`` is that sum over
    :math:`\sum_i \lambda_i`; the vote's probability is its logistic function for log odds and :math:`(1 + \cdot) / 2`
    otherwise.

    References
    ----------
    Q. Bai, H. Lam and S. Sclaroff, A Bayesian framework for online classifier ensemble, ICML 2014.

    Examples
    --------
    >>> from streamboost import BayesianEnsembleClassifier, NaiveBayes
    >>> model = BayesianEnsembleClassifier(NaiveBayes(), n_estimators=10, random_state=7)
    >>> X, y = [[0.1, 0.3], [0.9, 0.2], [0.2, 0.1], [0.8, 0.4]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.partial_fit(X, y, classes=["low", "high"]).predict([[0.0, 0.3], [1.0, 0.3]]).tolist()
    ['low', 'high']
    >>> all(bound.holds for bound in model.report().bounds)
    True
    """

    _entry = model_entry("bayes")
    _parameters = (
        LEARNER,
        SIZE,
        parameter(
            "likelihood",
            one_of("exponential", "gamma_rate", "gamma"),
            "How losses are distributed: exponentially (weights in closed form), as Gamma with the known rate "
            "`theta`, or as Gamma with shape and rate both unknown (both by numerical integration, about a "
            "hundred times slower).",
        ),
        parameter(
            "vote",
            one_of("bayes", "sgd", "uniform"),
            "Weights of the learners: posterior means, the minimiser of the same loss by stochastic gradient descent, or "
            "equal weights.",
        ),
        parameter(
            "loss",
            one_of("logistic", "hinge", "zero_one", "squared"),
            "Loss of a learner's answer.",
        ),
        parameter(
            "hypothesis",
            one_of("auto", "sign", "real", "log_odds"),
            "What a learner's answer is: its vote, its confidence in [-1, 1], or its log odds, clipped to 20. "
            '"auto" takes the log odds of learners that have probabilities (naive Bayes, logistic regression), '
            "the sign of others.",
            to_core=False,
        ),
        parameter(
            "feature_fraction",
            [number("(0, 1]"), NONE],
            "Share of the columns each learner uses, unless the learner has its own `feature_fraction`. Without subsets (1 "
            "or None), learners that start equal stay equal. Learners written in Python use all columns.",
            to_core=False,
        ),
        parameter(
            "learners",
            one_of("online", "static"),
            "Whether the learners go on learning, or are frozen after the first `n_pretrain` examples; the "
            "weights are then learned from the examples that follow.",
        ),
        parameter(
            "n_pretrain",
            whole("[1, inf)"),
            "Number of examples that static learners are trained on.",
        ),
        parameter(
            "prior_shape",
            number("(0, inf)"),
            "Shape of the Gamma prior of a learner's weight (exponential likelihood).",
        ),
        parameter(
            "prior_rate",
            number("(0, inf)"),
            "Rate of that prior: it counts like so much loss, times 1 over `theta`.",
        ),
        parameter(
            "theta",
            number("(0, inf)"),
            "Scale of the likelihood: the prior counts like ``prior_rate / theta`` units of loss.",
        ),
        parameter(
            "forgetting",
            number("(0, 1]"),
            "Factor by which past losses fade at each example; below 1 the weights follow drifting streams.",
        ),
        parameter(
            "learning_rate",
            number("(0, inf)"),
            'Step size of ``vote="sgd"``; step t is ``learning_rate / t``.',
        ),
        parameter(
            "refresh",
            whole("[1, inf)"),
            "Integrate the Gamma likelihoods' posteriors only every so many examples.",
        ),
        *OPTIONS,
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 100,
        likelihood: str = "exponential",
        vote: str = "bayes",
        loss: str = "logistic",
        hypothesis: str = "auto",
        feature_fraction: float | None = 0.5,
        learners: str = "online",
        n_pretrain: int = 100,
        prior_shape: float = 1.0,
        prior_rate: float = 1.0,
        theta: float = 0.1,
        forgetting: float = 1.0,
        learning_rate: float = 1.0,
        refresh: int = 1,
        **options: Unpack[EnsembleOptions],
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.likelihood = likelihood
        self.vote = vote
        self.loss = loss
        self.hypothesis = hypothesis
        self.feature_fraction = feature_fraction
        self.learners = learners
        self.n_pretrain = n_pretrain
        self.prior_shape = prior_shape
        self.prior_rate = prior_rate
        self.theta = theta
        self.forgetting = forgetting
        self.learning_rate = learning_rate
        self.refresh = refresh
        self._set_options(options)

    def _hypothesis(self) -> str:
        if self.hypothesis != "auto":
            return self.hypothesis
        probable = self.estimator is None or isinstance(self.estimator, NaiveBayes | LogisticRegression)
        return "log_odds" if probable else "sign"

    def _learner_plan(self, seed: int) -> LearnerPlan:
        plan = super()._learner_plan(seed)
        if plan.params.get("feature_fraction", 1) is not None or self.feature_fraction is None:
            return plan
        return replace(plan, params={**plan.params, "feature_fraction": float(self.feature_fraction)})

    def _core_params(self) -> dict[str, Any]:
        return {**super()._core_params(), "hypothesis": self._hypothesis()}

    def _bounds(
        self, lanes: Mapping[str, NDArray[Any]], totals: Mapping[str, float], n_learned: int
    ) -> tuple[Bound, ...]:
        found = error_bound(totals)
        if self.vote == "bayes" and self.likelihood == "exponential":
            prior = float(self.prior_shape), float(self.prior_rate), float(self.theta)
            found = bayes_bounds(lanes, totals, *prior) + found
            if self.forgetting == 1:
                found += halves_bound(lanes, self.learners == "static")
        return found
