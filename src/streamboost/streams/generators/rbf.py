"""Random Gaussian clouds, at rest or moving."""

from __future__ import annotations

import math

import numpy as np

from streamboost.streams.base import DataError
from streamboost.streams.generators.base import (
    DEFAULT_ROWS,
    Floats,
    GeneratedStream,
    Rows,
    choice,
    real,
    reflected,
    whole,
)


class RandomRBFStream(GeneratedStream):
    """Random radial basis functions: clouds around centres, each centre with a class of its own.

    A centre has a random position in the unit cube, a class, a width and a weight, all uniform. A row
    belongs to a centre, chosen by weight; it lies in a random direction from it, at a distance that is
    normal with the centre's width. With ``speed`` the centres move evenly, each in a random
    direction, and are thrown back by the sides of the cube; where a centre is at row t is a formula.

    Parameters
    ----------
    concept : int, default=1
        From 1 on: which random centres.
    n_features : int, default=10
        The number of attributes.
    n_classes : int, default=2
        The number of classes. The first centres have one class each, the others a random one.
    n_centres : int, default=50
        The number of centres, at least that of the classes.
    speed : float, default=0
        How far a centre moves from one row to the next.
    n_drifting : int or None, default=None
        How many centres move; None: all.
    seed, n_rows
        As for every generator.

    References
    ----------
    R. Kirkby, *Improving Hoeffding Trees*, PhD thesis, University of Waikato, 2007; with moving centres:
    A. Bifet, G. Holmes, B. Pfahringer, R. Kirkby and R. Gavaldà, "New ensemble methods for evolving data
    streams", KDD 2009.
    """

    key = "rbf"

    def __init__(
        self,
        *,
        concept: int = 1,
        n_features: int = 10,
        n_classes: int = 2,
        n_centres: int = 50,
        speed: float = 0.0,
        n_drifting: int | None = None,
        seed: int = 0,
        n_rows: int | None = DEFAULT_ROWS,
    ) -> None:
        self.concept = whole("concept", concept, 1, 2**31)
        self._d = whole("n_features", n_features, 1, 10_000)
        self.n_classes = whole("n_classes", n_classes, 1, 10_000)
        self.n_centres = whole("n_centres", n_centres, 1, 1_000_000)
        if self.n_centres < self.n_classes:
            raise DataError(
                f"n_centres must be at least the number of classes, {n_classes}, got {n_centres}."
            )
        self.speed = real("speed", speed, 0.0, math.inf)
        self.n_drifting = None if n_drifting is None else whole("n_drifting", n_drifting, 0, self.n_centres)
        super().__init__(seed=seed, n_rows=n_rows, columns=self._d, n_classes=n_classes)
        drawn = self._structure(concept, n_centres, 2 * n_features + 3)
        self._start = drawn[:, :n_features]
        direction = 2.0 * drawn[:, n_features : 2 * n_features] - 1.0
        self._velocity = direction * (self.speed / np.maximum(_length(direction), 1e-300))[:, None]
        if self.n_drifting is not None:
            self._velocity[self.n_drifting :] = 0.0
        self._width = drawn[:, -3]
        self._label = choice(drawn[:, -2], n_classes)
        self._label[:n_classes] = np.arange(n_classes)
        share = np.cumsum(drawn[:, -1])
        self._share = share / share[-1]

    def centre_positions(self, row: int) -> Floats:
        """Where the centres are at a row: one line per centre."""
        return reflected(self._start + self._velocity * float(row))

    def _make(self, first: int, n: int) -> Rows:
        which = np.searchsorted(self._share, self._uniforms(first, n, 1)[:, 0], side="right")
        which = np.minimum(which, self.n_centres - 1)
        drawn = self._normals(first, n, self._d + 1)
        direction = drawn[:, : self._d]
        distance = drawn[:, self._d] * self._width[which]
        direction *= (distance / np.maximum(_length(direction), 1e-300))[:, None]
        if self.speed:
            time = np.arange(first, first + n, dtype=np.float64)[:, None]
            X = reflected(self._start[which] + self._velocity[which] * time)
        else:
            X = self._start[which]
        X += direction
        return X, self._label[which]


def _length(vectors: Floats) -> Floats:
    # Column by column: the order of the sum must not depend on the number of vectors.
    total = np.zeros(vectors.shape[0])
    for i in range(vectors.shape[1]):
        total += vectors[:, i] * vectors[:, i]
    return np.sqrt(total)
