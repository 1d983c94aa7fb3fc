"""Streams of rows with columns: what they know about themselves, and the two ways to read them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost import _core
from streamboost.streams.base import DEFAULT_CHUNK_SIZE, Chunk, DataError, Label, check_chunk_size
from streamboost.streams.readers.columns import IGNORED, MISSING, NUMBER, ColumnPlan, label_array
from streamboost.streams.readers.source import FileStream, numbers_to_labels, whole

Arrays = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.int64]]
MOST_TEXTS = 1_000_000
"""Different values of a nominal column; the native parser has the same bound."""

Row = tuple[int, str, list[str]]  # line number, what is wrong with it, cells


class PlannedStream(FileStream, ABC):
    """A file whose columns have their places: in the order of the file, or in that of a model."""

    _plan: ColumnPlan

    def _set_plan(self, plan: ColumnPlan) -> None:
        self._plan = plan
        self.labels_are_text = plan.label_kind == "text"
        self.feature_names: tuple[str, ...] | None = plan.feature_names
        self.n_features: int | None = plan.n_features
        self.nominal: npt.NDArray[np.bool_] | None = plan.nominal
        self.ignored = plan.ignored

    @property
    def named(self) -> bool:
        """Whether the names of the columns come from the file: numbers of columns are no names."""
        return self._plan.named

    @property
    def label_name(self) -> str | None:
        """The name of the label column; None if there is none."""
        at = self._plan.label_at
        return None if at is None else self._plan.columns[at]

    @property
    def categories(self) -> dict[str, tuple[str, ...]]:
        """The values of the nominal columns read so far, in the order of their codes."""
        return {self._plan.feature_names[slot]: values for slot, values in self.column_values.items()}

    @property
    def column_values(self) -> dict[int, tuple[str, ...]]:
        """The same by the number of the column."""
        assert self.nominal is not None
        return {slot: tuple(self._values(slot)) for slot in np.flatnonzero(self.nominal).tolist()}

    @abstractmethod
    def _values(self, slot: int) -> Sequence[str]:
        """The values of a nominal column met so far, by their codes."""

    @abstractmethod
    def _label_texts(self) -> Sequence[str]:
        """The labels met so far, by their codes."""

    @abstractmethod
    def _arrays(self, size: int) -> Iterator[Arrays]:
        """Rows, labels (numbers or codes) and lines, ``size`` at a time."""

    def find_classes(self) -> tuple[Label, ...]:
        """The labels, sorted, after a pass over the file."""
        if self._found is None:
            seen: set[float] = set()
            for _, values, _ in self._arrays(DEFAULT_CHUNK_SIZE):
                seen.update(np.unique(values).tolist())
            if self.labels_are_text:
                texts = self._label_texts()
                self._found = tuple(sorted(texts[int(code)] for code in seen))
            else:
                self._found = numbers_to_labels(seen)
        return self._found

    def chunks(self, size: int = DEFAULT_CHUNK_SIZE) -> Iterator[Chunk]:
        """The rows; nominal values are coded in order of first appearance in the file."""
        check_chunk_size(size)
        for X, labels, lines in self._arrays(size):
            texts = self._label_texts() if self.labels_are_text else ()
            yield Chunk(X, label_array(labels, self._plan.label_kind, texts), lines)

    def _cell_reason(self, bad: str, column: int, token: str) -> str | None:
        """What is wrong with a cell."""
        plan = self._plan
        where = f"column {plan.columns[column]!r}: " if column < len(plan.columns) else ""
        if bad == "label_missing":
            if self.labels_are_text:
                return where + "no label."
            expected = "whole numbers" if plan.label_kind == "whole" else "numbers"
            return f"a missing or infinite label where the labels are {expected}."
        if bad in ("value_not_number", "value_infinite"):
            return f"{where}{token!r} is not a finite number{self._why_numeric}."
        return {
            "undeclared": f"{where}{token!r} is not one of the declared values.",
            "too_many_values": f"{where}more than a million values; an identifier can be left out with --drop.",
            "quote_followed": f"{where}text behind the closing quote.",
            "nested": f"{where}a value inside a value; only numbers, texts, true, false and null can be read.",
        }.get(bad)

    _why_numeric = ""


class TableStream(PlannedStream):
    """Rows of cells, read by the native parser as its plan says."""

    _parser: _core.CsvParser

    def _set_plan(self, plan: ColumnPlan) -> None:
        super()._set_plan(plan)
        self._parser = self._new_parser()

    @abstractmethod
    def _new_parser(self) -> _core.CsvParser:
        """A parser that knows the plan and has read nothing."""

    def _values(self, slot: int) -> Sequence[str]:
        return self._parser.values(slot)

    def _label_texts(self) -> Sequence[str]:
        return self._parser.labels

    def _arrays(self, size: int) -> Iterator[Arrays]:
        parser = self._parser = self._new_parser()
        for _ in self._fill(parser, size):
            yield parser.take()

    def _reason(self, bad: str, line: int, column: int, number: int, token: str) -> str:
        if bad in ("width", "quote_open"):
            return row_reason(
                (line, "none" if bad == "width" else bad, [""] * number), len(self._plan.columns)
            )
        return self._cell_reason(bad, column, token) or super()._reason(bad, line, column, number, token)

    def _good_rows(self, rows: list[Row], width: int) -> list[Row]:
        """The first rows without the bad ones; where bad lines stop a run, they stop it here."""
        good = [row for row in rows if row[1] == "none" and len(row[2]) == width]
        if len(good) < len(rows) and not self.skips_bad_lines:
            row = next(row for row in rows if row[1] != "none" or len(row[2]) != width)
            raise DataError(f"{self.name}, line {row[0]}: {row_reason(row, width)}")
        return good

    def _check_labels(self, rows: list[Row]) -> None:
        # A label is never missing, so an empty one may not hide behind a numeric column.
        at = self._plan.label_at
        if at is None or self.skips_bad_lines:
            return
        for line, _, cells in rows:
            if cells[at] in MISSING:
                raise DataError(f"{self.name}, line {line}: column {self.label_name!r}: no label.")


def row_reason(row: Row, width: int) -> str:
    """What is wrong with a row as a whole."""
    bad, cells = row[1], row[2]
    if bad == "none":
        return f"{len(cells)} cells where the first row has {width}."
    return {
        "quote_open": "unexpected end of data: a quote is not closed.",
        "quote_followed": "text behind the closing quote.",
        "zero_byte": "not a text file (a zero byte).",
    }.get(bad, "not a text file in UTF-8.")


class BadCell(Exception):
    """A cell that cannot be used: reason, column of the file, what was found."""


class CodedStream(PlannedStream):
    """A stream that gives out codes itself."""

    def _set_plan(self, plan: ColumnPlan) -> None:
        super()._set_plan(plan)
        self._start_codes()

    def _start_codes(self) -> None:
        self._codes = [{text: code for code, text in enumerate(values)} for values in self._plan.values]
        self._label_codes: dict[str, int] = {}

    def _values(self, slot: int) -> Sequence[str]:
        return list(self._codes[slot])

    def _label_texts(self) -> Sequence[str]:
        return list(self._label_codes)


class RowStream(CodedStream):
    """Rows of values (numbers, texts or None) that are made in Python, one after the other."""

    @abstractmethod
    def _rows(self) -> Iterator[tuple[int, Any]]:
        """Line and values, in the order of the file's columns, of every line that can be understood."""

    def _set_plan(self, plan: ColumnPlan) -> None:
        super()._set_plan(plan)
        cells = enumerate(zip(plan.kinds, plan.slots, strict=True))
        self._cell_plan = [(at, slot, kind == NUMBER) for at, (kind, slot) in cells if kind != IGNORED]

    def _arrays(self, size: int) -> Iterator[Arrays]:
        self._begin_pass()
        self._start_codes()
        rows = self._good()
        n_rows = 0
        while kept := list(islice(rows, size)):
            n_rows += len(kept)
            X = self._matrix([values for _, values, _ in kept])
            labels = np.array([label for _, _, label in kept], dtype=np.float64)
            yield X, labels, np.array([line for line, _, _ in kept], dtype=np.int64)
        self._end_pass(n_rows)

    def _matrix(self, rows: list[Any]) -> Any:
        return np.array(rows, dtype=np.float64)

    def _good(self) -> Iterator[tuple[int, Any, float]]:
        """Line, numbers and codes, label (number or code) of every row that can be used."""
        for line, values in self._rows():
            try:
                yield (line, *self._read(values))
            except BadCell as error:
                bad, column, token = error.args
                reason = self._cell_reason(bad, column, token)
                self._bad(line, reason or self._reason(bad, line, column, 0, token))

    def _read(self, values: Any) -> tuple[Any, float]:
        """Numbers and codes; codes are given out only when nothing else can be wrong with the row."""
        plan = self._plan
        out = [math.nan] * plan.n_features
        label: float | str = math.nan
        texts: list[tuple[int, str]] = []
        for at, slot, numeric in self._cell_plan:
            if slot < 0:
                label = self._read_label(values[at])
            elif numeric:
                value = values[at]
                # Most cells are finite numbers already; the rest is looked at more closely.
                out[slot] = value if type(value) is float and value - value == 0.0 else to_number(value, at)
            else:
                text = to_text(values[at], at)
                if text is not None:
                    _check_room(self._codes[slot], text, at)
                    texts.append((slot, text))
        for slot, text in texts:
            codes = self._codes[slot]
            out[slot] = float(codes.setdefault(text, len(codes)))
        return out, self._label_code(label)

    def _read_label(self, value: Any) -> float | str:
        """A number or a text; never a missing one."""
        at = self._plan.label_at or 0
        if self.labels_are_text:
            text = to_text(value, at)
            if text is None:
                raise BadCell("label_missing", at, "")
            _check_room(self._label_codes, text, at)
            return text
        number = to_number(value, at)
        if math.isnan(number):
            raise BadCell("label_missing", at, "")
        if self._plan.label_kind == "whole" and not whole([number]):
            raise BadCell("label_not_whole", at, f"{number:g}")
        return number

    def _label_code(self, label: float | str) -> float:
        if isinstance(label, str):
            return float(self._label_codes.setdefault(label, len(self._label_codes)))
        return label


def _check_room(codes: dict[str, int], text: str, at: int) -> None:
    if len(codes) >= MOST_TEXTS and text not in codes:
        raise BadCell("too_many_values", at, text)


def to_number(value: Any, at: int) -> float:
    """A value of a numeric column; NaN where it is missing."""
    if value is None:
        return math.nan
    if isinstance(value, (bool, str)):
        if value in MISSING:
            return math.nan
        raise BadCell("value_not_number", at, to_text(value, at) or "")
    if isinstance(value, (list, dict)):
        raise BadCell("nested", at, "")
    number = float(value)
    if math.isinf(number):
        raise BadCell("value_infinite", at, str(value))
    return number


def to_text(value: Any, at: int) -> str | None:
    """A value of a nominal column; None where it is missing."""
    if isinstance(value, str):
        text = value.strip()
        return None if text in MISSING else text
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, dict)):
        raise BadCell("nested", at, "")
    if value is None or value != value:
        return None
    if math.isinf(value):
        raise BadCell("value_infinite", at, str(value))
    return str(int(value)) if value == int(value) and abs(value) < 2.0**53 else repr(value)
