"""What the figures of a model have in common, be it a classifier or a regressor.

Examples are collected and counted in blocks, because metrics are vectors' work. The whole state can be written to bytes and read
back, so that a restart goes on counting.
"""

from __future__ import annotations

import io
import json
import math
import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from streamboost.evaluate.metric import Metric
from streamboost.service.store.history import History
from streamboost.service.store.records import Answer, Label

if TYPE_CHECKING:
    from typing_extensions import Self

WINDOW = 1_000
FADING = 0.999
BLOCK = 512
DELAYS = (1.0, 10.0, 60.0, 600.0, 3_600.0, 21_600.0, 86_400.0, 604_800.0, math.inf)
"""Upper ends, in seconds, of the histogram of how late labels came."""

Judged = list[tuple[Label, Answer, float]]
"""The truth, the answer that was given before it was known, and the time."""


class Scores(ABC):
    """The figures of one model. Threads may read while one adds."""

    task: ClassVar[str]
    names: ClassVar[tuple[str, ...]]
    """Of its metrics."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._pending: Judged = []
        self.delays = np.zeros(len(DELAYS), dtype=np.int64)
        self.delay_sum = 0.0
        self.history = History()
        self.n = 0

    def add(self, label: Label, answer: Answer, at: float, delay: float | None = None) -> None:
        """Count one example: the truth, and the answer that was given before it was known."""
        with self._lock:
            self.n += 1
            self._pending.append((label, answer, at))
            if delay is not None:
                self.delays[next(i for i, end in enumerate(DELAYS) if delay < end)] += 1
                self.delay_sum += delay
            if len(self._pending) >= BLOCK:
                self._count()

    def _count(self) -> None:
        pending, self._pending = self._pending, []
        if pending:
            self._count_block(pending)

    @abstractmethod
    def _count_block(self, examples: Judged) -> None:
        """Count examples, of which there is at least one."""

    @abstractmethod
    def _figures(self, window: int) -> dict[str, Any]:
        """All figures, the windowed ones over so many examples."""

    @abstractmethod
    def _errors(self) -> tuple[float | None, float | None]:
        """The error of all examples and of the last ones."""

    @abstractmethod
    def _freeze(self, arrays: dict[str, npt.NDArray[Any]], parts: dict[str, Any]) -> None:
        """Put the state into arrays and plain parts."""

    @abstractmethod
    def _thaw(self, arrays: dict[str, npt.NDArray[Any]], parts: dict[str, Any]) -> None:
        """Take it out again."""

    def values(self, window: int = WINDOW) -> dict[str, Any]:
        """All figures as plain numbers; None where one is not defined yet."""
        with self._lock:
            self._count()
            nothing = dict.fromkeys(self.names)
            spans: dict[str, Any] = dict.fromkeys(("cumulative", "windowed", "faded"), nothing)
            found = {"window": 0, **spans, "recall": [], "calibration": [], "baselines": {}}
            if self.n:
                found |= self._figures(min(window, WINDOW))
            return {"task": self.task, "n": self.n, **found, "fading": FADING, "delay": self._delay()}

    def _delay(self) -> dict[str, Any]:
        n = int(self.delays.sum())
        return {
            "n": n,
            "mean_s": plain(self.delay_sum / n) if n else None,
            "below_s": [None if math.isinf(end) else end for end in DELAYS],
            "counts": self.delays.tolist(),
        }

    def error(self) -> tuple[float | None, float | None]:
        """Return the error of all examples and of the last ones."""
        with self._lock:
            self._count()
            return self._errors() if self.n else (None, None)

    def curve(self, points: int) -> dict[str, list[Any]]:
        """The error over time, thinned."""
        with self._lock:
            self._count()
            return self.history.curve(points)

    # Bytes and back.

    def to_bytes(self) -> bytes:
        """The whole state; plain arrays, nothing that could run."""
        with self._lock:
            self._count()
            arrays: dict[str, npt.NDArray[Any]] = {"delays": self.delays}
            parts: dict[str, Any] = {
                "task": self.task,
                "n": self.n,
                "delay_sum": self.delay_sum,
                "history": self.history.state(),
            }
            self._freeze(arrays, parts)
            buffer = io.BytesIO()
            text = np.frombuffer(json.dumps(parts).encode(), dtype=np.uint8)
            np.savez_compressed(buffer, **{**arrays, "_plain": text})  # type: ignore[arg-type]
            return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Go on counting where :meth:`to_bytes` was called."""
        scores = cls()
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        parts = json.loads(arrays.pop("_plain").tobytes())
        scores.n, scores.delay_sum, scores.delays = parts["n"], parts["delay_sum"], arrays["delays"]
        scores.history = History.from_state(parts["history"])
        scores._thaw(arrays, parts)
        return scores


def plain(value: float) -> float | None:
    """A number that JSON knows."""
    value = float(value)
    return value if math.isfinite(value) else None


def freeze(thing: Any, path: str, arrays: dict[str, npt.NDArray[Any]], parts: dict[str, Any]) -> None:
    """Write the attributes of a metric and of its parts under their paths."""
    for name, value in vars(thing).items():
        key = f"{path}/{name}"
        if isinstance(value, np.ndarray):
            arrays[key] = value
        elif value is None or isinstance(value, bool | int | float | str):
            parts[key] = value
        elif isinstance(value, tuple):
            parts[key] = list(value)
        elif isinstance(value, Metric) or hasattr(value, "__dict__"):
            freeze(value, key, arrays, parts)
        else:
            raise TypeError(f"{key} is a {type(value).__name__}: it cannot be written")


def thaw(thing: Any, path: str, arrays: dict[str, npt.NDArray[Any]], parts: dict[str, Any]) -> None:
    """Read back the attributes that :func:`freeze` wrote."""
    for name, value in vars(thing).items():
        key = f"{path}/{name}"
        if key in arrays:
            setattr(thing, name, arrays[key])
        elif key in parts:
            found = parts[key]
            setattr(thing, name, tuple(found) if isinstance(found, list) else found)
        elif hasattr(value, "__dict__") and not isinstance(value, np.ndarray):
            thaw(value, key, arrays, parts)
