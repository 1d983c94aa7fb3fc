"""``python -m benchmarks.speed.latency``: what one event costs a service that sees events one by one, and what it allocates.

Percentiles of single calls, wall time and CPU time of the calling thread; then the heap allocations of a call in steady state.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import pages
from benchmarks.models import build
from benchmarks.speed import allocations
from benchmarks.speed.allocations import Counted
from benchmarks.speed.throughput import STEADY
from benchmarks.streams import make
from benchmarks.tables import Table

WARM = 1_000
POOL = 20_000  # different events; a million of them would be a gigabyte of dicts
# Model, learner, stream, calls of a full run: a million unless that would take minutes.
CASES = (
    ("osboost", "perceptron", "hyperplane", 1_000_000),
    ("oza-boost", "naive-bayes", "gaussians", 1_000_000),
    ("oza-boost", "hoeffding-tree", "gaussians", 500_000),
)
ROWS_OF_ARRAYS = 50_000  # calls with an array of one row
GROWING = ("hoeffding-tree",)  # they allocate when they split
MAIN_PAIRS = [
    ("osboost", "perceptron"),
    ("oza-boost", "naive-bayes, numeric"),
    ("oza-boost", "naive-bayes, nominal"),
    ("oza-boost", "hoeffding-tree"),
]


@dataclass(frozen=True)
class Latency:
    """Microseconds per call: wall time, and the largest CPU times, which do not see calls during which others had the core."""

    verb: str
    calls: int
    p50: float
    p99: float
    cpu_p999: float
    cpu_worst: float


def timed(verb: str, call: Callable[..., Any], arguments: list[tuple[Any, ...]], calls: int) -> Latency:
    """The arguments again and again. The collector stays on, as in a service; what is there already is frozen."""
    wall, cpu = time.perf_counter_ns, time.thread_time_ns
    spent, worked = np.empty(calls, dtype=np.int64), np.empty(calls, dtype=np.int64)
    n = len(arguments)
    gc.collect()
    gc.freeze()
    for i in range(calls):
        values = arguments[i % n]
        began = cpu()
        start = wall()
        call(*values)
        spent[i] = wall() - start
        worked[i] = cpu() - began
    gc.unfreeze()
    numbers = [
        *np.percentile(spent, [50, 99]) / 1000,
        np.percentile(worked, 99.9) / 1000,
        worked.max() / 1000,
    ]
    return Latency(verb, calls, *map(float, numbers))


def measure(model: str, learner: str, stream_name: str, calls: int, n_estimators: int = 100) -> list[Latency]:
    """The dict verbs."""
    stream = make(stream_name, WARM + min(calls, POOL))
    untrained = build(model, learner, stream, n_estimators=n_estimators)
    rows = [{f"x{j}": value for j, value in enumerate(x)} for x in stream.X.tolist()]
    labels = stream.y.tolist()
    for x, y in zip(rows[:WARM], labels[:WARM], strict=True):
        untrained.learn_one(x, y)
    events = rows[WARM:]
    examples = list(zip(events, labels[WARM:], strict=True))
    learn = timed("learn_one", untrained.learn_one, examples, calls)
    questions = [(x,) for x in events]
    predict = timed("predict_one", untrained.predict_one, questions, calls)
    proba = timed("predict_proba_one", untrained.predict_proba_one, questions, calls)
    return [learn, predict, proba]


def measure_arrays(model: str, learner: str, stream_name: str, calls: int) -> list[Latency]:
    """The array verbs with one row at a time: they validate like scikit-learn, whatever the number of rows."""
    stream = make(stream_name, WARM + min(calls, POOL))
    untrained = build(model, learner, stream)
    untrained.partial_fit(stream.X[:WARM], stream.y[:WARM], classes=stream.classes)
    rows = [(stream.X[i : i + 1], stream.y[i : i + 1]) for i in range(WARM, len(stream.y))]
    learn = timed("partial_fit, one row", untrained.partial_fit, rows, calls)
    predict = timed("predict, one row", untrained.predict, [(x,) for x, _ in rows], calls)
    return [learn, predict]


def latency_table(found: list[tuple[str, Latency]]) -> Table:
    table = Table(
        "Latency of one call",
        ["model", "verb", "calls", "p50 us", "p99 us", "CPU p99.9 us", "CPU max us"],
        note="100 learners, 20 numeric columns, a dict per call unless it says one row (an array of shape 1 x 20). p50 and p99"
        " are wall time; the rare calls are judged by CPU time of the calling thread, clock included, because on a shared machine"
        " most of their wall time is somebody else's work.",
    )
    for name, v in found:
        table.add(
            name, v.verb, v.calls, f"{v.p50:.2f}", f"{v.p99:.2f}", f"{v.cpu_p999:.2f}", f"{v.cpu_worst:.0f}"
        )
    return table


def allocation_table(found: list[Counted]) -> Table:
    table = Table(
        "Allocations in steady state",
        ["model", "verb", "C++ allocations", "their bytes", "malloc calls", "bytes kept by Python"],
        note="100 learners. Per call; for test_then_train, what one more row of a block adds. C++ allocations: operator"
        " new; malloc calls: those and everybody else's. Trees allocate when they split.",
    )
    for c in found:
        numbers = [round(max(0.0, v), 3) for v in (c.news, c.new_bytes, c.mallocs, c.python_growth)]
        table.add(f"{c.ensemble} + {c.learner}", c.verb, *[f"{number:g}" for number in numbers])
    return table


def pair_table(found: list[Counted], verb: str, title: str, note: str) -> Table:
    """The ensembles of which something but trees allocates, and one line for all others."""
    learners = list(allocations.STREAMS)
    table = Table(title, ["ensemble", *learners], note=note)
    rows: dict[str, dict[str, float]] = {}
    for c in found:
        if c.verb == verb:
            rows.setdefault(c.ensemble, {})[c.learner] = round(max(0.0, c.news), 2)
    quiet = [
        row for row in rows.values() if not any(n for learner, n in row.items() if learner not in GROWING)
    ]
    for ensemble in STEADY:
        if ensemble in rows and rows[ensemble] not in quiet:
            table.add(ensemble, *[f"{rows[ensemble].get(learner, 0):g}" for learner in learners])
    most = {learner: max((row.get(learner, 0.0) for row in quiet), default=0.0) for learner in learners}
    if quiet:
        table.add(f"{len(quiet)} others", *[f"at most {n:g}" if n else "0" for n in most.values()])
    return table


def main() -> None:
    options = pages.parser("speed.latency", __doc__).parse_args()
    page = pages.Page("bench-latency", "Latency and allocations", options)
    page.preface.append("- Measure: single calls of a trained model, one thread, every option at its default")
    found: list[tuple[str, Latency]] = []
    for model, learner, stream, calls in CASES:
        wanted = 20_000 if options.quick else calls
        found += [(f"{model} + {learner}", v) for v in measure(model, learner, stream, wanted)]
    arrays = 2_000 if options.quick else ROWS_OF_ARRAYS
    model, learner, stream, _ = CASES[0]
    found += [(f"{model} + {learner}", v) for v in measure_arrays(model, learner, stream, arrays)]
    page.add(latency_table(found))

    main_pairs = allocations.measure(MAIN_PAIRS, allocations.VERBS, 100)
    page.add(allocation_table(main_pairs))
    pairs = [
        (ensemble, learner)
        for ensemble in (STEADY[1:5] if options.quick else STEADY)
        for learner in allocations.STREAMS
    ]
    all_pairs = allocations.measure(pairs, ("learn_one", "test_then_train"), 20)
    per_call = "20 learners; trees still grow. None of it stays: see the bytes kept."
    page.add(pair_table(all_pairs, "learn_one", "C++ allocations per learn_one", per_call))
    per_row = (
        f"20 learners: test_then_train on {2 * allocations.BLOCK} rows less that on {allocations.BLOCK}, over the"
        " difference of the rows. 0: learning allocates nothing but what a call needs, however long it is."
    )
    page.add(pair_table(all_pairs, "test_then_train", "C++ allocations per further row of a block", per_row))
    page.write()


if __name__ == "__main__":
    main()
