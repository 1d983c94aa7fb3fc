"""The curves of the scaling page: models of growing size in steady state, and memory over a long stream."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.clock import Stopwatch
from benchmarks.models import build
from benchmarks.speed.steady import Steady, series
from benchmarks.streams import Stream, make
from streamboost.learners import tree_text
from streamboost.streams import make_generator

POOL = 8_192  # rows of a stream that is fed again and again
NONZEROS = 30
TREES_OF_A_DEPTH = 10

# Those whose lanes are the cost. Guarded ensembles keep a window and a second learner for each lane, online-mbbm
# potentials that grow with the square of their number: 10,000 exceed `max_bytes`.
LINEAR = (
    "bagging",
    "oza-boost",
    "osboost",
    "osboost, ocp",
    "osboost, exp",
    "ogboost",
    "online-bbm",
    "adaboost-ol",
    "adaboost-ol.w",
    "adaboost-olm",
    "bayes",
    "arc-x4",
)
BAYES = [(e, s) for e in ("bagging", "oza-boost", "osboost") for s in ("gaussians", "nominal")]

Curves = dict[str, dict[int, Steady]]


def against_learners(sizes: list[int], rounds: int, only: str = "") -> Curves:
    streams = {name: make(name, POOL) for name in ("hyperplane", "gaussians", "nominal")}
    entries = {f"{ensemble} + perceptron": (ensemble, "perceptron", "hyperplane") for ensemble in LINEAR}
    entries |= {
        f"{ensemble} + naive-bayes, {'numeric' if stream == 'gaussians' else 'nominal'}": (
            ensemble,
            "naive-bayes",
            stream,
        )
        for ensemble, stream in BAYES
    }

    def case(name: str, size: int) -> Steady:
        ensemble, learner, stream = entries[name]
        return Steady(
            name, size, build(ensemble, learner, streams[stream], n_estimators=size), streams[stream]
        )

    return series([name for name in entries if only in name], sizes, case, rounds, look=look_at_mistakes)


def look_at_mistakes(case: Steady) -> None:
    case.seen = {"wrong": float(np.mean(case.model.report().lanes["error_rate"]))}


def sparse_stream(d: int, rows: int, nonzeros: int = NONZEROS, seed: int = 4) -> Stream:
    """Rows of equally many nonzeros in columns chosen at random; the label is the sign of a fixed linear function."""
    rng = np.random.default_rng(seed)
    nonzeros = min(nonzeros, d)
    # One column out of each of as many equal ranges: distinct, sorted, and spread over all columns.
    columns = ((np.arange(nonzeros) + rng.random((rows, nonzeros))) * (d / nonzeros)).astype(np.int32)
    values = rng.normal(size=(rows, nonzeros))
    starts = np.arange(0, rows * nonzeros + 1, nonzeros)
    X = sparse.csr_matrix((values.ravel(), columns.ravel(), starts), shape=(rows, d))
    y = (X @ rng.normal(size=d) > 0).astype(np.int64)
    return Stream("sparse", X, y)


def against_columns(sizes: list[int], rounds: int) -> Curves:
    """A linear row costs its nonzeros; naive Bayes of numbers sees zeros as data and costs all columns."""
    streams = {d: sparse_stream(d, POOL) for d in sizes}
    entries = {
        "osboost + perceptron": ("osboost", "perceptron", 100),
        "osboost + ogd": ("osboost", "ogd", 100),
        "osboost + logistic": ("osboost", "logistic", 100),
        "osboost + naive-bayes, 10 learners": ("osboost", "naive-bayes", 10),
    }

    def case(name: str, size: int) -> Steady:
        ensemble, learner, n = entries[name]
        model = build(ensemble, learner, streams[size], n_estimators=n)
        return Steady(name, size, model, streams[size], warm_rows=64 if n == 10 else 1_024)

    return series(list(entries), sizes, case, rounds)


def against_trees(sizes: list[int], rounds: int) -> Curves:
    streams = {"oza-boost": make("hyperplane", POOL), "bagging": make("hyperplane", POOL)}

    def case(name: str, size: int) -> Steady:
        stream = streams[name.split(" + ")[0]]
        model = build(name.split(" + ")[0], "hoeffding-tree", stream, n_estimators=size)
        return Steady(name, size, model, stream, warm_rows=POOL)

    return series([f"{ensemble} + hoeffding-tree" for ensemble in streams], sizes, case, rounds)


def against_depth(sizes: list[int], rounds: int, rows: int) -> Curves:
    stream = make("clusters", rows)

    def case(name: str, size: int) -> Steady:
        options = {"max_depth": size, "grace_period": 50, "tie_threshold": 0.2}
        model = build(
            "bagging", "hoeffding-tree", stream, n_estimators=TREES_OF_A_DEPTH, learner_options=options
        )
        return Steady(name, size, model, stream, warm_rows=rows)

    return series(["bagging + hoeffding-tree"], sizes, case, rounds, look=shape_of_trees)


def shape_of_trees(case: Steady, n_trees: int = TREES_OF_A_DEPTH) -> None:
    """Mean number of leaves and mean depth of the deepest."""
    trees = [tree_text(case.model, lane).splitlines() for lane in range(n_trees)]
    leaves = [max(1, sum(": " in line for line in tree)) for tree in trees]
    depths = [max(line.count("|   ") for line in tree) + (len(tree) > 1) for tree in trees]
    case.seen = {"leaves": float(np.mean(leaves)), "depth": float(np.mean(depths))}


def resident_bytes() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:", 1)[1].split(maxsplit=1)[0]) * 1024


@dataclass(frozen=True)
class Mark:
    """The state of things after so many examples."""

    examples: int
    model_bytes: int
    resident: int
    nanoseconds: float  # CPU per example since the mark before, learning only


LONG_RUNS = {
    "osboost + perceptron": ("osboost", "perceptron", "hyperplane", {}),
    "oza-boost + naive-bayes": ("oza-boost", "naive-bayes", "hyperplane", {}),
    "bagging + hoeffding-tree, max_bytes=50,000": (
        "bagging",
        "hoeffding-tree",
        "rbf",
        {"max_bytes": 50_000},
    ),
}


def long_run(name: str, marks: list[int]) -> Iterator[Mark]:
    """Ten learners over a generated stream, one chunk in memory at a time."""
    ensemble, learner, generator, options = LONG_RUNS[name]
    stream = make_generator(generator, limit=marks[-1])
    model = None
    seen, spent, since = 0, 0.0, 0
    for chunk in stream.chunks():
        if model is None:
            model = build(
                ensemble, learner, Stream(name, chunk.X, chunk.y), n_estimators=10, learner_options=options
            )
        with Stopwatch() as watch:
            model.test_then_train(chunk.X, chunk.y, classes=[0, 1])
        spent, seen, since = spent + watch.thread, seen + len(chunk), since + len(chunk)
        if seen >= marks[0]:
            yield Mark(seen, model.memory_bytes(), resident_bytes(), spent / since * 1e9)
            marks, spent, since = marks[1:], 0.0, 0
            if not marks:
                return
