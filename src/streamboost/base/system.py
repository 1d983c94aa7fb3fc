"""What differs between operating systems: cores, memory, locks, files, ports, signals, text, other processes."""

from __future__ import annotations

import ctypes
import errno
import io
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import socket

_WINDOWS = os.name == "nt"

STOP_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)
)
"""What asks a program to end; Ctrl-Break is what a system without SIGTERM from outside has."""

APART: dict[str, Any] = (
    {"creationflags": 0x200} if _WINDOWS else {"start_new_session": True}  # a new group of processes
)
"""Options of ``subprocess.Popen`` for a child that does not hear the Ctrl-C of our terminal."""

_PATIENCE = 1.0
"""Seconds to wait for those who read a file that is to be replaced."""


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


def replace_file(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Put a file in the place of another, which somebody may be reading: Windows refuses that until they are done."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            return os.replace(source, target)
        except PermissionError:
            if not _WINDOWS or time.monotonic() > until:
                raise
        time.sleep(0.01)


def remove_file(path: str | os.PathLike[str]) -> None:
    """Remove a file that may be gone already; one that somebody reads stays, where the system wants it so."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    except PermissionError:
        if not _WINDOWS:
            raise


def bind_alone(bound: socket.socket, address: tuple[str, int]) -> None:
    """Take a port that nobody else has. SO_REUSEADDR lets a server start again at once; on Windows it lets two share a port."""
    import socket

    option = "SO_EXCLUSIVEADDRUSE" if _WINDOWS else "SO_REUSEADDR"
    bound.setsockopt(socket.SOL_SOCKET, getattr(socket, option), 1)
    bound.bind(address)


def speak_utf8() -> None:
    """Pipes and redirected files are UTF-8 with plain line ends, as every file that is written and read here.

    Windows would take its own code page, which lacks most letters. A terminal keeps its own, and PYTHONIOENCODING is obeyed: a
    letter that they lack is escaped.
    """
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if (
            not isinstance(stream, io.TextIOWrapper) or stream.closed
        ):  # there is none, or it is somebody else's
            continue
        encoding = None if stream.isatty() or os.environ.get("PYTHONIOENCODING") else "utf-8"
        if stream is sys.stdin:
            stream.reconfigure(encoding=encoding)
        else:
            stream.reconfigure(
                encoding=encoding, errors="backslashreplace", newline="\n" if encoding else None
            )


def sync_file(file: int) -> None:
    """Return when what was written is on the disk; on macOS ``fsync`` leaves it in the memory of the disk."""
    try:
        import fcntl

        fcntl.fcntl(file, fcntl.F_FULLFSYNC)  # type: ignore[attr-defined,unused-ignore]
    except (ImportError, AttributeError, OSError):  # another system, or a file system that cannot
        os.fsync(file)


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Make the renames in a folder last; where folders cannot be opened there is nothing to do."""
    try:
        directory = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        sync_file(directory)
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
