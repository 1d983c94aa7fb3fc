"""``python -m benchmarks.speed.parsing``: how fast files are read, and whether a run waits for its reader or for its model.

MB of unpacked text per CPU second, one thread, from the first byte to arrays. Files are made in a temporary folder, read once
to warm the page cache, then several times; the best round counts. Packed files are bounded by zlib, whose own speed on the same
bytes stands beside them; beside CSV files stand pandas and polars (one thread), which read the whole file into a frame.
"""

from __future__ import annotations

import gzip
import json
import os
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import pages
from benchmarks.clock import Stopwatch
from benchmarks.models import build
from benchmarks.streams import Stream
from benchmarks.tables import Table
from streamboost.evaluate import prequential
from streamboost.streams import open_stream

GOAL = 200.0  # MB/s, for LIBSVM and numeric CSV
MEGABYTE = 1e6
WORDS = np.array("red green blue violet magenta cyan".split())


@dataclass
class Measured:
    name: str
    megabytes: float
    rows: int
    speed: float
    goal: float | None
    peers: tuple[float, ...] = ()
    """The speed of pandas and polars on the same file."""


def numeric_csv(rng: np.random.Generator, rows: int) -> str:
    X = rng.normal(size=(rows, 20))
    head = ",".join(f"x{j}" for j in range(20)) + ",label\n"
    return head + "".join(",".join(f"{v:.6f}" for v in x) + f",{i % 2}\n" for i, x in enumerate(X))


def full_precision_csv(rng: np.random.Generator, rows: int) -> str:
    X = rng.normal(size=(rows, 20)).tolist()
    return "".join(",".join(map(repr, x)) + f",{i % 2}\n" for i, x in enumerate(X))


def mixed_csv(rng: np.random.Generator, rows: int) -> str:
    numbers = rng.normal(size=(rows, 8))
    words = WORDS[rng.integers(0, len(WORDS), (rows, 8))]
    head = ",".join([*(f"x{j}" for j in range(8)), *(f"w{j}" for j in range(8)), "label"]) + "\n"
    return head + "".join(
        ",".join([*(f"{v:.4f}" for v in x), *w[:7], f'"{w[7]}, quoted"', "yes" if i % 2 else "no"]) + "\n"
        for i, (x, w) in enumerate(zip(numbers, words.tolist(), strict=True))
    )


def binary_libsvm(rng: np.random.Generator, rows: int) -> str:
    """Like a9a: 14 of 123 features are 1."""
    at = np.sort(rng.permuted(np.tile(np.arange(1, 124), (rows, 1)), axis=1)[:, :14], axis=1)
    return "".join(
        f"{1 - 2 * (i % 2):+d} " + " ".join(f"{j}:1" for j in row) + "\n" for i, row in enumerate(at.tolist())
    )


def numeric_libsvm(rng: np.random.Generator, rows: int) -> str:
    X = rng.normal(size=(rows, 20))
    return "".join(
        f"{1 - 2 * (i % 2):+d} " + " ".join(f"{j}:{v:.6f}" for j, v in enumerate(x, 1)) + "\n"
        for i, x in enumerate(X)
    )


def arff(rng: np.random.Generator, rows: int) -> str:
    head = (
        "@relation r\n"
        + "".join(f"@attribute x{j} real\n" for j in range(20))
        + "@attribute y {0,1}\n@data\n"
    )
    return head + numeric_csv(rng, rows).partition("\n")[2]


def vw(rng: np.random.Generator, rows: int) -> str:
    X = rng.normal(size=(rows, 20))
    return "".join(
        f"{1 - 2 * (i % 2)} | " + " ".join(f"x{j}:{v:.4f}" for j, v in enumerate(x)) + "\n"
        for i, x in enumerate(X)
    )


def json_lines(rng: np.random.Generator, rows: int) -> str:
    X = rng.normal(size=(rows, 20)).round(4).tolist()
    return "".join(
        json.dumps({**{f"x{j}": v for j, v in enumerate(x)}, "label": i % 2}) + "\n" for i, x in enumerate(X)
    )


CASES: list[tuple[str, str, Callable[[np.random.Generator, int], str], bool, float | None]] = [
    ("LIBSVM, 0/1 features", "libsvm", binary_libsvm, False, GOAL),
    ("LIBSVM, numbers", "libsvm", numeric_libsvm, False, GOAL),
    ("CSV, numbers of 6 decimals", "csv", numeric_csv, False, GOAL),
    ("CSV, numbers of 16 and 17 digits", "csv", full_precision_csv, False, GOAL),
    ("CSV, numbers, words and quotes", "csv", mixed_csv, False, None),
    ("ARFF, numbers", "arff", arff, False, None),
    ("VW text", "vw", vw, False, None),
    ("JSON lines", "jsonl", json_lines, False, None),
    ("LIBSVM, numbers, gzip", "libsvm", numeric_libsvm, True, None),
    ("CSV, numbers of 6 decimals, gzip", "csv", numeric_csv, True, None),
    ("CSV, numbers, words and quotes, gzip", "csv", mixed_csv, True, None),
]


