"""A hyperplane that turns."""

from __future__ import annotations

import math

import numpy as np

from streamboost.streams.generators.base import (
    DEFAULT_ROWS,
    GeneratedStream,
    Rows,
    real,
    reflected,
    whole,
    with_wrong_labels,
)

_PER_ROWS = 1000.0


class HyperplaneStream(GeneratedStream):
    """A hyperplane through the middle of the unit cube that turns slowly: a gradual drift without end.

    x is uniform on [0, 1]^d; the class is 1 where Σ a_i x_i >= Σ a_i / 2, so that both classes have the
    same share whatever the weights. The weights start uniform on [0, 1]; the first ``n_drifting`` ones move
    by ``magnitude`` every 1,000 rows, up or down at random. Where the papers reverse a weight by a coin, here
    it turns back at 0 and at 1: so its value at row t needs no row before it.

    Parameters
    ----------
    concept : int, default=1
        From 1 on: which random weights and directions.
    n_features : int, default=10
        The number d of attributes.
    n_drifting : int, default=2
        How many weights move.
    magnitude : float, default=0.1
        How far a moving weight goes in 1,000 rows. 0: no drift.
    noise : float, default=0.05
        The share of labels that are the wrong one: the error of the best rule.
    seed, n_rows
        As for every generator.

    References
    ----------
    G. Hulten, L. Spencer and P. Domingos, "Mining time-changing data streams", KDD 2001; with weights that move: H. Wang, W.
    Fan, P. S. Yu and J. Han, "Mining concept-drifting data streams using ensemble classifiers", KDD
    2003.
    """

    key = "hyperplane"

    def __init__(
        self,
        *,
        concept: int = 1,
        n_features: int = 10,
        n_drifting: int = 2,
        magnitude: float = 0.1,
        noise: float = 0.05,
        seed: int = 0,
        n_rows: int | None = DEFAULT_ROWS,
    ) -> None:
        self.concept = whole("concept", concept, 1, 2**31)
        self._d = whole("n_features", n_features, 1, 10_000)
        self.n_drifting = whole("n_drifting", n_drifting, 0, self._d)
        self.magnitude = real("magnitude", magnitude, 0.0, math.inf)
        self.noise = real("noise", noise, 0.0, 1.0)
        super().__init__(seed=seed, n_rows=n_rows, columns=self._d, n_classes=2)
        self._start, direction = self._structure(concept, 2, self._d)
        self._step = np.where(direction < 0.5, -1.0, 1.0) * (self.magnitude / _PER_ROWS)
        self._step[self.n_drifting :] = 0.0

    def weights(self, row: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """The weights a_1 ... a_d at a row."""
        return reflected(self._start + self._step * float(row))

    def _make(self, first: int, n: int) -> Rows:
        u = self._uniforms(first, n, self._d + 1)
        X = np.ascontiguousarray(u[:, : self._d])
        time = np.arange(first, first + n, dtype=np.float64)
        side = np.zeros(n)
        # Column by column, not as a matrix product: the order of the sum must not depend on the size of the block.
        for i in range(self._d):
            weight = (
                reflected(self._start[i] + self._step[i] * time) if i < self.n_drifting else self._start[i]
            )
            side += weight * (X[:, i] - 0.5)
        y = (side >= 0.0).astype(np.int64)
        return X, with_wrong_labels(y, u[:, self._d], self.noise, 2)
