"""The SQLite file: schema, pragmas, transactions. One connection writes; others only read.

Not through the standard library's sqlite3: the SQLite in many Pythons may corrupt a WAL when two connections write and
checkpoint at once (fixed in 3.51.3). apsw brings its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from streamboost.service.store.errors import BadRequest

SCHEMA = 1
DATABASE = "log.db"

_TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE models(
    model INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, champion INTEGER, keep_events_s REAL NOT NULL,
    limits TEXT NOT NULL, counts TEXT NOT NULL DEFAULT '{}');
CREATE TABLE candidates(
    candidate INTEGER PRIMARY KEY AUTOINCREMENT, model INTEGER NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL,
    UNIQUE(model, name));
CREATE TABLE resets(
    candidate INTEGER NOT NULL, seq INTEGER NOT NULL, target INTEGER, file BLOB, scores BLOB,
    PRIMARY KEY(candidate, seq)) WITHOUT ROWID;
CREATE TABLE snapshots(
    candidate INTEGER NOT NULL, seq INTEGER NOT NULL, file TEXT NOT NULL, sha256 TEXT NOT NULL, at REAL NOT NULL,
    scores BLOB NOT NULL, PRIMARY KEY(candidate, seq));
CREATE TABLE log(
    seq INTEGER PRIMARY KEY, model INTEGER NOT NULL, kind INTEGER NOT NULL, learns INTEGER NOT NULL, at REAL NOT NULL,
    format INTEGER NOT NULL, id TEXT, body BLOB NOT NULL);
CREATE TABLE ids(
    model INTEGER NOT NULL, id TEXT NOT NULL, state INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY(model, id))
    WITHOUT ROWID;
CREATE INDEX ids_waiting ON ids(model, state, seq) WHERE state != 2;
CREATE INDEX log_poison ON log(model, seq) WHERE kind = 5;
CREATE INDEX log_command ON log(model, seq) WHERE kind = 4;
CREATE TABLE skipped(
    candidate INTEGER NOT NULL, seq INTEGER NOT NULL, reason TEXT NOT NULL, PRIMARY KEY(candidate, seq)) WITHOUT ROWID;
CREATE TABLE offsets(source TEXT NOT NULL, part TEXT NOT NULL, next TEXT NOT NULL, PRIMARY KEY(source, part)) WITHOUT ROWID;
CREATE TABLE tokens(
    token TEXT PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, scopes TEXT NOT NULL, model TEXT, made REAL NOT NULL,
    expires REAL, revoked REAL) WITHOUT ROWID;
"""


class Database:
    """One connection to the log; threads that read have their own."""

    def __init__(self, folder: Path, *, write: bool = False, vfs: str | None = None) -> None:
        path = folder / DATABASE
        if not write and vfs is None and not path.exists():
            raise BadRequest(f"{folder} holds no learning service: {DATABASE} is missing.")
        flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if write else 0)
        self.connection = apsw.Connection(str(path), flags=flags, vfs=vfs)
        self._run = self.connection.execute
        try:
            self.connection.set_busy_timeout(10_000)
            if vfs is not None:  # one written in Python has no shared memory for the WAL's index
                self._run("PRAGMA locking_mode=EXCLUSIVE")
            if write:
                self._prepare()
            else:
                self._run("PRAGMA query_only=1")
            self._check(folder)
        except BaseException:
            self.connection.close()
            raise

    def _prepare(self) -> None:
        """A new file gets its tables in one transaction: after a crash in between it is empty, not half made."""
        self._run("PRAGMA auto_vacuum=INCREMENTAL")
        self._run("PRAGMA journal_mode=WAL")
        self._run("PRAGMA synchronous=FULL")
        self._run("PRAGMA fullfsync=1")  # on macOS: down to the disk
        self._run("PRAGMA cache_size=-16000")
        with self.transaction():
            if not self.value("SELECT count(*) FROM sqlite_schema"):
                self._run(_TABLES)
                self._run("INSERT INTO meta VALUES('schema', ?), ('seq', 0), ('clock', 0.0)", (SCHEMA,))

    def _check(self, folder: Path) -> None:
        found = self.value("SELECT value FROM meta WHERE key='schema'")
        if found != SCHEMA:
            raise BadRequest(
                f"{folder / DATABASE} has schema {found!r}; this streamboost reads {SCHEMA}. Use a newer release."
            )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or nothing; when it ends without an error it is on the disk."""
        self._run("BEGIN IMMEDIATE")
        try:
            yield
            self._run("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self._run("ROLLBACK")
            raise

    def run(self, sql: str, values: Sequence[Any] = ()) -> None:
        """Execute a statement that answers nothing."""
        self._run(sql, values)

    def run_many(self, sql: str, values: Sequence[Sequence[Any]]) -> None:
        """Execute a statement once for each of these."""
        self.connection.executemany(sql, values)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        return self._run(sql, values).fetchall()

    def each(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows one after the other."""
        return iter(self._run(sql, values))

    def row(self, sql: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        """The first row of a query; None if there is none."""
        found: tuple[Any, ...] | None = self._run(sql, values).fetchone()
        return found

    def value(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """The first value of the first row; None without one."""
        found = self.row(sql, values)
        return None if found is None else found[0]

    def changed(self) -> int:
        """The number of rows that the last statement changed."""
        return int(self.connection.changes())

    def close(self) -> None:
        """Let go of the file."""
        self.connection.close()
