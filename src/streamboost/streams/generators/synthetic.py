"""Oza's Synthetic-1, -2 and -3."""

from __future__ import annotations

import numpy as np

from streamboost.streams.base import DataError
from streamboost.streams.generators.base import DEFAULT_ROWS, GeneratedStream, Rows

N_ATTRIBUTES = 20

# P(A20 = 0 | C) for C = 0, 1. [Oza 2001, appendix on the synthetic sets]
_LAST_IS_ZERO = {1: (0.495, 0.505), 2: (0.1, 0.8), 3: (0.01, 0.975)}
# P(A_a = 0 | A_{a+1}, C): rows C = 0, 1; columns A_{a+1} = 0, 1.
_IS_ZERO = np.array([[0.8, 0.2], [0.9, 0.1]])


class SyntheticStream(GeneratedStream):
    """Synthetic-1, -2 or -3 of Oza's thesis (2001): 20 binary attributes, two classes.

    The class is a fair coin; A20 depends on the class, then A19, A18 ... A1 each on the class and on
    its right neighbour. Class 0 flips from neighbour to neighbour with probability 0.2, class 1 with 0.1: a
    signal that naive Bayes cannot see.

    Parameters
    ----------
    variant : int
        Which of the three: how much A20 tells about the class. It is the concept of a drift.
    seed : int, default=0
        Key of the draws.
    n_rows : int or None, default=100000
        Length of the stream; None: without end.

    References
    ----------
    N. C. Oza, *Online Ensemble Learning*, PhD thesis, University of California, Berkeley, 2001.
    """

    key = "synthetic"
    n_concepts = len(_LAST_IS_ZERO)

    def __init__(self, variant: int, *, seed: int = 0, n_rows: int | None = DEFAULT_ROWS) -> None:
        if variant not in _LAST_IS_ZERO:
            raise DataError(
                f"There is no synthetic-{variant}; the sets are synthetic-1, synthetic-2, synthetic-3."
            )
        self.variant = variant
        names = [f"A{i + 1}" for i in range(N_ATTRIBUTES)]
        super().__init__(seed=seed, n_rows=n_rows, columns=names, nominal=True, n_classes=2)

    def _canonical_name(self) -> str:
        return f"{self.key}-{self.variant}"

    def _make(self, first: int, n: int) -> Rows:
        u = self._uniforms(first, n, N_ATTRIBUTES + 1)
        y = (u[:, 0] >= 0.5).astype(np.int64)
        X = np.empty((n, N_ATTRIBUTES))
        last_is_zero = np.array(_LAST_IS_ZERO[self.variant])
        right = (u[:, N_ATTRIBUTES] >= last_is_zero[y]).astype(np.int64)
        X[:, N_ATTRIBUTES - 1] = right
        for attribute in range(N_ATTRIBUTES - 1, 0, -1):
            right = (u[:, attribute] >= _IS_ZERO[y, right]).astype(np.int64)
            X[:, attribute - 1] = right
        return X, y
