"""Many measures over the same rows, at a bounded number of points."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.evaluate.labels import LabelCodes
from streamboost.evaluate.spans import METRICS, NEED_PROBABILITIES, Judged, Span, Sums, Window
from streamboost.streams.base import plain_label


@dataclass(frozen=True)
class MetricSeries:
    """One measure over one span.

    ``finals`` are its values at the end of every order; ``curve`` holds the means over the orders at the
    ``metric_positions`` of the result.
    """

    finals: tuple[float, ...]
    curve: npt.NDArray[np.float64]

    @property
    def value(self) -> float:
        """The value at the end, averaged over the orders."""
        return statistics.fmean(self.finals)


def check_metrics(names: Sequence[str] | str) -> tuple[str, ...]:
    """The names, if there are such measures; ``"all"`` stands for all of them."""
    if names == "all":
        return METRICS
    chosen = (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))
    for name in chosen:
        if name not in METRICS:
            raise ValueError(f"There is no metric {name!r}; there are {', '.join(METRICS)}.")
    return chosen


class Panel:
    """Measures over all rows, over a window and, with a fading factor, over fading rows.

    Points lie at multiples of a stride that doubles as :class:`ErrorCurve`'s does.
    """

    def __init__(
        self,
        names: Sequence[str],
        *,
        window: int = 1000,
        fading: float | None = None,
        delay: int = 0,
        classes: npt.NDArray[Any] | None = None,
        points: int = 100,
    ) -> None:
        self.names = check_metrics(names)
        self.needs_proba = bool(NEED_PROBABILITIES & set(self.names))
        self.spans: dict[str, Span] = {"cumulative": Sums(self.names), "window": Window(window)}
        if fading is not None:
            self.spans["fading"] = Sums(self.names, fading)
        self._codes = LabelCodes()
        if classes is not None:
            self._codes.encode(classes)  # so that their codes do not depend on which answers come first
        # The labels that had not arrived when the next row was answered, oldest first; the first one had.
        self._late = np.full(delay + 1, -1, dtype=np.int64)
        self._limit = 2 * points
        self._stride = 1
        self._n = 0
        self._positions: list[int] = []
        self._values: list[list[float]] = []

    def update(
        self,
        y: npt.NDArray[Any],
        answers: npt.NDArray[Any],
        proba: npt.NDArray[np.float64] | None = None,
        columns: npt.NDArray[Any] | None = None,
    ) -> None:
        """Judge a chunk; ``columns`` are the labels of the columns of ``proba``."""
        true, pred = self._codes.encode(y), self._codes.encode(answers)
        past = np.concatenate((self._late, true))
        steady = past[: true.size] == true
        self._late = past[true.size :]
        rows = Judged(true, pred, steady, self._by_code(proba, columns))
        done = 0
        while done < len(rows):
            due = (self._n // self._stride + 1) * self._stride
            size = min(due - self._n, len(rows) - done)
            part = rows.part(done, done + size)
            for span in self.spans.values():
                span.update(part)
            done += size
            self._n += size
            if self._n == due:
                self._note()

    def _by_code(
        self, proba: npt.NDArray[np.float64] | None, columns: npt.NDArray[Any] | None
    ) -> npt.NDArray[np.float64] | None:
        if not self.needs_proba:
            return None
        if proba is None or columns is None:
            raise ValueError(
                f"{', '.join(sorted(NEED_PROBABILITIES & set(self.names)))}: needs probabilities."
            )
        codes = [self._codes.code(plain_label(label)) for label in columns]
        ordered = np.zeros((proba.shape[0], len(self._codes)))
        ordered[:, codes] = proba
        return ordered

    def _note(self) -> None:
        self._positions.append(self._n)
        self._values.append(self._now())
        if len(self._positions) >= self._limit:
            self._positions, self._values = self._positions[1::2], self._values[1::2]
            self._stride *= 2

    def _now(self) -> list[float]:
        return [span.value(name) for span in self.spans.values() for name in self.names]

    def series(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Numbers of rows, and at each of them the measures, span after span; the last point is the present."""
        positions, values = list(self._positions), list(self._values)
        if self._n and (not positions or positions[-1] != self._n):
            positions.append(self._n)
            values.append(self._now())
        width = len(self.names) * len(self.spans)
        return np.array(positions, dtype=np.int64), np.array(values).reshape(len(positions), width)


def gather(panels: Sequence[Panel]) -> tuple[npt.NDArray[np.int64], dict[str, dict[str, MetricSeries]]]:
    """The positions, and name -> span -> series, of panels that looked at equally many rows each."""
    found = [panel.series() for panel in panels]
    mean = np.mean([values for _, values in found], axis=0)
    metrics: dict[str, dict[str, MetricSeries]] = {name: {} for name in panels[0].names}
    columns = [(span, name) for span in panels[0].spans for name in panels[0].names]
    for at, (span, name) in enumerate(columns):
        finals = tuple(float(values[-1, at]) for _, values in found)
        metrics[name][span] = MetricSeries(finals, mean[:, at])
    return found[0][0], metrics
