"""The one way a file is written: beside its place, synced, and then put there whole.

Whoever reads the file sees the old content or the new one, never a part, whatever stops the writer. A symbolic link
stays one: its target is written. A file that is replaced keeps its mode. What is no regular file (a device, a pipe, a
directory) is refused, because putting a file in its place would destroy it.

The temporary name is `.streamboost-<machine>-<process>-<random>.tmp`, in the folder of the file; it is short, so that a
name of 255 bytes can be written too. A writer that was killed leaves its temporary file behind: the next one that
writes into the folder removes those of processes that are gone, and those of other machines when they are a day old.
"""

from __future__ import annotations

import os
import platform
import re
import stat
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from streamboost.base.system import is_running, replace_file, sync_file, sync_folder

_MACHINE = f"{zlib.crc32(platform.node().encode()):08x}"
_TEMPORARY = re.compile(r"\.streamboost-([0-9a-f]{8})-(\d{1,10})-[A-Za-z0-9_]+\.tmp")
# Seconds; no writer takes that long, and the number of its process may belong to another by then.
_OLD = 24 * 3600.0
_MODE = 0o666


def write_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Put `data` at `path`, whole or not at all."""
    with replacing(path) as file:
        file.write(data)


def write_model(target: str | os.PathLike[str] | BinaryIO, data: bytes) -> None:
    """Put a model at a path, whole or not at all, or into a file that somebody has opened."""
    if not hasattr(target, "write"):
        write_file(target, data)
        return
    try:
        target.write(data)
    except TypeError as error:
        raise TypeError("A model is bytes: open the file in binary mode, as open(path, 'wb').") from error


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to; it appears at `path` when the block is left without an exception."""
    target = check_target(path)
    mode = _mode(target)
    sweep(target.parent)
    prefix = f".streamboost-{_MACHINE}-{os.getpid()}-"
    handle, name = tempfile.mkstemp(prefix=prefix, suffix=".tmp", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            sync_file(file.fileno())
        os.chmod(temporary, mode)  # mkstemp gives 0600
        replace_file(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def write_figure(path: str | os.PathLike[str], figure: Any) -> None:
    """Draw a matplotlib figure into a file, in the format that the ending of its name says."""
    with replacing(path) as file:
        figure.savefig(file, dpi=150, format=Path(os.fsdecode(path)).suffix.lstrip(".").lower() or "png")


def check_target(path: str | os.PathLike[str]) -> Path:
    """Return where a file would be written: behind its symbolic links. Raise if nothing can be written there."""
    shown = os.fsdecode(path)
    # A link that leads to nothing is followed too: its target is made.
    target = Path(os.path.realpath(shown))
    try:
        found = target.stat()
    except FileNotFoundError:
        if not target.parent.is_dir():
            near = Path(shown).parent
            folder = target.parent if near.is_dir() else near  # what the user wrote, or where a link leads
            raise FileNotFoundError(f"{shown}: the folder {folder} does not exist.") from None
        return target
    except OSError as error:  # a link that leads to itself, a name that is too long
        raise OSError(f"{shown}: {error.strerror or error}.") from error
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(f"{shown}: is a directory.")
    if not stat.S_ISREG(found.st_mode):
        raise OSError(f"{shown}: is {_kind(found.st_mode)}, not a file; a file cannot be put in its place.")
    return target


def sweep(folder: Path) -> int:
    """Remove temporary files of writers that are gone; return how many there were."""
    removed = 0
    with os.scandir(folder) as entries:
        stale = [entry for entry in entries if _is_stale(entry)]
    for entry in stale:
        try:
            os.unlink(entry.path)
            removed += 1
        except OSError:  # somebody else was faster, or may not
            continue
    return removed


def _is_stale(entry: os.DirEntry[str]) -> bool:
    found = _TEMPORARY.fullmatch(entry.name)
    try:
        if found is None or not entry.is_file(follow_symlinks=False):
            return False
        if found[1] == _MACHINE and not is_running(int(found[2])):
            return True
        return time.time() - entry.stat(follow_symlinks=False).st_mtime > _OLD
    except OSError:
        return False


def _mode(target: Path) -> int:
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return _MODE & ~umask


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a device"
