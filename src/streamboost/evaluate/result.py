"""What came out of prequential runs."""

from __future__ import annotations

import math
import os
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from streamboost.evaluate.panel import MetricSeries
from streamboost.streams.base import Label

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class PrequentialResult:
    """What came out of one or several prequential runs of one model over one set.

    ``seconds`` is CPU time inside the model, all orders together; ``memory_bytes`` the largest model. With several
    orders ``error`` and ``kappa`` are means, the curves are means over the orders and ``confusion`` is their sum.

    ``metrics`` holds what was asked for, as ``metrics["auc"]["window"]``: a :class:`MetricSeries` with its values at
    ``metric_positions``. ``resources`` are the rows, the CPU seconds and the bytes of the model as the (last) order went
    on, one line each. ``wrong`` are the answers of every order, one bit per row (:func:`numpy.unpackbits`), if asked for.
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
    resources: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 3)))
    wrong: tuple[npt.NDArray[np.uint8], ...] = field(default=(), repr=False)
    model: Any = field(default=None, repr=False, compare=False)

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
        }

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """A picture of the error over the rows, saved to ``path`` if one is given."""
        from streamboost.evaluate.plot import plot_errors

        return plot_errors([self], path)
