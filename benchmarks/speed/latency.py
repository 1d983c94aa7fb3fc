"""Latency of the dict verbs: what one event costs a service that sees events one by one."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.models import build
from benchmarks.streams import make


@dataclass(frozen=True)
class Latency:
    """Microseconds per call, wall time: the median does not see the calls during which others had the core."""

    verb: str
    p50: float
    p99: float
    worst: float


def timed(verb: str, call: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> Latency:
    clock = time.perf_counter_ns
    spent = np.empty(len(arguments), dtype=np.int64)
    gc.collect()
    gc.disable()
    for i, values in enumerate(arguments):
        start = clock()
        call(*values)
        spent[i] = clock() - start
    gc.enable()
    p50, p99 = np.percentile(spent, [50, 99]) / 1000
    return Latency(verb, float(p50), float(p99), float(spent.max() / 1000))


def measure(model: str, learner: str, stream_name: str, calls: int, n_estimators: int = 100) -> list[Latency]:
    warm = 1_000
    stream = make(stream_name, warm + calls)
    untrained = build(model, learner, stream, n_estimators=n_estimators)
    rows = [{f"x{j}": value for j, value in enumerate(x)} for x in stream.X.tolist()]
    labels = stream.y.tolist()
    for x, y in zip(rows[:warm], labels[:warm], strict=True):
        untrained.learn_one(x, y)
    events = rows[warm:]
    learn = timed("learn_one", untrained.learn_one, list(zip(events, labels[warm:], strict=True)))
    predict = timed("predict_one", untrained.predict_one, [(x,) for x in events])
    proba = timed("predict_proba_one", untrained.predict_proba_one, [(x,) for x in events])
    return [learn, predict, proba]
