"""Expert advice: models of any kind, each learning the stream, under one combiner with a mistake bound."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from streamboost.base.classifier import StreamClassifier
from streamboost.base.files.manifest import Manifest, check_params
from streamboost.base.parameter import NONE, Kind, number, one_of, parameter
from streamboost.base.params import LaneScope, LearnerPlan
from streamboost.catalogue import model_entry
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.common import as_given
from streamboost.ensemble.hedging import HEDGE_RATE, HORIZON, hedge_params
from streamboost.ensemble.learner_lane import LearnerLane, driven
from streamboost.ensemble.options import EXPERT_OPTIONS, ExpertOptions
from streamboost.ensemble.single import SingleLearnerClassifier
from streamboost.learners import Learner, LogisticRegression, NaiveBayes, Perceptron
from streamboost.learners.adapters import ArrayLane, lane_kind, seeded_copy
from streamboost.report import Bound, hedge_bounds, weighted_majority_bounds, winnow_bounds

if TYPE_CHECKING:
    from typing_extensions import Unpack

EXPERTS = parameter(
    "estimators",
    [Kind("list of models", list), Kind("tuple", tuple), NONE],
    "The experts: streamboost learners and ensembles, or any object with ``partial_fit`` and ``predict`` (scikit-learn "
    "style) or ``learn_one`` and ``predict_one`` (River style). None takes naive Bayes, a perceptron and logistic "
    "regression. Copies are trained; the objects given stay as they are. Seeds they leave open are drawn from "
    "`random_state`. streamboost models among them are told which columns are nominal.",
    to_core=False,
)


class ModelLane(ArrayLane):
    """A streamboost model as an expert, whose nominal columns are those of the ensemble."""

    def learn(self, row: NDArray[np.float64], label: int, weight: float, copies: bool) -> None:
        """Take one update."""
        nominal = [column for column, values in enumerate(self.scope.values) if values is not None]
        if not self.trained and nominal and self.learner.categorical_features is None:
            self.learner.set_params(categorical_features=nominal)
        super().learn(row, label, weight, copies)


class ExpertEnsemble(Ensemble):
    """Models of any kind as experts, one lane each."""

    _object_parameters: ClassVar[frozenset[str]] = frozenset({"estimators"})

    estimators: Any

    def _experts(self) -> list[Any]:
        if self.estimators is None:
            return [NaiveBayes(), Perceptron(scale="standard"), LogisticRegression()]
        experts = list(self.estimators)
        if not experts:
            raise ValueError("estimators is empty: at least one model is needed.")
        for place, expert in enumerate(experts):
            if inspect.isclass(expert):
                raise TypeError(
                    f"estimators[{place}]={expert.__name__} is a class; pass an instance: {expert.__name__}()."
                )
        return experts

    def _n_lanes(self) -> int:
        return len(self._experts())

    def _learner_plan(self, seed: int) -> LearnerPlan:
        experts, scope = self._models(), LaneScope()
        kinds: list[Any] = [
            LearnerLane
            if isinstance(given, Learner)
            else ModelLane
            if isinstance(given, StreamClassifier)
            else lane_kind(given)
            for given in self._experts()
        ]

        def make(lane: int) -> object:
            return kinds[lane](seeded_copy(experts[lane], seed, lane, keep=True), scope)

        return self._plan_of(kinds, make, scope)

    def _models(self) -> list[Any]:
        return [
            SingleLearnerClassifier(e, monitor=False, calibration=None) if isinstance(e, Learner) else e
            for e in self._experts()
        ]

    def _resumed_plan(self, seed: int, lanes: list[Any]) -> LearnerPlan:
        return self._plan_of([type(lane) for lane in lanes], lanes.__getitem__, lanes[0].scope)

    def _plan_of(self, kinds: list[Any], make: Any, scope: LaneScope) -> LearnerPlan:
        title = "/".join(dict.fromkeys(type(expert).__name__ for expert in self._experts()))
        discovers = 0 if any(issubclass(kind, ArrayLane | LearnerLane) for kind in kinds) else None
        plan = LearnerPlan("black_box", {}, title, None, discovers=discovers, lane_factory=make, scope=scope)
        return driven(plan, self._models())

    @classmethod
    def _rebuild(cls, manifest: Manifest, arrays: dict[str, NDArray[Any]], estimator: Any = None) -> Any:
        names = [name for name in cls._get_param_names() if name != "estimators"]
        params = check_params(manifest.params, names, cls.__name__)
        return cls(
            estimator, **{p.name: as_given(p, params[p.name]) for p in cls._parameters if p.name in params}
        )


class WeightedMajorityClassifier(ExpertEnsemble):
    r"""Weighted Majority (Littlestone and Warmuth) over models of any kind.

    Every model learns the stream; each mistake multiplies a model's weight by `beta`, and the class with the largest
    summed weight is the answer.

    When to use it: you have a few quite different models and want to be nearly as good as the best of them, without
    knowing which it will be. Any number of classes.

    Notes
    -----
    With :math:`L_i` the mistakes of expert i, :math:`w_i = \beta^{L_i}`, and on every stream

    .. math:: \text{mistakes} \le \frac{\ln N + \min_i L_i \, \ln(1 / \beta)}{\ln(2 / (1 + \beta))}.

    The vote's probability is the share of the weight. Such models cannot be saved to a file, because their experts may be
    any Python object; pickle them.

    References
    ----------
    N. Littlestone and M. Warmuth, The weighted majority algorithm, *Information and Computation* 108 (1994).

    Examples
    --------
    >>> from streamboost import NaiveBayes, Perceptron, WeightedMajorityClassifier
    >>> model = WeightedMajorityClassifier([NaiveBayes(), Perceptron()], random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    >>> all(bound.holds for bound in model.report().bounds)
    True
    """

    _entry = model_entry("weighted-majority")
    _parameters = (
        EXPERTS,
        parameter(
            "beta",
            number("(0, 1)"),
            "Factor on the weight of a model that is wrong.",
        ),
        *EXPERT_OPTIONS,
    )

    def __init__(
        self,
        estimators: Any = None,
        *,
        beta: float = 0.5,
        **options: Unpack[ExpertOptions],
    ) -> None:
        self.estimators = estimators
        self.beta = beta
        self._set_options(options)

    def _bounds(
        self, lanes: Mapping[str, NDArray[Any]], totals: Mapping[str, float], n_learned: int
    ) -> tuple[Bound, ...]:
        return weighted_majority_bounds(totals)


class HedgeClassifier(ExpertEnsemble):
    r"""Hedge (Freund and Schapire) over models of any kind.

    Every model learns the stream; models are weighed by the exponential of their mistakes, at a rate that falls with
    time, so that the expected mistakes of a drawn model exceed the best model's only by a square root of their number.

    When to use it: like :class:`WeightedMajorityClassifier`, where the best model is far from perfect: its mistakes
    count once here, not 1.4 times or more. Any number of classes.

    Notes
    -----
    :math:`p_i \propto e^{-\eta_t L_i}`, and on every stream the expected mistakes are at most
    :math:`\min_i L_i + \ln N / \eta_T + \sum_t \eta_t / 8`. The vote's probability is the share of p, whoever speaks. Pickle
    such models; they cannot be saved to a file.

    References
    ----------
    Y. Freund and R. Schapire, A decision-theoretic generalization of on-line learning and an application to boosting,
    *Journal of Computer and System Sciences* 55 (1997).

    Examples
    --------
    >>> from streamboost import HedgeClassifier, NaiveBayes, Perceptron
    >>> model = HedgeClassifier([NaiveBayes(), Perceptron()], random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _entry = model_entry("hedge")
    _parameters = (
        EXPERTS,
        HEDGE_RATE,
        HORIZON,
        parameter(
            "hedge",
            one_of("vote", "sample", "best"),
            "Who speaks: the weighted majority, a model drawn by its weight (the same draw until the next "
            "example), or the model with the fewest mistakes.",
        ),
        *EXPERT_OPTIONS,
    )

    def __init__(
        self,
        estimators: Any = None,
        *,
        hedge_rate: str | float = "anytime",
        horizon: int | None = None,
        hedge: str = "vote",
        **options: Unpack[ExpertOptions],
    ) -> None:
        self.estimators = estimators
        self.hedge_rate = hedge_rate
        self.horizon = horizon
        self.hedge = hedge
        self._set_options(options)

    def _core_params(self) -> dict[str, Any]:
        return {**super()._core_params(), **hedge_params(self.hedge_rate, self.horizon)}

    def _bounds(
        self, lanes: Mapping[str, NDArray[Any]], totals: Mapping[str, float], n_learned: int
    ) -> tuple[Bound, ...]:
        return hedge_bounds(lanes, totals)


class WinnowClassifier(ExpertEnsemble):
    r"""Winnow (Littlestone) over models of any kind, for two classes.

    The weights of the models that say yes must reach a threshold; weights move by factors, and only on mistakes.

    When to use it: many experts of which few matter, and the truth is close to "one of these few says yes".

    Notes
    -----
    Yes is the class with internal code 1: the larger label when classes are declared, the second one met otherwise.
    The vote's probability of yes is :math:`a / (a + \theta)`, a being the weight of the yes-sayers. Pickle such models;
    they cannot be saved to a file.

    References
    ----------
    N. Littlestone, Learning quickly when irrelevant attributes abound: a new linear-threshold algorithm,
    *Machine Learning* 2 (1988).

    Examples
    --------
    >>> from streamboost import NaiveBayes, Perceptron, WinnowClassifier
    >>> model = WinnowClassifier([NaiveBayes(), Perceptron()], random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["a", "b", "a", "b"] * 10
    >>> model.fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['a', 'b']
    """

    _entry = model_entry("winnow")
    _parameters = (
        EXPERTS,
        parameter(
            "threshold",
            [number("(0, inf)"), NONE],
            "Weight that the yes-sayers must reach; None means half the number of experts.",
        ),
        parameter(
            "factor",
            number("(1, inf)"),
            "Factor on the weights of the yes-sayers after a false negative.",
        ),
        parameter(
            "variant",
            one_of("divide", "eliminate"),
            "After a false positive the yes-sayers' weights are divided by `factor` (Winnow2) or set to 0 "
            "(Winnow1).",
        ),
        *EXPERT_OPTIONS,
    )

    def __init__(
        self,
        estimators: Any = None,
        *,
        threshold: float | None = None,
        factor: float = 2.0,
        variant: str = "divide",
        **options: Unpack[ExpertOptions],
    ) -> None:
        self.estimators = estimators
        self.threshold = threshold
        self.factor = factor
        self.variant = variant
        self._set_options(options)

    def _bounds(
        self, lanes: Mapping[str, NDArray[Any]], totals: Mapping[str, float], n_learned: int
    ) -> tuple[Bound, ...]:
        return winnow_bounds(totals)
