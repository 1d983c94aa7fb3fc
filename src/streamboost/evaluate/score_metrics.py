"""Metrics of probabilities, label against the rest: how well they rank the rows, and whether they are true frequencies.

All of them are functions of *levels*: for every probability that occurred, in rising order, the weight of the rows that have
the label and of those that have not. A window has its rows and takes the probabilities as they are, which is exact. All rows
of a stream cannot be kept: their probabilities are counted in bins, and two rows in one bin count as a tie.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from streamboost.evaluate.metric import Metric
from streamboost.evaluate.rows import Floats, Rows, chosen_positive, widened
from streamboost.streams.base import Label


@dataclass(frozen=True)
class Levels:
    """For every probability, rising: weight with the label, weight without, and weight times probability."""

    positive: Floats
    negative: Floats
    mass: Floats

    @property
    def has_both(self) -> bool:
        """Whether there are rows of both kinds."""
        return bool(self.positive.sum() > 0 and self.negative.sum() > 0)


class ScoreBins:
    """Histograms of the probabilities of every label.

    The bins are equal steps of the log odds between 1e-16 and 1 - 1e-16, so that probabilities near 0 and 1 stay apart.
    """

    N_BINS = 4096
    _REACH = 16 * math.log(10)

    def __init__(self) -> None:
        self._sums = np.zeros((0, 3, self.N_BINS))  # without the label, with it, mass
        self._weight = np.zeros(1)

    def __len__(self) -> int:
        return int(self._sums.shape[0])

    def bins(self, proba: Floats) -> npt.NDArray[np.int64]:
        """The bin of every probability."""
        p = np.clip(proba, 0.0, 1.0)
        with np.errstate(divide="ignore"):
            odds = np.clip(np.log(p) - np.log1p(-p), -self._REACH, self._REACH)
        found: npt.NDArray[np.int64] = (
            (odds + self._REACH) * ((self.N_BINS - 1) / (2 * self._REACH))
        ).astype(np.int64)
        return found

    def add(self, rows: Rows) -> None:
        """Count rows with their weights, one by one from left to right."""
        scores, weight = rows.scores, rows.weights
        old, k = len(self), max(len(self), scores.shape[1])
        if k > old:
            grown = np.zeros((k, 3, self.N_BINS))
            grown[:old] = self._sums
            # A label that is new had probability 0 in all rows before, and was true in none.
            grown[old:, 0, 0] = self._weight[0]
            self._sums = grown
        scores = widened(scores, k)
        labels = np.arange(k)
        bins = self.bins(scores)
        kind = (rows.true[:, None] == labels).astype(np.int64)
        flat = self._sums.reshape(-1)
        np.add.at(flat, ((labels * 3 + kind) * self.N_BINS + bins).reshape(-1), np.repeat(weight, k))
        np.add.at(
            flat, ((labels * 3 + 2) * self.N_BINS + bins).reshape(-1), (weight[:, None] * scores).reshape(-1)
        )
        np.add.at(self._weight, np.zeros(len(rows), dtype=np.int64), weight)

    def scale(self, factor: float) -> None:
        """Multiply every weight."""
        self._sums *= factor
        self._weight *= factor

    def levels(self, code: int) -> Levels:
        """The bins of one label that hold something."""
        negative, positive, mass = self._sums[code]
        used = negative + positive > 0
        return Levels(positive[used], negative[used], mass[used])


def exact_levels(rows: Rows, code: int) -> Levels:
    """The probabilities of one label as they are."""
    scores, weight = rows.scores, rows.weights
    column = scores[:, code] if code < scores.shape[1] else np.zeros(len(rows))
    values, level = np.unique(column, return_inverse=True)
    mine = rows.true == code
    kinds = (np.where(mine, weight, 0.0), np.where(mine, 0.0, weight))
    positive, negative = (
        np.bincount(level, kind, minlength=values.size).astype(np.float64, copy=False) for kind in kinds
    )
    return Levels(positive, negative, values * (positive + negative))


class OfLevels(Metric):
    """A metric of one label's levels; with more than two labels the mean over those that occurred."""

    needs_proba = True

    def __init__(self, positive: Label | None = None) -> None:
        self.positive = positive
        self._bins = ScoreBins()
        self._labels: tuple[Label, ...] = ()
        self._usual: int | None = None

    def update(self, rows: Rows) -> None:
        """Count more rows."""
        self._notice(rows)
        self._bins.add(rows)

    def _notice(self, rows: Rows) -> None:
        self._labels, self._usual = rows.labels, rows.positive

    def value(self) -> float:
        """Of all rows counted, two rows in one bin being tied."""
        code = self._code()
        if code is not None and code >= len(self._bins):
            return math.nan
        found = range(len(self._bins)) if code is None else [code]
        return self._mean([self._bins.levels(c) for c in found])

    def of(self, rows: Rows) -> float:
        """Of these rows, exactly."""
        self._notice(rows)
        code = self._code()
        found = np.unique(rows.true).tolist() if code is None else [code]
        return self._mean([exact_levels(rows, c) for c in found])

    def scale(self, factor: float) -> None:
        """Multiply every weight."""
        self._bins.scale(factor)

    def _code(self) -> int | None:
        return chosen_positive(self.positive, self._labels, self._usual)

    def _mean(self, levels: list[Levels]) -> float:
        values = [self._of_levels(one) for one in levels if one.positive.sum() > 0]
        defined = [value for value in values if not math.isnan(value)]
        return float(np.mean(defined)) if defined else math.nan

    @abstractmethod
    def _of_levels(self, levels: Levels) -> float:
        """The metric of one label that has rows; NaN where it is not defined."""


