"""What came out of prequential runs."""

from __future__ import annotations

import math
import os
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from streamboost.evaluate.panel import MetricSeries
from streamboost.report.tables import data_frame, html_table
from streamboost.streams.base import Label

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class PrequentialResult:
    """What came out of one or several prequential runs of one model over one set.

    ``seconds`` is CPU time inside the model, all orders together; ``memory_bytes`` the largest model. With several
    orders ``error`` and ``kappa`` are means, the curves are means over the orders and ``confusion`` is their sum.

    ``metrics`` holds what was asked for, as ``metrics["auc"]["window"]``: a :class:`MetricSeries` with its values at
    ``metric_positions``; ``positive`` is the label that metrics of one label speak of, None if they are means.
    ``resources`` are the rows, the CPU seconds and the bytes of the model as the (last) order went on, one line each.
    ``drifts`` are the learners that a guard against drift replaced in the (last) order, one line each: the rows that had been
    seen, and the learner.
    ``wrong`` are the answers of every order, one bit per row (:func:`numpy.unpackbits`), if asked for.
    """

    model_name: str
    data_name: str
    n_rows: int
    errors: tuple[float, ...]
    kappas: tuple[float, ...]
    seconds: float
    memory_bytes: int | None
    window: int
    positions: npt.NDArray[np.int64]
    cumulative_error: npt.NDArray[np.float64]
    windowed_error: npt.NDArray[np.float64]
    labels: tuple[Label, ...]
    confusion: npt.NDArray[np.int64]
    delay: int = 0
    metric_positions: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    metrics: Mapping[str, Mapping[str, MetricSeries]] = field(default_factory=dict)
    positive: Label | None = None
    resources: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 3)))
    drifts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    wrong: tuple[npt.NDArray[np.uint8], ...] = ()
    model: Any = field(default=None, compare=False)
    error_name: ClassVar[str] = "error rate"
    largest_error: ClassVar[float] = 1.0

    def __repr__(self) -> str:
        orders = f" in {self.n_orders} orders" if self.n_orders > 1 else ""
        more = "".join(f", {name} {spans['cumulative'].value:.4f}" for name, spans in self.metrics.items())
        return (
            f"<{self.model_name} on {os.path.basename(self.data_name)}: {self.n_rows:,} rows{orders}, "
            f"error {self.error:.4f}, kappa {self.kappa:.4f}{more}>"
        )

    def _repr_html_(self) -> str:
        last = f"last {self.window:,} rows"
        measures = {"error": {"all rows": self.error, last: float(self.windowed_error[-1])}}
        measures["kappa"] = {"all rows": self.kappa}
        heads = ["all rows", last]
        for name, spans in self.metrics.items():
            words = {"cumulative": "all rows", "window": last, "fading": "fading"}
            measures[name] = {words[span]: series.value for span, series in spans.items()}
            heads += [head for head in measures[name] if head not in heads]
        rows = [
            [name.replace("_", " "), *(f"{found[head]:.4f}" if head in found else "" for head in heads)]
            for name, found in measures.items()
        ]
        title = f"{self.model_name} on {os.path.basename(self.data_name)}, {self.n_rows:,} rows"
        notes = [f"{self.examples_per_second:,.0f} rows per second of CPU time"]
        if self.n_orders > 1:
            notes.append(f"means over {self.n_orders} random orders")
        if self.positive is not None and self.metrics:
            notes.append(f"positive label: {self.positive}")
        return html_table(title, ["metric", *heads], rows, notes)

    def to_frame(self) -> Any:
        """The curves as a pandas (or else polars) frame: one line per number of rows, one column per metric and span.

        Metrics are noted at fewer points than the error; between them they are missing.
        """
        columns: dict[str, Any] = {}
        places = np.union1d(self.positions, self.metric_positions)
        series = {
            "error": (self.positions, self.cumulative_error),
            "error_window": (self.positions, self.windowed_error),
        }
        for name, spans in self.metrics.items():
            for span, found in spans.items():
                column = name if span == "cumulative" else f"{name}_{span}"
                series.setdefault(column, (self.metric_positions, found.curve))
        for column, (where, values) in series.items():
            columns[column] = np.full(places.size, np.nan)
            columns[column][np.searchsorted(places, where)] = values
        return data_frame({"rows": places, **columns})

    @property
    def n_orders(self) -> int:
        """The number of orders."""
        return len(self.errors)

    @property
    def error(self) -> float:
        """The share of wrong answers, averaged over the orders."""
        return statistics.fmean(self.errors)

    @property
    def standard_error(self) -> float | None:
        """The standard error of ``error`` over the orders; None for a single order."""
        if self.n_orders < 2:
            return None
        return statistics.stdev(self.errors) / math.sqrt(self.n_orders)

    @property
    def kappa(self) -> float:
        """Cohen's kappa, averaged over the orders."""
        return statistics.fmean(self.kappas)

    @property
    def examples_per_second(self) -> float:
        """Rows answered and learned per second of CPU time."""
        return self.n_rows * self.n_orders / self.seconds if self.seconds > 0 else float("nan")

    @property
    def unanswered(self) -> int:
        """Rows without an answer (the model knew no label yet), all orders together."""
        return int(self.confusion[:, -1].sum())

    def to_dict(self) -> dict[str, Any]:
        """Everything but the model, as values that JSON can hold."""
        return {
            "model": self.model_name,
            "data": self.data_name,
            "n_rows": self.n_rows,
            "n_orders": self.n_orders,
            "error": self.error,
            "errors": list(self.errors),
            "standard_error": self.standard_error,
            "kappa": self.kappa,
            "kappas": list(self.kappas),
            "seconds": self.seconds,
            "examples_per_second": self.examples_per_second if self.seconds > 0 else None,
            "memory_bytes": self.memory_bytes,
            "window": self.window,
            "positions": self.positions.tolist(),
            "cumulative_error": self.cumulative_error.tolist(),
            "windowed_error": self.windowed_error.tolist(),
            "labels": list(self.labels),
            "confusion": self.confusion.tolist(),
            "unanswered": self.unanswered,
            "delay": self.delay,
            "positive": self.positive,
            "metric_positions": self.metric_positions.tolist(),
            "metrics": {
                name: {
                    span: {
                        "value": series.value,
                        "finals": list(series.finals),
                        "curve": series.curve.tolist(),
                    }
                    for span, series in spans.items()
                }
                for name, spans in self.metrics.items()
            },
            "resources": self.resources.tolist(),
            "drifts": self.drifts.tolist(),
        }

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """A picture of the error over the rows, saved to ``path`` if one is given."""
        from streamboost.evaluate.plot import plot_errors

        return plot_errors([self], path)
