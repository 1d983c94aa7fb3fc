"""JSON lines as a stream: one object per line, its keys being the columns.

The keys of the first 1,000 objects are the columns, in order of first appearance; a column is numeric if all its values
there are numbers. A key that an object lacks, and null, are missing; true and false are the values of a nominal column.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from typing import Any

from streamboost.streams.base import DataError
from streamboost.streams.readers.columns import ExpectedColumns, FirstRows, plan_columns
from streamboost.streams.readers.source import HEAD_BYTES, HEAD_ROWS
from streamboost.streams.readers.tables import RowStream


class JsonLinesStream(RowStream):
    """One file of JSON lines (plain or gzip) or standard input (``-``).

    The parameters are those of :class:`CsvStream`, of which it needs no ``header`` and no ``delimiter``. The label is by default
    the key ``label`` if there is one, else the last key of the first object.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        label: str | None = None,
        nominal: Sequence[str] | None = None,
        drop: Sequence[str] | None = None,
        on_bad_line: str = "stop",
        expected: ExpectedColumns | None = None,
    ) -> None:
        super().__init__(path, on_bad_line=on_bad_line)
        self._why_numeric = f" (by its first {HEAD_ROWS:,} rows it is numeric)" if expected is None else ""
        self._accepts_more = expected is not None
        seen: dict[str, list[Any]] = {}
        n_bytes = 0
        for count, (_, entry, length) in enumerate(self._objects(self._blocks.look()), start=1):
            n_bytes += length
            for key, value in entry.items():
                seen.setdefault(key, []).append(value)
            if count == HEAD_ROWS or n_bytes > HEAD_BYTES:
                break
        self._blocks.rewind()
        if not seen:
            self._end_pass(0)
        if label is None and "label" in seen:
            label = "label"
        for name in expected.names or () if expected is not None else ():
            seen.setdefault(name, [])  # a key that no object has is missing everywhere
        columns = list(seen)
        self._place = {name: at for at, name in enumerate(columns)}
        head = FirstRows(
            file=self.name,
            columns=columns,
            named=True,
            numeric=[all(map(_is_number, values)) for values in seen.values()],
            seen=[{value for value in values if _is_plain(value)} for values in seen.values()],
        )
        if expected is not None and expected.names is None:
            raise DataError(f"{self.name}: JSON has names, but the model knows its columns by position only.")
        self._set_plan(plan_columns(head, label=label, nominal=nominal, drop=drop, expected=expected))

    def _rows(self) -> Iterator[tuple[int, Sequence[Any]]]:
        width = len(self._plan.columns)
        for line, entry, _ in self._objects(iter(self._blocks)):
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
                yield line, entry, len(text)
            else:
                self._bad(line, "not a JSON object: {...} is expected.")


def _is_plain(value: Any) -> bool:
    return (
        value is not None
        and not isinstance(value, (list, dict))
        and not (_is_number(value) and math.isnan(value))
    )


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, float) and not isinstance(value, bool))
