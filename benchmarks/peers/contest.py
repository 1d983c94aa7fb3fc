"""Starts the workers of a race, asks them in turn, collects what they answer."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from statistics import mean, median
from typing import Any

from benchmarks.peers.races import Contestant, Race

BRIEF, TIMES = 0.2, 3  # a run of ours below so many CPU seconds is repeated so often
PATIENCE = 180.0  # seconds for one answer; a peer that needs longer is reported, not waited for


class Worker:
    def __init__(self, peer: str) -> None:
        command = [sys.executable, "-m", "benchmarks.peers.worker", peer]
        self._errors: list[str] = []
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self._answers: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read_answers, daemon=True).start()
        threading.Thread(target=self._read_errors, daemon=True).start()

    def _read_answers(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put("")  # the process is gone

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._errors = [*self._errors[-20:], line.strip()]

    def ask(self, **request: object) -> dict[str, Any]:
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._answers.get(timeout=PATIENCE)
        except queue.Empty:
            self._process.kill()
            return {"error": f"no answer in {PATIENCE:.0f} s"}
        except OSError:
            line = ""
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        self._process.wait()
        return {"error": f"stopped with code {self._process.returncode}: {' '.join(self._errors[-1:])[:160]}"}

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@dataclass
class Result:
    race: Race
    contestant: Contestant
    error: str = ""
    runs: list[dict[str, Any]] = field(default_factory=list)

    def _middle(self, key: str) -> float:
        return float(median(run[key] for run in self.runs))

    def rate(self, clock: str = "thread") -> float:
        """Examples per CPU second; NaN if the contestant did not run."""
        return self.runs[0]["rows"] / self._middle(clock) if self.runs else float("nan")

    @property
    def accuracy(self) -> float | None:
        """Mean over the rounds, each with a seed of its own."""
        return float(mean(run["accuracy"] for run in self.runs)) if self.runs else None

    @property
    def learner_kilobytes(self) -> float | None:
        """Memory of the model after the stream, shared out over its learners, where the peer can tell."""
        sizes = [run["model_bytes"] for run in self.runs if run["model_bytes"]]
        return float(max(sizes)) / self.race.n / 1000 if sizes else None

    @property
    def whole(self) -> bool:
        """Whether it saw all rows of the race, so that its accuracy can be compared."""
        return self.contestant.rows is None

    @property
    def megabytes(self) -> float | None:
        return max(run["megabytes"] for run in self.runs) if self.runs else None


def hold(race: Race, repetitions: int, scale: float) -> list[Result]:
    """One race: everybody prepares and warms up, then the contestants run in turn, several times round."""
    results = [Result(race, contestant) for contestant in race.contestants]
    workers: dict[int, Worker] = {}
    length = max(1, int(race.rows * scale))
    try:
        for i, result in enumerate(results):
            if results[0].error:  # no data, most likely: nobody can run
                result.error = results[0].error
                continue
            contestant = result.contestant
            workers[i] = Worker(contestant.peer)
            rows = min(length, contestant.rows or length)
            answer = workers[i].ask(
                do="prepare", stream=race.stream, length=length, rows=rows, spec=dict(contestant.spec)
            )
            result.error = answer.get("error", "")
        for seed in range(1, repetitions + 1):
            for i, result in enumerate(results):
                while not result.error:
                    answer = workers[i].ask(do="run", seed=seed)
                    result.error = answer.get("error", "")
                    if not result.error:
                        result.runs.append({**answer, "seed": seed})
                    # Ours takes milliseconds where a peer takes seconds: more, short measurements make up for it.
                    again = result.contestant.peer == "streamboost" and answer.get("thread", BRIEF) < BRIEF
                    if not again or sum(run["seed"] == seed for run in result.runs) >= TIMES:
                        break
    finally:
        for worker in workers.values():
            worker.close()
    return results
