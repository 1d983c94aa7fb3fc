"""Several columns of a file as labels: what ``--labels 'label:*'`` means."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from streamboost.base.suggest import suggest
from streamboost.streams.base import DEFAULT_CHUNK_SIZE, Chunk, DataError, Label, Stream, show_unlabeled
from streamboost.streams.open import open_stream


def label_columns(names: tuple[str, ...] | None, pattern: str | list[str], name: str) -> list[str]:
    """The columns that a pattern of names stands for: several of them with commas, ``*`` for any text. A list has names.

    ``calm`` is the column ``label:calm`` where none is named ``calm``.
    """
    if isinstance(pattern, list):
        return pattern
    wanted = [one.strip() for one in pattern.split(",")]
    columns = list(names or ())
    wanted = [f"label:{one}" if f"label:{one}" in columns and one not in columns else one for one in wanted]
    for one in wanted:
        if not fnmatch.filter(columns, one):
            near = suggest(one, columns)
            meant = f"there are {', '.join(columns[:10])}." if near is None else f"did you mean {near!r}?"
            raise DataError(f"{name}: no column is named {one!r}, as the labels {pattern!r} say; {meant}")
    found = [column for column in columns if any(fnmatch.fnmatchcase(column, one) for one in wanted)]
    if len(found) < 2:
        raise DataError(
            f"{name}: the labels {pattern!r} are one column, {found[0]!r}; there must be two or more."
        )
    return found


class LabelSetStream:
    """A stream whose label, and some of whose columns, are indicators of labels: ``y`` of its chunks is a table."""

    classes: tuple[Label, ...] | None = None
    labels_are_text = False

    def __init__(self, stream: Stream, pattern: str | list[str]) -> None:
        self._stream = stream
        own = str(getattr(stream, "label_name", ""))
        self.name = stream.name
        names = tuple(stream.feature_names or ())
        wanted = set(label_columns((*names, own), pattern, stream.name))
        if own not in wanted:
            raise DataError(f"{stream.name}: the column {own!r} must be one of the labels.")
        self._names = (*names, own)
        self._labels = [at for at, name in enumerate(names) if name in wanted]
        self._kept = [at for at, name in enumerate(names) if name not in wanted]
        self.label_columns = [*(names[at] for at in self._labels), own]
        self.label_names = tuple(map(_short, self.label_columns))
        self.feature_names: tuple[str, ...] | None = tuple(names[at] for at in self._kept)
        self.n_features: int | None = len(self._kept)
        self.nominal = None if stream.nominal is None else stream.nominal[self._kept]
        self.n_rows, self.repeatable = stream.n_rows, stream.repeatable
        self.named = getattr(stream, "named", False)

    @property
    def fraction(self) -> float | None:
        """The part of the data that was read so far."""
        return self._stream.fraction

    def find_classes(self) -> tuple[Label, ...]:
        """Sets have no classes."""
        raise DataError(f"{self.name}: its labels are sets.")

    def chunks(self, size: int = DEFAULT_CHUNK_SIZE) -> Iterator[Chunk]:
        """The rows from the first one on."""
        show_unlabeled(self._stream, True)  # a row without the last label may have others
        for chunk in self._stream.chunks(size):
            last = self._indicators(chunk.y.tolist(), -1, chunk)
            table = np.column_stack([self._column(chunk, at) for at in self._labels] + [last])
            coding = chunk.coding
            if coding is not None:
                place = {old: new for new, old in enumerate(self._kept)}
                coding = replace(
                    coding,
                    names=self.feature_names,
                    values={place[at]: values for at, values in coding.values.items() if at in place},
                    words={place[at]: kind for at, kind in coding.words.items() if at in place},
                    labels=(),
                )
            yield replace(
                chunk,
                X=np.ascontiguousarray(chunk.X[:, self._kept]),
                y=table,
                coding=coding,
                label_codes=None,
            )

    def _column(self, chunk: Chunk, at: int) -> Any:
        column = chunk.X[:, at]
        values = None if chunk.coding is None else chunk.coding.values.get(at)
        cells = (
            column.tolist()
            if values is None
            else [None if np.isnan(code) else values[int(code)] for code in column.tolist()]
        )
        return self._indicators(cells, at, chunk)

    def _indicators(self, cells: list[Any], at: int, chunk: Chunk) -> Any:
        found = [_indicator(cell) for cell in cells]
        if None in found:
            row = found.index(None)
            cell = f"{cells[row]:g}" if isinstance(cells[row], float) else repr(cells[row])
            raise DataError(
                f"{self.name}, line {chunk.lines[row]}: the label {_short(self._names[at])!r} is {cell}; "
                "it must be 0 or 1, or empty where nobody knows."
            )
        return np.array(found)


def _short(name: str) -> str:
    return name.removeprefix("label:")


def _indicator(value: Any) -> float | None:
    """1, 0, NaN where nobody knows, or None for what is no indicator."""
    if value is None or value != value:
        return np.nan
    return {"0": 0.0, "1": 1.0, "false": 0.0, "true": 1.0}.get(str(value).strip().lower().removesuffix(".0"))


def open_label_sets(data: Any, pattern: str, **reading: Any) -> LabelSetStream:
    """A file whose columns that match a pattern are labels."""
    stream = open_stream(data, **reading)
    own = str(getattr(stream, "label_name", ""))
    found = label_columns((*(stream.feature_names or ()), own), pattern, stream.name)
    if own not in found:
        stream = open_stream(data, **{**reading, "label": found[-1]})
    return LabelSetStream(stream, pattern)
