"""A worker process: reads runs and writes results as lines of JSON. ``python -m streamboost.experiments FOLDER``."""

from __future__ import annotations

import json
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from streamboost.adapters.any_model import needs_classes
from streamboost.evaluate import ClassificationResult, PrequentialResult, prequential
from streamboost.evaluate.delay import tell_delay
from streamboost.evaluate.folds import fold_outcomes
from streamboost.evaluate.measures import balanced_accuracy, g_mean
from streamboost.evaluate.prequential import permutation
from streamboost.experiments.plan import DataSet, Run
from streamboost.experiments.store import DONE, FAILED, REFUSED, Record, RunStore
from streamboost.experiments.summary import curve_window
from streamboost.streams.base import DataError

Report = Callable[[float, float], None]


def execute(run: Run, data: DataSet, report: Report | None = None) -> Record:
    """Run one model. What goes wrong is a record too."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = run.algorithm.build(run.protocol.seed, data.rows.nominal)
            figures, wrong = (_folds if run.protocol.holds_out else _stream)(run, model, data, report)
        except DataError as error:
            return Record(FAILED, _line(error))
        except ValueError as error:
            # How every model says that it cannot do this: a third class, a numeric column, a missing declaration.
            return Record(REFUSED, _line(error))
        except Exception as error:
            return Record(
                FAILED, f"{type(error).__name__}: {_line(error)}", {"traceback": traceback.format_exc()}
            )
    return _done(figures, wrong, caught)


def record_of(result: PrequentialResult, caught: Sequence[Any]) -> Record:
    """The record of a result with ``keep_errors``, and of the warnings on the way to it."""
    return _done(figures_of(result), result.row_errors, caught)


def _done(figures: dict[str, Any], wrong: Any, caught: Sequence[Any]) -> Record:
    figures["warnings"] = sorted({_line(found.message) for found in caught})
    figures["n_answers"] = int(wrong.size)
    return Record(
        DONE, "", figures, np.packbits(wrong) if wrong.dtype == np.bool_ else wrong.astype(np.float32)
    )


def _stream(run: Run, model: Any, data: DataSet, report: Report | None) -> tuple[dict[str, Any], Any]:
    rows, protocol = data.rows, run.protocol
    classes = None if protocol.regression else data.declared
    if classes is None and not protocol.regression and needs_classes(model):
        classes = rows.find_classes()
    if protocol.orders > 1:
        rows = rows.permuted(permutation(protocol.seed, run.unit["order"], rows.y.shape[0]))
    result = prequential(
        tell_delay(protocol.delay, model),
        rows,
        classes=classes,
        metrics=protocol.metrics,
        positive=protocol.positive,
        delay=protocol.delay,
        keep_errors=True,
        window=curve_window(int(rows.y.shape[0])),
        callback=None if report is None else lambda now: report(now.fraction or 0.0, now.error),
    )
    return figures_of(result), result.row_errors


def figures_of(result: PrequentialResult) -> dict[str, Any]:
    """What a record keeps of one order."""
    figures: dict[str, Any] = {
        "errors": [result.error],
        "seconds": result.seconds,
        "n_rows": result.n_rows,
        "memory_bytes": result.memory_bytes,
        "metrics": {name: spans["cumulative"].value for name, spans in result.metrics.items()},
        "drifts": result.drifts[:, 0].tolist(),
    }
    if not isinstance(result, ClassificationResult):
        curve = (result.positions, result.cumulative_error, result.windowed_error)
        return {**figures, "curve": [series.tolist() for series in curve]}
    return {
        **figures,
        "kappa": result.kappa,
        "balanced_accuracy": balanced_accuracy(result.confusion),
        "g_mean": g_mean(result.confusion),
        "positive": None if result.positive is None else str(result.positive),
    }


def _folds(run: Run, model: Any, data: DataSet, report: Report | None) -> tuple[dict[str, Any], Any]:
    protocol = run.protocol
    outcomes = []
    for outcome in fold_outcomes(
        model,
        data.rows,
        folds=protocol.folds,
        seed=protocol.seed,
        orders=protocol.orders,
        test_rows=protocol.test_rows,
        **run.unit,
    ):
        outcomes.append(outcome)
        if report is not None:
            report(len(outcomes) / protocol.orders, outcome.error)
    sizes = [outcome.memory_bytes for outcome in outcomes if outcome.memory_bytes is not None]
    n_train = data.rows.y.shape[0] - outcomes[0].test_rows.size
    figures: dict[str, Any] = {
        "errors": [outcome.error for outcome in outcomes],
        "seconds": sum(outcome.fit_seconds for outcome in outcomes),
        "n_rows": int(n_train) * protocol.orders,
        "memory_bytes": max(sizes, default=None),
        "metrics": {},
    }
    return figures, np.concatenate([outcome.losses for outcome in outcomes])


def _line(error: object) -> str:
    return " ".join(str(error).split()) or type(error).__name__


class _Worker:
    """The data set that was used last stays in memory: runs come in the order of their data sets."""

    def __init__(self, folder: str) -> None:
        self.store = RunStore(folder)
        self.data: DataSet | None = None

    def take(self, run: Run, report: Report) -> Record:
        if self.data is None or self.data.fingerprint != run.fingerprint:
            self.data = None
            self.data = run.source.load()
            if self.data.fingerprint != run.fingerprint:
                self.data = None
                return Record(FAILED, f"{run.source.text}: the data have changed since the start.")
        record = execute(run, self.data, report)
        self.store.write(run, record)
        return record


def serve(folder: str) -> None:
    """Take runs from standard input until it ends; tell the progress and the end of each on standard output."""
    parent = os.getppid()
    # What a learner prints must not end up between the lines of the protocol.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = _Worker(folder)

    def tell(**words: Any) -> None:
        answers.write(json.dumps(words) + "\n")
        answers.flush()

    def report(fraction: float, error: float) -> None:
        if os.getppid() != parent:
            os._exit(1)  # nobody is waiting for the result
        tell(fraction=fraction, error=error)

    for line in sys.stdin:
        try:
            record = worker.take(Run.from_json(line), report)
        except Exception as error:
            record = Record(FAILED, f"{type(error).__name__}: {_line(error)}")
        details = record.figures if record.status == FAILED else None
        tell(status=record.status, message=record.message, figures=details)
