"""Text lines of a file or of standard input, plain or gzip, with errors that say what is wrong."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Generator, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import numpy.typing as npt

from streamboost.streams.base import DataError, Label

HEAD_ROWS = 1000
"""Rows that decide the kinds of the columns."""

_GZIP_MAGIC = b"\x1f\x8b"


class LineSource:
    """Lines of a path, or of standard input (``-``), which can be read only once.

    gzip is recognised by its first two bytes, not by the name of the file.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.is_stdin = os.fspath(path) == "-"
        self.path = Path(path)
        self.name = "standard input" if self.is_stdin else str(path)
        self.size: int | None = None
        self._raw: BinaryIO | None = None
        self._taken = False
        if self.is_stdin:
            return
        try:
            if self.path.is_dir():
                raise DataError(f"{self.name}: is a directory, not a data file.")
            # A named pipe has no size and, like standard input, only one reading.
            self.size = self.path.stat().st_size if self.path.is_file() else None
        except OSError as error:
            raise DataError(f"{self.name}: {error.strerror or error}.") from error
        if not self.path.exists():
            raise DataError(f"{self.name}: no such file.")

    @property
    def repeatable(self) -> bool:
        """Whether the lines can be read again from the first."""
        return self.size is not None

    @property
    def fraction(self) -> float | None:
        """The part of the file that was read, in bytes on disk."""
        if self.size is None or self._raw is None:
            return None
        if self._raw.closed:
            return 1.0
        return min(1.0, self._raw.tell() / self.size) if self.size else 1.0

    def lines(self) -> Generator[str, None, None]:
        """The lines, with their ends, from the first on."""
        if self._taken and not self.repeatable:
            raise DataError(f"{self.name}: can be read only once.")
        self._taken = True
        try:
            # The system's own standard input stays open for the caller.
            raw = cast(BinaryIO, sys.stdin.buffer) if self.is_stdin else self.path.open("rb")
        except OSError as error:
            raise DataError(f"{self.name}: {error.strerror or error}.") from error
        self._raw = raw
        try:
            yield from self._decoded(raw)
        finally:
            if not self.is_stdin:
                raw.close()

    def _decoded(self, raw: BinaryIO) -> Iterator[str]:
        buffered = raw if hasattr(raw, "peek") else io.BufferedReader(cast(io.RawIOBase, raw))
        count = 0
        try:
            packed = buffered.peek(2)[:2] == _GZIP_MAGIC
            binary = gzip.GzipFile(fileobj=buffered) if packed else buffered
            text = io.TextIOWrapper(cast(BinaryIO, binary), encoding="utf-8-sig", newline="")
            try:
                for count, line in enumerate(text, start=1):
                    if "\0" in line:
                        raise DataError(f"{self.name}, line {count}: not a text file (a zero byte).")
                    yield line
            finally:
                text.detach()
        except UnicodeDecodeError as error:
            raise DataError(f"{self.name}: not a text file in UTF-8 (after line {count}).") from error
        except EOFError as error:
            raise DataError(f"{self.name}: the gzip file is cut off (after line {count}).") from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise DataError(f"{self.name}: a damaged gzip file ({error}).") from error
        except OSError as error:
            raise DataError(f"{self.name}: {error.strerror or error}.") from error


class Lines:
    """Lines of a source whose first ones are looked at before all are read.

    A source that can be read twice is opened again; any other one goes on behind the lines looked at.
    """

    def __init__(self, source: LineSource) -> None:
        self.source = source
        self._head: list[str] = []
        self._rest: Generator[str, None, None] | None = source.lines()

    def look(self) -> Iterator[str]:
        """The first lines, as many as the caller takes."""
        assert self._rest is not None
        for line in self._rest:
            self._head.append(line)
            yield line

    def rewind(self) -> None:
        """Looking is over: the next reading starts with the first line."""
        if self.source.repeatable and self._rest is not None:
            self._rest.close()
            self._rest = None
            self._head = []

    def __iter__(self) -> Iterator[str]:
        if self.source.repeatable:
            return self.source.lines()
        if self._rest is None:
            raise DataError(f"{self.source.name}: can be read only once.")
        joined = chain(self._head, self._rest)
        self._head, self._rest = [], None
        return joined


class FileStream:
    """What the streams over text files have in common."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._source = LineSource(path)
        self._lines = Lines(self._source)
        self.name = self._source.name
        self.labels_are_text = False
        self.n_rows: int | None = None
        # Not declared even after a pass that happened to see them: whether a model discovers its labels must not
        # depend on whether the width of the file had to be counted.
        self.classes: tuple[Label, ...] | None = None
        self._found: tuple[Label, ...] | None = None

    @property
    def repeatable(self) -> bool:
        """Whether the file can be read again; standard input and pipes cannot."""
        return self._source.repeatable

    @property
    def fraction(self) -> float | None:
        """The part of the file that was read."""
        return self._source.fraction


def is_number(text: str) -> bool:
    """Whether a cell is a number as people write it: Python's ``1_000`` is not."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def whole(values: npt.NDArray[np.float64]) -> bool:
    """Whether all values are whole numbers that int64 holds exactly."""
    return bool(np.all((values == np.floor(values)) & (np.abs(values) < 2.0**53)))


def number_labels(
    values: npt.NDArray[np.float64], integral: bool, lines: npt.NDArray[np.int64], name: str
) -> npt.NDArray[np.int64] | npt.NDArray[np.float64]:
    """Numeric labels in the kind that the first rows of the stream had."""
    bad = ~np.isfinite(values)
    if integral:
        bad |= values != np.floor(values)
    if bad.any():
        at = int(np.argmax(bad))
        what = "a missing or infinite label" if not np.isfinite(values[at]) else f"label {values[at]:g}"
        expected = "whole numbers" if integral else "numbers"
        raise DataError(f"{name}, line {int(lines[at])}: {what} where the labels are {expected}.")
    return values.astype(np.int64) if integral else values


def numbers_to_labels(values: set[float]) -> list[Label]:
    """Distinct numeric labels, sorted: ints if all are whole."""
    array = np.array(sorted(values))
    return [int(v) for v in array] if whole(array) else [float(v) for v in array]
