"""The SEA concepts."""

from __future__ import annotations

import numpy as np

from streamboost.streams.generators.base import (
    DEFAULT_ROWS,
    GeneratedStream,
    Rows,
    real,
    whole,
    with_wrong_labels,
)

_THRESHOLDS = (8.0, 9.0, 7.0, 9.5)


class SEAStream(GeneratedStream):
    """The SEA concepts: three uniform attributes, of which two decide.

    x1, x2, x3 are uniform on [0, 10]; the class is 1 where x1 + x2 <= θ. The four concepts of the
    paper are θ = 8, 9, 7, 9.5, in blocks of 12,500 rows: ``sea:drift=abrupt,every=12500,concepts=1+2+3+4``.
    Class 1 has the share θ²/200 before noise; the error of the best rule is ``noise``.

    Parameters
    ----------
    concept : int, default=1
        From 1 to 4: which θ.
    noise : float, default=0.1
        The share of labels that are the wrong one.
    seed, n_rows
        As for every generator.

    References
    ----------
    W. N. Street and Y. Kim, "A streaming ensemble algorithm (SEA) for large-scale classification", KDD 2001.
    """

    key = "sea"
    n_concepts = len(_THRESHOLDS)

    def __init__(
        self, *, concept: int = 1, noise: float = 0.1, seed: int = 0, n_rows: int | None = DEFAULT_ROWS
    ) -> None:
        self.concept = whole("concept", concept, 1, len(_THRESHOLDS))
        self.noise = real("noise", noise, 0.0, 1.0)
        super().__init__(seed=seed, n_rows=n_rows, columns=3, n_classes=2)

    def _make(self, first: int, n: int) -> Rows:
        u = self._uniforms(first, n, 4)
        X = u[:, :3] * 10.0
        y = (X[:, 0] + X[:, 1] <= _THRESHOLDS[self.concept - 1]).astype(np.int64)
        return X, with_wrong_labels(y, u[:, 3], self.noise, 2)
