"""The state of a model at any sequence number: the newest snapshot that holds, then the examples after it.

A *reset* is where a model's state does not follow from its examples: when it was made, when a file was put in its place,
when it was rolled back. From one reset to the next, learning is a pure function of the log.
"""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from streamboost.service.store import estimators, snapshots
from streamboost.service.store.candidates import Candidate, scores_for
from streamboost.service.store.database import Database
from streamboost.service.store.errors import NotFound, Refused, StoreError
from streamboost.service.store.estimators import Description
from streamboost.service.store.records import Body, decode_body
from streamboost.service.store.settings import Limits
from streamboost.service.store.sharded import ShardFactory

log = logging.getLogger("streamboost.store")

ATTEMPTS = "starting.json"
SETTLED = 2_000
"""Examples that are sent to shards before their answers are waited for."""
CAREFUL_AFTER = 2
"""Starts in a row that did not come to an end before every example is noted before it is learned."""


class Attempts:
    """Counts starts that were never finished, so that an example that kills the process does not do so for ever.

    The note is not synced: it must outlive the process, not the machine.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / ATTEMPTS
        self._failed = 0
        self.suspect: tuple[int, int] | None = None
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
            self._failed = int(found["failed"])
            if found.get("candidate") is not None:
                self.suspect = int(found["candidate"]), int(found["seq"])
        except (OSError, ValueError, KeyError, TypeError):
            pass
        self._write(None)

    @property
    def careful(self) -> bool:
        """Whether to note every example."""
        return self._failed >= CAREFUL_AFTER

    def _write(self, now: tuple[int, int] | None) -> None:
        note: dict[str, Any] = {"failed": self._failed + 1}
        if now is not None:
            note |= {"candidate": now[0], "seq": now[1]}
        with contextlib.suppress(OSError):  # a full disk must not keep the service from answering
            self._path.write_text(json.dumps(note), encoding="utf-8")

    def learning(self, candidate: int, seq: int) -> None:
        """Note what is learned next."""
        self._write((candidate, seq))

    def done(self) -> None:
        """The start has come to its end."""
        self._path.unlink(missing_ok=True)


def examples(
    db: Database, model: int, candidate: int, after: int, upto: int
) -> Iterator[tuple[int, float, Body]]:
    """The examples of a model in their order, without those that this candidate refused when they came."""
    skipped = {
        seq for (seq,) in db.rows("SELECT seq FROM skipped WHERE candidate=? AND seq>?", (candidate, after))
    }
    for seq, at, body in db.each(
        "SELECT seq, at, body FROM log WHERE seq>? AND seq<=? AND model=? AND learns=1 ORDER BY seq",
        (after, upto, model),
    ):
        if seq not in skipped:
            yield seq, at, decode_body(body)


def newest(
    db: Database, folder: Path, candidate: int, reset: int, upto: int
) -> tuple[int, Any, bytes | None] | None:
    """The newest snapshot since a reset whose file can be used."""
    for seq, name, sha256, scores in db.rows(
        "SELECT seq, file, sha256, scores FROM snapshots WHERE candidate=? AND seq BETWEEN ? AND ? ORDER BY seq DESC",
        (candidate, reset, upto),
    ):
        model = snapshots.read(folder, name, sha256)
        if model is not None:
            return seq, model, scores
    return None


def start(
    db: Database, folder: Path, candidate: int, description: Description, upto: int
) -> tuple[int, Any, bytes | None]:
    """The newest state that holds at most the examples up to a number, and the number of its last one."""
    reset = db.row(
        "SELECT seq, target, file, scores FROM resets WHERE candidate=? AND seq<=? ORDER BY seq DESC LIMIT 1",
        (candidate, upto),
    )
    if reset is None:
        raise NotFound(
            f"The model did not exist at {upto}, or that is no longer kept.",
            field="seq",
            hint="GET .../snapshots says what is kept.",
        )
    seq, target, file, scores = reset
    found = newest(db, folder, candidate, seq, upto)
    if found is None and file is not None:
        found = seq, estimators.from_bytes(file), scores
    elif found is None and target is not None:
        found = seq, state_at(db, folder, candidate, description, target), scores
    elif found is None:
        found = seq, estimators.make(description), scores
    cut = cut_at(db, candidate)
    if found[0] < cut:
        raise StoreError(
            f"No snapshot of {description.model} at or before {upto} can be read, and the log before {cut} is gone.",
            hint="Put the folder back from a backup.",
            code="damaged",
        )
    return found


def state_at(db: Database, folder: Path, candidate: int, description: Description, seq: int) -> Any:
    """The estimator as it was after a record, bit for bit."""
    model = db.value("SELECT model FROM candidates WHERE candidate=?", (candidate,))
    kept_from = oldest(db, candidate)
    if seq < kept_from:
        raise NotFound(
            f"Nothing before {kept_from} is kept, {seq} was asked for.",
            field="seq",
            hint=f"Any number from {kept_from} on can be gone back to.",
        )
    after, live, _ = start(db, folder, candidate, description, seq)
    worker = Candidate(candidate, "", description, Limits(columns=1_000_000, classes=1_000_000), live, after)
    for number, _, body in examples(db, model, candidate, after, seq):
        assert body.label is not None
        try:
            given = body.given(candidate)
            worker.learn(body.features or {}, body.label, body.weight, given=given)
        except Refused as error:
            log.error("record %d is left out: %s", number, error)
    return worker.live


def cut_at(db: Database, candidate: int) -> int:
    """The log holds all examples after this number."""
    found = db.value(
        "SELECT value FROM meta WHERE key = (SELECT 'cut:' || model FROM candidates WHERE candidate=?)",
        (candidate,),
    )
    return int(found or 0)


def oldest(db: Database, candidate: int) -> int:
    """The lowest sequence number whose state can still be had."""
    found = db.value(
        "SELECT min(seq) FROM (SELECT seq FROM snapshots WHERE candidate=?1 UNION SELECT seq FROM resets WHERE candidate=?1) "
        "WHERE seq >= ?2",
        (candidate, cut_at(db, candidate)),
    )
    return int(found or 0)


def reach(db: Database, candidate: int, newest: int) -> dict[str, Any]:
    """From where to where a model can go back: to any number in between, and the time of the oldest."""
    first = oldest(db, candidate)
    at = db.value("SELECT at FROM snapshots WHERE candidate=? AND seq=?", (candidate, first))
    if at is None:
        at = db.value("SELECT at FROM log WHERE seq=?", (first,))
    return {"oldest": first, "oldest_at": at, "newest": newest}


def restore(
    db: Database,
    folder: Path,
    model: int,
    row: tuple[int, str, Description],
    limits: Limits,
    upto: int,
    attempts: Attempts | None,
    shard_factory: ShardFactory | None = None,
) -> Candidate:
    """A candidate as it was when the process ended."""
    number, name, description = row
    after, live, saved = start(db, folder, number, description, upto)
    scores = scores_for(live)() if saved is None else scores_for(live).from_bytes(saved)
    candidate = Candidate(number, name, description, limits, live, after, scores, shard_factory)
    for n, (seq, at, body) in enumerate(examples(db, model, number, after, upto)):
        if n % SETTLED == 0:
            candidate.settle()
        if attempts is not None and attempts.careful:
            if attempts.suspect == (number, seq):
                skip(db, number, seq, "the process ended while it was learned")
                continue
            attempts.learning(number, seq)
        try:
            candidate.take(body, at, body.given(number))
        except Refused as error:
            if candidate.broken:
                raise
            skip(db, number, seq, error.message)
        candidate.seq = seq
    candidate.settle()
    candidate.seq = upto
    candidate.publish()
    return candidate


def skip(db: Database, candidate: int, seq: int, reason: str) -> None:
    """Leave an example out, now and in every replay."""
    log.error("candidate %d leaves out record %d: %s", candidate, seq, reason)
    with contextlib.suppress(Exception):  # the disk is full: the next replay decides the same again
        db.run("INSERT OR IGNORE INTO skipped VALUES(?, ?, ?)", (candidate, seq, reason[:1000]))
