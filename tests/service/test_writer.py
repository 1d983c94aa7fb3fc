"""The writer whatever happens to it: nobody waits for ever, nothing acknowledged is lost, and its end is not a secret."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import httpx
import pytest

from streamboost.service import audit
from streamboost.service import store as package
from streamboost.service.store import (
    LearningStore,
    Settings,
    StoreError,
    Work,
    estimators,
    journal,
    retention,
)
from streamboost.service.store.database import Database
from streamboost.service.store.errors import NotReady, OutOfMemory
from streamboost.service.store.records import Kind
from streamboost.service.store.streams import Waiting
from tests.inside.stores import database_of, futures_of, writer_of
from tests.service.test_http import Running
from tests.service.test_store import DESCRIPTION, opened, teach
from tests.waiting import PATIENCE, until

STORE = os.path.dirname(package.__file__)


@dataclass
class Stood:
    """As much of a reader as those who wait look at."""

    seq: int


class Strike:
    """Raises an error in the writer's thread at the n-th line of the store that it runs after `armed` was set."""

    def __init__(self, error: type[BaseException], at: int) -> None:
        self._error, self._at = error, at
        self.n = 0
        self.armed = False

    def trace(self, frame: FrameType, event: str, arg: Any) -> Any:
        """For `threading.settrace`."""
        if threading.current_thread().name != "streamboost-writer":
            return None
        if not frame.f_code.co_filename.startswith(STORE):
            return None
        if event == "line" and self.armed:
            self.n += 1
            if self.n == self._at:
                raise self._error("struck")
        return self.trace


def scenario(folder: Path, strike: Strike) -> tuple[list[Future[Any]], LearningStore]:
    """Examples of three callers, a shadow, a command: handed over at once, so that they share transactions."""
    threading.settrace(strike.trace)
    try:
        store = opened(folder, snapshot_every=4, retention_seconds=0.01)
    finally:
        threading.settrace(None)  # type: ignore[arg-type]
    store.create("m", **DESCRIPTION)
    store.add_shadow("m", "s", model="bagging", learner="naive-bayes", params={"n_estimators": 2})
    strike.armed = True
    found = []
    for i in range(6):
        work = [Work(Kind.EXAMPLE, f"i{i}", {"x": float(i % 3)}, "yes" if i % 2 else "no")]
        try:
            found.append(store.submit("m", work))
        except StoreError:
            break  # it is over already
    return found, store


def test_a_writer_struck_while_it_counts_those_who_wait_can_still_tell_them() -> None:
    """Struck at each line that looks after them, as often as there are lines: nobody waits for ever."""
    counts = [0]

    def strike_at(n: int) -> Any:
        def trace(frame: FrameType, event: str, arg: Any) -> Any:
            if not frame.f_code.co_filename.endswith("streams.py"):
                return trace if event == "call" else None
            if event == "line":
                counts[0] += 1
                if counts[0] == n:
                    raise SystemExit("struck")
            return trace

        return trace

    for at in range(1, 100):
        waiting, counts[0] = Waiting(), 0
        futures = [waiting.add(3), waiting.add(5)]
        futures.append(waiting.add(1))
        futures[2].cancel()
        before = sys.gettrace()
        sys.settrace(strike_at(at))
        try:
            waiting.below(4)
            waiting.tell(Stood(3))
        except SystemExit:
            pass
        else:
            break
        finally:
            sys.settrace(before)
        done = threading.Thread(target=waiting.refuse, args=(NotReady("The writer has ended."),), daemon=True)
        done.start()
        done.join(PATIENCE)
        assert not done.is_alive()
        assert all(future.done() for future in futures)
    assert at > 10


def counted(tmp_path: Path) -> int:
    """The lines that the writer runs when nothing strikes."""
    strike = Strike(MemoryError, -1)
    found, store = scenario(tmp_path / "quiet", strike)
    for future in found:
        future.result(PATIENCE)
    store.snapshot("m")
    time.sleep(0.1)
    strike.armed = False
    store.close()
    return strike.n


