"""``python -m benchmarks.speed.synthetic``: how long online boosting takes over Synthetic-2 of Oza's thesis.

80,000 rows of 20 nominal columns, 100 learners, one thread, `test_then_train` in one call; CPU time, and the goals for it.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np

from benchmarks import machine
from benchmarks.clock import Stopwatch
from benchmarks.models import build
from benchmarks.streams import Stream
from benchmarks.tables import Table, write_markdown
from streamboost.models import LEARNERS
from streamboost.streams.datasets.builtin import SyntheticStream

GOALS = {"naive-bayes": 5.0, "stump": 10.0}
COLUMNS = ["learner", "seconds", "goal", "us per example", "MB", "accuracy"]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.synthetic")
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=["naive-bayes", "stump"])
    parser.add_argument("--model", default="oza-boost")
    parser.add_argument("--rows", type=int, default=80_000)
    parser.add_argument("-n", type=int, default=100)
    parser.add_argument("--out", type=Path, help="write the table as Markdown, too")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    X, y = SyntheticStream(2, seed=1).rows(0, given.rows)
    stream = Stream("synthetic-2", X, y.astype(np.int64), n_values=2)
    table = Table(f"{given.model}, {given.n} learners, Synthetic-2, {given.rows:,} rows", COLUMNS)
    for learner in given.learners:
        model = build(given.model, learner, stream, n_estimators=given.n)
        with Stopwatch() as watch:
            answers = model.test_then_train(X, stream.y, classes=stream.classes)
        goal = f"< {GOALS[learner]:g}" if learner in GOALS and given.model == "oza-boost" else "-"
        each = watch.thread / given.rows * 1e6
        right = float(np.mean(answers == stream.y))
        table.add(learner, watch.thread, goal, each, model.memory_bytes() / 1e6, right)
        print(f"{learner}: {watch.thread:.1f} s", flush=True)
    print(table.text())
    if given.out:
        measure = (
            "- Measure: CPU time of one thread, test_then_train in one call; every option at its default"
        )
        preface = [*machine.describe(["streamboost", "numpy"]), measure]
        write_markdown(given.out, "Online boosting over Synthetic-2", preface, [table])


if __name__ == "__main__":
    main()
