"""What a stream is: metadata and an iterator of chunks. Streams over data in memory."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt
import scipy.sparse

from streamboost.base.inputs.coded import CodedLabels, CodedTable
from streamboost.base.inputs.unlabeled import missing_labels

Label: TypeAlias = str | int | float | bool

DEFAULT_CHUNK_SIZE = 2048
"""Rows per chunk: large enough to make the cost of a call vanish, small enough to stay in cache."""


class DataError(ValueError):
    """The data cannot be read. The message is one line and names the file, the line and the value."""


class DataWarning(UserWarning):
    """Warns that data may not be meant as they are read."""


def warn_of_data(message: str) -> None:
    """Warn of something in the data."""
    warnings.warn(message, DataWarning, stacklevel=3)


@dataclass(frozen=True)
class Coding:
    """Names of columns and meanings of codes, the same for all chunks of a stream.

    ``values`` are those of the nominal columns and ``labels`` the labels, by their codes. Both grow while a file is read;
    no code ever changes its meaning.
    """

    names: tuple[str, ...] | None = None
    values: Mapping[int, Sequence[Any]] = field(default_factory=dict)
    labels: Sequence[Any] = ()
    words: Mapping[int, str] = field(default_factory=dict)
    """Columns of texts, identifiers and codes, and which of them."""


@dataclass(frozen=True)
class Chunk:
    """Consecutive rows of a stream.

    ``X`` is a float64 array (nominal values as codes), a CSR matrix, or for frames given by the user a slice of the frame.
    ``lines`` are the line numbers of a file, or the numbers of the rows, counted from 1. ``weight`` is None where
    every row weighs 1. ``coding`` says what codes stand for, and ``label_codes`` are the codes of ``y``, where the stream
    has them: a model of streamboost gets :attr:`rows` and :attr:`labels`, which spare it to code everything again; any
    other model gets ``X`` and ``y``.
    """

    X: Any
    y: npt.NDArray[Any]
    lines: npt.NDArray[np.int64]
    weight: npt.NDArray[np.float64] | None = None
    coding: Coding | None = None
    label_codes: npt.NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return int(self.y.shape[0])

    @property
    def rows(self) -> Any:
        """What a model of streamboost is given for X: names and values of the columns with the codes."""
        if self.coding is None or (self.coding.names is None and not self.coding.values):
            return self.X
        return CodedTable(self.X, self.coding.values, self.coding.names, self.coding.words)

    @property
    def labels(self) -> npt.NDArray[Any] | CodedLabels:
        """What a model of streamboost is given for y."""
        if self.coding is None or self.label_codes is None:
            return self.y
        return CodedLabels(self.label_codes, self.coding.labels)

    def labelled(self) -> Chunk:
        """The rows that have a label."""
        absent = missing_labels(self.labels)
        if absent is None:
            return self
        kept = np.flatnonzero(~absent)
        return Chunk(
            rows_at(self.X, kept),
            self.y[kept],
            self.lines[kept],
            None if self.weight is None else self.weight[kept],
            self.coding,
            None if self.label_codes is None else self.label_codes[kept],
        )

    def cut(self, start: int, stop: int) -> Chunk:
        """The rows from ``start`` up to ``stop``, counted from 0."""
        rows = slice(start, stop)
        weight = None if self.weight is None else self.weight[rows]
        codes = None if self.label_codes is None else self.label_codes[rows]
        return replace(
            self, X=self.X[rows], y=self.y[rows], lines=self.lines[rows], weight=weight, label_codes=codes
        )


@runtime_checkable
class Stream(Protocol):
    """Rows with labels, in an order, in chunks."""

    @property
    def name(self) -> str:
        """What the stream is called in tables and messages."""

    @property
    def n_features(self) -> int | None:
        """The number of columns of every chunk."""

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """The names of the columns, if they have names."""

    @property
    def nominal(self) -> npt.NDArray[np.bool_] | None:
        """Which columns hold codes of nominal values; None where the stream cannot know."""

    @property
    def classes(self) -> tuple[Label, ...] | None:
        """The labels, sorted, if they are known without reading the data."""

    @property
    def labels_are_text(self) -> bool:
        """Whether labels are str; otherwise they are numbers."""

    @property
    def n_rows(self) -> int | None:
        """The number of rows, if it is known ahead."""

    @property
    def repeatable(self) -> bool:
        """Whether ``chunks`` may be called more than once."""

    @property
    def fraction(self) -> float | None:
        """The part of the data that was read so far, for progress bars; None if unknown."""

    def find_classes(self) -> tuple[Label, ...]:
        """The labels, sorted, after a pass over them if need be. Needs a repeatable stream."""

    def chunks(self, size: int = DEFAULT_CHUNK_SIZE) -> Iterator[Chunk]:
        """The rows from the first one on; at most ``size`` of them at a time."""


def plain_label(value: Any) -> Label:
    """A NumPy scalar as the Python value it stands for."""
    label: Label = value.item() if isinstance(value, np.generic) else value
    return label


def sorted_labels(labels: Sequence[Any]) -> tuple[Label, ...]:
    """Distinct labels in sorted order; labels of kinds that cannot be compared are sorted as text."""
    distinct: list[Any] = list({plain_label(value) for value in labels})
    try:
        return tuple(sorted(distinct))
    except TypeError:
        return tuple(sorted(distinct, key=str))


def check_chunk_size(size: int) -> int:
    """The size, if it is one."""
    if size < 1:
        raise ValueError(f"The size of a chunk must be at least 1, got {size}.")
    return size


class ArrayStream:
    """Data in memory (NumPy, SciPy CSR, or any frame that can be sliced by rows) as a stream."""

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        name: str = "data",
        feature_names: Sequence[str] | None = None,
        nominal: npt.NDArray[np.bool_] | None = None,
        weight: npt.NDArray[np.float64] | None = None,
        coding: Coding | None = None,
        label_codes: npt.NDArray[np.int32] | None = None,
        label_names: Sequence[Any] | None = None,
    ) -> None:
        self.weight = weight
        self.coding = coding
        self.label_codes = label_codes
        self.y: npt.NDArray[Any] = np.asarray(y)
        if label_names is None and self.y.ndim == 2 and hasattr(y, "columns"):
            label_names = list(map(str, y.columns))
        self.label_names = None if label_names is None else tuple(label_names)
        """Names of the labels, where y has a column for each."""
        if self.y.ndim not in (1, 2):
            raise DataError(f"y must have one dimension, or two for sets of labels, got {self.y.ndim}.")
        if isinstance(X, (list, tuple)):
            X = np.asarray(X)
        if scipy.sparse.issparse(X):
            X = X.tocsr()
        shape = getattr(X, "shape", None)
        if shape is None or len(shape) != 2:
            raise DataError("X must have two dimensions: rows and features.")
        if int(shape[0]) != self.y.shape[0]:
            raise DataError(f"X has {int(shape[0])} rows but y has {self.y.shape[0]}.")
        self.X: Any = X
        self.name = name
        self.n_features: int | None = int(shape[1])
        self.n_rows: int | None = int(shape[0])
        self.feature_names: tuple[str, ...] | None = None if feature_names is None else tuple(feature_names)
        self.nominal = nominal
        self.labels_are_text = self.y.dtype.kind in "UO"
        self.repeatable = True
        self._read = 0

    def __repr__(self) -> str:
        columns = f"{self.n_features:,} column{'' if self.n_features == 1 else 's'}"
        names = self.feature_names or ()
        shown = f" ({', '.join(names[:6])}{', ...' if len(names) > 6 else ''})" if names else ""
        return f"<stream {self.name}: {self.n_rows:,} rows, {columns}{shown}; X, y>"

    @property
    def classes(self) -> tuple[Label, ...] | None:
        """Not known: the labels are looked at only when asked for."""
        return None

    @property
    def fraction(self) -> float | None:
        """The part of the rows that was handed out."""
        return self._read / self.n_rows if self.n_rows else 1.0

    def find_classes(self) -> tuple[Label, ...]:
        """The labels, sorted."""
        absent = missing_labels(self.y)
        y = self.y if absent is None else self.y[~absent]
        if y.dtype == object:
            return sorted_labels(y.tolist())
        return tuple(np.unique(y).tolist())

    def chunks(self, size: int = DEFAULT_CHUNK_SIZE) -> Iterator[Chunk]:
        """The rows, in chunks that are views of the data."""
        check_chunk_size(size)
        for start in range(0, self.y.shape[0], size):
            stop = min(start + size, self.y.shape[0])
            self._read = stop
            lines = np.arange(start + 1, stop + 1, dtype=np.int64)
            weight = None if self.weight is None else self.weight[start:stop]
            codes = None if self.label_codes is None else self.label_codes[start:stop]
            yield Chunk(self.X[start:stop], self.y[start:stop], lines, weight, self.coding, codes)

    def permuted(self, order: npt.NDArray[np.int64]) -> ArrayStream:
        """The same rows in another order."""
        return ArrayStream(
            rows_at(self.X, order),
            self.y[order],
            name=self.name,
            feature_names=self.feature_names,
            nominal=self.nominal,
            weight=None if self.weight is None else self.weight[order],
            coding=self.coding,
            label_codes=None if self.label_codes is None else self.label_codes[order],
            label_names=self.label_names,
        )


def rows_at(X: Any, places: npt.NDArray[np.int64]) -> Any:
    """Rows of an array, a sparse matrix, a frame or a list by their numbers."""
    if isinstance(X, np.ndarray) or scipy.sparse.issparse(X):
        return X[places]
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, places)


def as_stream(data: Any) -> Stream:
    """A stream as it is; a pair (X, y) as an :class:`ArrayStream`."""
    if isinstance(data, tuple):
        if len(data) != 2:
            raise DataError(f"Expected a stream or a pair (X, y), got a tuple of {len(data)}.")
        return ArrayStream(*data)
    if isinstance(data, Stream):
        return data
    advice = ""
    if isinstance(data, str | os.PathLike):
        advice = f": open it with streamboost.streams.open_stream({os.fspath(data)!r})"
    raise DataError(f"Expected a stream or a pair (X, y), got {type(data).__name__}{advice}.")


def limited(chunks: Iterator[Chunk], limit: int | None) -> Iterator[Chunk]:
    """The first ``limit`` rows of an iterator of chunks; all of them if it is None."""
    left = limit
    for chunk in chunks:
        if left is None:
            yield chunk
            continue
        if left <= 0:
            return
        if len(chunk) > left:
            chunk = chunk.cut(0, left)
        left -= len(chunk)
        yield chunk
        if left <= 0:
            return


class PartOfStream:
    """A stream made of another one: whatever it does not say itself is what that one says."""

    def __init__(self, whole: Stream) -> None:
        self.whole = whole

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    # What a stream must have is written out: protocols are checked without calling __getattr__.
    @property
    def name(self) -> str:
        """What the stream is called in tables and messages."""
        return self.whole.name

    @property
    def n_features(self) -> int | None:
        """The number of columns of every chunk."""
        return self.whole.n_features

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """The names of the columns, if they have names."""
        return self.whole.feature_names

    @property
    def nominal(self) -> npt.NDArray[np.bool_] | None:
        """Which columns hold codes of nominal values."""
        return self.whole.nominal

    @property
    def classes(self) -> tuple[Label, ...] | None:
        """The labels, sorted, if they are known without reading the data."""
        return self.whole.classes

    @property
    def labels_are_text(self) -> bool:
        """Whether labels are str; otherwise they are numbers."""
        return self.whole.labels_are_text

    @property
    def repeatable(self) -> bool:
        """Whether ``chunks`` may be called more than once."""
        return self.whole.repeatable

    def find_classes(self) -> tuple[Label, ...]:
        """The labels of the whole stream."""
        return self.whole.find_classes()

    def __getattr__(self, name: str) -> Any:
        """What some streams have beside that: categories, counts of bad lines."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.whole, name)

    @property
    def n_rows(self) -> int | None:
        """The number of rows, if it is known ahead."""
        return self.whole.n_rows

    @property
    def fraction(self) -> float | None:
        """The part of the data that was read so far."""
        return self.whole.fraction

    def chunks(self, size: int = DEFAULT_CHUNK_SIZE) -> Iterator[Chunk]:
        """The rows from the first one on."""
        return self.whole.chunks(size)


