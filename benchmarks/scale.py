"""Shards beyond this machine, by simulation, beside what one and two shards really do here.

    python -m benchmarks.scale [--out docs/results/shards.md] [--rows 20000] [--engine processes]

Measured: what a chunk costs the driver, what it costs a stage (a part that does not depend on its lanes, and one per lane),
what a hop costs between two processes, and the time of the same rows in one process and through 1 and 2 shards, side by side
in one run.
Simulated, chunk by chunk: every stage takes the next chunk when it is free and the one before has handed it on; the driver
lets `window` chunks be on their way; a shard dies now and then, and all go back to the last line of snapshots.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from streamboost import OGD, HoeffdingTree, OnlineBaggingClassifier, OSBoostClassifier, _core
from streamboost.distributed import Shards
from streamboost.distributed.parts import Plan, even_lanes

CHUNK = 512


@dataclass(frozen=True)
class Costs:
    """Seconds, and bytes."""

    driver: float  # of a chunk: code, log, send, receive
    fixed: float  # of a chunk in a stage, whatever its lanes: checks and the view of the rows
    lane: float  # of a chunk and a lane
    hop: float  # of a carry from stage to stage
    chunk_bytes: int
    carry_bytes: int


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
    cores: int | None = None,
    losses_per_hour: float = 0.0,
    every: int = 256,
    recovery: float = 3.0,
) -> Run:
    """Let chunks flow through stages. Without a network all stages share the `cores` of one machine."""
    window = shards + 4 if window is None else window
    service = costs.fixed + costs.lane * lanes / shards
    hop = costs.hop
    send = costs.driver
    if network is not None:
        hop += network.latency + costs.carry_bytes / network.bandwidth
        send += (
            costs.chunk_bytes / network.bandwidth
        )  # the first node that asks; the others take it from there
    elif cores is not None:  # cores are shared: work cannot go faster than all of it over all cores
        busy = (send + shards * service) / min(cores, shards + 1)
        send, service = max(send, busy - service) if shards + 1 > cores else send, max(service, busy)
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
            at = max(at, free[i]) + service
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
    """Return seconds of a chunk: with few lanes, with all; and the size of chunk and carry."""
    model = make().partial_fit(X[:1], y[:1], classes=[0, 1])
    plan = Plan(model._session.plan)
    room = np.full(X.shape[1], -1), 2, True, None
    codes = y.astype(np.int32)
    seconds, sizes = [], []
    for n in (4, 1):  # a quarter of the lanes, all lanes
        stage = _core.Stage(plan.model(even_lanes(plan.n_lanes, n)[0]))
        best = []
        for seq in range(len(y) // CHUNK):
            part = slice(seq * CHUNK, (seq + 1) * CHUNK)
            chunk = _core.encode_chunk(
                X[part], X.shape[1], codes[part], None, "none", False, None if seq else room
            )
            began = time.perf_counter()
            reply = stage.step(chunk, b"", seq)
            best.append(time.perf_counter() - began)
        seconds.append(float(np.median(best[2:])))
        sizes.append((len(chunk), len(reply)))
    quarter = even_lanes(plan.n_lanes, 4)[0][1]
    lane = (seconds[1] - seconds[0]) / (plan.n_lanes - quarter)
    return max(seconds[0] - lane * quarter, 0.0), lane, sizes[0]


def measure_run(make, X, y, n, engine):
    """Return seconds of all rows but the first chunks, through `n` shards; 0: without any."""
    warm = 4 * CHUNK
    if n == 0:
        model = make()
        model.partial_fit(X[:warm], y[:warm], classes=[0, 1])
        began = time.perf_counter()
        model.partial_fit(X[warm:], y[warm:])
        return time.perf_counter() - began
    with Shards(make(), n, engine=engine, chunk_rows=CHUNK, every=10**9) as shards:
        shards.partial_fit(X[:warm], y[:warm], classes=[0, 1])
        shards.drain()
        began = time.perf_counter()
        shards.partial_fit(X[warm:], y[warm:])
        shards.drain()
        return time.perf_counter() - began


def measure_driver(X, y):
    """Return seconds that the driver spends on a chunk, and those of a hop: small chunks through one and three tiny stages."""
    tiny = OnlineBaggingClassifier(n_estimators=3, random_state=1)
    small = X[: 40 * CHUNK, :2].copy(), y[: 40 * CHUNK]
    seconds = []
    for n in (1, 3):
        with Shards(tiny, n, engine="processes", chunk_rows=CHUNK, every=10**9, window=1) as shards:
            shards.partial_fit(*(part[:CHUNK] for part in small), classes=[0, 1])
            shards.drain()
            began = time.perf_counter()
            for first in range(0, len(small[1]), CHUNK):
                shards.partial_fit(*(part[first : first + CHUNK] for part in small))
            shards.drain()
            seconds.append((time.perf_counter() - began) / (len(small[1]) // CHUNK))
    hop = max((seconds[1] - seconds[0]) / 2, 0.0)
    codes, began = y[:CHUNK].astype(np.int32), time.perf_counter()
    for _ in range(20):
        _core.encode_chunk(X[:CHUNK], X.shape[1], codes, None, "none", False)
    return (time.perf_counter() - began) / 20 + seconds[0] / 2, hop


def page(rows, engine):
    cores = os.cpu_count() or 1
    lines = [
        "# Shards: measured, and simulated",
        "",
        f"`python -m benchmarks.scale --rows {rows} --engine {engine}`: {CHUNK} rows a chunk, {cores} cores, all in one run. The "
        "simulation takes what a chunk costs the driver, a stage and a hop from this run; between machines it adds 0.2 ms a hop "
        "and 10 Gbit/s.",
        "",
        "| | one process, rows/s | 1 shard | 2 shards | 1 shard simulated | 2 shards simulated |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    far = []
    for name, (make, d) in settings().items():
        n = rows if d < 100 else max(rows // 4, 8 * CHUNK)
        X, y = stream(n, d)
        fixed, lane, (chunk_bytes, carry_bytes) = measure_stage(make, X[: 12 * CHUNK], y[: 12 * CHUNK])
        driver, hop = measure_driver(X, y)
        costs = Costs(driver, fixed, lane, hop, chunk_bytes, carry_bytes)
        learned = n - 4 * CHUNK
        speed = [learned / measure_run(make, X, y, k, engine) for k in (0, 1, 2)]
        lanes = make().n_estimators
        told = [simulate(costs, lanes, k, learned // CHUNK, cores=cores).rows_per_second for k in (1, 2)]
        ratios = [f"{s / speed[0]:.2f}x" for s in speed[1:]]
        errors = [f"{t:,.0f} ({t / s - 1:+.0%})" for t, s in zip(told, speed[1:], strict=True)]
        lines.append(f"| {name} | {speed[0]:,.0f} | {ratios[0]} | {ratios[1]} | {errors[0]} | {errors[1]} |")
        far.append((name, costs))
    for name, costs in far:
        lines += [
            "",
            f"## {name}, on many machines (simulated)",
            "",
            f"A chunk costs the driver {1e3 * costs.driver:.2f} ms, a stage {1e3 * costs.fixed:.2f} ms and "
            f"{1e6 * costs.lane:.0f} us a learner, a hop {1e3 * costs.hop:.2f} ms; its carry has "
            f"{costs.carry_bytes / CHUNK:.0f} bytes a row. One loss per shard and day, 3 s to come back.",
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--engine", default="processes")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    text = page(options.rows, options.engine)
    print(text)
    if options.out:
        options.out.write_text(text)


if __name__ == "__main__":
    main()
