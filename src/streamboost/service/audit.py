"""Looking at a log from outside: show, verify, export."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from streamboost.service.store import BadRequest, NotFound, estimators, replay, snapshots
from streamboost.service.store.database import Database
from streamboost.service.store.estimators import Description
from streamboost.service.store.queries import entry, finite
from streamboost.service.store.records import decode_body
from streamboost.service.store.store import _lock


def _model(db: Database, name: str) -> int:
    found = db.value("SELECT model FROM models WHERE name=?", (name,))
    if found is None:
        raise NotFound(f"There is no model {name!r}.")
    return int(found)


def show(folder: Path, model: str | None, limit: int) -> list[dict[str, Any]]:
    """The last records, oldest first; the service may be running."""
    db = Database(folder)
    try:
        where, values = ("", ()) if model is None else ("WHERE model=?", (_model(db, model),))
        rows = db.rows(
            f"SELECT seq, at, kind, id, body FROM log {where} ORDER BY seq DESC LIMIT ?", (*values, limit)
        )
        return [finite(entry(*row)) for row in reversed(rows)]
    finally:
        db.close()


def verify(folder: Path) -> Iterator[tuple[str, bool]]:
    """SQLite's own check, then every kept snapshot against its file and against the replay from the one before it."""
    if not (folder / "log.db").exists():
        raise BadRequest(f"{folder} holds no learning service.")
    lock = _lock(folder)  # no other process may write meanwhile
    db = Database(folder)
    try:
        found = db.value("PRAGMA integrity_check")
        yield f"database: {found}", found == "ok"
        for candidate, name, title, text in db.rows(
            "SELECT candidate, models.name, candidates.name, description FROM candidates JOIN models USING(model) "
            "WHERE models.name IS NOT NULL"
        ):
            description = msgspec.json.decode(text, type=Description)
            yield from _verify(db, folder, candidate, f"{name}/{title}", description)
    finally:
        db.close()
        if lock is not None:
            os.close(lock)


def _verify(
    db: Database, folder: Path, candidate: int, title: str, description: Description
) -> Iterator[tuple[str, bool]]:
    kept = db.rows("SELECT seq, file, sha256 FROM snapshots WHERE candidate=? ORDER BY seq", (candidate,))
    previous: tuple[int, Any] | None = None
    for seq, file, sha256 in kept:
        model = snapshots.read(folder, file, sha256)
        if model is None:
            yield f"{title} at {seq}: the file is damaged", False
            continue
        if previous is not None and not db.value(
            "SELECT 1 FROM resets WHERE candidate=? AND seq>? AND seq<=?", (candidate, previous[0], seq)
        ):
            number = db.value("SELECT model FROM candidates WHERE candidate=?", (candidate,))
            live = previous[1]
            for _, _, body in replay.examples(db, number, candidate, previous[0], seq):
                if body.label is not None:
                    given = body.given(candidate)
                    row = body.features or {}, body.label, body.weight
                    estimators.learn(live, *row, description, first=False, given=given)
            same = live.to_bytes() == model.to_bytes()
            yield (
                f"{title} at {seq}: {'equals' if same else 'DIFFERS FROM'} the replay since {previous[0]}",
                same,
            )
        else:
            yield f"{title} at {seq}: the file is sound", True
        previous = seq, snapshots.read(folder, file, sha256)


def export(folder: Path, model: str, path: Path) -> int:
    """Write the examples of a model as a table that ``streamboost run`` reads: the features, ``label``, ``weight``."""
    db = Database(folder)
    try:
        number = _model(db, model)
        bodies = (
            decode_body(body)
            for (body,) in db.each("SELECT body FROM log WHERE model=? AND learns=1 ORDER BY seq", (number,))
        )
        rows = ({**(b.features or {}), "label": b.label, "weight": b.weight} for b in bodies)
        if path.suffix == ".parquet":
            return _parquet(rows, path)
        if path.suffix not in (".jsonl", ".ndjson"):
            raise BadRequest(f"{path}: the name must end in .jsonl or .parquet.")
        n = 0
        with open(path, "wb") as file:
            for row in rows:
                file.write(msgspec.json.encode(row) + b"\n")
                n += 1
        return n
    finally:
        db.close()


def _parquet(rows: Iterator[dict[str, Any]], path: Path) -> int:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise BadRequest('Parquet needs the extra [io]: pip install "streamboost[io]".') from error
    found = list(rows)
    names = list(dict.fromkeys(name for row in found for name in row))
    pq.write_table(pa.table({name: [row.get(name) for row in found] for name in names}), path)
    return len(found)
