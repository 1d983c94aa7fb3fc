"""A booster written in Python, for trying an idea before it is written in C++.

To the core the whole ensemble is one learner, driven row by row; so labels, columns, missing values, weights, pickles and the
laws are those of every other ensemble. Inside, each lane is a model of one learner, asked and taught in Python.
"""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from streamboost.base.files.manifest import Manifest, check_params
from streamboost.base.parameter import Parameter, anything, parameter
from streamboost.base.params import LaneScope, LearnerPlan
from streamboost.catalogue import model_entry
from streamboost.ensemble.classifier import Ensemble
from streamboost.ensemble.learner_lane import LearnerLane, driven
from streamboost.ensemble.options import EXPERT_OPTIONS, LEARNER, SIZE, ExpertOptions
from streamboost.ensemble.single import SingleLearnerClassifier
from streamboost.learners import Learner
from streamboost.learners.adapters import lane_kind, seeded_copy

if TYPE_CHECKING:
    from typing_extensions import Unpack

Distribution = NDArray[np.float64]


class PythonBooster(Ensemble):
    r"""A boosting algorithm of your own: override `weigh`, and `combine` if the mean is not what you want.

    When to use it: to try an idea in twenty lines, with any weak learner and all methods, before writing it in C++. It is
    slow: some Python calls per learner and row.

    Notes
    -----
    For every example, in this order: all learners are asked; `begin` is called; then for each learner in turn `weigh`
    says what the example is worth to it, it learns it with that weight (times the example's own; 0 leaves it out), and
    `learned` is called. Answers are distributions over the classes, all zeros for a learner that has learned nothing.

    Parameters of your own are arguments of a constructor that hands the others on, as below: they are kept, copied, searched
    and set on the command line (``--param``) like all others.

    ``state`` is a namespace for whatever the algorithm remembers: `start` fills it, pickles keep it. ``example`` has
    ``label`` (a code), ``weight`` and ``n_classes``, and carries along whatever you put there. `combine` must change nothing.
    Randomness must come from the state, as a generator seeded in `start` with ``state.seed``.

    Examples
    --------
    >>> from streamboost import NaiveBayes, PythonBooster
    >>> class Stubborn(PythonBooster):
    ...     def __init__(self, estimator=None, *, factor=2.0, **options):
    ...         super().__init__(estimator, **options)
    ...         self.factor = factor
    ...
    ...     def weigh(self, state, lane, answer, example):
    ...         return self.factor if answer[example.label] < 0.5 else 1.0
    >>> model = Stubborn(NaiveBayes(), n_estimators=3, factor=3.0, random_state=7)
    >>> X, y = [[0.1], [0.9], [0.2], [0.8]] * 10, ["low", "high", "low", "high"] * 10
    >>> model.fit(X, y).predict([[0.0], [1.0]]).tolist()
    ['low', 'high']
    """

    _entry = model_entry("single")
    _parameters: ClassVar[tuple[Parameter, ...]] = (LEARNER, SIZE, *EXPERT_OPTIONS)

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 10,
        **options: Unpack[ExpertOptions],
    ) -> None:
        self._set_options(
            options
        )  # first, because a keyword argument of a subclass may be one of its options
        self.estimator = estimator
        self.n_estimators = n_estimators

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Declare what a constructor of its own takes beside the parameters of every booster."""
        if "__init__" in cls.__dict__:
            known = {p.name: p for p in cls._parameters}
            given = inspect.signature(cls).parameters.values()
            named = [known.get(p.name) or _own(p.name) for p in given if p.kind is not p.VAR_KEYWORD]
            takes_all = any(p.kind is p.VAR_KEYWORD for p in given)
            rest = [p for name, p in known.items() if takes_all and name not in {q.name for q in named}]
            cls._parameters = (*named, *rest)
        super().__init_subclass__(**kwargs)

    # What an algorithm says.

    def start(self, state: Any, n_lanes: int, n_classes: int) -> None:
        """Fill the state before the first example."""

    def begin(self, state: Any, answers: Distribution, example: Any) -> None:
        """Look at all answers, ``[lane][class]``, before the first learner is taught."""

    def weigh(self, state: Any, lane: int, answer: Distribution, example: Any) -> float:
        """Return what the example is worth to a learner, which has just given this answer."""
        return 1.0

    def learned(self, state: Any, lane: int, answer: Distribution, example: Any) -> None:
        """Look at a learner's answer about the example that it has now learned."""

    def combine(self, state: Any, answers: Distribution) -> Distribution:
        """Return a score of 0 or more for each class from all answers, ``[lane][class]``."""
        scores: Distribution = answers.mean(axis=0)
        return scores

    # What the machinery needs.

    def _n_lanes(self) -> int:
        return 1

    def _learner_plan(self, seed: int) -> LearnerPlan:
        scope = LaneScope()
        return self._plan_of(lambda _: _WholeEnsemble(self, seed, scope), scope)

    def _resumed_plan(self, seed: int, lanes: list[Any]) -> LearnerPlan:
        return self._plan_of(lanes.__getitem__, lanes[0].scope)

    def _plan_of(self, make: Any, scope: LaneScope) -> LearnerPlan:
        plan = LearnerPlan(
            "black_box", {}, type(self).__name__, None, discovers=0, lane_factory=make, scope=scope
        )
        return driven(plan, [self._weak_learner()])

    @classmethod
    def _rebuild(cls, manifest: Manifest, arrays: dict[str, NDArray[Any]], estimator: Any = None) -> Any:
        names = [name for name in cls._get_param_names() if name != "estimator"]
        return cls(estimator, **check_params(manifest.params, names, cls.__name__))

    def _weak_learner(self) -> Any:
        chosen = self._own_learner() if self.estimator is None else self.estimator
        if not isinstance(chosen, Learner):
            return chosen
        return SingleLearnerClassifier(chosen, monitor=False, calibration=None)


