"""Any Python learner as a lane of an ensemble: scikit-learn style (`partial_fit`) or River style (`learn_one`).

The core asks one adapter per lane with bare rows and internal class codes. Nothing here imports River, and
scikit-learn only for reading an estimator's tags: what counts is the methods a learner has.
"""

from __future__ import annotations

import copy
import inspect
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.base.params import LaneScope, LearnerPlan
from streamboost.base.random import lane_seed
from streamboost.catalogue import Entry

MOST_COPIES = 100  # a learner that cannot weigh repeats an update at most this often


class ArrayLane:
    """One learner with `partial_fit(X, y, classes=)`."""

    def __init__(self, learner: Any, scope: LaneScope) -> None:
        self.learner = learner
        self.scope = scope
        self.can_weight = _accepts(learner.partial_fit, "sample_weight")
        self.takes_classes = _accepts(learner.partial_fit, "classes")
        self.takes_nan = _allows_nan(learner)
        self.trained = False
        self.width: int | None = (
            None  # of its first row: an array never grows, so features that appear later are ignored
        )

    def answer(self, row: NDArray[np.float64], n_classes: int) -> NDArray[np.float64] | None:
        """Return the distribution over the classes, or None before the first update."""
        if not self.trained:
            return None
        X = self._row(row)
        out = np.zeros(n_classes)
        if hasattr(self.learner, "predict_proba"):
            with np.errstate(all="ignore"):  # 0/0 after a single row is normal here, and answered below
                proba = np.asarray(self.learner.predict_proba(X), dtype=np.float64)[0]
            codes = getattr(self.learner, "classes_", range(len(proba)))
            for code, p in zip(codes, proba, strict=True):
                if 0 <= int(code) < n_classes:
                    out[int(code)] = p
        else:
            code = int(np.asarray(self.learner.predict(X))[0])
            if 0 <= code < n_classes:
                out[code] = 1.0
        return _opinion(out)

    def learn(self, row: NDArray[np.float64], label: int, weight: float, copies: bool) -> None:
        """Take one update of this weight, or that many updates."""
        options: dict[str, Any] = {}
        if self.takes_classes and not self.trained:
            options["classes"] = np.arange(self.scope.n_classes)
        if self.can_weight:
            options["sample_weight"] = np.array([weight])
        self.width = self.width or len(row)
        X, y = self._row(row), np.array([label])
        for _ in range(1 if self.can_weight else _times(weight)):
            self.learner.partial_fit(X, y, **options)
            options.pop("classes", None)
            self.trained = True

    def _row(self, row: NDArray[np.float64]) -> NDArray[np.float64]:
        X = np.array(row[: self.width], dtype=np.float64).reshape(1, -1)
        for column in range(X.shape[1]):
            if column < len(self.scope.values) and self.scope.values[column] is not None and X[0, column] < 0:
                X[0, column] = math.nan  # a category that was never learned is treated as missing
        if not self.takes_nan:
            X[np.isnan(X)] = 0.0
        return X


class DictLane:
    """One learner with `learn_one(x, y)`; it gets names and categories, and no missing keys."""

    def __init__(self, learner: Any, scope: LaneScope) -> None:
        self.learner = learner
        self.scope = scope
        self.can_weight = _accepts(learner.learn_one, "w")
        self.trained = False

    def answer(self, row: NDArray[np.float64], n_classes: int) -> NDArray[np.float64] | None:
        """Return the distribution over the classes, or None while the learner has no opinion."""
        if not self.trained:
            return None
        x = self._row(row)
        out = np.zeros(n_classes)
        if hasattr(self.learner, "predict_proba_one"):
            try:
                proba = self.learner.predict_proba_one(x)
            except NotImplementedError:  # how River says that a learner has no probabilities
                proba = None
            if proba is not None:
                for code, p in proba.items():
                    if 0 <= int(code) < n_classes:
                        out[int(code)] = p
                return _opinion(out)
        label = self.learner.predict_one(x)
        if label is None or not 0 <= int(label) < n_classes:
            return None
        out[int(label)] = 1.0
        return out

    def learn(self, row: NDArray[np.float64], label: int, weight: float, copies: bool) -> None:
        """Take one update of this weight, or that many updates."""
        x = self._row(row)
        if self.can_weight:
            self.learner.learn_one(x, label, w=weight)
            self.trained = True
            return
        for _ in range(_times(weight)):
            self.learner.learn_one(x, label)
            self.trained = True

    def _row(self, row: NDArray[np.float64]) -> dict[str | int, Any]:
        x: dict[str | int, Any] = {}
        for column, value in enumerate(row.tolist()):
            if math.isnan(value):
                continue
            categories = self.scope.values[column]
            if categories is None:
                x[self.scope.names[column]] = value
            elif 0 <= value < len(categories):
                x[self.scope.names[column]] = categories[int(value)]
        return x


