"""Models by key in one SQLite file."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

GLOBAL = "global"
"""The place of what is said of all keys; no key: those are JSON."""
TOGETHER = 512
"""Models written in one transaction."""

_PUT = "INSERT INTO models VALUES (?, ?, ?) ON CONFLICT(key) DO UPDATE SET head=excluded.head, data=excluded.data"

StoredModel = tuple[str, dict[str, Any], bytes]
"""Key as JSON, what is known of its model, and the model (moulds.py)."""


class KeyStore:
    """What was put is seen at once, and is on its way to the disk after `commit`, or with so many others."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        for pragma in (
            "journal_mode=WAL",
            "synchronous=NORMAL",
            "cache_size=-16384",
            "wal_autocheckpoint=4096",
        ):
            self._db.execute(f"PRAGMA {pragma}")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS models (key TEXT PRIMARY KEY, head TEXT NOT NULL, data BLOB NOT NULL)"
        )
        self._waiting = 0

    def _write(self, statement: str, values: tuple[Any, ...]) -> None:
        if not self._waiting:
            self._db.execute("BEGIN")
        self._waiting += 1
        self._db.execute(statement, values)
        if self._waiting >= TOGETHER:
            self.commit()

    def commit(self) -> None:
        """Write what was put so far; a process that is killed does not take it along."""
        if self._waiting:
            self._waiting = 0
            self._db.execute("COMMIT")

    def put(self, key: str, head: str, data: bytes) -> None:
        """Write a model; `head` is a JSON object."""
        self._write(_PUT, (key, head, data))

    def get(self, key: str) -> tuple[dict[str, Any], bytes] | None:
        """Return a model, or None."""
        found = self._db.execute("SELECT head, data FROM models WHERE key = ?", (key,)).fetchone()
        return None if found is None else (json.loads(found[0]), found[1])

    def count(self) -> int:
        """Return the number of keys."""
        (n,) = self._db.execute("SELECT count(*) FROM models WHERE key != ?", (GLOBAL,)).fetchone()
        return int(n)

    def names(self) -> list[str]:
        """Return all keys."""
        return [key for (key,) in self._db.execute("SELECT key FROM models WHERE key != ?", (GLOBAL,))]

    def delete(self, key: str) -> None:
        """Remove a model."""
        self._write("DELETE FROM models WHERE key = ?", (key,))

    def close(self) -> None:
        """Write what waits and close the file."""
        self.commit()
        self._db.close()
