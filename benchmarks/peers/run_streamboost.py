"""Ours: one ``test_then_train`` over the whole stream with default options, monitor included."""

from __future__ import annotations

from typing import Any

import streamboost
from benchmarks.clock import Stopwatch
from benchmarks.models import LEARNERS, MODELS, build
from benchmarks.streams import Stream

# Names load on first use: load them now, so that the memory of the imports is not taken for the model's.
for name in (*MODELS.values(), *LEARNERS.values()):
    getattr(streamboost, name)


class Runner:
    driver = "test_then_train on the array, default options"

    def __init__(self, stream: Stream, spec: dict[str, Any]) -> None:
        self._stream, self._spec = stream, spec

    def run(self, watch: Stopwatch) -> float:
        stream = self._stream
        model = build(
            self._spec["model"], self._spec["learner"], stream, n_estimators=self._spec["n_estimators"]
        )
        with watch:
            answers = model.test_then_train(stream.X, stream.y, classes=stream.classes)
        return float((answers == stream.y).mean())
