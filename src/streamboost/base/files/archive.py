"""The container of a model file: a stored zip of `manifest.json` and little-endian `.npy` arrays.

Reading runs no code and trusts nothing: sizes are compared with the file before anything is allocated, every array
carries its SHA-256, and whatever is odd raises `ModelFileError`. What the numbers mean is checked one level up and,
for every count and index, in the core.

    file      = zip, members stored (never compressed), each name once, manifest.json first
    manifest  = JSON object; "arrays" maps each array's name to {"dtype", "shape", "sha256"}
    arrays    = arrays/<name>.npy, .npy version 1.0, C order, dtype from a short list

An array may lie apart, in files beside this one (`rows_apart.py`): then it has no member here, and "pieces" in the manifest.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import re
import stat
import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

FORMAT = "streamboost-model"
FORMAT_VERSION = 1
MAX_MANIFEST = 256 * 2**20
MAX_MEMBERS = 1024
MAX_AXES = 8

_DTYPES = frozenset({"<f8", "<f4", "<i8", "<i4", "<i2", "|i1", "<u8", "<u4", "<u2", "|u1", "|b1"})
_NAME = re.compile(r"[A-Za-z0-9_]+(?:[./-][A-Za-z0-9_]+)*")
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(?P<length>..)\{'descr': '(?P<dtype>[<|][a-z]\d)', 'fortran_order': False, "
    rb"'shape': \((?P<shape>(?:\d{1,19},? ?){0,8})\), \} *\n",
    re.DOTALL,
)
Apart = Callable[[str, Any], NDArray[Any]]
"""Reads an array that lies apart, given its name and what the manifest says of it."""
_EPOCH = (1980, 1, 1, 0, 0, 0)  # no clock in the file: equal models give equal bytes


class ModelFileError(ValueError):
    """A model file is damaged, hostile, or from a version this one cannot read."""


def write_archive(
    file: BinaryIO,
    manifest: dict[str, Any],
    arrays: dict[str, NDArray[Any]],
    apart: Mapping[str, dict[str, Any]] | None = None,
) -> None:
    """Write one model; the same model gives the same bytes. ``apart``: what the manifest says of arrays that lie elsewhere."""
    members: dict[str, bytes] = {}
    entries: dict[str, dict[str, Any]] = dict(apart or {})
    for name in sorted(arrays):
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} cannot name an array in a model file")
        array = np.asarray(arrays[name], order="C")  # ascontiguousarray would give a scalar an axis
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        if array.dtype.str not in _DTYPES:
            raise ValueError(f"array {name!r} has dtype {array.dtype}, which a model file cannot hold")
        buffer = io.BytesIO()
        np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
        data = buffer.getvalue()
        members[_member(name)] = data
        entries[name] = {
            "dtype": array.dtype.str,
            "shape": list(array.shape),
            "sha256": hashlib.sha256(data).hexdigest(),
        }
    head = {"format": FORMAT, "format_version": FORMAT_VERSION, **manifest, "arrays": entries}
    text = json.dumps(head, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for member, data in {"manifest.json": text.encode(), **members}.items():
            archive.writestr(zipfile.ZipInfo(member, _EPOCH), data)


@contextmanager
def open_regular(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for reading. A device or a pipe, perhaps behind a link, is refused: it may never end, or never begin."""
    without_waiting = getattr(os, "O_NONBLOCK", 0)
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | without_waiting)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ModelFileError(f"{os.fspath(path)} is a device or a pipe, not a file")
        yield file


