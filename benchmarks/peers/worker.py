"""One contestant in one process: ``python -m benchmarks.peers.worker PEER``, driven by JSON lines.

A process of its own means that a peer that crashes, hangs or cannot be installed costs one line of the table,
that the JVM's type profiles are not spoilt by another ensemble, and that the peak memory is the contestant's.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any, Protocol

from benchmarks.clock import Stopwatch
from benchmarks.streams import Stream, make

MODULES = {
    "streamboost": "benchmarks.peers.run_streamboost",
    "vw": "benchmarks.peers.run_vw",
    "moa": "benchmarks.peers.run_moa",
    "river": "benchmarks.peers.run_river",
}


class Runner(Protocol):
    """One learner on one stream. The constructor prepares the data; ``run`` starts untrained."""

    model_bytes: float | None  # memory of the last run's model, where the peer can tell

    def __init__(self, stream: Stream, spec: dict[str, Any]) -> None: ...

    def run(self, watch: Stopwatch, seed: int) -> float:
        """One test-then-train pass inside ``with watch:``; gives the accuracy."""


def forget_the_peak() -> None:
    """Let the peak of this process begin at what it has now: reading a large file must not hide what learning takes."""
    gc.collect()
    with contextlib.suppress(
        OSError
    ):  # where the system does not let us, the peak of the imports and the data stands
        Path("/proc/self/clear_refs").write_text("5")


def peak_megabytes() -> float:
    # Not ru_maxrss, which is inherited from the parent through fork and exec.
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:", 1)[1].split(maxsplit=1)[0]) / 1024


def main(peer: str) -> None:
    # Peers print what they like: only the copy made here leads back to the parent.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    runner: Runner | None = None
    rows, base = 0, 0.0
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] == "prepare":
                module = importlib.import_module(MODULES[peer])
                stream = make(request["stream"], request["length"])
                rows = request["rows"]
                stream = Stream(
                    stream.name, stream.X[:rows], stream.y[:rows], stream.n_classes, stream.n_values
                )
                forget_the_peak()
                base = peak_megabytes()
                runner = module.Runner(stream, request["spec"])
                runner.run(Stopwatch(), 0)
                answer: dict[str, Any] = {}
            else:
                assert runner is not None
                watch = Stopwatch()
                accuracy = runner.run(watch, request["seed"])
                answer = {
                    "rows": rows,
                    "thread": watch.thread,
                    "process": watch.process,
                    "wall": watch.wall,
                    "accuracy": accuracy,
                    "megabytes": peak_megabytes() - base,
                    "model_bytes": runner.model_bytes,
                }
        except Exception as error:  # every failure of a peer becomes a line of the table
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
        answers.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
