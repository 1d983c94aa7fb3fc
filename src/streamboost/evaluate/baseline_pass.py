"""The baselines of a task over the same rows as a model, in the same pass, so that its figures can be compared with theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from streamboost.baselines import baselines_of
from streamboost.evaluate.delay import LateLabels, tell_delay
from streamboost.evaluate.result import PrequentialResult
from streamboost.evaluate.task import Scores, Settings, Task
from streamboost.streams.base import Chunk, Stream


class BaselinePass:
    """Every baseline of a task over one stream. They look at labels only, which come as late as the model's."""

    def __init__(self, task: Task[Any], settings: Settings, stream: Stream) -> None:
        plain = replace(settings, metrics=task.metrics.choose(()), fading=None, keep_errors=False, points=1)
        known = baselines_of(task.name, settings.season)
        self._models = {name: tell_delay(settings.delay, make()) for name, make in known.items()}
        self._late = {name: LateLabels(settings.delay) if settings.delay else None for name in known}
        self.scores: dict[str, Scores] = {name: task.scores(plain, stream) for name in known}

    def add(self, chunk: Chunk, truth: Any) -> None:
        """Answer and learn the labels of a chunk."""
        chunk = replace(chunk, X=np.zeros((len(chunk), 0)), label_codes=None)
        for name, model in self._models.items():
            late = self._late[name]
            if late is None:
                answers = model.test_then_train(chunk.X, chunk.y, sample_weight=chunk.weight)
            else:
                answers = late.test_then_train(model, chunk, {})
            self.scores[name].add(truth, answers, model)


def baseline_results(
    task: Task[Any], passes: Sequence[BaselinePass], **shared: Any
) -> tuple[PrequentialResult, ...]:
    """What came out of the passes, one for each order."""
    return tuple(
        task.result(
            [one.scores[name] for one in passes],
            model_name=name,
            seconds=0.0,
            memory_bytes=None,
            **shared,
        )
        for name in (passes[0].scores if passes else ())
    )
