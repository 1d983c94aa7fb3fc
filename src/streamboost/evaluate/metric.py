"""What a metric is, and the two wrappers that make it look at the last rows only, or at rows that fade.

A metric of one's own needs ``name``, ``update(rows)`` and ``value()``; everything else has a default. It may, but need not,
derive from :class:`Metric`.
"""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from streamboost.evaluate.rows import Floats, Rows


class Metric(ABC):
    """One number about rows that were answered.

    Attributes
    ----------
    name : what tables call it.
    needs_proba : whether the rows must come with probabilities.
    greater_is_better : whether a larger value is a better one.
    """

    name = ""
    needs_proba = False
    greater_is_better = True
    counts_rows = False
    """Whether it takes weights as numbers of rows: the value changes when all weights are doubled."""

    @abstractmethod
    def update(self, rows: Rows) -> None:
        """Look at more rows; ``rows.weight`` counts, if it is not None."""

    @abstractmethod
    def value(self) -> float:
        """The value as it stands; NaN where it is not defined."""

    def scale(self, factor: float) -> None:
        """Multiply the weight of everything seen so far; fading needs it."""
        raise ValueError(f"The metric {self.name!r} cannot fade: it has no scale(factor).")

    def of(self, rows: Rows) -> float:
        """The value of these rows alone; exact, even where ``value`` has to be frugal."""
        fresh = copy.deepcopy(self)
        fresh.update(rows)
        return fresh.value()


class OfSums(Metric):
    """A metric whose state is a few numbers, so that a shallow copy is as good as a deep one and much quicker."""

    def of(self, rows: Rows) -> float:
        """The value of these rows alone."""
        fresh = copy.copy(self)
        fresh.update(rows)
        return fresh.value()


class MeanLoss(OfSums):
    """The mean of what each row costs: a subclass says how much, in ``_losses``."""

    greater_is_better = False

    def __init__(self) -> None:
        self._weight = self._loss = 0.0

    def update(self, rows: Any) -> None:
        """Add rows one by one, from left to right, so that sums do not depend on how rows are cut."""
        weight = rows.weights
        self._weight = _summed(self._weight, weight)
        self._loss = _summed(self._loss, weight * self._losses(rows))

    def value(self) -> float:
        """The mean loss of a row; NaN where none counts."""
        return self._loss / self._weight if self._weight > 0 else math.nan

    def scale(self, factor: float) -> None:
        """Multiply the weight of everything seen so far."""
        self._weight *= factor
        self._loss *= factor

    @abstractmethod
    def _losses(self, rows: Any) -> Floats:
        """One number per row."""


def _summed(start: float, column: Floats) -> float:
    """The sum from left to right."""
    return float(np.add.accumulate(np.concatenate(([start], column)))[-1])


def value_of(metric: Any, rows: Rows) -> float:
    """The value of a metric that has seen nothing yet on these rows alone."""
    return float(metric.of(rows) if hasattr(metric, "of") else Metric.of(metric, rows))


class RowWindow:
    """The last ``size`` rows as they are."""

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ValueError(f"A window needs at least 1 row, got {size}.")
        self.size = size
        self.rows: Rows | None = None

    def update(self, rows: Rows) -> None:
        """Take more rows and forget the oldest."""
        joined = rows if self.rows is None else self.rows.followed_by(rows)
        self.rows = joined.part(max(0, len(joined) - self.size), len(joined))


class Windowed(Metric):
    """A metric over the last ``size`` rows, which are kept: exact for every metric, the user's own included."""

    def __init__(self, metric: Any, size: int = 1000) -> None:
        self.metric = copy.deepcopy(metric)
        self._window = RowWindow(size)
        self.name = f"{metric.name}, last {size:,} rows"
        self.needs_proba = getattr(metric, "needs_proba", False)
        self.greater_is_better = getattr(metric, "greater_is_better", True)

    def update(self, rows: Rows) -> None:
        """Look at more rows and forget the oldest."""
        self._window.update(rows)

    def value(self) -> float:
        """The value of the rows in the window; NaN before the first row."""
        rows = self._window.rows
        return math.nan if rows is None or not len(rows) else value_of(self.metric, rows)


class Faded(Metric):
    """A metric over all rows in which the row that is m rows old weighs ``factor`` to the power of m.

    Instead of shrinking all sums at every row, later rows weigh more: row t weighs factor^-(t mod R), and every R rows the
    metric is scaled by factor^R. Cuts fall on multiples of R, wherever chunks end.
    """

    _LARGEST_WEIGHT = 1e12
    _LONGEST_BLOCK = 4096

    def __init__(self, metric: Any, factor: float) -> None:
        if not 0 < factor < 1:
            raise ValueError(f"The fading factor must lie between 0 and 1, got {factor}.")
        if not hasattr(metric, "scale"):
            raise ValueError(f"The metric {metric.name!r} cannot fade: it has no scale(factor).")
        self.metric = copy.deepcopy(metric)
        self.metric.scale(1.0)  # a metric that cannot says so now
        self.factor = factor
        self.name = f"{metric.name}, fading {factor:g}"
        self.needs_proba = getattr(metric, "needs_proba", False)
        self.greater_is_better = getattr(metric, "greater_is_better", True)
        block = int(math.log(self._LARGEST_WEIGHT) / -math.log(factor))
        self._powers: Floats = factor ** -np.arange(min(max(block, 1), self._LONGEST_BLOCK), dtype=np.float64)
        self._n = 0

    def update(self, rows: Rows) -> None:
        """Look at more rows."""
        for first, last, weight in self._pieces(len(rows)):
            piece = rows.part(first, last)
            self.metric.update(replace(piece, weight=weight * piece.weights))

    def _pieces(self, n: int) -> Iterator[tuple[int, int, Floats]]:
        done = 0
        while done < n:
            at = self._n % self._powers.size
            if at == 0 and self._n > 0:
                self.metric.scale(float(self.factor**self._powers.size))
            size = min(n - done, self._powers.size - at)
            self._n += size
            yield done, done + size, self._powers[at : at + size]
            done += size

    def value(self) -> float:
        """The value of all rows, old ones faded."""
        if not getattr(self.metric, "counts_rows", False) or self._n == 0:
            return float(self.metric.value())
        true_to_size = copy.deepcopy(self.metric)
        true_to_size.scale(1 / float(self._powers[(self._n - 1) % self._powers.size]))
        return float(true_to_size.value())
