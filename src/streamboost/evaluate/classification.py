"""Classification as a task of the evaluation loop: labels, the panel of their metrics, and the result."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from streamboost.adapters.labels import NO_ANSWER
from streamboost.evaluate.confusion import Confusion
from streamboost.evaluate.curve import ErrorCurve
from streamboost.evaluate.metrics import CLASSIFICATION_METRICS
from streamboost.evaluate.panel import Panel, gather
from streamboost.evaluate.result import Floats, PrequentialResult
from streamboost.evaluate.rows import Judge, Rows, chosen_positive, usual_positive
from streamboost.evaluate.task import Scores, Settings, Task
from streamboost.streams.base import Chunk, Label, Stream


class ClassificationPanel(Panel):
    """Metrics of labels; it knows which labels had occurred, and which of them is the positive one."""

    def __init__(
        self, metrics: Any, *, positive: Label | None = None, declared: int = 0, **spans: Any
    ) -> None:
        """``positive`` is the label of metrics of one label; the first ``declared`` codes are known before any row."""
        super().__init__(CLASSIFICATION_METRICS.choose(metrics), **spans)
        self._seen = np.zeros(0, dtype=np.int64)
        self._named, self._known = positive, declared
        self.positive: Label | None = positive
        """The label that metrics of one label are about; None where they are means over all labels."""

    def _placed(self, part: Rows) -> Rows:
        """Rows that know the labels so far, not those of later rows of their chunk, and which one is positive."""
        self._known = max(self._known, 1 + int(max(part.true.max(), part.pred.max())))
        counts = np.bincount(part.true, minlength=self._seen.size)
        counts[: self._seen.size] += self._seen
        self._seen = counts
        labels = part.labels[: self._known]
        code = chosen_positive(self._named, labels, usual_positive(labels, self._seen))
        if self._named is None:
            self.positive = None if code is None else labels[code]
        return replace(part, labels=labels, positive=code)


@dataclass(frozen=True, repr=False, kw_only=True)
class ClassificationResult(PrequentialResult):
    """The result of one or several prequential runs of one classifier over one data set.

    Beside what every :class:`PrequentialResult` has: Cohen's kappa of every order, and ``confusion``, summed over the orders; the
    error is the share of wrong answers. ``positive`` is the label that metrics of one label are about, None if
    they are means over the labels. ``wrong`` are the answers of every order, one bit per row (:func:`numpy.unpackbits`), if
    asked for with ``keep_errors``.
    """

    kappas: tuple[float, ...]
    labels: tuple[Label, ...]
    confusion: npt.NDArray[np.int64]
    positive: Label | None = None
    wrong: tuple[npt.NDArray[np.uint8], ...] = ()
    task: ClassVar[str] = "classification"
    error_name: ClassVar[str] = "error rate"
    largest_error: ClassVar[float] = 1.0
    digits: ClassVar[str] = ".4f"

    @property
    def kappa(self) -> float:
        """Cohen's kappa, averaged over the orders."""
        return statistics.fmean(self.kappas)

    @property
    def headline(self) -> dict[str, float]:
        """The error and kappa."""
        return {"error": self.error, "kappa": self.kappa}

    @property
    def unanswered(self) -> int:
        """Rows without an answer (the model knew no label yet), all orders together."""
        return int(self.confusion[:, -1].sum())

    @property
    def row_errors(self) -> npt.NDArray[np.bool_]:
        """Which rows of the first order were answered wrongly, if that was kept."""
        return np.unpackbits(self.wrong[0], count=self.n_rows).astype(np.bool_)

    @property
    def _spans(self) -> dict[str, dict[str, float]]:
        lately = float(self.windowed_error[-1]) if self.windowed_error.size else math.nan
        error = {"cumulative": self.error, "window": lately}
        return {"error": error, "kappa": {"cumulative": self.kappa}, **super()._spans}

    @property
    def _curves(self) -> dict[str, tuple[npt.NDArray[np.int64], Floats]]:
        error = {
            "error": (self.positions, self.cumulative_error),
            "error_window": (self.positions, self.windowed_error),
        }
        return {
            **error,
            **super()._curves,
            **error,
        }  # first, and with all its points if it was asked for as a metric

    @property
    def _notes(self) -> list[str]:
        return [f"positive label: {self.positive}"] if self.positive is not None and self.metrics else []

    def own_figures(self) -> dict[str, Any]:
        """Kappa and the confusion."""
        return {
            "kappa": self.kappa,
            "kappas": list(self.kappas),
            "labels": list(self.labels),
            "confusion": self.confusion.tolist(),
            "unanswered": self.unanswered,
            "positive": self.positive,
        }


