"""LIBSVM text as a stream of CSR rows: ``label index:value ...``, indices counted from 1 and increasing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice

import numpy as np
import numpy.typing as npt
import scipy.sparse

from streamboost.streams.base import DEFAULT_CHUNK_SIZE, Chunk, DataError, Label, check_chunk_size
from streamboost.streams.source import HEAD_ROWS, FileStream, number_labels, numbers_to_labels, whole

_LINE = re.compile(r"\s*[^\s:]+(?:[ \t]+[0-9]+:[^\s:]+)*\s*")
_TOKEN = re.compile(r"[0-9]+:[^\s:]+")
_MAX_INDEX = 2**31 - 1

Row = tuple[int, str]  # line number, text without comment


class LibsvmStream(FileStream):
    """One LIBSVM file (plain or gzip) or standard input (``-``).

    The width is ``n_features`` or, for a regular file, the highest index found by a first pass over it.
    """

    def __init__(self, path: str | os.PathLike[str], *, n_features: int | None = None) -> None:
        if n_features is not None and n_features < 1:
            raise DataError(f"The number of features must be at least 1, got {n_features}.")
        super().__init__(path)
        if n_features is None and not self.repeatable:
            raise DataError(
                f"{self.name}: the number of features cannot be counted ahead; give --n-features."
            )
        head = list(islice(self._rows(self._lines.look()), HEAD_ROWS))
        self._lines.rewind()
        if not head:
            raise DataError(f"{self.name}: the file is empty.")
        self._whole_labels = whole(np.array([self._label(row) for row in head]))
        self.feature_names: tuple[str, ...] | None = None
        self.nominal: npt.NDArray[np.bool_] | None = None
        self.n_features: int | None = n_features if n_features is not None else self._scan()

    def find_classes(self) -> tuple[Label, ...]:
        """The labels, sorted, after a pass over the file if there was none yet."""
        if self._found is None:
            self._scan()
        assert self._found is not None
        return self._found

    def chunks(self, size: int = DEFAULT_CHUNK_SIZE) -> Iterator[Chunk]:
        """The rows as CSR matrices of the full width."""
        check_chunk_size(size)
        rows = self._rows(iter(self._lines))
        while block := list(islice(rows, size)):
            yield self._chunk(block)

    def _rows(self, lines: Iterator[str]) -> Iterator[Row]:
        for number, line in enumerate(lines, start=1):
            text = line.split("#", 1)[0] if "#" in line else line
            if text and not text.isspace():
                yield number, text

    def _scan(self) -> int:
        """One pass for the labels, the highest index and the number of rows."""
        labels: set[str] = set()
        highest = count = 0
        for row in self._rows(iter(self._lines)):
            count += 1
            labels.add(row[1].split(None, 1)[0])
            before, colon, _ = row[1].rpartition(":")
            if colon:
                try:
                    # Indices increase, so the last one is the highest.
                    highest = max(highest, int(before.rsplit(None, 1)[-1]))
                except ValueError:
                    raise self._diagnosis(row) from None
                if highest > _MAX_INDEX:
                    raise DataError(f"{self.name}, line {row[0]}: index {highest} is too large.")
        try:
            self._found = tuple(numbers_to_labels({float(text) for text in labels}))
        except ValueError:
            for row in self._rows(iter(self._lines)):
                self._label(row)
            raise
        self.n_rows = count
        if not highest:
            raise DataError(f"{self.name}: no row has a feature.")
        return highest

    def _label(self, row: Row) -> float:
        text = row[1].split(None, 1)[0]
        try:
            label = float(text)
        except ValueError:
            raise DataError(f"{self.name}, line {row[0]}: label {text!r} is not a number.") from None
        if not np.isfinite(label):
            raise DataError(f"{self.name}, line {row[0]}: label {text!r} is not finite.")
        return label

    def _diagnosis(self, row: Row) -> DataError:
        """What is wrong with a row that could not be read."""
        where = f"{self.name}, line {row[0]}"
        tokens = row[1].split()
        if ":" in tokens[0]:
            return DataError(f"{where}: no label in front of {tokens[0]!r}.")
        try:
            self._label(row)
        except DataError as error:
            return error
        for token in tokens[1:]:
            if not _TOKEN.fullmatch(token):
                return DataError(f"{where}: expected index:value, got {token!r}.")
            try:
                value = float(token.split(":")[1])
            except ValueError:
                return DataError(f"{where}: the value of {token!r} is not a number.")
            if np.isinf(value) or "_" in token:
                return DataError(f"{where}: the value of {token!r} is not a finite number.")
        return DataError(f"{where}: not a row of LIBSVM text.")

    def _chunk(self, rows: list[Row]) -> Chunk:
        for row in rows:
            if not _LINE.fullmatch(row[1]):
                raise self._diagnosis(row)
        text = " ".join([row[1] for row in rows])
        tokens = text.replace(":", " ").split()
        try:
            numbers = np.fromiter(map(float, tokens), dtype=np.float64, count=len(tokens))
            good = "_" not in text
        except ValueError:
            good = False
        if not good or np.isinf(numbers).any():
            self._raise_first_bad(rows)
        cells = np.fromiter((row[1].count(":") for row in rows), dtype=np.int64, count=len(rows))
        indptr = np.concatenate(([0], np.cumsum(cells)))
        label_at = 2 * indptr[:-1] + np.arange(len(rows))
        lines = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
        labels = number_labels(numbers[label_at], self._whole_labels, lines, self.name)
        pairs = np.delete(numbers, label_at)
        indices = pairs[0::2]
        self._check_indices(indices, indptr, lines)
        assert self.n_features is not None
        X = scipy.sparse.csr_matrix(
            (np.ascontiguousarray(pairs[1::2]), (indices - 1).astype(np.int32), indptr.astype(np.int32)),
            shape=(len(rows), self.n_features),
        )
        return Chunk(X, labels, lines)

    def _raise_first_bad(self, rows: list[Row]) -> None:
        for row in rows:
            try:
                values = np.array(row[1].replace(":", " ").split()).astype(np.float64)
            except ValueError:
                raise self._diagnosis(row) from None
            if np.isinf(values).any() or "_" in row[1]:
                raise self._diagnosis(row)

    def _check_indices(
        self,
        indices: npt.NDArray[np.float64],
        indptr: npt.NDArray[np.int64],
        lines: npt.NDArray[np.int64],
    ) -> None:
        if not indices.size:
            return
        assert self.n_features is not None
        falls = np.concatenate(([False], indices[1:] <= indices[:-1]))
        starts = indptr[:-1]
        falls[starts[starts < indices.size]] = False
        bad = falls | (indices < 1) | (indices > self.n_features)
        if not bad.any():
            return
        at = int(np.argmax(bad))
        line = int(lines[int(np.searchsorted(indptr, at, side="right")) - 1])
        index = int(indices[at])
        where = f"{self.name}, line {line}: index {index}"
        if index < 1:
            raise DataError(f"{where}, but indices are counted from 1.")
        if index > self.n_features:
            raise DataError(f"{where} where there are only {self.n_features} features.")
        raise DataError(f"{where} follows index {int(indices[at - 1])}; indices must increase.")
