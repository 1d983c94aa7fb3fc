"""``compare``: models of any library on data sets of any form, all in this process."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from streamboost.adapters.any_model import fresh_copy, needs_classes
from streamboost.adapters.records import held_rows, open_data
from streamboost.baselines import baseline
from streamboost.evaluate.delay import tell_delay
from streamboost.evaluate.prequential import Progress, permutation, prequential
from streamboost.evaluate.result import PrequentialResult
from streamboost.evaluate.task import Task
from streamboost.evaluate.tasks import task_of
from streamboost.experiments.plan import Algorithm, DataFacts, Protocol, Source, baselines, facts_of
from streamboost.experiments.store import FAILED, REFUSED, Record
from streamboost.experiments.summary import Summary, curve_window, measure_name, measures_of
from streamboost.experiments.tables import value_text
from streamboost.experiments.worker import record_of
from streamboost.report.tables import data_frame, html_table
from streamboost.streams.base import DataError


@dataclass(frozen=True, repr=False)
class Comparison:
    """The result of :func:`compare`.

    ``results`` holds the result of every run by (data set, model, order); ``summary`` what tables and the page are made of.
    """

    summary: Summary
    results: Mapping[tuple[str, str, int], PrequentialResult] = field(default_factory=dict)

    @property
    def best(self) -> dict[str, str]:
        """The best model of every data set, the baselines left aside."""
        found = {row[0].data.name: self.summary.best_of(row) for row in self.summary.cells}
        return {name: cell.algorithm.name for name, cell in found.items() if cell is not None}

    @property
    def warnings(self) -> list[str]:
        """Data sets whose best model is no better than a baseline, in words."""
        return self.summary.no_better_than_baselines

    def _lines(self) -> tuple[list[str], list[list[str]]]:
        s = self.summary
        shown = s.measures
        rows = []
        for row in s.cells:
            for cell in row:
                done = cell.status == "done"
                texts = (
                    [value_text(cell, m) for m in shown] if done else [cell.status] + [""] * (len(shown) - 1)
                )
                rows.append([cell.algorithm.name, cell.data.name, *texts])
        return ["model", "data", *map(measure_name, shown)], rows

    def __repr__(self) -> str:
        head, rows = self._lines()
        widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
        lines = [
            "  ".join(
                cell.ljust(w) if i < 2 else cell.rjust(w)
                for i, (cell, w) in enumerate(zip(row, widths, strict=True))
            )
            for row in [head, *rows]
        ]
        return "\n".join([*lines, *self.warnings])

    def _repr_html_(self) -> str:
        head, rows = self._lines()
        reasons = [f"{c.algorithm.name} on {c.data.name}: {c.message}" for c in self._without_result]
        return html_table(
            f"Ranked by {measure_name(self.summary.rank_by)}", head, rows, [*self.warnings, *reasons]
        )

    @property
    def _without_result(self) -> list[Any]:
        return [*self.summary.refusals, *self.summary.failures]

    def to_frame(self) -> Any:
        """One line per data set and model, as a pandas (or else polars) frame: metrics, speed, and why there is no result."""
        s = self.summary
        cells = [cell for row in s.cells for cell in row]
        names = list(dict.fromkeys((*s.measures, *measures_of(s.protocol))))
        columns: dict[str, Any] = {
            "data": [cell.data.name for cell in cells],
            "model": [cell.algorithm.name for cell in cells],
        }
        for name in names:
            columns[name] = [cell.metric(name) if cell.status == "done" else math.nan for cell in cells]
        columns["examples_per_second"] = [
            cell.examples_per_second if cell.status == "done" else math.nan for cell in cells
        ]
        columns["message"] = [cell.message for cell in cells]
        return data_frame(columns)

    def report(self, folder: str | os.PathLike[str]) -> Path:
        """Write the page, ``summary.csv``, ``runs.csv`` and the pictures into a folder; returns the page."""
        from streamboost.experiments.report import write_report

        return write_report(self.summary, Path(folder), "streamboost.experiments.compare(...)")[0]


def compare(
    models: Mapping[str, Any],
    data: Any,
    *,
    orders: int = 1,
    seed: int = 0,
    metrics: Any = (),
    rank_by: str = "error",
    positive: Any = None,
    delay: int = 0,
    limit: int | None = None,
    with_baselines: bool = True,
    season: int | None = None,
    test: str | None = None,
    callback: Callable[[str, str, Progress], None] | None = None,
) -> Comparison:
    """Run models over data sets, each row answered before it is learned, and say who is best.

    Parameters
    ----------
    models : name -> model; whatever :func:`streamboost.evaluate.prequential` takes. They are copied, never trained.
    data : what ``prequential`` takes, or name -> such data for several sets. Each set is held in memory.
    orders : 1 takes the rows as they come; K > 1 shuffles them K times, in the same way for all models.
    seed : decides the random orders.
    metrics, positive, delay, limit : as in ``prequential``.
    rank_by : "error", "kappa", "balanced_accuracy", "g_mean", or one of ``metrics``; a name of ours is added to them. For
        regressors "error" is the mean absolute one; "rmse" and "r2" are always there.
    with_baselines : also the majority and the no-change classifier (of regressors: the mean, the last target), which every model
        should beat.
    season : of regressors: also the target of so many rows before, as 24 where rows are hours.
    test : of the difference from the best: "t", "wilcoxon" or "sign", with several orders.
    callback : called with the names of data set and model, and the progress.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import SGDClassifier
    >>> from streamboost import NaiveBayes, OnlineBaggingClassifier
    >>> from streamboost.experiments import compare
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> models = {"bagging": OnlineBaggingClassifier(NaiveBayes(), n_estimators=5), "sgd": SGDClassifier(random_state=0)}
    >>> compare(models, (X, X[:, 0] > 0), rank_by="g_mean").to_frame()["model"].tolist()
    ['bagging', 'sgd', 'majority', 'no-change']
    """
    if not isinstance(models, Mapping):
        raise TypeError(f"models is of type {type(models).__name__}: pass a dict of names and models.")
    if not models:
        raise ValueError("There are no models to compare.")
    task = _common_task(models)
    chosen = list(task.metrics.choose(metrics))
    rule: dict[str, Any] = {
        "orders": orders,
        "seed": seed,
        "delay": delay,
        "task": task.name,
        "season": season,
    }
    protocol = Protocol(**rule, metrics=tuple(metric.name for metric in chosen))
    if rank_by not in ("error", *measures_of(protocol)):
        chosen += [one for one in task.metrics.choose([rank_by]) if one.name not in protocol.metrics]
        protocol = Protocol(**rule, metrics=tuple(metric.name for metric in chosen))
    algorithms = [Algorithm(str(name), "", _simple(model)) for name, model in models.items()]
    for name in models:
        if baseline(name) is not None:
            raise ValueError(f"The name {name!r} belongs to a baseline; call the model something else.")
    rivals = dict(models)
    if with_baselines:
        extra = baselines(protocol)
        algorithms += extra
        rivals |= {one.name: tell_delay(delay, one.build(seed, None)) for one in extra}
    if protocol.regression and positive is not None:
        raise ValueError("positive is for classifiers; these models are regressors.")
    facts: list[DataFacts] = []
    records: list[Record] = []
    results: dict[tuple[str, str, int], PrequentialResult] = {}
    options: dict[str, Any] = {"metrics": chosen, "positive": positive, "delay": delay, "keep_errors": True}
    for given, rows in (data if isinstance(data, Mapping) else {"": data}).items():
        stream = open_data(rows)
        held = held_rows(stream, limit)
        name = str(given) or os.path.basename(stream.name)
        facts.append(facts_of(Source(name, label=name), "", held))
        for who, order, record, result in _runs(rivals, name, stream, held, protocol, options, callback):
            records.append(record)
            if result is not None:
                results[name, who, order] = result
    direction = {metric.name: getattr(metric, "greater_is_better", True) for metric in chosen}
    summary = Summary(facts, algorithms, protocol, records, test, rank_by, greater=direction.get(rank_by))
    return Comparison(summary, results)


def _runs(
    models: Mapping[str, Any],
    name: str,
    stream: Any,
    held: Any,
    protocol: Protocol,
    options: dict[str, Any],
    callback: Callable[[str, str, Progress], None] | None,
) -> Iterator[tuple[str, int, Record, PrequentialResult | None]]:
    """Run every model over one data set in every order; yields the model's name, the order and what came out."""
    labels = () if protocol.regression else held.find_classes()
    window = {"window": curve_window(held.n_rows)} if protocol.regression else {}
    for order in range(protocol.orders):
        part = held
        if protocol.orders > 1:
            part = held.permuted(permutation(protocol.seed, order, held.n_rows))
        for who, model in models.items():
            known = stream.classes or (labels if needs_classes(model) else None)
            classes = None if protocol.regression else known
            show = None if callback is None else partial(callback, name, who)
            yield who, order, *_one(fresh_copy(model), part, who, classes, show, {**options, **window})


