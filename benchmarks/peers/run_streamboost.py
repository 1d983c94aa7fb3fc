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
    driver = "test_then_train on the array, default options unless named"
    model_bytes: float | None = None

    def __init__(self, stream: Stream, spec: dict[str, Any]) -> None:
        self._stream, self._spec = stream, spec

    def run(self, watch: Stopwatch, seed: int) -> float:
        stream = self._stream
        spec = self._spec
        model = build(
            spec["model"],
            spec["learner"],
            stream,
            n_estimators=spec["n_estimators"],
            random_state=seed,
            learner_options=spec["learner_options"],
            **spec["options"],
        )
        with watch:
            answers = model.test_then_train(stream.X, stream.y, classes=stream.classes)
        self.model_bytes = model.memory_bytes()
        return float((answers == stream.y).mean())
