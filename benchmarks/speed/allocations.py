"""Heap allocations per call in steady state: C++ (operator new), malloc of everybody, growth of Python's memory.

The counter is compiled from ``allocations.cpp`` and preloaded into a fresh interpreter, which runs this module. By hand, with the
frames of the first C++ allocations on standard error: ``python -m benchmarks.speed.allocations osboost perceptron learn_one 3``.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import os
import subprocess
import sys
import tempfile
import tracemalloc
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.models import build
from benchmarks.speed.native import compile_library
from benchmarks.streams import make

WARM, CALLS, BLOCK = 1_500, 400, 200
VERBS = ("learn_one", "predict_one", "predict_proba_one", "test_then_train")
STREAMS = {
    "perceptron": "hyperplane",
    "ogd": "hyperplane",
    "logistic": "hyperplane",
    "naive-bayes, numeric": "gaussians",
    "naive-bayes, nominal": "nominal",
    "stump": "nominal",
    "hoeffding-tree": "gaussians",
    "mlp": "hyperplane",
}
LIBRARY = "STREAMBOOST_ALLOCATION_COUNTER"


@dataclass(frozen=True)
class Counted:
    """Per call; for ``test_then_train``: what one more row of a block adds, the cost of the call itself left out."""

    ensemble: str
    learner: str
    verb: str
    news: float
    new_bytes: float
    mallocs: float
    malloc_bytes: float
    python_growth: float  # bytes that Python's allocator kept


Calls = Callable[[int], None]


def calls_of(ensemble: str, learner: str, verb: str, n_estimators: int) -> list[Calls]:
    """A warm model's verb, as a function of the number of calls; two of them for blocks of BLOCK and of 2 * BLOCK rows."""
    stream = make(STREAMS[learner], WARM + 2 * BLOCK)
    model = build(ensemble, learner.split(",")[0], stream, n_estimators=n_estimators)
    if verb == "test_then_train":
        model.test_then_train(stream.X[:WARM], stream.y[:WARM], classes=stream.classes)

        def blocks(calls: int, rows: int) -> None:
            X, y = stream.X[WARM : WARM + rows], stream.y[WARM : WARM + rows]
            for _ in range(calls):
                model.test_then_train(X, y, classes=stream.classes)

        return [partial(blocks, rows=BLOCK), partial(blocks, rows=2 * BLOCK)]
    rows: list[dict[Any, Any]] = [dict(enumerate(x)) for x in stream.X.tolist()]
    labels = stream.y.tolist()
    for x, y in zip(rows[:WARM], labels[:WARM], strict=True):
        # Declared classes, because some ensembles need them; every value has been seen when the count begins.
        model.learn_one(x, y, classes=stream.classes)
    method, events = getattr(model, verb), list(zip(rows[WARM:], labels[WARM:], strict=True))
    arguments: list[tuple[Any, ...]] = list(events) if verb == "learn_one" else [(x,) for x, _ in events]

    def singles(calls: int) -> None:
        for given in itertools.islice(itertools.cycle(arguments), calls):
            method(*given)

    return [singles]


def count_calls(run: Calls, calls: int, traces: int) -> list[float]:
    """News, their bytes, mallocs, their bytes and the growth of Python's memory, per call."""
    run(calls)
    counter = ctypes.CDLL(os.environ[LIBRARY])
    found = (ctypes.c_long * 4)()
    counter.allocations_start(ctypes.c_long(traces))
    run(calls)
    counter.allocations_stop(found)
    tracemalloc.start()
    run(calls)  # what tracing itself keeps comes first
    before = tracemalloc.get_traced_memory()[0]
    run(calls)
    growth = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return [value / calls for value in (*found, growth)]


def count(ensemble: str, learner: str, verb: str, n_estimators: int, traces: int) -> Counted:
    runs = calls_of(ensemble, learner, verb, n_estimators)
    calls = CALLS if len(runs) == 1 else 4
    each = [count_calls(run, calls, traces) for run in runs]
    if len(runs) == 1:
        return Counted(ensemble, learner, verb, *each[0])
    return Counted(ensemble, learner, verb, *[(b - a) / BLOCK for a, b in zip(*each, strict=True)])


def preloaded(*arguments: str) -> str:
    """Run this module with the counter in place; gives its standard output."""
    with tempfile.TemporaryDirectory(prefix="streamboost-bench-") as folder:
        library = str(compile_library("allocations.cpp", Path(folder), "-O2", "-g"))
        environment = {**os.environ, "LD_PRELOAD": library, LIBRARY: library}
        command = [sys.executable, "-m", "benchmarks.speed.allocations", *arguments]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the counted process ended with {done.returncode}")
    return done.stdout


def measure(pairs: list[tuple[str, str]], verbs: tuple[str, ...], n_estimators: int) -> list[Counted]:
    """Every pair x verb, in one fresh interpreter."""
    wanted = [(ensemble, learner, verb) for ensemble, learner in pairs for verb in verbs]
    lines = preloaded("--cases", json.dumps(wanted), str(n_estimators)).splitlines()
    return [Counted(**json.loads(line)) for line in lines]


def main(arguments: list[str]) -> None:
    warnings.simplefilter("ignore")
    if arguments[:1] == ["--cases"]:
        cases, n_estimators, traces = json.loads(arguments[1]), int(arguments[2]), 0
    else:
        ensemble, learner, verb, *rest = arguments
        cases, n_estimators, traces = [(ensemble, learner, verb)], 100, int(rest[0]) if rest else 0
        if LIBRARY not in os.environ:
            print(preloaded(*arguments), end="")
            return
    for ensemble, learner, verb in cases:
        print(json.dumps(vars(count(ensemble, learner, verb, n_estimators, traces))), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
