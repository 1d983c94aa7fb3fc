"""Pictures of a paper that are no tables: for the thesis, batch against online, learning curves and errors of base models."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.evaluate.folds import fold_rows
from streamboost.experiments.plan import FORMAT, Algorithm, DataSet
from streamboost.experiments.store import replace_file
from streamboost.reproduce.charts import Lines, Scatter, Series
from streamboost.reproduce.compare import Comparison, RebuiltTable, Reproduction
from streamboost.reproduce.report import ExtraFigure

_PAIRS = (
    ("bagging", "online_bagging", "batch bagging", "online bagging"),
    ("boosting", "online_boosting", "batch boosting", "online boosting"),
    ("boosting", "primed_online_boosting", "batch boosting", "primed online boosting"),
    ("online_boosting", "primed_online_boosting", "online boosting", "primed online boosting"),
)
_BOOSTERS = {"batch": "adaboost-m1", "online": "oza-boost", "primed": "primed-boost"}
_FOLDS, _SEED = 5, 0


def extra_figures(
    job: Reproduction, tables: Sequence[RebuiltTable], folder: Path, run: bool
) -> list[ExtraFigure]:
    """The figures that belong to the tables that were asked for; with ``run`` False only those that need no more runs."""
    if job.study.paper != "oza2001":
        return []
    found = list(_scatterplots(tables))
    if not run:
        return found
    for name, data in (
        ("Car Evaluation", "learning curve"),
        *((f"Synthetic-{i}", "errors") for i in (1, 2, 3)),
    ):
        wanted = any(table.published.number == "4.2" for table in tables)
        if name not in job.facts or not wanted:
            continue
        make = _learning_curve if data == "learning curve" else _base_errors
        found.append(make(job, name, folder))
    return found


def _scatterplots(tables: Sequence[RebuiltTable]) -> Iterator[ExtraFigure]:
    """Test errors, one point per data set, ours full and the published ones hollow."""
    for table in tables:
        for first, second, x_title, y_title in _PAIRS:
            pairs = [
                (a, b)
                for dataset in table.datasets
                if (a := _only(table, dataset, first)) and (b := _only(table, dataset, second))
            ]
            if len(pairs) < 2:
                continue
            ours = Series("ours", *_errors([(a.ours, b.ours) for a, b in pairs]))
            theirs = Series(
                "published", *_errors([(a.figure.value, b.figure.value) for a, b in pairs]), hollow=True
            )
            number = table.published.number
            learner = table.published.columns[0][1].replace("_", " ")
            name = f"scatter-{number.replace('.', '-')}-{first}-{second}".replace("_", "-")
            title = f"{y_title.capitalize()} against {x_title}: {learner}, table {number}"
            chart = Scatter(title, [ours, theirs], f"test error of {x_title}", f"test error of {y_title}")
            yield ExtraFigure(
                name, title, chart, f"One point per data set; above the line {y_title} is worse."
            )


def _only(table: RebuiltTable, dataset: str, algorithm: str) -> Comparison | None:
    found = [c for c in table.measured if c.figure.dataset == dataset and c.figure.algorithm == algorithm]
    return found[0] if found else None


def _errors(pairs: list[tuple[float, float]]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    values = 1 - np.array(pairs)
    return values[:, 0], values[:, 1]


def _booster(kind: str, n_rows: int, n_estimators: int) -> Algorithm:
    params: dict[str, object] = {"n_estimators": n_estimators}
    if kind == "primed":
        params["n_prime"] = max(1, min(n_rows // 5, 10_000))
    return Algorithm(_BOOSTERS[kind], "naive-bayes", params, {"prior_alpha": 0.0})


def _kept(folder: Path, name: str, identity: list[object], make: Any) -> Any:
    """What was computed before with the same settings, or else computed now."""
    path = folder / f"{name}.json"
    if path.exists():
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored["identity"] == identity:
            return stored["values"]
    values = make()
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(path, json.dumps({"identity": identity, "values": values}).encode())
    return values


def _folds(data: DataSet) -> Iterator[tuple[Any, Any, Any, Any]]:
    rows = data.rows
    for fold in range(_FOLDS):
        train, test = fold_rows(rows.y.shape[0], _FOLDS, _SEED, 0, fold)
        yield rows.X[train], rows.y[train], rows.X[test], rows.y[test]


def _learning_curve(job: Reproduction, name: str, folder: Path) -> ExtraFigure:
    """Figure 4.5: test accuracy against the number of training examples; batch boosting anew at every point."""
    entry = job.study.entry(name)
    assert entry is not None
    data = entry.source(job.size.rows).load()
    n = data.rows.y.shape[0] * (_FOLDS - 1) // _FOLDS
    points = np.linspace(n / 12, n, 12).astype(int).tolist()

    def measure() -> dict[str, list[list[float]]]:
        found: dict[str, list[list[float]]] = {}
        for kind in _BOOSTERS:
            found[kind] = []
            for X, y, X_test, y_test in _folds(data):
                model = _booster(kind, n, job.size.learners).build(_SEED, data.rows.nominal)
                line, seen = [], 0
                for point in points:
                    if kind == "batch":
                        model.fit(X[:point], y[:point])
                    else:
                        model.partial_fit(X[seen:point], y[seen:point], classes=np.unique(data.rows.y))
                        seen = point
                    line.append(float(np.mean(model.predict(X_test) == y_test)))
                found[kind].append(line)
        return found

    identity = [FORMAT, data.fingerprint, points, job.size.learners]
    values = _kept(folder, "figure-4-5", identity, measure)
    series = [_mean_line(f"{kind} boosting", points, lines) for kind, lines in values.items()]
    chart = Lines("Learning curves", series, "training examples", "accuracy on held-out rows")
    caption = (
        f"Naive Bayes on {name}, means of {_FOLDS} folds; bands: one standard error. "
        "The thesis does not name the base model."
    )
    return ExtraFigure("figure-4-5", "Figure 4.5: learning curves", chart, caption)


def _base_errors(job: Reproduction, name: str, folder: Path) -> ExtraFigure:
    """Figures 4.21 to 4.23: the mean weighted error of the m-th base model."""
    entry = job.study.entry(name)
    assert entry is not None
    data = entry.source(job.size.rows).load()
    number = 20 + int(name[-1])

    def measure() -> dict[str, list[list[float]]]:
        found: dict[str, list[list[float]]] = {}
        for kind in _BOOSTERS:
            found[kind] = []
            for X, y, _, _ in _folds(data):
                model = _booster(kind, y.size, job.size.learners).build(_SEED, data.rows.nominal)
                errors = _model_errors(model.fit(X, y))
                found[kind].append(errors.tolist())
        return found

    values = _kept(folder, f"figure-4-{number}", [FORMAT, data.fingerprint, job.size.learners], measure)
    longest = max(len(line) for line in values["batch"])
    series = []
    for kind, lines in values.items():
        # The m-th mean is over the runs that reached m.
        columns = [[line[m] for line in lines if len(line) > m] for m in range(longest)]
        means = np.array([np.mean(column) for column in columns if column])
        series.append(Series(f"{kind} boosting", np.arange(1, means.size + 1, dtype=float), means))
    chart = Lines(f"Errors of base models on {name}", series, "base model m", "weighted error")
    caption = f"Naive Bayes on {name}, up to the largest number of models that batch boosting made."
    return ExtraFigure(
        f"figure-4-{number}", f"Figure 4.{number}: errors of base models on {name}", chart, caption
    )


def _model_errors(model: Any) -> npt.NDArray[np.float64]:
    if hasattr(model, "estimator_errors_"):
        return np.asarray(model.estimator_errors_, dtype=np.float64)
    lanes = model.report().lanes
    total = lanes["sum_correct"] + lanes["sum_wrong"]
    return np.asarray(lanes["sum_wrong"][total > 0] / total[total > 0], dtype=np.float64)


def _mean_line(name: str, points: list[int], lines: list[list[float]]) -> Series:
    values = np.array(lines)
    spread = values.std(axis=0, ddof=1) / np.sqrt(len(lines))
    return Series(name, np.array(points, dtype=float), values.mean(axis=0), spread)
