"""What a model costs while it is evaluated."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_POINTS = 200


class ResourceLog:
    """Rows, CPU seconds and the bytes of the model after every chunk; with many chunks, after every second, fourth ... one."""

    def __init__(self) -> None:
        self._lines: list[tuple[int, float, float]] = []
        self._chunks, self._stride = 0, 1

    def note(self, n_rows: int, seconds: float, model: Any) -> None:
        """Look at the model after a chunk."""
        self._chunks += 1
        if self._chunks % self._stride == 0:
            self._lines.append((n_rows, seconds, size_of(model)))
            if len(self._lines) >= 2 * _POINTS:
                self._lines = self._lines[1::2]
                self._stride *= 2

    def lines(self) -> npt.NDArray[np.float64]:
        """Rows, CPU seconds and bytes: one line for each chunk that was noted."""
        return np.array(self._lines, dtype=np.float64).reshape(-1, 3)


def size_of(model: Any) -> float:
    """The bytes of a model; NaN where it does not say."""
    return float(model.memory_bytes()) if hasattr(model, "memory_bytes") else float("nan")
