"""Shards beyond this machine, by simulation, beside what one and two shards really do here.

    python -m benchmarks.scale [--out docs/results/shards.md] [--rows 12000] [--engines processes,ray]

Measured, side by side in one run: the same rows in one process and through 1 and 2 shards, by the clock and by the processor
time of the busiest process. The latter is what the clock would show if every process had a core to itself; it does not depend on
what else the machine does.
Simulated, chunk by chunk: every stage takes the next chunk when it is free and the one before has handed it on; the driver
lets `window` chunks be on their way; a shard dies now and then, and all go back to the last line of snapshots. Its terms are
measured one by one: what a chunk costs a stage by its learners (one of them, the costliest part of four and of two, all of
them), in this process alone; what it costs the driver, and a stage beside that (the chunk is opened, carries come and go), in a
run with two shards of one learner each; and a hop. So the figures of one and two shards are told, not copied.
"""

from __future__ import annotations

import argparse
import os
import random
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from streamboost import OGD, HoeffdingTree, OnlineBaggingClassifier, OSBoostClassifier, _core
from streamboost.distributed import Shards
from streamboost.distributed.parts import Plan, even_lanes

CHUNK, WARM = 512, 4  # rows of a chunk; chunks that are not timed


@dataclass(frozen=True)
class Costs:
    """Seconds, and bytes."""

    driver: float  # of a chunk: code, log, send, receive
    stage: tuple[tuple[float, float], ...]  # of a chunk in a stage: (lanes, seconds), ascending
    outside: float  # of a chunk in a stage, beside that: it is opened, carries come and go
    hop: float  # of a carry from stage to stage
    chunk_bytes: int
    carry_bytes: int

    @property
    def lane(self) -> float:
        """Of a chunk and a further lane, where there are many."""
        (few, less), (many, more) = self.stage[-2:]
        return max(more - less, 0.0) / (many - few)

    def service(self, lanes: float) -> float:
        """Of a chunk in a stage with so many lanes."""
        known, seconds = zip(*self.stage, strict=True)
        beyond = max(lanes - known[-1], 0.0) * self.lane
        return float(np.interp(lanes, known, seconds)) + beyond + self.outside


@dataclass(frozen=True)
class Network:
    """Between machines."""

    latency: float = 0.0002
    bandwidth: float = 1.25e9  # bytes a second: 10 Gbit/s


@dataclass(frozen=True)
class Run:
    """What a simulated run gives."""

    rows_per_second: float
    latency: float  # seconds from a chunk's start to its answer, mean
    bytes_per_row: float
    recoveries: int


def simulate(
    costs: Costs,
    lanes: int,
    shards: int,
    n_chunks: int = 2000,
    *,
    network: Network | None = None,
    window: int | None = None,
    losses_per_hour: float = 0.0,
    every: int | None = None,
    recovery: float = 3.0,
) -> Run:
    """Let chunks flow through stages, each with a core of its own."""
    window = shards + 4 if window is None else window
    services = [costs.service(end - begin) for begin, end in even_lanes(lanes, shards)]
    service = max(services)
    hop = costs.hop
    send = costs.driver
    if network is not None:
        hop += network.latency + costs.carry_bytes / network.bandwidth
        # The first node that asks; the others take it from there.
        send += costs.chunk_bytes / network.bandwidth
    if every is None:  # the more an example costs, the dearer it is to learn it again
        every = min(256, max(1, int(20 / max(service, send))))
    free = [0.0] * shards  # when each stage is done with its last chunk
    done = [0.0] * n_chunks
    driver, total_wait, recoveries, extra = 0.0, 0.0, 0, 0.0
    draw = random.Random(1)
    rate = losses_per_hour * shards / 3600
    next_loss = draw.expovariate(rate) if rate > 0 else float("inf")
    for c in range(n_chunks):
        start = max(driver, done[c - window] if c >= window else 0.0)
        driver = at = start + send
        for i in range(shards):
            at = max(at, free[i]) + services[i]
            free[i] = at
            at += hop
        done[c] = at
        total_wait += at - start
        while done[c] + extra > next_loss:
            recoveries += 1
            extra += recovery + (c % every) * max(service, send)  # back to the last line, and all of it again
            next_loss += draw.expovariate(rate)
    seconds = done[-1] + extra
    return Run(
        n_chunks * CHUNK / seconds,
        total_wait / n_chunks,
        (costs.chunk_bytes * shards + costs.carry_bytes * (shards - 1)) / CHUNK,
        recoveries,
    )


def settings():
    return {
        "Hoeffding trees, N = 100, d = 20": (
            lambda: OnlineBaggingClassifier(HoeffdingTree(), n_estimators=100, random_state=1),
            20,
        ),
        "OSBoost of OGD, N = 100, d = 1,000": (
            lambda: OSBoostClassifier(OGD(), n_estimators=100, random_state=1),
            1000,
        ),
    }