def _common_task(models: Mapping[str, Any]) -> Task[Any]:
    """The task of all models; models of different tasks cannot be compared."""
    tasks = {str(name): task_of(model) for name, model in models.items()}
    found = {task.name: task for task in tasks.values()}
    if len(found) > 1:
        groups = (
            f"{kind} ({', '.join(name for name, task in tasks.items() if task.name == kind)})"
            for kind in sorted(found)
        )
        raise ValueError(f"Models of different tasks cannot be compared: {', '.join(groups)}.")
    return next(iter(found.values()))


def _one(
    model: Any, rows: Any, name: str, classes: Any, show: Any, options: dict[str, Any]
) -> tuple[Record, PrequentialResult | None]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = prequential(model, rows, classes=classes, callback=show, name=name, **options)
        except DataError:
            raise  # no model can read these rows
        except ValueError as error:
            return Record(REFUSED, " ".join(str(error).split())), None
        except Exception as error:
            return Record(FAILED, f"{type(error).__name__}: {' '.join(str(error).split())}"), None
    return record_of(result, caught), result


def _simple(model: Any) -> dict[str, Any]:
    """The parameters of a model that can be written down in a line."""
    found = model.get_params(deep=False) if hasattr(model, "get_params") else {}
    return {name: value for name, value in found.items() if isinstance(value, (str, int, float, bool))}
