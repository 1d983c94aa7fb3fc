"""Fetching a registered data set from its public source. Only on request: nothing else uses the network."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import tempfile
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

from streamboost.base.system import replace_file, sync_file
from streamboost.streams.base import DataError
from streamboost.streams.datasets.registry import DATA_VARIABLE, Dataset, Recipe, cache_folder

_BLOCK = 1 << 16
_SECONDS = 30.0

Progress = Callable[[int, int | None], None]
"""Called with the bytes of a file that have arrived, and how many there will be, if the source says so."""


class Response(Protocol):
    """What an opener gives back: something to read."""

    def read(self, size: int, /) -> bytes:
        """The next bytes."""

    def close(self) -> None:
        """End the connection."""


Opener = Callable[[str], Response]


def fetch(entry: Dataset, *, opener: Opener | None = None, progress: Progress | None = None) -> Path:
    """The file of a data set: where it is, or fetched from its public source into the cache folder.

    Parameters
    ----------
    entry : Dataset
        Which set.
    opener : callable, optional
        Opens an address for reading; by default over the network.
    progress : callable, optional
        Called with the bytes that have arrived and the bytes to come or None.

    Returns
    -------
    Path
        The file. Its content has the checksum of the registry; a file with another one is never kept.
    """
    found = entry.path()
    if found is not None:
        return found
    if entry.recipe is None:
        raise DataError(
            f"{entry.name}: cannot be fetched; get it from {entry.source} and put {entry.file} into the folder "
            f"of {DATA_VARIABLE}."
        )
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".fetching-") as work:
            raw = [
                _download(entry.name, url, Path(work) / f"raw{i}", opener or _open, progress)
                for i, url in enumerate(entry.recipe.urls)
            ]
            made = Path(work) / entry.file
            _write(entry, raw, made)
            replace_file(made, folder / entry.file)
    except OSError as error:
        raise DataError(f"{entry.name}: cannot write to {folder}: {error.strerror or error}.") from error
    return folder / entry.file


def _open(url: str) -> Response:
    request = urllib.request.Request(url, headers={"User-Agent": "streamboost"})
    return cast(Response, urllib.request.urlopen(request, timeout=_SECONDS))


def _download(name: str, url: str, target: Path, opener: Opener, progress: Progress | None) -> Path:
    try:
        response = opener(url)
        try:
            header: Any = getattr(response, "headers", None)
            length = header.get("Content-Length") if header is not None else None
            total = int(length) if length is not None and str(length).isdigit() else None
            done = 0
            with target.open("wb") as file:
                while block := response.read(_BLOCK):
                    file.write(block)
                    done += len(block)
                    if progress is not None:
                        progress(done, total)
        finally:
            response.close()
    except (OSError, ValueError, HTTPException) as error:
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
        raise DataError(f"{name}: could not fetch {url}: {reason}.") from error
    if total is not None and done != total:
        raise DataError(f"{name}: could not fetch {url}: it broke off after {done} of {total} bytes.")
    return target


def _write(entry: Dataset, raw: list[Path], made: Path) -> None:
    """The file of the set from the raw ones, packed; only its content decides whether it is the right one."""
    recipe = entry.recipe
    assert recipe is not None
    digest = hashlib.sha256()
    with made.open("wb") as file:
        # No name and no time in the packed file: the same content is the same file.
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
            try:
                for line in _CONVERTERS[recipe.convert](_lines(raw), recipe):
                    data = line.encode()
                    digest.update(data)
                    packed.write(data)
            except (UnicodeDecodeError, EOFError, zlib.error, gzip.BadGzipFile, csv.Error) as error:
                raise DataError(f"{entry.name}: what {recipe.urls[0]} sent is damaged ({error}).") from error
        file.flush()
        sync_file(file.fileno())
    if digest.hexdigest() != entry.content_sha256:
        raise DataError(
            f"{entry.name}: what {recipe.urls[0]} sent is not the registered file (its checksum differs); see "
            f"{entry.source}."
        )


def _lines(paths: list[Path]) -> Iterator[str]:
    for path in paths:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            binary = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if packed else raw
            with io.TextIOWrapper(binary, encoding="utf-8") as text:
                yield from text


def libsvm_text(lines: Iterator[str], recipe: Recipe) -> Iterator[str]:
    """LIBSVM text as it is, without blanks at line ends and without empty lines."""
    for line in lines:
        if line.strip():
            yield line.rstrip() + "\n"


def table_text(lines: Iterator[str], recipe: Recipe) -> Iterator[str]:
    """A table as CSV: a line of names, columns dropped or spelled out, the label last, missing values empty."""
    columns = recipe.columns
    kept = [i for i, name in enumerate(columns) if name not in ("-", "label")]
    label = columns.index("label")
    names = [name for i in kept for name in (recipe.spelled if columns[i] == "spelled" else (columns[i],))]
    yield _csv_line([*names, "label"])
    for line in lines:
        if not line.strip():
            continue
        cells = line.split() if recipe.delimiter == " " else next(csv.reader([line], skipinitialspace=True))
        if len(cells) != len(columns):
            raise csv.Error(f"{len(cells)} columns where {len(columns)} are expected")
        cells = [cell.strip() for cell in cells]
        values: list[str] = []
        for i in kept:
            values += list(cells[i]) if columns[i] == "spelled" else [cells[i]]
        values = ["" if value == recipe.missing else value for value in values]
        yield _csv_line([*values, recipe.labels.get(cells[label], cells[label])])


def _csv_line(cells: list[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


_CONVERTERS: dict[str, Callable[[Iterator[str], Recipe], Iterator[str]]] = {
    "libsvm": libsvm_text,
    "table": table_text,
}
