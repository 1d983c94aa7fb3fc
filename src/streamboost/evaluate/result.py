"""The result of a prequential run: what results of all tasks have in common."""

from __future__ import annotations

import math
import os
import statistics
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from streamboost.evaluate.panel import MetricSeries
from streamboost.report.tables import data_frame, html_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, repr=False, kw_only=True)
class PrequentialResult(ABC):
    """The result of one or several prequential runs of one model over one data set.

    A :class:`ClassificationResult` or a :class:`RegressionResult`; here is what they have in common.

    ``errors`` holds the error of every order: the share of wrong answers, or the mean absolute error; ``cumulative_error`` and
    ``windowed_error`` are its curves at ``positions``, numbers of rows. ``seconds`` is CPU time inside the model, ``elapsed``
    the time on the clock with reading and scoring, all orders together; ``memory_bytes`` the largest model. With several orders
    the figures and the curves are means over them. ``left_out`` are the rows of an order with late labels that came before the
    first answer: no figure counts them. ``baselines`` are the results of what every model has to beat, if asked for.
    ``asked`` is the share of the rows whose labels a run with a `budget` has asked for; ``regret`` the number of mistakes of
    a run with bandit feedback beyond those of the same model with all labels.

    ``metrics`` are given as ``metrics["auc"]["window"]``: a :class:`MetricSeries` with its values at ``metric_positions``.
    ``resources`` has one line per noted chunk of the (last) order: rows, CPU seconds, bytes of the model. ``drifts`` has one
    line per learner that a guard against drift replaced in it: the rows seen by then, and the learner.
    """

    model_name: str
    data_name: str
    n_rows: int
    seconds: float
    memory_bytes: int | None
    window: int
    errors: tuple[float, ...]
    positions: npt.NDArray[np.int64]
    cumulative_error: Floats
    windowed_error: Floats
    delay: int = 0
    elapsed: float = math.nan
    left_out: int = 0
    asked: float | None = None
    regret: float | None = None
    baselines: tuple[PrequentialResult, ...] = ()
    metric_positions: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    metrics: Mapping[str, Mapping[str, MetricSeries]] = field(default_factory=dict)
    resources: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    drifts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    model: Any = field(default=None, compare=False)
    task: ClassVar[str]
    error_name: ClassVar[str]
    largest_error: ClassVar[float]
    digits: ClassVar[str]
    """The format of its figures."""

    @property
    @abstractmethod
    def headline(self) -> Mapping[str, float]:
        """The figures that tables show first; the first of them is the error."""

    @property
    @abstractmethod
    def row_errors(self) -> npt.NDArray[Any]:
        """The error of every row of the first order, if they were kept (``keep_errors``): wrong or right, or absolute errors."""

    @abstractmethod
    def own_figures(self) -> dict[str, Any]:
        """What :meth:`to_dict` has for this task alone."""

    @property
    def error(self) -> float:
        """The error, averaged over the orders."""
        return statistics.fmean(self.errors)

    @property
    def standard_error(self) -> float | None:
        """The standard error of ``error`` over the orders; None for a single order."""
        return None if self.n_orders < 2 else statistics.stdev(self.errors) / math.sqrt(self.n_orders)

    @property
    def n_orders(self) -> int:
        """The number of orders."""
        return len(self.errors)

    @property
    def examples_per_second(self) -> float:
        """Rows answered and learned per second of CPU time."""
        return self.n_rows * self.n_orders / self.seconds if self.seconds > 0 else float("nan")

    @property
    def _spans(self) -> dict[str, dict[str, float]]:
        """The figures of all metrics over every span, for tables."""
        return {
            name: {span: series.value for span, series in spans.items()}
            for name, spans in self.metrics.items()
        }

    @property
    def _curves(self) -> dict[str, tuple[npt.NDArray[np.int64], Floats]]:
        """Positions and values by the column that a frame has for them."""
        return {
            name if span == "cumulative" else f"{name}_{span}": (self.metric_positions, series.curve)
            for name, spans in self.metrics.items()
            for span, series in spans.items()
        }

    @property
    def _notes(self) -> list[str]:
        return []

    def __repr__(self) -> str:
        orders = f" in {self.n_orders} orders" if self.n_orders > 1 else ""
        figures = ", ".join(
            f"{name} {spans['cumulative']:{self.digits}}" for name, spans in self._spans.items()
        )
        return f"<{self.model_name} on {os.path.basename(self.data_name)}: {self.n_rows:,} rows{orders}, {figures}>"

    def _repr_html_(self) -> str:
        heads = {"cumulative": "all rows", "window": f"last {self.window:,} rows", "fading": "fading"}
        measures = self._spans
        shown = [span for span in heads if any(span in found for found in measures.values())]
        rows = [
            [
                name.replace("_", " "),
                *(f"{found[span]:{self.digits}}" if span in found else "" for span in shown),
            ]
            for name, found in measures.items()
        ]
        title = f"{self.model_name} on {os.path.basename(self.data_name)}, {self.n_rows:,} rows"
        notes = [f"{self.examples_per_second:,.0f} rows per second of CPU time"]
        if self.n_orders > 1:
            notes.append(f"means over {self.n_orders} random orders")
        return html_table(title, ["metric", *(heads[span] for span in shown)], rows, [*notes, *self._notes])

    def to_frame(self) -> Any:
        """The curves as a pandas (or else polars) frame: one line per number of rows, one column per metric and span.

        Metrics may be noted at fewer points than the error; between them they are missing.
        """
        columns: dict[str, Any] = {}
        places = np.union1d(self.positions, self.metric_positions)
        for column, (where, values) in self._curves.items():
            columns[column] = np.full(places.size, np.nan)
            columns[column][np.searchsorted(places, where)] = values
        return data_frame({"rows": places, **columns})

    def to_dict(self) -> dict[str, Any]:
        """Everything but the model, as values that JSON can hold."""
        return {
            "task": self.task,
            "model": self.model_name,
            "data": self.data_name,
            "n_rows": self.n_rows,
            "n_orders": self.n_orders,
            "seconds": self.seconds,
            "elapsed": self.elapsed,
            "examples_per_second": self.examples_per_second if self.seconds > 0 else None,
            "memory_bytes": self.memory_bytes,
            "window": self.window,
            "delay": self.delay,
            "left_out": self.left_out,
            "asked": self.asked,
            "regret": self.regret,
            "baselines": {one.model_name: dict(one.headline) for one in self.baselines},
            "error": self.error,
            "errors": list(self.errors),
            "standard_error": self.standard_error,
            "positions": self.positions.tolist(),
            "cumulative_error": self.cumulative_error.tolist(),
            "windowed_error": self.windowed_error.tolist(),
            **self.own_figures(),
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
