"""``python -m benchmarks.speed.iti data.csv[.gz]``: what an example costs IncrementalTree while its trees grow.

The rows are shuffled once (seeded) and cut into ten parts; CPU time of one thread, memory and accuracy after each part.
The last column of the file is the label; columns with text are nominal. Without a file: the nominal stream of the other
benchmarks.
"""

from __future__ import annotations

import argparse
import csv
import gzip
from pathlib import Path

import numpy as np

from benchmarks import machine
from benchmarks.clock import Stopwatch
from benchmarks.models import build
from benchmarks.streams import Stream, make
from benchmarks.tables import Table, write_markdown


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def read(path: Path, rows: int) -> tuple[Stream, list[int]]:
    """The first rows of the shuffled file, and its nominal columns."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        _, *body = csv.reader(lines)
    cells = np.array(body)[np.random.default_rng(0).permutation(len(body))[:rows]]
    X, nominal = np.empty((len(cells), cells.shape[1] - 1)), []
    for j in range(X.shape[1]):
        if all(is_number(text) for text in cells[:, j]):
            X[:, j] = cells[:, j].astype(float)
        else:
            nominal.append(j)
            X[:, j] = np.unique(cells[:, j], return_inverse=True)[1]
    labels, y = np.unique(cells[:, -1], return_inverse=True)
    return Stream(path.name, X, y.astype(np.int64), len(labels)), nominal


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.iti")
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--rows", type=int, default=10_368)
    parser.add_argument("--model", default="oza-boost")
    parser.add_argument("-n", type=int, default=100)
    parser.add_argument("--out", type=Path, help="write the table as Markdown, too")
    arguments = parser.parse_args()
    if arguments.data is None:
        stream, options = make("nominal", arguments.rows), {}
    else:
        stream, nominal = read(arguments.data, arguments.rows)
        options = {"categorical_features": nominal} if nominal else {}
    model = build(arguments.model, "iti", stream, n_estimators=arguments.n, **options)
    table = Table(
        f"IncrementalTree in {arguments.model}, {arguments.n} trees, {stream.name}",
        ["rows", "us per example", "us per example and tree", "seconds so far", "MB", "accuracy of the part"],
    )
    total = 0.0
    for part in np.array_split(np.arange(len(stream.y)), 10):
        with Stopwatch() as watch:
            answers = model.test_then_train(stream.X[part], stream.y[part], classes=stream.classes)
        total += watch.thread
        each = watch.thread / len(part) * 1e6
        right = float((answers == stream.y[part]).mean())
        table.add(int(part[-1]) + 1, each, each / arguments.n, total, model.memory_bytes() / 1e6, right)
        print(f"{part[-1] + 1:>9,} rows {each:>12,.0f} us per example {total:>9,.1f} s", flush=True)
    print(table.text())
    if arguments.out:
        measure = (
            "- Measure: CPU time of one thread, test_then_train part by part; every option at its default"
        )
        preface = [*machine.describe(["streamboost", "numpy"]), measure]
        write_markdown(arguments.out, "Cost of incremental trees as they grow", preface, [table])


if __name__ == "__main__":
    main()
