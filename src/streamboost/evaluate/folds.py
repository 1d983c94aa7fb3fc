"""Cross-validation as in Oza's thesis (2001): several passes of k folds, and every training set in several orders."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.adapters.any_model import given
from streamboost.evaluate.prequential import permutation
from streamboost.evaluate.significance import PairedTest, corrected_t, paired_t
from streamboost.evaluate.tasks import task_of
from streamboost.report.tables import data_frame, html_table
from streamboost.streams.base import DataError, Stream, as_stream, to_arrays

Rows = npt.NDArray[np.int64]

# Keys of permutations: random orders of a whole set use the small numbers, folds and their orders these. The layout is part
# of the definition of a result.
_FOLDS, _REPEAT, _FOLD = 1 << 62, 1 << 40, 1 << 20


def fold_rows(n: int, folds: int, seed: int, repeat: int, fold: int) -> tuple[Rows, Rows]:
    """The rows to learn from and those to be tested on, of one fold of one pass, each in a random order.

    The test sets of a pass are disjoint and cover all rows; their sizes differ by at most one.
    """
    if not 2 <= folds <= n:
        raise ValueError(f"folds must be at least 2 and at most the number of rows, {n}; got {folds}.")
    if not 0 <= fold < folds:
        raise ValueError(f"fold must be in [0, {folds}), got {fold}.")
    order = permutation(seed, _FOLDS + repeat * _REPEAT, n)
    edges = np.linspace(0, n, folds + 1).astype(np.int64)
    test = order[edges[fold] : edges[fold + 1]]
    return np.concatenate((order[: edges[fold]], order[edges[fold + 1] :])), test


def training_order(seed: int, repeat: int, fold: int, order: int, n: int) -> Rows:
    """The ``order``-th random order of the n rows of a training set."""
    return permutation(seed, _FOLDS + repeat * _REPEAT + fold * _FOLD + order + 1, n)


@dataclass(frozen=True)
class FoldOutcome:
    """One training set in one order: what was lost on every test row, and the CPU seconds of learning.

    ``losses`` are True for a wrong label, or how far the answer was from a target.
    """

    repeat: int
    fold: int
    order: int
    test_rows: Rows
    losses: npt.NDArray[Any]
    fit_seconds: float
    memory_bytes: int | None

    @property
    def error(self) -> float:
        """The share of wrong answers on the test rows, or the mean absolute error of a regressor."""
        return float(self.losses.mean())


@dataclass(frozen=True, repr=False)
class CrossValidation:
    """Errors of one model, of shape (repeats, folds, orders)."""

    errors: npt.NDArray[np.float64]
    fit_seconds: float

    def __repr__(self) -> str:
        repeats, folds, orders = self.errors.shape
        return (
            f"<{repeats} x {folds}-fold cross-validation, {orders} orders: error {self.error:.4f} ± "
            f"{self.standard_error:.4f}>"
        )

    def _repr_html_(self) -> str:
        rows = [[f"{i + 1}", *(f"{e:.4f}" for e in line)] for i, line in enumerate(self.errors.mean(axis=2))]
        heads = ["pass", *(f"fold {fold + 1}" for fold in range(self.errors.shape[1]))]
        return html_table(f"Error {self.error:.4f} ± {self.standard_error:.4f}", heads, rows)

    def to_frame(self) -> Any:
        """One line per run: repeat, fold, order, error."""
        places = np.indices(self.errors.shape).reshape(3, -1)
        names = ("repeat", "fold", "order")
        return data_frame({**dict(zip(names, places, strict=True)), "error": self.errors.reshape(-1)})

    @property
    def error(self) -> float:
        """The mean of all errors."""
        return float(self.errors.mean())

    @property
    def by_fold(self) -> npt.NDArray[np.float64]:
        """One error per fold of every pass, averaged over its orders: the unit that is paired in tests."""
        return np.asarray(self.errors.mean(axis=2).reshape(-1), dtype=np.float64)

    @property
    def standard_error(self) -> float:
        """Of ``error``, from the folds; too small, because training sets overlap."""
        folds = self.by_fold
        return float(folds.std(ddof=1) / np.sqrt(folds.size))

    def against(self, other: CrossValidation) -> dict[str, PairedTest]:
        """Paired tests of the folds: the t test of the papers, and the corrected one."""
        mine, theirs = self.by_fold, other.by_fold
        return {
            "t": paired_t(mine, theirs),
            "corrected-t": corrected_t(mine, theirs, 1 / (self.errors.shape[1] - 1)),
        }


def fold_outcomes(
    model: Any,
    data: Stream | tuple[Any, Any],
    *,
    folds: int,
    seed: int,
    repeat: int,
    fold: int,
    orders: int,
    test_rows: int = 0,
) -> Iterator[FoldOutcome]:
    """Learn one training set in several orders, each with a fresh clone of the model, and test.

    With ``test_rows`` the test set is given: it is the last rows, and there are no folds.
    """
    from sklearn.base import clone

    held = to_arrays(as_stream(data))
    n = int(held.y.shape[0])
    if test_rows:
        train, test = np.split(np.arange(n, dtype=np.int64), [n - test_rows])
    else:
        train, test = fold_rows(n, folds, seed, repeat, fold)
    (test_chunk,) = held.permuted(test).chunks(max(1, test.size))
    X_test, y_test = given(model, test_chunk)[0], test_chunk.y
    regression = task_of(model).name == "regression"
    for order in range(orders):
        rows = train[training_order(seed, repeat, fold, order, train.size)]
        learner = clone(model)
        (chunk,) = held.permuted(rows).chunks(rows.size)
        start = time.process_time()
        learner.fit(*given(learner, chunk))
        seconds = time.process_time() - start
        answers = learner.predict(X_test)
        losses = np.abs(answers - y_test) if regression else np.asarray(answers != y_test, dtype=np.bool_)
        size = learner.memory_bytes() if hasattr(learner, "memory_bytes") else None
        yield FoldOutcome(repeat, fold, order, test, losses, seconds, size)


def cross_validate(
    model: Any,
    data: Stream | tuple[Any, Any],
    *,
    folds: int = 5,
    repeats: int = 10,
    orders: int = 5,
    seed: int = 0,
    limit: int | None = None,
    callback: Callable[[FoldOutcome], None] | None = None,
) -> CrossValidation:
    """Error on held-out rows, by ``repeats`` passes of ``folds``-fold cross-validation; of a regressor the mean absolute one.

    Every training set is learned in ``orders`` random orders, one after the other by fresh clones of the model. All models
    that are given the same data, seed and numbers see the same folds in the same orders. The defaults are those of the
    thesis (50 training sets, 250 runs); for a batch model, whom the order does not matter, ``orders=1`` is enough.

    Parameters
    ----------
    model : a classifier or regressor with ``fit`` and ``predict``, online or batch.
    data : a stream, which is read into memory, or a pair (X, y).
    folds, repeats, orders : how often.
    seed : decides folds and orders.
    limit : the first rows only.
    callback : called after every run.

    Returns
    -------
    CrossValidation
    """
    if repeats < 1 or orders < 1:
        raise ValueError(f"repeats and orders must be at least 1, got {repeats} and {orders}.")
    held = to_arrays(as_stream(data), limit)
    if not held.y.size:
        raise DataError(f"{held.name}: no rows.")
    errors = np.empty((repeats, folds, orders))
    seconds = 0.0
    for repeat in range(repeats):
        for fold in range(folds):
            for run in fold_outcomes(
                model, held, folds=folds, seed=seed, repeat=repeat, fold=fold, orders=orders
            ):
                errors[repeat, fold, run.order] = run.error
                seconds += run.fit_seconds
                if callback is not None:
                    callback(run)
    return CrossValidation(errors, seconds)
