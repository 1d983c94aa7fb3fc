"""Metrics of right and wrong answers: what can be said from a table of labels against answers, and of losses of single rows.

A metric is a class and its entry in the list at the end.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.evaluate import measures
from streamboost.evaluate.confusion import CodeTable
from streamboost.evaluate.metric import MeanLoss, Metric
from streamboost.evaluate.rows import Floats, Rows, chosen_positive
from streamboost.streams.base import Label


class OfCounts(Metric):
    """A metric of the table of counts: a subclass says which, in ``of_counts``."""

    def __init__(self) -> None:
        self._table = CodeTable()
        self._labels: tuple[Label, ...] = ()
        self._positive: int | None = None

    def update(self, rows: Rows) -> None:
        """Count more rows."""
        self._notice(rows)
        self._table.add(rows.true, rows.pred, rows.weight)

    def _notice(self, rows: Rows) -> None:
        self._labels, self._positive = rows.labels, rows.positive

    def value(self) -> float:
        """Of all rows counted."""
        return self._of_counts(self._table.counts) if self._table.counts.sum() > 0 else math.nan

    def of(self, rows: Rows) -> float:
        """Of these rows, from the table that all metrics share."""
        self._notice(rows)
        return self._of_counts(rows.table.counts) if len(rows) else math.nan

    def scale(self, factor: float) -> None:
        """Multiply every count."""
        self._table.scale(factor)

    @abstractmethod
    def _of_counts(self, counts: npt.NDArray[Any]) -> float:
        """Rows of ``counts`` are true labels; columns answers, then one column without an answer."""


class ErrorRate(OfCounts):
    """share of wrong predictions; no prediction (no label was known yet) counts as wrong"""

    name = "error"
    greater_is_better = False

    def _of_counts(self, counts: npt.NDArray[Any]) -> float:
        return measures.error(counts)


class Accuracy(OfCounts):
    """share of correct predictions: 1 - error"""

    name = "accuracy"

    def _of_counts(self, counts: npt.NDArray[Any]) -> float:
        return measures.share_right(counts)


class Kappa(OfCounts):
    """Cohen's kappa: (accuracy - chance) / (1 - chance), chance by the frequencies of labels and predictions; 0 if it is 1"""

    name = "kappa"

    def _of_counts(self, counts: npt.NDArray[Any]) -> float:
        return measures.kappa(counts)


class KappaMajority(OfCounts):
    """the same relative to predicting the most frequent label; below 0 the model is worse than that"""

    name = "kappa_majority"

    def _of_counts(self, counts: npt.NDArray[Any]) -> float:
        share = float(counts.sum(axis=1).max()) / float(counts.sum())
        return measures.agreement_beyond(measures.share_right(counts), share)


class KappaTemporal(Metric):
    """the same relative to repeating the last label that has arrived; below 0 the model is worse than that"""

    name = "kappa_temporal"

    def __init__(self) -> None:
        self._table = CodeTable()
        self._steady = np.zeros(1)

    def update(self, rows: Rows) -> None:
        """Count more rows."""
        self._table.add(rows.true, rows.pred, rows.weight)
        np.add.at(self._steady, np.zeros(len(rows), dtype=np.int64), self._repeats(rows))

    def value(self) -> float:
        """Of all rows counted."""
        return self._against(self._table.counts, float(self._steady[0]))

    def of(self, rows: Rows) -> float:
        """Of these rows alone."""
        return self._against(rows.table.counts, float(self._repeats(rows).sum()))

    def scale(self, factor: float) -> None:
        """Multiply every count."""
        self._table.scale(factor)
        self._steady *= factor

    @staticmethod
    def _repeats(rows: Rows) -> Floats:
        if rows.steady is None:
            raise ValueError("kappa_temporal needs to know the label before each row.")
        repeated: Floats = rows.weights * rows.steady
        return repeated

    @staticmethod
    def _against(counts: npt.NDArray[Any], steady: float) -> float:
        n = float(counts.sum())
        return measures.agreement_beyond(measures.share_right(counts), steady / n) if n > 0 else math.nan


class BalancedAccuracy(OfCounts):
    """mean of the recalls of the labels that occurred"""

    name = "balanced_accuracy"

    def _of_counts(self, counts: npt.NDArray[Any]) -> float:
        return measures.balanced_accuracy(counts)


class GMean(OfCounts):
    """geometric mean of these recalls: 0 if one label is never recognised"""

    name = "g_mean"

    def _of_counts(self, counts: npt.NDArray[Any]) -> float:
        return measures.g_mean(counts)


class Matthews(OfCounts):
    """Matthews' correlation of labels and answers, any number of labels; 0 where one of them never varies"""

    name = "mcc"

    def _of_counts(self, counts: npt.NDArray[Any]) -> float:
        return measures.matthews(counts)


