"""Sets that need no file: the generators, and sets that scikit-learn ships."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from streamboost.streams.base import ArrayStream, DataError, Stream
from streamboost.streams.generators import (
    DEFAULT_ROWS,
    GENERATORS,
    NUMBER_GENERATORS,
    SyntheticStream,
    make_generator,
)

__all__ = ["BUILTIN", "NUMBER_SETS", "BuiltinSet", "SyntheticStream", "is_builtin", "load_builtin"]


@dataclass(frozen=True)
class BuiltinSet:
    """An entry of the list of built-in sets."""

    name: str
    n_rows: int
    n_features: int
    n_classes: int
    kind: str
    source: str
    generated: bool


BUILTIN: dict[str, BuiltinSet] = {
    entry.name: entry
    for entry in (
        *(
            BuiltinSet(
                g.name, DEFAULT_ROWS, g.n_features, g.n_classes, g.kind, f"{g.source}, generated", True
            )
            for g in GENERATORS.values()
        ),
        BuiltinSet("breast-cancer", 569, 30, 2, "numeric", "scikit-learn (Wisconsin diagnostic, UCI)", False),
        BuiltinSet("digits", 1797, 64, 10, "numeric", "scikit-learn (optical digits, UCI)", False),
    )
}


NUMBER_SETS: dict[str, BuiltinSet] = {
    entry.name: entry
    for entry in (
        *(
            BuiltinSet(g.name, DEFAULT_ROWS, g.n_features, 0, g.kind, f"{g.source}, generated", True)
            for g in NUMBER_GENERATORS.values()
        ),
        BuiltinSet("diabetes-progression", 442, 10, 0, "numeric", "scikit-learn (Efron et al. 2004)", False),
    )
}
"""Those whose labels are numbers."""


def is_builtin(text: str) -> bool:
    """Whether a text names a built-in set, with or without parameters behind a colon."""
    return text.partition(":")[0] in {**BUILTIN, **NUMBER_SETS}


def load_builtin(name: str, *, seed: int = 0, n_rows: int | None = None) -> Stream:
    """A built-in set by name; ``seed`` and ``n_rows`` are those of a generated one."""
    bare = name.partition(":")[0]
    if bare in GENERATORS or bare in NUMBER_GENERATORS:
        return make_generator(name, seed=seed, limit=n_rows)
    if bare not in BUILTIN and bare not in NUMBER_SETS:
        raise DataError(
            f"There is no built-in set {name!r}; there are {', '.join([*BUILTIN, *NUMBER_SETS])}."
        )
    if bare != name:
        raise DataError(f"{name}: {bare} is not generated and has no parameters.")
    from sklearn import datasets

    load: Callable[[], Any] = {
        "breast-cancer": datasets.load_breast_cancer,
        "digits": datasets.load_digits,
        "diabetes-progression": partial(datasets.load_diabetes, scaled=False),
    }[name]
    bunch = load()
    return ArrayStream(
        np.asarray(bunch.data, dtype=np.float64),
        np.asarray(bunch.target, dtype=np.float64 if name in NUMBER_SETS else np.int64),
        name=name,
        feature_names=tuple(str(text) for text in bunch.feature_names),
        nominal=np.zeros(bunch.data.shape[1], dtype=bool),
    )