class LimitedStream(PartOfStream):
    """The first rows of a stream; in everything else it is that stream."""

    def __init__(self, whole: Stream, limit: int) -> None:
        if limit < 1:
            raise ValueError(f"limit must be at least 1, got {limit}.")
        super().__init__(whole)
        self.limit = limit
        self._n_read = 0

    @property
    def n_rows(self) -> int | None:
        """The number of rows, if it is known ahead."""
        return None if self.whole.n_rows is None else min(self.whole.n_rows, self.limit)

    @property
    def fraction(self) -> float | None:
        """The part of the rows that was read so far, or of the whole stream if that is more."""
        return max(self._n_read / self.limit, self.whole.fraction or 0.0)

    def chunks(self, size: int = DEFAULT_CHUNK_SIZE) -> Iterator[Chunk]:
        """The rows from the first one on."""
        self._n_read = 0
        for chunk in limited(self.whole.chunks(size), self.limit):
            self._n_read += len(chunk)
            yield chunk


def show_unlabeled(stream: Any, shown: bool) -> None:
    """Let a stream that would leave rows without a label out keep them, or not; others keep what they have."""
    show = getattr(stream, "show_unlabeled", None)
    if show is not None:
        show(shown)


def first_rows(stream: Stream, limit: int | None) -> Stream:
    """A stream that ends after ``limit`` rows; None leaves it as it is. What it declares is said of the whole stream."""
    if limit is None or (stream.n_rows is not None and stream.n_rows <= limit):
        return stream
    return LimitedStream(stream, limit)