class AUC(OfLevels):
    """area under the ROC curve, ties count half; mean over the labels that occurred, each against the rest; NaN with one label"""

    name = "auc"

    def __init__(self) -> None:
        super().__init__()

    def _code(self) -> int | None:
        return None

    def _of_levels(self, levels: Levels) -> float:
        """The chance that a row with the label scores above one without."""
        if not levels.has_both:
            return math.nan
        below = np.cumsum(levels.negative) - 0.5 * levels.negative
        pairs = float(levels.positive.sum()) * float(levels.negative.sum())
        return float(levels.positive @ below) / pairs

    @property
    def slack(self) -> float:
        """The exact area is within this of ``value``; reached only if no two rows of a bin are really tied."""
        levels = [self._bins.levels(code) for code in range(len(self._bins))]
        found = [
            0.5 * float(one.positive @ one.negative) / float(one.positive.sum() * one.negative.sum())
            for one in levels
            if one.has_both
        ]
        return float(np.mean(found)) if found else math.nan


class AveragePrecision(OfLevels):
    """area under the precision-recall curve, as steps: the mean precision at each positive row; NaN without positive rows"""

    name = "average_precision"

    def _of_levels(self, levels: Levels) -> float:
        """The precision at every level, weighed by the recall that the level adds."""
        gained = levels.positive[::-1]
        found, alarms = np.cumsum(gained), np.cumsum(levels.negative[::-1])
        return float(gained @ (found / (found + alarms))) / float(found[-1])


class RecallAtFPR(OfLevels):
    """largest recall with false alarms on at most a share `fpr` of the negative rows (`recall_at_fpr:fpr=0.05`; default 0.01)"""

    name = "recall_at_fpr"

    def __init__(self, fpr: float = 0.01, positive: Label | None = None) -> None:
        super().__init__(positive)
        if not 0 <= fpr <= 1:
            raise ValueError(f"fpr must lie between 0 and 1, got {fpr}.")
        self.fpr = fpr

    def _of_levels(self, levels: Levels) -> float:
        """All thresholds between levels are tried; equal probabilities are above or below together."""
        if not levels.has_both:
            return math.nan
        found, alarms = np.cumsum(levels.positive[::-1]), np.cumsum(levels.negative[::-1])
        allowed = alarms <= self.fpr * float(alarms[-1]) * (1 + 1e-12)
        return float(found[allowed].max(initial=0.0)) / float(found[-1])


