"""Models by key in one SQLite file.

models: key (JSON), head, data        texts: id, text, CRC-32

data = "SBMT", CRC-32 of what follows up to the numbers, id of the text, 0, rows learned, losses of own and global model,
       numbers of the model (model_templates.py). Its head is empty.
data = "SBMW", length of the text, its CRC-32, text, numbers; or a model file. Its head is a JSON object: rows learned and losses.
       What travels from store to store.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import struct
import weakref
import zlib
from pathlib import Path
from typing import Any, NamedTuple

from streamboost.base.files.archive import ModelFileError
from streamboost.base.system import open_locked

GLOBAL = "global"
"""The place of what is said of all keys; no key: those are JSON."""
TOGETHER = 1024
"""Models that wait to be written in one transaction."""

_PUT = "INSERT INTO models VALUES (?, ?, ?) ON CONFLICT(key) DO UPDATE SET head=excluded.head, data=excluded.data"
_WHOLE, _SHORT = b"SBMW", b"SBMT"
_WHOLE_HEAD = struct.Struct("<4sII")
_SHORT_HEAD = struct.Struct("<4sIIIqdd")
_UNCHECKED = 8
"""Bytes before those that the checksum of a short head is of."""

StoredModel = tuple[str, dict[str, Any], bytes]
"""Key as JSON, what is known of its model, and the model, as it travels from store to store."""


class Found(NamedTuple):
    """A model in the store; without a text its numbers are a model file."""

    n: int
    lost_own: float
    lost_global: float
    text: bytes
    numbers: bytes


def read_head(text: str) -> dict[str, Any]:
    """Return what is known of a model."""
    try:
        head = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelFileError("a stored model is damaged: what is known of it is no JSON") from error
    if not isinstance(head, dict):
        raise ModelFileError("a stored model is damaged: nothing is known of it")
    return head


def counts_of(head: dict[str, Any]) -> tuple[int, float, float]:
    """Return rows learned, and the losses of a model and of the global one."""
    n, own, other = (head.get(name) for name in ("n", "own", "global"))
    losses = [x for x in (own, other) if isinstance(x, int | float) and math.isfinite(x)]
    if not isinstance(n, int) or not 0 <= n <= 2**53 or len(losses) < 2:
        raise ModelFileError("a stored model is damaged: its counts are none")
    return n, float(losses[0]), float(losses[1])


def prior_of(head: dict[str, Any]) -> dict[Any, float]:
    """Return what the global model counted, by label."""
    try:
        counts = {label: float(n) for label, n in head["counts"]}
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError("the store of models is damaged: its counts are none") from error
    if not all(math.isfinite(n) for n in counts.values()):
        raise ModelFileError("the store of models is damaged: its counts are none")
    return counts


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether an error is one of the file, and not that it is locked or the disk is full."""
    told = ("decode", "no such column", "unsupported file format")
    if isinstance(error, sqlite3.ProgrammingError):  # another thread than the store's
        return False
    return not isinstance(error, sqlite3.OperationalError) or any(words in str(error) for words in told)


