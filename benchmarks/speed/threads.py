"""``python -m benchmarks.speed.threads``: what 2, 4, 8 and 16 threads take off one, and what they cost together.

A machine with few cores cannot show many threads by the clock. So three things are measured for the same rows:

- *busiest*: CPU time of one thread alone over that of the thread that worked most: the speed-up if nobody ever waited;
- *together*: CPU time of all threads over that of one;
- *simulated*: the flow of chunks through the stations (``core/include/streamboost/run/flow.hpp``) with the measured costs, each
  thread on a core of its own: what waiting leaves of the first. With two threads the clock checks it.

The largest station is the serial part: no number of threads is faster than one over it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks import pages
from benchmarks.clock import Stopwatch
from benchmarks.models import build
from benchmarks.streams import Stream, make
from benchmarks.tables import Table
from streamboost import StreamBoostRegressor

THREADS = (2, 4, 8, 16)
TOGETHER = 1.15


def wide(d: int, rows: int, seed: int = 6) -> Stream:
    """Dense rows of d columns, a noisy linear concept."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (rows, d))
    score = X @ rng.normal(size=d)
    return Stream(f"{d} columns", X, (score + score.std() * rng.normal(size=rows) / 3 > 0).astype(np.int64))


@dataclass
class Case:
    """A model, its rows, and the goals: one thread over the busiest of 16, one thread over two by the clock."""

    name: str
    make: Callable[[int], Any]
    stream: Stream
    busiest: float
    clock: float
    answers: bool = False
    """Whether rows are answered, not learned."""


