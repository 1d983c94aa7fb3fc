"""Sets that need no file: Oza's Synthetic-1/2/3 from their generator, and two sets that scikit-learn ships.

Row t of a synthetic set is a pure function of (seed, t): any part of it can be made without the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from streamboost.streams.base import (
    DEFAULT_CHUNK_SIZE,
    ArrayStream,
    Chunk,
    DataError,
    Label,
    Stream,
    check_chunk_size,
)

# Keys of generated data differ from those of every draw inside a model, so that a model and a stream with the
# same seed stay independent. Part of the definition of the sets: never to be changed.
_PURPOSE_DATA = 32

N_ATTRIBUTES = 20
SYNTHETIC_ROWS = 100_000

# P(A20 = 0 | C) for C = 0, 1. [Oza 2001, appendix on the synthetic sets]
_LAST_IS_ZERO = {1: (0.495, 0.505), 2: (0.1, 0.8), 3: (0.01, 0.975)}
# P(A_a = 0 | A_{a+1}, C): rows C = 0, 1; columns A_{a+1} = 0, 1.
_IS_ZERO = np.array([[0.8, 0.2], [0.9, 0.1]])


def _uniforms(seed: int, first: int, n: int, columns: int) -> npt.NDArray[np.float64]:
    """Uniforms in [0, 1) keyed by (seed, row, column)."""
    from streamboost import _core

    return _core.uniform_block(seed, first, n, columns, _PURPOSE_DATA)


class SyntheticStream:
    """Synthetic-1, -2 or -3 of Oza's thesis (2001): 20 binary attributes, two classes.

    The class is a fair coin; A20 depends on the class, then A19, A18 ... A1 each on the class and on
    its right neighbour. Class 0 flips from neighbour to neighbour with probability 0.2, class 1 with 0.1: a
    signal that naive Bayes cannot see.
    """

    def __init__(self, variant: int, *, seed: int = 0, n_rows: int | None = SYNTHETIC_ROWS) -> None:
        if variant not in _LAST_IS_ZERO:
            raise DataError(
                f"There is no synthetic-{variant}; the sets are synthetic-1, synthetic-2, synthetic-3."
            )
        if not 0 <= seed < 2**64:
            raise DataError(f"The seed of generated data must be in [0, 2^64), got {seed}.")
        if n_rows is not None and n_rows < 0:
            raise DataError(f"The number of rows must not be negative, got {n_rows}.")
        self.variant = variant
        self.seed = seed
        self.name = f"synthetic-{variant}"
        self.n_features: int | None = N_ATTRIBUTES
        self.feature_names: tuple[str, ...] | None = tuple(f"A{i + 1}" for i in range(N_ATTRIBUTES))
        self.nominal: npt.NDArray[np.bool_] | None = np.ones(N_ATTRIBUTES, dtype=bool)
        self.classes: tuple[Label, ...] | None = (0, 1)
        self.n_rows = n_rows
        self.labels_are_text = False
        self.repeatable = True
        self._read = 0

    @property
    def fraction(self) -> float | None:
        """The part of the rows that was made."""
        if self.n_rows is None:
            return None
        return self._read / self.n_rows if self.n_rows else 1.0

    def find_classes(self) -> tuple[Label, ...]:
        """The two classes."""
        return (0, 1)

    def rows(self, first: int, n: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Rows ``first`` to ``first + n - 1``, counted from 0."""
        u = _uniforms(self.seed, first, n, N_ATTRIBUTES + 1)
        y = (u[:, 0] >= 0.5).astype(np.int64)
        X = np.empty((n, N_ATTRIBUTES))
        last_is_zero = np.array(_LAST_IS_ZERO[self.variant])
        right = (u[:, N_ATTRIBUTES] >= last_is_zero[y]).astype(np.int64)
        X[:, N_ATTRIBUTES - 1] = right
        for attribute in range(N_ATTRIBUTES - 1, 0, -1):
            right = (u[:, attribute] >= _IS_ZERO[y, right]).astype(np.int64)
            X[:, attribute - 1] = right
        return X, y

    def chunks(self, size: int = DEFAULT_CHUNK_SIZE) -> Iterator[Chunk]:
        """The rows from row 0 on."""
        check_chunk_size(size)
        first = 0
        while self.n_rows is None or first < self.n_rows:
            n = size if self.n_rows is None else min(size, self.n_rows - first)
            X, y = self.rows(first, n)
            self._read = first + n
            yield Chunk(X, y, np.arange(first + 1, first + n + 1, dtype=np.int64))
            first += n


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
                f"synthetic-{i}", SYNTHETIC_ROWS, N_ATTRIBUTES, 2, "nominal", "Oza 2001, generated", True
            )
            for i in sorted(_LAST_IS_ZERO)
        ),
        BuiltinSet("breast-cancer", 569, 30, 2, "numeric", "scikit-learn (Wisconsin diagnostic, UCI)", False),
        BuiltinSet("digits", 1797, 64, 10, "numeric", "scikit-learn (optical digits, UCI)", False),
    )
}


def load_builtin(name: str, *, seed: int = 0, n_rows: int | None = None) -> Stream:
    """A built-in set by name; ``seed`` and ``n_rows`` are those of a generated one."""
    if name not in BUILTIN:
        raise DataError(f"There is no built-in set {name!r}; there are {', '.join(BUILTIN)}.")
    if BUILTIN[name].generated:
        return SyntheticStream(int(name[-1]), seed=seed, n_rows=SYNTHETIC_ROWS if n_rows is None else n_rows)
    from sklearn import datasets

    bunch = datasets.load_breast_cancer() if name == "breast-cancer" else datasets.load_digits()
    return ArrayStream(
        np.asarray(bunch.data, dtype=np.float64),
        np.asarray(bunch.target, dtype=np.int64),
        name=name,
        feature_names=tuple(str(text) for text in bunch.feature_names),
        nominal=np.zeros(bunch.data.shape[1], dtype=bool),
    )
