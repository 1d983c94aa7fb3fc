"""Rows that were answered and whose labels are known: what every metric looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.adapters.labels import LabelCodes
from streamboost.base.inputs.coded import CodedLabels
from streamboost.evaluate.confusion import CodeTable
from streamboost.streams.base import Label, plain_label

Codes = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """Judged rows, oldest first.

    Attributes
    ----------
    true, pred : codes of the labels and of the answers; -1 where there was no answer.
    labels : the label of every code.
    steady : whether the last label that was known when the row was answered is the row's own.
    proba : one column per code, NaN where there was no answer; None if no metric asked for it.
    weight : of every row; None where each counts once.
    positive : the code that "positive" means for metrics of one label; None where each label counts.
    """

    true: Codes
    pred: Codes
    labels: tuple[Label, ...] = ()
    steady: npt.NDArray[np.bool_] | None = None
    proba: Floats | None = None
    weight: Floats | None = None
    positive: int | None = None

    def __len__(self) -> int:
        return int(self.true.size)

    @property
    def y_true(self) -> npt.NDArray[Any]:
        """The true labels, as the user has them."""
        return self._named(self.true)

    @property
    def y_pred(self) -> npt.NDArray[Any]:
        """The answers; None where there was none."""
        return self._named(self.pred)

    def _named(self, codes: Codes) -> npt.NDArray[Any]:
        names = np.empty(len(self.labels) + 1, dtype=object)
        names[:-1] = self.labels  # the last entry, None, is what code -1 finds
        return names[codes]

    @property
    def weights(self) -> Floats:
        """The weight of every row, by default 1."""
        return np.ones(len(self)) if self.weight is None else self.weight

    @property
    def scores(self) -> Floats:
        """The probabilities; a row without an answer gave 0 to every label."""
        if self.proba is None:
            raise ValueError("These rows have no probabilities.")
        return np.where(np.isnan(self.proba), 0.0, self.proba)

    @property
    def probability_of_truth(self) -> Floats:
        """What the answers gave to the true labels."""
        found: Floats = self.scores[np.arange(len(self)), self.true]
        return found

    @cached_property
    def table(self) -> CodeTable:
        """The counts of true and predicted codes, made once for all metrics that need them."""
        table = CodeTable()
        table.add(self.true, self.pred, self.weight)
        return table

    def part(self, first: int, last: int) -> Rows:
        """Some of the rows."""
        return replace(
            self,
            true=self.true[first:last],
            pred=self.pred[first:last],
            steady=None if self.steady is None else self.steady[first:last],
            proba=None if self.proba is None else self.proba[first:last],
            weight=None if self.weight is None else self.weight[first:last],
        )

    def followed_by(self, later: Rows) -> Rows:
        """These rows and then others; what is said of all rows is what the later ones say."""
        if not len(self):
            return later
        return replace(
            later,
            true=np.concatenate((self.true, later.true)),
            pred=np.concatenate((self.pred, later.pred)),
            steady=_joined(self.steady, later.steady),
            proba=_joined(*_same_width(self.proba, later.proba)),
            weight=_joined(self.weight, later.weight),
        )


def widened(proba: Floats, width: int) -> Floats:
    """Columns of 0 for labels that were not known."""
    if proba.shape[1] >= width:
        return proba
    return np.concatenate((proba, np.zeros((proba.shape[0], width - proba.shape[1]))), axis=1)


def _same_width(a: Floats | None, b: Floats | None) -> tuple[Floats | None, Floats | None]:
    if a is None or b is None:
        return None, None
    width = max(a.shape[1], b.shape[1])
    return widened(a, width), widened(b, width)


def _joined(a: npt.NDArray[Any] | None, b: npt.NDArray[Any] | None) -> npt.NDArray[Any] | None:
    return None if a is None or b is None else np.concatenate((a, b))


class Judge:
    """Turns answers into rows: codes every label once, and remembers which labels had arrived."""

    def __init__(self, *, delay: int = 0, classes: Sequence[Any] | npt.NDArray[Any] | None = None) -> None:
        self.codes = LabelCodes()
        if classes is not None:
            self.codes.encode(np.asarray(classes))  # their codes do not depend on which answers come first
        self.n_declared = len(self.codes)
        self._ago = delay + 1
        self._past = np.empty(0, dtype=np.int64)  # the last so many labels, of which the first has arrived

    def rows(
        self,
        y: npt.NDArray[Any] | CodedLabels,
        answers: npt.NDArray[Any],
        proba: npt.NDArray[np.float64] | None = None,
        columns: npt.NDArray[Any] | None = None,
    ) -> Rows:
        """Judge the answers to the labels of a chunk; ``columns`` are the labels of the columns of ``proba``."""
        true, pred = self.codes.encode(y), self.codes.encode(answers)
        past = np.concatenate((self._past, true))
        arrived = np.arange(self._past.size, past.size) - self._ago
        steady = (arrived >= 0) & (past[arrived.clip(0)] == true)
        self._past = past[-self._ago :]
        ordered = None
        if proba is not None:
            if columns is None:
                raise ValueError("Probabilities need the labels of their columns.")
            places = [self.codes.code(plain_label(label)) for label in columns]
            ordered = np.zeros((proba.shape[0], len(self.codes)))
            ordered[:, places] = proba
            ordered[np.isnan(proba).any(axis=1)] = np.nan
        return Rows(true, pred, self.codes.labels, steady, ordered)


def usual_positive(labels: Sequence[Label], counts: npt.NDArray[np.int64]) -> int | None:
    """Which of two labels "positive" is by default: the greater of two numbers, else the rarer one so far.

    With more than two labels there is none: a metric of one label is then the mean over all that occurred.
    """
    if len(labels) != 2:
        return None
    if all(isinstance(label, (int, float)) for label in labels):  # bool is an int
        return 0 if labels[0] > labels[1] else 1  # type: ignore[operator]
    first, second = (int(counts[c]) if c < counts.size else 0 for c in (0, 1))
    if first == second:
        return 0 if str(labels[0]) > str(labels[1]) else 1
    return 0 if first < second else 1


def chosen_positive(positive: Label | None, labels: tuple[Label, ...], usual: int | None) -> int | None:
    """The code of the label that was named, or else the default one. A label that never came gets a code that no row has."""
    if positive is None:
        return usual
    wanted = plain_label(positive)
    if wanted in labels:
        return labels.index(wanted)
    # A name on the command line is a text, whatever the labels are.
    return next((code for code, label in enumerate(labels) if str(label) == str(wanted)), len(labels))
