"""Regression metrics: how far answers were from targets."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.evaluate.metric import MeanLoss, Metric, OfSums

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class RegressionRows:
    """Judged rows, oldest first: targets, answers (NaN where there was none), and weights (None: each counts once)."""

    true: Floats
    pred: Floats
    weight: Floats | None = None

    def __len__(self) -> int:
        return int(self.true.size)

    @cached_property
    def weights(self) -> Floats:
        """The weight of every row, by default 1; 0 where there was no answer."""
        weight = np.ones(len(self)) if self.weight is None else self.weight
        return np.where(np.isnan(self.pred), 0.0, weight)

    @cached_property
    def errors(self) -> Floats:
        """Target less answer; 0 where there was none."""
        return np.where(np.isnan(self.pred), 0.0, self.true - self.pred)

    def part(self, first: int, last: int) -> RegressionRows:
        """Some of the rows."""
        weight = None if self.weight is None else self.weight[first:last]
        return RegressionRows(self.true[first:last], self.pred[first:last], weight)

    def followed_by(self, later: RegressionRows) -> RegressionRows:
        """These rows and then others."""
        weight = None
        if self.weight is not None and later.weight is not None:
            weight = np.concatenate((self.weight, later.weight))
        true = np.concatenate((self.true, later.true))
        return RegressionRows(true, np.concatenate((self.pred, later.pred)), weight)


class MAE(MeanLoss):
    """Mean absolute error."""

    name = "mae"

    def _losses(self, rows: RegressionRows) -> Floats:
        return np.abs(rows.errors)


class MSE(MeanLoss):
    """Mean squared error."""

    name = "mse"

    def _losses(self, rows: RegressionRows) -> Floats:
        squared: Floats = rows.errors**2
        return squared


class RMSE(MSE):
    """Root of the mean squared error."""

    name = "rmse"

    def value(self) -> float:
        """The root of the mean squared error; NaN without answered rows."""
        return math.sqrt(super().value())


class MAPE(MeanLoss):
    """Mean absolute error over the size of the target, for targets that are at least ``least`` in size; others are left out."""

    name = "mape"

    def __init__(self, least: float = 1e-8) -> None:
        super().__init__()
        self.least = least

    def update(self, rows: Any) -> None:
        """Look at more rows."""
        large = np.abs(rows.true) >= self.least
        super().update(replace(rows, weight=rows.weights * large))

    def _losses(self, rows: RegressionRows) -> Floats:
        return np.abs(rows.errors) / np.maximum(np.abs(rows.true), self.least)


class Pinball(MeanLoss):
    """The loss of a quantile: ``quantile`` times the error where the target is above, else 1 - ``quantile`` times its size."""

    name = "pinball"

    def __init__(self, quantile: float = 0.5) -> None:
        super().__init__()
        if not 0 < quantile < 1:
            raise ValueError(f"quantile must lie between 0 and 1, got {quantile:g}.")
        self.quantile = quantile

    def _losses(self, rows: RegressionRows) -> Floats:
        return np.maximum(self.quantile * rows.errors, (self.quantile - 1) * rows.errors)


class R2(OfSums):
    """1 - squared error over the squared distance from the targets' mean: 1 is perfect, 0 is as good as the mean."""

    name = "r2"

    def __init__(self) -> None:
        self._weight = self._mean = self._spread = self._errors = 0.0

    def update(self, rows: Any) -> None:
        """Look at more rows."""
        weight = rows.weights
        w = float(weight.sum())
        if w == 0:
            return
        mean = float((weight * rows.true).sum()) / w
        total, off = self._weight + w, mean - self._mean
        self._spread += float((weight * (rows.true - mean) ** 2).sum()) + off * off * self._weight * w / total
        self._mean += off * w / total
        self._weight = total
        self._errors += float((weight * rows.errors**2).sum())

    def value(self) -> float:
        """The share of the spread that is explained; NaN while the targets do not vary."""
        return 1 - self._errors / self._spread if self._spread > 0 else math.nan

    def scale(self, factor: float) -> None:
        """Multiply the weight of everything seen so far."""
        self._weight *= factor
        self._spread *= factor
        self._errors *= factor


class MASE(Metric):
    """Mean absolute error over that of repeating the last target: below 1 is better than no change.

    ``season``: over that of repeating the target of so many rows before. Rows without such a target are left out.
    """

    name = "mase"
    greater_is_better = False

    def __init__(self, season: int = 1) -> None:
        if season < 1:
            raise ValueError(f"season must be at least 1, got {season}.")
        self.season = season
        self._sums = np.zeros(2)  # of the errors, of the steps
        self._last = np.full(season, np.nan)

    def update(self, rows: Any) -> None:
        """Add rows one by one, from left to right, so that sums do not depend on how rows are cut."""
        past = np.concatenate((self._last, rows.true))
        steps = np.abs(rows.true - past[: len(rows)])
        weight = np.where(np.isnan(steps), 0.0, rows.weights)
        for at, column in enumerate((weight * np.abs(rows.errors), weight * np.nan_to_num(steps))):
            np.add.at(self._sums, np.full(len(rows), at), column)
        self._last = past[len(rows) :]

    def value(self) -> float:
        """The ratio; NaN while the targets have not changed."""
        errors, steps = self._sums.tolist()
        return errors / steps if steps > 0 else math.nan

    def scale(self, factor: float) -> None:
        """Multiply the weight of everything seen so far."""
        self._sums *= factor


class Skill(MASE):
    """1 - MASE: the share of the last target's error that is gone; 1 is perfect, 0 is as good as no change."""

    name = "skill"
    greater_is_better = True

    def value(self) -> float:
        """The share; NaN while the targets have not changed."""
        return 1 - super().value()


TARGET_METRICS: tuple[type[Metric], ...] = (MAE, RMSE, MSE, R2, MASE, Skill, MAPE, Pinball)
