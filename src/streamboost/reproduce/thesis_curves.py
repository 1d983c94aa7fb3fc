"""Figures 4.5 and 4.21 to 4.30 of Oza's thesis: learning curves, and the errors of the m-th base models."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.base.files.writing import write_file
from streamboost.evaluate.folds import fold_rows, training_order
from streamboost.experiments.plan import FORMAT, Algorithm, DataFacts, DataSet
from streamboost.reproduce.charts import Lines, Series
from streamboost.reproduce.compare import Reproduction
from streamboost.reproduce.papers.oza2001 import (
    BASE_MODELS,
    FOLDS,
    GIVEN_TEST,
    SAMPLED,
    model_of,
    primed_rows,
)
from streamboost.reproduce.report import ExtraFigure

Values = dict[str, list[list[float]]]
Split = tuple[Any, Any, Any, Any]

_SEED = 0
_EVERY = 50
"""Examples from one point of a learning curve to the next."""
_KINDS = {
    "batch boosting": "boosting",
    "online boosting": "online_boosting",
    "primed online boosting": "primed_online_boosting",
}
_NAIVE_BAYES, _TREE, _NETWORK = "naive_bayes", "decision_tree", "neural_network_1update"
_BASES = {
    _NAIVE_BAYES: "naive Bayes",
    _TREE: "decision trees",
    _NETWORK: "networks (batch: ten epochs, online: one update per example)",
}


@dataclass(frozen=True)
class Curve:
    """A figure: the table that it belongs to, its data set and base model, and how many passes or training sets it takes."""

    name: str
    number: str
    table: str
    dataset: str
    learner: str
    most: int

    @property
    def is_learning(self) -> bool:
        """Whether it has accuracies against examples; else it has errors against base models."""
        return self.number == "4.5"


_LARGE = ("Synthetic-1", "Synthetic-2", "Synthetic-3", "Census Income", "Forest Covertype")
CURVES = (
    Curve("figure-4-5", "4.5", "4.2", "Car Evaluation", _NAIVE_BAYES, 50),
    Curve("figure-4-5-trees", "4.5", "4.1", "Car Evaluation", _TREE, 10),
    *(
        Curve(f"figure-4-{first + at}", f"4.{first + at}", table, dataset, learner, most)
        for first, table, learner, most in ((21, "4.2", _NAIVE_BAYES, 5), (26, "4.5", _NETWORK, 1))
        for at, dataset in enumerate(_LARGE)
    ),
)


def curves(job: Reproduction, numbers: set[str], folder: Path, run: bool) -> Iterator[ExtraFigure]:
    """Those of the tables ``numbers``; without ``run`` only those that were computed before."""
    for curve in CURVES:
        if curve.table not in numbers or curve.dataset not in job.facts:
            continue
        measure = _accuracies if curve.is_learning else _errors
        values = _kept(curve, job, folder, measure if run else None)
        if values is not None:
            yield (_learning_figure if curve.is_learning else _error_figure)(curve, values, job)


def _facts(curve: Curve, job: Reproduction) -> DataFacts:
    forms = job.facts[curve.dataset]
    return forms.get(curve.learner, forms.get("", next(iter(forms.values()))))


def _training_sets(curve: Curve, job: Reproduction) -> int:
    if curve.dataset in GIVEN_TEST or (curve.dataset, curve.learner) in SAMPLED:
        return 1
    return min(curve.most, job.size.repeats * FOLDS)


def _kept(
    curve: Curve,
    job: Reproduction,
    folder: Path,
    measure: Callable[[Curve, Reproduction], Values] | None,
) -> Values | None:
    """What was computed before with the same settings, or else computed now."""
    path = folder / f"{curve.name}.json"
    learner = BASE_MODELS[curve.learner].params
    identity: list[object] = [
        FORMAT,
        _facts(curve, job).fingerprint,
        job.size.learners,
        _training_sets(curve, job),
        learner,
    ]
    if path.exists():
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored["identity"] == identity:
            values: Values = stored["values"]
            return values
    if measure is None:
        return None
    values = measure(curve, job)
    folder.mkdir(parents=True, exist_ok=True)
    write_file(path, json.dumps({"identity": identity, "values": values}).encode())
    return values


def _splits(data: DataSet, curve: Curve, n_sets: int) -> Iterator[Split]:
    """Training rows in a random order, and the rows that are held out."""
    rows = data.rows
    n = int(rows.y.shape[0])
    for number in range(n_sets):
        repeat, fold = divmod(number, FOLDS)
        if curve.dataset in GIVEN_TEST:
            n_test = round(n * GIVEN_TEST[curve.dataset])
            train, test = np.split(np.arange(n, dtype=np.int64), [n - n_test])
        else:
            train, test = fold_rows(n, FOLDS, _SEED, repeat, fold)
        train = train[training_order(_SEED, repeat, fold, 0, train.size)]
        yield rows.X[train], rows.y[train], rows.X[test], rows.y[test]


def _model(curve: Curve, kind: str, n_train: int, n_estimators: int, data: DataSet) -> Any:
    learner = curve.learner
    if learner == _NETWORK and kind == "boosting":
        learner = "neural_network_10epoch"
    base = BASE_MODELS[learner]
    model, params = model_of(kind, learner, n_train, n_estimators)
    return Algorithm(model, base.learner, params, dict(base.params)).build(_SEED, data.rows.nominal)


def _points(n_rows: int) -> list[int]:
    """Up to the size of the smallest training set; the others have a row more."""
    smallest = n_rows * (FOLDS - 1) // FOLDS
    return [*range(_EVERY, smallest, _EVERY), smallest]


def _accuracies(curve: Curve, job: Reproduction) -> Values:
    """Test accuracy at every point; batch boosting learns anew at each of them."""
    data = _facts(curve, job).source.load()
    classes, points = np.unique(data.rows.y), _points(data.rows.y.shape[0])
    found: Values = {words: [] for words in _KINDS}
    for X, y, X_test, y_test in _splits(data, curve, _training_sets(curve, job)):
        for words, kind in _KINDS.items():
            model = _model(curve, kind, y.size, job.size.learners, data)
            line, seen = [], 0
            for point in points:
                if kind == "boosting":
                    model.fit(X[:point], y[:point])
                else:
                    model.partial_fit(X[seen:point], y[seen:point], classes=classes)
                    seen = point
                line.append(float(np.mean(model.predict(X_test) == y_test)))
            found[words].append(line)
    return found


def _learning_figure(curve: Curve, values: Values, job: Reproduction) -> ExtraFigure:
    x = np.array(_points(_facts(curve, job).n_rows), dtype=float)
    series = []
    for words, runs in values.items():
        # Before the end of its batch phase primed boosting has learned nothing.
        shown = x >= (primed_rows(int(x[-1])) if _KINDS[words] == "primed_online_boosting" else 0)
        table = np.array(runs)[:, shown]
        spread = table.std(axis=0, ddof=1) / np.sqrt(len(runs))
        series.append(Series(words, x[shown], table.mean(axis=0), spread))
    title = f"Figure {curve.number}: learning curves on {curve.dataset}, {_BASES[curve.learner]}"
    chart = Lines(title, series, "training examples", "accuracy on held-out rows")
    caption = (
        f"Means of {_training_sets(curve, job)} training sets, bands: one standard error; a point every {_EVERY} examples, "
        "at each of which batch boosting learns anew; primed boosting from the end of its batch phase on. The thesis does not "
        "name the base model."
    )
    return ExtraFigure(curve.name, title, chart, caption)


def _errors(curve: Curve, job: Reproduction) -> Values:
    """The weighted training error of every base model."""
    data = _facts(curve, job).source.load()
    found: Values = {words: [] for words in _KINDS}
    for X, y, _, _ in _splits(data, curve, _training_sets(curve, job)):
        for words, kind in _KINDS.items():
            model = _model(curve, kind, y.size, job.size.learners, data)
            found[words].append(_model_errors(model.fit(X, y)).tolist())
    return found


def _model_errors(model: Any) -> npt.NDArray[np.float64]:
    if hasattr(model, "estimator_errors_"):
        return np.asarray(model.estimator_errors_, dtype=np.float64)
    lanes = model.report().lanes
    total = lanes["sum_correct"] + lanes["sum_wrong"]
    return np.asarray(lanes["sum_wrong"][total > 0] / total[total > 0], dtype=np.float64)


def _error_figure(curve: Curve, values: Values, job: Reproduction) -> ExtraFigure:
    longest = max(len(line) for line in values["batch boosting"])
    series = []
    for words, lines in values.items():
        # The m-th mean is over the runs that reached m.
        columns = [[line[m] for line in lines if len(line) > m] for m in range(longest)]
        means = np.array([np.mean(column) for column in columns if column])
        series.append(Series(words, np.arange(1, means.size + 1, dtype=float), means))
    title = f"Figure {curve.number}: errors of base models on {curve.dataset}, {_BASES[curve.learner]}"
    chart = Lines(title, series, "base model m", "weighted training error", (0.0, 0.6))
    count = len(values["batch boosting"])
    sets = f"{count} training sets" if count > 1 else "one training set"
    caption = (
        f"Means of {sets} drawn from {_facts(curve, job).n_rows:,} rows; up to the largest number of models that batch boosting "
        f"made, {longest}."
    )
    return ExtraFigure(curve.name, title, chart, caption)
