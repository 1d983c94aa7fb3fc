"""Deletes what the settings no longer keep, a little at a time so that nobody waits for it.

Halves that found no partner after ``keep_events_s``; learned records once the oldest kept snapshot of every candidate has passed
them; ids after ``keep_ids_s``; refused examples beyond a number; everything of models that were deleted.
"""

from __future__ import annotations

from collections.abc import Iterable

from streamboost.service.store.database import Database
from streamboost.service.store.joins import State
from streamboost.service.store.records import Kind, encode
from streamboost.service.store.settings import Settings
from streamboost.service.store.streams import Stream

ROWS = 2_000
"""Rows that one round drops of one kind."""


def clean(db: Database, streams: Iterable[Stream], settings: Settings, now: float) -> bool:
    """One round in one transaction; says whether there is more to drop."""
    more = False
    with db.transaction():
        for stream in streams:
            more |= _expire(db, stream, now)
            more |= _drop_ids(db, stream, now - settings.keep_ids_s)
            more |= _drop_poison(db, stream, settings.keep_poison)
            if not settings.keep_log:
                more |= _cut(db, stream)
        more |= _drop_deleted(db)
    db.run("PRAGMA incremental_vacuum(200)")
    return more


def _expire(db: Database, stream: Stream, now: float) -> bool:
    """Events whose label never came, labels whose event never came. Their time is that of their record."""
    n = 0
    for state, becomes, word in (
        (State.WAITING, State.EXPIRED, "expired"),
        (State.EARLY, State.UNMATCHED, "unmatched"),
    ):
        for id_, seq, at in db.rows(
            "SELECT ids.id, ids.seq, log.at FROM ids JOIN log ON log.seq = ids.seq WHERE ids.model=? AND ids.state=? "
            "AND ids.state != 2 ORDER BY ids.seq LIMIT ?",
            (stream.number, int(state), ROWS),
        ):
            if at > now - stream.keep_events_s:
                break
            db.run("UPDATE ids SET state=? WHERE model=? AND id=?", (int(becomes), stream.number, id_))
            db.run("DELETE FROM log WHERE seq=?", (seq,))
            stream.counts[word] += 1
            n += 1
    if n:
        db.run("UPDATE models SET counts=? WHERE model=?", (encode(dict(stream.counts)), stream.number))
    return n >= ROWS


def _last_before(db: Database, at: float) -> int:
    """The last record before a time, by bisection: times never go down along the log."""
    low, high = 0, int(db.value("SELECT coalesce(max(seq), 0) FROM log"))
    while low < high:
        middle = (low + high + 1) // 2
        row = db.row("SELECT seq, at FROM log WHERE seq>=? ORDER BY seq LIMIT 1", (middle,))
        if row is not None and row[1] < at:
            low = max(middle, int(row[0]))
        else:
            high = middle - 1
    return low


def _drop_ids(db: Database, stream: Stream, before: float) -> bool:
    """Ids whose records are old or gone, those of waiting halves aside."""
    last = _last_before(db, before)
    marker = f"ids:{stream.number}"
    done = int(db.value("SELECT value FROM meta WHERE key=?", (marker,)) or 0)
    if last <= done:
        return False
    db.run(
        "DELETE FROM ids WHERE model=?1 AND state>=2 AND id IN "
        "(SELECT id FROM ids WHERE model=?1 AND state>=2 AND seq<=?2 LIMIT ?3)",
        (stream.number, last, ROWS),
    )
    if db.changed() >= ROWS:
        return True
    db.run("INSERT OR REPLACE INTO meta VALUES(?, ?)", (marker, last))
    return False


def _drop_poison(db: Database, stream: Stream, keep: int) -> bool:
    last = db.value(
        "SELECT seq FROM log WHERE model=? AND kind=5 ORDER BY seq DESC LIMIT 1 OFFSET ?",
        (stream.number, keep),
    )
    if last is None:
        return False
    db.run("DELETE FROM log WHERE model=? AND kind=5 AND seq<=?", (stream.number, last))
    return False


def _cut(db: Database, stream: Stream) -> bool:
    """Learned records that no kept snapshot needs any more."""
    horizon = min(
        int(
            db.value("SELECT min(seq) FROM snapshots WHERE candidate=?", (number,))
            or db.value("SELECT max(seq) FROM resets WHERE candidate=?", (number,))
            or 0
        )
        for number in stream.candidates
    )
    marker = f"cut:{stream.number}"
    done = int(db.value("SELECT value FROM meta WHERE key=?", (marker,)) or 0)
    if horizon <= done:
        return False
    upto = min(horizon, done + 10 * ROWS)
    db.run(
        "DELETE FROM log WHERE seq>? AND seq<=? AND model=? AND kind != ? AND kind != ? AND NOT EXISTS "
        "(SELECT 1 FROM ids WHERE ids.model=log.model AND ids.id=log.id AND ids.seq=log.seq AND ids.state<2)",
        (done, upto, stream.number, int(Kind.POISON), int(Kind.COMMAND)),
    )
    db.run("INSERT OR REPLACE INTO meta VALUES(?, ?)", (marker, upto))
    return upto < horizon


def _drop_deleted(db: Database) -> bool:
    """Rows of models that have no name any more; the model goes last."""
    number = db.value("SELECT model FROM models WHERE name IS NULL LIMIT 1")
    if number is None:
        return False
    for table, key in (("log", "seq"), ("ids", "id")):
        db.run(
            f"DELETE FROM {table} WHERE {'model=?1 AND ' if table == 'ids' else ''}{key} IN "
            f"(SELECT {key} FROM {table} WHERE model=?1 LIMIT ?2)",
            (number, ROWS),
        )
        if db.changed():
            return True
    for table in ("resets", "snapshots", "skipped"):
        db.run(
            f"DELETE FROM {table} WHERE candidate IN (SELECT candidate FROM candidates WHERE model=?)",
            (number,),
        )
    db.run("DELETE FROM candidates WHERE model=?", (number,))
    db.run("DELETE FROM models WHERE model=?", (number,))
    return True
