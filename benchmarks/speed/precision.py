"""``python -m benchmarks.speed.precision``: what weights of single precision save, and what they cost in accuracy.

Each model learns the same blocks with ``dtype="float64"`` and ``"float32"`` in turn; CPU time of one thread.
"""

from __future__ import annotations

import gc
from statistics import median

import numpy as np

from benchmarks import pages
from benchmarks.clock import Stopwatch
from benchmarks.models import build
from benchmarks.speed.threads import wide
from benchmarks.tables import Table

DTYPES = ("float64", "float32")
LEARNERS = ("perceptron", "ogd", "logistic")


def main() -> None:
    options = pages.parser("speed.precision", __doc__).parse_args()
    page = pages.Page("bench-precision", "Weights of single precision", options)
    rows, rounds = (1_024, 3) if options.quick else (4_096, 7)
    page.preface.append(
        f"- Measure: OSBoost, {rows:,} dense rows, test_then_train from the start, both precisions in turn;"
        f" medians of {rounds} rounds"
    )
    table = Table(
        "float32 beside float64",
        ["columns", "learners", "learner", "float64, us", "float32, us", "faster", "accuracies", "memory"],
        note="CPU time per example. Memory: memory_bytes() of the float32 model over that of the other.",
    )
    for d, n in ((20, 100), (300, 100), (1_000, 100), (300, 1_000)):
        stream = wide(d, rows)
        for learner in LEARNERS:
            times: dict[str, list[float]] = {dtype: [] for dtype in DTYPES}
            accuracy, memory = {}, {}
            for _ in range(rounds if n < 1_000 else 3):
                for dtype in DTYPES:
                    model = build(
                        "osboost", learner, stream, n_estimators=n, learner_options={"dtype": dtype}
                    )
                    gc.collect()
                    with Stopwatch() as watch:
                        answers = model.test_then_train(stream.X, stream.y, classes=stream.classes)
                    times[dtype].append(watch.thread / rows * 1e6)
                    accuracy[dtype] = float(np.mean(answers == stream.y))
                    memory[dtype] = model.memory_bytes()
            double, single = (median(times[dtype]) for dtype in DTYPES)
            table.add(
                f"{d:,}",
                f"{n:,}",
                learner,
                f"{double:.2f}",
                f"{single:.2f}",
                f"{double / single:.2f}x",
                f"{accuracy['float64']:.4f}, {accuracy['float32']:.4f}",
                f"{memory['float32'] / memory['float64']:.0%}",
            )
    page.add(table)
    page.write()


if __name__ == "__main__":
    main()
