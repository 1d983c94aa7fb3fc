"""Streams of rows with columns: what they know about themselves, and the two ways to read them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from streamboost import _core
from streamboost.base.inputs.arrays import LARGEST
from streamboost.base.inputs.weights import LARGEST_WEIGHT
from streamboost.streams.base import DEFAULT_CHUNK_SIZE, Chunk, Coding, DataError, Label, check_chunk_size
from streamboost.streams.readers.columns import (
    IGNORED,
    MISSING,
    NUMBER,
    ColumnPlan,
    MissingMarkers,
    label_array,
)
from streamboost.streams.readers.limits import CHUNK_CELLS, way_out
from streamboost.streams.readers.source import PAUSE, FileStream, batches, is_number, numbers_to_labels, whole

Arrays = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.int64]]
MOST_TEXTS = 1_000_000
"""Different values of a nominal column; the native parser has the same bound."""
MOST_LABELS = 65_536
"""Different labels, likewise."""
NOT_LABELLED = -1
"""In the place of the code of a label that nobody knows."""

Row = tuple[int, str, list[str]]  # line number, what is wrong with it, cells


class PlannedStream(FileStream, ABC):
    """A file whose columns have their places: in the order of the file, or in that of a model."""

    _plan: ColumnPlan
    _coding: Coding
    _markers = MissingMarkers()

    def _set_plan(self, plan: ColumnPlan) -> None:
        self._plan = plan
        self._start_coding()
        self.labels_are_text = plan.label_kind == "text"
        self.feature_names: tuple[str, ...] | None = plan.feature_names
        self.n_features: int | None = plan.n_features
        self.nominal: npt.NDArray[np.bool_] | None = plan.nominal
        self.ignored = plan.ignored
        self.dates = plan.dates

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
    def label_why(self) -> str:
        """Why this column is the label, where nobody has said so."""
        return self._plan.label_why

    @property
    def categories(self) -> dict[str, tuple[str, ...]]:
        """The values of the nominal columns read so far, in the order of their codes."""
        return {self._plan.feature_names[slot]: values for slot, values in self.column_values.items()}

    @property
    def kinds(self) -> dict[str, str]:
        """Columns of texts, identifiers and codes: text, identifier or code."""
        return {self._plan.feature_names[slot]: kind for slot, kind in self._plan.words.items()}

    @property
    def column_values(self) -> dict[int, tuple[str, ...]]:
        """The same by the number of the column."""
        self._follow_codes()
        return {slot: tuple(values) for slot, values in self._texts.items()}

    @property
    def missing_met(self) -> tuple[str, ...]:
        """The markers of missing values that were met so far, beside the empty cell and ``?``."""
        return ()

    def _start_coding(self) -> None:
        """Codes begin anew, with those that a model or the header of the file has given out."""
        plan = self._plan
        self._texts: dict[int, list[Any]] = {
            slot: plan.coded_values(slot) for slot in np.flatnonzero(plan.nominal).tolist()
        }
        self._labels: list[str] = []
        self._coding = Coding(plan.coded_names, self._texts, self._labels, plan.words)

    def _follow_codes(self) -> None:
        """Take over the texts that have got codes since the last time."""
        for slot, known in self._texts.items():
            known.extend(self._new_values(slot, len(known)))
        if self.labels_are_text:
            self._labels.extend(self._new_labels(len(self._labels)))

    @abstractmethod
    def _new_values(self, slot: int, start: int) -> Sequence[str]:
        """The values of a nominal column by their codes, from one on."""

    @abstractmethod
    def _new_labels(self, start: int) -> Sequence[str]:
        """The labels by their codes, from one on."""

    @abstractmethod
    def _arrays(self, size: int) -> Iterator[Arrays]:
        """Rows, labels (numbers or codes) and lines, ``size`` at a time."""

    def find_classes(self) -> tuple[Label, ...]:
        """The labels, sorted, after a pass over the file."""
        if self._found is None:
            self._start_coding()
            seen: set[float] = set()
            for _, values, _ in self._arrays(DEFAULT_CHUNK_SIZE):
                seen.update(np.unique(values[~np.isnan(values)]).tolist())
            if self.labels_are_text:
                self._follow_codes()
                self._found = tuple(sorted(self._labels[int(code)] for code in seen))
            else:
                self._found = numbers_to_labels(seen)
        return self._found

    def chunks(self, size: int = DEFAULT_CHUNK_SIZE) -> Iterator[Chunk]:
        """The rows; nominal values are coded in order of first appearance in the file."""
        check_chunk_size(size)
        self._start_coding()
        n_rows = 0
        for X, labels, lines in self._arrays(min(size, max(1, CHUNK_CELLS // self._plan.n_slots))):
            weight = None
            if self._plan.weight_at is not None:
                X, labels, lines, weight = self._weighted(X, labels, lines)
            n_rows += len(lines)
            if not len(lines):
                continue
            self._follow_codes()
            codes = None
            if self.labels_are_text:
                codes = np.where(np.isnan(labels), NOT_LABELLED, labels).astype(np.int32)
            y = label_array(labels, self._plan.label_kind, self._labels)
            yield Chunk(X, y, lines, weight, self._coding, codes)
        if not n_rows:
            self._end_pass(0)

    def _weighted(
        self, X: Any, labels: npt.NDArray[np.float64], lines: npt.NDArray[np.int64]
    ) -> tuple[Any, npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.float64] | None]:
        """Take the column of weights off; a row without a weight that can be used is bad."""
        width = self._plan.n_features
        weight = np.asarray(X[:, width].toarray()).ravel() if issparse(X) else X[:, width]
        good = (weight >= 0) & (weight <= LARGEST_WEIGHT)
        for row in np.flatnonzero(~good).tolist():
            name = self._plan.columns[self._plan.weight_at or 0]
            self._bad(int(lines[row]), f"column {name!r}: the weight {weight[row]:g} is not from 0 to 2^53.")
        X, labels, lines, weight = X[good, :width], labels[good], lines[good], weight[good]
        return X, labels, lines, None if (weight == 1.0).all() else np.ascontiguousarray(weight)

    def _meet_fault(self, bad: str, line: int, column: int, number: int, token: str) -> None:
        if bad == "label_missing" and "inf" not in token.lower():
            self.n_unlabeled += 1
            return
        reason = self._cell_reason(bad, column, token)
        self._bad(line, reason or self._reason(bad, line, column, number, token))

    def _cell_reason(self, bad: str, column: int, token: str) -> str | None:
        """What is wrong with a cell."""
        plan = self._plan
        where = f"column {plan.columns[column]!r}: " if column < len(plan.columns) else ""
        if bad == "label_missing":
            expected = "whole numbers" if plan.label_kind == "whole" else "numbers"
            return f"an infinite label where the labels are {expected}."
        if bad == "value_not_number" and token and self._takes_markers:
            return (
                f"{where}{token!r} is not a finite number{self._why_numeric}. If it stands for a missing value, say so "
                f"with na_values=[{token[:40]!r}]."
            )
        if bad == "value_too_large":
            return f"{where}{token!r} is not a number from -{LARGEST:.0e} to {LARGEST:.0e}."
        if bad == "value_not_number":
            return f"{where}{token!r} is not a finite number{self._why_numeric}."
        limits = self._limits
        return {
            "undeclared": f"{where}{token!r} is not one of the declared values.",
            "too_many_values": f"{where}more than a million values; an identifier can be left out with drop=.",
            "too_many_labels": f"{where}more than {MOST_LABELS:,} labels; is it the column of the label?",
            "cell_too_long": f"{where}a value of {len(token):,} characters or more. {way_out('cell', limits.cell)}",
            "label_too_long": f"{where}a label of {len(token):,} characters or more. {way_out('label', limits.label)}",
            "too_much_text": f"{where}the different values of all columns are too long together; columns can be left "
            f"out with drop=. {way_out('texts', limits.texts)}",
            "quote_followed": f"{where}text behind the closing quote.",
            "nested": f"{where}a value inside a value; only numbers, texts, true, false and null can be read.",
        }.get(bad)

    _why_numeric = ""
    _takes_markers = False


class TableStream(PlannedStream):
    """Rows of cells, read by the native parser as its plan says."""

    _parser: _core.CsvParser

    def _set_plan(self, plan: ColumnPlan) -> None:
        super()._set_plan(plan)
        self._parser = self._new_parser()

    @abstractmethod
    def _new_parser(self) -> _core.CsvParser:
        """A parser that knows the plan and has read nothing."""

    def _new_values(self, slot: int, start: int) -> Sequence[str]:
        return self._parser.values(slot, start)

    def _new_labels(self, start: int) -> Sequence[str]:
        return self._parser.labels(start)

    @property
    def missing_met(self) -> tuple[str, ...]:
        """The markers of missing values that were met so far, beside the empty cell and ``?``."""
        return tuple(text for text in self._parser.missing_met if text not in MISSING)

    def _parser_options(self) -> dict[str, Any]:
        """What every parser of a table is told beside the dialect."""
        plan, markers = self._plan, self._markers
        return {
            "kinds": plan.kinds,
            "slots": plan.slots,
            "label": plan.label_kind,
            "values": [*plan.values, *([[]] if plan.weight_at is not None else [])],
            "missing": markers.anywhere,
            "missing_numbers": markers.numbers,
            "limits": self._limits.of_parser(),
            "keep_unlabeled": self.shows_unlabeled,
        }

    def _arrays(self, size: int) -> Iterator[Arrays]:
        parser = self._parser = self._new_parser()
        for _ in self._fill(parser, size):
            yield parser.take()

    def _reason(self, bad: str, line: int, column: int, number: int, token: str) -> str:
        if bad in ("width", "quote_open", "row_too_long"):
            row = (line, "none" if bad == "width" else bad, [""] * min(number, 1 << 30))
            return row_reason(row, len(self._plan.columns))
        return self._cell_reason(bad, column, token) or super()._reason(bad, line, column, number, token)

    def _good_rows(self, rows: list[Row], width: int) -> list[Row]:
        """The first rows without the bad ones; where bad lines stop a run, they stop it here."""
        good = [row for row in rows if row[1] == "none" and len(row[2]) == width]
        bad = [row for row in rows if row[1] != "none" or len(row[2]) != width]
        half = self.live and self._source.ends_open and bad == rows[-1:]
        if bad and not self.skips_bad_lines and not half:
            raise DataError(f"{self.name}, line {bad[0][0]}: {row_reason(bad[0], width)}")
        return good


def row_reason(row: Row, width: int) -> str:
    """What is wrong with a row as a whole."""
    bad, cells = row[1], row[2]
    if bad == "none":
        return f"{len(cells)} cells where the first row has {width}."
    return {
        "quote_open": "unexpected end of data: a quote is not closed.",
        "row_too_long": "a quote is not closed, or a row over several lines is too long. limits={'cell': ...} raises "
        "what it may have, eight times a cell.",
        "quote_followed": "text behind the closing quote.",
        "zero_byte": "not a text file (a zero byte).",
    }.get(bad, "not a text file in UTF-8; another encoding is named as encoding='latin-1'.")


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
        self._n_text = 0

    def _new_values(self, slot: int, start: int) -> Sequence[str]:
        codes = self._codes[slot]
        return list(islice(codes, start, None)) if len(codes) > start else ()

    def _new_labels(self, start: int) -> Sequence[str]:
        return list(islice(self._label_codes, start, None)) if len(self._label_codes) > start else ()

    def _check_text(self, codes: dict[str, int], text: str, at: int) -> None:
        """Refuse a value that would get a code and is too much for memory."""
        if text in codes:
            return
        limits, is_label = self._limits, codes is self._label_codes
        n_bytes = len(text.encode(errors="replace"))
        if is_label and n_bytes > limits.label:
            raise BadCell("label_too_long", at, text[:200])
        if n_bytes > limits.cell:
            raise BadCell("cell_too_long", at, text[:200])
        if len(codes) >= (MOST_LABELS if is_label else MOST_TEXTS):
            raise BadCell("too_many_labels" if is_label else "too_many_values", at, text)
        if self._n_text + n_bytes > limits.texts:
            raise BadCell("too_much_text", at, "")

    def _code(self, codes: dict[str, int], text: str) -> float:
        """The code of a text that was checked; a new one if need be."""
        code = codes.get(text)
        if code is None:
            code = codes[text] = len(codes)
            self._n_text += len(text.encode(errors="replace"))
        return float(code)


class RowStream(CodedStream):
    """Rows of values (numbers, texts or None) that are made in Python, one after the other."""

    @abstractmethod
    def _rows(self) -> Iterator[tuple[int, Any]]:
        """Line and values, in the order of the file's columns, of every line that can be understood; and the pauses."""

    def _set_plan(self, plan: ColumnPlan) -> None:
        super()._set_plan(plan)
        cells = enumerate(zip(plan.kinds, plan.slots, strict=True))
        self._met: set[str] = set()
        self._cell_plan = [(at, slot, kind == NUMBER) for at, (kind, slot) in cells if kind != IGNORED]

    def _arrays(self, size: int) -> Iterator[Arrays]:
        self._begin_pass()
        self._start_codes()
        self._met.clear()
        rows = self._good()
        n_rows = 0
        for kept in batches(rows, size):
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
            if line == PAUSE:
                yield PAUSE, None, math.nan
                continue
            try:
                yield (line, *self._read(values))
            except BadCell as error:
                bad, column, token = error.args
                self._meet_fault(bad, line, column, 0, token)

    def _read(self, values: Any) -> tuple[Any, float]:
        """Numbers and codes; codes are given out only when nothing else can be wrong with the row."""
        plan = self._plan
        out = [math.nan] * plan.n_slots
        label: float | str = math.nan
        texts: list[tuple[int, str]] = []
        sentinels = self._markers.numbers_too
        for at, slot, numeric in self._cell_plan:
            if slot < 0:
                label = self._read_label(values[at])
            elif numeric:
                value = values[at]
                # Most cells are usable numbers already; the rest is looked at more closely.
                is_plain = type(value) is float and -LARGEST <= value <= LARGEST
                number = value if is_plain else self._number(value, at)
                out[slot] = self._meet(number) if number in sentinels else number
            else:
                text = to_text(values[at], at)
                if text and not self._is_missing(text, self._codes[slot]):
                    self._check_text(self._codes[slot], text, at)
                    texts.append((slot, text))
        for slot, text in texts:
            out[slot] = self._code(self._codes[slot], text)
        return out, self._label_code(label)

    def _number(self, value: Any, at: int) -> float:
        if isinstance(value, str) and value.strip() in self._markers.of_number:
            self._met.add(value.strip())
            return math.nan
        return to_number(value, at)

    def _meet(self, number: float) -> float:
        """A number that stands for a missing value."""
        self._met.update(text for text in self._markers.anywhere if is_number(text) and float(text) == number)
        return math.nan

    def _is_missing(self, text: str, codes: dict[str, int]) -> bool:
        if text not in self._markers.of_text or text in codes:
            return False
        self._met.add(text)
        return True

    @property
    def missing_met(self) -> tuple[str, ...]:
        """The markers of missing values that were met so far, beside the empty cell and ``?``."""
        return tuple(sorted(self._met - MISSING))

    def _read_label(self, value: Any) -> float | str:
        """A number or a text; NaN for a missing one, where such rows are kept."""
        at = self._plan.label_at or 0
        if self.labels_are_text:
            text = to_text(value, at)
            if text is None or text in MISSING:
                return self._no_label(at)
            self._check_text(self._label_codes, text, at)
            return text
        number = self._number(value, at)
        if math.isnan(number):
            return self._no_label(at)
        if self._plan.label_kind == "whole" and not whole([number]):
            raise BadCell("label_not_whole", at, f"{number:g}")
        return number

    def _no_label(self, at: int) -> float:
        if not self.shows_unlabeled:
            raise BadCell("label_missing", at, "")
        return math.nan

    def _label_code(self, label: float | str) -> float:
        if isinstance(label, str):
            return self._code(self._label_codes, label)
        return label


def to_number(value: Any, at: int) -> float:
    """A value of a numeric column; NaN where it is missing."""
    if value is None:
        return math.nan
    if isinstance(value, (bool, str)):
        raise BadCell("value_not_number", at, to_text(value, at) or "")
    if isinstance(value, (list, dict)):
        raise BadCell("nested", at, "")
    number = float(value)
    if abs(number) > LARGEST:
        raise BadCell("value_too_large", at, str(value))
    return number


def to_text(value: Any, at: int) -> str | None:
    """A value of a nominal column; None where it is missing."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, dict)):
        raise BadCell("nested", at, "")
    if value is None or value != value:
        return None
    if math.isinf(value):
        raise BadCell("value_too_large", at, str(value))
    return str(int(value)) if value == int(value) and abs(value) < 2.0**53 else repr(value)
