"""Seeded streams: every entry of a table, ours or a peer's, sees the same rows in the same order.

Public data sets are found through STREAMBOOST_DATA or the cache; what needs one that is not there is skipped with a note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

N_FEATURES = 20
# Elevation, aspect, slope, distances, hill shades: what a user would divide by.
COVTYPE_LARGEST = (4000, 360, 70, 1400, 600, 7200, 255, 255, 255, 7200)


Rows = Any  # an array, or a CSR matrix


@dataclass(frozen=True)
class Stream:
    """Rows in memory. ``n_values``: values of every (nominal) column, None when the columns are numeric."""

    name: str
    X: Rows
    y: NDArray[np.int64]
    n_classes: int = 2
    n_values: int | None = None

    @property
    def classes(self) -> list[int]:
        return list(range(self.n_classes))


def rows_of(X: Rows) -> Iterator[list[tuple[int, float]]]:
    """Every row as pairs of column and value; of a CSR matrix the stored ones."""
    if sparse.issparse(X):
        ends, columns, values = X.indptr.tolist(), X.indices.tolist(), X.data.tolist()
        for begin, end in pairwise(ends):
            yield list(zip(columns[begin:end], values[begin:end], strict=True))
    else:
        for row in X.tolist():
            yield list(enumerate(row))


def hyperplane(rows: int, seed: int = 1) -> Stream:
    """A hyperplane through the cube [-1, 1]^20 that turns slowly; one label in ten is flipped."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (rows, N_FEATURES))
    start, end = rng.normal(size=(2, N_FEATURES))
    # A quarter turn in 100,000 rows whatever the length: the drift does not depend on the length of a run.
    angle = np.arange(rows) * (np.pi / 2 / 100_000)
    score = np.cos(angle) * (X @ start) + np.sin(angle) * (X @ end)
    y = (score > 0) ^ (rng.random(rows) < 0.1)
    return Stream("hyperplane", X, y.astype(np.int64))


def gaussians(rows: int, seed: int = 2) -> Stream:
    """Two spherical Gaussians, 0.5 apart in each of 20 coordinates: the best possible accuracy is 0.868."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    X = rng.normal(size=(rows, N_FEATURES)) + np.where(y == 1, 0.25, -0.25)[:, None]
    return Stream("gaussians", X, y)


def nominal(rows: int, seed: int = 3, n_values: int = 5) -> Stream:
    """Twenty nominal columns of five values, independent given the class, with similar tables."""
    rng = np.random.default_rng(seed)
    tables = rng.dirichlet(np.full(n_values, 8.0), size=(2, N_FEATURES)).cumsum(axis=2)
    y = rng.integers(0, 2, rows)
    u = rng.random((rows, N_FEATURES))
    codes = (u[:, :, None] >= tables[y][:, :, :-1]).sum(axis=2)
    return Stream("nominal", codes.astype(np.float64), y, n_values=n_values)


def clusters(rows: int, seed: int = 5, n_classes: int = 4, n_centres: int = 40) -> Stream:
    """Forty spherical clusters of different size and spread in ten coordinates, each of one of four classes."""
    rng = np.random.default_rng(seed)
    centres = rng.uniform(0, 1, (n_centres, 10))
    labels = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_centres - n_classes)])
    spread, share = rng.uniform(0.02, 0.14, n_centres), rng.uniform(0, 1, n_centres)
    which = rng.choice(n_centres, rows, p=share / share.sum())
    X = centres[which] + rng.normal(size=(rows, 10)) * spread[which][:, None]
    return Stream("clusters", X, labels[which], n_classes=n_classes)


def sampled(name: str, rows: int, seed: int = 8) -> tuple[Rows, NDArray[Any]]:
    """A seeded sample of the rows of a public data set in random order: some files are sorted by label."""
    from streamboost.streams import load  # here: the peers' processes need it for data sets only

    found = load(name)
    chosen = np.random.default_rng(seed).permutation(len(found.y))[:rows]
    return found.X[chosen], np.asarray(found.y)[chosen]


def sparse_set(name: str, rows: int) -> Stream:
    """Rows of zeros and few ones, as CSR."""
    X, y = sampled(name, rows)
    return Stream(name, X, (y > 0).astype(np.int64))


def covtype(rows: int) -> Stream:
    """Forest cover, lodgepole pine against the rest; 54 columns, 44 of them 0 or 1, the others divided by about their largest
    values, which are known beforehand."""
    X, y = sampled("covtype", rows)
    largest = np.ones(X.shape[1])
    largest[:10] = COVTYPE_LARGEST
    return Stream("covtype", np.ascontiguousarray(X / largest), (y == 2).astype(np.int64))


def ijcnn1(rows: int) -> Stream:
    """Engine misfires, one row in ten: 22 columns."""
    X, y = sampled("ijcnn1", rows)
    dense = X.toarray() if sparse.issparse(X) else np.asarray(X)
    return Stream("ijcnn1", np.ascontiguousarray(dense), (y > 0).astype(np.int64))


MAKERS: dict[str, Callable[[int], Stream]] = {
    "hyperplane": hyperplane,
    "gaussians": gaussians,
    "nominal": nominal,
    "clusters": clusters,
    "a9a": partial(sparse_set, "a9a"),
    "webpage-w8a": partial(sparse_set, "webpage-w8a"),
    "covtype": covtype,
    "ijcnn1": ijcnn1,
}


def make(name: str, rows: int) -> Stream:
    return MAKERS[name](rows)
