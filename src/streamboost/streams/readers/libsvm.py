"""LIBSVM text as a stream of CSR rows: ``label index:value ...``, indices counted from 1 and increasing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt
import scipy.sparse

from streamboost import _core
from streamboost.base.inputs.arrays import LARGEST
from streamboost.streams.base import DEFAULT_CHUNK_SIZE, Chunk, DataError, Label, check_chunk_size
from streamboost.streams.readers.columns import ExpectedColumns, label_array
from streamboost.streams.readers.limits import CHUNK_CELLS, MOST_DENSE
from streamboost.streams.readers.source import HEAD_ROWS, FileStream, numbers_to_labels, whole

DENSE_FROM = 0.3
"""The share of cells that are not zero from which rows are read as dense."""


class LibsvmStream(FileStream):
    """One LIBSVM file (plain or gzip) or standard input (``-``).

    The width is ``n_features`` or, for a regular file, the highest index found by a first pass over it. Rows are CSR
    matrices; where more than 30 % of the cells of the first 1,000 rows are not zero they are dense arrays, which learners
    treat as complete (centred scaling, faster steps). ``sparse=True`` forbids that.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        n_features: int | None = None,
        sparse: bool = False,
        limits: Mapping[str, int] | None = None,
        on_bad_line: str = "stop",
        expected: ExpectedColumns | None = None,
    ) -> None:
        if n_features is not None and n_features < 1:
            raise DataError(f"The number of features must be at least 1, got {n_features}.")
        super().__init__(path, on_bad_line=on_bad_line, limits=limits)
        if expected is not None:
            if expected.label_kind == "text":
                raise DataError(f"{self.name}: LIBSVM labels are numbers; those of the model are texts.")
            n_features = len(expected.values)
        if n_features is None and not self.repeatable:
            raise DataError(f"{self.name}: the number of features cannot be counted ahead; give n_features=.")
        self.feature_names: tuple[str, ...] | None = None
        self.nominal: npt.NDArray[np.bool_] | None = None
        self.n_features: int | None = n_features
        kind, density = self._look(waits=not self.live or expected is None)
        self._label_kind = kind if expected is None else expected.label_kind
        if n_features is None:
            self.n_features = self._scan()
        assert self.n_features is not None
        self._limits.check_columns(self.name, self.n_features, sparse=True)
        # Cells per row are counted ahead, columns only now.
        self.dense = not sparse and density > DENSE_FROM * self.n_features and self.n_features <= MOST_DENSE

    def find_classes(self) -> tuple[Label, ...]:
        """The labels, sorted, after a pass over the file if there was none yet."""
        if self._found is None:
            self._scan()
        assert self._found is not None
        return self._found

    def chunks(self, size: int = DEFAULT_CHUNK_SIZE) -> Iterator[Chunk]:
        """The rows as CSR matrices of the full width, or as arrays."""
        check_chunk_size(size)
        assert self.n_features is not None
        if self.dense:
            size = min(size, max(1, CHUNK_CELLS // self.n_features))
        parser = self._parser(self.n_features, self._label_kind)
        for _ in self._fill(parser, size):
            indptr, indices, data, labels, lines = parser.take()
            X = scipy.sparse.csr_matrix((data, indices, indptr), shape=(len(lines), self.n_features))
            X.has_canonical_format = True  # the parser has seen that indices increase
            y = label_array(labels, self._label_kind, ())
            yield Chunk(X.toarray() if self.dense else X, y, lines)

    def _parser(self, width: int, kind: str) -> _core.LibsvmParser:
        return _core.LibsvmParser(width, kind, self._limits.line)

    def _look(self, *, waits: bool) -> tuple[str, float]:
        """The kind of the labels and the mean number of cells that are not zero, by the first rows.

        A model that knows its columns does not wait for a thousand rows of a live stream: it looks at all that have come.
        """
        parser = self._parser(0, "number")
        step = 0
        for block in self._blocks.look():
            parser.feed(block)
            step = self._step_through(parser, HEAD_ROWS)
            if step == 1 or (not waits and parser.n_rows):
                break
        else:
            parser.finish()
            self._step_through(parser, HEAD_ROWS)
        _, _, cells, labels, _ = parser.take()
        found = labels.tolist()
        self._blocks.rewind()
        if not found:
            self._end_empty()
        return "whole" if whole(found) else "number", np.count_nonzero(cells) / len(found)

    def _step_through(self, parser: _core.LibsvmParser, enough: int) -> int:
        while (step := parser.parse(enough)) == 2:
            fault = parser.fault
            self._bad(fault[1], self._reason(*fault))
        return step

    def _end_empty(self) -> None:
        if self.n_bad:
            self._end_pass(0)
        raise DataError(f"{self.name}: the file is empty.")

    def _scan(self) -> int:
        """One pass for the labels, the highest index and the number of rows."""
        labels: set[float] = set()
        count = 0
        parser = self._parser(self.n_features or 0, self._label_kind)
        for _ in self._fill(parser, DEFAULT_CHUNK_SIZE):
            values = parser.take()[3]
            count += len(values)
            labels.update(np.unique(values).tolist())
        self._found = numbers_to_labels(labels)
        self.n_rows = count
        if not parser.highest:
            raise DataError(f"{self.name}: no row has a feature.")
        return parser.highest

    def _reason(self, bad: str, line: int, column: int, number: int, token: str) -> str:
        if bad == "label_missing":
            return f"no label in front of {token!r}." if ":" in token else "a missing or infinite label."
        if bad == "index_too_large":
            width = self.n_features
            return f"index {number} " + (
                "is too large." if width is None else f"where there are only {width} features."
            )
        return {
            "label_not_number": f"label {token!r} is not a number.",
            "not_a_pair": f"expected index:value, got {token!r}.",
            "value_not_number": f"the value of {token!r} is not a number.",
            "value_too_large": f"the value of {token!r} is not a number from -{LARGEST:.0e} to {LARGEST:.0e}.",
            "index_below_one": f"index {number}, but indices are counted from 1.",
            "index_order": f"index {number} follows index {column}; indices must increase.",
        }.get(bad) or super()._reason(bad, line, column, number, token)