def cases(quick: bool) -> list[Case]:
    size = 8 if quick else 1
    trees, rows50 = make("hyperplane", 24_000 // size), wide(50, 16_000 // size)
    many, bayes = make("hyperplane", 4_000 // size), make("gaussians", 48_000 // size)
    linear = wide(100, 16_000 // size)

    def of(ensemble: str, learner: str | None, stream: Stream, n: int) -> Callable[[int], Any]:
        return lambda jobs: build(ensemble, learner, stream, n_estimators=n, n_jobs=jobs)

    def default(n: int) -> Callable[[int], Any]:
        return of("streamboost", None, trees, n)

    def regressor(jobs: int) -> Any:
        return StreamBoostRegressor(n_jobs=jobs, random_state=1)

    def boosted(name: str) -> Case:
        return Case(f"{name} + trees, N = 100", of(name, "hoeffding-tree", trees, 100), trees, 10, 1.75)

    return [
        Case("bagging + trees, N = 100", of("bagging", "hoeffding-tree", trees, 100), trees, 13, 1.8),
        Case("bagging + trees, N = 1,000", of("bagging", "hoeffding-tree", many, 1_000), many, 13, 1.8),
        Case("default, N = 30", default(30), trees, 6, 1.7),
        Case("default, N = 100, d = 50", default(100), rows50, 11, 1.8),
        boosted("oza-boost"),
        boosted("osboost"),
        boosted("online-mbbm"),
        Case("osboost + logistic, N = 1,000", of("osboost", "logistic", linear, 1_000), linear, 10, 1.7),
        Case("bagging + naive Bayes, N = 500", of("bagging", "naive-bayes", bayes, 500), bayes, 10, 1.7),
        Case("default regressor, N = 30", regressor, replace(trees, y=trees.X @ np.arange(20.0)), 6, 1.7),
        Case("default, N = 100, predict_proba", default(100), trees, 13, 1.85, answers=True),
    ]


def simulate(flow: dict[str, Any], n_rows: int) -> float:
    """One thread over all of them, by the clock, if every thread has a core."""
    rows, slots, owner, after = flow["chunk_rows"], flow["slots"], flow["owner"], flow["after"]
    cost, n = np.array(flow["cost"]) * rows, max(1, n_rows // rows)
    ends = np.full((len(cost), n), np.inf)  # when a station has done a chunk
    done, free = np.zeros(len(cost), dtype=int), np.zeros(max(owner) + 1)
    while (done < n).any():
        best: tuple[float, int, int] | None = None
        for s in np.flatnonzero(done < n):
            c = done[s]
            waits = [ends[b, c] for b in after[s]] or [0.0 if c < slots else ends[-1, c - slots]]
            start = max(free[owner[s]], *waits, 0.0)
            if np.isfinite(start) and (best is None or (start, c) < best[:2]):
                best = start, c, s
        if best is None:
            raise RuntimeError("a flow that stands still")
        start, c, s = best
        ends[s, c] = free[owner[s]] = start + cost[s]
        done[s] += 1
    return float(cost.sum() * n / ends[-1, -1])


@dataclass
class Outcome:
    """Of one case with so many threads."""

    busiest: float
    together: float
    simulated: float
    clock: float
    serial: float


def measured(case: Case, jobs: int) -> tuple[Stopwatch, Any, dict[str, Any]]:
    model = case.make(jobs)
    X, y = case.stream.X, case.stream.y
    warm = len(y) // 4
    numbers = y.dtype.kind == "f"
    model.test_then_train(X[:warm], y[:warm], **{} if numbers else {"classes": case.stream.classes})
    before = model._session.model.threads()
    with Stopwatch() as watch:
        answers = (
            model.predict_proba(X[:10_000])
            if case.answers
            else model.test_then_train(X[warm:], y[warm:], **{} if numbers else {"output": "proba"})
        )
    flow = model._session.model.threads()
    flow["busiest"] -= before["busiest"]
    return watch, answers, flow


def compare(case: Case, threads: tuple[int, ...]) -> tuple[float, dict[int, Outcome]]:
    found = {}
    one, expected, _ = measured(case, 1)
    alone = one.process
    for jobs in threads:
        watch, answers, flow = measured(case, jobs)
        if not np.array_equal(answers, expected):
            raise RuntimeError(f"{case.name}: {jobs} threads answered differently from one")
        if case.answers:  # every thread has the same rows to do
            share = watch.process / jobs
            found[jobs] = Outcome(
                alone / share, watch.process / alone, alone / share, one.wall / watch.wall, 0.0
            )
            continue
        cost = np.array(flow["cost"])
        rows = min(len(case.stream.y), 8 * 64 * jobs)
        busiest = alone / flow["busiest"] if flow["busiest"] else 1.0
        found[jobs] = Outcome(
            busiest,
            watch.process / alone,
            simulate(flow, rows) if flow["owner"] else 1.0,
            one.wall / watch.wall,
            float(cost.max() / cost.sum()),
        )
    return alone, found


def picture(results: dict[str, dict[int, Outcome]]) -> Any:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.5, 4.6), layout="constrained")
    for k, (name, found) in enumerate(results.items()):
        axes.plot(
            [1, *found],
            [1, *(o.simulated for o in found.values())],
            marker=pages.MARKERS[k % len(pages.MARKERS)],
            color=pages.COLOURS[k % len(pages.COLOURS)],
            linestyle="--" if k >= len(pages.COLOURS) else "-",  # the colours begin again
            label=name,
        )
    axes.plot([1, 16], [1, 16], color="#bbbbbb", linestyle=":")
    axes.set(xscale="log", yscale="log", xlabel="threads", ylabel="times as fast as one (simulated)")
    axes.set_xticks([1, *THREADS], labels=["1", *map(str, THREADS)])
    axes.set_yticks([1, 2, 4, 8, 16], labels=["1", "2", "4", "8", "16"])
    axes.minorticks_off()
    axes.legend(fontsize=7, frameon=False)
    return figure


def main() -> None:
    parser = pages.parser("speed.threads", __doc__)
    parser.add_argument("--only", default="", help="cases whose name holds this")
    options = parser.parse_args()
    page = pages.Page("bench-threads", "Many threads", options)
    threads = (2, 16) if options.quick else THREADS
    results: dict[str, dict[int, Outcome]] = {}
    table = Table(
        "Threads over one",
        [
            "model",
            "CPU us per row",
            *(f"busiest of {t}" for t in threads),
            f"together, {threads[-1]}",
            *(f"simulated, {t}" for t in threads),
            "clock, 2",
            "largest station",
            "goals",
            "reached",
        ],
        note="All as times of one thread. Goals: one thread over the busiest of 16; over two threads, by the clock;"
        f" all threads together at most {TOGETHER}.",
    )
    for case in cases(options.quick):
        if options.only not in case.name:
            continue
        started = time.monotonic()
        alone, found = compare(case, threads)
        results[case.name] = found
        last, two = found[threads[-1]], found[2]
        reached = last.busiest >= case.busiest and last.together <= TOGETHER and two.clock >= case.clock
        rows = 10_000 if case.answers else len(case.stream.y) * 3 // 4
        table.add(
            case.name,
            f"{alone / rows * 1e6:.1f}",
            *(f"{found[t].busiest:.1f}" for t in threads),
            f"{last.together:.2f}",
            *(f"{found[t].simulated:.1f}" for t in threads),
            f"{two.clock:.2f}",
            f"{last.serial:.0%}",
            f">= {case.busiest:g}, {case.clock:g}",
            "yes" if reached else "no",
        )
        print(f"{case.name}: {time.monotonic() - started:.0f} s", flush=True)
    page.preface.append(
        "- Measure: test_then_train of the same rows after a quarter of them; the answers were compared and are the same bits"
    )
    page.preface.append(f"- Load average of the machine: {os.getloadavg()[0]:.1f}")
    page.picture, page.caption = (
        lambda: picture(results),
        "Speed-up by threads, simulated from measured costs",
    )
    page.add(table)
    page.write()


if __name__ == "__main__":
    main()