class _WholeEnsemble:
    """All learners and the state of the algorithm, as the one learner that the core knows."""

    can_weight = True

    def __init__(self, booster: PythonBooster, seed: int, scope: LaneScope) -> None:
        learner = booster._weak_learner()
        kind: Any = LearnerLane if isinstance(learner, SingleLearnerClassifier) else lane_kind(learner)
        copies = [seeded_copy(learner, seed, lane) for lane in range(int(booster.n_estimators))]
        self.lanes = [kind(own, scope) for own in copies]
        self.booster = _Algorithm(booster)
        self.scope = scope
        self.state = SimpleNamespace(seed=seed)
        self.trained = False

    def answer(self, row: NDArray[np.float64], n_classes: int) -> Distribution | None:
        """Return the distribution over the classes, or None before the first update."""
        if not self.trained:
            return None
        scores = np.asarray(self.booster.it.combine(self.state, self._ask(row, n_classes)), dtype=np.float64)
        total = scores.sum() if scores.shape == (n_classes,) else np.nan
        if not (np.isfinite(total) and (scores >= 0).all()):
            raise ValueError(
                f"{type(self.booster.it).__name__}.combine must give {n_classes} finite scores of 0 or more, got {scores}."
            )
        return scores / total if total else None

    def learn(self, row: NDArray[np.float64], label: int, weight: float, copies: bool) -> None:
        """Take one example through all lanes."""
        n_classes, it, state = self.scope.n_classes, self.booster.it, self.state
        if not self.trained:
            it.start(state, len(self.lanes), n_classes)
        answers = self._ask(row, n_classes)
        example = SimpleNamespace(label=label, weight=weight, n_classes=n_classes)
        it.begin(state, answers.copy(), example)
        looks_back = type(it).learned is not PythonBooster.learned
        for number, lane in enumerate(self.lanes):
            worth = float(it.weigh(state, number, answers[number].copy(), example))
            if not 0 <= worth < np.inf:
                raise ValueError(
                    f"{type(it).__name__}.weigh must give a weight of 0 or more, got {worth} for lane {number}."
                )
            if worth * weight > 0:
                lane.learn(row, label, worth * weight, False)
            if looks_back:
                it.learned(state, number, _opinion(lane, row, n_classes), example)
        self.trained = True

    def _ask(self, row: NDArray[np.float64], n_classes: int) -> Distribution:
        return np.stack([_opinion(lane, row, n_classes) for lane in self.lanes])


class _Algorithm:
    """The estimator without what it has learned: a copy of the ensemble has an algorithm of its own."""

    def __init__(self, booster: PythonBooster) -> None:
        self.it = type(booster)(**booster.get_params(deep=False))

    def __reduce__(self) -> tuple[Any, ...]:
        return _Algorithm, (self.it,)


def _own(name: str) -> Parameter:
    return parameter(name, anything("any"), "A parameter of this booster's own.", to_core=False)


def _opinion(lane: Any, row: NDArray[np.float64], n_classes: int) -> Distribution:
    answer: Distribution | None = lane.answer(row, n_classes)
    return np.zeros(n_classes) if answer is None else answer
