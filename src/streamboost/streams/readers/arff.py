"""ARFF files as streams, dense and sparse: nominal attributes with their declared values, numeric ones, ``?`` for missing."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

import numpy as np
import scipy.sparse

from streamboost import _core
from streamboost.streams.base import DataError
from streamboost.streams.readers.columns import (
    DECLARED,
    NOMINAL,
    NUMBER,
    Choice,
    ColumnPlan,
    ExpectedColumns,
    FirstRows,
    MissingMarkers,
    label_by_name,
    plan_columns,
)
from streamboost.streams.readers.limits import Limits, way_out
from streamboost.streams.readers.source import (
    HEAD_BYTES,
    HEAD_ROWS,
    PAUSE,
    ByteBlocks,
    ByteSource,
    FileStream,
    is_number,
)
from streamboost.streams.readers.tables import RowStream, TableStream, to_number

_DATA_LINE = re.compile(rb"^[ \t]*@data\b[^\n]*(\n|$)", re.IGNORECASE | re.MULTILINE)
_NAME = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\s{},%]+"
_ATTRIBUTE = re.compile(rf"@attribute\s+({_NAME})\s*(.*)", re.IGNORECASE | re.DOTALL)
_NUMERIC = {"numeric", "real", "integer"}
_PAIR = re.compile(rf"\s*(\d{{1,9}})\s+({_NAME})\s*")


@dataclass(frozen=True)
class Attribute:
    """One attribute of the header. ``values`` are those of a nominal one; ``kind`` is the type in small letters."""

    name: str
    kind: str
    values: tuple[str, ...] = ()


class _Header:
    """The header of both kinds of ARFF files, and the bytes behind it."""

    def __init__(self, name: str, data: bytes, lines: int) -> None:
        self.lines = lines
        self.attributes: list[Attribute] = []
        for number, line in enumerate(data.decode(errors="replace").split("\n"), start=1):
            text = line.strip()
            word = text.partition(" ")[0].partition("\t")[0].lower()
            if not text or text.startswith("%") or word == "@relation":
                continue
            found = _ATTRIBUTE.fullmatch(text)
            if found is None:
                raise DataError(f"{name}, line {number}: expected @attribute NAME TYPE, got {text[:60]!r}.")
            self.attributes.append(_attribute(name, number, found))
        if len(self.attributes) < 2:
            raise DataError(f"{name}: {len(self.attributes)} attributes; a feature and a label are needed.")
        twice, count = Counter(attribute.name for attribute in self.attributes).most_common(1)[0]
        if count > 1:
            raise DataError(f"{name}: {count} attributes are named {twice!r}.")

    def plan(
        self,
        name: str,
        rows: Sequence[Sequence[Any]],
        *,
        choice: Choice,
    ) -> ColumnPlan:
        """The places of the attributes; those that are neither numeric nor nominal are refused."""
        label, nominal, expected = choice.label, choice.nominal, choice.expected
        drop = set(choice.drop or ())
        settled = {*drop, *(nominal or ())} if expected is None and nominal != "all" else None
        for attribute in self.attributes if settled is not None else ():
            if attribute.kind not in ("nominal", "numeric") and attribute.name not in (settled or ()):
                raise DataError(
                    f"{name}: attribute {attribute.name!r} is a {attribute.kind}. Turn it into numbers or declare its "
                    "values, leave it out with drop=, or take every text as a value of its own with nominal=."
                )
        head = FirstRows(
            file=name,
            columns=[attribute.name for attribute in self.attributes],
            named=True,
            numeric=[attribute.kind == "numeric" for attribute in self.attributes],
            seen=[{row[at] for row in rows} for at in range(len(self.attributes))],
            n_filled=[len(rows)] * len(self.attributes),
        )
        # What is declared nominal is no date, whatever it looks like.
        declared = [a.name for a in self.attributes if a.kind == "nominal" and a.name not in drop]
        if expected is not None:
            return plan_columns(head, choice)
        left = [at for at, a in enumerate(head.columns) if a not in drop and a != choice.weight]
        by_name = label_by_name(head.columns, left)
        label_name = label or (head.columns[left[-1] if by_name is None else by_name] if left else None)
        forced = [text for text in (*declared, *(nominal or ())) if text != label_name]
        plan = plan_columns(head, replace(choice, nominal="all" if nominal == "all" else forced))
        for at, attribute in enumerate(self.attributes):
            if plan.kinds[at] == NOMINAL and attribute.values:
                plan.kinds[at] = DECLARED
                if 0 <= plan.slots[at] < plan.n_features:
                    plan.values[plan.slots[at]] = list(attribute.values)
        return plan


def _attribute(file: str, line: int, found: re.Match[str]) -> Attribute:
    name, rest = unquoted(found[1]), found[2].strip()
    if not rest.startswith("{"):
        kind = rest.split(None, 1)[0].lower() if rest else ""
        if kind in _NUMERIC:
            return Attribute(name, "numeric")
        if kind in ("string", "date", "relational"):
            return Attribute(name, kind)
        raise DataError(f"{file}, line {line}: attribute {name!r} has the unknown type {rest[:40]!r}.")
    body = rest.partition("%")[0].rstrip() if not rest.rstrip().endswith("}") else rest
    if not body.endswith("}"):
        raise DataError(f"{file}, line {line}: the values of attribute {name!r} are not closed by a brace.")
    cells = _core.csv_rows(body[1:-1].encode(), True, ",", True, 1)
    values = tuple(cells[0][2]) if cells else ()
    if not values or cells[0][1] != "none" or len(set(values)) < len(values) or "" in values:
        raise DataError(f"{file}, line {line}: the values of attribute {name!r} are not distinct texts.")
    return Attribute(name, "nominal", values)


def unquoted(text: str) -> str:
    """A name without its quotes."""
    if text[0] in "'\"" and len(text) > 1 and text[-1] == text[0]:
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text


class _ArffBody(FileStream):
    """The blocks behind the header, for both readers."""

    def __init__(self, opened: _Opened) -> None:
        super().__init__(opened.path, on_bad_line=opened.on_bad_line, limits=opened.limits)
        self._limits.check_columns(self.name, len(opened.header.attributes))
        self._blocks, self._header = opened.blocks, opened.header
        self._source = opened.blocks.source

    def _body_blocks(self) -> Iterator[bytes]:
        # Blank lines in the place of the header keep the numbers of the lines right.
        return _behind(iter(self._blocks), self._header.lines)


def _behind(blocks: Iterator[bytes], lines: int) -> Iterator[bytes]:
    head = b""
    for block in blocks:
        head += block
        found = _DATA_LINE.search(head)
        if found is not None and found[1]:
            return chain([b"\n" * lines + head[found.end() :]], blocks)
    return iter(())  # the file ends with its header


@dataclass(frozen=True)
class _Opened:
    """A file whose header has been read: what the readers of both kinds start from."""

    path: str | os.PathLike[str]
    blocks: ByteBlocks
    header: _Header
    start: bytes
    on_bad_line: str
    choice: Choice
    na_values: Sequence[str] | None
    limits: Mapping[str, int] | None

    def plan(self, name: str, rows: Sequence[Sequence[Any]]) -> ColumnPlan:
        """The places of the attributes, by the first rows."""
        if not rows:
            raise DataError(f"{name}: no rows below @data.")
        return self.header.plan(name, rows, choice=self.choice)

    def classes(self, plan: ColumnPlan) -> tuple[str, ...] | None:
        """The declared labels; a model that goes on knows its own."""
        at = plan.label_at
        if at is None or plan.kinds[at] != DECLARED:
            return None
        return tuple(sorted(self.header.attributes[at].values))


def open_arff(
    path: str | os.PathLike[str],
    *,
    label: str | None = None,
    nominal: Sequence[str] | str | None = None,
    drop: Sequence[str] | None = None,
    weight: str | None = None,
    na_values: Sequence[str] | None = None,
    limits: Mapping[str, int] | None = None,
    on_bad_line: str = "stop",
    expected: ExpectedColumns | None = None,
) -> ArffStream | SparseArffStream:
    """One ARFF file (plain or gzip) or standard input (``-``), dense or sparse by its first row.

    The parameters are those of :class:`CsvStream`, of which it needs no ``header`` and no ``delimiter``; ``nominal`` may name
    attributes of texts and dates too. ``?`` is missing; ``na_values`` names other cells that are.
    """
    blocks = ByteBlocks(ByteSource.of(path))
    name = blocks.source.name
    data = bytearray()
    found = None
    # A model that knows its columns need not wait for more than one row.
    enough = 0 if expected is not None and not blocks.source.repeatable else HEAD_ROWS
    for block in blocks.look():
        data += block
        found = found or _DATA_LINE.search(data)
        if found is not None and not found[1]:
            found = None
        elif found is not None and data.count(b"\n", found.end()) > enough:
            break
        if len(data) > HEAD_BYTES and (found is None or data.find(b"\n", found.end()) >= 0):
            break
        if len(data) > HEAD_BYTES + Limits.read(limits).line:
            break
    blocks.rewind()
    if not data.strip():
        raise DataError(f"{name}: the file is empty.")
    if found is None:
        raise DataError(f"{name}: not an ARFF file, or one without rows: no @data line is followed by any.")
    text = bytes(data)
    if len(text) - found.end() > Limits.read(limits).line and b"\n" not in text[found.end() :]:
        raise DataError(f"{name}: a first row that is too long. {way_out('line', Limits.read(limits).line)}")
    header = _Header(name, text[: found.start()], text.count(b"\n", 0, found.end()))
    start = text[found.end() :]
    if not blocks.source.repeatable and not blocks.source.ends_open and b"\n" in start:
        start = start[: start.rfind(b"\n") + 1]  # the rest of the last line is still to come
    start = start if start.endswith(b"\n") or len(text) > HEAD_BYTES else start + b"\n"
    choice = Choice(label, nominal, drop, weight, expected)
    opened = _Opened(path, blocks, header, start, on_bad_line, choice, na_values, limits)
    lines = (line.strip() for line in start.split(b"\n"))
    first = next((line for line in lines if line and not line.startswith(b"%")), b"")
    return (SparseArffStream if first.startswith(b"{") else ArffStream)(opened)


class ArffStream(_ArffBody, TableStream):
    """One dense ARFF file (plain or gzip) or standard input; :func:`open_arff` tells dense from sparse."""

    _why_numeric = " (it is declared numeric)"

    def __init__(self, opened: _Opened) -> None:
        super().__init__(opened)
        self._markers = MissingMarkers.read(opened.na_values, usual=False)
        rows = _core.csv_rows(opened.start, False, ",", True, HEAD_ROWS, self._limits.of_parser())
        rows = [(line + self._header.lines, bad, cells) for line, bad, cells in rows]
        good = self._good_rows(rows, len(self._header.attributes))
        self._set_plan(opened.plan(self.name, [cells for _, _, cells in good]))
        self.classes = opened.classes(self._plan)

    def _new_parser(self) -> _core.CsvParser:
        plan = self._plan
        parser = _core.CsvParser(",", arff=True, **self._parser_options())
        if plan.label_at is not None and plan.kinds[plan.label_at] == DECLARED:
            parser.declare_labels(self._header.attributes[plan.label_at].values)
        return parser


class SparseArffStream(_ArffBody, RowStream):
    """One sparse ARFF file: ``{index value, ...}``, indices counted from 0, what is absent being 0.

    An absent nominal value is the first declared one. Rows leave as CSR matrices if all features are numeric.
    """

    _why_numeric = " (it is declared numeric)"

    def __init__(self, opened: _Opened) -> None:
        super().__init__(opened)
        self._markers = MissingMarkers.read(opened.na_values, usual=False)
        attributes = self._header.attributes
        self._absent: list[Any] = [a.values[0] if a.values else 0.0 for a in attributes]
        blank = b"\n" * self._header.lines
        rows = (row for line, row in self._parsed(iter([blank + opened.start])) if line != PAUSE)
        head = list(islice(rows, HEAD_ROWS))
        self._set_plan(opened.plan(self.name, [self._dense(row) for row in head]))
        self.classes = opened.classes(self._plan)

    def _rows(self) -> Iterator[tuple[int, Any]]:
        return self._parsed(self._body_blocks())

    def _read(self, values: dict[int, Any]) -> tuple[Any, float]:
        if self._texts:
            return super()._read(self._dense(values))
        plan = self._plan
        label: float | str = math.nan
        if plan.label_at is not None:
            label = self._read_label(values.get(plan.label_at, self._absent[plan.label_at]))
        cells = [
            (plan.slots[at], to_number(value, at))
            for at, value in values.items()
            if plan.slots[at] >= 0 and plan.kinds[at] == NUMBER
        ]
        return sorted(cells), self._label_code(label)

    def _matrix(self, rows: list[Any]) -> Any:
        if self._texts:
            return super()._matrix(rows)
        cells = [cell for row in rows for cell in row]
        starts = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
        return scipy.sparse.csr_matrix(
            (
                np.array([value for _, value in cells], dtype=np.float64),
                np.array([slot for slot, _ in cells], dtype=np.int32),
                starts.astype(np.int32),
            ),
            shape=(len(rows), self._plan.n_slots),
        )

    def _dense(self, row: dict[int, Any]) -> list[Any]:
        values = self._absent.copy()
        for at, value in row.items():
            values[at] = value
        return values

    def _parsed(self, blocks: Iterator[bytes]) -> Iterator[tuple[int, dict[int, Any]]]:
        for line, text in self._text_lines(blocks):
            text = text.strip()
            if line == PAUSE:
                yield PAUSE, {}
                continue
            if not text or text.startswith("%"):
                continue
            try:
                yield line, self._row(text)
            except ValueError as error:
                self._bad(line, str(error))

    def _row(self, text: str) -> dict[int, Any]:
        if not (text.startswith("{") and text.endswith("}")):
            raise ValueError("a row of a sparse ARFF file stands in braces.")
        row: dict[int, Any] = {}
        at, end = 1, len(text) - 1
        before = -1
        while text[at:end].strip():
            found = _PAIR.match(text, at, end)
            if found is None:
                raise ValueError(f"expected index and value, got {text[at : at + 40]!r}.")
            index = int(found[1])
            if not before < index < len(self._header.attributes):
                raise ValueError(
                    f"index {index} follows {before} among {len(self._header.attributes)} attributes."
                )
            row[index] = self._value(self._header.attributes[index], unquoted(found[2]))
            before, at = index, found.end()
            if at < end:
                if text[at] != ",":
                    raise ValueError(f"expected a comma, got {text[at : at + 40]!r}.")
                at += 1
        return row

    def _value(self, attribute: Attribute, text: str) -> Any:
        if text == "?":
            return None
        if attribute.kind == "numeric":
            if text in self._markers.of_number:
                return None
            if not is_number(text):
                raise ValueError(f"attribute {attribute.name!r}: {text!r} is not a number.")
            return float(text)
        if attribute.values and text not in attribute.values:
            raise ValueError(f"attribute {attribute.name!r}: {text!r} is not one of the declared values.")
        return text
