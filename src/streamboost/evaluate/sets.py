"""Sets of labels, judged: how often they held the true label, and how large they were."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


class SetScore:
    """Counts sets as they were given: coverage over all rows and over the last ``window``, sizes, singletons, empty sets.

    Give it the sets of prediction time, however late the labels come.
    """

    def __init__(self, window: int = 1000) -> None:
        if window < 1:
            raise ValueError(f"A window needs at least 1 row, got {window}.")
        self.window = window
        self.n_rows = 0
        self._sums = np.zeros(4)  # covered, size, singletons, empty
        self._last: NDArray[np.bool_] = np.zeros(0, bool)

    def update(self, y: Any, sets: Any, classes: Any) -> None:
        """Count rows: their labels, the sets [rows, classes] and the labels of the columns."""
        inside = np.asarray(sets, dtype=bool)
        labels, names = np.asarray(y), np.asarray(classes)
        if inside.shape != (len(labels), len(names)):
            raise ValueError(f"sets must have the shape {(len(labels), len(names))}, got {inside.shape}.")
        covered: NDArray[np.bool_] = (inside & (labels[:, None] == names)).any(axis=1)
        size = inside.sum(axis=1)
        self.n_rows += len(labels)
        self._sums += [covered.sum(), size.sum(), (size == 1).sum(), (size == 0).sum()]
        self._last = np.concatenate((self._last, covered))[-self.window :]

    def _share(self, which: int) -> float:
        return float(self._sums[which]) / self.n_rows if self.n_rows else math.nan

    @property
    def coverage(self) -> float:
        """Share of the rows whose set held the true label."""
        return self._share(0)

    @property
    def coverage_now(self) -> float:
        """The same over the window."""
        return float(self._last.mean()) if len(self._last) else math.nan

    @property
    def mean_size(self) -> float:
        """Labels in a set, on average."""
        return self._share(1)

    @property
    def singletons(self) -> float:
        """Share of the sets with one label."""
        return self._share(2)

    @property
    def empty(self) -> float:
        """Share of the sets with none."""
        return self._share(3)

    def __repr__(self) -> str:
        return (
            f"<SetScore: {self.n_rows:,} rows, coverage {self.coverage:.3f} (last {self.window:,}: {self.coverage_now:.3f}), "
            f"mean size {self.mean_size:.2f}, singletons {self.singletons:.1%}, empty {self.empty:.1%}>"
        )
