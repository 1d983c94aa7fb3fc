"""``python -m benchmarks.speed.threads``: what 2, 4, 8 and 16 threads take off one, and what they cost together.

A machine with few cores cannot show many threads by the clock. So four things are measured for the same rows:

- *busiest*: CPU time of one thread alone over that of the thread that worked most: the speed-up if nobody ever waited;
- *together*: CPU time of all threads over that of one;
- *in turn*: both, with the work cut as for 16 threads and done by one, share after share. Sixteen threads on two cores throw one
  another out of the caches, which they would not if each had a core; this is what the shares cost when nobody does;
- *simulated*: the flow of chunks through the stations (``core/include/streamboost/run/flow.hpp``) with the measured costs, each
  thread on a core of its own: what waiting leaves of the first. With two threads the clock checks it.

The largest station is the serial part: no number of threads is faster than one over it.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
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
ROUNDS = 3


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


def measured(case: Case, jobs: int, in_turn: bool = False) -> tuple[Stopwatch, Any, dict[str, Any]]:
    model = case.make(jobs)
    X, y = case.stream.X, case.stream.y
    warm = len(y) // 4
    numbers = y.dtype.kind == "f"
    model.test_then_train(X[:warm], y[:warm], **{} if numbers else {"classes": case.stream.classes})
    core = model._session.model
    core.take_turns(in_turn)
    before = core.threads()
    with Stopwatch() as watch:
        answers = (
            model.predict_proba(X[:10_000])
            if case.answers
            else model.test_then_train(X[warm:], y[warm:], **{} if numbers else {"output": "proba"})
        )
    flow = core.threads()
    flow["busiest"] -= before["busiest"]
    return watch, answers, flow


def compare(case: Case, threads: tuple[int, ...]) -> tuple[float, dict[int, Outcome], Outcome]:
    """CPU seconds of one thread; what each number of threads makes of it, and the largest number in turn."""
    one, expected, _ = measured(case, 1)

    def outcome(jobs: int, in_turn: bool = False) -> Outcome:
        watch, answers, flow = measured(case, jobs, in_turn)
        if not np.array_equal(answers, expected):
            raise RuntimeError(f"{case.name}: {jobs} threads answered differently from one")
        together, clock = watch.process / one.process, one.wall / watch.wall
        if case.answers:  # every thread has the same rows to do
            return Outcome(jobs / together, together, jobs, clock, 0.0)
        if not flow["owner"]:
            return Outcome(1.0, together, 1.0, clock, 1.0)
        cost = np.array(flow["cost"])
        rows = min(len(case.stream.y), 8 * 64 * jobs)
        busiest = one.process / flow["busiest"]
        return Outcome(busiest, together, simulate(flow, rows), clock, float(cost.max() / cost.sum()))

    return one.process, {jobs: outcome(jobs) for jobs in threads}, outcome(threads[-1], in_turn=True)


def median(outcomes: list[Outcome]) -> Outcome:
    return Outcome(*map(statistics.median, zip(*map(astuple, outcomes), strict=True)))


def small_calls(quick: bool) -> Table:
    """Whether workers that live longer than a call would pay: what calls of few rows lose by starting them."""
    table = Table(
        "Small calls",
        ["rows of a call", "CPU us per row, 1 thread", "2 threads", "16 threads", "clock, 2"],
        note="The default, partial_fit. Workers start anew with every call. What they add to the processor time of calls of 100"
        " rows over that of 1,000 is all that workers who wait for the next call could save.",
    )
    stream = make("hyperplane", 4_000 if quick else 12_000)
    warm = len(stream.y) // 3
    for rows in (1, 100, 1_000):
        spent: dict[int, list[Stopwatch]] = {1: [], 2: [], 16: []}
        for _ in range(1 if quick else ROUNDS):
            for jobs, watches in spent.items():
                model = build("streamboost", None, stream, n_estimators=30, n_jobs=jobs)
                model.partial_fit(stream.X[:warm], stream.y[:warm])
                with Stopwatch() as watch:
                    for a in range(warm, len(stream.y), rows):
                        model.partial_fit(stream.X[a : a + rows], stream.y[a : a + rows])
                watches.append(watch)
        least = {jobs: min(w.process for w in watches) for jobs, watches in spent.items()}
        clock = min(w.wall for w in spent[1]) / min(w.wall for w in spent[2])
        cells = [f"{seconds / (len(stream.y) - warm) * 1e6:.1f}" for seconds in least.values()]
        table.add(rows, *cells, f"{clock:.2f}")
    return table


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
    most = threads[-1]
    table = Table(
        "Threads over one",
        [
            "model",
            "CPU us per row",
            *(f"busiest of {t}" for t in threads),
            f"together, {most}",
            f"in turn: busiest of {most}",
            f"in turn: together, {most}",
            *(f"simulated, {t}" for t in threads),
            "clock, 2",
            "largest station",
            "goals",
            "reached",
        ],
        note="All as times of one thread. Goals: one thread over the busiest of 16; over two threads, by the clock;"
        f" all threads together at most {TOGETHER}. Reached in turn: not by 16 threads on the cores of this machine, whose caches"
        " they share, but by the same shares of work one after the other, each with a cache to itself. Simulated: of the"
        " stations' own costs; no number of threads is faster than one over the largest station, the serial part: in the default"
        " an expert of boosted trees, whose fit is not cut, because every tree waits for the answers of the one before. A"
        " station of a tenth allows ten times.",
    )
    for case in cases(options.quick):
        if options.only not in case.name:
            continue
        started = time.monotonic()
        rounds = [compare(case, threads) for _ in range(1 if options.quick else ROUNDS)]
        found = {t: median([of_threads[t] for _, of_threads, _ in rounds]) for t in threads}
        in_turn = median([turns for _, _, turns in rounds])
        results[case.name] = found
        last = found[most]

        def reaches(outcome: Outcome, case: Case = case) -> bool:
            return outcome.busiest >= case.busiest and outcome.together <= TOGETHER

        reached = "yes" if reaches(last) else "in turn" if reaches(in_turn) else "no"
        rows = 10_000 if case.answers else len(case.stream.y) * 3 // 4
        table.add(
            case.name,
            f"{statistics.median(alone for alone, _, _ in rounds) / rows * 1e6:.1f}",
            *(f"{found[t].busiest:.1f}" for t in threads),
            f"{last.together:.2f}",
            f"{in_turn.busiest:.1f}",
            f"{in_turn.together:.2f}",
            *(f"{found[t].simulated:.1f}" for t in threads),
            f"{found[2].clock:.2f}",
            f"{last.serial:.0%}",
            f">= {case.busiest:g}, {case.clock:g}",
            reached if found[2].clock >= case.clock else "no",
        )
        print(f"{case.name}: {time.monotonic() - started:.0f} s", flush=True)
    page.preface.append(
        "- Measure: test_then_train of the same rows after a quarter of them, medians of"
        f" {ROUNDS} rounds; the answers were compared and are the same bits"
    )
    page.preface.append(f"- Load average of the machine: {os.getloadavg()[0]:.1f}")
    page.picture, page.caption = (
        lambda: picture(results),
        "Speed-up by threads, simulated from measured costs",
    )
    page.add(table)
    page.add(small_calls(options.quick))
    page.write()


if __name__ == "__main__":
    main()
