"""Numbers to predict: the hourly readings of a meter."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.streams.generators.base import DEFAULT_ROWS, real, whole
from streamboost.streams.generators.friedman import NumberStream

Floats = npt.NDArray[np.float64]

_COLUMNS = ("hour", "weekday", "temperature", "an_hour_ago", "a_day_ago")
DAY, YEAR = 24, 365 * 24
_MEMORY = 24
"""Shocks that an error is made of: the chain e = 0.8 e' + shock without its tail, so that a row is a function of its number."""
_START = DAY + _MEMORY
"""The first row has a day of readings behind it, and their errors."""


class SensorStream(NumberStream):
    """Hourly readings of a meter: cycles of the day and of the week, weather, a slow wander, and noise that lingers.

    A row has the hour, the weekday, the temperature, and the readings of an hour and of a day ago; the target is the reading.
    It is 30 + a daily curve of two waves + 0.4 |temperature - 15| + a level for the weekday + the wander + noise, and the noise
    has a correlation of 0.8 from hour to hour.

    Parameters
    ----------
    concept : int, default=1
        From 1 on: which curve and which levels.
    change_every : int or None, default=None
        If given, the concept goes up by 1 every so many rows: a meter that is put to another use.
    wander : float, default=3.0
        How far the slow part goes, up and down, in some months. 0: none.
    noise : float, default=1.0
        Standard deviation of the shocks.
    seed, n_rows
        As for every generator.
    """

    key = "sensor"

    def __init__(
        self,
        *,
        concept: int = 1,
        change_every: int | None = None,
        wander: float = 3.0,
        noise: float = 1.0,
        seed: int = 0,
        n_rows: int | None = DEFAULT_ROWS,
    ) -> None:
        self.concept = whole("concept", concept, 1, 2**20)
        self.change_every = None if change_every is None else whole("change_every", change_every, 1)
        self.wander = real("wander", wander, 0.0, math.inf)
        self.noise = real("noise", noise, 0.0, math.inf)
        super().__init__(seed=seed, n_rows=n_rows, columns=_COLUMNS)

    def _make(self, first: int, n: int) -> Any:
        # Hours from a day before the first row on; `at` counts them from the day that lies before row 0.
        at = np.arange(first, first + n + DAY, dtype=np.int64)
        shocks = self._normals(first, n + _START, 2)
        temperature = 12 + 9 * np.sin(2 * np.pi * at / YEAR) + 5 * np.sin(2 * np.pi * at / DAY - 2)
        temperature += 1.5 * _lingering(shocks[:, 1])
        reading = 30 + 0.4 * np.abs(temperature - 15) + self.noise * _lingering(shocks[:, 0])
        reading += self.wander * (np.sin(2 * np.pi * at / 2900) + np.sin(2 * np.pi * at / 1700 + 1)) / 2
        row = np.maximum(at - DAY, 0)  # the day before row 0 belongs to its concept
        concepts = self.concept + (0 * row if self.change_every is None else row // self.change_every)
        for concept in np.unique(concepts).tolist():
            part = concepts == concept
            reading[part] += self._curve(concept, at[part])
        X = np.column_stack(
            (at[DAY:] % DAY, at[DAY:] // DAY % 7, temperature[DAY:], reading[DAY - 1 : -1], reading[:-DAY])
        ).astype(np.float64)
        return X, reading[DAY:]

    def _curve(self, concept: int, at: npt.NDArray[np.int64]) -> Floats:
        (draws,) = self._structure(concept, 1, 11)
        phases, sizes, levels = 2 * np.pi * draws[:2], 2 + 4 * draws[2:4], 6 * draws[4:] - 3
        day = 2 * np.pi * at / DAY
        wave: Floats = sizes[0] * np.sin(day + phases[0]) + sizes[1] / 2 * np.sin(2 * day + phases[1])
        wave += levels[at // DAY % 7]
        return wave


def _lingering(shocks: Floats) -> Floats:
    """Sums of the last shocks, each 0.8 times the one after it."""
    n = shocks.size - _MEMORY
    sums = np.zeros(n)
    for age in range(_MEMORY + 1):  # in a fixed order: the bits must not depend on the size of the block
        sums += 0.8**age * shocks[_MEMORY - age : _MEMORY - age + n]
    return sums
