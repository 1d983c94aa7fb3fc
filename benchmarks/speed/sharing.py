"""``python -m benchmarks.speed.sharing``: what it costs to share a model: snapshots against copies, and the lock of `learn_one`.

``--against DIR`` compares single calls and rows in chunks, without calibration, with another build, installed by ``pip install
--target DIR``: short runs of both take turns, so that whatever else the machine does falls on both alike.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

RUNS = 7
CALLS = 3000

# Only public verbs, so that any build can run it. Time of the thread: the machine may be busy.
CHILD = """
import json, sys, time
import numpy as np
import streamboost
from streamboost import *
X = np.random.default_rng(0).normal(size=(2000, 20))
rows = [{f"x{j}": v for j, v in enumerate(row)} for row in X.tolist()]
y = (X[:, 0] > 0).astype(int).tolist()
model = OSBoostClassifier(Perceptron(), n_estimators=int(sys.argv[2]), calibration=None, random_state=1)
for row, label in zip(rows, y):
    model.learn_one(row, label)
def middle(call, arguments):
    spent, n = [], len(arguments)
    for i in range(int(sys.argv[1])):
        given = arguments[i % n]
        start = time.thread_time_ns()
        call(*given)
        spent.append(time.thread_time_ns() - start)
    return float(np.median(spent)) / 1000
asked = [(row,) for row in rows]
many = np.tile(X, (3, 1))
labels = np.tile(y, 3)
def per_row(kind, learner):
    regressor = kind.__name__.endswith("Regressor")
    plain = {} if regressor else {"calibration": None}
    model = kind(learner, n_estimators=int(sys.argv[2]), random_state=1, **plain)
    model.partial_fit(X, y, **({} if regressor else {"classes": [0, 1]}))
    spent = []
    for _ in range(3):
        start = time.thread_time_ns()
        model.test_then_train(many, labels)
        spent.append(time.thread_time_ns() - start)
    return min(spent) / len(many) / 1000
kinds = {
    "OSBoost, perceptrons": (OSBoostClassifier, Perceptron()),
    "OSBoost, logistic": (OSBoostClassifier, LogisticRegression()),
    "BBM, perceptrons": (OnlineBBMClassifier, Perceptron()),
    "AdaBoost.OL, perceptrons": (AdaBoostOLClassifier, Perceptron()),
    "Oza, naive Bayes": (OnlineBoostingClassifier, NaiveBayes()),
    "Oza, trees": (OnlineBoostingClassifier, HoeffdingTree()),
    "arc-x4, naive Bayes": (OnlineArcX4Classifier, NaiveBayes()),
    "bagging, naive Bayes": (OnlineBaggingClassifier, NaiveBayes()),
    "bagging, trees": (OnlineBaggingClassifier, HoeffdingTree()),
    "leveraging bagging, trees": (LeveragingBaggingClassifier, None),
    "MBBM, trees": (OnlineMBBMClassifier, HoeffdingTree()),
    "AdaBoost.OLM, trees": (AdaBoostOLMClassifier, HoeffdingTree()),
    "bagging of numbers, trees": (OnlineBaggingRegressor, HoeffdingTreeRegressor()),
}
print(json.dumps({
    "where": streamboost.__file__,
    "learn_one": middle(model.learn_one, list(zip(rows, y))),
    "predict_one": middle(model.predict_one, asked),
    "predict_proba_one": middle(model.predict_proba_one, asked),
    **{name: per_row(*kind) for name, kind in kinds.items()},
}))
"""


def single_calls(place: Path, n_estimators: int) -> dict[str, Any]:
    """Medians of single calls of one build, in a process of its own. No site hooks: they would prefer this build."""
    paths = [str(place), *[path for path in sys.path if path.endswith("site-packages")]]
    done = subprocess.run(
        [sys.executable, "-S", "-c", CHILD, str(CALLS), str(n_estimators)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    if Path(found["where"]).parent.parent != place:
        raise SystemExit(f"{place} holds no streamboost: {found['where']} was imported.")
    return found


def compare(here: Path, there: Path, n_runs: int) -> None:
    """Microseconds of a call, or of a row of `test_then_train`: the least of some runs."""
    for n_estimators in (10, 100):
        runs = [(single_calls(there, n_estimators), single_calls(here, n_estimators)) for _ in range(n_runs)]
        for what in [name for name in runs[0][0] if name != "where"]:
            before, after = (min(run[side][what] for run in runs) for side in (0, 1))
            print(
                f"{what:26} {n_estimators:4} learners, 20 numbers: {before:7.2f} us before, {after:7.2f} us now, "
                f"ratio {after / before:.2f}",
                flush=True,
            )


def best(call: Callable[[], object], times: int = 5) -> float:
    """Milliseconds of the quickest of some calls."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return min(found) * 1000


def snapshots() -> None:
    from streamboost import (
        HoeffdingTree,
        NaiveBayes,
        OnlineBaggingClassifier,
        OnlineBoostingClassifier,
        OSBoostClassifier,
        Perceptron,
        StreamBoostClassifier,
    )

    rng = np.random.default_rng(0)
    few, tables = 50, ((10, 20), (100, 20), (100, 1000), (1000, 1000))
    many, trees = 20_000, ((10, 20), (30, 20))
    print(
        f"{'model':24}{'learners':>10}{'columns':>9}{'bytes':>14}{'snapshot ms':>13}{'deepcopy ms':>13}{'MB/s':>8}"
    )
    makers: tuple[tuple[str, Any, Any, int, Any], ...] = (
        ("OSBoost, perceptrons", OSBoostClassifier, Perceptron(), few, tables),
        ("Oza, naive Bayes", OnlineBoostingClassifier, NaiveBayes(), few, tables),
        ("bagging, trees", OnlineBaggingClassifier, HoeffdingTree(), many, trees),
        ("StreamBoost", StreamBoostClassifier, None, many, trees),
    )
    for name, kind, learner, rows, sizes in makers:
        for n, d in sizes:
            X = rng.normal(size=(rows, d))
            y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
            model = kind(learner, n_estimators=n, random_state=1).fit(X, y)
            size, quick = model.memory_bytes(), best(model.snapshot)
            slow = best(lambda model=model: copy.deepcopy(model), 3)  # type: ignore[misc]
            print(f"{name:24}{n:10}{d:9}{size:14}{quick:13.3f}{slow:13.3f}{size / 1e3 / quick:8.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="another build, installed by pip install --target")
    parser.add_argument(
        "--build", type=Path, help="this build likewise; default: where streamboost is imported from"
    )
    parser.add_argument("--runs", type=int, default=RUNS, help="processes of each build")
    options = parser.parse_args()
    if options.against is None:
        snapshots()
        return
    import streamboost

    here = options.build or Path(streamboost.__file__).parent.parent
    compare(here.resolve(), options.against.resolve(), options.runs)


if __name__ == "__main__":
    main()