class OfOneLabel(OfCounts):
    """A metric of the positive label; with more than two labels the mean over those that occurred."""

    def __init__(self, positive: Label | None = None) -> None:
        super().__init__()
        self.positive = positive

    def _of_counts(self, counts: npt.NDArray[Any]) -> float:
        """Of the positive label, or the mean over all."""
        code = chosen_positive(self.positive, self._labels, self._positive)
        if code is not None:
            return self._of_pair(*measures.precision_and_recall(counts, code))
        seen = np.flatnonzero(counts.sum(axis=1) > 0).tolist()
        return float(np.mean([self._of_pair(*measures.precision_and_recall(counts, c)) for c in seen]))

    @abstractmethod
    def _of_pair(self, precision: float, recall: float) -> float:
        """The metric of one label."""


class Precision(OfOneLabel):
    """share of the positive predictions that are correct; 0 without any"""

    name = "precision"

    def _of_pair(self, precision: float, recall: float) -> float:
        return precision


class Recall(OfOneLabel):
    """share of the positive rows that are found; 0 without any"""

    name = "recall"

    def _of_pair(self, precision: float, recall: float) -> float:
        return recall


class FBeta(OfOneLabel):
    """weighted harmonic mean of precision and recall, recall counting `beta` times as much (`f_beta:beta=0.5`; default 2)"""

    name = "f_beta"

    def __init__(self, beta: float = 2.0, positive: Label | None = None) -> None:
        super().__init__(positive)
        if not (beta > 0 and math.isfinite(beta)):
            raise ValueError(f"beta must be positive and finite, got {beta}.")
        self.beta = beta

    def _of_pair(self, precision: float, recall: float) -> float:
        square = self.beta * self.beta
        below = square * precision + recall
        return (1 + square) * precision * recall / below if below > 0 else 0.0


class F1(FBeta):
    """`f_beta` with beta 1"""

    name = "f1"

    def __init__(self, positive: Label | None = None) -> None:
        super().__init__(1.0, positive)


class ExpectedCost(OfCounts):
    """mean cost of a prediction: `cost:fraud>fine=50:fine>fraud=1`, or `cost:fraud=50` for mistakes on it; by default 1 each"""

    name = "cost"
    greater_is_better = False

    # Pairs that are not named cost 0; a missing answer costs as much as the most expensive one.
    def __init__(self, costs: Mapping[Any, float] | None = None) -> None:
        super().__init__()
        for key, cost in (costs or {}).items():
            if isinstance(key, tuple) and len(key) != 2:
                raise ValueError(f"costs: {key!r} is no label and no pair (truth, answer).")
            if not (math.isfinite(cost) and cost >= 0):
                raise ValueError(f"costs[{key!r}] must be finite and not negative, got {cost}.")
        self.costs = None if costs is None else dict(costs)

    @classmethod
    def of_settings(cls, settings: Sequence[str]) -> ExpectedCost:
        """From texts, ``fraud>fine=50`` or ``fraud=50``; labels are compared as texts."""
        costs: dict[Any, float] = {}
        for setting in settings:
            key, _, price = setting.rpartition("=")
            try:
                costs[tuple(key.split(">")) if ">" in key else key] = float(price)
            except ValueError:
                raise ValueError(
                    f"cost: {setting!r} is no cost; write truth>answer=NUMBER or truth=NUMBER."
                ) from None
        return cls(costs or None)

    def _of_counts(self, counts: npt.NDArray[Any]) -> float:
        n = counts.shape[0]
        price = np.zeros(counts.shape)
        if self.costs is None:
            price = 1.0 - np.eye(*counts.shape)
        codes = {str(label): code for code, label in enumerate(self._labels) if code < n}
        for key, cost in (self.costs or {}).items():
            truth, answer = map(str, key) if isinstance(key, tuple) else (str(key), None)
            if truth not in codes:
                continue
            row = price[codes[truth]]
            if answer is None:
                row[:] = np.where(np.arange(len(row)) == codes[truth], 0.0, cost)
            elif answer in codes:
                row[codes[answer]] = cost
            row[-1] = max(row[-1], cost)
        return float((price * counts).sum() / counts.sum())


class LogLoss(MeanLoss):
    """mean of -log p of the true label, p being at least 2^-52, as in scikit-learn"""

    name = "log_loss"
    needs_proba = True

    def _losses(self, rows: Rows) -> Floats:
        return measures.log_losses(rows.probability_of_truth)


class Brier(MeanLoss):
    """mean squared error of the probabilities, summed over the labels; half of it for two labels"""

    name = "brier"
    needs_proba = True

    def __init__(self) -> None:
        super().__init__()
        self._n_labels = 0

    def _losses(self, rows: Rows) -> Floats:
        self._n_labels = max(self._n_labels, len(rows.labels))
        found = np.zeros(len(rows))
        for code, column in enumerate(rows.scores.T):  # in order: a later label changes no bit
            found += (column - (rows.true == code)) ** 2
        return found

    def value(self) -> float:
        """The mean loss of a row."""
        return super().value() / (2 if self._n_labels <= 2 else 1)


COUNT_METRICS: tuple[type[Metric], ...] = (
    ErrorRate,
    Accuracy,
    Kappa,
    KappaMajority,
    KappaTemporal,
    BalancedAccuracy,
    GMean,
    Matthews,
    Precision,
    Recall,
    F1,
    FBeta,
    ExpectedCost,
    LogLoss,
    Brier,
)
