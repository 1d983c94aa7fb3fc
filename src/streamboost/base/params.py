"""From the parameters of an estimator to the plans that the core builds models from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from streamboost.base.inputs.cells import plain
from streamboost.base.system import usable_cores


@dataclass
class LaneScope:
    """What Python-written learners may ask about the model they belong to; shared by all lanes.

    The core hands them bare rows and codes. A dict-style learner also wants the columns' names and the
    categories behind the codes, an array-style learner the number of classes at its first call.
    """

    n_classes: int = 0
    names: list[str | int] = field(default_factory=list)
    values: list[list[Any] | None] = field(default_factory=list)


@dataclass(frozen=True)
class LearnerPlan:
    """One weak learner, resolved: the name and parameters of its bank, and what the Python side must know about it."""

    bank: str
    params: dict[str, Any]
    title: str
    table_name: str | None
    version: int = 1
    discovers: int | None = None
    """How many classes it can meet by surprise (None: any number); more must be declared before the first row."""
    trees: bool = False
    collects_costs: bool = False
    warns_unscaled: bool = False
    counts: bool = False
    """Whether numbers are counts: no column is nominal, no value below 0."""
    tokens: dict[str, Any] = field(default_factory=dict)
    """How rows are hashed into tokens for it; empty: it learns from rows as they are."""
    lane_factory: Callable[[int], object] | None = None
    scope: LaneScope | None = None


@dataclass(frozen=True)
class BoosterPlan:
    """One algorithm: its name in the core, its parameters there, and how many classes it can tell apart."""

    name: str
    params: dict[str, Any]
    max_classes: int | None = None
    declared: bool = False
    """Whether all classes must be named before the first row."""
    guard: dict[str, Any] = field(default_factory=dict)
    """The guard of every lane against drift, as the core reads it; empty: none. Its entry `detectors` holds detectors
    written in Python."""
    companions: tuple[dict[str, Any], ...] = ()
    """Single learners that answer beside the ensemble: name, learner, its parameters, its guard."""
    pool: dict[str, Any] = field(default_factory=dict)
    """How their answers and the ensemble's become one."""
    outer_companions: tuple[dict[str, Any], ...] = ()
    """Models that answer beside all of these."""
    outer_pool: dict[str, Any] = field(default_factory=dict)
    """How their answers and that of the first pool become one."""
    experts: tuple[dict[str, Any], ...] = ()
    """Experts of time around a regressor and its companions: name, and the parameters of their trees."""
    referee: dict[str, Any] = field(default_factory=dict)
    """How the regressor's answers and theirs become one."""
    encoding: dict[str, Any] = field(default_factory=dict)
    """What all of these see of rows with words, identifiers or very many columns; empty: rows as they are."""
    whole_companions: tuple[dict[str, Any], ...] = ()
    """Beside them, models that see such rows whole."""
    whole_pool: dict[str, Any] = field(default_factory=dict)
    """How their answers and those of all others become one."""
    lags: dict[str, Any] = field(default_factory=dict)
    """Past targets or labels as further columns; empty: none."""
    max_bytes: int | None = None
    """What learners that grow with columns, values and classes may take together."""


def same_value(a: Any, b: Any) -> bool:
    """Compare two parameter values, arrays included; a NumPy scalar is the number that a file gives back."""
    if a is b:
        return True
    a, b = (value.as_parameter() if hasattr(value, "as_parameter") else value for value in (a, b))
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return bool(np.array_equal(a, b))
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):  # a file gives lists back
        return len(a) == len(b) and all(same_value(x, y) for x, y in zip(a, b, strict=True))
    a, b = plain(a), plain(b)
    return type(a) is type(b) and bool(a == b)


def count_threads(n_jobs: int | None) -> int:
    """Return the number of threads of ``n_jobs``: None is one, -1 all that this process may use."""
    if n_jobs is None:
        return 1
    if n_jobs < -1 or n_jobs == 0:
        raise ValueError(
            f"n_jobs={n_jobs!r} means nothing: give a number of threads, -1 for all, or None for one."
        )
    return n_jobs if n_jobs > 0 else usable_cores()


def snapshot(estimator: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Remember parameter values as they are now, a weak learner's own parameters included."""
    values = {name: getattr(estimator, name) for name in names}
    values = {name: value.copy() if type(value) in (list, dict) else value for name, value in values.items()}
    if hasattr(values.get("drift"), "as_parameter"):
        values["drift"] = values["drift"].as_parameter()
    learner = values.get("estimator")
    if learner is not None and hasattr(learner, "get_params"):
        values["estimator"] = type(learner), dict(learner.get_params(deep=False))
    return values


def changed_parameter(estimator: Any, frozen: dict[str, Any]) -> str | None:
    """Return the name of a parameter that is no longer what it was when the model started."""
    for name, before in frozen.items():
        now = getattr(estimator, name)
        if name == "estimator" and isinstance(before, tuple):
            kind, values = before
            if type(now) is not kind:
                return name
            for inner, value in values.items():
                if not same_value(getattr(now, inner, None), value):
                    return f"{name}__{inner}"
        elif not same_value(now, before):
            return name
    return None
