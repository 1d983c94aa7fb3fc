"""Many metrics over the same rows, each over all rows, a window and fading rows, at a bounded number of points."""

from __future__ import annotations

import copy
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.evaluate.metric import Faded, RowWindow, Windowed, value_of


@dataclass(frozen=True)
class MetricSeries:
    """One metric over one span.

    ``finals`` are its values at the end of every order; ``curve`` holds the means over the orders at the
    ``metric_positions`` of the result.
    """

    finals: tuple[float, ...]
    curve: npt.NDArray[np.float64]

    @property
    def value(self) -> float:
        """The value at the end, averaged over the orders."""
        return statistics.fmean(self.finals)


class Panel:
    """Metrics over all rows, over a window and, with a fading factor, over fading rows.

    A metric that was given as :class:`Windowed` or :class:`Faded` is taken as it is, as its only span. Points lie at
    multiples of a stride that doubles as :class:`ErrorCurve`'s does.
    """

    def __init__(
        self,
        metrics: Iterable[Any],
        *,
        window: int = 1000,
        fading: float | None = None,
        points: int = 100,
    ) -> None:
        chosen = tuple(metrics)
        self.names = tuple(metric.name for metric in chosen)
        self.needs_proba = any(getattr(metric, "needs_proba", False) for metric in chosen)
        # An empty one, as the user gave it, and one that follows all rows.
        self._given = {metric.name: copy.deepcopy(metric) for metric in chosen}
        self._all = {metric.name: copy.deepcopy(metric) for metric in chosen}
        self._window = RowWindow(window)
        spanned = [metric for metric in chosen if not isinstance(metric, (Windowed, Faded))]
        self._faded = {} if fading is None else {metric.name: Faded(metric, fading) for metric in spanned}
        if fading is not None and not 0 < fading < 1:
            raise ValueError(f"The fading factor must lie between 0 and 1, got {fading}.")
        self.columns = [("cumulative", name) for name in self.names]
        self.columns += [("window", metric.name) for metric in spanned]
        self.columns += [("fading", name) for name in self._faded]
        self._limit = 2 * points
        self._stride = 1
        self._n = 0
        self._positions: list[int] = []
        self._values: list[list[float]] = []

    def update(self, rows: Any) -> None:
        """Look at more rows."""
        if self.needs_proba and getattr(rows, "proba", None) is None:
            needy = [n for n, metric in self._given.items() if getattr(metric, "needs_proba", False)]
            raise ValueError(f"{', '.join(needy)}: needs probabilities.")
        done = 0
        while done < len(rows):
            due = (self._n // self._stride + 1) * self._stride
            size = min(due - self._n, len(rows) - done)
            part = self._placed(rows.part(done, done + size))
            for metric in (*self._all.values(), *self._faded.values()):
                metric.update(part)
            self._window.update(part)
            done += size
            self._n += size
            if self._n == due:
                self._note()

    def _placed(self, part: Any) -> Any:
        """The rows with what the metrics of a task must know besides, as of their last one."""
        return part

    def _note(self) -> None:
        self._positions.append(self._n)
        self._values.append(self.values())
        if len(self._positions) >= self._limit:
            self._positions, self._values = self._positions[1::2], self._values[1::2]
            self._stride *= 2

    def values(self) -> list[float]:
        """The present values, in the order of ``columns``."""
        return [self.value(span, name) for span, name in self.columns]

    def value(self, span: str, name: str) -> float:
        """The present value of a metric over a span; NaN before the first row."""
        if self._n == 0:
            return math.nan
        if span == "window":
            assert self._window.rows is not None
            return value_of(self._given[name], self._window.rows)
        return float((self._all if span == "cumulative" else self._faded)[name].value())

    def series(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Numbers of rows, and at each of them the values of all columns; the last point is the present."""
        positions, values = list(self._positions), list(self._values)
        if self._n and (not positions or positions[-1] != self._n):
            positions.append(self._n)
            values.append(self.values())
        return np.array(positions, dtype=np.int64), np.array(values).reshape(
            len(positions), len(self.columns)
        )


def gather(panels: Sequence[Panel]) -> tuple[npt.NDArray[np.int64], dict[str, dict[str, MetricSeries]]]:
    """The positions, and name -> span -> series, of panels that looked at equally many rows each."""
    found = [panel.series() for panel in panels]
    mean = np.mean([values for _, values in found], axis=0)
    metrics: dict[str, dict[str, MetricSeries]] = {name: {} for name in panels[0].names}
    for at, (span, name) in enumerate(panels[0].columns):
        finals = tuple(float(values[-1, at]) for _, values in found)
        metrics[name][span] = MetricSeries(finals, mean[:, at])
    return found[0][0], metrics
