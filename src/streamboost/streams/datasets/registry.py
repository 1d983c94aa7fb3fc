"""The registry of public data sets: what is known about each, and where its file is on this machine.

The entries are in ``datasets.json`` beside this file. A set is looked for in the folder that ``STREAMBOOST_DATA``
names, then in the cache folder. Nothing here uses the network: see :mod:`streamboost.streams.datasets.fetch`.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import sys
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

DATA_VARIABLE = "STREAMBOOST_DATA"
"""Environment variable: a folder of data files that can be named without path and ending."""

CACHE_VARIABLE = "STREAMBOOST_CACHE"
"""Environment variable: the folder for data sets that were fetched."""


@dataclass(frozen=True)
class Recipe:
    """How the file of a data set is made from what its public source offers."""

    urls: tuple[str, ...]
    convert: str
    """``libsvm``: the files one after the other, blanks at line ends removed; ``table``: a CSV with names."""
    columns: tuple[str, ...] = ()
    """Of a table: the name of each raw column; ``-`` is dropped, ``label`` goes last, ``spelled`` goes by letters."""
    spelled: tuple[str, ...] = ()
    """The names of the letters."""
    delimiter: str = ","
    missing: str | None = None
    """What a missing value looks like in the raw file."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels that are written in another way."""


@dataclass(frozen=True)
class Dataset:
    """A registered data set."""

    name: str
    title: str
    task: str
    n_rows: int
    n_features: int
    n_classes: int
    missing_cells: int
    format: str
    label: str
    source: str
    licence: str
    preprocessing: str
    file: str
    n_bytes: int
    sha256: str
    content_sha256: str
    """Of the unpacked file: what a file that was packed elsewhere is checked against."""
    recipe: Recipe | None = None

    def path(self) -> Path | None:
        """Where the file is, or None: in the data folder, packed or not, else in the cache folder."""
        folder = os.environ.get(DATA_VARIABLE)
        folders = ([Path(folder)] if folder else []) + [cache_folder()]
        for place in folders:
            for name in (self.file, self.file.removesuffix(".gz")):
                if (place / name).is_file():
                    return place / name
        return None

    def recognises(self, path: Path) -> bool:
        """Whether a file is this set by its name and place or size; a cheap look, no proof."""
        if path.name != self.file:
            return False
        return path.parent == cache_folder() or path.stat().st_size == self.n_bytes

    def verify(self, path: Path) -> bool:
        """Whether a file has the content that the registry promises, by checksum."""
        try:
            with path.open("rb") as file:
                if _digest(file) in (self.sha256, self.content_sha256):
                    return True
                file.seek(0)
                return _digest(gzip.GzipFile(fileobj=file)) == self.content_sha256
        except (OSError, EOFError, zlib.error):
            return False


def _digest(file: IO[bytes] | gzip.GzipFile) -> str:
    digest = hashlib.sha256()
    while block := file.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()


@cache
def registered() -> Mapping[str, Dataset]:
    """The registered data sets by name."""
    text = Path(__file__).with_name("datasets.json").read_text(encoding="utf-8")
    return MappingProxyType({name: _entry(name, facts) for name, facts in json.loads(text).items()})


def _entry(name: str, facts: dict[str, Any]) -> Dataset:
    raw = facts.pop("fetch", None)
    recipe = None
    if raw is not None:
        words: dict[str, Any] = {key: tuple(raw.pop(key, "").split()) for key in ("columns", "spelled")}
        recipe = Recipe(urls=tuple(raw.pop("urls")), **words, **raw)
    return Dataset(name=name, recipe=recipe, **facts)


def cache_folder() -> Path:
    """``STREAMBOOST_CACHE``, else the folder ``streamboost`` where the platform keeps caches."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen)
    home = Path.home()
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else home / "AppData" / "Local") / "streamboost" / "Cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "streamboost"
    shared = os.environ.get("XDG_CACHE_HOME", "")
    # The convention says that a relative path is to be ignored.
    return (Path(shared) if os.path.isabs(shared) else home / ".cache") / "streamboost"
