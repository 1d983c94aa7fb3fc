"""Vowpal Wabbit's text as a stream of CSR rows: ``label importance 'tag|namespace name:value name |other ...``.

A feature is known by its namespace and name (``namespace^name``; just the name in the nameless one); without a value it is 1,
one that a row does not have is 0. Which column it gets is decided in one of two ways, both in bounded memory:

* by name: a first pass over a regular file collects the names, at most 65,536 of them, in order of first appearance;
* hashed, with ``bits``: column CRC-32(name) mod 2^bits, whatever the file; features that meet in a column are added up. The
  only way for standard input, and the way for more names. The columns depend on nothing but the row.
"""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt
import scipy.sparse

from streamboost.base.inputs.arrays import LARGEST
from streamboost.base.inputs.weights import LARGEST_WEIGHT
from streamboost.streams.base import DEFAULT_CHUNK_SIZE, Chunk, Coding, DataError, Label, check_chunk_size
from streamboost.streams.readers.columns import ExpectedColumns, label_array
from streamboost.streams.readers.source import (
    HEAD_ROWS,
    PAUSE,
    FileStream,
    batches,
    numbers_to_labels,
    whole,
)

MOST_NAMES = 1 << 16
MOST_BITS = 24
NO_LABEL = "no label."


@dataclass(frozen=True)
class Example:
    """One line: a label if there is one, its importance, and the features by name."""

    label: float | None
    weight: float
    features: dict[str, float]


