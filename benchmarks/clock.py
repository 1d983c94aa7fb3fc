"""One stopwatch for all benchmarks. CPU time counts: wall time on a shared machine is others' work too."""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass
from types import TracebackType


@dataclass
class Stopwatch:
    """``thread``: CPU seconds of the calling thread; ``process``: of all threads; ``wall`` seconds."""

    thread: float = 0.0
    process: float = 0.0
    wall: float = 0.0

    def __enter__(self) -> Stopwatch:
        self.wall, self.process, self.thread = time.perf_counter(), time.process_time(), time.thread_time()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        thread, process, wall = time.thread_time(), time.process_time(), time.perf_counter()
        self.thread, self.process, self.wall = thread - self.thread, process - self.process, wall - self.wall


def took(started: float) -> str:
    """Seconds since `started` (monotonic), and CPU seconds of this process and its children: the time on a quiet machine."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return (
        f"{time.monotonic() - started:.0f} s, {sum(u.ru_utime + u.ru_stime for u in used):.0f} s of CPU time"
    )
