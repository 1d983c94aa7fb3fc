"""``python -m benchmarks.speed.threads``: what a second thread takes off the first, and what the two cost together.

One model with ``n_jobs=1`` and one with ``n_jobs=2`` are fed the same blocks in turn. Busiest: CPU time of the thread that worked
most over that of the single thread; together: of all threads over the same. Wall time is printed beside, but on a machine whose
cores are busy with other work it says little: CPU time is what counts.

Processors that share a core slow one another down: a second thread makes every CPU second worth less. ``--busy 2`` keeps both
processors at work all the time: one thread and two are then measured under the same conditions, in CPU time.
"""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np

from benchmarks import pages
from benchmarks.clock import Stopwatch
from benchmarks.models import build
from benchmarks.streams import Stream, make
from benchmarks.tables import Table

BUSIEST, TOGETHER, SLOWER = 0.62, 1.15, 1.05
N = 100


def wide(d: int, rows: int, seed: int = 6) -> Stream:
    """Dense rows of d columns, a noisy linear concept."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (rows, d))
    score = X @ rng.normal(size=d)
    return Stream(f"{d} columns", X, (score + score.std() * rng.normal(size=rows) / 3 > 0).astype(np.int64))


@dataclass
class Pair:
    """The same model with one thread and with two. ``must``: whether the goals for busiest and together hold here."""

    name: str
    ensemble: str
    learner: str
    stream: Stream
    must: bool
    block: int
    models: dict[int, Any] = field(default_factory=dict)
    ratios: list[dict[str, float]] = field(default_factory=list)
    position: int = 0

    def prepare(self) -> None:
        self.models = {
            jobs: build(self.ensemble, self.learner, self.stream, n_estimators=N, n_jobs=jobs)
            for jobs in (1, 2)
        }
        for _ in range(2):
            self.step()
        self.ratios = []

    def step(self) -> None:
        """The next block for both."""
        if self.position + self.block > len(self.stream.y):
            self.position = 0
        part = slice(self.position, self.position + self.block)
        self.position += self.block
        watches, answers = {}, {}
        for jobs, model in self.models.items():
            with Stopwatch() as watches[jobs]:
                answers[jobs] = model.test_then_train(
                    self.stream.X[part], self.stream.y[part], classes=self.stream.classes
                )
        if not np.array_equal(answers[1], answers[2]):
            raise RuntimeError(f"{self.name}: two threads answered differently from one")
        one, two = watches[1], watches[2]
        # Two workers, the first in the calling thread: whatever the process spent beside it is the second's.
        other = max(0.0, two.process - two.thread)
        alone = max(one.thread, one.process)
        self.ratios.append(
            {
                "busiest": max(two.thread, other) / alone,
                "together": two.process / alone,
                "wall": two.wall / one.wall,
                "single ns": alone / self.block * 1e9,
            }
        )

    def ratio(self, what: str) -> float:
        return median(r[what] for r in self.ratios)


def pairs(quick: bool) -> list[Pair]:
    size = 4 if quick else 1
    trees, small = make("hyperplane", 16_384 // size), make("hyperplane", 65_536 // size)
    numbers, codes = make("gaussians", 32_768 // size), make("nominal", 32_768 // size)
    found = [
        Pair("oza-boost + hoeffding-tree", "oza-boost", "hoeffding-tree", trees, True, 4_096),
        Pair("bagging + hoeffding-tree", "bagging", "hoeffding-tree", trees, True, 4_096),
    ]
    for d in (300, 1_000):
        stream = wide(d, 8_192 // size)
        for ensemble, learner in (
            ("osboost", "perceptron"),
            ("online-bbm", "logistic"),
            ("oza-boost", "perceptron"),
        ):
            found.append(Pair(f"{ensemble} + {learner}, d = {d:,}", ensemble, learner, stream, True, 2_048))
    found += [
        Pair("osboost + naive-bayes, numeric", "osboost", "naive-bayes", numbers, False, 8_192),
        Pair("osboost + naive-bayes, nominal", "osboost", "naive-bayes", codes, False, 8_192),
        Pair("oza-boost + naive-bayes, numeric", "oza-boost", "naive-bayes", numbers, False, 8_192),
        Pair("osboost + perceptron, d = 20", "osboost", "perceptron", small, False, 16_384),
        Pair("online-bbm + perceptron, d = 20", "online-bbm", "perceptron", small, False, 16_384),
    ]
    return found


def load_average() -> str:
    return f"{os.getloadavg()[0]:.1f}"


@contextlib.contextmanager
def busy(processes: int) -> Iterator[None]:
    """So many processes that do nothing, as fast as they can."""
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def main() -> None:
    parser = pages.parser("speed.threads", __doc__)
    parser.add_argument(
        "--busy", type=int, default=0, help="processes that keep the processors at work meanwhile"
    )
    options = parser.parse_args()
    page = pages.Page("bench-threads", "Two threads", options)
    rounds = 3 if options.quick else 9
    before = load_average()
    entries = pairs(options.quick)
    with busy(options.busy):
        for pair in entries:
            pair.prepare()
        for _ in range(rounds):
            gc.collect()
            for pair in entries:
                pair.step()
    page.preface.append(
        f"- Measure: {N} learners, test_then_train in blocks, the same rows for one thread and for two in turn; medians of the"
        f" ratios of {rounds} rounds; the answers were compared and are the same bits"
    )
    if options.busy:
        page.preface.append(
            f"- {options.busy} other processes kept the processors at work meanwhile (`--busy`)"
        )
    page.preface.append(f"- Load average of the machine before and after: {before}, {load_average()}")
    table = Table(
        "Two threads over one",
        [
            "model",
            "one thread, CPU us per example",
            "busiest thread",
            "all threads",
            "wall",
            "goals",
            "reached",
        ],
        note=f"CPU time relative to one thread. Goals for Hoeffding trees and wide linear problems: the busiest thread at most"
        f" {BUSIEST:g}, all together at most {TOGETHER:g}; for all: never slower than one thread by more than"
        f" {SLOWER - 1:.0%}, judged by the busiest thread (the wall time of a quiet machine). Where threads would not pay the"
        " core stays with one, and the ratios are about 1.",
    )
    for pair in entries:
        busiest, together, wall = (pair.ratio(what) for what in ("busiest", "together", "wall"))
        reached = busiest <= BUSIEST and together <= TOGETHER if pair.must else min(busiest, wall) <= SLOWER
        goals = f"<= {BUSIEST:g}, <= {TOGETHER:g}" if pair.must else f"<= {SLOWER:g}"
        table.add(
            pair.name,
            f"{pair.ratio('single ns') / 1000:.2f}",
            f"{busiest:.2f}",
            f"{together:.2f}",
            f"{wall:.2f}",
            goals,
            "yes" if reached else "no",
        )
    page.add(table)
    page.write()


if __name__ == "__main__":
    main()