def stream(n, d):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(n, d))
    return X, (X[:, :5].sum(axis=1) > 0).astype(int)


def measure_stage(make, X, y):
    """Return processor seconds of a chunk in a stage by its lanes, and the size of chunk and carry.

    Of a cut the costliest part counts: not all have the same number of lanes, and the last one combines.
    """
    model = make().partial_fit(X[:1], y[:1], classes=[0, 1])
    plan = Plan(model._session.plan)
    room = np.full(X.shape[1], -1), 2, True, None
    codes = y.astype(np.int32)
    points, sizes = [], []
    for cut in [[(0, 1)], *(even_lanes(plan.n_lanes, n) for n in (4, 2, 1))]:
        stages = [_core.Stage(plan.model(lanes)) for lanes in cut]
        taken = [0.0] * len(cut)
        for seq in range(len(y) // CHUNK):
            part = slice(seq * CHUNK, (seq + 1) * CHUNK)
            chunk = _core.encode_chunk(
                X[part], X.shape[1], codes[part], None, "none", False, None if seq else room
            )
            carry = b""
            for i, stage in enumerate(stages):
                began = time.process_time()
                carry = stage.step(chunk, carry, seq)
                if seq >= WARM:
                    taken[i] += time.process_time() - began
                if i == 0:
                    sizes.append((len(chunk), len(carry)))
        seconds, (begin, end) = max(zip(taken, cut, strict=True))
        points.append((float(end - begin), seconds / (len(y) // CHUNK - WARM)))
    return tuple(points), sizes[0]


@dataclass(frozen=True)
class Taken:
    """Seconds of a run without its first chunks."""

    clock: float
    driver: float  # processor time
    shards: tuple[float, ...] = ()  # processor time of each

    @property
    def busiest(self) -> float:
        return max(self.driver, *self.shards) if self.shards else self.driver


def measure_run(make, X, y, n, engine, chunk=CHUNK):
    """Learn the rows through `n` shards; 0: without any."""
    warm = WARM * CHUNK
    if n == 0:
        model = make()
        model.partial_fit(X[:warm], y[:warm], classes=[0, 1])
        began, busy = time.perf_counter(), time.process_time()
        model.partial_fit(X[warm:], y[warm:])
        return Taken(time.perf_counter() - began, time.process_time() - busy)
    with Shards(make(), n, engine=engine, chunk_rows=chunk, every=10**9) as shards:
        shards.partial_fit(X[:warm], y[:warm], classes=[0, 1])
        shards.drain()
        before = processor_seconds(shards)
        began, busy = time.perf_counter(), time.process_time()
        shards.partial_fit(X[warm:], y[warm:])
        shards.drain()
        clock, driver = time.perf_counter() - began, time.process_time() - busy
        after = processor_seconds(shards)
        return Taken(clock, driver, tuple(b - a for a, b in zip(before, after, strict=True)))


def processor_seconds(shards):
    """Processor seconds of each shard's process, all of its threads."""
    return [info["processor_seconds"] for info in shards._line().call("info")]


def calibrate(make, X, y, engine, repeats=2):
    """Return what a chunk costs: its terms, measured one by one, the best of some turns."""
    turns, runs = [], []
    for _ in range(repeats):
        points, (chunk_bytes, carry_bytes) = measure_stage(make, X, y)
        turns.append(points)
        runs.append(measure_run(lambda: make().set_params(n_estimators=2), X, y, 2, engine))
    stage = tuple(min(point) for point in zip(*turns, strict=True))
    n_chunks = len(y) // CHUNK - WARM
    driver = min(run.driver for run in runs) / n_chunks
    outside = max(min(sum(run.shards) for run in runs) / 2 / n_chunks - stage[0][1], 0.0)
    return Costs(driver, stage, outside, measure_hop(engine), chunk_bytes, carry_bytes)


def measure_hop(engine):
    """Return seconds from a stage to the next: small chunks, one at a time, through one and three tiny stages."""
    X, y = stream(CHUNK, 2)
    seconds = []
    for n in (1, 3):
        with Shards(
            OnlineBaggingClassifier(n_estimators=3, random_state=1), n, engine=engine, every=10**9, window=1
        ) as shards:
            shards.test_then_train(X, y, classes=[0, 1])
            times = []
            for _ in range(30):
                began = time.perf_counter()
                shards.test_then_train(X[:16], y[:16])
                times.append(time.perf_counter() - began)
            seconds.append(min(times))
    return max((seconds[1] - seconds[0]) / 2, 0.0)


def best(runs):
    return min(runs, key=lambda run: run.busiest)


def page(rows, engines, repeats):
    load = os.getloadavg()[0]
    lines = [
        "# Shards: measured, and simulated",
        "",
        f"`python -m benchmarks.scale --rows {rows} --engines {','.join(engines)} --repeats {repeats}`: {CHUNK} rows a chunk, "
        f"{os.cpu_count()} cores, a load of {load:.1f} at the start, everything in one run, the best of {repeats} by turns. "
        "*By processor*: rows for a second of the busiest process, which is the speed where every process has a core to "
        "itself, whatever else this machine does. *By the clock*: what it was here. *Told*: by the simulation, beside the "
        "measured by processor; what a stage costs is measured alone in one process, what is around it with two shards of one "
        "learner each.",
        "",
        "| | engine | one process, rows/s | 1 shard | 2 shards | by the clock: 1 | 2 | told: 1 | 2 |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    far = []
    for name, (make, d) in settings().items():
        X, y = stream(rows // CHUNK * CHUNK, d)
        learned = len(y) - WARM * CHUNK
        for engine in engines:
            costs = calibrate(make, X, y, engine, repeats)
            turns = [[measure_run(make, X, y, k, engine) for k in (0, 1, 2)] for _ in range(repeats)]
            runs = [best(kind) for kind in zip(*turns, strict=True)]
            speed = [learned / run.busiest for run in runs]
            clock = [min(run.clock for run in kind) for kind in zip(*turns, strict=True)]
            told = [simulate(costs, make().n_estimators, k, 2000).rows_per_second for k in (1, 2)]
            cells = [name, engine, f"{speed[0]:,.0f}", *(f"{s / speed[0]:.2f}x" for s in speed[1:])]
            cells += [f"{clock[0] / seconds:.2f}x" for seconds in clock[1:]]
            cells += [f"{t:,.0f} ({t / s - 1:+.0%})" for t, s in zip(told, speed[1:], strict=True)]
            lines.append(f"| {' | '.join(cells)} |")
            if engine == engines[-1]:
                far.append((name, costs))
    lines += chunks_table(rows)
    for name, costs in far:
        lines += [
            "",
            f"## {name}, on many machines (simulated)",
            "",
            f"A chunk costs the driver {1e3 * costs.driver:.2f} ms, a stage with one learner {1e3 * costs.service(1):.2f} ms, "
            f"with all {1e3 * costs.service(costs.stage[-1][0]):.2f} ms and {1e6 * costs.lane:.0f} us for each more, a hop "
            f"{1e3 * costs.hop:.2f} ms ({engines[-1]}); between machines 0.2 ms more, at 10 Gbit/s; its carry has "
            f"{costs.carry_bytes / CHUNK:.0f} bytes a row. "
            "One loss per shard and day, 3 s to come back, a snapshot every 256 chunks, or every 20 s if that is sooner.",
            "",
            "| learners | shards | rows/s | latency of a chunk, s | bytes a row | losses in the run |",
            "|---:|---:|---:|---:|---:|---:|",
        ]
        for lanes in (100, 10_000, 1_000_000):
            for shards in (1, 10, 100, 1000):
                if shards > lanes:
                    continue
                run = simulate(costs, lanes, shards, network=Network(), losses_per_hour=1 / 24)
                cells = [f"{lanes:,}", f"{shards:,}", f"{run.rows_per_second:,.0f}", f"{run.latency:.2f}"]
                cells += [f"{run.bytes_per_row:,.0f}", str(run.recoveries)]
                lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        "The limits: latency grows with every shard, because a chunk passes all of them; and one driver codes and logs every "
        "row, which no number of shards changes. Several drivers, each with keys of its own (`KeyedClassifier`), go past that; "
        "one exact ensemble does not.",
    ]
    return "\n".join(lines) + "\n"


def chunks_table(rows):
    """Return how many rows a chunk needs until two shards pay."""
    name, (make, d) = next(iter(settings().items()))
    X, y = stream(max(rows // 2, 8 * CHUNK), d)
    alone = measure_run(make, X, y, 0, "processes").busiest
    lines = [
        "",
        f"## Rows in a chunk: {name}, two shards by processes",
        "",
        "| rows a chunk | speed by processor, beside one process |",
        "|---:|---:|",
    ]
    for chunk in (8, 32, 128, 512, 2048):
        taken = measure_run(make, X, y, 2, "processes", chunk).busiest
        lines.append(f"| {chunk:,} | {alone / taken:.2f}x |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=12_000)
    parser.add_argument("--engines", default="processes,ray")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)  # these learners need not be good
    text = page(options.rows, options.engines.split(","), options.repeats)
    print(text)
    if options.out:
        options.out.write_text(text)


if __name__ == "__main__":
    main()
