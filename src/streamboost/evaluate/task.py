"""Base classes of the evaluation tasks (classification, regression, label sets): how answers are scored, and the result.

The loop (:mod:`streamboost.evaluate.prequential`) reads chunks, lets the model answer and learn, and takes the time. All that
depends on what is predicted stands behind the two classes here; a new task is a new file beside ``classification.py`` and
``regression.py``, and a line in ``tasks.py``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from streamboost.evaluate.metrics import MetricTable
from streamboost.evaluate.panel import Panel
from streamboost.evaluate.result import PrequentialResult
from streamboost.streams.base import Chunk, Label, Stream


@dataclass(frozen=True)
class Settings:
    """How the rows of a run are scored; ``classes`` and ``positive`` are for classification alone."""

    metrics: tuple[Any, ...] = ()
    window: int = 1000
    fading: float | None = None
    delay: int = 0
    keep_errors: bool = False
    classes: Sequence[Label] | None = None
    positive: Label | None = None
    season: int | None = None
    """Of regression: rows of a season, for one more baseline."""
    learned: bool = False
    """Whether the model has learned rows before the first of these."""
    points: int = 100
    """Points of the curves of metrics; curves of the error have five times as many."""


class Scores(ABC):
    """The judge and the panel of one pass over a stream."""

    panel: Panel
    n_rows: int
    """Rows judged so far."""
    left_out: int = 0
    """Rows before the first answer."""
    _waits: bool = False
    _early: int = 0

    def wait_for_labels(self, settings: Settings) -> None:
        """Labels may be late: rows that nothing could be known about are not judged, whatever was said of them.

        These are the rows before the first answer, and all that came before the first label, for a model may know the
        classes and nothing else.
        """
        self._waits = settings.delay > 0
        self._early = 0 if settings.learned else settings.delay + 1

    def first_answered(self, answered: npt.NDArray[np.bool_]) -> int:
        """Return the first row of a chunk to be judged; its length if there is none."""
        if not self._waits:
            return 0
        begin = min(max(self._early - self.left_out, 0), answered.size)
        later = answered[begin:]
        first = begin + int(later.argmax()) if later.any() else answered.size
        self._waits = first == answered.size
        self.left_out += first
        return first

    @property
    @abstractmethod
    def error(self) -> float:
        """The error over all rows so far; progress is shown by it."""

    @abstractmethod
    def truth(self, chunk: Chunk) -> Any:
        """The labels or targets of a chunk; raises for wrong ones before the model has learned any row of it."""

    def options(self) -> Mapping[str, Any]:
        """What the model's next ``test_then_train`` is called with, besides rows, truth and weights."""
        return {}

    @abstractmethod
    def add(self, truth: Any, answers: Any, model: Any) -> None:
        """Judge the answers that were given to a chunk."""


S = TypeVar("S", bound=Scores)


class Task(ABC, Generic[S]):
    """A kind of prediction (labels, numbers, sets of labels), and how its answers are judged."""

    name: ClassVar[str]
    metrics: ClassVar[MetricTable]

    @abstractmethod
    def settle(self, settings: Settings, model: Any, stream: Stream) -> Settings:
        """The settings with what the data say; raises for those that mean nothing for the task."""

    @abstractmethod
    def scores(self, settings: Settings, stream: Stream) -> S:
        """Empty scores for a pass over a stream."""

    @abstractmethod
    def result(self, passes: Sequence[S], **shared: Any) -> PrequentialResult:
        """What came out of the passes, one for each order; ``shared`` are the fields that all results have."""
