"""Test-then-train over a stream: every row is answered before it is learned. The one evaluation loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from streamboost.evaluate.adapters import RowByRow, Stepwise, as_model, fresh_copy, given
from streamboost.evaluate.confusion import Confusion
from streamboost.evaluate.curve import ErrorCurve
from streamboost.evaluate.delay import LateLabels, check_delay
from streamboost.evaluate.drifts import DriftLog
from streamboost.evaluate.metrics import make_metrics
from streamboost.evaluate.number_metrics import number_metrics
from streamboost.evaluate.panel import Panel, gather
from streamboost.evaluate.records import RecordStream, held_rows, open_data
from streamboost.evaluate.regression import predicts_numbers, result_of, run_numbers
from streamboost.evaluate.resources import ResourceLog, size_of
from streamboost.evaluate.result import PrequentialResult
from streamboost.evaluate.rows import Judge
from streamboost.streams.base import (
    DEFAULT_CHUNK_SIZE,
    DataError,
    Label,
    Stream,
    first_rows,
)


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


def permutation(seed: int, order: int, n: int) -> npt.NDArray[np.int64]:
    """The ``order``-th random order of n rows: a pure function of its arguments, for ever.

    Raw bits and a stable sort, because NumPy keeps its raw streams but may change its ``permutation``.
    """
    bits = np.random.Philox(key=np.array([seed, order], dtype=np.uint64))
    raw = np.asarray(bits.random_raw(n), dtype=np.uint64)
    return np.argsort(raw, kind="stable").astype(np.int64)


def prequential(
    model: Any,
    data: Any,
    *,
    sample_weight: Any = None,
    orders: int = 1,
    seed: int | None = None,
    classes: Sequence[Label] | None = None,
    chunk_size: int = DEFAULT_CHUNK_SIZE,
    window: int = 1000,
    limit: int | None = None,
    metrics: Any = (),
    positive: Label | None = None,
    fading: float | None = None,
    delay: int = 0,
    learn_late: bool = True,
    keep_errors: bool = False,
    callback: Callable[[Progress], None] | None = None,
    name: str | None = None,
) -> PrequentialResult:
    """Run a model over a stream, answering every row before learning it.

    Parameters
    ----------
    model : a model of streamboost; a scikit-learn classifier, or pipeline, with ``partial_fit``; a model of River; or
        any object with ``test_then_train(X, y)``. With one order it is this object that learns. Batch classifiers go
        into a :class:`SlidingWindow`.
    data : a stream; a pair (X, y) with X an array, a CSR matrix, a frame or a list of dicts; or an iterable of pairs
        (dict, label), as River's datasets are.
    sample_weight : the weight of every row of a pair (X, y) in learning. Metrics count every row once.
    orders : 1 reads the data once, as it comes, in bounded memory. K > 1 holds the data in memory and runs a fresh
        clone of the model over each of K random orders.
    seed : decides the random orders; by default the model's ``random_state`` if that is a number, else 0.
    classes : the labels, for models that must know them up front; by default those that the stream declares.
    chunk_size : rows per call of the model. It changes no result.
    window : rows of the windowed error and of the windowed metrics.
    limit : the first rows only.
    metrics : names of metrics (``streamboost.evaluate.METRICS``, with parameters as ``"f_beta:beta=2"``), or objects of
        your own with ``name``, ``update(rows)`` and ``value()``, or "all". Each over all rows and over the window. The
        error over both and kappa over all rows are always there.
    positive : the label of precision, recall and other metrics of one label. By default, of two labels, the greater
        number, or the rarer text; with more labels such metrics are means over the labels.
    fading : with a factor alpha in (0, 1) the metrics also with fading rows: one that is m rows old weighs alpha^m.
    delay : a row is answered when it arrives and learned when this many more rows have been answered. 0: at once.
    learn_late : whether the labels that are still out when the stream ends are learned then. All rows are scored anyway.
    keep_errors : keep one bit per row: whether it was answered wrongly; of a regressor, the absolute errors.
    callback : called after every chunk.
    name : of the model, in tables and pictures.

    Returns
    -------
    PrequentialResult
        ``model`` in it is the model as it is at the end of the (last) order. A regressor gives a :class:`RegressionResult`:
        ``metrics`` are then those of numbers (``streamboost.evaluate.NUMBER_METRICS``); ``classes`` and ``positive`` have no
        meaning.
    """
    if orders < 1:
        raise ValueError(f"orders must be at least 1, got {orders}.")
    opened = open_data(data, sample_weight)
    records = isinstance(opened, RecordStream)
    stream = first_rows(opened, limit)
    learner = as_model(model, records=records)
    check_delay(delay, learner)
    last: Any = model
    if predicts_numbers(model):
        if classes is not None or positive is not None:
            raise ValueError(
                f"classes and positive are for classifiers; {type(model).__name__} predicts numbers."
            )
        done = []
        held = None if orders == 1 else held_rows(opened, limit)
        key = _default_seed(model) if seed is None else seed
        for order in range(orders):
            rows = stream if held is None else held.permuted(permutation(key, order, held.n_rows))
            last = model if held is None else fresh_copy(model)
            done.append(
                run_numbers(
                    learner if held is None else as_model(last, records=records),
                    rows,
                    metrics=number_metrics(metrics),
                    chunk_size=chunk_size,
                    window=window,
                    fading=fading,
                    late=LateLabels(delay) if delay else None,
                    learn_late=learn_late,
                    keep_errors=keep_errors,
                    report=_report_numbers(callback, order, orders, rows),
                )
            )
        numbers = result_of(
            done,
            model_name=name if name is not None else _name_of(model),
            data_name=stream.name,
            window=window,
            delay=delay,
            model=last,
        )
        return cast("PrequentialResult", numbers)
    if classes is None:
        classes = stream.classes
    if classes is None and getattr(learner, "needs_classes", False):
        classes = stream.find_classes()
    if positive is not None and classes is not None and str(positive) not in map(str, classes):
        raise ValueError(
            f"positive={positive!r} is no label of the data; there are {', '.join(map(repr, classes))}."
        )
    settings = _Settings(
        classes=None if classes is None else np.asarray(classes),
        chunk_size=chunk_size,
        window=window,
        metrics=make_metrics(metrics),
        positive=positive,
        fading=fading,
        delay=delay,
        learn_late=learn_late,
        keep_errors=keep_errors,
    )
    runs: list[_Run] = []
    total = Confusion()
    if orders == 1:
        runs.append(_run(learner, stream, settings, _report(callback, 0, 1)))
    else:
        held = held_rows(opened, limit)
        key = _default_seed(model) if seed is None else seed
        if not 0 <= key < 2**64:
            raise ValueError(f"seed must be in [0, 2^64), got {key}.")
        for order in range(orders):
            last = fresh_copy(model)
            rows = held.permuted(permutation(key, order, held.n_rows))
            fresh = as_model(last, records=records)
            runs.append(_run(fresh, rows, settings, _report(callback, order, orders)))
    for run in runs:
        total.merge(run.confusion)
    series = [run.curve.series() for run in runs]
    memory = [run.memory_bytes for run in runs if run.memory_bytes is not None]
    positions, found = gather([run.panel for run in runs])
    return PrequentialResult(
        model_name=name if name is not None else _name_of(model),
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
        delay=delay,
        metric_positions=positions,
        metrics=found,
        positive=runs[-1].panel.positive,
        resources=runs[-1].resources.lines(),
        drifts=runs[-1].drifts.events(),
        wrong=tuple(np.packbits(np.concatenate(run.wrong)) for run in runs) if keep_errors else (),
        model=last,
    )


@dataclass(frozen=True)
class _Settings:
    classes: npt.NDArray[Any] | None
    chunk_size: int
    window: int
    metrics: tuple[Any, ...]
    positive: Label | None
    fading: float | None
    delay: int
    learn_late: bool
    keep_errors: bool

    @property
    def known(self) -> npt.NDArray[Any]:
        return np.empty(0, object) if self.classes is None else np.unique(self.classes)


@dataclass
class _Run:
    confusion: Confusion
    curve: ErrorCurve
    panel: Panel
    resources: ResourceLog
    wrong: list[npt.NDArray[np.bool_]]
    drifts: DriftLog
    seconds: float = 0.0
    memory_bytes: int | None = None


def _run(
    model: Any,
    stream: Stream,
    settings: _Settings,
    report: Callable[[ErrorCurve, float, float | None], None],
) -> _Run:
    judge = Judge(delay=settings.delay, classes=settings.classes)
    panel = Panel(
        settings.metrics,
        window=settings.window,
        fading=settings.fading,
        positive=settings.positive,
        declared=judge.n_declared,
    )
    drifts = DriftLog(model, settings.delay)
    run = _Run(Confusion(judge.codes), ErrorCurve(settings.window), panel, ResourceLog(), [], drifts)
    if isinstance(model, RowByRow):
        model.feature_names = stream.feature_names
    late = LateLabels(settings.delay) if settings.delay else None
    options: dict[str, Any] = {"output": "both"} if panel.needs_proba else {}
    for chunk in stream.chunks(settings.chunk_size):
        # Only the first call declares the labels: a model remembers them.
        first = settings.classes is not None and run.curve.n_rows == 0
        declared: dict[str, Any] = {"classes": settings.classes} if first else {}
        if chunk.weight is not None:
            if late is not None:
                raise DataError(f"{stream.name}: rows with weights cannot have late labels.")
            declared["sample_weight"] = chunk.weight
        start = time.process_time()
        if late is None:
            answers = model.test_then_train(*given(model, chunk), **declared, **options)
        else:
            answers = late.test_then_train(model, chunk, {**declared, **options})
        run.seconds += time.process_time() - start
        drifts.note(run.curve.n_rows, len(chunk.y), chunk.weight)
        labels, proba = answers if panel.needs_proba else (answers, None)
        # A model that has only been asked so far, labels being late, knows the declared classes and no other.
        columns = getattr(model, "classes_", settings.known) if panel.needs_proba else None
        rows = judge.rows(chunk.labels, np.asarray(labels), proba, columns)
        wrong = run.confusion.add(rows.true, rows.pred)
        run.curve.update(wrong)
        if panel.names:
            panel.update(rows)
        if settings.keep_errors:
            run.wrong.append(wrong)
        run.resources.note(run.curve.n_rows, run.seconds, model)
        report(run.curve, run.seconds, stream.fraction)
    if run.curve.n_rows == 0:
        raise DataError(f"{stream.name}: no rows.")
    if late is not None and settings.learn_late:
        start = time.process_time()
        late.learn_rest(model)
        run.seconds += time.process_time() - start
        drifts.note(run.curve.n_rows, 0, None)
    size = size_of(model)
    run.memory_bytes = None if np.isnan(size) else int(size)
    return run


def _report(
    callback: Callable[[Progress], None] | None, order: int, n_orders: int
) -> Callable[[ErrorCurve, float, float | None], None]:
    def report(curve: ErrorCurve, seconds: float, fraction: float | None) -> None:
        if callback is not None:
            callback(Progress(order, n_orders, curve.n_rows, curve.error, seconds, fraction))

    return report


def _report_numbers(
    callback: Callable[[Progress], None] | None, order: int, n_orders: int, stream: Stream
) -> Callable[[int, float, float], None]:
    def report(n_rows: int, error: float, seconds: float) -> None:
        if callback is not None:
            callback(Progress(order, n_orders, n_rows, error, seconds, stream.fraction))

    return report


def _name_of(model: Any) -> str:
    inner = getattr(model, "estimator", None)
    if isinstance(model, Stepwise) and inner is not None:
        return f"{type(model).__name__}({type(inner).__name__})"
    return type(model).__name__


def _default_seed(model: Any) -> int:
    state = getattr(model, "random_state", None)
    return int(state) if isinstance(state, (int, np.integer)) else 0
