"""Models by key in one SQLite file.

models: key (JSON), head, data        texts: id, text, CRC-32

data = "SBMT", CRC-32 of what follows up to the numbers, id of the text, 0, rows learned, losses of own and global model,
       numbers of the model (model_templates.py). Its head is empty.
data = "SBMW", length of the text, its CRC-32, text, numbers; or a model file. Its head is a JSON object: rows learned and losses.
       What travels from store to store.
"""

from __future__ import annotations

import json
import sqlite3
import struct
import zlib
from pathlib import Path
from typing import Any, NamedTuple

from streamboost.base.files.archive import ModelFileError

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


class KeyStore:
    """What was put is seen at once, and is on its way to the disk after `commit`, or with so many others.

    What waits is in memory: a process that is killed takes it along, as it does with the models that were not put.
    """

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        for pragma in (
            "journal_mode=WAL",
            "synchronous=NORMAL",
            "cache_size=-16384",
            "wal_autocheckpoint=4096",
        ):
            self._db.execute(f"PRAGMA {pragma}")
        for table in (
            "models (key TEXT PRIMARY KEY, head TEXT NOT NULL, data BLOB NOT NULL)",
            "texts (id INTEGER PRIMARY KEY, text BLOB NOT NULL UNIQUE, checksum INTEGER NOT NULL)",
        ):
            self._db.execute(f"CREATE TABLE IF NOT EXISTS {table}")
        self._ids: dict[bytes, int] = {}
        self._texts: dict[int, bytes] = {}
        self._waiting: dict[str, tuple[str, bytes]] = {}

    def _write(self, key: str, head: str, data: bytes) -> None:
        self._waiting[key] = head, data
        if len(self._waiting) >= TOGETHER:
            self.commit()

    def commit(self) -> None:
        """Write what was put so far, all of it or nothing; a process that is killed does not take it along."""
        if self._waiting:
            self._all_or_nothing(_PUT, [(key, *row) for key, row in self._waiting.items()])
            self._waiting.clear()

    def _all_or_nothing(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        self._db.execute("BEGIN")
        try:
            self._db.executemany(statement, rows)
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise

    # Texts.

    def _id_of(self, text: bytes) -> int:
        found = self._ids.get(text)
        if found is None:
            row = self._db.execute("SELECT id FROM texts WHERE text = ?", (text,)).fetchone()
            if row is None:
                statement = "INSERT INTO texts (text, checksum) VALUES (?, ?) RETURNING id"
                row = self._db.execute(statement, (text, zlib.crc32(text))).fetchone()
            found = self._ids[text] = row[0]
        return found

    def _text_of(self, number: int) -> bytes:
        text = self._texts.get(number)
        if text is None:
            row = self._db.execute("SELECT text, checksum FROM texts WHERE id = ?", (number,)).fetchone()
            if row is None or not isinstance(row[0], bytes) or zlib.crc32(row[0]) != row[1]:
                raise ModelFileError("a stored model is damaged: its columns and labels are missing")
            text = self._texts[number] = row[0]
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
        row: tuple[str, bytes] | None = self._waiting.get(key)
        if row is None:
            row = self._db.execute("SELECT head, data FROM models WHERE key = ?", (key,)).fetchone()
        return row

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
        known = json.loads(head)
        counts = known["n"], known["own"], known["global"]
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
        return None if row is None else (json.loads(row[0]), row[1])

    def names(self) -> list[str]:
        """Return all keys."""
        self.commit()
        return [key for (key,) in self._db.execute("SELECT key FROM models WHERE key != ?", (GLOBAL,))]

    def delete(self, keys: list[str]) -> None:
        """Remove models, all of them or none, after what was put before."""
        self.commit()
        self._all_or_nothing("DELETE FROM models WHERE key = ?", [(key,) for key in keys])

    def close(self) -> None:
        """Write what waits and close the file."""
        self.commit()
        self._db.close()
