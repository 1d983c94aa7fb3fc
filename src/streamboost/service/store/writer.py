"""The one thread that writes and learns.

It takes what is waiting, decides, learns and appends all of it in ONE transaction, and answers when that is on the disk.
Learning comes before the commit so that what the model refuses is refused there and then; readers see nothing before the
commit, and if the commit fails everything in memory is thrown away and read again from the disk.
"""

from __future__ import annotations

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

from streamboost.service.store import replay, retention, snapshots
from streamboost.service.store.database import Database
from streamboost.service.store.errors import NotFound, NotReady, QueueFull, ReadOnly, StoreError
from streamboost.service.store.journal import Journal
from streamboost.service.store.records import Outcome, Work
from streamboost.service.store.registry import read_streams
from streamboost.service.store.settings import Settings
from streamboost.service.store.sharded import ShardFactory
from streamboost.service.store.streams import Stream

log = logging.getLogger("streamboost.store")
T = TypeVar("T")


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


class Writer:
    """Owns the database and all models that learn."""

    def __init__(self, folder: Path, settings: Settings, vfs: str | None = None) -> None:
        self.folder, self.settings, self._vfs = folder, settings, vfs
        self.streams: dict[str, Stream] = {}
        self.read_only: str | None = None
        self.ready = threading.Event()
        self.failed: BaseException | None = None
        self._waiting: deque[Job | Command] = deque()
        self._n_waiting = 0
        self._wake = threading.Condition()
        self._stopping = False
        self._unpublished: set[str] = set()
        self._clean_at = 0.0
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

    def call(self, act: Callable[[], T]) -> T:
        """Run something in the writer's thread and wait for it."""
        future: Future[T] = Future()
        with self._wake:
            self._check_open()
            self._waiting.append(Command(act, future))
            self._wake.notify()
        return future.result()

    def _check_open(self) -> None:
        if self.failed is not None:
            raise StoreError(f"The service could not start: {self.failed}", code="damaged")
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
        except BaseException as error:
            self.failed = error
            log.exception("the store cannot be opened")
            self._refuse_all(StoreError(f"The service could not start: {error}", code="damaged"))
            self.ready.set()
            return
        self.ready.set()
        while True:
            jobs = self._take()
            if jobs is None:
                break
            if self.read_only is not None:
                self._recover()
            self._work(jobs)
            self._after()
        self._close()

    def _open(self) -> None:
        attempts = replay.Attempts(self.folder)
        self.shard_factory = ShardFactory(self.settings, self.folder)
        self.db = Database(self.folder, write=True, vfs=self._vfs)
        snapshots.remove_strays(self.db, self.folder)
        self.journal = Journal(self.db)
        self.streams = read_streams(self.db, self.folder, self.journal.seq, attempts, self.shard_factory)
        attempts.done()

    def _take(self) -> list[Job | Command] | None:
        """What is waiting, up to a batch; an empty list when it is time to look after other things."""
        with self._wake:
            if not self._waiting and not self._stopping and not any(s.wanted for s in self.streams.values()):
                self._wake.wait(self._pause())
            if not self._waiting:
                return None if self._stopping else []
            jobs: list[Job | Command] = []
            n = 0
            while self._waiting and n < self.settings.batch:
                job = self._waiting.popleft()
                jobs.append(job)
                if isinstance(job, Job):
                    n += len(job.work)
            self._n_waiting -= n
            return jobs

    def _pause(self) -> float:
        if self.read_only is not None:
            return self.settings.probe_seconds
        return 0.02 if self._unpublished else min(1.0, self.settings.retention_seconds)

    def _work(self, jobs: list[Job | Command]) -> None:
        batch: list[Job] = []
        for job in jobs:
            if isinstance(job, Job):
                batch.append(job)
                continue
            self._write(batch)  # a command comes after what was asked before it
            batch = []
            _answer(job.future, job.act)
        self._write(batch)

    def _write(self, batch: list[Job]) -> None:
        if not batch:
            return
        if self.read_only is not None:
            for job in batch:
                _refuse(job.future, ReadOnly(f"The service is read-only: {self.read_only}."))
            return
        outcomes: list[list[Outcome] | StoreError] = []
        try:
            with self.db.transaction():
                for job in batch:
                    outcomes.append(self._record(job))
                self.journal.finish()
        except BaseException as error:
            self._give_up(error, batch)
            return
        for job, found in zip(batch, outcomes, strict=True):
            if isinstance(found, StoreError):
                _refuse(job.future, found)
            else:
                _answer(job.future, lambda found=found: found)  # type: ignore[misc]
        try:
            self._teach_shadows()
        except Exception as error:  # shards that do not come back
            self._give_up(error, [])
            return
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
                    except Exception as error:
                        if shadow.broken:
                            raise
                        replay.skip(self.db, shadow.number, seq, f"{type(error).__name__}: {error}")
                    shadow.seq = seq
                shadow.settle()

    # What goes wrong.

    def _give_up(self, error: BaseException, batch: list[Job]) -> None:
        """A transaction failed: models have learned what is not in the log. All is read again from the disk."""
        log.error("a transaction failed: %s: %s", type(error).__name__, error)
        disk = isinstance(error, apsw.Error | OSError)
        reason = f"the disk did not take the data ({error})" if disk else f"an error of ours ({error!r})"
        self.read_only = reason
        for job in batch:
            _refuse(job.future, ReadOnly(f"Nothing was recorded: {reason}."))
        if not disk:
            log.exception("unexpected", exc_info=error)
            self._recover()

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
            self.journal = Journal(self.db)
            self._close_streams()
            fresh = read_streams(self.db, self.folder, self.journal.seq, None, self.shard_factory)
        except Exception as error:
            log.error("still read-only: %s", error)
            return
        for name, stream in fresh.items():  # those who wait for a stream wait for the one they know
            old = self.streams.get(name)
            if old is not None:
                stream.changed = old.changed
        self.streams, self.read_only = fresh, None
        self._unpublished, self._saving = set(), set()
        log.warning("the disk takes data again")

    def _close_streams(self) -> None:
        for stream in self.streams.values():
            try:
                stream.close()
            except Exception as error:
                log.error("shards of %s did not end well: %s", stream.name, error)

    def _refuse_all(self, error: StoreError) -> None:
        with self._wake:
            jobs, self._waiting = list(self._waiting), deque()
        for job in jobs:
            _refuse(job.future, error)

    # What has to be done besides.

    def _after(self) -> None:
        if self.read_only is not None:
            return
        self._unpublished |= {name for name, stream in self.streams.items() if stream.wanted}
        for name in list(self._unpublished):
            stream = self.streams.get(name)
            if stream is None or stream.publish(self.settings.publish_share):
                self._unpublished.discard(name)
        self._snapshot_due()
        if time.monotonic() >= self._clean_at:
            try:
                more = retention.clean(self.db, self.streams.values(), self.settings, self.journal.now())
                self._clean_at = time.monotonic() + (0.01 if more else self.settings.retention_seconds)
            except apsw.Error as error:
                self._give_up(error, [])

    def _snapshot_due(self) -> None:
        now = time.monotonic()
        for stream in self.streams.values():
            for candidate in stream.candidates.values():
                n = candidate.examples_since_snapshot
                due = n >= self.settings.snapshot_every or (
                    n and now - candidate.snapshot_at >= self.settings.snapshot_seconds
                )
                if due and candidate.number not in self._saving:
                    taken = snapshots.take(candidate)
                    candidate.examples_since_snapshot, candidate.snapshot_at = 0, now
                    if taken is not None:
                        self._saving.add(candidate.number)
                        self._to_save.put(taken)

    def _save_all(self) -> None:
        """The other thread: files are written while the writer goes on."""
        while (taken := self._to_save.get()) is not None:
            try:
                name, sha256 = snapshots.write_file(self.folder, taken)
                self.call(lambda t=taken, n=name, s=sha256: self.keep(t, n, s))  # type: ignore[misc]
            except Exception as error:
                log.error("no snapshot of candidate %d at %d: %s", taken.candidate, taken.seq, error)
            finally:
                self._saving.discard(taken.candidate)

    def keep(self, taken: snapshots.Snapshot, name: str, sha256: str) -> None:
        """Name a snapshot that is on the disk, and forget old ones; in the writer's thread."""
        if self.read_only is not None:
            return
        try:
            with self.db.transaction():
                known = self.db.value("SELECT 1 FROM candidates WHERE candidate=?", (taken.candidate,))
                if known is None:
                    return
                snapshots.add_row(self.db, taken, name, sha256, self.journal.now())
                old = snapshots.prune(self.db, self.folder, taken.candidate, self.settings.keep_snapshots)
        except apsw.Error as error:
            self._give_up(error, [])
            raise
        for path in old:
            path.unlink(missing_ok=True)

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


def _answer(future: Future[Any], act: Callable[[], Any]) -> None:
    try:
        if not future.set_running_or_notify_cancel():
            act()
            return
        future.set_result(act())
    except InvalidStateError:
        pass
    except BaseException as error:
        future.set_exception(error)


def _refuse(future: Future[Any], error: Exception) -> None:
    try:
        if future.set_running_or_notify_cancel():
            future.set_exception(error)
    except InvalidStateError:
        pass
