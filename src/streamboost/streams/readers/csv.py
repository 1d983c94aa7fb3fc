"""CSV files as streams: numeric and nominal columns, a label column, bounded memory.

The first 1,000 rows decide the kind of each column: nominal if any of their values is not a number. Values of
a nominal column are coded 0, 1, 2 ... in order of first appearance (``categories`` keeps the values), so that
rows leave as float64 arrays. An empty cell, ``?`` and the usual markers (``NA``, ``null`` ...) are missing (NaN). The
delimiter is a comma, a semicolon, a tab or a bar, whichever cuts the first rows into the same number of cells.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from streamboost import _core
from streamboost.streams.base import DataError, warn_of_data
from streamboost.streams.readers.columns import (
    DECIMAL_COMMA,
    NOMINAL,
    Choice,
    ExpectedColumns,
    FirstRows,
    MissingMarkers,
    plan_columns,
)
from streamboost.streams.readers.limits import way_out
from streamboost.streams.readers.source import HEAD_BYTES, HEAD_ROWS, is_number
from streamboost.streams.readers.tables import Row, TableStream, row_reason

DELIMITERS = ",;\t|"
_SNIFFED_ROWS = 50
_DRESSED = re.compile(r"[-+]?[$€£¥]? ?[-+]?\d+([,.' \u00a0\u202f]\d{3})*([.,]\d+)? ?[%$€£¥]?")
"""A number as people like to read it: with groups of digits, a percent sign or a currency."""


MOST_KINDS = 6
"""A column of so few different cells is nominal, numbers among them or not: no reason to wonder aloud."""


class CsvStream(TableStream):
    """One CSV file (plain or gzip) or standard input (``-``).

    Parameters
    ----------
    path : path, or ``-``
    label : name of the label column, by default ``label``, ``class``, ``target`` or ``y``, else the last one.
        Without a header the columns are named 1, 2 ...
    header : whether the first row holds the names; by default it does unless its cells look like those below it.
    nominal : names of columns that are nominal whatever their values look like, or ``"all"``.
    delimiter : one character; found out by default.
    decimal : ``","`` for numbers as 1,5. By default a point; a comma where a column is so written and no comma cuts cells.
    drop : names of columns to leave out.
    weight : name of a column that holds the weights of the rows.
    na_values : cells that stand for a missing value, beside the empty one; by default ?, NA, N/A, n/a, <NA>, NULL, null, None,
        nan, and in columns of numbers - too.
    dates : ``"drop"`` leaves columns of dates and times out, ``"parts"`` (the default of `open_stream`) reads them as values
        for it to take apart; else they are refused.
    text, identifier : names of columns that hold texts or identifiers; by default their first 1,000 values tell.
    limits : what the file may ask of memory, e.g. ``{"line": 2**28}``; see :class:`Limits`.
    on_bad_line : ``"stop"`` or ``"skip"``.
    expected : the columns and labels of a trained model, if it is one that reads the file.
    """

    _takes_markers = True

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        label: str | None = None,
        header: bool | None = None,
        nominal: Sequence[str] | str | None = None,
        delimiter: str | None = None,
        decimal: str | None = None,
        drop: Sequence[str] | None = None,
        weight: str | None = None,
        na_values: Sequence[str] | None = None,
        dates: str | Sequence[str] | None = None,
        text: Sequence[str] | None = None,
        identifier: Sequence[str] | None = None,
        limits: Mapping[str, int] | None = None,
        on_bad_line: str = "stop",
        expected: ExpectedColumns | None = None,
    ) -> None:
        super().__init__(path, on_bad_line=on_bad_line, limits=limits)
        self._markers = MissingMarkers.read(na_values)
        if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\n\r'):
            raise DataError(f"A delimiter is one character, not {delimiter!r}.")
        self._why_numeric = (
            f" (by its first {HEAD_ROWS:,} rows it is numeric)"
            if expected is None
            else " (to the model it is numeric)"
        )
        self._delimiter, rows = self._cut(self._look(delimiter, header, expected), delimiter)
        self._comma = decimal == "," or (decimal is None and self._finds_commas(rows))
        if self._comma:
            if self._delimiter == ",":
                raise DataError(
                    f"{self.name}: a comma cannot cut cells and be the decimal mark of their numbers."
                )
            rows = [(line, bad, [_with_point(cell) for cell in cells]) for line, bad, cells in rows]
        first = rows[0][2]
        width = len(first)
        if width < 2 and (expected is None or len(expected.values) != 1 or expected.needs_label):
            raise DataError(
                f"{self.name}: only one column in the first line, {first[0][:40]!r}; it holds the names or the first row, and "
                "cells are separated by a comma, a semicolon, a tab or a bar."
            )
        good = self._good_rows(rows, width)
        self._has_header = header if header is not None else self._finds_header(good, expected)
        body = good[1:] if self._has_header else good[:HEAD_ROWS]
        if not body and not (self.live and expected is not None):
            raise DataError(f"{self.name}: no rows{' below the header' if self._has_header else ''}.")
        names = first if self._has_header else [str(i + 1) for i in range(width)]
        seen = [{row[2][i] for row in body} for i in range(width)]
        head = FirstRows(
            file=self.name,
            columns=[text or f"column {i + 1}" for i, text in enumerate(names)],
            named=self._has_header,
            numeric=[all(map(is_number, cells - self._markers.of_number)) for cells in seen],
            seen=[cells - self._markers.of_text for cells in seen],
            n_filled=[sum(row[2][i] not in self._markers.of_text for row in body) for i in range(width)],
        )
        self._set_plan(
            plan_columns(head, Choice(label, nominal, drop, weight, expected, dates, text, identifier))
        )
        if expected is None and nominal != "all":
            self._warn_of_words(body, {*(nominal or ()), *self._plan.dates})

    def _look(self, delimiter: str | None, header: bool | None, expected: ExpectedColumns | None) -> bytes:
        """The bytes of the first rows, or all of them if there are fewer."""
        data = bytearray()
        enough = self._whole_head = False
        n_lines, looked = 0, 0
        for block in self._blocks.look():
            data += block
            n_lines += block.count(b"\n")
            # Rows are lines or more: whoever has enough lines may still lack rows, so the rows are counted then, and again
            # when the text has doubled.
            if n_lines > HEAD_ROWS and len(data) >= 2 * looked:
                looked = len(data)
                rows = self._first(bytes(data), delimiter or ",", HEAD_ROWS + 1)
                enough = len(rows) > HEAD_ROWS
            if expected is not None and self.live:
                enough = _shows_one_row(data, header, expected)
            if enough or (len(data) > HEAD_BYTES and n_lines > 1) or len(data) > self._limits.line:
                break
        else:
            self._whole_head = True
        self._blocks.rewind()
        return bytes(data)

    def _cut(self, data: bytes, delimiter: str | None) -> tuple[str, list[Row]]:
        """The delimiter and the first rows, the first of all being good."""
        best: tuple[tuple[float, float], str] | None = None
        line = data.lstrip(b"\r\n").partition(b"\n")[0]
        if b"\0" in line:
            raise DataError(f"{self.name}, line 1: {row_reason((1, 'zero_byte', []), 0)}")
        if len(line) > self._limits.line:
            raise DataError(
                f"{self.name}, line 1: a line that is too long. {way_out('line', self._limits.line)}"
            )
        for candidate in DELIMITERS if delimiter is None else delimiter:
            self._limits.check_columns(self.name, line.count(candidate.encode()) + 1)
            rows = self._first(data, candidate, _SNIFFED_ROWS)
            score = _fit([cells for _, bad, cells in rows if bad == "none"])
            if best is None or score > best[0]:
                best = score, candidate
        assert best is not None
        rows = self._first(data, best[1], HEAD_ROWS + 1)
        if not rows:
            raise DataError(f"{self.name}: the file is empty.")
        if rows[0][1] != "none":
            # Even where bad lines are skipped: without a first row nothing is known about the others.
            raise DataError(f"{self.name}, line {rows[0][0]}: {row_reason(rows[0], 0)}")
        return best[1], rows

    def _first(self, data: bytes, delimiter: str, most: int) -> list[Row]:
        limits = self._limits.of_parser()
        return _core.csv_rows(data, self._whole_head, delimiter, False, most, limits)

    def _warn_of_words(self, rows: list[Row], wanted: set[str]) -> None:
        """Say which columns are nominal only because of a few words among numbers: most often markers or slips."""
        for at, kind in enumerate(self._plan.kinds):
            if kind != NOMINAL or self._plan.slots[at] < 0 or self._plan.columns[at] in wanted:
                continue
            present = [
                (line, cells[at]) for line, _, cells in rows if cells[at] not in self._markers.of_number
            ]
            words = [(line, cell) for line, cell in present if not is_number(cell)]
            # "2", "3", "4", "5more": nominal by nature.
            few = len({cell for _, cell in present}) <= MOST_KINDS
            if not words or few:
                continue
            (line, cell), name = words[0], self._plan.columns[at]
            if all(_DRESSED.fullmatch(word) for _, word in words):
                warn_of_data(
                    f"{self.name}: column {name!r} is read as words because of the marks in its numbers "
                    f"({cell[:40]!r}, line {line}); "
                    "with plain digits, such as 1234.5, it would be read as numbers."
                )
            elif 2 * len(words) < len(present):
                share = 1 - len(words) / len(present)
                warn_of_data(
                    f"{self.name}: column {name!r} is read as nominal because of {cell[:40]!r} (line {line}), but "
                    f"{share:.0%} of its first cells are numbers. If it stands for a missing value, say so with "
                    f"na_values=[{cell[:40]!r}]; if the column is nominal, with nominal=[{name!r}]."
                )

    def _finds_header(self, rows: list[Row], expected: ExpectedColumns | None) -> bool:
        """Whether the first row holds names: not if it could stand among the rows below."""
        first = rows[0][2]
        if (
            expected is not None
            and expected.names is not None
            and set(expected.file_names or ()) <= set(first)
        ):
            return True
        if all(map(is_number, first)):
            return False
        if any(is_number(cell) and not cell.isdigit() for cell in first):
            return False  # years may be names, 0.5 and -1 are not
        count = Counter(first)
        for i, cell in enumerate(first):
            if cell and count[cell] > 1 and not all(is_number(row[2][i]) for row in rows[1:]):
                return False  # the same word twice, above words: a value
        return True

    def _finds_commas(self, rows: list[Row]) -> bool:
        """Whether a column holds numbers, some of them with a decimal comma; if so, it is said."""
        if self._delimiter == ",":
            return False
        body = [cells for _, bad, cells in rows[1:] if bad == "none"]
        for column in zip(*body, strict=False):
            cells = [cell for cell in column if cell not in self._markers.of_number]
            commas = [cell for cell in cells if DECIMAL_COMMA.fullmatch(cell)]
            if commas and all(is_number(_with_point(cell)) for cell in cells):
                warn_of_data(f"{self.name}: numbers such as {commas[0]!r} are read with a decimal comma.")
                return True
        return False

    def _body_blocks(self) -> Iterator[bytes]:
        blocks = super()._body_blocks()
        return _with_points(blocks, self._delimiter) if self._comma else blocks

    def _new_parser(self) -> _core.CsvParser:
        return _core.CsvParser(self._delimiter, header=self._has_header, **self._parser_options())


def _with_point(cell: str) -> str:
    return cell.replace(",", ".") if DECIMAL_COMMA.fullmatch(cell) else cell


def _with_points(blocks: Iterator[bytes], delimiter: str) -> Iterator[bytes]:
    """The text with a point in every cell that is a number with a decimal comma; whole lines at a time."""
    edge = re.escape(delimiter).encode() + rb'\r\n"'
    cell = re.compile(rb"(?:(?<=[" + edge + rb"])|^)([-+]?\d*),(\d+(?:[eE][-+]?\d+)?)(?=[" + edge + rb"]|$)")
    rest = b""
    for block in blocks:
        whole, newline, rest = (rest + block).rpartition(b"\n")
        if newline:
            yield cell.sub(rb"\1.\2", whole) + newline
    if rest:
        yield cell.sub(rb"\1.\2", rest)


def _shows_one_row(data: bytearray, header: bool | None, expected: ExpectedColumns) -> bool:
    """Whether a model that knows its columns has seen a row: it need not wait for more of them."""
    first, *more = data.lstrip(b"\r\n").split(b"\n")
    if header is None:
        header = expected.names is not None and all(name.encode() in first for name in expected.names)
    return len(more) > header


def _fit(rows: list[list[str]]) -> tuple[float, float]:
    """How well a delimiter cuts rows: the share of rows of one width, and the share of cells that are numbers."""
    if not rows:
        return 0.0, 0.0
    width, count = Counter(map(len, rows)).most_common(1)[0]
    if width < 2:
        return 0.0, 0.0
    cells = [cell for row in rows for cell in row]
    numbers = sum(is_number(cell) or DECIMAL_COMMA.fullmatch(cell) is not None for cell in cells)
    return count / len(rows), numbers / len(cells)
