"""Models by name: making, deleting, shadows, promotion, rollback, files. All of it runs in the writer's thread."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from streamboost.service.store import estimators, replay, snapshots
from streamboost.service.store.candidates import Candidate
from streamboost.service.store.database import Database
from streamboost.service.store.errors import BadRequest, Conflict, NotFound, ReadOnly, StoreError
from streamboost.service.store.estimators import Description
from streamboost.service.store.records import Kind, Label, encode
from streamboost.service.store.settings import DAY, Limits
from streamboost.service.store.sharded import ShardFactory
from streamboost.service.store.streams import Stream

if TYPE_CHECKING:
    from streamboost.service.store.writer import Writer

NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
KEEP_EVENTS = 7 * DAY


def check_name(name: str) -> str:
    """Refuse what is no name of a model; it is never a path."""
    if not NAME.fullmatch(name) or set(name) == {"."}:
        raise BadRequest(
            f"{name[:80]!r} is no name: 1 to 64 letters, digits, dots, dashes and underscores are allowed.",
            field="name",
        )
    return name


def read_streams(
    db: Database,
    folder: Path,
    upto: int,
    attempts: replay.Attempts | None,
    shard_factory: ShardFactory | None = None,
) -> dict[str, Stream]:
    """All models as they were when the process ended."""
    found: dict[str, Stream] = {}
    for number, name, champion, keep, limits_text, counts in db.rows(
        "SELECT model, name, champion, keep_events_s, limits, counts FROM models WHERE name IS NOT NULL"
    ):
        limits = msgspec.json.decode(limits_text, type=Limits)
        candidates = {
            candidate: replay.restore(
                db,
                folder,
                number,
                (candidate, title, msgspec.json.decode(text, type=Description)),
                limits,
                upto,
                attempts,
                shard_factory,
            )
            for candidate, title, text in db.rows(
                "SELECT candidate, name, description FROM candidates WHERE model=?", (number,)
            )
        }
        if champion not in candidates:
            raise StoreError(
                f"The log holds no description of the model {name!r}.",
                hint="Put the folder back from a backup.",
                code="damaged",
            )
        found[name] = Stream(
            number, name, keep, limits, candidates, champion, Counter(msgspec.json.decode(counts))
        )
    return found


class Registry:
    """The acts of an administrator. Each is one transaction with a record in the log."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    @property
    def _db(self) -> Database:
        return self._writer.db

    def find(self, name: str) -> Stream:
        """The stream of a name."""
        stream = self._writer.streams.get(name)
        if stream is None:
            raise NotFound(f"There is no model {name[:80]!r}.")
        return stream

    def _check_writable(self) -> None:
        if self._writer.read_only is not None:
            raise ReadOnly(f"The service is read-only: {self._writer.read_only}.")

    def _note(self, stream: Stream, act: str, by: str | None, **more: Any) -> int:
        journal = self._writer.journal
        said = {"act": act, "by": by, **more}
        return journal.append(stream, Kind.COMMAND, False, None, said, journal.now())

    def _finish(self) -> None:
        self._writer.journal.finish()

    def _done(self, stream: Stream) -> None:
        self._writer.journal.touched.clear()
        stream.advance(self._writer.journal.seq)
        stream.wanted = True

    def create(
        self,
        name: str,
        description: Description,
        keep_events_s: float,
        limits: Limits,
        file: bytes | None,
        by: str | None,
    ) -> int:
        """Make a model, untrained or from a file."""
        self._check_writable()
        check_name(name)
        if not 0 < keep_events_s <= 3650 * DAY:
            raise BadRequest(
                f"keep_events_s is {keep_events_s}; it must be above 0 and at most ten years.",
                field="keep_events_s",
            )
        if name in self._writer.streams:
            raise Conflict(f"There is a model {name!r} already.", field="name")
        live = estimators.make(description) if file is None else estimators.from_bytes(file)
        description = description if file is None else estimators.described(live)
        with self._db.transaction():
            self._db.run(
                "INSERT INTO models(name, keep_events_s, limits) VALUES(?, ?, ?)",
                (name, keep_events_s, encode(limits)),
            )
            number = self._db.value("SELECT last_insert_rowid()")
            candidate = self._add_candidate(number, name, description)
            self._db.run("UPDATE models SET champion=? WHERE model=?", (candidate, number))
            stream = Stream(number, name, keep_events_s, limits, {}, candidate)
            seq = self._note(stream, "create", by, name=name, model=description.model)
            self._reset(candidate, seq, file=file)
            self._finish()
        stream.candidates[candidate] = Candidate(
            candidate, name, description, limits, live, seq, shard_factory=self._writer.shard_factory
        )
        self._writer.streams = {**self._writer.streams, name: stream}
        self._done(stream)
        return seq

    def _add_candidate(self, model: int, name: str, description: Description) -> int:
        self._db.run(
            "INSERT INTO candidates(model, name, description) VALUES(?, ?, ?)",
            (model, name, encode(description)),
        )
        return int(self._db.value("SELECT last_insert_rowid()"))

    def _reset(
        self,
        candidate: int,
        seq: int,
        *,
        target: int | None = None,
        file: bytes | None = None,
        scores: bytes | None = None,
    ) -> None:
        self._db.run("INSERT INTO resets VALUES(?, ?, ?, ?, ?)", (candidate, seq, target, file, scores))

    def allow(self, name: str, label: Label, by: str | None) -> int:
        """Let a label become a class."""
        self._check_writable()
        stream = self.find(name)
        stream.check_classifies()
        declared = stream.champion.description.classes
        if declared is not None and label not in declared:
            raise Conflict(
                f"The classes of {name!r} were declared and are final: {', '.join(map(repr, declared[:10]))}."
            )
        known = stream.limits.allowed
        limits = msgspec.structs.replace(stream.limits, allowed=known if label in known else [*known, label])
        with self._db.transaction():
            seq = self._note(stream, "allow", by, label=label)
            self._db.run("UPDATE models SET limits=? WHERE model=?", (encode(limits), stream.number))
            self._finish()
        stream.limits = limits
        self._done(stream)
        return seq

    def delete(self, name: str, by: str | None) -> int:
        """Forget a model at once; its records are removed little by little."""
        self._check_writable()
        stream = self.find(name)
        with self._db.transaction():
            seq = self._note(stream, "delete", by, name=name)
            self._db.run("UPDATE models SET name=NULL WHERE model=?", (stream.number,))
            self._finish()
        self._writer.streams = {key: one for key, one in self._writer.streams.items() if key != name}
        self._writer.journal.touched.clear()
        stream.waiting.refuse(NotFound(f"The model {name!r} was deleted."))
        stream.close()
        for number in stream.candidates:
            snapshots.remove_all(self._writer.folder, number)
        return seq

    def snapshot(self, name: str) -> int:
        """Write a snapshot now; returns its number."""
        self._check_writable()
        candidate = self.find(name).champion
        taken = snapshots.take(candidate)
        if taken is None:
            raise Conflict(f"The model {name!r} has learned nothing yet: there is nothing to keep.")
        self._writer.keep(taken, *snapshots.write_file(self._writer.folder, taken))
        candidate.examples_since_snapshot = 0
        return taken.seq

    def snapshots(self, name: str) -> dict[str, Any]:
        """What can be gone back to."""
        candidate = self.find(name).champion
        rows = self._db.rows(
            "SELECT seq, at, sha256, file FROM snapshots WHERE candidate=? ORDER BY seq DESC",
            (candidate.number,),
        )
        kept = [
            {
                "seq": seq,
                "at": at,
                "sha256": sha256,
                "bytes": _size(self._writer.folder / snapshots.FOLDER / file),
            }
            for seq, at, sha256, file in rows
        ]
        return {**replay.reach(self._db, candidate.number, candidate.seq), "snapshots": kept}

    def state_at(self, name: str, seq: int | None) -> Any:
        """The champion's estimator after a record."""
        candidate = self.find(name).champion
        if seq is None or seq == candidate.seq:
            candidate.publish_if_due(1.0, now=True)
            return candidate.reader.model
        if seq > candidate.seq:
            raise NotFound(f"The log of {name!r} ends at {candidate.seq}; {seq} was asked for.", field="seq")
        return replay.state_at(self._db, self._writer.folder, candidate.number, candidate.description, seq)

    def rollback(self, name: str, seq: int, by: str | None) -> int:
        """Go back to the state after a record; a record itself, so that it can be undone."""
        self._check_writable()
        stream = self.find(name)
        live = self.state_at(name, seq)
        if live is None or not live.started:
            live = estimators.make(stream.champion.description)
        elif live.is_snapshot:  # the published copy: nothing to go back over
            live = estimators.from_bytes(live.to_bytes())
        return self._replace(stream, live, "rollback", by, target=seq)

    def put_file(self, name: str, file: bytes, by: str | None) -> int:
        """Go on from a model file that a client sent."""
        self._check_writable()
        stream = self.find(name)
        live = estimators.from_bytes(file)
        self._check_kind(stream, live)
        return self._replace(stream, live, "file", by, file=file)

    @staticmethod
    def _check_kind(stream: Stream, model: Any) -> None:
        """The examples of a stream have labels, targets or rewards, for all who learn from them."""
        kind, wanted = estimators.task(model), stream.champion.scores.task
        if kind != wanted:
            raise Conflict(
                f"{type(model).__name__} is for {kind}, but the champion of {stream.name!r} is for {wanted}.",
                field="model",
            )

    def _replace(
        self,
        stream: Stream,
        live: Any,
        act: str,
        by: str | None,
        target: int | None = None,
        file: bytes | None = None,
    ) -> int:
        """Another state for the champion. Its snapshot is on the disk before the record that names it."""
        candidate, writer = stream.champion, self._writer
        seq = writer.journal.seq + 1
        kept = None
        scores = candidate.scores.to_bytes()  # they go on, whatever the model goes back to
        if live.started:
            taken = snapshots.Snapshot(candidate.number, seq, live, scores)
            kept = taken, *snapshots.write_file(writer.folder, taken)
        with self._db.transaction():
            noted = self._note(stream, act, by, target=target, candidate=candidate.number)
            self._reset(candidate.number, noted, target=target, file=file, scores=scores)
            if kept is not None:
                snapshots.add_row(self._db, *kept, writer.journal.now())
            self._finish()
        candidate.replace_model(live, noted)
        candidate.examples_since_snapshot = 0
        self._done(stream)
        return noted

    def add_shadow(self, name: str, shadow: str, description: Description, by: str | None) -> int:
        """Let another model learn from the same examples from now on."""
        self._check_writable()
        stream = self.find(name)
        check_name(shadow)
        if any(c.name == shadow for c in stream.candidates.values()):
            raise Conflict(f"{name!r} has a candidate {shadow!r} already.", field="name")
        if len(stream.candidates) > 16:
            raise Conflict(f"{name!r} has {len(stream.candidates) - 1} shadows; 16 are allowed.")
        live = estimators.make(description)
        self._check_kind(stream, live)
        if estimators.task(live) == estimators.BANDIT:
            raise Conflict(f"{name!r} is a bandit: what a shadow would have shown is never judged.")
        with self._db.transaction():
            number = self._add_candidate(stream.number, shadow, description)
            seq = self._note(stream, "shadow", by, shadow=shadow, model=description.model)
            self._reset(number, seq)
            self._finish()
        candidate = Candidate(
            number, shadow, description, stream.limits, live, seq, shard_factory=self._writer.shard_factory
        )
        stream.candidates = {**stream.candidates, number: candidate}
        self._done(stream)
        return seq

    def find_candidate(self, stream: Stream, shadow: str) -> Candidate:
        """A shadow by its name."""
        for candidate in stream.shadows:
            if candidate.name == shadow:
                return candidate
        raise NotFound(
            f"{stream.name!r} has no shadow {shadow[:80]!r}.",
            hint="It has " + (", ".join(c.name for c in stream.shadows) or "none") + ".",
            field="shadow",
        )

    def drop_shadow(self, name: str, shadow: str, by: str | None) -> int:
        """Let a shadow go."""
        self._check_writable()
        stream = self.find(name)
        number = self.find_candidate(stream, shadow).number
        with self._db.transaction():
            seq = self._note(stream, "drop_shadow", by, shadow=shadow)
            for table in ("snapshots", "resets", "skipped", "candidates"):
                self._db.run(f"DELETE FROM {table} WHERE candidate=?", (number,))
            self._finish()
        gone = stream.candidates[number]
        stream.candidates = {key: c for key, c in stream.candidates.items() if key != number}
        gone.close()
        self._done(stream)
        snapshots.remove_all(self._writer.folder, number)
        return seq

    def promote(self, name: str, shadow: str, by: str | None) -> int:
        """Let a shadow answer from now on, in one step; the champion goes on as a shadow."""
        self._check_writable()
        stream = self.find(name)
        number = self.find_candidate(stream, shadow).number
        with self._db.transaction():
            seq = self._note(stream, "promote", by, shadow=shadow, was=stream.champion.name)
            self._db.run("UPDATE models SET champion=? WHERE model=?", (number, stream.number))
            self._finish()
        stream.leads = number
        self._done(stream)
        return seq


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None
