"""Data files: which reader reads a file, by its name, by its first bytes or because the user says so."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from streamboost.reading import reading_options
from streamboost.streams.base import DataError, Stream
from streamboost.streams.readers.arff import open_arff
from streamboost.streams.readers.columns import ExpectedColumns
from streamboost.streams.readers.converted import lines_of_objects, rows_of_workbook
from streamboost.streams.readers.csv import CsvStream
from streamboost.streams.readers.dates import DateForm, DatesOfModel, dates_of_model, with_dates
from streamboost.streams.readers.jsonl import JsonLinesStream
from streamboost.streams.readers.libsvm import LibsvmStream
from streamboost.streams.readers.parquet import ArrowStream
from streamboost.streams.readers.source import ByteSource
from streamboost.streams.readers.vw import VwStream


@dataclass(frozen=True)
class _Format:
    """A reader and the endings of its files."""

    reader: Any
    endings: tuple[str, ...]


_READERS = {
    "csv": _Format(CsvStream, ("csv", "tsv")),
    "libsvm": _Format(LibsvmStream, ("libsvm", "svm", "svmlight")),
    "arff": _Format(open_arff, ("arff",)),
    "vw": _Format(VwStream, ("vw",)),
    "jsonl": _Format(JsonLinesStream, ("jsonl", "ndjson")),
    "parquet": _Format(ArrowStream, ("parquet", "pq")),
    "arrow": _Format(ArrowStream, ("arrow", "feather", "ipc")),
}
_CONVERTED = {"xlsx": ("csv", rows_of_workbook), "json": ("jsonl", lines_of_objects)}
"""Formats that are read as others."""
_ENDINGS = {"xlsx": "xlsx", "xlsm": "xlsx"} | {
    ending: name for name, entry in _READERS.items() for ending in entry.endings
}
_DAY_FIRST = {"day-first": True, "month-first": False}
_VW_LINE = re.compile(r"\s*[-+]?[\d.]+(\s+[\d.]+)*(\s+'?\S*)?\s*\|(\S*\s|$)")


def split_name(path: Path) -> tuple[str, str | None]:
    """The bare name of a data file and its format by its ending."""
    bare = path.name.removesuffix(".gz")
    stem, _, ending = bare.rpartition(".")
    kind = _ENDINGS.get(ending.lower()) if stem else None
    return (stem, kind) if kind else (bare, None)


def bare_name(name: str) -> str:
    """The name of a file without the endings of data files."""
    bare = name.removesuffix(".gz")
    stem, _, ending = bare.rpartition(".")
    return stem if stem and ending.lower() in (*_ENDINGS, "txt", "data", "json") else bare


def open_file(
    path: str | os.PathLike[str], reading: Mapping[str, Any], expected: ExpectedColumns | None = None
) -> Stream:
    """A stream over one file, or over standard input (``-``); `reading` holds every option of `ReadingOptions`."""
    text = os.fspath(path)
    source: str | os.PathLike[str] = path
    if reading["encoding"] is not None:
        source = ByteSource(path, _encoding(reading["encoding"]))
    kind = reading["format"] or split_name(Path(text))[1]
    if kind is None:
        # What can be read only once is handed on with the bytes that were looked at.
        source = opened = ByteSource.of(source)
        kind = _guess_format(opened)
    if kind in _CONVERTED:
        source = opened = ByteSource.of(source)
        kind, opened.convert = _CONVERTED[kind]
    options: dict[str, Any] = {}
    for name, (_, option) in reading_options().items():
        value = reading[name]
        if name in ("format", "encoding") or value is None:
            continue
        if kind in option.formats:
            options[name] = value
        elif name == "label":
            raise DataError(
                f"{text}: {kind.upper()} rows begin with their label; label= is for CSV and others."
            )
        elif name != "n_features":  # which can be compared with any file
            raise DataError(f"{text}: {name}= is not for {kind} but for {', '.join(option.formats)}.")
    day_first = _DAY_FIRST.get(options.get("dates", ""))
    if day_first is not None:
        options["dates"] = "parts"
    if kind in reading_options()["dates"][1].formats:
        options.setdefault("dates", "auto")
    learned = dates_of_model(expected) if kind in reading_options()["dates"][1].formats else None
    if learned is not None:
        options["dates"] = tuple(learned.parts)
    options["expected"] = expected if learned is None else learned.expected
    stream = _apart(_READERS[kind].reader(source, **options), learned, day_first)
    if reading["n_features"] is not None and reading["n_features"] != stream.n_features:
        raise DataError(f"{text}: has {stream.n_features} features, not {reading['n_features']}.")
    return stream


def _encoding(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise DataError(f"There is no encoding {name!r}; latin-1 and utf-16 are some.") from None


def _apart(stream: Any, learned: DatesOfModel | None, day_first: bool | None) -> Stream:
    """The stream with its dates taken apart: those of its plan, or those that a model has learned the parts of."""
    forms = {}
    for column, texts in getattr(stream, "dates", {}).items():
        known = None if learned is None else learned.day_first.get(column)
        if learned is None or texts:
            where = f"{stream.name}: column {column!r}"
            forms[column] = DateForm.of(where, texts, said=day_first, learned=known)
        if learned is not None:
            parts = learned.parts[column]
            forms[column] = replace(forms[column], parts=parts) if column in forms else DateForm(known, parts)
    return with_dates(stream, forms)


def _guess_format(source: ByteSource) -> str:
    """The format by the first bytes: magic ones, or the look of the first line that is not blank."""
    start = source.peek()
    if start[:4] == b"PK\x03\x04":
        return "xlsx"
    if start[:4] == b"\xd0\xcf\x11\xe0":
        raise DataError(f"{source.name}: is a workbook of the old kind; save it as .xlsx or as CSV.")
    if start[:4] == b"PAR1":
        return "parquet"
    if start[:6] == b"ARROW1":
        return "arrow"
    for line in start.decode(errors="replace").split("\n"):
        text = line.strip()
        if not text:
            continue
        if text.startswith(("%", "@")):
            return "arff"
        if text.startswith(("[", "{")):
            return "json" if text[0] == "[" or "}" not in text else "jsonl"
        if _VW_LINE.match(text):
            return "vw"
        rest = text.split("#", 1)[0].split()[1:]
        return "libsvm" if rest and all(":" in token for token in rest) else "csv"
    raise DataError(f"{source.name}: the file is empty.")
