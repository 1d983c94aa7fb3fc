"""The last targets, predictions and intervals of a regressor's run, kept for its picture."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from streamboost.adapters.any_model import given
from streamboost.evaluate.delay import LateLabels
from streamboost.evaluate.result import Floats
from streamboost.streams.base import Chunk

LAST = 300
"""Rows that are kept."""


def last_rows(before: Floats, now: Floats) -> Floats:
    """The last rows after some more have come."""
    return np.concatenate((before, now[-LAST:]))[-LAST:]


class IntervalPass:
    """The intervals of a regressor, by a copy of it that learns the same rows: one pass gives answers or intervals, not both."""

    def __init__(self, model: Any, coverage: float, delay: int) -> None:
        if not hasattr(model, "test_then_train_intervals"):
            raise ValueError(f"keep_intervals={coverage!r}: a {type(model).__name__} has no intervals.")
        if model.random_state is None:
            raise ValueError(
                f"keep_intervals={coverage!r} needs a model with a random_state: a copy of it makes the intervals."
            )
        self.intervals: Floats = np.empty((0, 2))
        self._model = copy.deepcopy(model)
        self._coverage = coverage
        self._late = LateLabels(delay) if delay else None

    def add(self, chunk: Chunk, truth: Floats) -> None:
        """Answer with intervals and learn a chunk."""
        options: dict[str, Any] = {"coverage": self._coverage}
        if chunk.weight is not None:
            options["sample_weight"] = chunk.weight
        if self._late is None:
            ends = self._model.test_then_train_intervals(*given(self._model, chunk), **options)
        else:
            ends = self._late.test_then_train(self._model, chunk, options, "test_then_train_intervals")
        self.intervals = last_rows(self.intervals, ends)
