"""MOA inside CapyMOA's JVM: instances built once in memory, the loop in Java, no Python per example.

The loop is the one behind CapyMOA's ``prequential_evaluation(optimise=True)``; the first pass warms the JVM.
Timed by the calling thread: beside it JPype's reference thread burns up to half as much again, which is not
MOA's cost. The garbage collector and the compiler are, but they run in other threads too and are left out, in
MOA's favour.
"""

from __future__ import annotations

import gc
import os
import time
from typing import Any

os.environ.setdefault("CAPYMOA_JVM_ARGS", "-Xmx2g -Xss10M -XX:+UseSerialGC")

import capymoa  # noqa: F401  (starts the JVM, which makes the imports below possible)
from com.yahoo.labs.samoa.instances import (
    Attribute,
    DenseInstance,
    Instances,
    InstancesHeader,
    SparseInstance,
)
from java.lang import Runtime, System
from java.util import ArrayList
from jpype import JArray, JDouble, JInt
from moa.classifiers import Classifier
from moa.evaluation import BasicClassificationPerformanceEvaluator, EfficientEvaluationLoops
from moa.options import ClassOption
from moa.streams import CachedInstancesStream
from scipy.sparse import issparse

from benchmarks.clock import Stopwatch
from benchmarks.streams import Stream, rows_of

NO_WINDOWS = 1 << 40


def attribute(name: str, n_values: int | None) -> Any:
    if n_values is None:
        return Attribute(name)
    values = ArrayList()
    for value in range(n_values):
        values.add(str(value))
    return Attribute(name, values)


def used_heap() -> float:
    """Bytes of the objects that are still reachable, from Python or from Java; Python's are let go a little later."""
    runtime, least = Runtime.getRuntime(), float("inf")
    for _ in range(4):
        gc.collect()
        System.gc()
        least = min(least, float(runtime.totalMemory() - runtime.freeMemory()))
        time.sleep(0.02)
    return least


class Runner:
    model_bytes: float | None = None

    def __init__(self, stream: Stream, spec: dict[str, Any]) -> None:
        d = stream.X.shape[1]
        attributes = ArrayList()
        for j in range(d):
            attributes.add(attribute(f"x{j}", stream.n_values))
        attributes.add(attribute("class", stream.n_classes))
        self._data = Instances("stream", attributes, len(stream.y))
        self._data.setClassIndex(d)
        self._header = InstancesHeader(self._data)
        for cells, label in zip(rows_of(stream.X), stream.y.tolist(), strict=True):
            values = JArray(JDouble)([*[x for _, x in cells], float(label)])
            if issparse(stream.X):
                columns = JArray(JInt)([*[j for j, _ in cells], d])
                instance = SparseInstance(1.0, values, columns, d + 1)
            else:
                instance = DenseInstance(1.0, values)
            instance.setDataset(self._header)
            self._data.add(instance)
        self._cli = spec["cli"]

    def run(self, watch: Stopwatch, seed: int) -> float:
        before = used_heap()
        learner = ClassOption.cliStringToObject(self._cli, Classifier, None)
        if learner.isRandomizable():
            learner.setRandomSeed(seed)
        learner.setModelContext(self._header)
        learner.prepareForUse()
        evaluator = BasicClassificationPerformanceEvaluator()
        rows = CachedInstancesStream(self._data)
        with watch:
            EfficientEvaluationLoops.PrequentialEvaluation(
                rows, learner, evaluator, None, -1, NO_WINDOWS, False, False
            )
        self.model_bytes = used_heap() - before
        measured = {str(m.getName()): float(m.getValue()) for m in evaluator.getPerformanceMeasurements()}
        return measured["classifications correct (percent)"] / 100