def _opinion(distribution: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Abstain where a learner cannot tell: a Gaussian that has seen one row answers NaN."""
    return distribution if np.isfinite(distribution).all() and distribution.any() else None


class ArrayNumberLane(ArrayLane):
    """One regressor with `partial_fit(X, y)`."""

    def answer(self, row: NDArray[np.float64], n_classes: int) -> Any:
        """Return the number, or None before the first update."""
        return _finite(self.learner.predict(self._row(row))[0]) if self.trained else None


class DictNumberLane(DictLane):
    """One regressor with `learn_one(x, y)`."""

    def answer(self, row: NDArray[np.float64], n_classes: int) -> Any:
        """Return the number, or None before the first update."""
        return _finite(self.learner.predict_one(self._row(row))) if self.trained else None


def _finite(answer: Any) -> float | None:
    """A learner that cannot tell, or that has run away, has nothing to say."""
    number = math.nan if answer is None else float(answer)
    return number if math.isfinite(number) else None


def adapter_plan(learner: Any, seed: int, *, task: str = "classification") -> LearnerPlan:
    """Return the plan for a learner that is not one of ours, or say why it cannot be used."""
    title = type(learner).__name__
    if inspect.isclass(learner):
        raise TypeError(f"estimator={learner.__name__} is a class; pass an instance: {learner.__name__}().")
    if isinstance(learner, str):
        raise TypeError(f"estimator={learner!r} is a text; pass a learner, such as NaiveBayes().")
    if isinstance(learner, int):
        raise TypeError(
            f"estimator={learner!r} is a number; pass a learner, or n_estimators={learner!r} for so many of them."
        )
    kind: Any = lane_kind(learner)
    if task == "regression":
        kind = ArrayNumberLane if kind is ArrayLane else DictNumberLane
    scope = LaneScope()

    def make(lane: int) -> object:
        return kind(seeded_copy(learner, seed, lane), scope)

    # An array-style learner fixes its classes with its first update; a dict-style one takes them as they come.
    discovers = 0 if kind is ArrayLane else None
    bank = "black_box_regressor" if task == "regression" else "black_box"
    return LearnerPlan(bank, {}, title, None, discovers=discovers, lane_factory=make, scope=scope)


def resumed_plan(
    learner: Any, seed: int, lanes: list[Any], n_lanes: int, *, task: str = "classification"
) -> LearnerPlan:
    """Return the plan for lanes that come out of a pickle: `n_lanes`, then those in the background, if there are any.

    The core makes the learner of a lane first, then the one behind it; a learner that is replaced later starts anew.
    """
    scope: LaneScope = lanes[0].scope
    kind, waiting = type(lanes[0]), {lane: lanes[lane::n_lanes] for lane in range(n_lanes)}

    def make(lane: int) -> object:
        return waiting[lane].pop(0) if waiting[lane] else kind(seeded_copy(learner, seed, lane), scope)

    discovers = 0 if lane_kind(learner) is ArrayLane else None
    title = type(learner).__name__
    bank = "black_box_regressor" if task == "regression" else "black_box"
    return LearnerPlan(bank, {}, title, None, discovers=discovers, lane_factory=make, scope=scope)


_KINDS = {"classifier": "classification", "regressor": "regression"}
"""scikit-learn's words for estimators, and the task of each."""


def check_task(model: Any, learner: Any) -> None:
    """Refuse a classifier in a regressor, and the reverse."""
    wanted = model._entry.learner_task
    found = None if learner is None or inspect.isclass(learner) else _task_of(learner)
    if found is None or found == wanted:
        return
    kinds = {task: kind for kind, task in _KINDS.items()}
    made = "is a" if wanted == model._entry.task else "takes a"
    example = "LinearRegression()" if wanted == "regression" else "NaiveBayes()"
    raise TypeError(
        f"estimator={learner!r} is a {kinds[found]}, but {type(model).__name__} {made} {kinds[wanted]}: give it a learner of "
        f"that kind, such as streamboost.{example}."
    )


def _task_of(learner: Any) -> str | None:
    """What a learner predicts; None if it does not say."""
    entry = getattr(learner, "_entry", None)
    if isinstance(entry, Entry):
        return entry.task
    if hasattr(learner, "__sklearn_tags__"):
        from sklearn.utils import get_tags

        return _KINDS.get(str(get_tags(learner).estimator_type))
    kinds = {base.__name__ for base in type(learner).__mro__}  # River's bases, without importing it
    if "Regressor" in kinds:
        return "regression"
    if "Classifier" in kinds or "MiniBatchClassifier" in kinds:
        return "classification"
    return _KINDS.get(getattr(learner, "_estimator_type", ""))


def lane_kind(learner: Any) -> type[ArrayLane] | type[DictLane]:
    """Return the adapter for a learner, or say that there is none."""
    if callable(getattr(learner, "partial_fit", None)) and callable(getattr(learner, "predict", None)):
        return ArrayLane
    if callable(getattr(learner, "learn_one", None)) and callable(getattr(learner, "predict_one", None)):
        return DictLane
    raise TypeError(
        f"estimator={learner!r} cannot learn from a stream: {type(learner).__name__} has neither partial_fit and "
        "predict (scikit-learn style) nor learn_one and predict_one (River style)."
    )


def seeded_copy(learner: Any, seed: int, lane: int, *, keep: bool = False) -> Any:
    """Return a copy with a seed of its own; `keep` leaves seeds that are set as they are."""
    own = copy.deepcopy(learner)
    drawn = lane_seed(seed, lane)
    if hasattr(own, "get_params") and hasattr(own, "set_params"):
        names = [
            name
            for name, value in own.get_params(deep=True).items()
            if name.split("__")[-1] in ("random_state", "seed") and not (keep and value is not None)
        ]
        if names:
            own.set_params(**dict.fromkeys(names, drawn))
    elif hasattr(own, "clone") and _accepts(type(own).__init__, "seed"):
        given = getattr(own, "seed", None) if keep else None
        # River's parameters are fixed at construction.
        own = own.clone({"seed": drawn if given is None else given})
    return own


def _times(weight: float) -> int:
    return min(round(weight), MOST_COPIES)


def _accepts(function: Any, name: str) -> bool:
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):  # a compiled method without a signature
        return False


def _allows_nan(learner: Any) -> bool:
    if not hasattr(learner, "__sklearn_tags__"):
        return False
    from sklearn.utils import get_tags

    return bool(get_tags(learner).input_tags.allow_nan)
