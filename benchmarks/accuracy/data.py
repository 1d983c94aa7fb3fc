"""A data set in memory, in the order of its file."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from streamboost.streams import load

Floats = npt.NDArray[np.float64]
IN_ORDER = ("drift-", "covtype", "gassensor", "insects", "luxembourg", "powersupply", "spam-")
"""How the names of sets begin whose rows stand in order of time: they are never shuffled."""


class Data:
    """The first rows of a set, or every so many-th: codes of nominal columns, NaN where a cell is missing, labels 0 .. k - 1."""

    def __init__(self, name: str, rows: int, every: int = 1) -> None:
        read = load(name, limit=rows * every)
        X = read.X.toarray() if hasattr(read.X, "toarray") else np.asarray(read.X, dtype=np.float64)
        kinds, y = np.unique(np.asarray(read.y), return_inverse=True)
        self.name = name
        self.X: Floats = np.ascontiguousarray(X[::every][:rows])
        self.y: npt.NDArray[np.int64] = y[::every][:rows].astype(np.int64)
        self.k = len(kinds)
        self.nominal = [] if read.nominal is None else np.flatnonzero(read.nominal).tolist()
