"""The one thread that writes and learns.

It takes what is waiting, decides, learns and appends all of it in ONE transaction, and answers when that is on the disk.
Learning comes before the commit so that what the model refuses is refused there and then; readers see nothing before the
commit, and if the commit fails everything in memory is thrown away and read again from the disk.

Whatever goes wrong, nobody waits for ever. An error refuses what the writer has in hand and is got over by reading the disk
again; copies for readers, snapshots and cleaning up are tried again later. What cannot be got over ends the writer: all that
wait are answered, ``failed`` says why, and the process is expected to end.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import apsw

from streamboost.base.system import remove_file
from streamboost.service.store import replay, retention, snapshots
from streamboost.service.store.database import Database
from streamboost.service.store.errors import (
    NotFound,
    NotReady,
    OutOfMemory,
    QueueFull,
    ReadOnly,
    Refused,
    StoreError,
)
from streamboost.service.store.journal import Journal
from streamboost.service.store.records import Outcome, Work
from streamboost.service.store.registry import read_streams
from streamboost.service.store.settings import Settings
from streamboost.service.store.sharded import ShardFactory
from streamboost.service.store.streams import Stream

log = logging.getLogger("streamboost.store")
T = TypeVar("T")
AGAIN = 1.0
"""Seconds after which copies for readers, snapshots and cleaning up are tried again when they failed."""


@dataclass(slots=True)
class Job:
    """Records of one caller, answered together; ``offset`` says where their source goes on after them."""

    stream: str
    work: Sequence[Work]
    future: Future[list[Outcome]]
    offset: tuple[str, str, str] | None = None


@dataclass(slots=True)
class Command:
    """Something else to be done between two transactions."""

    act: Callable[[], Any]
    future: Future[Any]
    reads: bool = False
    """Whether it changes nothing: if it fails, memory and disk still agree."""


class Writer:
    """Owns the database and all models that learn."""

    def __init__(self, folder: Path, settings: Settings, vfs: str | None = None) -> None:
        self.folder, self.settings, self._vfs = folder, settings, vfs
        self.streams: dict[str, Stream] = {}
        self.read_only: str | None = None
        self.ready = threading.Event()
        self.opened = False
        self.failed: BaseException | None = None
        self.on_end: Callable[[], None] | None = None
        """Called when the writer had to end before it was asked to."""
        self.faults = 0
        """Errors of ours that were got over."""
        self._waiting: deque[Job | Command] = deque()
        self._in_hand: list[Job | Command] = []
        self._n_waiting = 0
        self._wake = threading.Condition()
        self._stopping = False
        self._unpublished: set[str] = set()
        self._clean_at = self._chores_at = 0.0
        self._saving: set[int] = set()
        self._to_save: queue.SimpleQueue[snapshots.Snapshot | None] = queue.SimpleQueue()
        self.db: Database
        self.journal: Journal
        self.shard_factory: ShardFactory
        self._thread = threading.Thread(target=self._run, name="streamboost-writer", daemon=True)
        self._saver = threading.Thread(target=self._save_all, name="streamboost-snapshots", daemon=True)
        self._thread.start()
        self._saver.start()

    # For other threads.

    def submit(
        self, stream: str, work: Sequence[Work], offset: tuple[str, str, str] | None = None
    ) -> Future[list[Outcome]]:
        """Hand records over; the future is done when they are on the disk."""
        if self.read_only is not None:
            raise ReadOnly(
                f"The service is read-only: {self.read_only}.",
                hint="It goes on when the disk takes data again.",
            )
        future: Future[list[Outcome]] = Future()
        with self._wake:
            self._check_open()
            if self._n_waiting and self._n_waiting + len(work) > self.settings.queue:
                raise QueueFull(
                    f"{self._n_waiting} records are waiting to be written; {self.settings.queue} may.",
                    hint="Send again later, with the same ids.",
                )
            self._n_waiting += len(work)
            self._waiting.append(Job(stream, work, future, offset))
            self._wake.notify()
        return future

    def call(self, act: Callable[[], T], *, reads: bool = False) -> T:
        """Run something in the writer's thread and wait for it."""
        future: Future[T] = Future()
        with self._wake:
            self._check_open()
            self._waiting.append(Command(act, future, reads))
            self._wake.notify()
        return future.result()

    def why_failed(self) -> StoreError:
        """What to tell those who come after the end."""
        if not self.opened:
            return StoreError(f"The service could not start: {self.failed}", code="damaged")
        return NotReady(
            f"The writer has ended: {self.failed!r}.",
            hint="The service must be started again; send again then.",
        )

    def _check_open(self) -> None:
        if self.failed is not None:
            raise self.why_failed()
        if self._stopping:
            raise NotReady("The service is stopping.")

    @property
    def queued(self) -> int:
        """Records that are waiting."""
        return self._n_waiting

    def close(self) -> None:
        """Write what is waiting, snapshot what was learned, let go of the file."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        self._thread.join()
        self._to_save.put(None)
        self._saver.join()

    def want(self, stream: Stream) -> None:
        """Somebody waits for readers of a stream to see what was learned."""
        with self._wake:
            stream.wanted = True
            self._wake.notify()

    # The thread.

    def _run(self) -> None:
        try:
            self._open()
            self.opened = True
            self.ready.set()
            while self._step():
                pass
            self._close()
        except BaseException as error:
            self._end(error)

    def _step(self) -> bool:
        """One round: what is waiting, then what has to be done besides; says whether there is another."""
        try:
            if not self._take():
                return False
            if self.read_only is not None:
                self._recover()
            self._work()
            self._after()
            self._in_hand.clear()
        except Exception as error:
            self._give_up(error)
        return True

    def _end(self, error: BaseException) -> None:
        """The writer cannot go on: whoever waits is told, and the process learns that it must end."""
        log.critical("the writer ends", exc_info=error)
        with self._wake:
            self.failed = error
        self._refuse_all(self.why_failed())
        for stream in self.streams.values():
            stream.waiting.refuse(self.why_failed())
        self.ready.set()
        if self.on_end is not None:
            self.on_end()
        self._close_streams()
        with contextlib.suppress(Exception):  # they may not be there yet
            self.shard_factory.close()
            self.db.close()

    def _open(self) -> None:
        attempts = replay.Attempts(self.folder)
        self.shard_factory = ShardFactory(self.settings, self.folder)
        self.db = Database(self.folder, write=True, vfs=self._vfs)
        snapshots.remove_strays(self.db, self.folder)
        self.journal = Journal(self.db, trust_clock=self.settings.trust_clock)
        self.streams = read_streams(self.db, self.folder, self.journal.seq, attempts, self.shard_factory)
        attempts.done()

    def _take(self) -> bool:
        """Take in hand what is waiting, up to a batch, perhaps nothing; says False when it is time to end."""
        with self._wake:
            if not self._waiting and not self._stopping and not self._urgent():
                self._wake.wait(self._pause())
            n = 0
            while self._waiting and n < self.settings.batch:
                job = self._waiting[0]
                self._in_hand.append(job)  # first, so that an error leaves it in one of the two lists
                self._waiting.popleft()
                if isinstance(job, Job):
                    n += len(job.work)
            self._n_waiting -= n
            return bool(self._in_hand) or not self._stopping

    def _urgent(self) -> bool:
        """Whether somebody waits for a copy that may be made now."""
        return time.monotonic() >= self._chores_at and any(s.wanted for s in self.streams.values())

    def _pause(self) -> float:
        if self.read_only is not None:
            return self.settings.probe_seconds
        return 0.02 if self._unpublished else min(1.0, self.settings.retention_seconds)

    def _work(self) -> None:
        batch: list[Job] = []
        for job in self._in_hand:
            if isinstance(job, Job):
                batch.append(job)
                continue
            self._write(batch)  # a command comes after what was asked before it
            batch = []
            self._do(job)
        self._write(batch)

    @staticmethod
    def _do(command: Command) -> None:
        try:
            found = command.act()
        except Exception as error:
            if not command.reads and not isinstance(error, StoreError):
                raise
            _refuse(command.future, error)
        else:
            _answer(command.future, found)

    def _write(self, batch: list[Job]) -> None:
        if not batch:
            return
        if self.read_only is not None:
            for job in batch:
                _refuse(job.future, ReadOnly(f"The service is read-only: {self.read_only}."))
            return
        outcomes: list[list[Outcome] | StoreError] = []
        with self.db.transaction():
            for job in batch:
                outcomes.append(self._record(job))
            self.journal.finish()
        for job, found in zip(batch, outcomes, strict=True):
            if isinstance(found, StoreError):
                _refuse(job.future, found)
            else:
                _answer(job.future, found)
        self._teach_shadows()
        touched, self.journal.touched = self.journal.touched, {}
        for stream in touched.values():
            stream.advance(self.journal.seq)
            self._unpublished.add(stream.name)

    def _record(self, job: Job) -> list[Outcome] | StoreError:
        stream = self.streams.get(job.stream)
        if stream is None:
            return NotFound(f"There is no model {job.stream!r}.")
        self.journal.look_up(stream, job.work)
        found = [self.journal.record(stream, work) for work in job.work]
        if job.offset is not None:
            self.db.run("INSERT OR REPLACE INTO offsets VALUES(?, ?, ?)", job.offset)
        return found

    def _teach_shadows(self) -> None:
        learned, self.journal.learned = self.journal.learned, {}
        for examples in learned.values():
            for shadow in examples.stream.shadows:
                for seq, at, body in examples.rows:
                    try:
                        shadow.take(body, at, body.given(shadow.number))
                    except Refused as error:
                        if shadow.broken:
                            raise
                        replay.skip(self.db, shadow.number, seq, error.message)
                    shadow.seq = seq
                shadow.settle()

    # What goes wrong.

    def _give_up(self, error: Exception) -> None:
        """Models may have learned what is not in the log. What is in hand is refused, and all is read again from the disk."""
        disk = isinstance(error, apsw.Error | OSError)
        if disk:
            log.error("the disk failed: %s: %s", type(error).__name__, error)
            reason = f"the disk did not take the data ({error})"
        else:
            self.faults += 1
            log.error("an error of ours", exc_info=error)
            reason = f"an error of ours ({error!r})"
        self.read_only = reason
        refusal = OutOfMemory if isinstance(error, MemoryError) else ReadOnly
        self._refuse_in_hand(
            refusal(f"This was given up: {reason}.", hint="Send it again, with the same id.")
        )
        if not disk:
            self._recover()

    def _refuse_in_hand(self, error: StoreError) -> None:
        """Answer all in hand that have no answer yet; what was recorded all the same is a duplicate when it comes again."""
        jobs, self._in_hand = self._in_hand, []
        for job in jobs:
            _refuse(job.future, error)
        with self._wake:
            self._n_waiting = sum(len(job.work) for job in self._waiting if isinstance(job, Job))

    def _recover(self) -> None:
        """Try whether the disk takes data again; if so, start from what is on it."""
        try:
            try:
                self.db.close()
            except apsw.Error as error:
                log.error("closing: %s", error)
            self.db = Database(self.folder, write=True, vfs=self._vfs)
            with self.db.transaction():
                self.db.run("INSERT OR REPLACE INTO meta VALUES('probe', zeroblob(65536))")
            self.db.run("DELETE FROM meta WHERE key='probe'")
            self.journal = Journal(self.db, trust_clock=self.settings.trust_clock)
            self._close_streams()
            for stream in self.streams.values():
                stream.forget()  # readers have their copies; two of all that learn may be too much
            fresh = read_streams(self.db, self.folder, self.journal.seq, None, self.shard_factory)
        except Exception as error:
            log.error("still read-only: %s: %s", type(error).__name__, error)
            return
        for name, stream in fresh.items():  # those who wait for a stream wait for the one they know
            old = self.streams.get(name)
            if old is not None:
                stream.waiting = old.waiting
        self.streams, self.read_only = fresh, None
        self._unpublished, self._saving = set(), set()
        log.warning("all was read again from the disk, which takes data")

    def _close_streams(self) -> None:
        for stream in self.streams.values():
            try:
                stream.close()
            except Exception as error:
                log.error("shards of %s did not end well: %s", stream.name, error)

    def _refuse_all(self, error: StoreError) -> None:
        with self._wake:
            self._in_hand += self._waiting
            self._waiting.clear()
        self._refuse_in_hand(error)

    # What has to be done besides.

    def _after(self) -> None:
        if self.read_only is not None or time.monotonic() < self._chores_at:
            return
        for chore in (self._publish_due, self._snapshot_due, self._clean_due):
            try:
                chore()
            except (apsw.Error, OSError):
                raise
            except Exception as error:  # nothing that learns has changed: it is tried again
                self.faults += 1
                log.error("%s failed", chore.__name__, exc_info=error)
                self._chores_at = time.monotonic() + AGAIN

    def _publish_due(self) -> None:
        self._unpublished |= {name for name, stream in self.streams.items() if stream.wanted}
        for name in list(self._unpublished):
            stream = self.streams.get(name)
            if stream is None or stream.publish(self.settings.publish_share):
                self._unpublished.discard(name)

    def _clean_due(self) -> None:
        if time.monotonic() >= self._clean_at:
            more = retention.clean(self.db, self.streams.values(), self.settings, self.journal.now())
            self._clean_at = time.monotonic() + (0.01 if more else self.settings.retention_seconds)

    def _snapshot_due(self) -> None:
        now = time.monotonic()
        for stream in self.streams.values():
            for candidate in stream.candidates.values():
                n = candidate.examples_since_snapshot
                due = n >= self.settings.snapshot_every or (
                    n and now - candidate.snapshot_at >= self.settings.snapshot_seconds
                )
                if due and candidate.number not in self._saving:
                    candidate.snapshot_at = now
                    taken = snapshots.take(candidate)
                    candidate.examples_since_snapshot = 0
                    if taken is not None:
                        self._saving.add(candidate.number)
                        self._to_save.put(taken)

    def _save_all(self) -> None:
        """The other thread: files are written while the writer goes on."""
        while (taken := self._to_save.get()) is not None:
            try:
                name, sha256 = snapshots.write_file(self.folder, taken)
                self.call(lambda t=taken, n=name, s=sha256: self.keep(t, n, s))  # type: ignore[misc]
            except BaseException as error:  # this thread must not end: who else would write them?
                log.error("no snapshot of candidate %d at %d: %r", taken.candidate, taken.seq, error)
            finally:
                self._saving.discard(taken.candidate)

    def keep(self, taken: snapshots.Snapshot, name: str, sha256: str) -> None:
        """Name a snapshot that is on the disk, and forget old ones; in the writer's thread."""
        if self.read_only is not None:
            return
        with self.db.transaction():
            known = self.db.value("SELECT 1 FROM candidates WHERE candidate=?", (taken.candidate,))
            if known is None:
                return
            if not snapshots.is_whole(self.folder, name):
                raise NotReady("rows of the snapshot were forgotten with another one meanwhile")
            snapshots.add_row(self.db, taken, name, sha256, self.journal.now())
            old = snapshots.prune(
                self.db, self.folder, taken.candidate, self.settings.keep_snapshots, self.settings.reach_s
            )
        for path in old:
            remove_file(path)

    def _close(self) -> None:
        if self.read_only is None:
            for stream in self.streams.values():
                for candidate in stream.candidates.values():
                    taken = snapshots.take(candidate) if candidate.examples_since_snapshot else None
                    if taken is None:
                        continue
                    try:
                        self.keep(taken, *snapshots.write_file(self.folder, taken))
                    except Exception as error:  # the log has it all
                        log.error("no last snapshot of candidate %d: %s", candidate.number, error)
        self._close_streams()
        self.shard_factory.close()
        self._refuse_all(NotReady("The service is stopping."))
        try:
            self.db.close()
        except apsw.Error as error:
            log.error("closing: %s", error)


def _answer(future: Future[Any], found: Any) -> None:
    with contextlib.suppress(InvalidStateError):
        if future.set_running_or_notify_cancel():
            future.set_result(found)


def _refuse(future: Future[Any], error: Exception) -> None:
    """Unless it has an answer."""
    if future.done():
        return
    with contextlib.suppress(InvalidStateError):
        if future.running() or future.set_running_or_notify_cancel():
            future.set_exception(error)
