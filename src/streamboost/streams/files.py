"""Data files: which reader reads a file, by its name, by its first bytes or because the user says so."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from streamboost.streams.base import DataError, Stream
from streamboost.streams.columns import Known
from streamboost.streams.csv import CsvStream
from streamboost.streams.libsvm import LibsvmStream
from streamboost.streams.source import ByteSource

FORMATS = ("csv", "libsvm")
_ENDINGS = {".csv": "csv", ".libsvm": "libsvm", ".svm": "libsvm", ".svmlight": "libsvm"}


@dataclass(frozen=True)
class Reading:
    """How a data file is to be read; None leaves a choice to the reader."""

    format: str | None = None
    label: str | None = None
    header: bool | None = None
    nominal: Sequence[str] | None = None
    n_features: int | None = None
    delimiter: str | None = None
    drop: Sequence[str] | None = None
    on_bad_line: str = "stop"
    known: Known | None = None

    def check(self) -> None:
        """Raise for values that no file could make right."""
        if self.format not in (None, *FORMATS):
            raise DataError(f"Unknown format {self.format!r}; the formats are {' and '.join(FORMATS)}.")


def split_name(path: Path) -> tuple[str, str | None]:
    """The bare name of a data file and its format by its ending."""
    bare = path.name.removesuffix(".gz")
    stem, dot, ending = bare.rpartition(".")
    kind = _ENDINGS.get(dot + ending)
    return (stem, kind) if kind else (bare, None)


def open_file(path: str | os.PathLike[str], reading: Reading) -> Stream:
    """A stream over one file, or over standard input (``-``)."""
    text = os.fspath(path)
    if text == "-" and reading.format is None:
        raise DataError("Standard input has no name that tells its format; give --format csv or libsvm.")
    kind = reading.format or split_name(Path(text))[1] or _guess_format(Path(text))
    if kind == "libsvm":
        if reading.label is not None:
            raise DataError(f"{text}: LIBSVM rows begin with their label; --label is for CSV.")
        return LibsvmStream(
            path, n_features=reading.n_features, on_bad_line=reading.on_bad_line, known=reading.known
        )
    stream = CsvStream(
        path,
        label=reading.label,
        header=reading.header,
        nominal=reading.nominal,
        delimiter=reading.delimiter,
        drop=reading.drop,
        on_bad_line=reading.on_bad_line,
        known=reading.known,
    )
    if reading.n_features is not None and reading.n_features != stream.n_features:
        raise DataError(f"{text}: has {stream.n_features} features, not {reading.n_features}.")
    return stream


def _guess_format(path: Path) -> str:
    """csv or libsvm by the first line that is not blank."""
    blocks = ByteSource(path).blocks()
    try:
        for line in next(blocks, b"").split(b"\n"):
            tokens = line.split(b"#", 1)[0].split()
            if tokens:
                rest = tokens[1:]
                return "libsvm" if rest and all(b":" in token for token in rest) else "csv"
    finally:
        blocks.close()
    raise DataError(f"{path}: the file is empty.")
