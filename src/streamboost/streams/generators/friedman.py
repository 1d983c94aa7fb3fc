"""Numbers to predict: Friedman's function, and the distance from a hyperplane that turns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.streams.base import DataError, Label
from streamboost.streams.generators.base import (
    DEFAULT_ROWS,
    GeneratedStream,
    real,
    reflected,
    whole,
)

Floats = npt.NDArray[np.float64]


class NumberStream(GeneratedStream):
    """A generator whose labels are numbers."""

    def __init__(self, *, seed: int, n_rows: int | None, columns: int | Sequence[str]) -> None:
        super().__init__(seed=seed, n_rows=n_rows, columns=columns, n_classes=0)
        self.classes = None

    def find_classes(self) -> tuple[Label, ...]:
        """Refuse: targets are no classes."""
        raise DataError(f"{self.name}: its labels are numbers to predict, not classes.")


class FriedmanStream(NumberStream):
    """Friedman's function of five columns among ten or more: two that work together, one curved, two straight.

    y = 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5 + noise, x uniform on [0, 1]^d. In another concept other columns
    play the parts: a random order of all columns; concept 1 has their own order.

    Parameters
    ----------
    concept : int, default=1
        From 1 on: which columns play the parts.
    turn_every : int or None, default=None
        If given, the concept goes up by 1 every so many rows: an abrupt drift.
    n_features : int, default=10
        The number d of columns, at least 5.
    noise : float, default=1.0
        Standard deviation of the normal noise. The best rule has a mean absolute error of 0.798 times it.
    seed, n_rows
        As for every generator.

    References
    ----------
    J. H. Friedman, "Multivariate adaptive regression splines", The Annals of Statistics 19 (1991).
    """

    key = "friedman"

    def __init__(
        self,
        *,
        concept: int = 1,
        turn_every: int | None = None,
        n_features: int = 10,
        noise: float = 1.0,
        seed: int = 0,
        n_rows: int | None = DEFAULT_ROWS,
    ) -> None:
        self.concept = whole("concept", concept, 1, 2**20)
        self.turn_every = None if turn_every is None else whole("turn_every", turn_every, 1)
        self.noise = real("noise", noise, 0.0, math.inf)
        super().__init__(seed=seed, n_rows=n_rows, columns=whole("n_features", n_features, 5, 10_000))

    def _make(self, first: int, n: int) -> Any:
        d = self.n_features or 0
        X = self._uniforms(first, n, d)
        y = self.noise * self._normals(first, n, 1)[:, 0]
        row, end = first, first + n
        while row < end:
            turn = 0 if self.turn_every is None else row // self.turn_every
            last = end if self.turn_every is None else min(end, (turn + 1) * self.turn_every)
            part = slice(row - first, last - first)
            order = self._column_order(self.concept + turn, d)
            x = X[part] if order is None else X[part][:, order]
            y[part] += 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2
            y[part] += 10 * x[:, 3] + 5 * x[:, 4]
            row = last
        return X, y


class HyperplaneDistanceStream(NumberStream):
    """The distance from a hyperplane through the middle of the unit cube that turns slowly.

    x is uniform on [0, 1]^d, y = |sum a_i (x_i - 1/2)| / |a| + noise. The weights a start uniform on [0, 1]; the first
    ``n_drifting`` ones move by ``magnitude`` every 1,000 rows and turn back at 0 and 1.

    Parameters
    ----------
    concept : int, default=1
        From 1 on: which random weights and directions.
    n_features : int, default=10
        The number d of columns.
    n_drifting : int, default=2
        How many weights move.
    magnitude : float, default=0.1
        How far a moving weight goes in 1,000 rows. 0: no drift.
    noise : float, default=0.01
        Standard deviation of the normal noise.
    seed, n_rows
        As for every generator.

    References
    ----------
    After the hyperplanes of G. Hulten, L. Spencer and P. Domingos, "Mining time-changing data streams", KDD 2001.
    """

    key = "hyperplane-distance"

    def __init__(
        self,
        *,
        concept: int = 1,
        n_features: int = 10,
        n_drifting: int = 2,
        magnitude: float = 0.1,
        noise: float = 0.01,
        seed: int = 0,
        n_rows: int | None = DEFAULT_ROWS,
    ) -> None:
        self.concept = whole("concept", concept, 1, 2**31)
        d = whole("n_features", n_features, 1, 10_000)
        self.n_drifting = whole("n_drifting", n_drifting, 0, d)
        self.magnitude = real("magnitude", magnitude, 0.0, math.inf)
        self.noise = real("noise", noise, 0.0, math.inf)
        super().__init__(seed=seed, n_rows=n_rows, columns=d)
        self._start, direction = self._structure(concept, 2, d)
        self._step = np.where(direction < 0.5, -1.0, 1.0) * (self.magnitude / 1000.0)
        self._step[self.n_drifting :] = 0.0

    def _make(self, first: int, n: int) -> Any:
        d = self.n_features or 0
        X = self._uniforms(first, n, d)
        time = np.arange(first, first + n, dtype=np.float64)
        side, squares = np.zeros(n), np.zeros(n)
        # Column by column, not as a matrix product: the order of the sum must not depend on the size of the block.
        for i in range(d):
            weight = reflected(self._start[i] + self._step[i] * time)
            side += weight * (X[:, i] - 0.5)
            squares += weight * weight
        distance: Floats = np.abs(side) / np.sqrt(np.maximum(squares, 1e-300))
        return X, distance + self.noise * self._normals(first, n, 1)[:, 0]
