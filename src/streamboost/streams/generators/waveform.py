"""Breiman's waveforms."""

from __future__ import annotations

import numpy as np

from streamboost.streams.generators.base import (
    DEFAULT_ROWS,
    GeneratedStream,
    Rows,
    choice,
    whole,
)

_POINTS = 21
_AT = np.arange(1, _POINTS + 1)
# Triangles of height 6 with their tops at 11, 15 and 7.
_WAVES = np.array([np.maximum(6.0 - np.abs(_AT - top), 0.0) for top in (11, 15, 7)])
_PAIRS = np.array([(0, 1), (0, 2), (1, 2)])


class WaveformStream(GeneratedStream):
    """Mixtures of two of three triangular waves in Gaussian noise: 21 numeric attributes, three classes.

    A row is u h + (1 - u) h' + ε at 21 points, with u uniform on [0, 1] and ε standard normal; the class
    says which two of the three waves are mixed. The best rule errs on 13.3 % of the rows (the book
    estimates 14 %).

    Parameters
    ----------
    concept : int, default=1
        From 1 on. In the first concept the columns are in the order of the wave; in each other one they
        stand in another random order.
    n_irrelevant : int, default=0
        The number of columns of mere noise; 19 of them make the set of 40 attributes, ``waveform-40``.
    seed, n_rows
        As for every generator.

    References
    ----------
    L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone, *Classification and Regression Trees*, 1984,
    section 2.6.2.
    """

    key = "waveform"

    def __init__(
        self, *, concept: int = 1, n_irrelevant: int = 0, seed: int = 0, n_rows: int | None = DEFAULT_ROWS
    ) -> None:
        self.concept = whole("concept", concept, 1, 2**31)
        self.n_irrelevant = whole("n_irrelevant", n_irrelevant, 0, 10_000)
        width = _POINTS + self.n_irrelevant
        super().__init__(seed=seed, n_rows=n_rows, columns=width, n_classes=3)
        self._order = self._column_order(self.concept, width)

    def _make(self, first: int, n: int) -> Rows:
        u = self._uniforms(first, n, 2)
        y = choice(u[:, 0], 3)
        mix = u[:, 1:]
        X = self._normals(first, n, _POINTS + self.n_irrelevant)
        one, other = _PAIRS[y].T
        X[:, :_POINTS] += mix * _WAVES[one] + (1.0 - mix) * _WAVES[other]
        return (X if self._order is None else np.take(X, self._order, axis=1)), y
