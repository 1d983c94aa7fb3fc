"""Columns of dates and times in files: left out, or taken apart (base/inputs/dates.py).

A model that has learned parts knows them by their names, so its files are read the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.base.inputs.dates import PARTS, WrittenDate, part_name, taken_apart
from streamboost.streams.base import DEFAULT_CHUNK_SIZE, Chunk, Coding, DataError, PartOfStream, Stream
from streamboost.streams.readers.columns import ExpectedColumns


@dataclass(frozen=True)
class DateForm:
    """How the dates of a column are written, and the parts that it has."""

    day_first: bool | None
    parts: tuple[str, ...]

    @classmethod
    def of(cls, where: str, texts: Sequence[str], *, said: bool | None, learned: bool | None) -> DateForm:
        """By the first rows. Which comes first, day or month: what the user says, the rows show or the model has learned."""
        found = [written for written in map(WrittenDate.read, texts) if written is not None]
        if not found:
            raise DataError(
                f"{where} holds dates or times in a form that cannot be read ({texts[0]!r}); write them as 2024-12-31 18:30, or "
                "leave the column out with drop= or dates='drop'."
            )
        dated = any(written.has_day for written in found)
        whole = {"days": dated, "weekday": dated, "hour": any(written.has_hour for written in found)}
        last = [written for written in found if written.year_last]
        day_first = said if said is not None or not last else _day_first(last, learned)
        if last and day_first is None:
            raise DataError(
                f"{where}: in dates like {min(texts)!r} nobody can tell the day from the month; say which comes first with "
                "dates='day-first' or dates='month-first', or leave the column out with drop= or dates='drop'."
            )
        return cls(day_first, tuple(part for part in PARTS if whole[part.partition(" ")[0]]))

    def numbers(self, text: str) -> dict[str, float] | None:
        """The parts of one cell; None if it is no date."""
        written = WrittenDate.read(text)
        return None if written is None else written.parts(self.day_first)


def _day_first(dates: Sequence[WrittenDate], learned: bool | None) -> bool | None:
    """Only one of the two numbers can be above 12; None if nothing tells which is the day."""
    first, second = (any(d.day_and_month[at] > 12 for d in dates) for at in (0, 1))
    if first != second:
        return first
    if first:
        return None
    return learned if learned is not None else True if all(d.dotted for d in dates) else None


@dataclass(frozen=True)
class DatesOfModel:
    """The dates among a model's columns: which parts it has of each, and the model as the file has it."""

    parts: dict[str, tuple[str, ...]]
    expected: ExpectedColumns

    @property
    def day_first(self) -> Mapping[str, bool]:
        """Where the day came before the month, and where not."""
        return self.expected.day_first


def dates_of_model(expected: ExpectedColumns | None) -> DatesOfModel | None:
    """What a model that has learned parts of dates expects of a file; None if it has none."""
    if expected is None or expected.names is None:
        return None
    names: list[Any] = []
    values: list[Any] = []
    parts: dict[str, tuple[str, ...]] = {}
    for name, known in zip(expected.names, expected.values, strict=True):
        column, part = taken_apart(name)
        if part is None or known is not None:
            names.append(name)
            values.append(known)
            continue
        if column not in parts:
            names.append(column)
            values.append(())
        parts[column] = (*parts.get(column, ()), part)
    if not parts:
        return None
    return DatesOfModel(parts, replace(expected, names=tuple(names), values=tuple(values)))


class DatedStream(PartOfStream):
    """A stream of a file whose columns of dates, read as values, are taken apart."""

    def __init__(self, whole: Any, forms: dict[str, DateForm]) -> None:
        super().__init__(whole)
        self._columns = names = whole.feature_names
        self._forms = {names.index(column): form for column, form in forms.items()}
        self.day_first = {
            column: form.day_first for column, form in forms.items() if form.day_first is not None
        }
        self._names: list[str] = []
        self._from: list[
            tuple[int, str | None]
        ] = []  # of each column: that of the file, and which part of it
        for at, name in enumerate(names):
            form = self._forms.get(at)
            for part in (None,) if form is None else form.parts:
                self._names.append(name if part is None else part_name(name, part))
                self._from.append((at, part))
        self._known: dict[int, list[dict[str, float]]] = {}

    @property
    def n_features(self) -> int | None:
        """The number of columns, parts counted one by one."""
        return len(self._from)

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """The names of the columns and of the parts."""
        return tuple(self._names)

    @property
    def nominal(self) -> npt.NDArray[np.bool_] | None:
        """Which columns hold codes; parts do not."""
        mask = self.whole.nominal
        return np.array([part is None and mask is not None and bool(mask[at]) for at, part in self._from])

    def chunks(self, size: int = DEFAULT_CHUNK_SIZE) -> Iterator[Chunk]:
        """The rows from the first one on."""
        self._known = {at: [] for at in self._forms}
        coding: Coding | None = None
        inner: Coding | None = None
        for chunk in self.whole.chunks(size):
            if coding is None or chunk.coding is not inner:
                inner = chunk.coding
                coding = self._coding(inner)
            yield replace(chunk, X=self._apart(chunk, inner), coding=coding)

    def _coding(self, inner: Coding | None) -> Coding:
        assert inner is not None
        place = {at: slot for slot, (at, part) in enumerate(self._from) if part is None}
        values = {place[at]: texts for at, texts in inner.values.items() if at in place}
        words = {place[at]: kind for at, kind in inner.words.items() if at in place}
        names = None if inner.names is None else tuple(self._names)
        return replace(inner, names=names, values=values, words=words)

    def _apart(self, chunk: Chunk, coding: Coding | None) -> npt.NDArray[np.float64]:
        assert coding is not None
        tables = {at: self._table(at, coding.values[at], chunk) for at in self._forms}
        columns = []
        for at, part in self._from:
            cells = np.asarray(chunk.X[:, at], dtype=np.float64)
            if part is not None:
                codes = np.where(np.isnan(cells), len(tables[at][part]) - 1, cells).astype(np.intp)
                cells = tables[at][part][codes]  # the last entry stands for a missing cell
            columns.append(cells)
        return np.column_stack(columns)

    def _table(self, at: int, texts: Sequence[str], chunk: Chunk) -> dict[str, npt.NDArray[np.float64]]:
        form, known = self._forms[at], self._known[at]
        for text in texts[len(known) :]:
            numbers = form.numbers(text)
            if numbers is None:
                order = (
                    ""
                    if WrittenDate.read(text) is None
                    else f" with the {'day' if form.day_first else 'month'} first"
                )
                raise DataError(
                    f"{self.name}, near line {int(chunk.lines[0])}: column {self._columns[at]!r}: {text!r} is no date{order}."
                )
            known.append(numbers)
        return {
            part: np.array([*(numbers.get(part, np.nan) for numbers in known), np.nan]) for part in form.parts
        }


def with_dates(stream: Stream, forms: dict[str, DateForm]) -> Stream:
    """The stream with its columns of dates taken apart."""
    return DatedStream(stream, forms) if forms else stream
