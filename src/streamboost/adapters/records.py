"""Rows in every form that a user may have them: arrays, CSR, frames, lists of dicts, iterables of (dict, label)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse

from streamboost.base.inputs.label_sets import one_set
from streamboost.streams.base import (
    DEFAULT_CHUNK_SIZE,
    ArrayStream,
    Chunk,
    DataError,
    Label,
    Stream,
    as_stream,
    check_chunk_size,
    limited,
    sorted_labels,
    to_arrays,
)


def n_rows_of(X: Any) -> int:
    """The number of rows."""
    return len(X) if isinstance(X, list) else int(X.shape[0])


def stacked(above: Any, below: Any) -> Any:
    """Rows of two lists, arrays, CSR matrices or frames of one kind, one after the other."""
    if isinstance(above, list):
        return above + below
    if scipy.sparse.issparse(above):
        return scipy.sparse.vstack((above, below), format="csr")
    if isinstance(above, np.ndarray):
        return np.concatenate((above, below))
    import narwhals as nw

    frames = [nw.from_native(part, eager_only=True) for part in (above, below)]
    return nw.concat(frames, how="vertical").to_native()


def taken(X: Any, rows: npt.NDArray[np.int64]) -> Any:
    """Rows by number, in any order and more than once."""
    if isinstance(X, list):
        return [X[row] for row in rows.tolist()]
    if isinstance(X, np.ndarray) or scipy.sparse.issparse(X):
        return X[rows]
    import narwhals as nw

    return nw.from_native(X, eager_only=True)[rows.tolist(), :].to_native()


def as_records(X: Any, names: Sequence[Any] | None = None) -> Iterator[dict[Any, Any]]:
    """Rows as dicts; missing values have no key, columns without names are numbered."""
    if isinstance(X, list):
        yield from X
    elif scipy.sparse.issparse(X):
        for row in range(X.shape[0]):
            part = slice(X.indptr[row], X.indptr[row + 1])
            columns, values = X.indices[part].tolist(), X.data[part].tolist()
            yield {_name(names, c): v for c, v in zip(columns, values, strict=True) if not _missing(v)}
    elif isinstance(X, np.ndarray):
        for cells in X.tolist():
            yield {_name(names, c): v for c, v in enumerate(cells) if not _missing(v)}
    else:
        import narwhals as nw

        for row in nw.from_native(X, eager_only=True).iter_rows(named=True):
            yield {name: v for name, v in row.items() if not _missing(v)}


def _name(names: Sequence[Any] | None, column: int) -> Any:
    return column if names is None else names[column]


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value)) or value != value


class RecordStream:
    """Dicts with labels, one after the other, from a list or from any iterable of pairs (dict, label)."""

    n_features: int | None = None
    feature_names: tuple[str, ...] | None = None
    nominal: npt.NDArray[np.bool_] | None = None
    classes: tuple[Label, ...] | None = None

    def __init__(self, pairs: Iterable[Any], *, name: str = "data", weight: Any = None) -> None:
        self.name = name
        self.repeatable = iter(pairs) is not pairs
        self._pairs = pairs
        self._weight = weight
        n = getattr(pairs, "n_samples", None) if not isinstance(pairs, Sequence) else len(pairs)
        self.n_rows: int | None = n
        self._read = 0
        self.labels_are_text = False

    @property
    def fraction(self) -> float | None:
        """The part of the rows that was handed out, if it is known how many there are."""
        return self._read / self.n_rows if self.n_rows else None

    def find_classes(self) -> tuple[Label, ...]:
        """The labels, sorted, after a pass over the rows."""
        if not self.repeatable:
            raise DataError(
                f"{self.name}: can be read only once; pass classes=[...] for a model that must know them."
            )
        return sorted_labels([label for chunk in self.chunks() for label in chunk.y.tolist()])

    def chunks(self, size: int = DEFAULT_CHUNK_SIZE) -> Iterator[Chunk]:
        """The rows from the first one on."""
        check_chunk_size(size)
        self._read = 0
        rows = iter(self._pairs)
        while pairs := list(islice(rows, size)):
            for at, pair in enumerate(pairs, self._read + 1):
                if not (isinstance(pair, (tuple, list)) and len(pair) == 2 and isinstance(pair[0], Mapping)):
                    raise DataError(f"{self.name}: row {at} is no pair (dict, label), but {_short(pair)}.")
            start, self._read = self._read, self._read + len(pairs)
            weight = None if self._weight is None else self._weight[start : self._read]
            lines = np.arange(start + 1, self._read + 1, dtype=np.int64)
            yield Chunk([pair[0] for pair in pairs], self._labels([pair[1] for pair in pairs]), lines, weight)

    def permuted(self, order: npt.NDArray[np.int64]) -> RecordStream:
        """The same rows in another order."""
        pairs = list(self._pairs)
        weight = None if self._weight is None else self._weight[order]
        return self._of([pairs[row] for row in order.tolist()], weight)

    def held(self, limit: int | None) -> RecordStream:
        """The rows, or the first ones, in memory."""
        parts = list(limited(self.chunks(), limit))
        if not parts:
            raise DataError(f"{self.name}: no rows.")
        pairs = [pair for part in parts for pair in zip(part.X, part.y.tolist(), strict=True)]
        weight = None if parts[0].weight is None else np.concatenate([part.weight for part in parts])
        return self._of(pairs, weight)

    def _of(self, pairs: list[Any], weight: Any) -> RecordStream:
        return RecordStream(pairs, name=self.name, weight=weight)

    def _labels(self, labels: list[Any]) -> npt.NDArray[Any]:
        return labels_of(labels)


class RecordSetStream(RecordStream):
    """Dicts with sets of labels, in memory: a label of a row is its indicators, in the order of the names."""

    def __init__(self, pairs: list[Any], names: list[Any], *, name: str, weight: Any = None) -> None:
        super().__init__(pairs, name=name, weight=weight)
        self.label_names = tuple(names)

    def _of(self, pairs: list[Any], weight: Any) -> RecordStream:
        return RecordSetStream(pairs, list(self.label_names), name=self.name, weight=weight)

    def _labels(self, labels: list[Any]) -> npt.NDArray[Any]:
        return np.array(labels, dtype=np.float64).reshape(len(labels), len(self.label_names))


def with_label_sets(stream: RecordStream, limit: int | None) -> RecordSetStream:
    """The same rows (or the first ones) for a classifier of label sets; a label is a dict of labels, or a row of indicators.

    The names are known once all rows are: those that a dict leaves out are not in its set.
    """
    held = stream.held(limit)
    pairs = list(held._pairs)
    sets = [(dict(enumerate(y)) if isinstance(y, list | tuple) else y) for _, y in pairs]
    names = list(dict.fromkeys(name for y in sets if isinstance(y, Mapping) for name in y))
    rows = []
    for at, (y, (x, _)) in enumerate(zip(sets, pairs, strict=True), 1):
        try:
            said = one_set(y, 1.0)[0]
        except (ValueError, TypeError) as error:
            raise DataError(f"{stream.name}: row {at}: {error}") from error
        found = dict(zip(said.names, said.table[0].tolist(), strict=True))
        rows.append((x, [found.get(name, math.nan if y is None else 0.0) for name in names]))
    return RecordSetStream(rows, names, name=stream.name, weight=held._weight)


def labels_of(labels: list[Any]) -> npt.NDArray[Any]:
    """Labels of one kind as an array of that kind; mixed ones as they are."""
    kinds = {type(label) for label in labels}
    if len(kinds) == 1 and kinds <= {str, int, float, bool}:
        return np.array(labels)
    found = np.empty(len(labels), dtype=object)
    found[:] = labels
    return found


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def open_data(data: Any, sample_weight: Any = None) -> Stream:
    """A stream of what the user has: a stream, (X, y), (list of dicts, y) or an iterable of pairs (dict, label)."""
    if isinstance(data, Stream):
        if sample_weight is not None:
            raise DataError(
                "sample_weight is for data in memory, a pair (X, y); a stream brings its own weights."
            )
        return data
    if isinstance(data, tuple) and len(data) == 2 and not isinstance(data[0], (tuple, Mapping)):
        X, y = data
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if weight is not None and weight.shape != (n_rows_of_any(y),):
            raise DataError(f"sample_weight has shape {weight.shape}, but y has {n_rows_of_any(y)} rows.")
        if isinstance(X, list) and X and isinstance(X[0], Mapping):
            labels = _listed(y)
            if len(labels) != len(X):
                raise DataError(f"X has {len(X)} rows but y has {len(labels)}.")
            return RecordStream(list(zip(X, labels, strict=True)), weight=weight)
        return ArrayStream(X, y, weight=weight)
    if (
        isinstance(data, Iterable)
        and not isinstance(data, (str, bytes, tuple, np.ndarray, Mapping))
        and not (hasattr(data, "columns") or scipy.sparse.issparse(data))
    ):
        if sample_weight is not None:
            raise DataError("sample_weight is for data in memory, a pair (X, y).")
        name = type(data).__name__ if not isinstance(data, (list, Iterator)) else "data"
        return RecordStream(data, name=name)
    return as_stream(data)


def _listed(y: Any) -> list[Any]:
    """Labels one by one; those of a frame are dicts."""
    if hasattr(y, "columns"):
        import narwhals as nw

        return list(nw.from_native(y, eager_only=True).iter_rows(named=True))
    return y.tolist() if hasattr(y, "tolist") else list(y)


def n_rows_of_any(y: Any) -> int:
    """The length of labels in any form."""
    return len(y) if hasattr(y, "__len__") else int(np.asarray(y).shape[0])


def held_rows(stream: Stream, limit: int | None = None) -> Any:
    """A stream (or its first rows) in memory, in a form that can be put into another order."""
    return stream.held(limit) if isinstance(stream, RecordStream) else to_arrays(stream, limit)