def read_archive(
    file: BinaryIO, apart: Apart | None = None
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return manifest and arrays of a model file, or raise `ModelFileError`."""
    with _opened(file) as (archive, size):
        return _read_members(archive, size, apart)


def read_manifest(file: BinaryIO) -> dict[str, Any]:
    """Return the manifest of a model file alone, or raise `ModelFileError`."""
    with _opened(file) as (archive, size):
        return _read_head(archive, size)


@contextmanager
def _opened(file: BinaryIO) -> Iterator[tuple[zipfile.ZipFile, int]]:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    try:
        begin = file.read(2)
        if begin != b"PK":
            raise ModelFileError("not a model file: `save` and `streamboost run --save` write those")
        file.seek(0)
        with zipfile.ZipFile(file) as archive:
            yield archive, size
    except ModelFileError:
        raise
    except (
        zipfile.BadZipFile,
        struct.error,
        OSError,
        EOFError,
        ValueError,
        RuntimeError,
        OverflowError,
    ) as error:
        raise ModelFileError(f"not a readable model file: {error}") from error


def _read_head(archive: zipfile.ZipFile, size: int) -> dict[str, Any]:
    """The manifest of a file whose members are as they should be."""
    infos = archive.infolist()
    names = [info.filename for info in infos]
    if not infos or names[0] != "manifest.json" or infos[0].header_offset != 0:
        raise ModelFileError("not a streamboost model file: it does not begin with manifest.json")
    if len(infos) > MAX_MEMBERS:
        raise ModelFileError(f"the file has {len(infos)} members; at most {MAX_MEMBERS} are allowed")
    if len(set(names)) != len(names):
        raise ModelFileError("a member appears twice")
    for info in infos:
        if (
            info.compress_type != zipfile.ZIP_STORED
            or info.file_size != info.compress_size
            or info.flag_bits & 0x1
        ):
            raise ModelFileError(
                f"member {info.filename!r} is compressed or encrypted; members must be stored"
            )
    if sum(info.file_size for info in infos) > size:
        raise ModelFileError("the members claim more bytes than the file has")
    if infos[0].file_size > MAX_MANIFEST:
        raise ModelFileError(
            f"manifest.json has {infos[0].file_size} bytes; at most {MAX_MANIFEST} are allowed"
        )
    manifest = parse_json(archive.read(infos[0]))
    _check_head(manifest)
    return manifest


def _read_members(
    archive: zipfile.ZipFile, size: int, apart: Apart | None
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    manifest = _read_head(archive, size)
    infos = archive.infolist()
    entries = manifest["arrays"]
    if not isinstance(entries, dict):
        raise ModelFileError("'arrays' in the manifest is not an object")
    for name in entries:
        if not _NAME.fullmatch(name):
            raise ModelFileError(f"{name!r} is not a legal array name")
    elsewhere = {name for name, entry in entries.items() if isinstance(entry, dict) and "pieces" in entry}
    if {_member(name) for name in entries.keys() - elsewhere} != {info.filename for info in infos[1:]}:
        raise ModelFileError("the members of the file are not the arrays of the manifest")
    by_name = {info.filename: info for info in infos}
    arrays = {}
    for name, entry in entries.items():
        if name not in elsewhere:
            arrays[name] = _read_array(archive, by_name[_member(name)], name, entry)
        elif apart is not None:
            arrays[name] = apart(name, entry)
        else:
            raise ModelFileError(
                "rows of the model lie in files beside it: load it by its path, in its folder"
            )
    return manifest, arrays


def _member(name: str) -> str:
    return f"arrays/{name}.npy"


def parse_json(data: bytes) -> dict[str, Any]:
    """Parse a JSON object, refusing NaN, Infinity and repeated keys."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ModelFileError("a key appears twice in manifest.json")
        return found

    def refuse(constant: str) -> Any:
        raise ModelFileError(f"manifest.json contains {constant}")

    try:
        parsed = json.loads(data.decode(), object_pairs_hook=unique, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"manifest.json cannot be read: {error}") from error
    if not isinstance(parsed, dict):
        raise ModelFileError("manifest.json is not an object")
    return parsed


def _check_head(manifest: dict[str, Any]) -> None:
    if manifest.get("format") != FORMAT:
        raise ModelFileError(f"format is {manifest.get('format')!r}, expected {FORMAT!r}")
    version = manifest.get("format_version")
    if type(version) is not int or version != FORMAT_VERSION:
        raise ModelFileError(
            f"format_version is {version!r}; this streamboost reads version {FORMAT_VERSION}. "
            "A newer file needs a newer streamboost."
        )
    if "arrays" not in manifest:
        raise ModelFileError("the manifest lists no arrays")


def _read_array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, entry: Any) -> NDArray[Any]:
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "sha256"}:
        raise ModelFileError(f"the manifest describes array {name!r} wrongly")
    dtype, shape = entry["dtype"], entry["shape"]
    if not isinstance(dtype, str) or dtype not in _DTYPES:
        raise ModelFileError(f"array {name!r} has dtype {dtype!r}, which is not allowed")
    if (
        not isinstance(shape, list)
        or len(shape) > MAX_AXES
        or not all(type(n) is int and n >= 0 for n in shape)
    ):
        raise ModelFileError(f"array {name!r} has an illegal shape {shape!r}")
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    if n_bytes > info.file_size:
        raise ModelFileError(f"array {name!r} claims {n_bytes} bytes, its member has {info.file_size}")
    data = archive.read(info)
    if hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise ModelFileError(f"array {name!r} does not match its SHA-256: the file is damaged")
    # NumPy's own reader parses headers as Python; ours only accepts the one text that NumPy writes.
    header = _HEADER.match(data)
    if header is None or len(header[0]) != 10 + int.from_bytes(header["length"], "little"):
        raise ModelFileError(f"array {name!r} has an unreadable header")
    axes = [int(n) for n in header["shape"].replace(b",", b" ").split()]
    if axes != shape or header["dtype"].decode() != dtype:
        raise ModelFileError(f"array {name!r}: its header and the manifest disagree")
    offset = header.end()
    if len(data) - offset != n_bytes:
        raise ModelFileError(f"array {name!r} has {len(data) - offset} bytes of data, expected {n_bytes}")
    array: NDArray[Any] = np.frombuffer(data, dtype=dtype, offset=offset).reshape(shape)
    own: NDArray[Any] = np.array(array)
    return own
