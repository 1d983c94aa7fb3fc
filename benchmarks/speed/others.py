"""Entries of ``make bench`` beside ensembles of any learner: those of their own trees, regressors, expert advice, sequences,
multiclass boosters side by side."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import streamboost
from benchmarks.clock import Stopwatch
from benchmarks.speed.throughput import Entry, N, measure, model_pass
from benchmarks.streams import clusters, make
from benchmarks.tables import Table

EXPERTS = ("Perceptron", "OGD", "LogisticRegression", "NaiveBayes")
MIXTURES = {
    "weighted-majority": "WeightedMajorityClassifier",
    "hedge": "HedgeClassifier",
    "winnow": "WinnowClassifier",
}
OWN = ("streaming-gradient-boost", "replay-boosting")
NUMBERS = {
    "gradient-boosting + linear-regression": ("OnlineGradientBoostingRegressor", "LinearRegression"),
    "bagging-regressor + linear-regression": ("OnlineBaggingRegressor", "LinearRegression"),
    "adaptive-random-forest-regressor": ("AdaptiveRandomForestRegressor", None),
    "streaming-gradient-boosting-regressor": ("StreamingGradientBoostingRegressor", None),
}
NUMBERS_RATE = 300_000.0  # examples a second of the boosted linear lanes
CLASSES, SLOWER = 10, 3.0  # OnlineMBBM with pairwise potentials over AdaBoost.OLM
MULTICLASS_LEARNERS = ("perceptron", "naive-bayes", "hoeffding-tree")
Pass = Callable[[Stopwatch], float]


def mixture_pass(name: str, rows: int) -> Pass:
    stream = make("gaussians", rows)

    def pass_over(watch: Stopwatch) -> float:
        experts = [streamboost.SingleLearnerClassifier(getattr(streamboost, e)()) for e in EXPERTS]
        model = getattr(streamboost, MIXTURES[name])(experts, random_state=7)
        with watch:
            answers = model.test_then_train(stream.X, stream.y, classes=stream.classes)
        return float((answers == stream.y).mean())

    return pass_over


def sequence_pass(rows: int) -> Pass:
    rng = np.random.default_rng(1)
    x = np.zeros(rows)
    for t in range(2, rows):
        x[t] = 1.6 * x[t - 1] - 0.8 * x[t - 2] + rng.normal()

    def pass_over(watch: Stopwatch) -> float:
        model = streamboost.UniversalPredictor()
        with watch:
            model.test_then_train(x)
        return float("nan")

    return pass_over


def numbers_pass(name: str, rows: int) -> Pass:
    """A hundred learners (of streaming gradient boosting ten bags of ten) on a linear target of 20 columns with noise; the share
    of its variance that is explained."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(rows, 20))
    y = X @ rng.normal(size=20) + rng.normal(size=rows)
    kind, learner = NUMBERS[name]

    def pass_over(watch: Stopwatch) -> float:
        own = kind == "StreamingGradientBoostingRegressor"
        size = {} if own else {"n_estimators": N}
        model = getattr(streamboost, kind)(
            learner and getattr(streamboost, learner)(), **size, random_state=7
        )
        with watch:
            answers = model.test_then_train(X, y)
        return float(1 - np.mean((answers - y)[1:] ** 2) / y.var())

    return pass_over


def entries(rows: int) -> dict[str, Entry]:
    """Experts are asked and taught one by one, through their public face: a twentieth of the rows will do."""
    found = {
        name: Entry(name, n, model_pass(name, None, make("gaussians", n)))
        for name in OWN
        for n in (rows // 5,)
    }
    found |= {
        name: Entry(name, n, numbers_pass(name, n))
        for name, (_, learner) in NUMBERS.items()
        for n in (rows if learner else rows // 20,)
    }
    rows //= 20
    found.update({name: Entry(name, rows, mixture_pass(name, rows)) for name in MIXTURES})
    found["universal predictor"] = Entry("universal predictor", rows, sequence_pass(rows))
    return found


def others_table(found: dict[str, Entry]) -> Table:
    table = Table(
        "Own trees, numbers, expert advice and sequences",
        ["model", "examples/s", "accuracy", "remark"],
        note=f"Streaming gradient boosting: {N} trees, as a regressor 10 bags of 10. Other regressors: {N} learners;"
        " accuracy is R2."
        f" 20 features. Expert advice over {len(EXPERTS)} models ({', '.join(EXPERTS)}). Universal predictor:"
        " numbers per second, orders 1 to 8.",
    )
    for name, entry in found.items():
        rate = f"{entry.rate:,.0f}" if entry.seconds else "-"
        accuracy = f"{entry.accuracy:.4f}" if entry.accuracy == entry.accuracy else "-"
        table.add(name, rate, accuracy, f"not run: {entry.error}" if entry.error else "")
    return table


def multiclass(rows: int, repetitions: int) -> tuple[dict[str, float], Table]:
    """What OnlineMBBM costs over AdaBoost.OLM with ten classes, by learner; and the table.

    By default it is a booster for each of several edges, so one with one edge runs beside them.
    """
    wide, short = (clusters(n, n_classes=CLASSES) for n in (rows // 5, rows // 20))
    found: dict[tuple[str, str], Entry] = {}
    for learner in MULTICLASS_LEARNERS:
        stream = short if learner == "hoeffding-tree" else wide
        for name, model, options in (
            ("grid", "online-mbbm", {"potential": "pairwise"}),
            ("one", "online-mbbm", {"potential": "pairwise", "edge": 0.1}),
            ("olm", "adaboost-olm", {}),
        ):
            run = model_pass(model, learner, stream, **options)
            found[name, learner] = Entry(f"{model} + {learner}", len(stream.y), run)
    measure(list(found.values()), repetitions)
    table = Table(
        f"Multiclass boosters, {CLASSES} classes",
        [
            "learner",
            "online-mbbm, pairwise, four edges",
            "accuracy",
            "one edge",
            "accuracy",
            "adaboost-olm",
            "accuracy",
            "four edges: times slower",
            "one edge",
        ],
        note=f"{N} learners, of online-mbbm for each edge; 10 columns, examples/s. Four edges are the default: four boosters,"
        " each with its own learners to ask and to teach. Four times the last column is what they would cost one after the other"
        " with a machine to themselves: at .75 and more three times cannot be had. Trees of four boosters share the caches.",
    )
    ratios = {}
    for learner in MULTICLASS_LEARNERS:
        entries = [found[name, learner] for name in ("grid", "one", "olm")]
        failed = next((entry.error for entry in entries if entry.error), None)
        if failed:
            table.add(learner, *["-"] * 7, failed)
            continue
        grid, one, olm = entries
        ratios[learner] = olm.rate / grid.rate
        cells = [cell for entry in entries for cell in (f"{entry.rate:,.0f}", f"{entry.accuracy:.4f}")]
        table.add(learner, *cells, f"{ratios[learner]:.2f}x", f"{olm.rate / one.rate:.2f}x")
    return ratios, table
