"""A disk that lies: what a process does to real files is written down, and a power cut is played at any moment of it.

What was synced stays. Of the rest, writes may be lost, torn or applied without those before them, and of the names in a
folder (made, renamed, deleted) those since its last sync may be as before; file systems keep their order.
"""

from __future__ import annotations

import os
import random
import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.service.crash_vfs import Op, survivor

SOURCE = Path(__file__).with_name("lying_disk.c")
ROOT = Path(__file__).parents[2]
KINDS = {1: "write", 2: "truncate", 3: "sync", 4: "make", 5: "rename", 6: "delete"}
TOLD = "told"
"""The file in which a process says what it has acknowledged: it is not part of what is cut."""


@dataclass
class _File:
    ops: list[Op] = field(default_factory=list)


def record(code: str, folder: Path, *arguments: str) -> list[Op]:
    """Run Python code with the folder as its first argument; returns what it did there."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not sys.platform.startswith("linux") or compiler is None:
        pytest.skip("a library that is loaded before the C library needs Linux and a compiler")
    library, log = folder.with_suffix(".so"), folder.with_suffix(".log")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
    folder.mkdir()
    preload = {"LD_PRELOAD": str(library), "LYING_DISK": str(folder), "LYING_DISK_LOG": str(log)}
    subprocess.run(
        [sys.executable, "-c", code, str(folder), *arguments],
        check=True,
        cwd=ROOT,
        env={**os.environ, **preload},
        timeout=300,
    )
    return list(_read(log.read_bytes()))


def _read(data: bytes) -> list[Op]:
    ops, at = [], 0
    while at < len(data):
        kind, n_name, n_data, offset = struct.unpack_from("<IIIQ", data, at)
        at += 20
        name = data[at : at + n_name].decode()
        ops.append(Op(KINDS[kind], name, offset, data[at + n_name : at + n_name + n_data]))
        at += n_name + n_data
    return ops


def told(ops: list[Op]) -> list[str]:
    """What was acknowledged by then."""
    return b"".join(op.data for op in ops if op.file == TOLD).decode().split()


def power_cut(ops: list[Op], chance: random.Random) -> dict[str, bytes]:
    """The files, by their names below the folder, after a power cut behind these operations."""
    now: dict[str, _File] = {}
    entries: dict[str, list[tuple[str, str, _File | str]]] = {}  # of each folder: what happened to its names
    lasting: dict[str, int] = {}  # ... and how much of it is synced
    for op in ops:
        if op.file == TOLD:
            continue
        parent = str(Path(op.file).parent)
        if op.kind == "make":
            now[op.file] = _File()
            entries.setdefault(parent, []).append(("make", op.file, now[op.file]))
        elif op.kind == "rename":
            new = op.data.decode()
            now[new] = now.pop(op.file)
            entries.setdefault(parent, []).append(("rename", op.file, new))
        elif op.kind == "delete":
            now.pop(op.file, None)
            entries.setdefault(parent, []).append(("delete", op.file, ""))
        elif op.file in now:
            now[op.file].ops.append(op)
        elif op.kind == "sync":  # a folder
            place = op.file or "."
            lasting[place] = len(entries.get(place, []))
    found: dict[str, _File] = {}
    for place, happened in sorted(entries.items()):
        kept = chance.randint(lasting.get(place, 0), len(happened))
        for kind, name, what in happened[:kept]:
            if isinstance(what, _File):
                found[name] = what
            elif kind == "rename":
                found[what] = found.pop(name)
            else:
                found.pop(name, None)
    return {name: survivor(name, file.ops, chance) for name, file in sorted(found.items())}


def put(files: dict[str, bytes], folder: Path) -> None:
    """Write them into a new folder."""
    folder.mkdir()
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
