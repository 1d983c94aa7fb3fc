"""Breiman's LED display."""

from __future__ import annotations

import numpy as np

from streamboost.streams.generators.base import (
    DEFAULT_ROWS,
    GeneratedStream,
    Rows,
    choice,
    real,
    whole,
)

# The seven segments of a display, lit or not, for the digits 0 to 9: top, upper left, upper right, middle, lower
# left, lower right, bottom.
_SEGMENTS = np.array(
    [
        [1, 1, 1, 0, 1, 1, 1],
        [0, 0, 1, 0, 0, 1, 0],
        [1, 0, 1, 1, 1, 0, 1],
        [1, 0, 1, 1, 0, 1, 1],
        [0, 1, 1, 1, 0, 1, 0],
        [1, 1, 0, 1, 0, 1, 1],
        [1, 1, 0, 1, 1, 1, 1],
        [1, 0, 1, 0, 0, 1, 0],
        [1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 0, 1, 1],
    ],
    dtype=bool,
)
_LIT = _SEGMENTS.shape[1]


class LEDStream(GeneratedStream):
    """A digit on a faulty seven-segment display, among random bits: 24 binary attributes, ten classes.

    Each segment shows the opposite of what it should with probability ``noise``. At 10 % noise the best
    rule errs on 26 % of the rows. The attributes behind the seventh are fair coins.

    Parameters
    ----------
    concept : int, default=1
        From 1 on. In the first concept the segments are the first seven columns; in each other one the
        columns stand in another random order.
    noise : float, default=0.1
        The probability that a segment is inverted.
    n_irrelevant : int, default=17
        The number of random bits.
    seed, n_rows
        As for every generator.

    References
    ----------
    L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone, *Classification and Regression Trees*, 1984,
    section 2.6.1.
    """

    key = "led"

    def __init__(
        self,
        *,
        concept: int = 1,
        noise: float = 0.1,
        n_irrelevant: int = 17,
        seed: int = 0,
        n_rows: int | None = DEFAULT_ROWS,
    ) -> None:
        self.concept = whole("concept", concept, 1, 2**31)
        self.noise = real("noise", noise, 0.0, 1.0)
        self.n_irrelevant = whole("n_irrelevant", n_irrelevant, 0, 10_000)
        width = _LIT + self.n_irrelevant
        super().__init__(seed=seed, n_rows=n_rows, columns=width, nominal=True, n_classes=10)
        self._order = self._column_order(self.concept, width)

    def _make(self, first: int, n: int) -> Rows:
        u = self._uniforms(first, n, 1 + _LIT + self.n_irrelevant)
        y = choice(u[:, 0], 10)
        X = np.empty((n, _LIT + self.n_irrelevant))
        X[:, :_LIT] = _SEGMENTS[y] ^ (u[:, 1 : 1 + _LIT] < self.noise)
        X[:, _LIT:] = u[:, 1 + _LIT :] >= 0.5
        return (X if self._order is None else np.take(X, self._order, axis=1)), y
