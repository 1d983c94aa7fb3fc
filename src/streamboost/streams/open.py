"""From what a user writes (a path, a name, ``-``) to a stream."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from streamboost.streams.base import ArrayStream, DataError, Stream, first_rows, to_arrays
from streamboost.streams.datasets.builtin import BUILTIN, NUMBER_SETS, is_builtin, load_builtin
from streamboost.streams.datasets.registry import DATA_VARIABLE, registered
from streamboost.streams.readers.columns import ExpectedColumns
from streamboost.streams.readers.formats import Reading, open_file, split_name


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
    nominal: Sequence[str] | str | None = None,
    n_features: int | None = None,
    delimiter: str | None = None,
    drop: Sequence[str] | None = None,
    bits: int | None = None,
    sparse: bool | None = None,
    weight: str | None = None,
    na_values: Sequence[str] | None = None,
    dates: str | None = None,
    limits: Mapping[str, int] | None = None,
    on_bad_line: str = "stop",
    expected: ExpectedColumns | None = None,
    seed: int = 0,
    limit: int | None = None,
) -> Stream:
    """A stream by path, by name or from standard input (``-``).

    A path that exists comes first, then the built-in sets and generators (``sea:noise=0.2``), then the files of
    ``STREAMBOOST_DATA`` by their name without ending, then the registered sets in that folder or in the cache.
    Columns of dates in a CSV file are refused unless ``dates`` says ``"drop"`` or ``"parts"``: days, weekday and hour as numbers.
    The stream ends after ``limit`` rows; a generated set has exactly so many. ``seed`` is that of generated sets.
    """
    text = os.fspath(data)
    reading = Reading(
        format=format,
        label=label,
        header=header,
        nominal=nominal,
        n_features=n_features,
        delimiter=delimiter,
        drop=drop,
        bits=bits,
        sparse=sparse,
        weight=weight,
        na_values=na_values,
        dates=dates,
        limits=limits,
        on_bad_line=on_bad_line,
        expected=expected,
    )
    reading.check()
    path = Path(text)
    if text != "-" and not path.exists():
        if is_builtin(text):
            if label is not None:
                raise DataError(f"The label column of the built-in set {text} cannot be chosen.")
            return first_rows(load_builtin(text, seed=seed, n_rows=limit), limit)
        path = _find(text, format)
        if n_features is None:
            reading = replace(reading, n_features=_registered_width(path))
    return first_rows(open_file(path, reading), limit)


def load(data: str | os.PathLike[str], **options: Any) -> ArrayStream:
    """The rows of :func:`open_stream`, read into memory.

    Examples
    --------
    >>> from streamboost.streams import load
    >>> data = load("sea:concept=2", limit=1000)
    >>> data.X.shape, data.y.shape
    ((1000, 3), (1000,))
    """
    return to_arrays(open_stream(data, **options))


def _find(text: str, format: str | None) -> Path:
    """The file that a name stands for."""
    files = data_files()
    for found in files:
        if text in (found.name, found.path.name, found.path.name.removesuffix(".gz")) and format in (
            None,
            found.format,
        ):
            return found.path
    entry = registered().get(text)
    if entry is None or format not in (None, entry.format):
        raise DataError(_not_found(text, [*registered(), *(f.name for f in files)]))
    path = entry.path()
    if path is None:
        way = (
            f"`streamboost datasets {text} --fetch` fetches it"
            if entry.recipe
            else f"get it from {entry.source}"
        )
        raise DataError(f"{text}: the file is not here; {way}, or put {entry.file} into {DATA_VARIABLE}.")
    return path


def _registered_width(path: Path) -> int | None:
    """The number of columns of a LIBSVM file that is known, which saves a pass over it."""
    for entry in registered().values():
        if entry.format == "libsvm" and entry.recognises(path):
            return entry.n_features
    return None


def _not_found(text: str, names: list[str]) -> str:
    looks_like_path = os.sep in text or "." in Path(text).name
    message = f"{text}: no such file" + ("" if looks_like_path else " or data set")
    close = difflib.get_close_matches(text.partition(":")[0], [*BUILTIN, *NUMBER_SETS, *names], n=1)
    if close:
        return f"{message}; did you mean {close[0]!r}?"
    return f"{message}; `streamboost datasets` lists the sets." if not looks_like_path else f"{message}."
