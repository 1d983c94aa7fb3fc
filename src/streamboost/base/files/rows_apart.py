"""Remembered rows in files of their own, beside the model's: who writes a model again and again writes each row once.

A row that a model remembers never changes (`replay/row_ring.hpp`). Cut at multiples of `ROWS` examples, nearly all pieces of one
file are those of the file before. New pieces go one after the other into a file of rows, named by what is in it; the model's
file says where each of its pieces lies, and its SHA-256. The pieces are bytes and nothing is trusted: see `archive.py`.

    file of rows   <owner>-<hash>.rows: pieces, nothing else
    array          {"dtype", "shape", "row_bytes": [bytes of a row, by block of columns],
                    "pieces": [[rows, file, offset, sha256], ...]}: block by block of each stretch of rows; zeros fill up the rest

Memories of one model end with the same columns (what a judge is told comes before the row itself), so blocks are cut there:
memories of the same rows share their pieces.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.base.files.archive import ModelFileError, open_regular, read_manifest

ROWS = 1024
"""Rows of a piece. A memory of less than two pieces stays in the model's file."""
MOST = 2**32
"""Bytes of one array, at most."""

_FILE = re.compile(r"[0-9]{1,19}-[0-9a-f]{32}\.rows")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_KEYS = {"dtype", "shape", "row_bytes", "pieces"}
Place = tuple[str, int]
Arrays = dict[str, NDArray[Any]]


@dataclass
class RowShelf:
    """Where the rows of one file go. ``known``: where pieces lie that were written before, by their SHA-256."""

    owner: int
    known: Mapping[str, Place]
    taken: Arrays = field(default_factory=dict)
    """The arrays that are kept apart."""
    name: str = ""
    """Of the new file of rows; empty if there is nothing new."""
    data: bytes = b""

    def take(self, arrays: Arrays) -> dict[str, dict[str, Any]]:
        """Take the rows out of the arrays of a model; returns what its file says of them."""
        new: dict[str, Place] = {}
        parts: list[bytes] = []
        size = 0
        entries = {}
        for name, array, stretches, widths in _rings(arrays):
            pieces = []
            rows = _as_rows(array, sum(widths))
            for begin, end in stretches:
                for left, right in itertools.pairwise([0, *itertools.accumulate(widths)]):
                    data = rows[begin:end, left:right].tobytes()
                    sha256 = hashlib.sha256(data).hexdigest()
                    if sha256 not in self.known and sha256 not in new:
                        new[sha256] = "", size
                        parts.append(data)
                        size += len(data)
                    pieces.append([end - begin, sha256])
            entries[name] = {
                "dtype": array.dtype.str,
                "shape": list(array.shape),
                "row_bytes": widths,
                "pieces": pieces,
            }
        for name in entries:
            self.taken[name] = arrays.pop(name)
        self.data = b"".join(parts)
        if parts:
            self.name = f"{self.owner}-{hashlib.sha256(self.data).hexdigest()[:32]}.rows"
        for entry in entries.values():
            entry["pieces"] = [[n, *self._place(new, sha256), sha256] for n, sha256 in entry["pieces"]]
        return entries

    def _place(self, new: Mapping[str, Place], sha256: str) -> Place:
        return self.known[sha256] if sha256 in self.known else (self.name, new[sha256][1])

    def give(self, name: str, entry: Any) -> NDArray[Any]:
        """An array that was taken, as `RowReader` would read it."""
        return self.taken[name]


