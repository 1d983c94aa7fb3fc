"""``python -m benchmarks.accuracy.regression``: regressors beside River's, MOA's and VW's on the same rows.

Mean absolute error before learning each row, and CPU seconds. A library that is not installed and a set that is not there
(STREAMBOOST_DATA) are left out and named. ``--add`` measures some models anew and keeps the figures of the others.
"""

from __future__ import annotations

import csv
import importlib
import importlib.util
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import streamboost as sb
from benchmarks.accuracy.data import Data
from benchmarks.accuracy.peer import Floats, MoaRows, Peer
from benchmarks.pages import RESULTS, Page, parser
from benchmarks.tables import Table
from streamboost.streams import (
    DataError,
    FriedmanStream,
    HyperplaneDistanceStream,
    SensorStream,
    load_builtin,
)

Make = Callable[[int, int], Any]
COLUMNS = ("stream", "seed", "model", "rows", "mae", "seconds")
BAR = 1.02
"""How much worse than the best other library the default may be."""


def from_river(name: str) -> tuple[Floats, Floats]:
    """A set that River brings along; texts become their order of appearance."""
    from river import datasets

    rows = list(getattr(datasets, name)())
    names = list(rows[0][0])
    columns = []
    for key in names:
        found: dict[Any, int] = {}
        cells = [x[key] for x, _ in rows]
        columns.append(
            [
                float(cell) if isinstance(cell, int | float) else float(found.setdefault(cell, len(found)))
                for cell in cells
            ]
        )
    return np.array(columns, dtype=float).T, np.array([y for _, y in rows], dtype=float)


def elevation(n: int) -> tuple[Floats, Floats]:
    """Covertype's rows in their order: the elevation from the nine other measurements."""
    X = np.asarray(Data("covtype", n).X, dtype=float)
    return X[:, 1:10], X[:, 0]


def power(n: int) -> tuple[Floats, Floats]:
    """Power supply: what comes from the main grid, from the hour and what comes from other grids; hours are the labels."""
    data = Data("powersupply", n)
    return np.column_stack((data.y, data.X[:, 1])).astype(float), np.asarray(data.X[:, 0], dtype=float)


def diabetes(seed: int) -> tuple[Floats, Floats]:
    data: Any = load_builtin("diabetes-progression")
    order = np.random.default_rng(seed).permutation(len(data.y))
    return data.X[order], data.y[order]