class ClassificationScores(Scores):
    """The labels of one pass: their confusion, the curve of the error, and the panel of the chosen metrics."""

    panel: ClassificationPanel

    def __init__(self, settings: Settings) -> None:
        self._classes = None if settings.classes is None else np.asarray(settings.classes)
        self._judge = Judge(delay=settings.delay, classes=self._classes)
        self.confusion = Confusion(self._judge.codes)
        self.curve = ErrorCurve(settings.window, 5 * settings.points)
        self.panel = ClassificationPanel(
            settings.metrics,
            window=settings.window,
            fading=settings.fading,
            points=settings.points,
            positive=settings.positive,
            declared=self._judge.n_declared,
        )
        self.wrong: list[npt.NDArray[np.bool_]] = []
        self._keep = settings.keep_errors
        self.wait_for_labels(settings)
        self.n_rows = 0

    @property
    def error(self) -> float:
        """The share of wrong answers so far."""
        return self.curve.error

    def truth(self, chunk: Chunk) -> Any:
        """The labels of a chunk."""
        return chunk.labels

    def options(self) -> dict[str, Any]:
        """The declared labels, with the first call only: a model remembers them; and whether probabilities are needed."""
        first = self._classes is not None and self.n_rows == 0
        declared: dict[str, Any] = {"classes": self._classes} if first else {}
        return {**declared, "output": "both"} if self.panel.needs_proba else declared

    def add(self, truth: Any, answers: Any, model: Any) -> None:
        """Judge the answers that were given to a chunk."""
        labels, proba, columns = answers, None, None
        if self.panel.needs_proba:
            labels, proba = answers
            # With late labels a model may not have learned yet: then it knows the declared classes only.
            known = np.empty(0, object) if self._classes is None else np.unique(self._classes)
            columns = getattr(model, "classes_", known)
        rows = self._judge.rows(truth, np.asarray(labels), proba, columns)
        first = self.first_answered(rows.pred != NO_ANSWER)
        if first == len(rows):
            return
        rows = rows.part(first, len(rows))
        wrong = self.confusion.add(rows.true, rows.pred)
        self.curve.update(wrong)
        if self.panel.names:
            self.panel.update(rows)
        if self._keep:
            self.wrong.append(wrong)
        self.n_rows += len(rows)


class Classification(Task[ClassificationScores]):
    """Answers are labels, right or wrong."""

    name = "classification"
    metrics = CLASSIFICATION_METRICS

    def settle(self, settings: Settings, model: Any, stream: Stream) -> Settings:
        """The labels are those given, or those that the stream declares; found by a pass if the model must know them."""
        classes, positive = settings.classes, settings.positive
        if classes is None:
            classes = stream.classes
        if classes is None and getattr(model, "needs_classes", False):
            classes = stream.find_classes()
        if positive is not None and classes is None and stream.repeatable:
            self._check_positive(positive, stream.find_classes())
        if positive is not None and classes is not None:
            self._check_positive(positive, classes)
        return replace(settings, classes=classes)

    @staticmethod
    def _check_positive(positive: Label, classes: Sequence[Label]) -> None:
        if str(positive) not in map(str, classes):
            shown = ", ".join(map(repr, classes[:20])) + (", ..." if len(classes) > 20 else "")
            raise ValueError(f"positive={positive!r} is no label of the data; there are {shown}.")

    def scores(self, settings: Settings, stream: Stream) -> ClassificationScores:
        """Empty scores for a pass over a stream."""
        return ClassificationScores(settings)

    def result(self, passes: Sequence[ClassificationScores], **shared: Any) -> ClassificationResult:
        """What came out of the passes."""
        total = Confusion()
        for one in passes:
            total.merge(one.confusion)
        series = [one.curve.series() for one in passes]
        positions, found = gather([one.panel for one in passes])
        return ClassificationResult(
            **shared,
            errors=tuple(one.confusion.error for one in passes),
            kappas=tuple(one.confusion.kappa for one in passes),
            positions=series[0][0] + passes[0].left_out,
            cumulative_error=np.mean([s[1] for s in series], axis=0),
            windowed_error=np.mean([s[2] for s in series], axis=0),
            labels=total.labels,
            confusion=total.counts,
            metric_positions=positions + passes[0].left_out,
            metrics=found,
            positive=passes[-1].panel.positive,
            wrong=tuple(np.packbits(np.concatenate(one.wrong)) for one in passes if one.wrong),
        )
