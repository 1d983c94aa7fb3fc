"""Sets of labels as a task of the evaluation loop: indicators, the panel of their metrics, and the result."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from streamboost.base.inputs.label_sets import read_sets
from streamboost.evaluate.metric import MeanLoss, Metric
from streamboost.evaluate.metrics import MetricTable
from streamboost.evaluate.panel import Panel, gather
from streamboost.evaluate.result import Floats, PrequentialResult
from streamboost.evaluate.task import Scores, Settings, Task
from streamboost.streams.base import Chunk, DataError, Stream


@dataclass(frozen=True)
class SetRows:
    """Judged rows, oldest first: indicators of the labels (NaN: nobody knows), their probabilities and ranking scores (NaN:
    no answer), and weights. Labels of which nobody knows are judged by no metric."""

    true: Floats
    proba: Floats
    score: Floats
    weight: Floats | None = None

    def __len__(self) -> int:
        return len(self.true)

    @cached_property
    def weights(self) -> Floats:
        """The weight of every row, by default 1."""
        return np.ones(len(self)) if self.weight is None else self.weight

    @cached_property
    def known(self) -> npt.NDArray[np.bool_]:
        """The labels of which it is known whether a row has them."""
        return ~np.isnan(self.true)

    @cached_property
    def pred(self) -> Floats:
        """The labels that were likelier there than not."""
        return (np.nan_to_num(self.proba) >= 0.5).astype(np.float64)

    def part(self, first: int, last: int) -> SetRows:
        """Some of the rows."""
        weight = None if self.weight is None else self.weight[first:last]
        return SetRows(self.true[first:last], self.proba[first:last], self.score[first:last], weight)

    def followed_by(self, later: SetRows) -> SetRows:
        """These rows and then others."""
        pairs = ((self.true, later.true), (self.proba, later.proba), (self.score, later.score))
        return SetRows(*(np.concatenate(pair) for pair in pairs))


class LabelRankLoss(MeanLoss):
    """Share of the pairs (label of the row, other label) that the scores rank wrongly, a tie counting half; rows with such
    pairs."""

    name = "rank_loss"

    def update(self, rows: Any) -> None:
        """Look at more rows; those with no label or with all of them rank nothing."""
        ranks = (rows.true == 1).any(axis=1) & (rows.true == 0).any(axis=1)
        super().update(SetRows(rows.true, rows.proba, rows.score, rows.weights * ranks))

    def _losses(self, rows: SetRows) -> Floats:
        truth, other, score = rows.true == 1, rows.true == 0, np.nan_to_num(rows.score)
        wrong = np.zeros(len(rows))
        for label in range(
            truth.shape[1]
        ):  # a table of all pairs of labels would be as large as the labels squared
            own = score[:, [label]]
            pairs = truth[:, [label]] & other
            wrong += (pairs * ((own < score) + 0.5 * (own == score))).sum(axis=1)
        return np.asarray(wrong / np.maximum(truth.sum(axis=1) * other.sum(axis=1), 1))


class Hamming(MeanLoss):
    """Share of the labels that were answered wrongly."""

    name = "hamming"

    def _losses(self, rows: SetRows) -> Floats:
        wrong = rows.known & (rows.true != rows.pred)
        return np.asarray(wrong.sum(axis=1) / np.maximum(rows.known.sum(axis=1), 1))


class SubsetAccuracy(MeanLoss):
    """Share of the rows whose whole set was answered rightly."""

    name = "subset_accuracy"
    greater_is_better = True

    def _losses(self, rows: SetRows) -> Floats:
        return np.asarray(((rows.true == rows.pred) | ~rows.known).all(axis=1), dtype=np.float64)


class PrecisionAtK(MeanLoss):
    """Share of the k labels of highest score that the row has."""

    name = "precision_at"
    greater_is_better = True

    def __init__(self, k: int = 1) -> None:
        super().__init__()
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}.")
        self.k = k

    def _losses(self, rows: SetRows) -> Floats:
        k = min(self.k, rows.true.shape[1])
        score = np.where(rows.known, np.nan_to_num(rows.score), -np.inf)
        best = np.argsort(-score, axis=1, kind="stable")[:, :k]
        truth, known = (np.take_along_axis(one, best, axis=1) for one in (rows.true == 1, rows.known))
        return np.asarray(truth.sum(axis=1) / np.maximum(known.sum(axis=1), 1))


class MicroF1(Metric):
    """F1 of all pairs of row and label together."""

    name = "micro_f1"

    def __init__(self) -> None:
        self._counts: Floats | float = 0.0  # right, answered, there

    def update(self, rows: Any) -> None:
        """Look at more rows."""
        weight = rows.weights[:, None]
        there = (rows.true == 1).astype(np.float64)
        parts = (there * rows.pred, rows.known * rows.pred, there)
        self._counts = self._counts + np.stack([(weight * part).sum(axis=0) for part in parts])

    def scale(self, factor: float) -> None:
        """Multiply the weight of everything seen so far."""
        self._counts = self._counts * factor

    def value(self) -> float:
        """The value as it stands; NaN before the first label."""
        right, answered, there = np.asarray(self._counts).reshape(3, -1).sum(axis=1)
        return float(2 * right / (answered + there)) if answered + there > 0 else math.nan


class MacroF1(MicroF1):
    """The mean of the F1 of every label that occurred or was answered."""

    name = "macro_f1"

    def value(self) -> float:
        """The value as it stands; NaN before the first label."""
        right, answered, there = np.asarray(self._counts).reshape(3, -1)
        seen = answered + there > 0
        return float((2 * right[seen] / (answered + there)[seen]).mean()) if seen.any() else math.nan


SET_METRICS = MetricTable(
    "multilabel",
    (LabelRankLoss, Hamming, SubsetAccuracy, MicroF1, MacroF1, PrecisionAtK),
    always=("rank_loss", "hamming", "subset_accuracy", "micro_f1", "macro_f1"),
)
"""The metrics of label sets."""


@dataclass(frozen=True, repr=False, kw_only=True)
class MultilabelResult(PrequentialResult):
    """The result of one or several prequential runs of one classifier of label sets over one data set.

    Beside what every :class:`PrequentialResult` has: "rank_loss", "hamming", "subset_accuracy", "micro_f1" and "macro_f1"
    are always among ``metrics``, and ``error`` is the rank loss.
    """

    labels: tuple[Any, ...] = ()
    task: ClassVar[str] = "multilabel"
    error_name: ClassVar[str] = "rank loss"
    largest_error: ClassVar[float] = 1.0
    digits: ClassVar[str] = ".4f"

    @property
    def headline(self) -> Mapping[str, float]:
        """The metrics that are always there."""
        return {name.replace("_", " "): self.metrics[name]["cumulative"].value for name in SET_METRICS.always}

    @property
    def row_errors(self) -> npt.NDArray[Any]:
        """Not kept for label sets."""
        return np.zeros(0)

    def own_figures(self) -> dict[str, Any]:
        """The labels; the rest are metrics."""
        return {"labels": list(self.labels)}


class SetScores(Scores):
    """The sets of one pass and the panel of their metrics."""

    def __init__(self, settings: Settings, stream: Stream) -> None:
        self.panel = Panel(
            settings.metrics, window=settings.window, fading=settings.fading, points=settings.points
        )
        self.n_rows = 0
        self.labels: tuple[Any, ...] = ()
        self._names = getattr(stream, "label_names", None)
        self._first = True
        self.wait_for_labels(settings)
        self._name = stream.name

    @property
    def error(self) -> float:
        """The rank loss so far."""
        return self.panel.value("cumulative", "rank_loss")

    def truth(self, chunk: Chunk) -> Floats:
        """The indicators of a chunk."""
        try:
            return read_sets(chunk.y, len(chunk), None).table
        except ValueError as error:
            raise DataError(f"{self._name}: {error}") from error

    def options(self) -> Mapping[str, Any]:
        """Probabilities and scores; the first call names the labels."""
        named = {"labels": list(self._names)} if self._names is not None and self._first else {}
        return {"output": "both", **named}

    def add(self, truth: Floats, answers: Any, model: Any) -> None:
        """Judge the answers that were given to a chunk."""
        proba, score = answers
        rows = SetRows(truth, np.asarray(proba), np.asarray(score))
        first = self.first_answered(np.asarray(~np.isnan(rows.score).all(axis=1)))
        self._first = False
        self.labels = tuple(
            np.asarray(getattr(model, "labels_", ())).tolist()
        )  # none before the first late label
        if first < len(rows):
            self.panel.update(rows.part(first, len(rows)))
            self.n_rows += len(rows) - first


class Multilabel(Task[SetScores]):
    """Answers are sets of labels, and scores that rank them."""

    name = "multilabel"
    metrics = SET_METRICS

    def settle(self, settings: Settings, model: Any, stream: Stream) -> Settings:
        """There is no single label to settle."""
        if settings.classes is not None or settings.positive is not None or settings.keep_errors:
            raise ValueError("classes, positive and keep_errors are for single labels, not for sets of them.")
        return settings

    def scores(self, settings: Settings, stream: Stream) -> SetScores:
        """Empty scores for a pass over a stream."""
        return SetScores(settings, stream)

    def result(self, passes: Sequence[SetScores], **shared: Any) -> MultilabelResult:
        """What came out of the passes."""
        positions, found = gather([one.panel for one in passes])
        return MultilabelResult(
            **shared,
            metric_positions=positions + passes[0].left_out,
            metrics=found,
            errors=found["rank_loss"]["cumulative"].finals,
            positions=positions + passes[0].left_out,
            cumulative_error=found["rank_loss"]["cumulative"].curve,
            windowed_error=found["rank_loss"]["window"].curve,
            labels=passes[-1].labels,
        )
