"""Appending to the log: what a record means, what is learned from it, and the rows it leaves. All inside one transaction."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from streamboost.service.store.database import Database
from streamboost.service.store.errors import StoreError
from streamboost.service.store.joins import BECOMES, Act, State, decide
from streamboost.service.store.records import FORMAT, Body, Kind, Outcome, Work, decode_body, encode
from streamboost.service.store.streams import Stream

_INSERT = "INSERT INTO log(seq, model, kind, learns, at, format, id, body) VALUES(?, ?, ?, ?, ?, ?, ?, ?)"
_KNOWN = "SELECT state, seq FROM ids WHERE model=? AND id=?"
_ID = "INSERT INTO ids(model, id, state, seq) VALUES(?, ?, ?, ?)"
_ID_AGAIN = "UPDATE ids SET state=?, seq=? WHERE model=? AND id=?"


@dataclass
class Lessons:
    """What shadows have yet to learn from a transaction."""

    stream: Stream
    rows: list[tuple[int, float, Body]] = field(default_factory=list)


class Journal:
    """The end of the log."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.seq = int(db.value("SELECT value FROM meta WHERE key='seq'"))
        self._clock = float(db.value("SELECT value FROM meta WHERE key='clock'"))
        self.learned: dict[int, Lessons] = {}
        self.touched: dict[int, Stream] = {}

    def now(self) -> float:
        """The time; a clock that is set back stands still instead."""
        self._clock = max(self._clock, time.time())
        return self._clock

    def append(self, stream: Stream, kind: Kind, learns: bool, id: str | None, body: bytes, at: float) -> int:
        """Add a record."""
        self.seq += 1
        self.db.run(_INSERT, (self.seq, stream.number, int(kind), int(learns), at, FORMAT, id, body))
        self.touched[stream.number] = stream
        return self.seq

    def finish(self) -> None:
        """Write what has to be known about the log as a whole; the commit follows."""
        self.db.run("UPDATE meta SET value=? WHERE key='seq'", (self.seq,))
        self.db.run("UPDATE meta SET value=? WHERE key='clock'", (self._clock,))
        for stream in self.touched.values():
            self.db.run(
                "UPDATE models SET counts=? WHERE model=?", (encode(dict(stream.counts)), stream.number)
            )

    def record(self, stream: Stream, work: Work) -> Outcome:
        """Take one event, label or lesson."""
        found = None if work.id is None else self.db.row(_KNOWN, (stream.number, work.id))
        known = None if found is None else State(found[0])
        act = decide(known, work.kind)
        stream.counts[work.kind.name.lower()] += 1
        if found is not None and (act is Act.SKIP or (act is Act.LATE and work.kind is Kind.EVENT)):
            return self._repeated(stream, work, int(found[1]), act)
        at = self.now()
        body, differs = self._completed(work, known, 0 if found is None else int(found[1]), at)
        if act is Act.LEARN:
            try:
                body.answer = stream.champion.take(body, at, body.given(stream.champion.number))
                body.by = stream.champion.number
            except Exception as error:
                return self._poison(stream, work, body, at, error)
        seq = self.append(stream, work.kind, act is Act.LEARN, work.id, encode(body), at)
        stream.champion.seq = seq
        if work.id is not None:
            if known is None:
                self.db.run(_ID, (stream.number, work.id, int(BECOMES[act]), seq))
            else:
                self.db.run(_ID_AGAIN, (int(BECOMES[act]), seq, stream.number, work.id))
        if act is Act.LEARN:
            self.learned.setdefault(stream.number, Lessons(stream)).rows.append((seq, at, body))
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
        row = self.db.row("SELECT at, body FROM log WHERE seq=?", (first,))
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
        row = self.db.row("SELECT body FROM log WHERE seq=?", (first,))
        before = None if row is None else decode_body(row[0])
        differs = before is not None and (
            (work.features is not None and before.features is not None and not same(work.features, before.features))
            or (work.label is not None and before.label is not None and not same(work.label, before.label))
        )  # fmt: skip
        stream.counts[act.value] += 1
        stream.counts["differs"] += differs
        self.touched[stream.number] = stream
        given = None if before is None else before.answer
        return Outcome(first, act.value, differs, work.answer if given is None else given)

    def _poison(self, stream: Stream, work: Work, body: Body, at: float, error: Exception) -> Outcome:
        """The model refused the lesson: it is put aside with the reason, and its id is still free."""
        reason = " ".join(str(error).split()) or type(error).__name__
        body.reason = reason[:1000]
        seq = self.append(stream, Kind.POISON, False, work.id, encode(body), at)
        stream.champion.seq = seq
        stream.counts["poison"] += 1
        return Outcome(seq, "poison", reason=reason)


def same(a: object, b: object) -> bool:
    """Whether two values are the same for JSON: true is not 1, 1.0 is 1."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(value, b[key]) for key, value in a.items())
    return a == b and isinstance(a, bool) == isinstance(b, bool)
