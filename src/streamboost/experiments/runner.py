"""Many runs over several processes; a run whose result is stored already is not repeated."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from streamboost.base.system import APART
from streamboost.experiments.plan import Run
from streamboost.experiments.store import FAILED, Record, RunStore

_SINGLE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""One run is one thread: the cores are busy with other runs, and its time should say what it costs."""


@dataclass(frozen=True)
class Standing:
    """Where the runs stand; given to the callback whenever something happened."""

    run: Run
    worker: int
    fraction: float
    error: float
    record: Record | None
    """The end of the run, once it has come."""


@dataclass
class Outcome:
    """The records of all runs, in the order of the plan; how many of them were there already."""

    records: list[Record] = field(default_factory=list)
    n_found: int = 0


def run_all(
    runs: Sequence[Run],
    folder: str | os.PathLike[str],
    *,
    jobs: int = 1,
    callback: Callable[[Standing], None] | None = None,
) -> Outcome:
    """Run what has no record in the folder yet, ``jobs`` runs at a time, each in a process of its own.

    A run that fails, even by the death of its process, costs nothing but itself; its record says what happened and is
    not kept. An interrupt leaves every finished run in the folder, so that the next call goes on from there.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, got {jobs}.")
    store = RunStore(folder)
    store.folder.mkdir(parents=True, exist_ok=True)
    found = [store.read(run) for run in runs]
    todo = [at for at, record in enumerate(found) if record is None]
    outcome = Outcome(n_found=len(runs) - len(todo))
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for at in todo:
        waiting.put(at)
    lock = threading.Lock()
    stop = threading.Event()
    broken: list[BaseException] = []

    def tell(standing: Standing) -> None:
        if callback is not None:
            with lock:
                callback(standing)

    def drive(worker: _Worker) -> None:
        try:
            while not stop.is_set():
                try:
                    at = waiting.get_nowait()
                except queue.Empty:
                    break
                found[at] = worker.do(runs[at], store, tell)
        except BaseException as error:
            broken.append(error)
            stop.set()
        finally:
            worker.close()

    workers = [_Worker(number, store.folder) for number in range(min(jobs, len(todo)))]
    threads = [threading.Thread(target=drive, args=(worker,), daemon=True) for worker in workers]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException:
        stop.set()
        for worker in workers:
            worker.kill()
        raise
    if broken:
        raise broken[0]
    outcome.records = [record for record in found if record is not None]
    return outcome


def worker_command(folder: os.PathLike[str]) -> list[str]:
    """How a worker is started."""
    return [sys.executable, "-m", "streamboost.experiments", os.fspath(folder)]


class _Worker:
    """One process at a time, started when there is something to do, and again after it died."""

    def __init__(self, number: int, folder: os.PathLike[str]) -> None:
        self.number = number
        self._command = worker_command(folder)
        self._process: subprocess.Popen[str] | None = None
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115, closed with the worker

    def do(self, run: Run, store: RunStore, tell: Callable[[Standing], None]) -> Record:
        """Hand a run over and wait for its end."""
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        tell(Standing(run, self.number, 0.0, float("nan"), None))
        try:
            process.stdin.write(run.to_json() + "\n")
            process.stdin.flush()
            record = self._listen(run, process.stdout, store, tell)
        except BrokenPipeError:
            record = None
        if record is None:
            record = Record(FAILED, self._why_it_died())
        tell(Standing(run, self.number, 1.0, float("nan"), record))
        return record

    def _listen(
        self, run: Run, lines: Iterable[str], store: RunStore, tell: Callable[[Standing], None]
    ) -> Record | None:
        for line in lines:
            words = json.loads(line)
            if "status" in words:
                if words["status"] == FAILED:
                    return Record(FAILED, words["message"], words["figures"])
                return store.read(run) or Record(FAILED, "the result could not be stored.")
            tell(Standing(run, self.number, words["fraction"], words["error"], None))
        return None

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                text=True,
                env={**os.environ, **_SINGLE_THREAD},
                **APART,  # an interrupt at the terminal is for us; we tell the workers
            )
        return self._process

    def _why_it_died(self) -> str:
        process, self._process = self._process, None
        if process is None:
            return "the process is gone."
        code = _end(process)
        self._complaints.seek(0)
        words = self._complaints.read().decode(errors="replace").strip().splitlines()
        self._complaints.truncate(0)
        how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        return f"the process {how}" + (f": {words[-1]}" if words else ".")

    def kill(self) -> None:
        """End the process now."""
        process = self._process
        if process is not None and process.poll() is None:
            process.kill()

    def close(self) -> None:
        """Let the process end, now that there is nothing more to do."""
        process, self._process = self._process, None
        if process is not None:
            _end(process)
        self._complaints.close()


def _end(process: subprocess.Popen[str]) -> int:
    """Close the pipes, which ends a worker that still lives, and wait for it."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
    return process.wait()
