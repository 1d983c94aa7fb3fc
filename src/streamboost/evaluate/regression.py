"""Regression as a task of the evaluation loop: targets, the panel of their metrics, and the result."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from streamboost.base.inputs.targets import read_targets
from streamboost.evaluate.forecast import last_rows
from streamboost.evaluate.metrics import REGRESSION_METRICS
from streamboost.evaluate.panel import Panel, gather
from streamboost.evaluate.regression_metrics import RegressionRows
from streamboost.evaluate.residuals import ResidualCorrelation, lags_advised
from streamboost.evaluate.result import Floats, PrequentialResult
from streamboost.evaluate.task import Scores, Settings, Task
from streamboost.streams.base import Chunk, DataError, Stream

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False, kw_only=True)
class RegressionResult(PrequentialResult):
    """The result of one or several prequential runs of one regressor over one data set.

    Beside what every :class:`PrequentialResult` has: "mae", "rmse", "r2" and "skill" are always among ``metrics``, and ``error``
    is the mean absolute error. ``residual_correlation`` is how much the errors are correlated with those of 1, 7, 24
    and 168 rows before (empty below 500 rows). ``absolute_errors`` are those of every row (NaN: no answer), one array for every
    order, if asked for with ``keep_errors``. ``last_rows`` are the targets and the answers of the last 300 rows (of the last
    order), two columns; ``last_intervals`` the ends of their intervals, if asked for with ``keep_intervals``.
    """

    unanswered: int = 0
    residual_correlation: Mapping[int, float] = field(default_factory=dict)
    absolute_errors: tuple[npt.NDArray[np.float32], ...] = ()
    last_rows: Floats = field(default_factory=lambda: np.empty((0, 2)))
    last_intervals: Floats | None = None
    task: ClassVar[str] = "regression"
    error_name: ClassVar[str] = "mean absolute error"
    largest_error: ClassVar[float] = math.inf
    digits: ClassVar[str] = ".4g"

    @property
    def mae(self) -> float:
        """The mean absolute error."""
        return self.metrics["mae"]["cumulative"].value

    @property
    def rmse(self) -> float:
        """The root of the mean squared error."""
        return self.metrics["rmse"]["cumulative"].value

    @property
    def r2(self) -> float:
        """The share of the targets' variance that was explained."""
        return self.metrics["r2"]["cumulative"].value

    @property
    def skill(self) -> float:
        """The share of the error of repeating the last target that was avoided: 0 is as good as no change."""
        return self.metrics["skill"]["cumulative"].value

    @property
    def headline(self) -> dict[str, float]:
        """The metrics that are always there."""
        return {"MAE": self.mae, "RMSE": self.rmse, "R2": self.r2, "skill": self.skill}

    @property
    def row_errors(self) -> npt.NDArray[np.float32]:
        """The absolute error of every row of the first order, if that was kept."""
        return self.absolute_errors[0]

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """A picture of the error over the rows and, of a single order, of targets, answers and intervals of the last ones."""
        from streamboost.evaluate.plot import plot_numbers

        return plot_numbers(self, path) if self.n_orders == 1 else super().plot(path)

    @property
    def lags_advised(self) -> int | None:
        """How many lags may help: what was missed repeats after as many rows. None: it does not, or the model has lags."""
        return (
            None if getattr(self.model, "lags", None) else lags_advised(self.residual_correlation, self.delay)
        )

    @property
    def _notes(self) -> list[str]:
        lags = self.lags_advised
        return [] if lags is None else [f"errors repeat after {lags} rows: lags={lags} may help"]

    def own_figures(self) -> dict[str, Any]:
        """How many rows had no answer; the rest are metrics."""
        return {
            "unanswered": self.unanswered,
            "residual_correlation": {str(lag): value for lag, value in self.residual_correlation.items()},
        }


class RegressionScores(Scores):
    """The targets of one pass and the panel of their metrics."""

    def __init__(self, settings: Settings, data_name: str) -> None:
        self.panel = Panel(
            settings.metrics, window=settings.window, fading=settings.fading, points=settings.points
        )
        self.absolute_errors: list[npt.NDArray[np.float32]] = []
        self.correlation = ResidualCorrelation()
        self.last_rows: Floats = np.empty((0, 2))
        self.unanswered = 0
        self.n_rows = 0
        self.wait_for_labels(settings)
        self._keep = settings.keep_errors
        self._data_name = data_name

    @property
    def error(self) -> float:
        """The mean absolute error so far."""
        return self.panel.value("cumulative", "mae")

    def truth(self, chunk: Chunk) -> Floats:
        """The targets of a chunk; one that is none is refused with its line in the file, or the number of its row."""
        try:
            return read_targets(chunk.y, len(chunk), "A regressor")
        except ValueError as error:
            row = re.search(r"\brow (\d+)", str(error))
            if row is None:
                raise
            line = f"line {chunk.lines[int(row[1])]}"
            raise DataError(f"{self._data_name}: {str(error).replace(row[0], line)}") from error

    def add(self, truth: Floats, answers: Any, model: Any) -> None:
        """Judge the answers that were given to a chunk; None is no answer."""
        rows = RegressionRows(truth, np.asarray(answers).astype(np.float64))  # None becomes NaN
        first = self.first_answered(~np.isnan(rows.pred))
        if first == len(rows):
            return
        rows = rows.part(first, len(rows))
        self.panel.update(rows)
        self.correlation.update(rows)
        self.last_rows = last_rows(self.last_rows, np.stack((rows.true, rows.pred), axis=1))
        self.n_rows += len(rows)
        self.unanswered += int(np.isnan(rows.pred).sum())
        if self._keep:
            self.absolute_errors.append(np.abs(rows.true - rows.pred).astype(np.float32))


class Regression(Task[RegressionScores]):
    """Answers are numbers, nearer to the target or farther from it."""

    name = "regression"
    metrics = REGRESSION_METRICS

    def settle(self, settings: Settings, model: Any, stream: Stream) -> Settings:
        """There are no labels to settle."""
        if settings.classes is not None or settings.positive is not None:
            raise ValueError(
                f"classes and positive are for classification; {type(model).__name__} is a regressor."
            )
        return settings

    def scores(self, settings: Settings, stream: Stream) -> RegressionScores:
        """Empty scores for a pass over a stream."""
        return RegressionScores(settings, stream.name)

    def result(self, passes: Sequence[RegressionScores], **shared: Any) -> RegressionResult:
        """What came out of the passes."""
        positions, found = gather([one.panel for one in passes])
        return RegressionResult(
            **shared,
            metric_positions=positions + passes[0].left_out,
            metrics=found,
            errors=found["mae"]["cumulative"].finals,
            positions=positions + passes[0].left_out,
            cumulative_error=found["mae"]["cumulative"].curve,
            windowed_error=found["mae"]["window"].curve,
            unanswered=sum(one.unanswered for one in passes),
            residual_correlation=passes[-1].correlation.values(),
            last_rows=passes[-1].last_rows,
            absolute_errors=tuple(
                np.concatenate(one.absolute_errors) for one in passes if one.absolute_errors
            ),
        )
