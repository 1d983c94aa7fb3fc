"""``LearningStore``: a folder in which models learn and nothing acknowledged is lost. Knows nothing of HTTP."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from streamboost.base.system import open_locked
from streamboost.service.store import estimators, queries, snapshots
from streamboost.service.store.candidates import Reader
from streamboost.service.store.database import Database
from streamboost.service.store.errors import (
    BadRequest,
    Conflict,
    NotFound,
    NotReady,
    ReadOnly,
    Refused,
    StoreError,
)
from streamboost.service.store.estimators import Description
from streamboost.service.store.records import Answer, Features, Kind, Label, Outcome, Work
from streamboost.service.store.registry import KEEP_EVENTS, Registry
from streamboost.service.store.settings import Limits, Settings
from streamboost.service.store.streams import Stream
from streamboost.service.store.writer import Writer

READ_WAIT = 5.0
"""Seconds that a call waits until readers know a record."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """An answer; ``logged`` says whether its label may come later, ``state`` what became of the event."""

    answer: Answer
    id: str | None = None
    logged: bool = False
    state: str | None = None
    seq: int | None = None
    differs: bool = False


class LearningStore:
    """Models that learn from a durable log.

    Every verb that records something returns when it is on the disk. Threads may call all of them.

    Parameters
    ----------
    folder : str or path
        Where everything lives; it is made if it is missing. One process at a time may have it open.
    settings : Settings
        Sizes and times.
    wait : bool
        Whether to return only when the log is replayed; else ``ready`` says when it is.
    vfs : str, optional
        Name of a registered apsw VFS, for tests of crashes.

    Examples
    --------
    >>> import tempfile
    >>> store = LearningStore(tempfile.mkdtemp())
    >>> _ = store.create("loans", model="osboost", learner="naive-bayes")
    >>> store.learn("loans", {"income": 12.0, "job": "clerk"}, "yes", id="a").state
    'learned'
    >>> store.predict("loans", {"income": 11.0, "job": "clerk"}, id="b").state
    'waiting'
    >>> store.label("loans", "b", "yes").state, store.label("loans", "b", "yes").state
    ('learned', 'duplicate')
    >>> store.close()
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        settings: Settings | None = None,
        *,
        wait: bool = True,
        vfs: str | None = None,
    ) -> None:
        self.folder = Path(folder)
        self.settings = settings or Settings()
        if self.folder.exists() and not self.folder.is_dir():
            raise BadRequest(f"{self.folder} is no folder.")
        (self.folder / snapshots.FOLDER).mkdir(parents=True, exist_ok=True)
        self._lock = _lock(self.folder)
        self._vfs = vfs
        self._local = threading.local()
        self._readers: list[Database] = []
        self.started = time.time()
        self._writer = Writer(self.folder, self.settings, vfs)
        self._registry = Registry(self._writer)
        if wait:
            self.wait_ready()

    # Life.

    def wait_ready(self, timeout: float | None = None) -> None:
        """Wait until the log is replayed; raises if it cannot be."""
        if not self._writer.ready.wait(timeout):
            raise NotReady("The log is still being replayed.")
        if self._writer.failed is not None:
            error = self._writer.failed
            self.close()
            raise (
                error if isinstance(error, StoreError) else StoreError(str(error), code="damaged")
            ) from error

    @property
    def ready(self) -> bool:
        """Whether the log is replayed."""
        return self._writer.ready.is_set() and self._writer.failed is None

    @property
    def failed(self) -> BaseException | None:
        """Why the writer ended before it was asked to, or could not start; None if it did not."""
        return self._writer.failed

    def when_failed(self, act: Callable[[], None]) -> None:
        """Call this if the writer ends before it was asked to."""
        self._writer.on_end = act
        if self._writer.failed is not None:
            act()

    @property
    def faults(self) -> int:
        """Errors of the service itself that it got over."""
        return self._writer.faults

    @property
    def read_only(self) -> str | None:
        """Why nothing is recorded at the moment; None if all is well."""
        return self._writer.read_only

    @property
    def queued(self) -> int:
        """Records that are waiting for the writer."""
        return self._writer.queued

    def close(self) -> None:
        """Write what is waiting, snapshot what was learned, and let go of the folder. Calling it twice does no harm."""
        if self._lock is None:
            return
        self._writer.close()
        for db in self._readers:
            db.close()
        os.close(self._lock)
        self._lock = None

    def __enter__(self) -> LearningStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Learning and answering.

    def stream(self, name: str) -> Stream:
        """What is served under a name."""
        self._check_ready()
        return self._registry.find(name)

    def _check_ready(self) -> None:
        if not self._writer.ready.is_set():
            raise NotReady("The log is still being replayed.")
        if self._writer.failed is not None:
            raise self._writer.why_failed()

    def submit(
        self,
        name: str,
        work: Sequence[Work],
        offset: tuple[str, str, str] | None = None,
        *,
        checked: bool = False,
    ) -> Future[list[Outcome]]:
        """Hand records over; the future is done when all of them are on the disk.

        ``checked`` says that :func:`check` has seen all of them.

        ``offset`` (source, part, next) is stored in the same transaction: a source that goes on from there neither loses nor
        repeats a record.
        """
        stream = self.stream(name)
        for one in () if checked else work:
            check(one, stream.limits)
        return self._writer.submit(name, work, offset)

    def learn(
        self, name: str, features: Features, label: Label, *, id: str | None = None, weight: float = 1.0
    ) -> Outcome:
        """Record an example and learn it."""
        return self._one(name, Work(Kind.EXAMPLE, id, features, label, weight))

    def label(self, name: str, id: str, label: Label, *, weight: float = 1.0) -> Outcome:
        """Record the truth about an event."""
        return self._one(name, Work(Kind.LABEL, id, None, label, weight))

    def _one(self, name: str, work: Work) -> Outcome:
        outcome = self.submit(name, [work]).result()[0]
        if outcome.state == "poison":
            raise Refused(
                outcome.reason or "refused", hint=f"It was put aside as record {outcome.seq} and not learned."
            )
        if outcome.state == "unknown":
            raise unknown_act(work)
        return outcome

    def reader(self, name: str, at_least_seq: int | None = None, timeout: float = READ_WAIT) -> Reader:
        """What answers now; with a number, once it knows that record."""
        future = self.reader_knowing(name, at_least_seq)
        try:
            return future.result(timeout)
        except (TimeoutError, FutureTimeout) as error:  # two classes until Python 3.11
            future.cancel()
            raise self.not_reached(name, at_least_seq, timeout) from error

    def reader_knowing(self, name: str, at_least_seq: int | None = None) -> Future[Reader]:
        """The same without waiting: the future is done when readers know the record; cancel it to wait no longer."""
        stream = self.stream(name)
        reader = stream.champion.reader
        if at_least_seq is None or reader.seq >= at_least_seq:
            future: Future[Reader] = Future()
            future.set_result(reader)
            return future
        future = stream.waiting.add(at_least_seq)
        self._writer.want(stream)
        return future

    def not_reached(self, name: str, at_least_seq: int | None, timeout: float) -> Conflict:
        """The error for a call that has waited too long."""
        stands = self.stream(name).champion.reader.seq
        return Conflict(
            f"The model {name!r} stands at {stands}; {at_least_seq} was not reached in {timeout:g} s.",
            field="at_least_seq",
        )

    def event(self, name: str, features: Features, id: str, reader: Reader | None = None) -> Work:
        """The record of an event with the answers of the champion and of its shadows."""
        stream = self.stream(name)
        champion = stream.champion
        answer = (reader or champion.reader).answer(features, pending=True)
        others = {}
        for shadow in stream.shadows:
            try:
                others[str(shadow.number)] = shadow.reader.answer(features, pending=True)
            except StoreError:
                continue  # a shadow may not like what the champion takes
        return Work(Kind.EVENT, id, features, answer=answer, by=champion.number, others=others or None)

    def predict(
        self, name: str, features: Features, *, id: str | None = None, at_least_seq: int | None = None
    ) -> Prediction:
        """Answer. With an id the event is recorded, so that its label may come later."""
        reader = self.reader(name, at_least_seq)
        if id is None:
            check(Work(Kind.EVENT, None, features), self.stream(name).limits)
            return Prediction(reader.answer(features))
        work = self.event(name, features, id, reader)
        try:
            return predicted(work, self.submit(name, [work]).result()[0])
        except ReadOnly:
            return Prediction(work.answer or Answer(), id)

    def act(self, name: str, features: Features, id: str) -> Prediction:
        """Let a bandit choose the label to show for an event, which is recorded: its reward may come later."""
        work = self.act_event(name, features, id)
        try:
            return predicted(work, self.submit(name, [work]).result()[0])
        except ReadOnly:
            return Prediction(work.answer or Answer(), id)

    def act_event(self, name: str, features: Features, id: str, reader: Reader | None = None) -> Work:
        """The record of an event with the label that a bandit shows."""
        champion = self.bandit(name).champion
        answer = (reader or champion.reader).act(features, id)
        return Work(Kind.EVENT, id, features, answer=answer, by=champion.number)

    def reward(self, name: str, id: str, reward: float, *, weight: float = 1.0) -> Outcome:
        """Record what came of the label that was shown: 1 if it was right, else 0."""
        self.bandit(name)
        if reward not in (0, 1):
            raise BadRequest(f"reward is {reward}; it must be 1 (right) or 0 (wrong).", field="reward")
        return self._one(name, Work(Kind.LABEL, id, None, int(reward), weight))

    def bandit(self, name: str) -> Stream:
        """What is served under a name, which must be a bandit."""
        stream = self.stream(name)
        if stream.champion.scores.task != estimators.BANDIT:
            raise Conflict(
                f"The model {name!r} is no bandit: it learns from labels.",
                hint='POST .../label takes them; "model": "bandit" makes a model that learns from rewards.',
            )
        return stream

    # Administration.

    def create(
        self,
        name: str,
        *,
        keep_events_s: float = KEEP_EVENTS,
        limits: Limits | None = None,
        file: bytes | None = None,
        by: str | None = None,
        **description: Any,
    ) -> int:
        """Make a model; the rest are the fields of a description: model, learner, params, learner_params, classes,
        categorical, seed."""
        made = describe(description)
        return int(
            self._command(
                lambda: self._registry.create(name, made, keep_events_s, limits or Limits(), file, by)
            )
        )

    def _command(self, act: Any, *, reads: bool = False) -> Any:
        self._check_ready()
        return self._writer.call(act, reads=reads)

    def delete(self, name: str, *, by: str | None = None) -> int:
        """Forget a model."""
        return int(self._command(lambda: self._registry.delete(name, by)))

    def allow(self, name: str, label: Label, *, by: str | None = None) -> int:
        """Let a label become a class where new ones are asked for."""
        return int(self._command(lambda: self._registry.allow(name, label, by)))

    def snapshot(self, name: str) -> int:
        """Write a snapshot now; returns its sequence number."""
        return int(self._command(lambda: self._registry.snapshot(name)))

    def snapshots(self, name: str) -> dict[str, Any]:
        """The snapshots that are kept, and the oldest number that can be gone back to."""
        found: dict[str, Any] = self._command(lambda: self._registry.snapshots(name), reads=True)
        return found

    def rollback(self, name: str, seq: int, *, by: str | None = None) -> int:
        """Go back to the state after a record; returns the number of the record that says so."""
        return int(self._command(lambda: self._registry.rollback(name, seq, by)))

    def add_shadow(self, name: str, shadow: str, *, by: str | None = None, **description: Any) -> int:
        """Let another model learn from the same examples without answering."""
        made = describe(description)
        return int(self._command(lambda: self._registry.add_shadow(name, shadow, made, by)))

    def drop_shadow(self, name: str, shadow: str, *, by: str | None = None) -> int:
        """Let a shadow go."""
        return int(self._command(lambda: self._registry.drop_shadow(name, shadow, by)))

    def promote(self, name: str, shadow: str, *, by: str | None = None) -> int:
        """Let a shadow answer; the champion becomes a shadow."""
        return int(self._command(lambda: self._registry.promote(name, shadow, by)))

    def file(self, name: str, seq: int | None = None) -> bytes:
        """The model file of the champion, now or after a record."""
        model = self._command(lambda: self._registry.state_at(name, seq), reads=True)
        if model is None or not model.started:
            raise Conflict(f"The model {name!r} had learned nothing: there is no file.")
        file: bytes = model.to_bytes()
        return file

    def put_file(self, name: str, file: bytes, *, by: str | None = None) -> int:
        """Go on from a model file."""
        return int(self._command(lambda: self._registry.put_file(name, file, by)))

    # Looking.

    @property
    def names(self) -> list[str]:
        """The names of the models."""
        self._check_ready()
        return sorted(self._writer.streams)

    def shards(self) -> dict[str, int]:
        """Shards of all models: how many there are, how many run now, how often some were lost; all 0 without any."""
        found = {"shards": 0, "running": 0, "lost": 0}
        for stream in list(self._writer.streams.values()):
            for candidate in list(stream.candidates.values()):
                shards = candidate.shards
                for name, n in ({} if shards is None else shards.describe()).items():
                    found[name] += n
        return found

    def describe(self, name: str) -> dict[str, Any]:
        """What a model is and how it stands."""
        return queries.describe(self.stream(name), self._db())

    def scores(self, name: str, window: int = 1_000) -> dict[str, Any]:
        """How well the champion does, and its shadows beside it."""
        return queries.scores(self.stream(name), window)

    def report(self, name: str) -> dict[str, Any]:
        """The library's report of the champion."""
        return queries.report(self.stream(name))

    def events(self, name: str, state: str, limit: int = 100) -> list[dict[str, Any]]:
        """Records that wait or were put aside, newest first."""
        return queries.events(self.stream(name), self._db(), state, limit)

    def label_wishes(self, name: str, limit: int = 20) -> dict[str, Any]:
        """The waiting events that most deserve a label, newest first, and the labels that the champion knows."""
        return queries.label_wishes(self.stream(name), self._db(), limit)

    def offset(self, source: str) -> dict[str, str]:
        """Where a source goes on, by its parts."""
        self._check_ready()
        return dict(self._db().rows("SELECT part, next FROM offsets WHERE source=?", (source,)))

    def _db(self) -> Database:
        """A connection for reading, one for each thread."""
        found: Database | None = getattr(self._local, "db", None)
        if found is None:
            found = self._local.db = Database(self.folder, vfs=self._vfs)
            self._readers.append(found)
        return found


