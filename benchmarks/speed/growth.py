"""Columns and classes that come one by one: what a row costs that brings a new one, beside the same row when all are known.

    python -m benchmarks.speed.growth [--out FILE] [--only NAME ...]

Rows are dicts of three old columns and one more; `learn_one`, CPU time. Names: a model that knows 19,500 columns learns 500
rows, each with a new column; beside it one that knows all 20,000. Classes: 1,900 are known, and each of 100 rows brings
another; beside it a model that knows all 2,000. This is where growth is dearest: what comes before costs less. Bags have 10
learners. What a model refuses because of its bound of memory is not timed.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_regressor

import streamboost as sb
from streamboost import catalogue

NAMES, NEW_NAMES = 20_000, 500
CLASSES, NEW_CLASSES = 2_000, 100
ENSEMBLES = (
    "streamboost",
    "adaptive-random-forest",
    "osboost",
    "oza-boost",
    "adaboost-olm",
    "single",
    "streamboost-regressor",
)
Row = tuple[dict[str, float], Any]


def models() -> dict[str, Callable[[], Any]]:
    """Every learner of numbers in a bag, and the main ensembles as they come."""
    made: dict[str, Callable[[], Any]] = {}
    for entry in catalogue.LEARNERS:
        if entry.nominal_only:
            continue
        learner = getattr(sb, entry.class_name)
        numbers = entry.name in ("linear-regression", "hoeffding-tree-regressor")
        bag = sb.OnlineBaggingRegressor if numbers else sb.OnlineBaggingClassifier
        made[f"{entry.class_name}, bagged"] = lambda bag=bag, learner=learner: bag(
            learner(), n_estimators=10, random_state=1
        )
    for entry in catalogue.MODELS:
        if entry.name in ENSEMBLES:
            made[entry.class_name] = lambda name=entry.class_name: getattr(sb, name)(random_state=1)
    return made


def seconds(model: Any, first: list[Row], rows: list[Row]) -> float:
    """CPU time of learning the rows after the first ones."""
    for x, y in first:
        model.learn_one(x, y)
    begun = time.process_time()
    for x, y in rows:
        model.learn_one(x, y)
    return time.process_time() - begun


def rows_with_names(n: int, numbers: bool) -> list[Row]:
    rng = np.random.default_rng(1)
    rows = []
    for j in range(n - NEW_NAMES, n):
        v = rng.normal(size=4)
        label = v[0] + v[3] if numbers else int(v[0] + v[3] > 0)
        rows.append(({"a": v[0], "b": v[1], "c": v[2], f"n{j}": v[3]}, label))
    return rows


def names_ratio(make: Callable[[], Any], numbers: bool) -> tuple[float, float]:
    """Milliseconds of a row with a new name, and of the same with a known one."""
    rows = rows_with_names(NAMES, numbers)

    def told(n: int) -> list[Row]:
        old = {"a": 0.0, "b": 0.0, "c": 0.0}
        return [({**old, **{f"n{j}": 0.0 for j in range(n)}}, 0), (old, 1)]

    new, known = seconds(make(), told(NAMES - NEW_NAMES), rows), seconds(make(), told(NAMES), rows)
    return 1e3 * new / NEW_NAMES, 1e3 * known / NEW_NAMES


def classes_ratio(make: Callable[[], Any]) -> tuple[float, float]:
    """The same of classes."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(CLASSES, 4))
    rows: list[Row] = [({name: X[c, j] for j, name in enumerate("abcd")}, f"k{c}") for c in range(CLASSES)]
    last = rows[-NEW_CLASSES:]
    new, known = seconds(make(), rows[:-NEW_CLASSES], last), seconds(make(), rows, last)
    return 1e3 * new / NEW_CLASSES, 1e3 * known / NEW_CLASSES


def cells(measure: Callable[[], tuple[float, float]]) -> str:
    try:
        new, known = measure()
    except (ValueError, TypeError) as error:
        reason = (
            "memory" if "max_bytes" in str(error) else "two classes" if "classes" in str(error) else "refused"
        )
        return f"{reason} | | "
    return f"{new:.2f} | {known:.2f} | {new / known:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.growth")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = [
        "| | new column, ms | known | ratio | new class, ms | known | ratio |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    print(*lines, sep="\n", flush=True)
    for name, make in models().items():
        if options.only and not any(part in name for part in options.only):
            continue
        numbers = is_regressor(make())
        by_class = " | | " if numbers else cells(lambda make=make: classes_ratio(make))
        lines.append(
            f"| {name} | {cells(lambda make=make: names_ratio(make, is_regressor(make())))} | {by_class} |"
        )
        print(lines[-1], flush=True)
    if options.out is not None:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
