"""Appending to the log: what a record means, what is learned from it, and the rows it leaves. All inside one transaction."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from streamboost.service.store.database import Database
from streamboost.service.store.errors import Refused, StoreError
from streamboost.service.store.joins import BECOMES, Act, State, decide
from streamboost.service.store.records import FORMAT, Body, Kind, Outcome, Work, decode_body, encode
from streamboost.service.store.settings import DAY
from streamboost.service.store.streams import Stream

log = logging.getLogger("streamboost.store")

_INSERT = "INSERT INTO log(seq, model, kind, learns, at, format, id, body) VALUES(?, ?, ?, ?, ?, ?, ?, ?)"
_KNOWN = "SELECT state, seq FROM ids WHERE model=? AND id=?"
_ALL_KNOWN = "SELECT id, state, seq FROM ids WHERE model=? AND id IN (SELECT value FROM json_each(?))"
_ID = "INSERT OR REPLACE INTO ids(model, id, state, seq) VALUES(?, ?, ?, ?)"
ASLEEP = 366 * DAY
"""Seconds that a start may come after the last record, else the clock is not believed."""
LEAP = 7 * DAY
"""Seconds that the clock may be ahead of the time that has passed since then."""
_FEW = 8
"""Ids that are asked for one by one."""
_COUNTED = {kind: kind.name.lower() for kind in Kind}


@dataclass
class LabelledEvents:
    """The labelled events of a transaction that shadows have yet to learn."""

    stream: Stream
    rows: list[tuple[int, float, Body]] = field(default_factory=list)


class Journal:
    """The end of the log."""

    def __init__(self, db: Database, *, trust_clock: bool = False) -> None:
        self.db = db
        self._trust_clock = trust_clock
        self._running, self._leap, self._leapt = _running(), ASLEEP, False
        self.seq = int(db.value("SELECT value FROM meta WHERE key='seq'"))
        self._clock = float(db.value("SELECT value FROM meta WHERE key='clock'"))
        self.learned: dict[int, LabelledEvents] = {}
        self.touched: dict[int, Stream] = {}
        # What a transaction has decided and not written yet: rows are written together, which costs a third less.
        self._rows: list[tuple[Any, ...]] = []
        self._ids: dict[tuple[int, str], tuple[int, int] | None] = {}
        self._new_ids: dict[tuple[int, str], tuple[int, int]] = {}

    def now(self) -> float:
        """The time, in which the log never goes back.

        A clock that is set back stands still instead. One that leaps far ahead is not believed, because ids and waiting events
        would be forgotten for it: time then goes on from the last record at its own pace, until the clock agrees again.
        """
        real, running = time.time(), _running()
        expected = self._clock + max(0.0, running - self._running)
        if not self._trust_clock and self._clock and real > expected + self._leap:
            if not self._leapt:
                log.error(
                    "the clock says %.0f days after the last record: not believed", (real - self._clock) / DAY
                )
            real, self._leapt = expected, True
        else:
            self._leapt = False
        self._clock, self._running, self._leap = max(self._clock, real), running, LEAP
        return self._clock

    def append(
        self, stream: Stream, kind: Kind, learns: bool, id: str | None, body: Body | dict[str, Any], at: float
    ) -> int:
        """Add a record now."""
        seq = self._add(stream, kind, learns, id, body, at)
        self._write()
        return seq

    def _add(
        self, stream: Stream, kind: Kind, learns: bool, id: str | None, body: Body | dict[str, Any], at: float
    ) -> int:
        """Add a record; it is written by `finish`, or when it is looked for."""
        self.seq += 1
        self._rows.append((self.seq, stream.number, int(kind), int(learns), at, FORMAT, id, body))
        self.touched[stream.number] = stream
        return self.seq

    def look_up(self, stream: Stream, work: Sequence[Work]) -> None:
        """Ask at once what is known of many ids."""
        wanted = [w.id for w in work if w.id is not None and (stream.number, w.id) not in self._ids]
        if len(wanted) < _FEW:
            return
        for id in wanted:
            self._ids[stream.number, id] = None
        for id, state, seq in self.db.rows(_ALL_KNOWN, (stream.number, encode(wanted).decode())):
            self._ids[stream.number, id] = (state, seq)

    def _known(self, stream: Stream, id: str) -> tuple[int, int] | None:
        key = (stream.number, id)
        if key not in self._ids:
            found = self.db.row(_KNOWN, key)
            self._ids[key] = None if found is None else (int(found[0]), int(found[1]))
        return self._ids[key]

    def _write(self) -> None:
        for stream in self.touched.values():  # bodies hold answers, which may still be on their way
            stream.settle()
        rows, self._rows = self._rows, []
        ids, self._new_ids = self._new_ids, {}
        if rows:
            self.db.run_many(_INSERT, [(*row, encode(body)) for *row, body in rows])
        if ids:
            self.db.run_many(_ID, [(*key, *found) for key, found in ids.items()])

    def _row(self, seq: int) -> tuple[float, bytes] | None:
        """Time and body of a record, of this transaction or of another."""
        if self._rows and seq >= self._rows[0][0]:
            self._write()
        found = self.db.row("SELECT at, body FROM log WHERE seq=?", (seq,))
        return None if found is None else (found[0], found[1])

    def finish(self) -> None:
        """Write all records, and what has to be known about the log as a whole; the commit follows."""
        self._write()
        self._ids.clear()
        self.db.run("UPDATE meta SET value=? WHERE key='seq'", (self.seq,))
        self.db.run("UPDATE meta SET value=? WHERE key='clock'", (self._clock,))
        for stream in self.touched.values():
            self.db.run(
                "UPDATE models SET counts=? WHERE model=?", (encode(dict(stream.counts)), stream.number)
            )

    def record(self, stream: Stream, work: Work) -> Outcome:
        """Take one event, label or example."""
        found = None if work.id is None else self._known(stream, work.id)
        known = None if found is None else State(found[0])
        act = decide(known, work.kind)
        stream.counts[_COUNTED[work.kind]] += 1
        if (
            act is Act.EARLY and stream.champion.scores.task == "bandit"
        ):  # nothing was shown that it could be for
            stream.counts["unknown"] += 1
            self.touched[stream.number] = stream
            return Outcome(self.seq, "unknown")
        if found is not None and (act is Act.SKIP or (act is Act.LATE and work.kind is Kind.EVENT)):
            return self._repeated(stream, work, found[1], act)
        at = self.now()
        body, differs = self._completed(work, known, 0 if found is None else found[1], at)
        champion = stream.champion
        if act is Act.LEARN:
            try:
                stream.check_label(body.label)
                body.answer = champion.take(body, at, body.given(champion.number))
                body.by = champion.number
            except Refused as error:
                if champion.broken:
                    raise StoreError(error.message) from error  # not the example's fault
                return self._poison(stream, work, body, at, error)
        seq = self._add(stream, work.kind, act is Act.LEARN, work.id, body, at)
        champion.seq = seq
        if work.id is not None:
            key = (stream.number, work.id)
            self._ids[key] = self._new_ids[key] = (int(BECOMES[act]), seq)
        if act is Act.LEARN:
            self.learned.setdefault(stream.number, LabelledEvents(stream)).rows.append((seq, at, body))
        stream.counts[act.value] += 1
        stream.counts["differs"] += differs
        return Outcome(seq, act.value, differs, body.answer)

    def _completed(self, work: Work, known: State | None, first: int, at: float) -> tuple[Body, bool]:
        """The body of a new record, with what came before it under the same id, and whether the two contradict."""
        body = Body(
            work.features, work.label, work.weight, answer=work.answer, by=work.by, others=work.others
        )
        if known not in (State.WAITING, State.EARLY):
            return body, False
        row = self._row(first)
        if row is None:
            raise StoreError(f"record {first} is missing", code="damaged")
        before = decode_body(row[1])
        body.partner = first
        if known is State.EARLY:
            differs = work.label is not None and not same(work.label, before.label)
            body.label, body.weight, body.delay = before.label, before.weight, 0.0
            return body, differs
        differs = work.features is not None and not same(work.features, before.features)
        body.features, body.answer, body.by = before.features, before.answer, before.by
        body.others, body.delay = before.others, max(0.0, at - row[0])
        return body, differs

    def _repeated(self, stream: Stream, work: Work, first: int, act: Act) -> Outcome:
        """Nothing new: the first record wins."""
        row = self._row(first)
        before = None if row is None else decode_body(row[1])
        differs = before is not None and (
            (work.features is not None and before.features is not None and not same(work.features, before.features))
            or (work.label is not None and before.label is not None and not same(work.label, before.label))
        )  # fmt: skip
        stream.counts[act.value] += 1
        stream.counts["differs"] += differs
        self.touched[stream.number] = stream
        given = None if before is None else before.answer
        return Outcome(first, act.value, differs, work.answer if given is None else given)

    def _poison(self, stream: Stream, work: Work, body: Body, at: float, error: Refused) -> Outcome:
        """The model refused the example: it is put aside with the reason, and its id is still free."""
        reason = error.message
        body.reason = reason[:1000]
        seq = self._add(stream, Kind.POISON, False, work.id, body, at)
        stream.champion.seq = seq
        stream.counts["poison"] += 1
        return Outcome(seq, "poison", reason=reason)


def _running() -> float:
    """Seconds of a clock that cannot be set; where the system can, time asleep is counted."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def same(a: object, b: object) -> bool:
    """Whether two values are the same for JSON: true is not 1, 1.0 is 1."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(value, b[key]) for key, value in a.items())
    return a == b and isinstance(a, bool) == isinstance(b, bool)
