"""Test-then-train over a stream: every row is answered before it is learned. The one evaluation loop."""

from __future__ import annotations

import math
import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from streamboost.evaluate.metrics import Confusion, ErrorCurve
from streamboost.streams.base import (
    DEFAULT_CHUNK_SIZE,
    DataError,
    Label,
    Stream,
    as_stream,
    limited,
    to_arrays,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Model(Protocol):
    """What the loop asks of a model; every classifier of streamboost has it."""

    def test_then_train(self, X: Any, y: Any, classes: Any = None) -> npt.NDArray[Any]:
        """Answer each row, then learn it."""


@dataclass(frozen=True)
class Progress:
    """Where a run stands; given to the callback after every chunk."""

    order: int
    n_orders: int
    n_rows: int
    error: float
    seconds: float
    fraction: float | None

    @property
    def examples_per_second(self) -> float:
        """Speed of the model in this order."""
        return self.n_rows / self.seconds if self.seconds > 0 else float("nan")


@dataclass(frozen=True)
class PrequentialResult:
    """What came out of one or several prequential runs of one model over one set.

    ``seconds`` is CPU time inside the model, all orders together; ``memory_bytes`` the largest model. With several
    orders ``error`` and ``kappa`` are means, the curves are means over the orders and ``confusion`` is their sum.
    """

    model_name: str
    data_name: str
    n_rows: int
    errors: tuple[float, ...]
    kappas: tuple[float, ...]
    seconds: float
    memory_bytes: int | None
    window: int
    positions: npt.NDArray[np.int64]
    cumulative_error: npt.NDArray[np.float64]
    windowed_error: npt.NDArray[np.float64]
    labels: tuple[Label, ...]
    confusion: npt.NDArray[np.int64]
    model: Any = field(default=None, repr=False, compare=False)

    @property
    def n_orders(self) -> int:
        """The number of orders."""
        return len(self.errors)

    @property
    def error(self) -> float:
        """The share of wrong answers, averaged over the orders."""
        return statistics.fmean(self.errors)

    @property
    def standard_error(self) -> float | None:
        """The standard error of ``error`` over the orders; None for a single order."""
        if self.n_orders < 2:
            return None
        return statistics.stdev(self.errors) / math.sqrt(self.n_orders)

    @property
    def kappa(self) -> float:
        """Cohen's kappa, averaged over the orders."""
        return statistics.fmean(self.kappas)

    @property
    def examples_per_second(self) -> float:
        """Rows answered and learned per second of CPU time."""
        return self.n_rows * self.n_orders / self.seconds if self.seconds > 0 else float("nan")

    @property
    def unanswered(self) -> int:
        """Rows without an answer (the model knew no label yet), all orders together."""
        return int(self.confusion[:, -1].sum())

    def to_dict(self) -> dict[str, Any]:
        """Everything but the model, as values that JSON can hold."""
        return {
            "model": self.model_name,
            "data": self.data_name,
            "n_rows": self.n_rows,
            "n_orders": self.n_orders,
            "error": self.error,
            "errors": list(self.errors),
            "standard_error": self.standard_error,
            "kappa": self.kappa,
            "kappas": list(self.kappas),
            "seconds": self.seconds,
            "examples_per_second": self.examples_per_second if self.seconds > 0 else None,
            "memory_bytes": self.memory_bytes,
            "window": self.window,
            "positions": self.positions.tolist(),
            "cumulative_error": self.cumulative_error.tolist(),
            "windowed_error": self.windowed_error.tolist(),
            "labels": list(self.labels),
            "confusion": self.confusion.tolist(),
            "unanswered": self.unanswered,
        }

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """A picture of the error over the rows, saved to ``path`` if one is given."""
        from streamboost.evaluate.plot import plot_errors

        return plot_errors([self], path)


def permutation(seed: int, order: int, n: int) -> npt.NDArray[np.int64]:
    """The ``order``-th random order of n rows: a pure function of its arguments, for ever.

    Raw bits and a stable sort, because NumPy keeps its raw streams but may change its ``permutation``.
    """
    bits = np.random.Philox(key=np.array([seed, order], dtype=np.uint64))
    raw = np.asarray(bits.random_raw(n), dtype=np.uint64)
    return np.argsort(raw, kind="stable").astype(np.int64)


def prequential(
    model: Model,
    data: Stream | tuple[Any, Any],
    *,
    orders: int = 1,
    seed: int | None = None,
    classes: Sequence[Label] | None = None,
    chunk_size: int = DEFAULT_CHUNK_SIZE,
    window: int = 1000,
    limit: int | None = None,
    callback: Callable[[Progress], None] | None = None,
    name: str | None = None,
) -> PrequentialResult:
    """Run a model over a stream, answering every row before learning it.

    Parameters
    ----------
    model : a classifier with ``test_then_train``. With one order it is this object that learns.
    data : a stream, or a pair (X, y).
    orders : 1 reads the data once, as it comes, in bounded memory. K > 1 holds the data in memory and runs a fresh
        clone of the model over each of K random orders.
    seed : decides the random orders; by default the model's ``random_state`` if that is a number, else 0.
    classes : the labels, for models that must know them up front; by default those that the stream declares.
    chunk_size : rows per call of the model. It changes no result.
    window : rows of the windowed error.
    limit : the first rows only.
    callback : called after every chunk.
    name : of the model, in tables and pictures.

    Returns
    -------
    PrequentialResult
        ``model`` in it is the model as it is at the end of the (last) order.
    """
    if orders < 1:
        raise ValueError(f"orders must be at least 1, got {orders}.")
    if limit is not None and limit < 1:
        raise ValueError(f"limit must be at least 1, got {limit}.")
    stream = as_stream(data)
    if classes is None:
        classes = stream.classes
    known = None if classes is None else np.asarray(classes)
    runs: list[_Run] = []
    total = Confusion()
    if orders == 1:
        runs.append(_run(model, stream, known, chunk_size, window, limit, _report(callback, 0, 1)))
        last: Any = model
    else:
        from sklearn.base import clone

        held = to_arrays(stream, limit)
        key = _default_seed(model) if seed is None else seed
        if not 0 <= key < 2**64:
            raise ValueError(f"seed must be in [0, 2^64), got {key}.")
        for order in range(orders):
            last = clone(model)
            rows = held.permuted(permutation(key, order, held.y.shape[0]))
            runs.append(_run(last, rows, known, chunk_size, window, None, _report(callback, order, orders)))
    for run in runs:
        total.merge(run.confusion)
    series = [run.curve.series() for run in runs]
    memory = [run.memory_bytes for run in runs if run.memory_bytes is not None]
    return PrequentialResult(
        model_name=name if name is not None else type(model).__name__,
        data_name=stream.name,
        n_rows=runs[0].curve.n_rows,
        errors=tuple(run.confusion.error for run in runs),
        kappas=tuple(run.confusion.kappa for run in runs),
        seconds=sum(run.seconds for run in runs),
        memory_bytes=max(memory, default=None),
        window=window,
        positions=series[0][0],
        cumulative_error=np.mean([s[1] for s in series], axis=0),
        windowed_error=np.mean([s[2] for s in series], axis=0),
        labels=total.labels,
        confusion=total.counts,
        model=last,
    )


@dataclass
class _Run:
    confusion: Confusion
    curve: ErrorCurve
    seconds: float
    memory_bytes: int | None


def _run(
    model: Any,
    stream: Stream,
    classes: npt.NDArray[Any] | None,
    chunk_size: int,
    window: int,
    limit: int | None,
    report: Callable[[ErrorCurve, float, float | None], None],
) -> _Run:
    confusion, curve = Confusion(), ErrorCurve(window)
    seconds = 0.0
    for chunk in limited(stream.chunks(chunk_size), limit):
        # Only the first call declares the labels: a model remembers them.
        declared = {"classes": classes} if classes is not None and curve.n_rows == 0 else {}
        start = time.process_time()
        answers = model.test_then_train(chunk.X, chunk.y, **declared)
        seconds += time.process_time() - start
        curve.update(confusion.update(chunk.y, np.asarray(answers)))
        report(curve, seconds, _fraction(stream, curve.n_rows, limit))
    if curve.n_rows == 0:
        raise DataError(f"{stream.name}: no rows.")
    size = model.memory_bytes() if hasattr(model, "memory_bytes") else None
    return _Run(confusion, curve, seconds, size)


def _fraction(stream: Stream, n_rows: int, limit: int | None) -> float | None:
    read = stream.fraction
    if limit is None:
        return read
    return max(n_rows / limit, read or 0.0)


def _report(
    callback: Callable[[Progress], None] | None, order: int, n_orders: int
) -> Callable[[ErrorCurve, float, float | None], None]:
    def report(curve: ErrorCurve, seconds: float, fraction: float | None) -> None:
        if callback is not None:
            callback(Progress(order, n_orders, curve.n_rows, curve.error, seconds, fraction))

    return report


def _default_seed(model: Any) -> int:
    state = getattr(model, "random_state", None)
    return int(state) if isinstance(state, (int, np.integer)) else 0