class KeyStore:
    """Models by key in SQLite: a model that was put is seen at once, and written to the disk at `commit` or with enough others.

    What waits is in memory: a process that is killed takes it along, as it does with the models that were not put.
    """

    def __init__(self, path: Path) -> None:
        try:  # two owners would write over each other's models
            self._unlock = weakref.finalize(self, os.close, open_locked(path.with_suffix(".lock")))
        except OSError as error:
            raise RuntimeError(
                f"{path.parent} is in use by another model, which is not closed yet."
            ) from error
        self._db = sqlite3.connect(path, isolation_level=None)
        try:
            self._open()
        except (sqlite3.DatabaseError, ModelFileError) as error:
            self._db.close()
            self._unlock()
            if isinstance(error, ModelFileError) or not _is_damage(error):
                raise
            raise ModelFileError(f"{path} is no store of models: {error}") from error
        self._ids: dict[bytes, int] = {}
        self._texts: dict[int, bytes] = {}
        self._waiting: dict[str, tuple[str, bytes]] = {}

    def _open(self) -> None:
        for pragma in (
            "journal_mode=WAL",
            "synchronous=NORMAL",
            "fullfsync=1",  # on macOS: down to the disk
            "cache_size=-16384",
            "wal_autocheckpoint=4096",
        ):
            self._db.execute(f"PRAGMA {pragma}")
        for table in (
            "models (key TEXT PRIMARY KEY, head TEXT NOT NULL, data BLOB NOT NULL)",
            "texts (id INTEGER PRIMARY KEY, text BLOB NOT NULL UNIQUE, checksum INTEGER NOT NULL)",
        ):
            self._db.execute(f"CREATE TABLE IF NOT EXISTS {table}")
        for columns in ("key, head, data FROM models", "id, text, checksum FROM texts"):
            self._all(f"SELECT {columns} LIMIT 0")

    def _all(self, query: str, *values: Any) -> list[Any]:
        """Return the rows that a query finds; a damaged file is an error of the file."""
        try:
            return self._db.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
            raise ModelFileError(f"the store of models is damaged: {error}") from error

    def _write(self, key: str, head: str, data: bytes) -> None:
        self._waiting[key] = head, data
        if len(self._waiting) >= TOGETHER:
            self.commit()

    def commit(self) -> None:
        """Write what was put so far, all of it or nothing; a process that is killed does not take it along."""
        if self._waiting:
            self._all_or_nothing(_PUT, [(key, *row) for key, row in self._waiting.items()])
            self._waiting.clear()

    def sync(self) -> None:
        """Make what was committed last through a power cut, too."""
        self._db.execute("PRAGMA wal_checkpoint").fetchall()

    def _all_or_nothing(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        self._db.execute("BEGIN")
        try:
            self._db.executemany(statement, rows)
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:  # a full disk has ended it already
                self._db.execute("ROLLBACK")
            raise

    # Texts.

    def _id_of(self, text: bytes) -> int:
        found = self._ids.get(text)
        if found is None:
            rows = self._all("SELECT id FROM texts WHERE text = ?", text)
            if not rows:
                statement = "INSERT INTO texts (text, checksum) VALUES (?, ?) RETURNING id"
                rows = self._all(statement, text, zlib.crc32(text))
            found = self._ids[text] = rows[0][0]
        return found

    def _text_of(self, number: int) -> bytes:
        text = self._texts.get(number)
        if text is None:
            rows = self._all("SELECT text, checksum FROM texts WHERE id = ?", number)
            if not rows or not isinstance(rows[0][0], bytes) or zlib.crc32(rows[0][0]) != rows[0][1]:
                raise ModelFileError("a stored model is damaged: its columns and labels are missing")
            text = self._texts[number] = rows[0][0]
        return text

    # Models.

    def put(self, key: str, model: Found) -> None:
        """Write the model of a key in the place of the one before."""
        if not model.text:
            head = {"n": model.n, "own": model.lost_own, "global": model.lost_global}
            self.put_whole(key, head, model.numbers)
            return
        rest = _SHORT_HEAD.pack(
            _SHORT, 0, self._id_of(model.text), 0, model.n, model.lost_own, model.lost_global
        )[_UNCHECKED:]
        data = b"".join((_SHORT, zlib.crc32(rest).to_bytes(4, "little"), rest, model.numbers))
        self._write(key, "", data)

    def put_whole(self, key: str, head: dict[str, Any], data: bytes) -> None:
        """Write what `get_whole` of another store gave."""
        self._write(key, json.dumps(head), data)

    def _row(self, key: str) -> tuple[str, bytes] | None:
        waiting = self._waiting.get(key)
        if waiting is not None:
            return waiting
        rows = self._all("SELECT head, data FROM models WHERE key = ?", key)
        if not rows:
            return None
        head, data = rows[0]
        if not isinstance(head, str) or not isinstance(data, bytes):
            raise ModelFileError("a stored model is damaged: it is no model")
        return head, data

    def get(self, key: str) -> Found | None:
        """Return a model, or None."""
        row = self._row(key)
        return None if row is None else self._read(*row)

    def _read(self, head: str, data: bytes) -> Found:
        if data.startswith(_SHORT) and len(data) >= _SHORT_HEAD.size:
            _, checksum, number, _, n, lost_own, lost_global = _SHORT_HEAD.unpack_from(data)
            if zlib.crc32(data[_UNCHECKED : _SHORT_HEAD.size]) != checksum:
                raise ModelFileError("a stored model is damaged: its checksum is wrong")
            return Found(n, lost_own, lost_global, self._text_of(number), data[_SHORT_HEAD.size :])
        if not head:
            raise ModelFileError("a stored model is damaged: nothing says what it is")
        counts = counts_of(read_head(head))
        if not data.startswith(_WHOLE):
            return Found(*counts, b"", data)
        if len(data) < _WHOLE_HEAD.size:
            raise ModelFileError("a stored model is cut short")
        _, length, checksum = _WHOLE_HEAD.unpack_from(data)
        text = data[_WHOLE_HEAD.size : _WHOLE_HEAD.size + length]
        if zlib.crc32(text) != checksum or not text:
            raise ModelFileError("a stored model is damaged: its checksum is wrong")
        return Found(*counts, text, data[_WHOLE_HEAD.size + length :])

    def get_whole(self, key: str) -> tuple[dict[str, Any], bytes] | None:
        """Return what is known of a model, and the model by itself: another store can take it."""
        found = self.get(key)
        if found is None:
            return None
        head = {"n": found.n, "own": found.lost_own, "global": found.lost_global}
        if not found.text:
            return head, found.numbers
        text = found.text
        return head, _WHOLE_HEAD.pack(_WHOLE, len(text), zlib.crc32(text)) + text + found.numbers

    # What is said of all keys.

    def put_global(self, head: dict[str, Any], data: bytes) -> None:
        """Write the global model in the place of the one before."""
        self.put_whole(GLOBAL, head, data)

    def get_global(self) -> tuple[dict[str, Any], bytes] | None:
        """Return it, or None."""
        row = self._row(GLOBAL)
        return None if row is None else (read_head(row[0]), row[1])

    def names(self) -> list[str]:
        """Return all keys."""
        self.commit()
        return [key for (key,) in self._all("SELECT key FROM models WHERE key != ?", GLOBAL)]

    def delete(self, keys: list[str]) -> None:
        """Remove models, all of them or none, after what was put before."""
        self.commit()
        self._all_or_nothing("DELETE FROM models WHERE key = ?", [(key,) for key in keys])

    def close(self) -> None:
        """Write what waits and close the file."""
        self.commit()
        self._db.close()
        self._unlock()
