"""JSON lines as a stream: one object per line, its keys being the columns.

The keys of the first 1,000 objects are the columns, in order of first appearance, those of objects inside them joined by a
dot; a column is numeric if all its values there are numbers. A key that an object lacks, and null, are missing; true and
false are the values of a nominal column.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from streamboost.streams.base import DataError, warn_of_data
from streamboost.streams.readers.columns import (
    Choice,
    ExpectedColumns,
    FirstRows,
    MissingMarkers,
    label_by_name,
    plan_columns,
    shown_names,
)
from streamboost.streams.readers.source import HEAD_BYTES, HEAD_ROWS, PAUSE, is_number
from streamboost.streams.readers.tables import RowStream

LONGEST_PREFIX = 100


class JsonLinesStream(RowStream):
    """One file of JSON lines (plain or gzip) or standard input (``-``).

    The parameters are those of :class:`CsvStream`, of which it needs no ``header`` and no ``delimiter``. The label is by default
    the key that is called ``label``, ``class``, ``target`` or ``y``, else the last key of the first object.
    """

    _takes_markers = True

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        label: str | None = None,
        nominal: Sequence[str] | str | None = None,
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
        self._why_numeric = f" (by its first {HEAD_ROWS:,} rows it is numeric)" if expected is None else ""
        self._accepts_more = expected is not None
        rows = self._look(expected)
        why = ""
        if label is None and expected is None:
            label, why = _usual_label(rows, {*(drop or ()), weight})
        if self.skips_bad_lines:
            # A line that will be skipped says nothing about the columns.
            rows = [row for row in rows if _is_usable(row, label if expected is None else None)] or rows
        seen: dict[str, list[Any]] = {}
        for row in rows:
            for key, value in row.items():
                seen.setdefault(key, []).append(value)
        self._limits.check_columns(self.name, len(seen))
        of_model = expected.file_names or () if expected is not None else ()
        if of_model and not self.live and seen.keys().isdisjoint(of_model):
            raise DataError(
                f"{self.name}: no column that the model knows; it knows {shown_names(of_model)}, and there are "
                f"{shown_names(list(seen))}."
            )
        for name in of_model:
            seen.setdefault(name, [])  # a key that no object has is missing everywhere
        columns = list(seen)
        self._place = {name: at for at, name in enumerate(columns)}
        head = FirstRows(
            file=self.name,
            columns=columns,
            named=True,
            numeric=[all(map(self._is_number, values)) for values in seen.values()],
            seen=[{value for value in values if self._is_plain(value)} for values in seen.values()],
            n_filled=[sum(map(self._is_plain, values)) for values in seen.values()],
        )
        self._warn_of_quotes(head)
        if expected is not None and expected.names is None:
            raise DataError(f"{self.name}: JSON has names, but the model knows its columns by position only.")
        choice = Choice(label, nominal, drop, weight, expected, dates, text, identifier)
        plan = plan_columns(head, choice)
        self._set_plan(replace(plan, label_why=why))

    def _warn_of_quotes(self, head: FirstRows) -> None:
        quoted = {
            name: min(texts)
            for name, numeric, texts in zip(head.columns, head.numeric, head.seen, strict=True)
            if not numeric and len(texts) > 2 and all(isinstance(t, str) and is_number(t) for t in texts)
        }
        if quoted:
            shown = ", ".join(f"{name!r} ({text!r})" for name, text in list(quoted.items())[:3])
            warn_of_data(
                f"{self.name}: numbers in quotes are taken for words: column {shown}"
                f"{' and more' if len(quoted) > 3 else ''}; write them without quotes if they are meant as numbers."
            )

    def _look(self, expected: ExpectedColumns | None) -> list[dict[str, Any]]:
        """The first objects."""
        rows: list[dict[str, Any]] = []
        n_bytes = 0
        # A model that knows its columns need not wait for more than one object.
        enough = 1 if self.live and expected is not None else HEAD_ROWS
        for line, row, length in self._objects(self._blocks.look()):
            if line == PAUSE:
                continue
            rows.append(row)
            n_bytes += length
            if len(rows) == enough or n_bytes > HEAD_BYTES:
                break
        self._blocks.rewind()
        if not any(rows):
            self._end_pass(0)
        return rows

    def _is_number(self, value: Any) -> bool:
        if isinstance(value, str):
            return value.strip() in self._markers.of_number
        return value is None or isinstance(value, float)

    def _is_plain(self, value: Any) -> bool:
        if isinstance(value, str):
            return value.strip() not in self._markers.of_text
        return value is not None and value == value and not isinstance(value, (list, dict))

    def _cell_reason(self, bad: str, column: int, token: str) -> str | None:
        if bad == "value_not_number" and is_number(token):
            name = self._plan.columns[column]
            return f"column {name!r}: {token!r} is in quotes, and this is a column of numbers{self._why_numeric}."
        return super()._cell_reason(bad, column, token)

    def _rows(self) -> Iterator[tuple[int, Sequence[Any]]]:
        width = len(self._plan.columns)
        for line, entry, _ in self._objects(iter(self._blocks)):
            if line == PAUSE:
                yield PAUSE, ()
                continue
            values: list[Any] = [None] * width
            unknown = None
            for key, value in entry.items():
                at = self._place.get(key)
                if at is not None:
                    values[at] = value
                elif not self._accepts_more:
                    unknown = key
            if unknown is None:
                yield line, values
            else:
                self._bad(line, f"the key {unknown!r} is in none of the first {HEAD_ROWS:,} objects.")

    def _objects(self, blocks: Iterator[bytes]) -> Iterator[tuple[int, dict[str, Any], int]]:
        for line, text in self._text_lines(blocks):
            if line == PAUSE:
                yield PAUSE, {}, 0
                continue
            if not text or text.isspace():
                continue
            try:
                # Whole numbers too become doubles at once: Python's own have no bound.
                entry = json.loads(text, parse_int=float)
            except ValueError as error:
                self._bad(line, f"not JSON ({getattr(error, 'msg', 'a number that is too long')}).")
                continue
            except RecursionError:
                self._bad(line, "not JSON that can be read (values inside values inside values ...).")
                continue
            if isinstance(entry, dict):
                yield line, dict(_cells(entry)) if dict in map(type, entry.values()) else entry, len(text)
            else:
                self._bad(line, "not a JSON object: {...} is expected.")


def _cells(entry: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The cells of an object, those of objects inside it under joined names: ``{"user": {"id": 7}}`` has a ``user.id``.

    A bound of the names bounds what a hostile line can make of its bytes; an object beyond it is no cell and will be refused.
    """
    for key, value in entry.items():
        name = prefix + key
        if isinstance(value, dict) and len(name) < LONGEST_PREFIX:
            yield from _cells(value, name + ".")
        else:
            yield name, value


def _usual_label(rows: list[dict[str, Any]], skipped: set[str | None]) -> tuple[str | None, str]:
    """The key that is called as labels are called, else the last one of the first object; and why."""
    keys = [key for key in dict.fromkeys(key for row in rows for key in row) if key not in skipped]
    by_name = label_by_name(keys, range(len(keys)))
    if by_name is not None:
        return keys[by_name], "by its name"
    return next((key for key in reversed(rows[0]) if key not in skipped), None), "the last key"


def _is_usable(row: dict[str, Any], label: str | None) -> bool:
    """Whether nothing is wrong with an object whatever its columns are."""
    if label is not None and row.get(label) is None:
        return False
    return not any(
        isinstance(value, (list, dict)) or (isinstance(value, float) and math.isinf(value))
        for value in row.values()
    )