@pytest.mark.parametrize("error", [MemoryError, RuntimeError, SystemExit])
def test_killed_at_every_point(tmp_path: Path, error: type[BaseException], caplog: Any) -> None:
    """Wherever the writer is struck: all who wait are answered, and what was acknowledged is on the disk."""
    caplog.set_level(logging.CRITICAL + 1)
    lines = counted(tmp_path)
    assert lines > 500
    ended = survived = 0
    for turn, at in enumerate(range(1, lines, max(1, lines // 40))):
        strike = Strike(error, at)
        folder = tmp_path / f"{error.__name__}-{turn}"
        found, store = scenario(folder, strike)
        acknowledged = []
        for i, future in enumerate(found):
            failure = future.exception(PATIENCE)
            if failure is None:
                state = future.result()[0].state
                # Struck inside the call of the library, an error is what the library says of this example.
                assert state == "learned" or (error is RuntimeError and state == "poison")
                acknowledged += [f"i{i}"] if state == "learned" else []
            else:
                assert isinstance(failure, StoreError)
                assert failure.status == 503
        strike.armed = False
        try:  # it may have been struck after the last answer, and end a moment from now
            until(lambda store=store: store.read_only is None or store.failed is not None)  # type: ignore[misc]
            learned = store.learn("m", {"x": 1.0}, "yes", id="after").state == "learned"
        except NotReady:
            learned = False
        if learned:
            survived += 1
            acknowledged.append("after")
        else:
            ended += 1
            assert not store.ready
            with pytest.raises(NotReady, match="writer has ended"):
                store.learn("m", {"x": 1.0}, "yes")
        store.close()
        with opened(folder) as again:
            for id in acknowledged:
                assert again.learn("m", {"x": 1.0}, "yes", id=id).duplicate
            assert again.learn("m", {"x": 2.0}, "no", id="last").state == "learned"
        assert [
            line for line, good in audit.verify(folder) if not good
        ] == []  # snapshots are what a replay gives
    assert (ended > 4) == (error is SystemExit)
    assert survived > 4


def test_no_memory_for_a_copy(tmp_path: Path, monkeypatch: Any) -> None:
    """Readers stay behind, the writer goes on, and the copy is made when there is memory again."""
    with opened(tmp_path / "s") as store:
        store.create("m", **DESCRIPTION)
        teach(store, 3)
        candidate = store.stream("m").champion
        short = {"memory": True}
        publish = type(candidate).publish

        def failing(self: Any) -> None:
            if short["memory"]:
                raise MemoryError
            publish(self)

        monkeypatch.setattr(type(candidate), "publish", failing)
        seq = store.learn("m", {"x": 1.0}, "yes").seq
        until(lambda: store.faults > 0)
        assert store.learn("m", {"x": 1.0}, "yes").state == "learned"
        assert candidate.reader.seq < seq
        short["memory"] = False
        assert store.reader("m", seq, timeout=PATIENCE).seq >= seq
        assert store.ready


def test_no_memory_for_an_example_is_not_its_fault(tmp_path: Path, monkeypatch: Any) -> None:
    with opened(tmp_path / "s") as store:
        store.create("m", **DESCRIPTION)
        teach(store, 5)
        before = store.file("m")
        with monkeypatch.context() as patch:
            patch.setattr(estimators, "test_then_train", no_memory)
            with pytest.raises(OutOfMemory) as caught:
                store.learn("m", {"x": 1.0}, "yes", id="big")
            assert (caught.value.status, caught.value.code) == (503, "out_of_memory")
        until(lambda: store.read_only is None)
        assert store.file("m") == before
        assert store.events("m", "poison") == []
        assert store.learn("m", {"x": 1.0}, "yes", id="big").state == "learned"


def no_memory(*_: Any, **__: Any) -> Any:
    raise MemoryError


def test_replay_without_memory_leaves_nothing_out(tmp_path: Path, monkeypatch: Any) -> None:
    """Else the example would be skipped for ever after."""
    with opened(tmp_path / "s", snapshot_every=10**6) as store:
        store.create("m", **DESCRIPTION)
        store.snapshot_seconds = 10**6  # type: ignore[attr-defined]
        teach(store, 5)
        whole = store.file("m")
        monkeypatch.setattr(writer_of(store), "_close", lambda: writer_of(store).db.close())  # no snapshot
    with monkeypatch.context() as patch:
        patch.setattr(estimators, "learn", no_memory)
        with pytest.raises(StoreError):
            LearningStore(tmp_path / "s")
    with opened(tmp_path / "s") as store:
        assert store.file("m") == whole


def test_cleaning_up_that_fails_stops_nothing(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(retention, "clean", no_memory)
    with opened(tmp_path / "s", retention_seconds=0.01) as store:
        store.create("m", **DESCRIPTION)
        until(lambda: store.faults > 0)
        teach(store, 5)
        assert store.ready


def test_a_model_without_a_description_is_said_at_the_start(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as store:
        store.create("m", **DESCRIPTION)
    db = Database(tmp_path / "s", write=True)
    db.run("DELETE FROM candidates")
    db.close()
    with pytest.raises(StoreError, match="no description of the model 'm'") as caught:
        LearningStore(tmp_path / "s")
    assert caught.value.code == "damaged"


def test_the_end_of_the_writer_is_no_secret(tmp_path: Path) -> None:
    running = Running(tmp_path / "s")
    try:
        running.post("/v1/models", {"name": "m", **DESCRIPTION})
        ended = threading.Event()
        running.store.when_failed(ended.set)
        waiting: list[httpx.Response] = []
        asker = threading.Thread(
            target=lambda: waiting.append(
                running.post("/v1/models/m/predict?at_least_seq=1000000", {"features": {}})
            )
        )
        asker.start()
        until(lambda: running.store.stream("m").waiting.below(2_000_000))
        kill(running.store)
        assert ended.wait(PATIENCE)
        asker.join(PATIENCE)
        assert waiting[0].status_code == 503
        assert running.http.get("/readyz").status_code == 503
        assert "SystemExit" in running.http.get("/readyz").json()["why"]
        refused = running.post("/v1/models/m/learn", {"features": {"x": 1}, "label": "yes"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "not_ready")
        assert "retry-after" in refused.headers
    finally:
        running.close()


def kill(store: LearningStore) -> None:
    def end() -> None:
        raise SystemExit("killed by a test")

    with pytest.raises(StoreError):
        writer_of(store).call(end)


_SERVE = """
import sys, threading, time
from pathlib import Path
from streamboost.service.http import Options, serve, server
def end():
    raise SystemExit("killed by a test")
announce = server._announce
def then_kill(options, store, *more):
    announce(options, store, *more)
    try:
        store._writer.call(end)
    except Exception:
        pass
server._announce = then_kill
sys.exit(serve(Options(Path(sys.argv[1]), port=0, json=True)))
"""


def test_the_process_ends_with_its_writer(tmp_path: Path) -> None:
    """So that a supervisor starts it again."""
    found = subprocess.run(
        [sys.executable, "-c", _SERVE, str(tmp_path / "s")], capture_output=True, text=True, timeout=PATIENCE
    )
    assert found.returncode == 1, found.stderr
    assert json.loads(found.stdout)["url"]
    assert "the writer ends" in found.stderr


def test_waiting_for_a_record_costs_no_thread(tmp_path: Path) -> None:
    running = Running(tmp_path / "s")
    try:
        running.post("/v1/models", {"name": "m", **DESCRIPTION})
        running.post("/v1/models/m/learn", {"features": {"x": 1}, "label": "yes"})
        waiting = running.store.stream("m").waiting
        askers = [
            threading.Thread(
                target=lambda: httpx.post(
                    f"http://127.0.0.1:{running.port}/v1/models/m/predict?at_least_seq=1000",
                    json={"features": {}},
                    timeout=PATIENCE,
                )
            )
            for _ in range(60)
        ]
        for asker in askers:
            asker.start()
        until(lambda: len(futures_of(waiting)) == 60)
        serving = [t for t in threading.enumerate() if t.name.startswith("asyncio_")]
        assert len(serving) < 30
        begin = time.monotonic()
        assert running.http.get("/v1/models/m").status_code == 200
        assert time.monotonic() - begin < 4  # those who wait are let go after five seconds
        for asker in askers:
            asker.join()
        running.post("/v1/models/m/predict?at_least_seq=1", {"features": {}})
        late = running.store.reader_knowing("m", 10**6)
        assert [one for _, one in futures_of(waiting) if not one.cancelled()] == [late]
    finally:
        running.close()


@pytest.fixture
def clock(monkeypatch: Any) -> Any:
    """A clock that can be set, beside the time that nobody can set."""

    class Clock:
        ahead = 0.0

    monkeypatch.setattr(journal.time, "time", lambda real=time.time: real() + Clock.ahead)
    return Clock


@pytest.mark.parametrize("restart", [False, True])
def test_a_clock_that_leaps_forgets_nothing(tmp_path: Path, clock: Any, caplog: Any, restart: bool) -> None:
    store = opened(tmp_path / "s", retention_seconds=0.01)
    store.create("m", **DESCRIPTION)
    teach(store, 5)
    store.predict("m", {"x": 1.0}, id="waits")
    if restart:
        store.close()
    clock.ahead = 10 * 365 * 86_400.0
    if restart:
        store = opened(tmp_path / "s", retention_seconds=0.01)
    teach(store, 1, 100)
    time.sleep(0.1)  # some rounds of cleaning up
    assert store.learn("m", {"x": 1.0}, "yes", id="t1").duplicate
    assert "not believed" in caplog.text
    clock.ahead = 0.0
    assert store.label("m", "waits", "yes").state == "learned"
    store.close()


def test_a_clock_that_is_right_after_years_can_be_trusted(tmp_path: Path, clock: Any) -> None:
    with opened(tmp_path / "s") as store:
        store.create("m", **DESCRIPTION)
        teach(store, 5)
    clock.ahead = 10 * 365 * 86_400.0
    with LearningStore(tmp_path / "s", Settings(trust_clock=True, retention_seconds=0.01)) as store:
        teach(store, 1, 100)
        until(lambda: database_of(store).value("SELECT count(*) FROM ids") == 1)
