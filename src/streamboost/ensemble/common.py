"""Base classes of all ensembles: the weak learner, the plan for the core, the report, restoring from a file."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from streamboost.base.estimator import Estimator
from streamboost.base.files.archive import ModelFileError
from streamboost.base.files.manifest import Manifest, check_params, check_version
from streamboost.base.files.persist import PARAMETER
from streamboost.base.inputs.word_columns import WordFeatures
from streamboost.base.parameter import Parameter, parameters_of
from streamboost.base.params import BoosterPlan, LearnerPlan
from streamboost.base.session import JUDGED_AFTER, Session
from streamboost.drift.choice import guard_of
from streamboost.ensemble.options import MAX_BYTES, lag_numbers, lags_of
from streamboost.learners import (
    ALL_LEARNERS,
    HashedLogisticRegression,
    Learner,
    NaiveBayes,
    adapter_plan,
    check_task,
    resumed_plan,
)
from streamboost.report import Bound, EnsembleReport, advise


@dataclass(frozen=True)
class MemoryShares:
    """Bytes for each part of a model; None: no limit."""

    trees: int | None
    """Of all trees together: they stop growing there."""
    rows: int
    """Remembered rows, and what is fitted to them: fewer rows are remembered where that is not enough."""
    words: int
    """Tables that words are hashed into: smaller ones where that is not enough."""
    rest: int | None
    """Everything else follows columns, values and classes: rows that would need more are refused."""

    @classmethod
    def of(cls, budget: int | None, *, trees: bool, rows: bool, words: bool) -> MemoryShares:
        """Cut a budget into fifths: one for rows, two for words, one for the rest, the others for trees, or the rest."""
        if budget is None:
            return cls(None, 2**26, 2**27, None)
        fifth = int(budget) // 5
        for_rows = min(2**26, fifth) if rows else 0
        for_words = min(2**27, 2 * fifth) if words else 0
        left = int(budget) - for_rows - for_words
        return cls(left - fifth if trees else 0, for_rows, for_words, for_words + (fifth if trees else left))


def limited(params: dict[str, Any], share: int | None) -> dict[str, Any]:
    """Return the parameters of learners, with a limit of so many bytes if they are trees and have no lower one."""
    if share is None or "max_bytes" not in params:
        return params
    own = params["max_bytes"]
    return {**params, "max_bytes": share if own is None else min(own, share)}


class LearnerEnsemble(Estimator):
    """A model made of weak learners, online or batch."""

    _attributes: ClassVar[tuple[tuple[str, str, str], ...]] = (
        ("classes_", "array", "Labels known so far, sorted."),
        ("n_features_in_", "int", "Number of columns."),
        ("feature_names_in_", "array of str", "Names of the columns, if the first rows had names."),
    )
    estimator: Any
    n_estimators: int

    def _learner_plan(self, seed: int) -> LearnerPlan:
        check_task(self, self.estimator)
        if self.estimator is None:
            return self._within_memory(self._own_learner().plan())
        if isinstance(self.estimator, Learner):
            return self._within_memory(self.estimator.plan())
        return adapter_plan(self.estimator, seed, task=self._entry.learner_task)

    def _word_features(self) -> WordFeatures | None:
        learner = getattr(self, "estimator", None)  # ensembles of experts have several
        return learner.word_features if isinstance(learner, HashedLogisticRegression) else None

    @classmethod
    def _default_learner(cls) -> Learner:
        """Return the learner that ``estimator=None`` stands for."""
        return NaiveBayes()

    def _own_learner(self) -> Learner:
        """Return the same, as this model's parameters want it."""
        return self._default_learner()

    def _grows_in_background(self) -> bool:
        """Return whether every learner may have another one growing in the background."""
        return False

    def _trees_beside(self) -> int:
        """Return how many trees the companions have, also in the background."""
        return 0

    def _remembers_rows(self) -> bool:
        """Return whether a companion learns from remembered rows."""
        return False

    def _memory(self, *, words: bool = False) -> MemoryShares:
        """Return who may take what of `max_bytes`; words: some columns hold words."""
        budget = getattr(self, "max_bytes", None)
        return MemoryShares.of(budget, trees=self._has_trees(), rows=self._remembers_rows(), words=words)

    def _has_trees(self) -> bool:
        given = getattr(self, "estimator", None)  # experts have several
        learner = self._own_learner() if given is None else given
        return self._trees_beside() > 0 or (
            isinstance(learner, Learner) and "max_bytes" in learner._core_params()
        )

    def _bytes_per_tree(self, *, words: bool = False) -> int | None:
        budget = self._memory(words=words).trees
        trees = self._n_lanes() * (2 if self._grows_in_background() else 1) + self._trees_beside()
        return None if budget is None else max(1, budget // trees)

    def _within_memory(self, plan: LearnerPlan, *, words: bool = False) -> LearnerPlan:
        """Give every tree, also in the background, its share of the ensemble's memory, or its own limit if that is lower."""
        if plan.params.get("numeric") == "exact" and getattr(self, "max_bytes", None) not in (
            None,
            MAX_BYTES.default,
        ):
            raise ValueError(
                f"max_bytes={self.max_bytes} cannot be kept: DecisionStump(numeric='exact') keeps every number that it meets. "
                "Use numeric='bins', or max_bytes=None."
            )
        return replace(plan, params=limited(plan.params, self._bytes_per_tree(words=words)))

    def _resumed_plan(self, seed: int, lanes: list[Any]) -> LearnerPlan:
        return resumed_plan(self.estimator, seed, lanes, self._n_lanes(), task=self._entry.learner_task)

    @classmethod
    def _rebuild(cls, manifest: Manifest, arrays: dict[str, NDArray[Any]], estimator: Any = None) -> Any:
        if estimator is None:
            estimator = _rebuild_learner(manifest, arrays, cls._default_learner())
        return cls._with_params(manifest, estimator=estimator)

    @classmethod
    def _with_params(cls, manifest: Manifest, **more: Any) -> Any:
        """Return an untrained model with the parameters of a file."""
        if manifest.model_name != cls._entry.name:
            raise ModelFileError(f"the file holds a {manifest.model_name!r}, expected {cls._entry.name!r}")
        check_version(cls._entry.name, manifest.model_version, cls._model_version)
        names = [name for name in cls._get_param_names() if name != "estimator"]
        params = check_params(manifest.params, names, cls.__name__)
        try:
            params = {p.name: as_given(p, params[p.name]) for p in cls._parameters if p.name in params}
            model = cls(**params, **more)
            model._validate_params()
        except ValueError as error:
            raise ModelFileError(str(error)) from error
        return model


def as_given(declared: Parameter, value: Any) -> Any:
    """Return a parameter of a file as a user gives it: a file has no tuples and no detectors."""
    if not isinstance(value, list):
        return value
    if declared.from_list is not None:
        return declared.from_list(value)
    return tuple(value) if isinstance(declared.default, tuple) else value


def companion_names(given: Sequence[str] | str, known: Collection[str]) -> list[str]:
    """Return the names of companions, each once and one that there is."""
    names = [given] if isinstance(given, str) else list(given)
    for name in names:
        if name not in known:
            raise ValueError(
                f"companions={given!r} is not allowed: choose from {sorted(known)}, or () for none."
            )
    if len(set(names)) < len(names):
        raise ValueError(f"companions={given!r} names one of them twice.")
    return names


def _last_replacements(pairs: NDArray[Any] | None, most: int = 1000) -> NDArray[np.int64]:
    """Return the last replacements of learners: example number and lane, in the order in which they happened."""
    if pairs is None:
        return np.empty((0, 2), np.int64)
    found = pairs.astype(np.int64)
    return found[np.lexsort((found[:, 1], found[:, 0]))][-most:]


def column_names(session: Session) -> list[Any]:
    """Return the names of the columns, or their numbers."""
    return list(range(session.schema.width)) if session.schema.names is None else list(session.schema.names)


class StreamEnsemble(LearnerEnsemble):
    """An ensemble that learns from a stream and can say what its learners did."""

    _trace_label: ClassVar[str] = "what is promised at most"
    background: bool
    on_drift: str

    def _validate_params(self) -> None:
        super()._validate_params()
        self._guard()

    def _booster_plan(self) -> BoosterPlan:
        entry = self._entry
        return BoosterPlan(
            entry.core,
            self._core_params(),
            entry.max_classes,
            entry.declared,
            guard=self._guard(),
            lags=lags_of(self),
            max_bytes=self._memory().rest,
        )

    def _lag_names(self) -> list[str]:
        """Return the names of the columns that learners see before those of the rows."""
        return [f"target[-{lag}]" for lag in lag_numbers(getattr(self, "lags", 0))]

    def _grows_in_background(self) -> bool:
        return bool(self._guard().get("background", False))

    def _guard(self) -> dict[str, Any]:
        """Return the guard against drift as the core reads it."""
        drift = getattr(self, "drift", None)
        return {} if drift is None else guard_of(drift, self.background, self.on_drift)

    def _bounds(
        self, lanes: Mapping[str, NDArray[Any]], totals: Mapping[str, float], n_learned: int
    ) -> tuple[Bound, ...]:
        return ()

    def _advice(self, lanes: Mapping[str, NDArray[Any]], n_learned: int) -> tuple[str, ...]:
        return advise(lanes, n_learned)

    def _bound_is_chosen(self) -> bool:
        """Whether the user has set a bound of memory.

        The usual one keeps a stream without end from filling the machine. Most trees reach it, few gain by more, and the
        report counts what they leave out: that is no news for who has asked for nothing.
        """
        parts: tuple[Any, ...] = (self, getattr(self, "estimator", None))
        for part in parts:
            declared = parameters_of(type(part)).get("max_bytes")
            if declared is not None and part.max_bytes != declared.default:
                return True
        return False

    def _remarks(self, session: Session) -> list[str]:
        lines = []
        if not session.warned.memory_limit and self._bound_is_chosen() and session.model.short_of_memory():
            session.warned.memory_limit = True
            lines.append(
                "The trees have reached their limit of memory: the leaves that promise least have stopped observing, and some "
                "splits may not be made. Raise max_bytes to let them grow; report() counts the idle leaves."
            )
        if not session.warned.no_memory and session.model.starved():
            session.warned.no_memory = True
            lines.append(
                "There was no memory for trees to grow: they have learned all rows, but less than they could have, and try again "
                "with the rows to come. Load the last file where there is more memory to learn the same as always."
            )
        n_learned = session.model.n_learned
        if not session.judged and n_learned >= JUDGED_AFTER:
            session.judged = True
            if session.monitor:
                report = session.model.report()
                lanes = {name: value for name, value in report.items() if isinstance(value, np.ndarray)}
                lines += self._advice(lanes, n_learned)
        return lines

    def report(self) -> EnsembleReport:
        """Return what each learner was given and how it did, and the algorithm's bounds against what happened."""
        return self._read(self._report_of)

    def replacements(self) -> NDArray[np.int64]:
        """Return the last learners that a guard against drift replaced: example number and learner, oldest first."""
        return self._read(lambda session: _last_replacements(session.model.report().get("replacement_times")))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The mean size of each column's contribution to the answer, fading in about 10,000 rows; with ``importances=True``."""
        return self._read(self._importances_of, fitted=False)

    def _importances_of(self, session: Session) -> NDArray[np.float64]:
        raw = session.model.report()
        if "importances/columns" not in raw:
            raise AttributeError("feature_importances_ are not kept: start the model with importances=True.")
        return np.array(raw["importances/columns"])

    def _report_of(self, session: Session) -> EnsembleReport:
        if not session.monitor:
            raise ValueError(
                "report needs the per-learner sums: start the model with monitor=True (the default)."
            )
        n_learned = session.model.n_learned
        raw = session.model.report()
        trace, bounded = raw.pop("trace", None), bool(raw.pop("trace_bounded", False))
        replacements, kept = raw.pop("replacement_times", None), raw.get("importances/columns")
        raw = {name: value for name, value in raw.items() if not name.startswith(("health/", "importances/"))}
        lanes = _by_lane({name: value for name, value in raw.items() if isinstance(value, np.ndarray)})
        totals = {name: float(value) for name, value in raw.items() if not isinstance(value, np.ndarray)}
        return EnsembleReport(
            model=type(self).__name__,
            learner=session.learner.title,
            n_learned=n_learned,
            lanes=lanes,
            totals=totals,
            bounds=self._bounds(lanes, totals, n_learned) if n_learned else (),
            advice=self._advice(lanes, n_learned),
            trace=trace,
            trace_bounded=bounded,
            trace_label=self._trace_label,
            replacements=_last_replacements(replacements),
            importances=None
            if kept is None
            else dict(zip(column_names(session), kept.tolist(), strict=True)),
        )


def _by_lane(arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """One entry per learner in every array: what is kept by class becomes an array for each, in the order of `classes_`."""
    n = min(map(len, arrays.values()), default=0)
    found: dict[str, NDArray[Any]] = {}
    for name, values in arrays.items():
        parts = np.array(values).reshape(-1, max(n, 1))
        found |= {name if len(parts) == 1 else f"{name}_{k}": part for k, part in enumerate(parts)}
    return found


def _rebuild_learner(manifest: Manifest, arrays: dict[str, NDArray[Any]], default: Learner) -> Learner | None:
    cls = ALL_LEARNERS.get(manifest.learner_name or "")
    if cls is None:
        raise ModelFileError(
            f"the learner {manifest.learner_name!r} is not known; known are {sorted(ALL_LEARNERS)}"
        )
    check_version(cls._entry.name, manifest.learner_version, cls._version)
    given: dict[str, Any] = check_params(manifest.learner_params, cls._get_param_names(), cls.__name__)
    for name in [name for name in arrays if name.startswith(PARAMETER)]:
        parameter = name.removeprefix(PARAMETER)
        if parameter not in cls._get_param_names():
            raise ModelFileError(f"{cls.__name__} has no parameter {parameter!r}")
        given[parameter] = arrays[name]
    if manifest.learner_default:
        if cls is not type(default) or manifest.learner_params:
            raise ModelFileError("the file calls a learner the default that is not")
        return None
    learner = cls(**given)
    try:
        learner.plan()
    except (ValueError, TypeError) as error:
        raise ModelFileError(str(error)) from error
    return learner
