"""``python -m benchmarks.accuracy.in_time``: streams of numbers beside LightGBM refitted again and again, and the last target.

Mean absolute error over the smaller of both rivals', from row 200 on: LightGBM fitted on all the past each time it has grown by
a fifth, and whoever repeats the last target. RMSE and CPU seconds beside. Sets that are not there (STREAMBOOST_DATA) are named.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import streamboost as sb
from benchmarks.accuracy.peer import Floats
from benchmarks.pages import Page, parser
from benchmarks.tables import Table
from streamboost.streams import data_files

SETS = (
    "chick-weights",
    "trump-approval",
    "sp500-returns",
    "water-flow",
    "sml2010",
    "abalone",
    "exchange-rate",
    "air-quality",
    "seoul-bike",
    "ailerons",
    "elevators",
    "bike-sharing-hour",
    "appliances-energy",
    "california-housing",
    "house-8l",
    "household-power",
    "traffic-junctions",
    "tetuan-power",
)
FIRST = 200
"""Rows before this one are not counted: LightGBM needs some to begin with."""
BAR, LAGS_BAR, WORST = 0.72, 0.84, 1.02
LAGS = (1, 2, 3, 24)
COLUMNS = ("set", "model", "rows", "mae", "rmse", "seconds")


def read(name: str, rows: int) -> tuple[Floats, Floats, list[int]]:
    """Return the columns as numbers (nominal ones as codes), the targets and the nominal columns."""
    table = pd.read_csv(next(file.path for file in data_files() if file.name == name), nrows=rows)
    y = table.pop("target").to_numpy(float)
    nominal = [j for j, kind in enumerate(table.dtypes) if not pd.api.types.is_numeric_dtype(kind)]
    for j in nominal:
        codes = pd.factorize(table.iloc[:, j])[0].astype(float)
        table[table.columns[j]] = np.where(codes < 0, np.nan, codes)
    return table.to_numpy(float), y, nominal


def last_target(X: Floats, y: Floats, nominal: list[int]) -> Floats:
    return np.concatenate((y[:1], y[:-1]))


def refitted(X: Floats, y: Floats, nominal: list[int]) -> Floats:
    """LightGBM with its defaults on all rows so far, anew each time there are a fifth more."""
    from lightgbm import LGBMRegressor

    said = np.full(len(y), np.nan)
    t = 50
    while t < len(y):
        end = t + max(25, t // 5)
        model = LGBMRegressor(random_state=1, n_jobs=1, verbose=-1).fit(X[:t], y[:t])
        said[t:end] = model.predict(X[t:end])
        t = end
    return said


def refitted_with_lags(X: Floats, y: Floats, nominal: list[int]) -> Floats:
    past = [np.concatenate((np.full(lag, np.nan), y))[: len(y)] for lag in LAGS]
    return refitted(np.column_stack((X, *past)), y, nominal)


def ours(**options: Any) -> Callable[[Floats, Floats, list[int]], Floats]:
    def answers(X: Floats, y: Floats, nominal: list[int]) -> Floats:
        named = {"categorical_features": nominal} if nominal else {}
        return np.asarray(sb.StreamBoostRegressor(random_state=1, **named, **options).test_then_train(X, y))

    return answers


LAST, OURS = "last target", "StreamBoostRegressor"
MODELS: dict[str, Callable[[Floats, Floats, list[int]], Floats]] = {
    "LightGBM, refitted": refitted,
    LAST: last_target,
    OURS: ours(),
    "without the past": ours(companions=("linear",)),
    "LightGBM with lags": refitted_with_lags,
    "with lags": ours(lags=LAGS),
}
RIVAL = {
    OURS: "LightGBM, refitted",
    "without the past": "LightGBM, refitted",
    "with lags": "LightGBM with lags",
}
"""Whom each of ours is compared with, beside the last target."""


def measure(name: str, rows: int, models: dict[str, Any]) -> list[tuple[Any, ...]]:
    X, y, nominal = read(name, rows)
    found = []
    for model, answers in models.items():
        began = time.thread_time()
        error = (answers(X, y, nominal) - y)[FIRST:]
        seconds = time.thread_time() - began
        found.append(
            (name, model, len(y), float(np.abs(error).mean()), float(np.sqrt((error**2).mean())), seconds)
        )
    return found


def table_of(records: list[tuple[Any, ...]], column: int, title: str) -> Table:
    """Ratios of ours to the better rival, and their geometric means; of mean absolute errors also the rivals'."""
    figures = {(r[0], r[1]): r[column] for r in records}
    rivals = [model for model in MODELS if model not in RIVAL and column == 3]
    table = Table(title, ["set", *rivals, *(f"{model}, ratio" for model in RIVAL)])
    ratios = []
    for name in dict.fromkeys(r[0] for r in records):
        ratios.append(
            [figures[name, m] / min(figures[name, rival], figures[name, LAST]) for m, rival in RIVAL.items()]
        )
        table.add(name, *(f"{figures[name, m]:.4g}" for m in rivals), *(f"{x:.3f}" for x in ratios[-1]))
    means, worst = np.exp(np.log(ratios).mean(0)), np.max(ratios, axis=0)
    table.add(
        "geometric mean (worst)",
        *("" for _ in rivals),
        *(f"{mean:.3f} ({most:.3f})" for mean, most in zip(means, worst, strict=True)),
    )
    return table


def main() -> None:
    """Measure, print and write the page."""
    made = parser("accuracy.in_time", __doc__)
    made.add_argument("--rows", type=int, default=30_000, help="of each set, at most")
    made.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS, metavar="NAME")
    options = made.parse_args()
    options.rows = 2_000 if options.quick else options.rows
    page = Page(
        "in-time",
        "Streams of numbers in time",
        options,
        packages=["streamboost", "lightgbm", "numpy"],
        preface=[
            f"- Every row is answered, then learned; the first {options.rows:,} rows of each set, errors from row {FIRST} on, "
            "options at their defaults, one thread.",
            f"- Ratios are to the better of LightGBM and the last target. Bars: a geometric mean of at most {BAR}, with lags "
            f"{LAGS} for both {LAGS_BAR}; no set above {WORST}.",
        ],
        columns=COLUMNS,
    )
    warnings.filterwarnings("ignore")
    records: list[tuple[Any, ...]] = []
    for name in options.sets:
        if not any(file.name == name for file in data_files()):
            print(f"{name}: not there")
            continue
        records += measure(name, options.rows, MODELS)
        for record in records[-len(MODELS) :]:
            page.record(*record)
            print(
                "{:20} {:32} {:6d} rows  MAE {:10.4g}  RMSE {:10.4g}  {:7.2f} s".format(*record), flush=True
            )
    page.add(table_of(records, 3, "Mean absolute error"))
    page.add(table_of(records, 4, "Root mean squared error"))
    seconds = Table("CPU seconds over all sets together", ["model", "seconds"])
    for model in MODELS:
        seconds.add(model, f"{sum(r[5] for r in records if r[1] == model):.1f}")
    page.add(seconds)
    page.write()


if __name__ == "__main__":
    main()