def to_arrays(stream: Stream, limit: int | None = None) -> ArrayStream:
    """Read a stream (or its first rows) into memory."""
    if isinstance(stream, LimitedStream):
        return to_arrays(stream.whole, stream.limit if limit is None else min(limit, stream.limit))
    if isinstance(stream, ArrayStream):
        if limit is None or limit >= stream.y.shape[0]:
            return stream
        return stream.permuted(np.arange(max(limit, 0), dtype=np.int64))
    parts = list(limited(stream.chunks(), limit))
    if not parts:
        raise DataError(f"{stream.name}: no rows.")
    if scipy.sparse.issparse(parts[0].X):
        X: Any = scipy.sparse.vstack([part.X for part in parts], format="csr")
    else:
        X = np.concatenate([part.X for part in parts])
    weight = None
    if any(part.weight is not None for part in parts):
        weight = np.concatenate(
            [np.ones(len(part)) if part.weight is None else part.weight for part in parts]
        )
    return ArrayStream(
        X,
        np.concatenate([part.y for part in parts]),
        name=stream.name,
        feature_names=stream.feature_names,
        nominal=stream.nominal,
        weight=weight,
        coding=parts[-1].coding,
        label_codes=None
        if any(part.label_codes is None for part in parts)
        else np.concatenate([part.label_codes for part in parts if part.label_codes is not None]),
        label_names=getattr(stream, "label_names", None),
    )
