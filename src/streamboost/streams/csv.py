"""CSV files as streams: numeric and nominal columns, a label column, bounded memory.

The first 1,000 rows decide the kind of each column: nominal if any of their values is not a number. Values of
a nominal column are coded 0, 1, 2 ... in order of first appearance (``categories`` keeps the values), so that
rows leave as float64 arrays. An empty cell or ``?`` is missing (NaN). The delimiter is a comma, a semicolon, a tab or a
bar, whichever cuts the first rows into the same number of cells.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from streamboost import _core
from streamboost.streams.base import DEFAULT_CHUNK_SIZE, Chunk, DataError, Label, check_chunk_size
from streamboost.streams.columns import (
    _DECIMAL_COMMA,
    MISSING,
    Head,
    Known,
    Layout,
    label_array,
    make_layout,
)
from streamboost.streams.source import HEAD_BYTES, HEAD_ROWS, FileStream, is_number, numbers_to_labels

DELIMITERS = ",;\t|"
_SNIFFED_ROWS = 50

Row = tuple[int, str, list[str]]  # line number, what is wrong with it, cells


class TableStream(FileStream):
    """Rows of cells, read by the native parser as its layout says."""

    _layout: Layout
    _parser: _core.CsvParser

    def _set_layout(self, layout: Layout) -> None:
        self._layout = layout
        self.labels_are_text = layout.label_kind == "text"
        self.feature_names: tuple[str, ...] | None = layout.feature_names
        self.n_features: int | None = layout.n_features
        self.nominal: npt.NDArray[np.bool_] | None = layout.nominal
        self.ignored = layout.ignored
        self._parser = self._new_parser()

    def _new_parser(self) -> _core.CsvParser:
        raise NotImplementedError

    @property
    def named(self) -> bool:
        """Whether the names of the columns come from the file: numbers of columns are no names."""
        return self._layout.named

    @property
    def label_name(self) -> str | None:
        """The name of the label column; None if there is none."""
        at = self._layout.label_at
        return None if at is None else self._layout.columns[at]

    @property
    def categories(self) -> dict[str, tuple[str, ...]]:
        """The values of the nominal columns read so far, in the order of their codes."""
        return {self._layout.feature_names[slot]: values for slot, values in self.column_values.items()}

    @property
    def column_values(self) -> dict[int, tuple[str, ...]]:
        """The same by the number of the column."""
        assert self.nominal is not None
        found = np.flatnonzero(self.nominal).tolist()
        return {slot: tuple(self._parser.values(slot)) for slot in found}

    def find_classes(self) -> tuple[Label, ...]:
        """The labels, sorted, after a pass over the file."""
        if self._found is None:
            seen: set[float] = set()
            for _, values, _ in self._arrays(DEFAULT_CHUNK_SIZE):
                seen.update(np.unique(values).tolist())
            texts = self._parser.labels
            self._found = tuple(sorted(texts)) if self.labels_are_text else numbers_to_labels(seen)
        return self._found

    def chunks(self, size: int = DEFAULT_CHUNK_SIZE) -> Iterator[Chunk]:
        """The rows; nominal values are coded in order of first appearance in the file."""
        check_chunk_size(size)
        for X, labels, lines in self._arrays(size):
            texts = self._parser.labels if self.labels_are_text else ()
            yield Chunk(X, label_array(labels, self._layout.label_kind, texts), lines)

    def _arrays(
        self, size: int
    ) -> Iterator[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.int64]]]:
        parser = self._parser = self._new_parser()
        for _ in self._fill(parser, size):
            yield parser.take()

    def _reason(self, bad: str, line: int, column: int, number: int, token: str) -> str:
        layout = self._layout
        where = f"column {layout.columns[column]!r}: " if column < len(layout.columns) else ""
        if bad == "label_missing":
            if self.labels_are_text:
                return where + "no label."
            expected = "whole numbers" if layout.label_kind == "whole" else "numbers"
            return f"a missing or infinite label where the labels are {expected}."
        if bad in ("value_not_number", "value_infinite"):
            return f"{where}{token!r} is not a finite number{self._why_numeric}."
        return {
            "width": f"{number} cells where the first row has {len(layout.columns)}.",
            "quote_open": f"{where}unexpected end of data: a quote is not closed.",
            "quote_followed": f"{where}text behind the closing quote.",
            "undeclared": f"{where}{token!r} is not one of the declared values.",
            "too_many_values": f"{where}more than a million values; an identifier can be left out with --drop.",
        }.get(bad) or super()._reason(bad, line, column, number, token)

    _why_numeric = ""


class CsvStream(TableStream):
    """One CSV file (plain or gzip) or standard input (``-``).

    Parameters
    ----------
    path : path, or ``-``
    label : name of the label column, by default the last one. Without a header the columns are named 1, 2 ...
    header : whether the first row holds the names; by default it does unless its cells look like those below it.
    nominal : names of columns that are nominal whatever their values look like, or ``"all"``.
    delimiter : one character; found out by default.
    drop : names of columns to leave out.
    on_bad_line : ``"stop"`` or ``"skip"``.
    known : the columns and labels of a trained model, if it is one that reads the file.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        label: str | None = None,
        header: bool | None = None,
        nominal: Sequence[str] | None = None,
        delimiter: str | None = None,
        drop: Sequence[str] | None = None,
        on_bad_line: str = "stop",
        known: Known | None = None,
    ) -> None:
        super().__init__(path, on_bad_line=on_bad_line)
        if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\n\r'):
            raise DataError(f"A delimiter is one character, not {delimiter!r}.")
        self._why_numeric = (
            f" (by its first {HEAD_ROWS:,} rows it is numeric)"
            if known is None
            else " (to the model it is numeric)"
        )
        self._delimiter, rows = self._cut(self._look(delimiter), delimiter)
        first = rows[0][2]
        width = len(first)
        if width < 2 and (known is None or len(known.values) != 1 or known.needs_label):
            raise DataError(
                f"{self.name}: only one column; cells are separated by a comma, a semicolon, a tab or a bar."
            )
        good = [row for row in rows if row[1] == "none" and len(row[2]) == width]
        if not self.skips_bad_lines and len(good) < len(rows):
            self._refuse(next(row for row in rows if row[1] != "none" or len(row[2]) != width), first)
        self._has_header = header if header is not None else self._finds_header(good, known)
        body = good[1:] if self._has_header else good[:HEAD_ROWS]
        if not body:
            raise DataError(f"{self.name}: no rows{' below the header' if self._has_header else ''}.")
        names = first if self._has_header else [str(i + 1) for i in range(width)]
        seen = [{row[2][i] for row in body} for i in range(width)]
        head = Head(
            file=self.name,
            columns=[text or f"column {i + 1}" for i, text in enumerate(names)],
            named=self._has_header,
            numeric=[all(map(is_number, cells - MISSING)) for cells in seen],
            seen=seen,
        )
        self._set_layout(make_layout(head, label=label, nominal=nominal, drop=drop, known=known))
        self._check_labels(body)

    def _look(self, delimiter: str | None) -> bytes:
        """The bytes of the first rows, or all of them if there are fewer."""
        data = bytearray()
        enough = self._whole_head = False
        for block in self._blocks.look():
            data += block
            # Rows are lines or more: whoever has enough lines may still lack rows, so the rows are counted then.
            if data.count(b"\n") > HEAD_ROWS:
                rows = _core.csv_rows(bytes(data), False, delimiter or ",", False, HEAD_ROWS + 1)
                enough = len(rows) > HEAD_ROWS
            if enough or len(data) > HEAD_BYTES:
                break
        else:
            self._whole_head = True
        self._blocks.rewind()
        return bytes(data)

    def _cut(self, data: bytes, delimiter: str | None) -> tuple[str, list[Row]]:
        """The delimiter and the first rows, the first of all being good."""
        best: tuple[tuple[float, float], str] | None = None
        for candidate in DELIMITERS if delimiter is None else delimiter:
            rows = _core.csv_rows(data, self._whole_head, candidate, False, _SNIFFED_ROWS)
            score = _fit([cells for _, bad, cells in rows if bad == "none"])
            if best is None or score > best[0]:
                best = score, candidate
        assert best is not None
        rows = _core.csv_rows(data, self._whole_head, best[1], False, HEAD_ROWS + 1)
        if not rows:
            raise DataError(f"{self.name}: the file is empty.")
        if rows[0][1] != "none":
            # Even where bad lines are skipped: without a first row nothing is known about the others.
            raise DataError(f"{self.name}, line {rows[0][0]}: {self._head_reason(rows[0], [])}")
        return best[1], rows

    def _head_reason(self, row: Row, first: list[str]) -> str:
        line, bad, cells = row
        if bad == "none":
            return f"{len(cells)} cells where the first row has {len(first)}."
        return {
            "quote_open": "unexpected end of data: a quote is not closed.",
            "quote_followed": "text behind the closing quote.",
        }.get(bad) or FileStream._reason(self, bad, line, 0, 0, "")

    def _refuse(self, row: Row, first: list[str]) -> None:
        raise DataError(f"{self.name}, line {row[0]}: {self._head_reason(row, first)}")

    def _finds_header(self, rows: list[Row], known: Known | None) -> bool:
        """Whether the first row holds names: not if it could stand among the rows below."""
        first = rows[0][2]
        if known is not None and known.names is not None and set(known.names) <= set(first):
            return True
        if all(map(is_number, first)):
            return False
        if any(is_number(cell) and not cell.isdigit() for cell in first):
            return False  # years may be names, 0.5 and -1 are not
        for i, cell in enumerate(first):
            if cell and first.count(cell) > 1 and not all(is_number(row[2][i]) for row in rows[1:]):
                return False  # the same word twice, above words: a value
        return True

    def _check_labels(self, rows: list[Row]) -> None:
        # A label is never missing, so an empty one may not hide behind a numeric column.
        at = self._layout.label_at
        if at is None or self.skips_bad_lines:
            return
        for line, _, cells in rows:
            if cells[at] in MISSING:
                raise DataError(f"{self.name}, line {line}: column {self.label_name!r}: no label.")

    def _new_parser(self) -> _core.CsvParser:
        layout = self._layout
        return _core.CsvParser(
            self._delimiter,
            layout.kinds,
            layout.slots,
            layout.label_kind,
            layout.values,
            header=self._has_header,
        )


def _fit(rows: list[list[str]]) -> tuple[float, float]:
    """How well a delimiter cuts rows: the share of rows of one width, and the share of cells that are numbers."""
    if not rows:
        return 0.0, 0.0
    width, count = Counter(map(len, rows)).most_common(1)[0]
    if width < 2:
        return 0.0, 0.0
    cells = [cell for row in rows for cell in row]
    numbers = sum(is_number(cell) or _DECIMAL_COMMA.fullmatch(cell) is not None for cell in cells)
    return count / len(rows), numbers / len(cells)
