"""From what a user writes (a path, a name, ``-``) to a stream."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streamboost.base.suggest import suggest
from streamboost.reading import ReadingOptions, reading_options, show_options
from streamboost.streams.base import ArrayStream, DataError, Stream, first_rows, to_arrays
from streamboost.streams.datasets.builtin import BUILTIN, NUMBER_SETS, is_builtin, load_builtin
from streamboost.streams.datasets.registry import DATA_VARIABLE, registered
from streamboost.streams.readers.columns import ExpectedColumns
from streamboost.streams.readers.formats import open_file, split_name

if TYPE_CHECKING:
    from typing_extensions import Unpack


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
    expected: ExpectedColumns | None = None,
    seed: int = 0,
    limit: int | None = None,
    **reading: Unpack[ReadingOptions],
) -> Stream:
    """A stream by path, by name or from standard input (``-``).

    A path that exists comes first, then the built-in sets and generators (``sea:noise=0.2``), then the files of
    ``STREAMBOOST_DATA`` by their name without ending, then the registered sets in that folder or in the cache.

    Parameters
    ----------
    data : str or path
        What to read.
    expected : ExpectedColumns, optional
        Columns and labels that a model knows already.
    seed : int
        Of generated sets.
    limit : int, optional
        The stream ends after so many rows; a generated set has exactly so many.
    """
    text = os.fspath(data)
    options = _checked(reading)
    path = Path(text)
    if text != "-" and not path.exists():
        if is_builtin(text):
            if options["label"] is not None:
                raise DataError(f"The label column of the built-in set {text} cannot be chosen.")
            return first_rows(load_builtin(text, seed=seed, n_rows=limit), limit)
        path = _find(text, options["format"])
        if options["n_features"] is None:
            options["n_features"] = _registered_width(path)
    return first_rows(open_file(path, options, expected), limit)


show_options(open_stream)


def _checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """All options with their values, the defaults filled in; raises for names and values that no file could make right."""
    table = reading_options()
    for name in given:
        if name not in table:
            near = suggest(name, table)
            meant = "" if near is None else f"; did you mean {near!r}?"
            raise TypeError(f"open_stream() got an unexpected keyword argument {name!r}{meant}")
    found = {name: given.get(name, option.default) for name, (_, option) in table.items()}
    for name, (_, option) in table.items():
        value = found[name]
        if option.choices and value != option.default and value not in option.choices:
            raise DataError(
                f"{name}={value!r} is not allowed; choose {', '.join(option.choices[:-1])} or {option.choices[-1]}."
            )
    return found


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
    looks_like_path = "/" in text or os.sep in text or "." in Path(text).name
    message = f"{text}: no such file" + ("" if looks_like_path else " or data set")
    close = difflib.get_close_matches(text.partition(":")[0], [*BUILTIN, *NUMBER_SETS, *names], n=1)
    if looks_like_path and Path(text).parent.is_dir():
        siblings = sorted(os.listdir(Path(text).parent), reverse=True)
        if Path(text).name in siblings:
            return f"{text}: a link that leads nowhere."
        # Folder and endings are much of a path: two names are not alike because these are.
        stems = {name.split(".")[0]: name for name in siblings}
        near = difflib.get_close_matches(Path(text).name.split(".")[0], stems, n=1, cutoff=0.7)
        close = [str(Path(text).with_name(stems[stem])) for stem in near] or close
    if close:
        return f"{message}; did you mean {close[0]!r}?"
    return f"{message}; `streamboost datasets` lists the sets." if not looks_like_path else f"{message}."
