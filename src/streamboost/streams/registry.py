"""From what a user writes (a path, a name, ``-``) to a stream."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from streamboost.streams.base import DataError, Stream
from streamboost.streams.builtin import BUILTIN, is_builtin, load_builtin
from streamboost.streams.files import Reading, open_file, split_name

DATA_VARIABLE = "STREAMBOOST_DATA"
"""Environment variable: a folder of data files that can be named without path and ending."""


@dataclass(frozen=True)
class DataFile:
    """A data file of the data folder."""

    name: str
    path: Path
    format: str
    size: int


def data_files() -> list[DataFile]:
    """The data files in the folder that ``STREAMBOOST_DATA`` names, by name; none without it."""
    folder = os.environ.get(DATA_VARIABLE)
    if not folder:
        return []
    found = []
    try:
        for path in sorted(Path(folder).iterdir()):
            name, kind = split_name(path)
            if kind is not None and path.is_file():
                found.append(DataFile(name, path, kind, path.stat().st_size))
    except OSError as error:
        raise DataError(f"{DATA_VARIABLE}={folder}: {error.strerror or error}.") from error
    return found


def open_stream(
    data: str | os.PathLike[str],
    *,
    format: str | None = None,
    label: str | None = None,
    header: bool | None = None,
    nominal: Sequence[str] | None = None,
    n_features: int | None = None,
    seed: int = 0,
    limit: int | None = None,
) -> Stream:
    """A stream by path, by name or from standard input (``-``).

    A path that exists comes first, then the built-in sets, then the files of ``STREAMBOOST_DATA`` by their
    name without ending. ``limit`` sets the length of generated sets only; :func:`limited` cuts any stream.
    """
    text = os.fspath(data)
    reading = Reading(format=format, label=label, header=header, nominal=nominal, n_features=n_features)
    reading.check()
    path = Path(text)
    if text != "-" and not path.exists():
        if is_builtin(text):
            if label is not None:
                raise DataError(f"The label column of the built-in set {text} cannot be chosen.")
            return load_builtin(text, seed=seed, n_rows=limit)
        files = data_files()
        matches = [f for f in files if text in (f.name, f.path.name, f.path.name.removesuffix(".gz"))]
        if format is not None:
            matches = [f for f in matches if f.format == format]
        if not matches:
            raise DataError(_not_found(text, [f.name for f in files]))
        path = matches[0].path
    return open_file(path, reading)


def _not_found(text: str, names: list[str]) -> str:
    looks_like_path = os.sep in text or "." in Path(text).name
    message = f"{text}: no such file" + ("" if looks_like_path else " or data set")
    close = difflib.get_close_matches(text.partition(":")[0], [*BUILTIN, *names], n=1)
    if close:
        return f"{message}; did you mean {close[0]!r}?"
    return f"{message}; `streamboost datasets` lists the sets." if not looks_like_path else f"{message}."
