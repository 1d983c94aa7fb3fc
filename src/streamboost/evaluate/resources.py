"""Time and memory of a model while it is evaluated."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import numpy.typing as npt

_POINTS = 200
_SHARE = 0.01
"""Of the time that a model takes, so much may be spent on measuring it: a large model takes long to count its bytes."""


class ResourceLog:
    """Rows, CPU seconds and the bytes of the model after every chunk; with many chunks, after every second, fourth ... one.

    A chunk is passed over when the measurements so far, and one more like the last, take more than a hundredth of the model's
    own time.
    """

    def __init__(self) -> None:
        self._lines: list[tuple[int, float, float]] = []
        self._chunks, self._stride = 0, 1
        self._spent = self._last = 0.0

    def note(self, n_rows: int, seconds: float, model: Any) -> None:
        """Look at the model after a chunk."""
        self._chunks += 1
        if self._chunks % self._stride == 0 and self._spent + self._last <= _SHARE * seconds:
            clock = time.process_time()
            self._lines.append((n_rows, seconds, size_of(model)))
            self._last = time.process_time() - clock
            self._spent += self._last
            if len(self._lines) >= 2 * _POINTS:
                self._lines = self._lines[1::2]
                self._stride *= 2

    def end(self, n_rows: int, seconds: float, model: Any) -> None:
        """Look at the model after the last row, whatever it takes."""
        self._lines = [line for line in self._lines if line[0] < n_rows]
        self._lines.append((n_rows, seconds, size_of(model)))

    @property
    def memory_bytes(self) -> int | None:
        """The bytes of the model at the end, if it says so."""
        size = self._lines[-1][2]
        return None if math.isnan(size) else int(size)

    def lines(self) -> npt.NDArray[np.float64]:
        """Rows, CPU seconds and bytes: one line for each chunk that was measured."""
        return np.array(self._lines, dtype=np.float64).reshape(-1, 3)


def size_of(model: Any) -> float:
    """The bytes of a model; NaN where it does not say."""
    return float(model.memory_bytes()) if hasattr(model, "memory_bytes") else float("nan")
