"""Parquet, Feather and Arrow files as streams, read in record batches by pyarrow (the extra ``[io]``).

Numbers are numeric columns; texts, categories and booleans nominal ones; null is missing. Dates and times are read as texts, as
those of CSV are; durations, lists and structures are refused with advice. The line of a row is its number, counted from 1.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from streamboost.base.inputs.arrays import LARGEST
from streamboost.streams.base import DataError
from streamboost.streams.readers.columns import (
    IGNORED,
    NUMBER,
    Choice,
    ExpectedColumns,
    FirstRows,
    plan_columns,
)
from streamboost.streams.readers.source import HEAD_ROWS, ByteSource
from streamboost.streams.readers.tables import Arrays, BadCell, CodedStream

_BATCH = 8192
_GZIP = b"\x1f\x8b"


class ArrowStream(CodedStream):
    """One Parquet, Feather (version 2) or Arrow file; packed ones and standard input pass through a temporary file.

    The parameters are those of :class:`CsvStream`, of which it needs no ``header`` and no ``delimiter``. A bad line is a row
    with a value that is infinite or beyond 1e100, or without a label.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        label: str | None = None,
        nominal: Sequence[str] | str | None = None,
        drop: Sequence[str] | None = None,
        weight: str | None = None,
        dates: str | Sequence[str] | None = None,
        text: Sequence[str] | None = None,
        identifier: Sequence[str] | None = None,
        limits: Mapping[str, int] | None = None,
        on_bad_line: str = "stop",
        expected: ExpectedColumns | None = None,
    ) -> None:
        super().__init__(path, on_bad_line=on_bad_line, limits=limits)
        try:
            import pyarrow as pa
        except ImportError:
            raise DataError(
                f'{self.name}: Parquet and Arrow are read by pyarrow: pip install "streamboost[io]".'
            ) from None
        self._file = _seekable(self._source)
        weakref.finalize(self, self._file.close)
        self._rows_read = 0
        with self._guarded():
            schema = self._schema()
            self._limits.check_columns(self.name, len(schema.names))
            types = dict(zip(schema.names, schema.types, strict=True))
            settled = {*(drop or ()), *(() if nominal in (None, "all") else nominal or ())}
            for name, kind in types.items() if expected is None else ():
                if name not in settled and (dates is None or not _is_moment(kind, pa.types)):
                    _check_type(self.name, name, kind, pa.types)
            first = next(iter(self._batches(HEAD_ROWS)), None)
            if first is None or not first.num_rows:
                raise DataError(f"{self.name}: no rows.")
            head = FirstRows(
                file=self.name,
                columns=list(schema.names),
                named=True,
                numeric=[_is_number(kind, pa.types) for kind in schema.types],
                seen=[set(_python(column)) for column in first.columns],
                n_filled=[first.num_rows - column.null_count for column in first.columns],
            )
        self._set_plan(
            plan_columns(head, Choice(label, nominal, drop, weight, expected, dates, text, identifier))
        )

    @property
    def repeatable(self) -> bool:
        """Always: what could be read only once was copied."""
        return True

    @property
    def fraction(self) -> float | None:
        """The part of the rows that was read; unknown for a stream of batches."""
        return min(1.0, self._rows_read / self.n_rows) if self.n_rows else None

    def _open(self) -> Any:
        import pyarrow as pa

        self._file.seek(0)
        magic = self._file.read(6)
        self._file.seek(0)
        try:
            if magic[:4] == b"PAR1":
                import pyarrow.parquet as pq

                found: Any = pq.ParquetFile(self._file)
                self.n_rows = found.metadata.num_rows
                return found
            if magic == b"ARROW1":
                return pa.ipc.open_file(self._file)
            return pa.ipc.open_stream(self._file)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise self._broken(error) from error

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Whatever pyarrow says about a damaged file is told in one line."""
        import pyarrow as pa

        try:
            yield
        except DataError:
            raise
        except (
            pa.ArrowException,
            OSError,
            ValueError,
            TypeError,
            OverflowError,
            KeyError,
            MemoryError,
        ) as error:
            raise self._broken(error) from error

    def _broken(self, error: Exception) -> DataError:
        text = " ".join(str(error).split())
        return DataError(
            f"{self.name}: not a Parquet, Feather or Arrow file that can be read ({text[:200]})."
        )

    def _schema(self) -> Any:
        opened = self._open()
        return opened.schema_arrow if hasattr(opened, "schema_arrow") else opened.schema

    def _batches(self, size: int) -> Iterator[Any]:
        import pyarrow as pa

        opened = self._open()
        try:
            if hasattr(opened, "iter_batches"):
                batches = opened.iter_batches(batch_size=size)
            elif hasattr(opened, "num_record_batches"):
                batches = map(opened.get_batch, range(opened.num_record_batches))
            else:
                batches = iter(opened)
            for batch in batches:
                batch.validate(full=True)  # Arrow follows offsets of a file without looking at them
                yield batch
        except (pa.ArrowException, OSError) as error:
            raise self._broken(error) from error

    def _arrays(self, size: int) -> Iterator[Arrays]:
        self._begin_pass()
        self._start_codes()
        self._rows_read = n_rows = 0
        held: list[Arrays] = []
        count = 0
        for part in self._guarded_parts():
            held.append(part)
            count += len(part[2])
            while count >= size:
                X, y, lines = (np.concatenate(arrays) for arrays in zip(*held, strict=True))
                yield X[:size], y[:size], lines[:size]
                n_rows += size
                held, count = [(X[size:], y[size:], lines[size:])], count - size
        if count:
            X, y, lines = (np.concatenate(arrays) for arrays in zip(*held, strict=True))
            n_rows += count
            yield X, y, lines
        self._end_pass(n_rows)

    def _guarded_parts(self) -> Iterator[Arrays]:
        parts = self._parts()
        while True:
            with self._guarded():
                part = next(parts, None)
            if part is None:
                return
            yield part

    def _parts(self) -> Iterator[Arrays]:
        plan = self._plan
        for batch in self._batches(_BATCH):
            columns = batch.columns
            numbers = {
                at: _floats(columns[at], self, plan.columns[at])
                for at, kind in enumerate(plan.kinds)
                if kind == NUMBER
            }
            good = self._judge(batch.num_rows, columns, numbers)
            X = np.empty((int(good.sum()), plan.n_slots))
            label = np.full(len(X), np.nan)
            for at, (kind, slot) in enumerate(zip(plan.kinds, plan.slots, strict=True)):
                if kind == IGNORED:
                    continue
                if kind == NUMBER:
                    column = numbers[at][good]
                else:
                    codes = self._label_codes if slot < 0 else self._codes[slot]
                    column = self._coded(columns[at], good, codes, at)
                if slot < 0:
                    label = column
                else:
                    X[:, slot] = column
            lines = self._rows_read + 1 + np.flatnonzero(good)
            self._rows_read += batch.num_rows
            yield X, label, lines.astype(np.int64)

    def _judge(
        self, n: int, columns: Sequence[Any], numbers: dict[int, npt.NDArray[np.float64]]
    ) -> npt.NDArray[np.bool_]:
        """Which rows of a batch can be used; the others are met as bad lines."""
        plan = self._plan
        problems: dict[int, tuple[str, int, str]] = {}
        for at, values in numbers.items():
            for row in np.flatnonzero(np.abs(values) > LARGEST).tolist():
                problems.setdefault(row, ("value_too_large", at, str(values[row])))
        place = plan.label_at
        if place is not None:
            if place in numbers:
                values = numbers[place]
                missing = np.isnan(values)
                odd = (values != np.floor(values)) | (np.abs(values) >= 2.0**53)
                odd &= ~missing & (plan.label_kind == "whole")
                for row in np.flatnonzero(odd).tolist():
                    problems.setdefault(row, ("label_not_whole", place, f"{values[row]:g}"))
            else:
                missing = np.asarray(columns[place].is_null().to_numpy(zero_copy_only=False), dtype=bool)
            for row in [] if self.shows_unlabeled else np.flatnonzero(missing).tolist():
                problems[row] = ("label_missing", place, "")
        good = np.ones(n, dtype=bool)
        for row in sorted(problems):
            bad, column, token = problems[row]
            line = self._rows_read + row + 1
            self._meet_fault(bad, line, column, 0, token)
            good[row] = False
        return good

    def _coded(
        self, column: Any, good: npt.NDArray[np.bool_], codes: dict[str, int], at: int
    ) -> npt.NDArray[np.float64]:
        """Codes of the texts in the good rows, new texts getting new codes in their order."""
        import pyarrow as pa

        texts = _as_text(column, pa).filter(pa.array(good)).dictionary_encode()
        place = np.array([self._checked(codes, text, at) for text in texts.dictionary.to_pylist()])
        known = np.asarray(texts.indices.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
        out = np.full(len(known), np.nan)
        if place.size:
            out[known] = place[texts.indices.fill_null(0).to_numpy()[known]]
        return out

    def _checked(self, codes: dict[str, int], text: str, at: int) -> float:
        try:
            self._check_text(codes, text, at)
        except BadCell as error:
            raise DataError(f"{self.name}: {self._cell_reason(*error.args)}") from None
        return self._code(codes, text)


def _seekable(source: ByteSource) -> BinaryIO:
    """The file itself, or an unpacked copy on disk of what cannot be read from anywhere."""
    if not source.is_stdin and source.repeatable:
        try:
            file = source.path.open("rb")
        except OSError as error:
            raise DataError(f"{source.name}: {error.strerror or error}.") from error
        if file.read(2) != _GZIP:
            return file
        file.close()
    copy: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the stream
    try:
        for block in source.blocks(text=False):
            copy.write(block)
    except BaseException:
        copy.close()
        raise
    return copy


def _is_number(kind: Any, types: Any) -> bool:
    return bool(
        types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or types.is_null(kind)
    )


def _is_moment(kind: Any, types: Any) -> bool:
    return bool(types.is_temporal(kind) and not types.is_duration(kind) and not types.is_interval(kind))


def _check_type(file: str, name: str, kind: Any, types: Any) -> None:
    value = kind.value_type if types.is_dictionary(kind) else kind
    if _is_number(value, types) or types.is_boolean(value):
        return
    if types.is_string(value) or types.is_large_string(value) or str(value) == "string_view":
        return
    where = f"{file}: column {name!r} holds {kind}"
    if types.is_temporal(value):
        raise DataError(
            f"{where}. Turn it into numbers (days since a start, hour of the day), leave it out with drop=, or take "
            "every value as one of its own with nominal=."
        )
    raise DataError(f"{where}; only numbers, texts and booleans can be read. Leave it out with drop=.")


def _python(column: Any) -> list[Any]:
    import pyarrow as pa

    kind = column.type
    if _is_number(kind, pa.types):
        values = np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False))
        return [float(value) for value in values if value == value]
    try:
        return [text for text in _as_text(column, pa).to_pylist() if text is not None]
    except pa.ArrowException:
        return []  # a column that cannot be read and must be dropped


def _as_text(column: Any, pa: Any) -> Any:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column.cast(pa.string())


def _floats(column: Any, stream: ArrowStream, name: str) -> npt.NDArray[np.float64]:
    import pyarrow as pa

    try:
        values = column.cast(pa.float64())
    except pa.ArrowException as error:
        raise DataError(f"{stream.name}: column {name!r}: {' '.join(str(error).split())[:200]}.") from error
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)
