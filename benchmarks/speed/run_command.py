"""The `run` command beside the same loop in Python: how much its reading, scoring and bookkeeping cost.

Both read a CSV file and run the default model of a task over it. CPU time of the process counts, and the least of the rounds:
what other programs do to a machine only adds.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.tables import Table
from streamboost import StreamBoostClassifier, StreamBoostRegressor
from streamboost.cli import app
from streamboost.streams import open_stream

GOAL = 1.15


def loop(path: Path, regression: bool) -> None:
    """Answer and learn a file in chunks, and count what was wrong."""
    stream = open_stream(path)
    model = StreamBoostRegressor(random_state=0) if regression else StreamBoostClassifier(random_state=0)
    wrong = 0.0
    for chunk in stream.chunks():
        answers = model.test_then_train(chunk.rows, chunk.y)
        wrong += float(np.nansum(np.abs(answers - chunk.y)) if regression else (answers != chunk.y).sum())


def command(path: Path, regression: bool) -> None:
    """The same on the command line."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        task = "regression" if regression else "classification"
        app(["run", str(path), "--task", task], standalone_mode=False)


def seconds(work: Callable[[Path, bool], None], path: Path, regression: bool) -> float:
    """CPU time of one call."""
    clock = time.process_time()
    work(path, regression)
    return time.process_time() - clock


def main() -> None:
    """Print a table: one line for each task."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    X = rng.normal(size=(options.rows, 10))
    score = X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + 0.3 * rng.normal(size=options.rows)
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for task, y in (("classification", (score > 0.7).astype(int)), ("regression", score.round(4))):
            path = Path(folder) / f"{task}.csv"
            heads = ",".join([*(f"x{j}" for j in range(X.shape[1])), "y"])
            np.savetxt(path, np.column_stack((X, y)), delimiter=",", fmt="%.5g", header=heads, comments="")
            found = {work: [] for work in (loop, command)}
            for _ in range(options.rounds):
                for work, times in found.items():
                    times.append(seconds(work, path, task == "regression"))
            alone, ours = (min(times) for times in found.values())
            verdict = "reached" if ours <= GOAL * alone else "not reached"
            lines.append(
                [task, f"{options.rows:,}", f"{alone:.2f}", f"{ours:.2f}", f"{ours / alone:.2f}", verdict]
            )
    heads = ["default of", "rows", "loop, s", "run, s", "run / loop", f"goal: at most {GOAL}"]
    print(Table("The run command beside a loop in Python, CPU time", heads, lines).text())


if __name__ == "__main__":
    main()
