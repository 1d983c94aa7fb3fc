"""A disk that remembers every write and sync, so that a power cut can be played at any of them.

Until a file is synced its writes may be lost, kept, torn or applied without those before them. What was synced stays.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw


@dataclass(frozen=True)
class Op:
    kind: str  # write, truncate, sync, delete
    file: str
    offset: int = 0
    data: bytes = b""


class CrashVFS(apsw.VFS):
    """Files live in memory; ``ops`` is everything that happened to them."""

    def __init__(self, name: str) -> None:
        self.ops: list[Op] = []
        self.files: dict[str, bytearray] = {}
        super().__init__(name, "")

    def xFullPathname(self, name: str) -> str:
        return name

    def xAccess(self, name: str, flags: int) -> bool:
        return Path(name).name in self.files

    def xDelete(self, name: str, syncdir: bool) -> None:
        if Path(name).name not in self.files:
            raise apsw.IOErrorDeleteNoEntError
        del self.files[Path(name).name]
        self.ops.append(Op("delete", Path(name).name))

    def xOpen(self, name: Any, flags: list[int]) -> CrashFile:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        flags[1] = flags[0]
        return CrashFile(self, Path(path).name)


class CrashFile:
    def __init__(self, vfs: CrashVFS, name: str) -> None:
        self._vfs, self._name = vfs, name
        vfs.files.setdefault(name, bytearray())

    @property
    def _data(self) -> bytearray:
        return self._vfs.files[self._name]

    def xRead(self, amount: int, offset: int) -> bytes:
        return bytes(self._data[offset : offset + amount])

    def xWrite(self, data: bytes, offset: int) -> None:
        op = Op("write", self._name, offset, bytes(data))
        self._vfs.ops.append(op)
        apply(self._data, op)

    def xTruncate(self, size: int) -> None:
        self._vfs.ops.append(Op("truncate", self._name, size))
        del self._data[size:]

    def xSync(self, flags: int) -> None:
        self._vfs.ops.append(Op("sync", self._name))

    def xFileSize(self) -> int:
        return len(self._data)

    def xClose(self) -> None: ...
    def xLock(self, level: int) -> None: ...
    def xUnlock(self, level: int) -> None: ...
    def xFileControl(self, op: int, pointer: int) -> bool:
        return False

    def xCheckReservedLock(self) -> bool:
        return False

    def xSectorSize(self) -> int:
        return 4096

    def xDeviceCharacteristics(self) -> int:
        return 0


def apply(data: bytearray, op: Op) -> None:
    if op.kind == "truncate":
        del data[op.offset :]
        return
    if len(data) < op.offset:
        data.extend(bytes(op.offset - len(data)))
    data[op.offset : op.offset + len(op.data)] = op.data


def power_cut(ops: list[Op], chance: random.Random) -> dict[str, bytes]:
    """The files after a power cut: all that was synced, and of the rest whatever chance leaves, in any order, torn."""
    found: dict[str, bytes] = {}
    for name in sorted({op.file for op in ops}):  # else chance would hang on the order of a set
        mine = [op for op in ops if op.file == name]
        if mine[-1].kind == "delete":
            continue
        born = max((i for i, op in enumerate(mine) if op.kind == "delete"), default=-1) + 1
        found[name] = survivor(name, mine[born:], chance)
    return found


def survivor(name: str, ops: list[Op], chance: random.Random) -> bytes:
    """One file after a power cut, from all that was done to it."""
    synced = max((i for i, op in enumerate(ops) if op.kind == "sync"), default=-1) + 1
    data = bytearray()
    for op in ops[:synced]:
        if op.kind != "sync":
            apply(data, op)
    loose = [op for op in ops[synced:] if chance.random() < 0.5]
    if chance.random() < 0.5:
        chance.shuffle(loose)
    for op in loose:
        if op.kind == "write" and len(op.data) > 512 and chance.random() < 0.3:
            op = Op("write", name, op.offset, op.data[: 512 * chance.randrange(1, len(op.data) // 512 + 1)])
        apply(data, op)
    return bytes(data)