def predicted(work: Work, outcome: Outcome) -> Prediction:
    """The answer to an event that was recorded, or to the first one under its id."""
    answer = outcome.answer or work.answer or Answer()
    return Prediction(answer, work.id, outcome.state != "late", outcome.state, outcome.seq, outcome.differs)


def unknown_act(work: Work) -> NotFound:
    """What to say of a reward that belongs to nothing."""
    return NotFound(
        f"There is no act with the id {work.id!r}.",
        field="id",
        hint="POST .../act comes first, with the same id.",
    )


def describe(fields: dict[str, Any]) -> Description:
    """A description from its fields."""
    try:
        return msgspec.convert(fields, Description)
    except msgspec.ValidationError as error:
        raise BadRequest(str(error)) from error


def check(work: Work, limits: Limits) -> None:
    """Refuse what no model should see; the types were checked where it came in."""
    if work.id is not None and not (1 <= len(work.id) <= 128 and work.id.isprintable()):
        raise BadRequest("An id has 1 to 128 printable characters.", field="id")
    if work.kind is Kind.LABEL and work.id is None:
        raise BadRequest("A label needs the id of its event.", field="id")
    if not 0 <= work.weight <= 1e12:  # NaN, too
        raise BadRequest(f"weight is {work.weight}; it must lie between 0 and 1e12.", field="weight")
    _check_text(work.label, "label")
    if isinstance(work.label, str) and len(work.label) > limits.text:
        raise BadRequest(
            f"The label has {len(work.label)} characters; {limits.text} are allowed.", field="label"
        )
    features = work.features
    if features is None:
        return
    if len(features) > limits.features:
        raise BadRequest(
            f"The event has {len(features)} features; {limits.features} are allowed.", field="features"
        )
    for name, value in features.items():
        if not name.isascii() or (isinstance(value, str) and not value.isascii()):
            _check_text(name, "features")
            _check_text(value, "features")
        if len(name) > limits.text or (isinstance(value, str) and len(value) > limits.text):
            raise BadRequest(
                f"The feature {name[:40]!r} has a name or a text above {limits.text} characters.",
                field="features",
            )


def _check_text(value: object, field: str) -> None:
    """Refuse halves of characters (lone surrogates), which neither JSON nor the disk can hold."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise BadRequest(f"{value[:40]!r} holds half a character.", field=field) from error


def _lock(folder: Path) -> int | None:
    """Take the folder for this process; the lock ends with the process, however it ends."""
    try:
        return open_locked(folder / "lock")
    except OSError as error:
        raise Conflict(f"{folder} is in use by another process.") from error