STREAMS: dict[str, Callable[[int, int], tuple[Floats, Floats]]] = {
    "friedman": lambda n, seed: FriedmanStream(seed=seed).arrays(n),
    "friedman, turning": lambda n, seed: FriedmanStream(seed=seed, turn_every=max(n // 4, 1)).arrays(n),
    "hyperplane distance": lambda n, seed: HyperplaneDistanceStream(seed=seed).arrays(n),
    "diabetes": lambda n, seed: diabetes(seed),
    "trump approval": lambda n, seed: from_river("TrumpApproval"),
    "chick weights": lambda n, seed: from_river("ChickWeights"),
    "covtype elevation": lambda n, seed: elevation(n),
    "power supply": lambda n, seed: power(n),
    "sensor": lambda n, seed: SensorStream(seed=seed, change_every=max(n // 4, 1)).arrays(n),
}


class NumberPeer(Peer):
    """One that answers a number."""

    def test_then_train(self, X: Floats, y: Floats) -> Floats:
        return np.fromiter(self.said(X, y), dtype=float, count=len(y))


class River(NumberPeer):
    def __init__(self, module: str, name: str, *, scaled: bool = False, **options: Any) -> None:
        from river import preprocessing

        model = getattr(importlib.import_module(f"river.{module}"), name)(**options)
        self.model = preprocessing.StandardScaler() | model if scaled else model

    def rows(self, X: Floats) -> Iterator[Any]:
        return (dict(enumerate(x)) for x in X.tolist())

    def ask(self, row: Any) -> float:
        return float(self.model.predict_one(row))

    def learn(self, row: Any, target: float) -> None:
        self.model.learn_one(row, target)


class VowpalWabbit(NumberPeer):
    def __init__(self) -> None:
        import vowpalwabbit

        self.model = vowpalwabbit.Workspace("--quiet", enable_logging=False)

    def rows(self, X: Floats) -> Iterator[Any]:
        return ("| " + " ".join(f"x{j}:{value:.9g}" for j, value in enumerate(x)) for x in X.tolist())

    def ask(self, row: Any) -> float:
        return float(self.model.predict(row))

    def learn(self, row: Any, target: float) -> None:
        self.model.learn(f"{target:.9g} {row}")


class Moa(NumberPeer):
    """A class of ``capymoa.regressor``, in its JVM."""

    def __init__(self, width: int, name: str, **options: Any) -> None:
        self._rows = MoaRows([None] * width, None)
        from capymoa.stream import Schema

        wrapper = getattr(importlib.import_module("capymoa.regressor"), name)
        self.learner = wrapper(schema=Schema(moa_header=self._rows.header), **options).moa_learner

    def rows(self, X: Floats) -> Iterator[Any]:
        return self._rows.of(X)

    def ask(self, row: Any) -> float:
        votes = self.learner.getVotesForInstance(row)
        return float(votes[0]) if len(votes) else float("nan")

    def learn(self, row: Any, target: float) -> None:
        row.setClassValue(target)
        self.learner.trainOnInstance(row)


def ours(cls: Any, *args: Any, **options: Any) -> tuple[str, Make]:
    return "streamboost", lambda width, seed: cls(*args, random_state=seed, **options)


MODELS: dict[str, tuple[str, Make]] = {
    "StreamBoostRegressor": ours(sb.StreamBoostRegressor),
    "adaptive forest, 10": ours(sb.AdaptiveRandomForestRegressor, n_estimators=10),
    "adaptive forest, 100": ours(sb.AdaptiveRandomForestRegressor, n_estimators=100),
    "boosted trees, 10": ours(
        sb.OnlineGradientBoostingRegressor, sb.HoeffdingTreeRegressor(), n_estimators=10
    ),
    "one tree": ours(sb.SingleLearnerRegressor, sb.HoeffdingTreeRegressor()),
    "one LinearRegression": ours(sb.SingleLearnerRegressor),
    "River ARF, 10": ("river", lambda d, seed: River("forest", "ARFRegressor", n_models=10, seed=seed)),
    "River SRP, 10": ("river", lambda d, seed: River("ensemble", "SRPRegressor", n_models=10, seed=seed)),
    "River HAT": ("river", lambda d, seed: River("tree", "HoeffdingAdaptiveTreeRegressor", seed=seed)),
    "River ARF, 10, scaled": (
        "river",
        lambda d, seed: River("forest", "ARFRegressor", scaled=True, n_models=10, seed=seed),
    ),
    "River SRP, 10, scaled": (
        "river",
        lambda d, seed: River("ensemble", "SRPRegressor", scaled=True, n_models=10, seed=seed),
    ),
    "River HAT, scaled": (
        "river",
        lambda d, seed: River("tree", "HoeffdingAdaptiveTreeRegressor", scaled=True, seed=seed),
    ),
    "MOA ARF, 10": (
        "capymoa",
        lambda d, seed: Moa(d, "AdaptiveRandomForestRegressor", ensemble_size=10, random_seed=seed),
    ),
    "MOA ARF, 100": (
        "capymoa",
        lambda d, seed: Moa(d, "AdaptiveRandomForestRegressor", ensemble_size=100, random_seed=seed),
    ),
    "MOA ARF-FIMT-DD": ("capymoa", lambda d, seed: Moa(d, "ARFFIMTDD", random_seed=seed)),
    "MOA SGBR": ("capymoa", lambda d, seed: Moa(d, "StreamingGradientBoostedRegression", random_seed=seed)),
    "VW": ("vowpalwabbit", lambda d, seed: VowpalWabbit()),
}
OWN = [name for name, (package, _) in MODELS.items() if package == "streamboost"]
PAIRS = (
    ("adaptive forest, 10", "River ARF, 10"),
    ("adaptive forest, 10", "River SRP, 10"),
    ("adaptive forest, 10", "MOA ARF, 10"),
    ("adaptive forest, 100", "MOA ARF, 100"),
    ("one tree", "River HAT"),
)
"""Of the same number of trees: whose CPU seconds are compared."""


def measure(model: str, X: Floats, y: Floats, seed: int) -> tuple[float, float]:
    """Mean absolute error of the answered rows after the first, and seconds."""
    made = MODELS[model][1](X.shape[1], seed)
    start = time.thread_time()
    answers = np.asarray(made.test_then_train(X, y), dtype=float)
    seconds = made.seconds if isinstance(made, Peer) else time.thread_time() - start
    known = np.isfinite(answers)
    known[0] = False
    return float(np.abs(answers - y)[known].mean()), seconds


Record = dict[str, Any]


def measured_before(path: Path) -> list[Record]:
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        rows: list[Record] = [dict(row) for row in csv.DictReader(file)]
    for row in rows:
        row.update(seed=int(row["seed"]), rows=int(row["rows"]))
        row.update(mae=float(row["mae"]), seconds=float(row["seconds"]))
    return rows


def mean_of(records: list[Record], stream: str, model: str, column: str) -> float:
    found = [r[column] for r in records if r["stream"] == stream and r["model"] == model]
    return float(np.mean(found)) if found else float("nan")


def tables(records: list[Record]) -> Iterator[Table]:
    names = [name for name in STREAMS if any(r["stream"] == name for r in records)]
    models = [name for name in MODELS if any(r["model"] == name for r in records)]
    others = [name for name in models if name not in OWN]

    def cell(value: float) -> str:
        return f"{value:.4g}" if value == value else "-"

    errors = Table("Mean absolute error", ["model", *names], note="Means over the seeds.")
    seconds = Table(
        "CPU seconds of answering and learning",
        ["model", *names],
        note="The calling thread alone, without making rows in the library's form, Java's compiler and its garbage collector. "
        "On a machine with other work: a rough measure.",
    )
    for model in models:
        errors.add(model, *[cell(mean_of(records, name, model, "mae")) for name in names])
        seconds.add(model, *[cell(mean_of(records, name, model, "seconds")) for name in names])
    yield errors
    if others:
        bar = Table(
            "The default beside the best of the others",
            [
                "stream",
                "StreamBoostRegressor",
                "best of the others",
                "which",
                "ratio",
                f"within {BAR - 1:.0%}",
            ],
        )
        for name in names:
            mine = mean_of(records, name, "StreamBoostRegressor", "mae")
            found = [(mean_of(records, name, m, "mae"), m) for m in others]
            best, which = min((pair for pair in found if pair[0] == pair[0]), default=(float("nan"), "-"))
            bar.add(
                name,
                cell(mine),
                cell(best),
                which,
                f"{mine / best:.3f}",
                "yes" if mine <= BAR * best else "no",
            )
        yield bar
    yield seconds
    speed = Table("How many times less CPU, at the same number of trees", ["", *names])
    for mine, other in PAIRS:
        if other in models and mine in models:
            speed.add(
                f"{mine} / {other}",
                *[
                    cell(mean_of(records, n, other, "seconds") / mean_of(records, n, mine, "seconds"))
                    for n in names
                ],
            )
    if speed.rows:
        yield speed


def main() -> None:
    made = parser("accuracy.regression", __doc__)
    made.add_argument("--rows", type=int, default=5000, help="of each stream, at most")
    made.add_argument("--seeds", type=int, nargs="+", default=[1])
    made.add_argument("--sets", nargs="+", default=list(STREAMS), choices=list(STREAMS), metavar="NAME")
    made.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS), metavar="NAME")
    made.add_argument("--add", action="store_true", help="keep what is not measured now")
    options = made.parse_args()
    options.rows = 500 if options.quick else options.rows
    page = Page(
        "regression",
        "Regressors beside other libraries",
        options,
        packages=["streamboost", "river", "capymoa", "vowpalwabbit", "numpy"],
        columns=COLUMNS,
    )
    models = [name for name in options.models if importlib.util.find_spec(MODELS[name][0])]
    old = measured_before((options.out or RESULTS) / "regression.csv") if options.add else []
    records = [
        r
        for r in old
        if not (r["model"] in models and r["stream"] in options.sets and r["seed"] in options.seeds)
    ]
    missing = [name for name in options.models if name not in models]
    warnings.simplefilter("ignore")
    for name in options.sets:
        for seed in options.seeds:
            try:
                X, y = STREAMS[name](options.rows, seed)
            except (DataError, ImportError):
                missing.append(name)
                break
            X, y = X[: options.rows], y[: options.rows]
            for model in models:
                error, seconds = measure(model, X, y, seed)
                records.append(dict(zip(COLUMNS, (name, seed, model, len(y), error, seconds), strict=True)))
                print(f"{name:20} {seed} {model:24} MAE {error:10.4f}   {seconds:8.2f} CPU s", flush=True)
            page.records = []
            for record in records:
                page.record(*(record[c] for c in COLUMNS))
            page.keep_records()
    page.preface += [
        f"- Every row is answered, then learned; the first {options.rows:,} rows of each stream, seeds "
        f"{', '.join(map(str, sorted({r['seed'] for r in records})))} (generators, the order of diabetes, and models that draw).",
        "- Every option at its default, but the number of trees where a name has one. ``scaled``: behind River's StandardScaler. "
        "The others get the rows as they are.",
        "- A dash: not measured. Figures of a column may come from several runs; our forests and MOA's were run together.",
        "- diabetes comes with scikit-learn, trump approval and chick weights with River; California housing does not come with "
        "scikit-learn and has to be fetched.",
    ]
    if rest := [name for name in STREAMS if not any(r["stream"] == name for r in records)]:
        page.preface.append(f"- Not measured here: {', '.join(rest)}.")
    if missing:
        page.preface.append(f"- Left out, not installed or not found: {', '.join(missing)}.")
    for table in tables(records):
        page.add(table)
    page.write()


if __name__ == "__main__":
    main()