def _rings(arrays: Arrays) -> Iterator[tuple[str, NDArray[Any], list[tuple[int, int]], list[int]]]:
    """Arrays of long memories: name, array, stretches of rows by example number, bytes of a row by blocks of columns."""
    found = []
    for name in arrays:
        if name.endswith("ring_begin"):
            ring = name.removesuffix("begin")
            begin, end = (int(arrays[ring + edge].ravel()[0]) for edge in ("begin", "end"))
            if end - begin >= 2 * ROWS:
                cuts = [begin, *range(begin // ROWS * ROWS + ROWS, end, ROWS), end]
                found.append((ring, [(a - begin, b - begin) for a, b in itertools.pairwise(cuts)]))
    wide = {ring: arrays[ring + "cells"].nbytes // stretches[-1][1] for ring, stretches in found}
    narrowest = min(wide.values(), default=0)
    for ring, stretches in found:
        n, more = stretches[-1][1], wide[ring] - narrowest
        for kind in ("cells", "truth", "weight", "bases"):
            array = arrays.get(ring + kind)
            if array is None or array.nbytes < n:
                continue
            blocks = [more, narrowest] if kind == "cells" and more else [array.nbytes // n]
            yield ring + kind, array, stretches, [width for width in blocks if width]


def _as_rows(array: NDArray[Any], width: int) -> NDArray[np.uint8]:
    """The bytes of an array, row by row; what is over at its end is zeros."""
    flat = np.ascontiguousarray(array).view(np.uint8)
    return flat[: len(flat) // width * width].reshape(-1, width)


@dataclass(frozen=True)
class RowReader:
    """Reads the rows of files in a folder."""

    folder: Path

    def __call__(self, name: str, entry: Any) -> NDArray[Any]:
        """Return an array of a model's file, or raise `ModelFileError`."""
        n = _checked(name, entry)
        array = np.zeros(entry["shape"], dtype="<i8")
        widths: list[int] = entry["row_bytes"]
        rows = array.view(np.uint8)[: n * sum(widths)].reshape(n, sum(widths))
        edges = [0, *itertools.accumulate(widths)]
        at = 0
        for first in range(0, len(entry["pieces"]), len(widths)):
            for block in range(len(widths)):
                count, file, offset, sha256 = entry["pieces"][first + block]
                data = self._piece(file, offset, count * widths[block], sha256)
                cells = np.frombuffer(data, dtype=np.uint8).reshape(count, widths[block])
                rows[at : at + count, edges[block] : edges[block + 1]] = cells
            at += entry["pieces"][first][0]
        return array

    def _piece(self, name: str, offset: int, size: int, sha256: str) -> bytes:
        try:
            with open_regular(self.folder / name) as file:
                file.seek(offset)
                data = file.read(size)
        except OSError as error:
            raise ModelFileError(f"{name}, with rows of this model, cannot be read: {error}") from error
        if len(data) != size or hashlib.sha256(data).hexdigest() != sha256:
            raise ModelFileError(f"{name}, with rows of this model, is damaged")
        return data


def _checked(name: str, entry: Any) -> int:
    """The rows of an array that is described as it should be."""
    wrong = ModelFileError(f"the manifest describes the rows of array {name!r} wrongly")
    if not isinstance(entry, dict) or set(entry) != _KEYS or entry["dtype"] != "<i8":
        raise wrong
    shape, widths, pieces = entry["shape"], entry["row_bytes"], entry["pieces"]
    if (
        not _whole_numbers(shape)
        or len(shape) != 1
        or not _whole_numbers(widths)
        or not isinstance(pieces, list)
    ):
        raise wrong
    if not 1 <= len(widths) <= 2 or not all(1 <= width <= MOST for width in widths):
        raise wrong
    counts = []
    for piece in pieces:
        if not isinstance(piece, list) or len(piece) != 4 or not _whole_numbers([piece[0], piece[2]]):
            raise wrong
        count, file, offset, sha256 = piece
        if not (1 <= count <= ROWS and offset < 2**62 and isinstance(file, str) and isinstance(sha256, str)):
            raise wrong
        if not _FILE.fullmatch(file) or not _SHA256.fullmatch(sha256):
            raise wrong
        counts.append(count)
    blocks = [counts[block :: len(widths)] for block in range(len(widths))]
    if any(block != blocks[0] for block in blocks):
        raise wrong
    size = sum(blocks[0]) * sum(widths)
    if not size <= 8 * shape[0] < size + 8 or size > MOST:
        raise wrong
    return sum(blocks[0])


def _whole_numbers(found: Any) -> bool:
    return isinstance(found, list) and all(type(n) is int and n >= 0 for n in found)


def pieces_of(path: str | os.PathLike[str]) -> dict[str, Place]:
    """Where the rows of a model's file lie: SHA-256 -> file and offset. Empty if all is in the file itself."""
    with open_regular(path) as file:
        entries = read_manifest(file)["arrays"]
    found: dict[str, Place] = {}
    for name, entry in entries.items() if isinstance(entries, dict) else ():
        if isinstance(entry, dict) and "pieces" in entry:
            _checked(name, entry)
            found.update({sha256: (file, offset) for _, file, offset, sha256 in entry["pieces"]})
    return found