class VwStream(FileStream):
    """One file of Vowpal Wabbit's text (plain or gzip) or standard input (``-``).

    Parameters
    ----------
    path : path, or ``-``
    bits : hash names into 2^bits columns; None gives each name a column of its own.
    on_bad_line : ``"stop"`` or ``"skip"``.
    expected : the columns and labels of a trained model, if it is one that reads the file.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        bits: int | None = None,
        limits: Mapping[str, int] | None = None,
        on_bad_line: str = "stop",
        expected: ExpectedColumns | None = None,
    ) -> None:
        super().__init__(path, on_bad_line=on_bad_line, limits=limits)
        if bits is not None and not 1 <= bits <= MOST_BITS:
            raise DataError(f"The number of bits must be from 1 to {MOST_BITS}, got {bits}.")
        self.feature_names: tuple[str, ...] | None = None
        self.nominal: npt.NDArray[np.bool_] | None = None
        self._column: dict[str, int] | None = None
        if expected is not None:
            self._follow(expected)
        else:
            if bits is None and not self.repeatable:
                raise DataError(f"{self.name}: the names cannot be collected ahead; give bits= to hash them.")
            self.n_features: int | None = None if bits is None else 1 << bits
        self._label_kind = self._look(expected)
        if expected is None and bits is None:
            self._collect_names()
        self._coding = Coding(self.feature_names if expected is None else expected.names)

    def _follow(self, expected: ExpectedColumns) -> None:
        if expected.label_kind == "text":
            raise DataError(
                f"{self.name}: the labels of the format are numbers; those of the model are texts."
            )
        width = len(expected.values)
        self.n_features = width
        if expected.names is not None:
            self.feature_names = expected.file_names
            self._column = {name: at for at, name in enumerate(self.feature_names or ())}
        elif width & (width - 1):
            raise DataError(
                f"{self.name}: the model has {width} columns without names; hashing makes 2^bits."
            )

    @property
    def label_name(self) -> str | None:
        """None if the rows have no labels."""
        return None if self._label_kind == "none" else "label"

    def _look(self, expected: ExpectedColumns | None) -> str:
        """The kind of the labels, by the first rows."""
        # A model that knows its columns need not wait for more than one row.
        enough = 1 if self.live and expected is not None else HEAD_ROWS
        rows = (example for line, example in self._examples(self._blocks.look()) if line != PAUSE)
        labels = [example.label for example in islice(rows, enough)]
        self._blocks.rewind()
        if not labels:
            self._end_pass(0)
        found = [label for label in labels if label is not None]
        if expected is not None:
            return expected.label_kind if found or expected.needs_label else "none"
        return "whole" if whole(found) else "number"

    def _collect_names(self) -> None:
        column: dict[str, int] = {}
        labels: set[float] = set()
        count = 0
        self._begin_pass()
        for line, example in self._examples(iter(self._blocks)):
            if line == PAUSE or self._label_problem(example.label):
                continue  # the reading itself will meet it
            count += 1
            labels.add(example.label or 0.0)
            for name in example.features:
                column.setdefault(name, len(column))
            if len(column) > MOST_NAMES:
                raise DataError(f"{self.name}: more than {MOST_NAMES:,} names; hash them with bits=.")
        if not column:
            raise DataError(f"{self.name}: no row has a feature.")
        self._column, self._found, self.n_rows = column, numbers_to_labels(labels), count
        self.feature_names, self.n_features = tuple(column), len(column)

    def find_classes(self) -> tuple[Label, ...]:
        """The labels, sorted, after a pass over the file if there was none yet."""
        if self._found is None:
            self._found = numbers_to_labels(
                {float(y) for chunk in self.chunks() for y in np.unique(chunk.labelled().y)}
            )
        return self._found

    def chunks(self, size: int = DEFAULT_CHUNK_SIZE) -> Iterator[Chunk]:
        """The rows as CSR matrices of the full width."""
        check_chunk_size(size)
        self._begin_pass()
        rows = self._good()
        n_rows = 0
        for kept in batches(rows, size):
            n_rows += len(kept)
            yield self._chunk(kept)
        self._end_pass(n_rows)

    def _good(self) -> Iterator[tuple[int, Example]]:
        for line, example in self._examples(iter(self._blocks)):
            problem = self._label_problem(example.label) if line != PAUSE else ""
            if problem == NO_LABEL:
                self.n_unlabeled += 1
            elif problem:
                self._bad(line, problem)
            else:
                yield line, example

    def _label_problem(self, label: float | None) -> str:
        if self._label_kind == "none":
            return ""
        if label is None:
            return "" if self.shows_unlabeled else NO_LABEL
        if self._label_kind == "whole" and not whole([label]):
            return f"label {label:g} where the labels are whole numbers."
        return ""

    def _chunk(self, rows: list[tuple[int, Example]]) -> Chunk:
        starts, indices, data = [0], list[int](), list[float]()
        for _, example in rows:
            cells: dict[int, float] = {}
            for name, value in example.features.items():
                at = self._place(name)
                if at >= 0:
                    cells[at] = cells.get(at, 0.0) + value
            for at in sorted(cells):
                indices.append(at)
                data.append(cells[at])
            starts.append(len(indices))
        assert self.n_features is not None
        X = scipy.sparse.csr_matrix(
            (
                np.array(data, dtype=np.float64),
                np.array(indices, dtype=np.int32),
                np.array(starts, dtype=np.int32),
            ),
            shape=(len(rows), self.n_features),
        )
        weight = np.array([example.weight for _, example in rows])
        labels = np.array([math.nan if e.label is None else e.label for _, e in rows])
        return Chunk(
            X,
            label_array(labels, self._label_kind, ()),
            np.array([line for line, _ in rows], dtype=np.int64),
            None if (weight == 1.0).all() else weight,
            self._coding,
        )

    def _place(self, name: str) -> int:
        if self._column is not None:
            return self._column.get(name, -1)
        assert self.n_features is not None
        return zlib.crc32(name.encode()) & (self.n_features - 1)

    def _examples(self, blocks: Iterator[bytes]) -> Iterator[tuple[int, Example]]:
        for line, text in self._text_lines(blocks):
            if line == PAUSE:
                yield PAUSE, Example(None, 1.0, {})
                continue
            if not text or text.isspace():
                continue
            try:
                yield line, parse_example(text)
            except ValueError as error:
                self._bad(line, str(error))


def parse_example(text: str) -> Example:
    """One line of the format; raises ValueError with the reason."""
    head, bar, rest = text.partition("|")
    if not bar:
        raise ValueError("no | in front of the features.")
    words = head.split()
    # What touches the bar, or begins with an apostrophe, is a tag.
    if words and (words[-1].startswith("'") or (len(words) > 1 and not head[-1].isspace())):
        words.pop()
    if len(words) > 3:
        raise ValueError(f"expected label, importance, base and tag, got {head.strip()[:60]!r}.")
    numbers = [_number(word, "label" if i == 0 else "importance") for i, word in enumerate(words[:2])]
    if len(numbers) > 1 and not 0 <= numbers[1] <= LARGEST_WEIGHT:
        raise ValueError(f"importance {words[1]} is {'negative' if numbers[1] < 0 else 'beyond 2^53'}.")
    features: dict[str, float] = {}
    for part in rest.split("|"):
        tokens = part.split()
        prefix, scale = "", 1.0
        if part[:1] and not part[0].isspace():
            space, colon, factor = tokens.pop(0).partition(":")
            prefix, scale = space + "^", _number(factor, "scale") if colon else 1.0
        for token in tokens:
            name, colon, value = token.rpartition(":")
            if not colon:
                name, number = token, scale
            else:
                number = scale * _number(value, f"the value of {name}:")
            if not name:
                raise ValueError(f"a value without a name: {token!r}.")
            features[prefix + name] = features.get(prefix + name, 0.0) + number
    if not sum(map(abs, features.values())) <= LARGEST:  # some of them may meet in a column
        raise ValueError(f"a value, or all together, not from -{LARGEST:.0e} to {LARGEST:.0e}.")
    return Example(numbers[0] if numbers else None, numbers[1] if len(numbers) > 1 else 1.0, features)


def _number(text: str, what: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or "_" in text or not text.isascii():
        raise ValueError(f"{what} {text!r} is not a finite number.")
    return number
