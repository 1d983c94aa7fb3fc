"""Labels that come late: a row is answered when it arrives and learned when ``delay`` more rows have arrived."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.evaluate.records import stacked, taken
from streamboost.streams.base import Chunk


class LateLabels:
    """The rows that were answered but not learned yet, at most ``delay`` of them.

    Row t is answered, then the label of row t - delay arrives and that row is learned. Both happen in one call of the
    model for a whole chunk: the rows to be answered stand in it with weight 0, which is a question and nothing else,
    each followed by the row whose label has just arrived.
    """

    def __init__(self, delay: int) -> None:
        if delay < 1:
            raise ValueError(f"delay must be at least 1 here, got {delay}.")
        self.delay = delay
        self._X: Any = None
        self._y: npt.NDArray[Any] | None = None
        self._declared: dict[str, Any] = {}

    def test_then_train(self, model: Any, chunk: Chunk, options: Mapping[str, Any]) -> Any:
        """Answer the rows of a chunk, learning those whose labels arrive meanwhile."""
        X, y, waiting = chunk.X, chunk.y, 0
        self._declared |= {name: options[name] for name in ("classes",) if name in options}
        if self._y is not None:
            X, y, waiting = stacked(self._X, X), np.concatenate((self._y, y)), self._y.shape[0]
        asked = np.arange(waiting, y.shape[0])
        script = np.stack((asked, asked - self.delay), axis=1).reshape(-1)
        weight = np.tile([0.0, 1.0], asked.size)
        due = script >= 0
        script, weight = script[due], weight[due]
        answers = model.test_then_train(taken(X, script), y[script], sample_weight=weight, **options)
        left = np.arange(max(0, y.shape[0] - self.delay), y.shape[0])
        self._X, self._y = taken(X, left), y[left]
        question = weight == 0
        if isinstance(answers, tuple):
            return tuple(part[question] for part in answers)
        return np.asarray(answers)[question]

    def learn_rest(self, model: Any) -> None:
        """The stream is over: all labels that are still out arrive."""
        if self._y is not None and self._y.size:
            takes = inspect.signature(model.partial_fit).parameters
            model.partial_fit(self._X, self._y, **(self._declared if "classes" in takes else {}))
        self._X = self._y = None


def check_delay(delay: int, model: Any) -> None:
    """Raise if the delay is none, or if the model cannot be asked without being taught."""
    if delay < 0:
        raise ValueError(f"delay must be 0 or more, got {delay}.")
    if delay and "sample_weight" not in inspect.signature(model.test_then_train).parameters:
        raise ValueError(
            f"delay={delay} needs a model whose test_then_train takes sample_weight; {type(model).__name__}'s does not."
        )
