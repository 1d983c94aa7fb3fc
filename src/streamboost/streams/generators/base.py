"""Base class of the generators: keyed draws, a length, chunks, a name that says their parameters."""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from streamboost.streams.base import DEFAULT_CHUNK_SIZE, Chunk, DataError, Label, check_chunk_size

if TYPE_CHECKING:
    from typing_extensions import Self

Rows = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]
Floats = npt.NDArray[np.float64]

DEFAULT_ROWS = 100_000

# Keys of generated data differ from those of every draw inside a model, so that a model and a stream with the
# same seed stay independent. Part of the definition of the sets: never to be changed.
_DATA = 32  # uniforms of a row
_NORMAL = 33  # normals of a row
_STRUCTURE = 34  # what a concept is made of: centres, weights, the order of columns
DRIFT_PURPOSE = 35  # which concept a row is drawn from
NOISE_PURPOSE = 36  # whether a label is a wrong one


class GeneratedStream(ABC):
    """Rows that are made, not read. Row ``t`` is a pure function of the parameters, the seed and ``t``.

    So any part of the stream can be made without the rest, two passes see the same rows, and the size of
    the chunks changes nothing. ``n_rows=None`` makes a stream without end.
    """

    key: ClassVar[str]
    """The name of the generator on the command line."""
    n_concepts: ClassVar[int | None] = None
    """How many concepts there are to drift between; None: as many as one likes."""

    def __init__(
        self,
        *,
        seed: int,
        n_rows: int | None,
        columns: int | Sequence[str],
        nominal: bool | npt.NDArray[np.bool_] = False,
        n_classes: int,
    ) -> None:
        """``columns`` are names, or a number of columns called x1, x2 ...; ``nominal`` says it of all or of each."""
        if not 0 <= seed < 2**64:
            raise DataError(f"The seed of generated data must be in [0, 2^64), got {seed}.")
        if n_rows is not None and n_rows < 0:
            raise DataError(f"The number of rows must not be negative, got {n_rows}.")
        self.seed = seed
        self.n_rows = n_rows
        names = [f"x{i + 1}" for i in range(columns)] if isinstance(columns, int) else columns
        self.feature_names: tuple[str, ...] | None = tuple(names)
        self.n_features: int | None = len(names)
        self.n_classes = n_classes
        self.nominal: npt.NDArray[np.bool_] | None = np.full(len(names), nominal)
        self.classes: tuple[Label, ...] | None = tuple(range(n_classes))
        self.labels_are_text = False
        self.repeatable = True
        self._read = 0
        self.name = self._canonical_name()

    @abstractmethod
    def _make(self, first: int, n: int) -> Rows:
        """Rows ``first`` to ``first + n - 1``; n is at least 1."""

    def rows(self, first: int, n: int) -> Rows:
        """Rows ``first`` to ``first + n - 1``, counted from 0, as (X, y)."""
        if first < 0 or n < 0:
            raise DataError(f"Rows are counted from 0; asked for {n} rows from row {first} on.")
        if n == 0:
            assert self.n_features is not None
            return np.empty((0, self.n_features)), np.empty(0, dtype=np.int64)
        return self._make(first, n)

    def arrays(self, n: int | None = None) -> Rows:
        """The first ``n`` rows, or all of them, as (X, y)."""
        wanted = self.n_rows if n is None else n
        if wanted is None:
            raise DataError(f"{self.name}: has no end; say how many rows.")
        return self.rows(0, wanted)

    def chunks(self, size: int = DEFAULT_CHUNK_SIZE) -> Iterator[Chunk]:
        """The rows from row 0 on."""
        check_chunk_size(size)
        first = 0
        while self.n_rows is None or first < self.n_rows:
            n = size if self.n_rows is None else min(size, self.n_rows - first)
            X, y = self._make(first, n)
            self._read = first + n
            yield Chunk(X, y, np.arange(first + 1, first + n + 1, dtype=np.int64))
            first += n

    def find_classes(self) -> tuple[Label, ...]:
        """The labels, known without looking at a row."""
        assert self.classes is not None
        return self.classes

    @property
    def fraction(self) -> float | None:
        """The part of the rows that was made."""
        if self.n_rows is None:
            return None
        return self._read / self.n_rows if self.n_rows else 1.0

    def get_params(self) -> dict[str, Any]:
        """The values of the constructor's parameters."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def with_params(self, **values: Any) -> Self:
        """The same generator with some parameters changed."""
        return type(self)(**{**self.get_params(), **values})

    def _canonical_name(self) -> str:
        """The name that `open_stream` takes: the generator and what differs from its defaults."""
        changed = [
            f"{name}={getattr(self, name)}"
            for name, parameter in inspect.signature(type(self)).parameters.items()
            if name not in ("seed", "n_rows") and getattr(self, name) != parameter.default
        ]
        return self.key + (":" + ",".join(changed) if changed else "")

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({values})"

    def _uniforms(self, first: int, n: int, columns: int) -> Floats:
        """Uniforms in [0, 1) keyed by (seed, row, column)."""
        return uniforms(self.seed, first, n, columns, _DATA)

    def _normals(self, first: int, n: int, columns: int) -> Floats:
        """Standard normals keyed by (seed, row, column)."""
        from streamboost import _core

        return _core.normal_block(self.seed, first, n, columns, _NORMAL)

    def _structure(self, concept: int, n: int, columns: int) -> Floats:
        """Uniforms that do not depend on the row, keyed by (seed, concept, number, column)."""
        return uniforms(self.seed, concept << 32, n, columns, _STRUCTURE)

    def _column_order(self, concept: int, columns: int) -> npt.NDArray[np.int64] | None:
        """Where the columns stand in a concept: in their own order in the first, a random one in any other."""
        if concept == 1:
            return None
        return np.argsort(self._structure(concept, 1, columns)[0], kind="stable")


def uniforms(seed: int, first: int, n: int, columns: int, purpose: int) -> Floats:
    """Uniforms in [0, 1) keyed by (seed, row, column, purpose)."""
    from streamboost import _core

    return _core.uniform_block(seed, first, n, columns, purpose)


def choice(u: Floats, k: int) -> npt.NDArray[np.int64]:
    """Uniforms as whole numbers from 0 to k - 1, each as likely."""
    return np.minimum((u * k).astype(np.int64), k - 1)


def with_wrong_labels(y: npt.NDArray[np.int64], u: Floats, rate: float, k: int) -> npt.NDArray[np.int64]:
    """Labels of which the share ``rate`` is another one of the k labels, each other one as likely."""
    if rate == 0.0 or k < 2:
        return y
    wrong = u < rate
    shift = 1 + choice(u[wrong] / rate, k - 1)
    y = y.copy()
    y[wrong] = (y[wrong] + shift) % k
    return y


def reflected(position: Floats) -> Floats:
    """Where a point is that moves evenly and is thrown back at 0 and 1: a zigzag of period 2."""
    rest = np.mod(position, 2.0)
    return np.where(rest > 1.0, 2.0 - rest, rest)


def whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """The value, if it is a whole number in the range; the error names the parameter."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise DataError(f"{name} must be a whole number, got {value!r}.")
    if value < low or (high is not None and value > high):
        allowed = f"at least {low}" if high is None else f"from {low} to {high}"
        raise DataError(f"{name} must be {allowed}, got {value}.")
    return int(value)


def real(name: str, value: Any, low: float, high: float) -> float:
    """The value, if it is a number in the range; the error names the parameter."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise DataError(f"{name} must be a number, got {value!r}.")
    if not low <= value <= high:
        allowed = f"at least {low:g}" if math.isinf(high) else f"from {low:g} to {high:g}"
        raise DataError(f"{name} must be {allowed}, got {value:g}.")
    return float(value)
