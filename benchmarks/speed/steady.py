"""Models in steady state: trained already, then fed block after block while CPU time is taken."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from benchmarks.clock import Stopwatch
from benchmarks.streams import Stream

BLOCK_SECONDS = 0.02  # CPU time of one measurement: long against the clock, short against the machine's moods
SMALLEST = 16  # rows of a block


@dataclass
class Steady:
    """A model fed from a stream again and again. ``nanoseconds``: CPU per example of each round."""

    name: str
    size: int  # where on the curve: learners, columns, depth, ...
    model: Any
    stream: Stream
    warm_rows: int = 256
    block: int = 0
    nanoseconds: list[float] = field(default_factory=list)
    position: int = 0
    seen: dict[str, float] = field(default_factory=dict)  # what a look at the model told

    def feed(self, rows: int) -> float:
        """CPU seconds for the next rows; the stream starts again when it has ended."""
        X, y = self.stream.X, self.stream.y
        if self.position + rows > len(y):
            self.position = 0
        part = slice(self.position, self.position + rows)
        block, labels = X[part], y[part]
        self.position += rows
        with Stopwatch() as watch:
            self.model.test_then_train(block, labels, classes=self.stream.classes)
        return watch.thread

    def prepare(self) -> None:
        """Train, and find out how many rows a measurement takes."""
        left = self.warm_rows
        while left > 0:
            left -= min(left, 1024)
            self.feed(min(1024, len(self.stream.y)))
        rows = SMALLEST
        seconds = self.feed(rows)
        while seconds < BLOCK_SECONDS / 2 and 2 * rows <= len(self.stream.y):
            rows *= 2
            seconds = self.feed(rows)
        self.block = max(SMALLEST, min(len(self.stream.y), int(rows * BLOCK_SECONDS / seconds)))

    @property
    def cost(self) -> float:
        """CPU nanoseconds per example, the best of the rounds."""
        return min(self.nanoseconds)


def measure(cases: list[Steady], rounds: int) -> None:
    """All cases in turn, several times round, so that a slow minute of the machine hits all alike."""
    for case in cases:
        if not case.block:
            case.prepare()
    for _ in range(rounds):
        gc.collect()
        gc.disable()
        for case in cases:
            case.nanoseconds.append(case.feed(case.block) / case.block * 1e9)
        gc.enable()


def look_at_memory(case: Steady) -> None:
    case.seen = {"bytes": float(case.model.memory_bytes())}


def series(
    names: list[str],
    sizes: list[int],
    make: Callable[[str, int], Steady],
    rounds: int,
    look: Callable[[Steady], None] = look_at_memory,
) -> dict[str, dict[int, Steady]]:
    """Curves: name -> size -> measured case. One curve's models are alive at a time, its sizes interleaved."""
    found = {}
    for name in names:
        cases = [make(name, size) for size in sizes]
        measure(cases, rounds)
        for case in cases:
            look(case)
            case.model = None
        found[name] = {case.size: case for case in cases}
    return found
