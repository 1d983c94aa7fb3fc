"""Test-then-train for models that predict numbers: the loop that `prequential` takes for them, and its result."""

from __future__ import annotations

import math
import os
import re
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from streamboost.base.inputs.targets import read_targets
from streamboost.evaluate.adapters import given
from streamboost.evaluate.drifts import DriftLog
from streamboost.evaluate.number_metrics import Floats, NumberRows
from streamboost.evaluate.panel import MetricSeries, Panel, gather
from streamboost.evaluate.resources import ResourceLog, size_of
from streamboost.report.tables import data_frame, html_table
from streamboost.streams.base import Chunk, DataError, Stream


class NumberPanel(Panel):
    """Metrics of numbers over all rows, a window and fading rows."""

    def update(self, rows: Any) -> None:
        """Look at more rows."""
        super().update(rows)

    def _placed(self, part: Any) -> Any:
        return part


@dataclass(frozen=True, repr=False)
class RegressionResult:
    """What came out of one or several prequential runs of one regressor over one set.

    ``metrics`` are those asked for and always "mae", "rmse" and "r2", as ``metrics["mae"]["window"]``: a :class:`MetricSeries`
    with its values at ``metric_positions``. ``seconds`` is CPU time inside the model, all orders together.
    ``resources`` are the rows, the CPU seconds and the bytes of the model as the (last) order went on, one line each;
    ``drifts`` the learners that a guard against drift replaced in it: the rows that had been seen, and the learner.
    ``absolute_errors`` are those of every row (NaN: no answer), one array for every order, if asked for with ``keep_errors``.
    """

    model_name: str
    data_name: str
    n_rows: int
    seconds: float
    memory_bytes: int | None
    window: int
    metric_positions: npt.NDArray[np.int64]
    metrics: Mapping[str, Mapping[str, MetricSeries]]
    n_orders: int = 1
    unanswered: int = 0
    delay: int = 0
    resources: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    drifts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    absolute_errors: tuple[npt.NDArray[np.float32], ...] = ()
    model: Any = field(default=None, compare=False)
    error_name: ClassVar[str] = "mean absolute error"
    largest_error: ClassVar[float] = math.inf

    def _final(self, name: str) -> float:
        return self.metrics[name]["cumulative"].value

    @property
    def mae(self) -> float:
        """The mean absolute error."""
        return self._final("mae")

    @property
    def rmse(self) -> float:
        """The root of the mean squared error."""
        return self._final("rmse")

    @property
    def r2(self) -> float:
        """The share of the targets' variance that was explained."""
        return self._final("r2")

    @property
    def standard_error(self) -> float | None:
        """The standard error of ``mae`` over the orders; None for a single order."""
        finals = self.metrics["mae"]["cumulative"].finals
        return None if len(finals) < 2 else statistics.stdev(finals) / math.sqrt(len(finals))

    @property
    def examples_per_second(self) -> float:
        """Rows answered and learned per second of CPU time."""
        return self.n_rows * self.n_orders / self.seconds if self.seconds > 0 else float("nan")

    def __repr__(self) -> str:
        orders = f" in {self.n_orders} orders" if self.n_orders > 1 else ""
        more = ", ".join(f"{name} {spans['cumulative'].value:.4g}" for name, spans in self.metrics.items())
        return (
            f"<{self.model_name} on {os.path.basename(self.data_name)}: {self.n_rows:,} rows{orders}, {more}>"
        )

    def _repr_html_(self) -> str:
        heads = ["all rows", f"last {self.window:,} rows"]
        rows = [
            [
                name,
                *(f"{spans[span].value:.4g}" if span in spans else "" for span in ("cumulative", "window")),
            ]
            for name, spans in self.metrics.items()
        ]
        title = f"{self.model_name} on {os.path.basename(self.data_name)}, {self.n_rows:,} rows"
        return html_table(
            title, ["metric", *heads], rows, [f"{self.examples_per_second:,.0f} rows per second of CPU time"]
        )

    def to_frame(self) -> Any:
        """The curves as a pandas (or else polars) frame: one line per number of rows, one column per metric and span."""
        columns: dict[str, Any] = {"rows": self.metric_positions}
        for name, spans in self.metrics.items():
            for span, found in spans.items():
                columns[name if span == "cumulative" else f"{name}_{span}"] = found.curve
        return data_frame(columns)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the model, as values that JSON can hold."""
        return {
            "task": "regression",
            "model": self.model_name,
            "data": self.data_name,
            "n_rows": self.n_rows,
            "n_orders": self.n_orders,
            "seconds": self.seconds,
            "examples_per_second": self.examples_per_second if self.seconds > 0 else None,
            "memory_bytes": self.memory_bytes,
            "window": self.window,
            "unanswered": self.unanswered,
            "delay": self.delay,
            "metric_positions": self.metric_positions.tolist(),
            "metrics": {
                name: {
                    span: {"value": s.value, "finals": list(s.finals), "curve": s.curve.tolist()}
                    for span, s in spans.items()
                }
                for name, spans in self.metrics.items()
            },
            "resources": self.resources.tolist(),
            "drifts": self.drifts.tolist(),
        }

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """A picture of the mean absolute error over the rows, saved to ``path`` if one is given."""
        from streamboost.evaluate.plot import plot_errors

        return plot_errors([self], path)

    @property
    def positions(self) -> npt.NDArray[np.int64]:
        """Numbers of rows, of the curves."""
        return self.metric_positions

    @property
    def cumulative_error(self) -> Floats:
        """The mean absolute error so far, there."""
        return self.metrics["mae"]["cumulative"].curve

    @property
    def windowed_error(self) -> Floats:
        """The mean absolute error over the window, there."""
        return self.metrics["mae"]["window"].curve


def predicts_numbers(model: Any) -> bool:
    """Whether a model is a regressor: one of ours, scikit-learn's or River's."""
    entry = getattr(model, "_entry", None)
    if entry is not None and hasattr(entry, "numbers"):
        return bool(entry.numbers)
    if hasattr(model, "__sklearn_tags__"):
        from sklearn.base import is_regressor

        return bool(is_regressor(model))
    last = (
        list(model.steps.values())[-1] if isinstance(getattr(model, "steps", None), dict) else model
    )  # a pipeline of River
    return any(base.__name__ == "Regressor" for base in type(last).__mro__)


@dataclass
class NumberRun:
    """One pass of a regressor over a stream."""

    panel: NumberPanel
    drifts: DriftLog
    resources: ResourceLog
    absolute_errors: list[npt.NDArray[np.float32]]
    n_rows: int = 0
    seconds: float = 0.0
    unanswered: int = 0
    memory_bytes: int | None = None


def run_numbers(
    model: Any,
    stream: Stream,
    *,
    metrics: tuple[Any, ...],
    chunk_size: int,
    window: int,
    fading: float | None,
    late: Any,
    learn_late: bool,
    keep_errors: bool,
    report: Callable[[int, float, float], None],
) -> NumberRun:
    """Answer every row before learning it."""
    drifts = DriftLog(model, 0 if late is None else late.delay)
    run = NumberRun(NumberPanel(metrics, window=window, fading=fading), drifts, ResourceLog(), [])
    if hasattr(model, "feature_names"):
        model.feature_names = stream.feature_names
    for chunk in stream.chunks(chunk_size):
        weights: dict[str, Any] = {}
        if chunk.weight is not None:
            if late is not None:
                raise DataError(f"{stream.name}: rows with weights cannot have late labels.")
            weights["sample_weight"] = chunk.weight
        targets = _numbers(chunk, stream.name)
        start = time.process_time()
        if late is None:
            answers = model.test_then_train(*given(model, chunk), **weights)
        else:
            answers = late.test_then_train(model, chunk, weights)
        run.seconds += time.process_time() - start
        drifts.note(run.n_rows, len(chunk.y), chunk.weight)
        rows = NumberRows(targets, _answers(answers))
        run.panel.update(rows)
        run.n_rows += len(rows)
        run.unanswered += int(np.isnan(rows.pred).sum())
        if keep_errors:
            run.absolute_errors.append(np.abs(rows.true - rows.pred).astype(np.float32))
        run.resources.note(run.n_rows, run.seconds, model)
        report(run.n_rows, run.panel.value("cumulative", "mae"), run.seconds)
    if run.n_rows == 0:
        raise DataError(f"{stream.name}: no rows.")
    if late is not None and learn_late:
        start = time.process_time()
        late.learn_rest(model)
        run.seconds += time.process_time() - start
        drifts.note(run.n_rows, 0, None)
    size = size_of(model)
    run.memory_bytes = None if math.isnan(size) else int(size)
    return run


def _numbers(chunk: Chunk, name: str) -> Floats:
    """The targets of a chunk; one that is none is refused with its line in the file, or the number of its row."""
    try:
        return read_targets(chunk.y, len(chunk), "A regressor")
    except ValueError as error:
        row = re.search(r"\brow (\d+)", str(error))
        if row is None:
            raise
        line = f"line {chunk.lines[int(row[1])]}"
        raise DataError(f"{name}: {str(error).replace(row[0], line)}") from error


def _answers(answers: Any) -> Floats:
    return np.array(
        [math.nan if a is None else float(a) for a in np.asarray(answers, dtype=object).tolist()],
        dtype=np.float64,
    )


def result_of(
    runs: Sequence[NumberRun], *, model_name: str, data_name: str, window: int, delay: int, model: Any
) -> RegressionResult:
    """Put runs over several orders together."""
    positions, found = gather([run.panel for run in runs])
    memory = [run.memory_bytes for run in runs if run.memory_bytes is not None]
    return RegressionResult(
        model_name=model_name,
        data_name=data_name,
        n_rows=runs[0].n_rows,
        seconds=sum(run.seconds for run in runs),
        memory_bytes=max(memory, default=None),
        window=window,
        metric_positions=positions,
        metrics=found,
        n_orders=len(runs),
        unanswered=sum(run.unanswered for run in runs),
        delay=delay,
        resources=runs[-1].resources.lines(),
        drifts=runs[-1].drifts.events(),
        absolute_errors=tuple(np.concatenate(run.absolute_errors) for run in runs if run.absolute_errors),
        model=model,
    )
