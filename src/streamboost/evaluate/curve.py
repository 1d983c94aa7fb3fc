"""The error over the rows of a stream, at a bounded number of points."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


class ErrorCurve:
    """Error so far and error over the last ``window`` rows, at a bounded number of evenly spaced points.

    Points lie at multiples of a stride; when there are ``2 * points`` of them every second one is dropped and the
    stride doubles. Where fewer than ``window`` rows have been seen both errors are the same.
    """

    def __init__(self, window: int = 1000, points: int = 500) -> None:
        if window < 1 or points < 1:
            raise ValueError(f"window and points must be at least 1, got {window} and {points}.")
        self.window = window
        self._limit = 2 * points
        self._stride = 1
        self._n = 0
        self._wrong = 0
        self._recent = np.zeros(0, dtype=np.bool_)
        self._points: list[tuple[int, float, float]] = []

    def update(self, wrong: npt.NDArray[np.bool_]) -> None:
        """Add rows, each wrong or right."""
        if not wrong.size:
            return
        tail = np.concatenate((self._recent, wrong))
        sums = np.concatenate(([0], np.cumsum(tail)))
        ends = np.arange(self._n - self._n % self._stride, self._n + wrong.size + 1, self._stride)
        ends = ends[ends > self._n]
        within = ends - self._n + self._recent.size
        spans = np.minimum(ends, self.window)
        so_far = (self._wrong + sums[within] - sums[self._recent.size]) / ends
        lately = (sums[within] - sums[within - spans]) / spans
        self._points.extend(zip(ends.tolist(), so_far.tolist(), lately.tolist(), strict=True))
        self._n += wrong.size
        self._wrong += int(wrong.sum())
        self._recent = tail[-self.window :]
        while len(self._points) >= self._limit:
            self._points = self._points[1::2]
            self._stride *= 2

    @property
    def n_rows(self) -> int:
        """The number of rows seen."""
        return self._n

    @property
    def error(self) -> float:
        """The error over all rows so far; NaN before the first."""
        return self._wrong / self._n if self._n else float("nan")

    def series(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Numbers of rows, error so far, error over the window; the last point is the present."""
        points = list(self._points)
        if self._n and (not points or points[-1][0] != self._n):
            points.append((self._n, self.error, float(self._recent.mean())))
        columns = list(zip(*points, strict=True)) or [(), (), ()]
        return np.array(columns[0], dtype=np.int64), np.array(columns[1]), np.array(columns[2])
