"""Where shards and their driver keep what must outlive them: a folder, or a place that fsspec can reach.

    head                      what the driver knows: parameters, labels, columns, which lanes the shards have
    log-000000000012          one chunk, written before it is sent
    line-000000000256-0-50    a shard's state after 256 chunks, with its last reply: one file, whole or not there

All shards write after the same chunks. A line is complete when every shard has written; the newest complete line and the log
from there on give back every state.
"""

from __future__ import annotations

import contextlib
import json
import os
import uuid
from pathlib import Path
from typing import Any

from streamboost.base.system import remove_file, replace_file, sync_file, sync_folder
from streamboost.distributed.parts import Lanes

HEAD = "head"


class Folder:
    """A flat folder of files that are written whole or not at all."""

    def __init__(self, url: str, *, sync: bool = True) -> None:
        self.url = url
        self.sync = sync
        self._fs: Any = None
        self._root = url
        if "://" in url:
            try:
                import fsspec
            except ImportError as error:
                raise ImportError(
                    f'folder={url!r} needs the package fsspec: pip install "streamboost[ray]".'
                ) from error
            self._fs, self._root = fsspec.core.url_to_fs(url)
            self._fs.makedirs(self._root, exist_ok=True)
        else:
            Path(url).mkdir(parents=True, exist_ok=True)

    def path(self, name: str) -> str:
        """Return where a file is."""
        return f"{self._root.rstrip('/')}/{name}"

    @property
    def is_local(self) -> bool:
        """Whether files can be opened by their path."""
        return self._fs is None

    def write(self, name: str, *pieces: bytes) -> None:
        """Write a file, whole or not at all."""
        temporary = self.path(f".{name}-{uuid.uuid4().hex}")
        if self._fs is not None:
            self._fs.pipe_file(temporary, b"".join(pieces))
            self._fs.mv(temporary, self.path(name))
            return
        try:
            with open(temporary, "wb") as file:
                for piece in pieces:
                    file.write(piece)
                if self.sync:
                    file.flush()
                    sync_file(file.fileno())
            replace_file(temporary, self.path(name))
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        if self.sync:
            sync_folder(self._root)

    def read(self, name: str) -> bytes:
        """Return the bytes of a file."""
        if self._fs is not None:
            data: bytes = self._fs.cat_file(self.path(name))
            return data
        return Path(self.path(name)).read_bytes()

    def names(self) -> list[str]:
        """Return the names of all files that are there, sorted."""
        if self._fs is None:
            found = os.listdir(self._root)
        else:
            self._fs.invalidate_cache()
            found = [str(path).rpartition("/")[2] for path in self._fs.ls(self._root, detail=False)]
        return sorted(name for name in found if not name.startswith("."))

    def delete(self, name: str) -> None:
        """Remove a file; one that is gone already is no error."""
        if self._fs is None:
            remove_file(self.path(name))
            return
        with contextlib.suppress(FileNotFoundError):
            self._fs.rm_file(self.path(name))


def log_name(seq: int) -> str:
    """Return the name of a chunk in the log."""
    return f"log-{seq:012d}"


def line_name(next_seq: int, lanes: Lanes) -> str:
    """Return the name of a shard's snapshot."""
    return f"line-{next_seq:012d}-{lanes[0]}-{lanes[1]}"


def record(growth: dict[str, Any]) -> bytes:
    """Return the head of a log entry: what the chunk has discovered; the chunk follows, on a multiple of eight."""
    text = json.dumps(growth, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def read_record(data: bytes) -> tuple[dict[str, Any], int]:
    """Return what a chunk has discovered, and where its bytes begin."""
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > len(data) - 8:
        raise ValueError("an entry of the log is cut short")
    growth: dict[str, Any] = json.loads(data[8 : 8 + size])
    return growth, 8 + size


def complete_lines(names: list[str], lanes: list[Lanes]) -> list[int]:
    """Return after how many chunks every one of these shards has written, in order."""
    there = set(names)
    counts = sorted({int(name.split("-")[1]) for name in names if name.startswith("line-")})
    return [n for n in counts if all(line_name(n, part) in there for part in lanes)]
