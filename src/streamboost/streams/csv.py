"""CSV files as streams: numeric and nominal columns, a label column, bounded memory.

The first 1,000 rows decide the kind of each column: nominal if any of their values is not a number. Values of
a nominal column are coded 0, 1, 2 ... in order of first appearance (``categories`` keeps the values), so that
rows leave as float64 arrays. An empty cell or ``?`` is missing (NaN).
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.streams.base import DEFAULT_CHUNK_SIZE, Chunk, DataError, Label, check_chunk_size
from streamboost.streams.source import (
    HEAD_ROWS,
    FileStream,
    is_number,
    number_labels,
    numbers_to_labels,
    whole,
)

MISSING = frozenset({"", "?"})


class _Codes(dict[str, float]):
    """Cell -> code of its value; a cell never seen gets the next code, a missing one NaN."""

    def __init__(self) -> None:
        super().__init__()
        self.index: dict[str, int] = {}

    def __missing__(self, cell: str) -> float:
        value = cell.strip()
        code = float("nan") if value in MISSING else float(self.index.setdefault(value, len(self.index)))
        self[cell] = code
        return code


class CsvStream(FileStream):
    """One CSV file (plain or gzip) or standard input (``-``).

    Parameters
    ----------
    path : path, or ``-``
    label : name of the label column, by default the last one. Without a header the columns are named 1, 2 ...
    header : whether the first row holds the names; by default it does unless all its cells are numbers.
    nominal : names of columns that are nominal whatever their values look like, or ``"all"``.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        label: str | None = None,
        header: bool | None = None,
        nominal: Sequence[str] | None = None,
    ) -> None:
        super().__init__(path)
        rows = list(islice(self._rows(self._lines.look()), HEAD_ROWS + 1))
        self._lines.rewind()
        if not rows:
            raise DataError(f"{self.name}: the file is empty.")
        first = [cell.strip() for cell in rows[0][1]]
        self._has_header = header if header is not None else not all(map(is_number, first))
        names = first if self._has_header else [str(i + 1) for i in range(len(first))]
        self._columns = [text or f"column {i + 1}" for i, text in enumerate(names)]
        if len(names) < 2:
            raise DataError(f"{self.name}: only one column; the cells of a row are separated by commas.")
        head = rows[1:] if self._has_header else rows[:HEAD_ROWS]
        if not head:
            raise DataError(f"{self.name}: no rows below the header.")
        self._check_widths(head)
        self._label_at = self._find_label(label)
        kinds = self._numeric_columns(head, nominal)
        self.labels_are_text = not kinds.pop(self._label_at)
        self._label_is_whole = not self.labels_are_text and whole(
            np.array([float(cells[self._label_at]) for _, cells in head])
        )
        self.feature_names: tuple[str, ...] | None = tuple(
            text for i, text in enumerate(self._columns) if i != self._label_at
        )
        self.n_features: int | None = len(self.feature_names)
        self.nominal: npt.NDArray[np.bool_] | None = ~np.array(kinds, dtype=bool)
        self._codes = {i: _Codes() for i in range(self.n_features) if self.nominal[i]}

    @property
    def label_name(self) -> str:
        """The name of the label column."""
        return self._columns[self._label_at]

    @property
    def categories(self) -> dict[str, tuple[str, ...]]:
        """The values of the nominal columns read so far, in the order of their codes."""
        assert self.feature_names is not None
        return {self.feature_names[i]: tuple(codes.index) for i, codes in self._codes.items()}

    def find_classes(self) -> tuple[Label, ...]:
        """The labels, sorted, after a pass over the label column."""
        if self._found is None:
            found: set[str] = set()
            at = self._label_at
            for block in self._blocks(DEFAULT_CHUNK_SIZE):
                found.update(cells[at].strip() for _, cells in block)
            if not self.labels_are_text:
                try:
                    self._found = tuple(numbers_to_labels({float(text) for text in found}))
                except ValueError:
                    # Only the full reading knows the line.
                    for _ in self.chunks():
                        pass
                    raise
            else:
                self._found = tuple(sorted(found - MISSING))
        return self._found

    def chunks(self, size: int = DEFAULT_CHUNK_SIZE) -> Iterator[Chunk]:
        """The rows; nominal values are coded in order of first appearance in the file."""
        check_chunk_size(size)
        for block in self._blocks(size):
            lines = np.fromiter((line for line, _ in block), dtype=np.int64, count=len(block))
            yield self._chunk([cells for _, cells in block], lines)

    def _rows(self, lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
        """Line number and cells of every row that is not blank."""
        reader = csv.reader(lines, skipinitialspace=True, strict=True)
        try:
            for cells in reader:
                if cells:
                    yield reader.line_num, cells
        except csv.Error as error:
            raise DataError(f"{self.name}, line {reader.line_num}: {error}.") from error

    def _blocks(self, size: int) -> Iterator[list[tuple[int, list[str]]]]:
        rows = self._rows(self._lines)
        if self._has_header:
            next(rows, None)
        while block := list(islice(rows, size)):
            self._check_widths(block)
            yield block

    def _check_widths(self, rows: list[tuple[int, list[str]]]) -> None:
        width = len(self._columns)
        for line, cells in rows:
            if len(cells) != width:
                raise DataError(
                    f"{self.name}, line {line}: {len(cells)} cells where the first row has {width}."
                )

    def _find_label(self, label: str | None) -> int:
        if label is None:
            return len(self._columns) - 1
        found = [i for i, text in enumerate(self._columns) if text == label]
        if len(found) == 1:
            return found[0]
        if found:
            raise DataError(f"{self.name}: {len(found)} columns are named {label!r}.")
        shown = ", ".join(self._columns[:20]) + (", ..." if len(self._columns) > 20 else "")
        raise DataError(f"{self.name}: no column {label!r}; the columns are {shown}.")

    def _numeric_columns(
        self, head: list[tuple[int, list[str]]], nominal: Sequence[str] | None
    ) -> list[bool]:
        # A label is never missing, so an empty one may not hide behind a numeric column.
        for line, row in head:
            if row[self._label_at].strip() in MISSING:
                raise DataError(f"{self.name}, line {line}: column {self.label_name!r}: no label.")
        numeric = []
        for column in zip(*(row for _, row in head), strict=True):
            cells = {cell.strip() for cell in column}
            numeric.append(all(map(is_number, cells - MISSING)))
        if nominal == "all":
            nominal = [name for i, name in enumerate(self._columns) if i != self._label_at]
        for name in nominal or ():
            if name not in self._columns:
                raise DataError(f"{self.name}: no column {name!r} to read as nominal.")
            numeric[self._columns.index(name)] = False
        return numeric

    def _chunk(self, rows: list[list[str]], lines: npt.NDArray[np.int64]) -> Chunk:
        if not self._codes and not self.labels_are_text:
            table = self._all_numbers(rows)
            if table is not None:
                labels = number_labels(table[:, self._label_at], self._label_is_whole, lines, self.name)
                return Chunk(np.delete(table, self._label_at, axis=1), labels, lines)
        columns = list(zip(*rows, strict=True))
        label_cells = columns.pop(self._label_at)
        X = np.empty((len(rows), len(columns)))
        for i, cells in enumerate(columns):
            codes = self._codes.get(i)
            if codes is None:
                X[:, i] = self._numbers(cells, i if i < self._label_at else i + 1, lines)
            else:
                X[:, i] = list(map(codes.__getitem__, cells))
        return Chunk(X, self._labels(label_cells, lines), lines)

    def _all_numbers(self, rows: list[list[str]]) -> npt.NDArray[np.float64] | None:
        """The quick way when every cell is a finite number; None sends the caller the careful way."""
        width = len(self._columns)
        try:
            flat = np.fromiter(
                map(float, chain.from_iterable(rows)), dtype=np.float64, count=len(rows) * width
            )
        except ValueError:
            return None
        if not np.isfinite(flat).all() or "_" in "".join(chain.from_iterable(rows)):
            return None
        return flat.reshape(len(rows), width)

    def _numbers(
        self, cells: Sequence[str], column: int, lines: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        out = np.empty(len(cells))
        for i, cell in enumerate(cells):
            try:
                out[i] = float(cell)
                good = not np.isinf(out[i]) and "_" not in cell
            except ValueError:
                good = cell.strip() in MISSING
                out[i] = np.nan
            if not good:
                raise DataError(
                    f"{self.name}, line {int(lines[i])}: column {self._columns[column]!r}: "
                    f"{cell!r} is not a finite number (by its first {HEAD_ROWS:,} rows it is numeric)."
                )
        return out

    def _labels(self, cells: Sequence[str], lines: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        if not self.labels_are_text:
            values = self._numbers(cells, self._label_at, lines)
            return number_labels(values, self._label_is_whole, lines, self.name)
        labels = [cell.strip() for cell in cells]
        for i, label in enumerate(labels):
            if label in MISSING:
                raise DataError(f"{self.name}, line {int(lines[i])}: column {self.label_name!r}: no label.")
        return np.array(labels)