class PrecisionAtTop(OfLevels):
    """share of positive rows among the `k` rows (100) with the highest probability; those tied at the end count in part"""

    name = "precision_at_top"
    counts_rows = True

    def __init__(self, k: int = 100, positive: Label | None = None) -> None:
        super().__init__(positive)
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}.")
        self.k = k

    def _of_levels(self, levels: Levels) -> float:
        """From the highest level down; the last one gives as much as still has room."""
        positive, weight = levels.positive[::-1], (levels.positive + levels.negative)[::-1]
        positive, weight = (
            positive[weight > 0],
            weight[weight > 0],
        )  # rows of weight 0 would make empty levels
        above = np.cumsum(weight) - weight
        taken = np.clip(self.k - above, 0.0, weight)
        return float((positive * (taken / weight)).sum() / taken.sum())


@dataclass(frozen=True)
class Parts:
    """Probabilities in parts of about equal mass: the weight of each, its mean probability and the label's frequency in it."""

    weight: Floats
    probability: Floats
    frequency: Floats

    @property
    def base_rate(self) -> float:
        """The frequency of the label in all rows."""
        return float(self.weight @ self.frequency)

    @property
    def error(self) -> float:
        """Expected calibration error: the mean distance of probability and frequency."""
        return float(self.weight @ np.abs(self.probability - self.frequency))

    @property
    def reliability(self) -> float:
        """The mean squared distance of probability and frequency."""
        return float(self.weight @ (self.probability - self.frequency) ** 2)

    @property
    def resolution(self) -> float:
        """The mean squared distance of the frequencies from that of all rows."""
        return float(self.weight @ (self.frequency - self.base_rate) ** 2)

    @property
    def uncertainty(self) -> float:
        """The Brier score of always answering the frequency of all rows."""
        return self.base_rate * (1 - self.base_rate)


def in_parts(levels: Levels, bins: int) -> Parts:
    """A level goes where the middle of its mass lies, so that ties stay together; empty parts are left out."""
    weight = levels.positive + levels.negative
    total = float(weight.sum())
    middle = (np.cumsum(weight) - 0.5 * weight) / total
    part = np.minimum((bins * middle).astype(np.int64), bins - 1)
    size, positive, mass = (
        np.bincount(part, column, minlength=bins) for column in (weight, levels.positive, levels.mass)
    )
    used = size > 0
    return Parts(size[used] / total, mass[used] / size[used], positive[used] / size[used])


class OfParts(OfLevels):
    """A metric of probabilities beside frequencies, in parts of equal mass."""

    greater_is_better = False

    def __init__(self, bins: int = 15, positive: Label | None = None) -> None:
        super().__init__(positive)
        if bins < 1:
            raise ValueError(f"bins must be at least 1, got {bins}.")
        self.bins = bins


class CalibrationError(OfParts):
    """expected calibration error: mean absolute difference of probability and frequency in `bins` (15) bins of equal mass"""

    name = "calibration_error"

    def _of_levels(self, levels: Levels) -> float:
        return in_parts(levels, self.bins).error


class BrierReliability(OfParts):
    """the part of the Brier score due to calibration: mean squared difference of probability and frequency in `bins` (15) bins"""

    name = "brier_reliability"

    def _of_levels(self, levels: Levels) -> float:
        return in_parts(levels, self.bins).reliability


class BrierResolution(OfParts):
    """how much separating the rows lowers the Brier score: mean squared difference of their frequencies from the overall one"""

    name = "brier_resolution"
    greater_is_better = True

    def _of_levels(self, levels: Levels) -> float:
        return in_parts(levels, self.bins).resolution


class BrierUncertainty(OfParts):
    """Brier score of always answering the label's frequency; plus reliability minus resolution it is the Brier score, nearly"""

    name = "brier_uncertainty"

    def _of_levels(self, levels: Levels) -> float:
        return in_parts(levels, self.bins).uncertainty


SCORE_METRICS: tuple[type[Metric], ...] = (
    AUC,
    AveragePrecision,
    RecallAtFPR,
    PrecisionAtTop,
    CalibrationError,
    BrierReliability,
    BrierResolution,
    BrierUncertainty,
)