def peers(path: Path, repetitions: int) -> list[float]:
    """The CPU seconds of pandas and polars on a CSV file, all their threads together."""
    os.environ["POLARS_MAX_THREADS"] = "1"
    import pandas as pd
    import polars as pl

    found = []
    for read in (pd.read_csv, pl.read_csv):
        times = []
        for _ in range(repetitions + 1):
            with Stopwatch() as watch:
                read(path)
            times.append(watch.process)
        found.append(min(times))
    return found


def measure(rows: int, repetitions: int) -> list[Measured]:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, kind, make, packed, goal in CASES:
            data = make(np.random.default_rng(1), rows).encode()
            path = Path(folder) / f"data.{kind}"
            path.write_bytes(gzip.compress(data, 6) if packed else data)
            options = {"n_features": 123} if kind == "libsvm" else {"bits": 10} if kind == "vw" else {}
            best, count = float("inf"), 0
            for _ in range(repetitions + 1):
                stream = open_stream(path, **options)
                with Stopwatch() as watch:
                    count = sum(len(chunk) for chunk in stream.chunks())
                best = min(best, watch.thread)
            size = len(data) / MEGABYTE
            beside = (
                tuple(size / seconds for seconds in peers(path, repetitions))
                if kind == "csv" and not packed
                else ()
            )
            found.append(Measured(name, size, count, size / best, goal, beside))
            if packed:
                bare = min(_inflate(path.read_bytes()) for _ in range(repetitions))
                found.append(
                    Measured(
                        f"  zlib alone on it ({path.stat().st_size / len(data):.0%})",
                        size,
                        0,
                        size / bare,
                        None,
                    )
                )
    return found


def _inflate(packed: bytes) -> float:
    with Stopwatch() as watch:
        inflater = zlib.decompressobj(31)
        rest = packed
        while rest:
            inflater.decompress(rest, 1 << 18)
            rest = inflater.unconsumed_tail
    return watch.thread


def parsing_table(found: list[Measured]) -> Table:
    table = Table(
        "Reading files",
        ["file", "MB", "MB/s", "rows/s", "pandas MB/s", "polars MB/s", "goal", "reached"],
        note="Unpacked bytes per CPU second of one thread, from a plain or gzip file in the page cache to arrays"
        " in chunks of 2,048 rows.",
    )
    for entry in found:
        reached = "-" if entry.goal is None else "yes" if entry.speed >= entry.goal else "no"
        per_row = entry.rows * entry.speed / entry.megabytes
        table.add(
            entry.name,
            f"{entry.megabytes:.1f}",
            f"{entry.speed:,.0f}",
            f"{per_row:,.0f}" if entry.rows else "-",
            *([f"{speed:,.0f}" for speed in entry.peers] or ["-", "-"]),
            "-" if entry.goal is None else f">= {entry.goal:g}",
            reached,
        )
    return table


RUNS = (
    ("streamboost", None, 30),
    ("osboost", "perceptron", 100),
    ("osboost", "naive-bayes", 30),
    ("bagging", "naive-bayes", 10),
    ("osboost", "perceptron", 1),
)


def waiting_table(rows: int, repetitions: int) -> Table:
    """A run over a file on the disk, reading alone, and learning the same chunks alone."""
    table = Table(
        "Who waits",
        ["model", "us per row: the run", "reading", "learning", "the rest", "reading, of the run"],
        note="CPU time of one thread, the least of the rounds, a CSV file of 20 numbers of 6 decimals and a label. The run:"
        " `prequential` over the file, which is what `streamboost run` does. Reading: from the file to arrays. Learning:"
        " `test_then_train` of these arrays. The rest: metrics, windows, the clock. A reader in a thread of its own could take"
        " off the share of the last column by the clock, and nothing more.",
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        path.write_text(numeric_csv(np.random.default_rng(1), rows), encoding="utf-8")
        chunks = list(open_stream(path).chunks())
        plain = Stream("file", np.zeros((1, 20)), np.array([0]))
        for ensemble, learner, n in RUNS:

            def made(ensemble: str = ensemble, learner: str | None = learner, n: int = n) -> Any:
                return build(ensemble, learner, plain, n_estimators=n)

            def run() -> None:
                prequential(made(), open_stream(path))

            def read() -> None:
                for _ in open_stream(path).chunks():
                    pass

            def learn() -> None:
                model = made()
                for chunk in chunks:
                    model.test_then_train(chunk.rows, chunk.labels)

            least = {work: float("inf") for work in (run, read, learn)}
            for _ in range(repetitions):
                for work in least:
                    with Stopwatch() as watch:
                        work()
                    least[work] = min(least[work], watch.thread / rows * 1e6)
            whole, reading, learning = least.values()
            name = f"{ensemble} + {learner}, N = {n}" if learner else "the default"
            rest = whole - reading - learning
            table.add(name, *(f"{v:.2f}" for v in (whole, reading, learning, rest)), f"{reading / whole:.0%}")
    return table


def main() -> None:
    options = pages.parser("speed.parsing", __doc__).parse_args()
    page = pages.Page(
        "bench-parsing", "Reading files", options, packages=["streamboost", "numpy", "pandas", "polars"]
    )
    rows, repetitions = (3_000, 1) if options.quick else (30_000, 5)
    page.add(parsing_table(measure(rows, repetitions)))
    page.add(waiting_table(rows, repetitions))
    page.write()


if __name__ == "__main__":
    main()
