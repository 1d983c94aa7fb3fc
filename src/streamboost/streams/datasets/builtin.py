"""Sets that need no file: the generators, and two sets that scikit-learn ships."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from streamboost.streams.base import ArrayStream, DataError, Stream
from streamboost.streams.generators import DEFAULT_ROWS, GENERATORS, SyntheticStream, make_generator

__all__ = ["BUILTIN", "BuiltinSet", "SyntheticStream", "is_builtin", "load_builtin"]


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


def is_builtin(text: str) -> bool:
    """Whether a text names a built-in set, with or without parameters behind a colon."""
    return text.partition(":")[0] in BUILTIN


def load_builtin(name: str, *, seed: int = 0, n_rows: int | None = None) -> Stream:
    """A built-in set by name; ``seed`` and ``n_rows`` are those of a generated one."""
    bare = name.partition(":")[0]
    if bare in GENERATORS:
        return make_generator(name, seed=seed, limit=n_rows)
    if bare not in BUILTIN:
        raise DataError(f"There is no built-in set {name!r}; there are {', '.join(BUILTIN)}.")
    if bare != name:
        raise DataError(f"{name}: {bare} is not generated and has no parameters.")
    from sklearn import datasets

    bunch = datasets.load_breast_cancer() if name == "breast-cancer" else datasets.load_digits()
    return ArrayStream(
        np.asarray(bunch.data, dtype=np.float64),
        np.asarray(bunch.target, dtype=np.int64),
        name=name,
        feature_names=tuple(str(text) for text in bunch.feature_names),
        nominal=np.zeros(bunch.data.shape[1], dtype=bool),
    )
