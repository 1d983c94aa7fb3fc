"""Ours: one ``test_then_train`` over the whole stream with default options, monitor included."""

from __future__ import annotations

from typing import Any

from benchmarks.clock import Stopwatch
from benchmarks.models import build  # loads all models: their memory must not be taken for that of one
from benchmarks.streams import Stream


class Runner:
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
