"""What differs between operating systems: cores, memory, locks, folders, other processes."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory() -> int:
    """Return the bytes of this machine's memory; 0 where it is not known."""
    if sys.platform == "win32":

        class Status(ctypes.Structure):
            _fields_ = (
                ("length", ctypes.c_ulong),
                ("load", ctypes.c_ulong),
                *(
                    (name, ctypes.c_ulonglong)
                    for name in ("total", "free", "file", "file_free", "space", "space_free", "more")
                ),
            )

        status = Status(length=ctypes.sizeof(Status))
        return int(status.total) if ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)) else 0
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 0


def open_locked(path: Path) -> int:
    """Open a file, made if need be, that no other process holds; raise OSError if one does. The lock ends with the process."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)  # not inherited by child processes
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise
    return file


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Make the renames in a folder last; where folders cannot be opened there is nothing to do."""
    try:
        directory = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(directory)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # so say some network file systems
            raise
    finally:
        os.close(directory)


def is_running(process: int) -> bool:
    """Whether there may be a process of that number; True where asking would end it."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
