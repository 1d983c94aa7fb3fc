"""Examples per second of every ensemble with every learner, all entries interleaved."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from benchmarks.clock import Stopwatch
from benchmarks.models import VARIANTS, build
from benchmarks.streams import Stream, make
from streamboost.catalogue import learner_entry, model_entry
from streamboost.models import MODELS

N = 100
ENSEMBLES = (*MODELS, *VARIANTS)
STEADY = tuple(name for name in ENSEMBLES if name in VARIANTS or model_entry(name).steady)
# What a learner is fed: linear learners and numeric naive Bayes see numbers, nominal naive Bayes sees codes.
LEARNERS = (
    ("perceptron", "perceptron", "hyperplane"),
    ("ogd", "ogd", "hyperplane"),
    ("logistic", "logistic", "hyperplane"),
    ("naive-bayes, numeric", "naive-bayes", "gaussians"),
    ("naive-bayes, nominal", "naive-bayes", "nominal"),
    ("stump, nominal", "stump", "nominal"),
    ("hoeffding-tree, numeric", "hoeffding-tree", "gaussians"),
    ("hoeffding-tree, nominal", "hoeffding-tree", "nominal"),
    ("tan", "tan", "nominal"),
    ("ban", "ban", "nominal"),
    ("mlp", "mlp", "hyperplane"),
)
# Learners that take ten times as long and more see a tenth of the rows or less, and potentials of several classes too.
SLOW = ("hoeffding-tree", "mlp", "stump", "online-mbbm", "primed-boost")
SLOWEST = ("tan", "ban")


def takes(ensemble: str, learner: str) -> bool:
    """Whether an ensemble is made of learners of this kind; others have a row of their own."""
    entry = model_entry(VARIANTS.get(ensemble, (ensemble,))[0])
    return entry.learner and entry.learner_task == learner_entry(learner).task


def rows_for(ensemble: str, learner: str, rows: int) -> int:
    return rows // 40 if learner in SLOWEST else rows // 10 if ensemble in SLOW or learner in SLOW else rows


@dataclass
class Entry:
    """One measured thing. ``pass_over`` takes the stopwatch, does one pass and gives the accuracy."""

    name: str
    rows: int
    pass_over: Callable[[Stopwatch], float]
    seconds: list[float] = field(default_factory=list)
    accuracy: float = float("nan")
    error: str = ""

    @property
    def rate(self) -> float:
        return self.rows / median(self.seconds) if self.seconds else float("nan")


def model_pass(
    model: str, learner: str | None, stream: Stream, **options: Any
) -> Callable[[Stopwatch], float]:
    def pass_over(watch: Stopwatch) -> float:
        untrained = build(model, learner, stream, n_estimators=N, **options)
        with watch:
            answers = untrained.test_then_train(stream.X, stream.y, classes=stream.classes)
        return float((answers == stream.y).mean())

    return pass_over


def entries(rows: int, only: str = "") -> dict[tuple[str, str], Entry]:
    """By ensemble and learner."""
    sizes = {rows_for(ensemble, learner, rows) for ensemble in ENSEMBLES for _, learner, _ in LEARNERS}
    streams = {(stream, n): make(stream, n) for _, _, stream in LEARNERS for n in sizes}
    return {
        (ensemble, label): Entry(
            f"{ensemble} + {label}", n, model_pass(ensemble, learner, streams[stream, n])
        )
        for ensemble in ENSEMBLES
        for label, learner, stream in LEARNERS
        for n in [rows_for(ensemble, learner, rows)]
        if takes(ensemble, learner) and only in f"{ensemble} + {label}"
    }


def measure(wanted: list[Entry], repetitions: int) -> None:
    """Round after round through all entries, so that a slow minute of the machine hits all alike.

    The first round warms up and is not counted. Garbage collection waits until a round is over.
    """
    for repetition in range(repetitions + 1):
        gc.collect()
        gc.disable()
        for entry in wanted:
            if entry.error:
                continue
            watch = Stopwatch()
            try:
                entry.accuracy = entry.pass_over(watch)
            except Exception as error:  # one broken entry must not hide the others
                entry.error = f"{type(error).__name__}: {error}".splitlines()[0][:120]
                continue
            if repetition > 0:
                entry.seconds.append(watch.thread)
        gc.enable()
