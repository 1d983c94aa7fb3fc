"""Preprocessing of a data set: a list of steps, each a word with an optional argument."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse

from streamboost.evaluate.prequential import permutation
from streamboost.streams.base import ArrayStream, DataError

_SAMPLE = 1 << 61  # key of the permutation that draws a sample; orders and folds use others


def prepare(rows: ArrayStream, steps: Sequence[str]) -> ArrayStream:
    """Apply the steps, one after the other.

    ``scale:LOW`` maps every numeric column linearly to [LOW, 1] by its extremes in the whole file; ``one-class:L`` makes
    label L +1 and all others -1; ``without:L`` leaves the rows with label L out; ``missing:zero`` makes missing numbers 0;
    ``missing:value`` makes a missing value of any column a value of its own; ``parts:K`` cuts numeric columns with more
    than K different values into K parts of equal frequency and takes all columns as nominal; ``components:K`` puts K
    principal components in place of the columns; ``nominal`` takes every column as nominal; ``sample:K`` draws K rows at
    random, if there are more, and keeps their order.
    """
    for step in steps:
        name, _, argument = step.partition(":")
        if name not in _STEPS:
            raise DataError(f"There is no preparation {name!r}; there are {', '.join(_STEPS)}.")
        rows = _STEPS[name](rows, argument)
    return rows


def _with(
    rows: ArrayStream, X: Any, y: Any = None, nominal: npt.NDArray[np.bool_] | None = None
) -> ArrayStream:
    kept = rows.nominal if nominal is None else nominal
    names = rows.feature_names if X.shape[1] == rows.n_features else None
    return ArrayStream(X, rows.y if y is None else y, name=rows.name, feature_names=names, nominal=kept)


def _dense(rows: ArrayStream) -> npt.NDArray[np.float64]:
    X = rows.X.toarray() if scipy.sparse.issparse(rows.X) else rows.X
    return np.array(X, dtype=np.float64)


def _numeric(rows: ArrayStream) -> npt.NDArray[np.int64]:
    if rows.nominal is None:
        return np.arange(rows.n_features or 0)
    return np.flatnonzero(~rows.nominal)


def _scale(rows: ArrayStream, argument: str) -> ArrayStream:
    X, least = _dense(rows), float(argument)
    for j in _numeric(rows):
        low, high = np.nanmin(X[:, j]), np.nanmax(X[:, j])
        X[:, j] = least + (1 - least) * (X[:, j] - low) / (high - low) if high > low else 0.0
    return _with(rows, X)


def _one_class(rows: ArrayStream, label: str) -> ArrayStream:
    chosen = np.array([str(value) == label for value in rows.y.tolist()])
    if not chosen.any():
        raise DataError(f"{rows.name}: has no label {label}.")
    return _with(rows, rows.X, np.where(chosen, 1, -1))


def _without(rows: ArrayStream, label: str) -> ArrayStream:
    kept = np.array([str(value) != label for value in rows.y.tolist()])
    return rows.permuted(np.flatnonzero(kept))


def _missing(rows: ArrayStream, what: str) -> ArrayStream:
    X = _dense(rows)
    if what == "zero":
        columns = _numeric(rows)
        X[:, columns] = np.nan_to_num(X[:, columns], nan=0.0)
        return _with(rows, X)
    if what != "value":
        raise DataError(f"missing:{what}: expected zero or value.")
    for j in range(X.shape[1]):
        gaps = np.isnan(X[:, j])
        if gaps.any():
            X[gaps, j] = np.nanmax(X[:, j]) + 1
    return _with(rows, X)


def _parts(rows: ArrayStream, argument: str) -> ArrayStream:
    X, k = _dense(rows), int(argument)
    for j in _numeric(rows):
        column = X[:, j]
        known = column[~np.isnan(column)]
        values = np.unique(known)
        cuts = values[1:] if values.size <= k else np.quantile(known, np.arange(1, k) / k)
        X[:, j] = np.where(np.isnan(column), np.nan, np.searchsorted(cuts, column, side="right"))
    return _with(rows, X, nominal=np.ones(X.shape[1], dtype=np.bool_))


def _nominal(rows: ArrayStream, _: str) -> ArrayStream:
    X = _dense(rows)
    for j in range(X.shape[1]):
        known = ~np.isnan(X[:, j])
        X[known, j] = np.unique(X[known, j], return_inverse=True)[1]
    return _with(rows, X, nominal=np.ones(X.shape[1], dtype=np.bool_))


def _components(rows: ArrayStream, argument: str) -> ArrayStream:
    from sklearn.decomposition import PCA
    from sklearn.utils.parallel import _get_threadpool_controller

    # The number of threads decides the order of sums, and with it the last bits: one, wherever this is called.
    with _get_threadpool_controller().limit(limits=1):
        X = PCA(int(argument), svd_solver="full").fit_transform(_dense(rows))
    return _with(rows, np.ascontiguousarray(X), nominal=np.zeros(X.shape[1], dtype=np.bool_))


def _sample(rows: ArrayStream, argument: str) -> ArrayStream:
    n, k = int(rows.y.shape[0]), int(argument)
    return rows if k >= n else rows.permuted(np.sort(permutation(0, _SAMPLE, n)[:k]))


_STEPS: dict[str, Callable[[ArrayStream, str], ArrayStream]] = {
    "scale": _scale,
    "one-class": _one_class,
    "without": _without,
    "missing": _missing,
    "parts": _parts,
    "components": _components,
    "nominal": _nominal,
    "sample": _sample,
}
