"""Columns and classes that come one by one: what they cost, beside the same rows when all are known.

    python -m benchmarks.speed.growth [--out FILE] [--only NAME ...] [--seconds S]

Rows are dicts of three old columns and one more; `learn_one`, CPU time, from the first new name to the last. Names: each of
20,000 rows has a column of its own, in a model that knows the three and in one that was told of all. Classes: each of 2,000
rows has one of its own, in a new model and in one that has learned them all before. Bags have 10 learners. Where the rows
with known names would take more than about S seconds (30), there are fewer of them, and of names; after ten times S the rows
that are left are not learned, and the time of a row is that of those before (>: later ones cost more). What a model refuses
because of its bound of memory is not timed.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_regressor

import streamboost as sb
from streamboost import catalogue

NAMES = (250, 1_000, 5_000, 20_000)
CLASSES = (50, 150, 500, 2_000)
TRIAL = 10
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
    """Every learner in a bag, and the main ensembles as they come."""
    made: dict[str, Callable[[], Any]] = {}
    for entry in (*catalogue.LEARNERS, *catalogue.REGRESSION_LEARNERS):
        if entry.nominal_only:
            continue
        learner = getattr(sb, entry.class_name)
        numbers = entry.task == "regression"
        bag = sb.OnlineBaggingRegressor if numbers else sb.OnlineBaggingClassifier
        made[f"{entry.class_name}, bagged"] = lambda bag=bag, learner=learner: bag(
            learner(), n_estimators=10, random_state=1
        )
    for entry in (*catalogue.MODELS, *catalogue.REGRESSORS):
        if entry.name in ENSEMBLES:
            made[entry.class_name] = lambda name=entry.class_name: getattr(sb, name)(random_state=1)
    return made


def seconds(model: Any, rows: list[Row], most: float = math.inf) -> tuple[float, bool]:
    """CPU time of a row, and whether all were learned in the time there is."""
    begun = time.process_time()
    for n, (x, y) in enumerate(rows, 1):
        model.learn_one(x, y)
        if time.process_time() - begun > most:
            return (time.process_time() - begun) / n, n == len(rows)
    return (time.process_time() - begun) / len(rows), True


def with_names(make: Callable[[], Any], n: int) -> tuple[Any, Any, list[Row]]:
    """A model that knows three columns, one that was told of n more, and rows with one of these each."""
    rng = np.random.default_rng(1)
    new, known = make(), make()
    numbers = is_regressor(new)
    rows: list[Row] = []
    for j, v in enumerate(rng.normal(size=(n, 4)).tolist()):
        label = v[0] + v[3] if numbers else int(v[0] + v[3] > 0)
        rows.append(({"a": v[0], "b": v[1], "c": v[2], f"n{j}": v[3]}, label))
    old = {"a": 0.0, "b": 0.0, "c": 0.0}
    declared = {} if numbers else {"classes": [0, 1]}
    new.learn_one(old, 0, **declared)
    known.learn_one({**old, **{f"n{j}": 0.0 for j in range(n)}}, 0, **declared)
    return new, known, rows


def with_classes(make: Callable[[], Any], n: int) -> tuple[Any, Any, list[Row]]:
    """A new model, one that has learned a row of each of n classes, and these rows."""
    rng = np.random.default_rng(1)
    rows: list[Row] = [
        (dict(zip("abcd", v, strict=True)), f"k{c}") for c, v in enumerate(rng.normal(size=(n, 4)).tolist())
    ]
    known = make()
    known.partial_fit(np.array([list(x.values()) for x, _ in rows]), [y for _, y in rows])
    return make(), known, [(dict(enumerate(x.values())), y) for x, y in rows]


def cells(
    prepare: Callable[[Callable[[], Any], int], tuple[Any, Any, list[Row]]],
    make: Callable[[], Any],
    sizes: tuple[int, ...],
    most: float,
) -> str:
    """How many, milliseconds of a row with a new one and of one with a known one, and their ratio."""
    try:
        for n, more in zip(sizes, (*sizes[1:], math.inf), strict=True):
            new, known, rows = prepare(make, n)
            if seconds(known, rows[:TRIAL])[0] * (more / n) * more > most:  # a row costs what there is
                break
        (each, whole), (usual, _) = (seconds(model, rows, 10 * most) for model in (new, known))
    except (ValueError, TypeError) as error:
        reason = (
            "memory" if "max_bytes" in str(error) else "declared" if "classes" in str(error) else "refused"
        )
        return f"{reason} | | | "
    above = "" if whole else "> "
    return f"{n:,} | {above}{1e3 * each:.2f} | {1e3 * usual:.2f} | {above}{each / usual:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.growth")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--seconds", type=float, default=30)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = [
        "| | columns | new, ms | known | ratio | classes | new, ms | known | ratio |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    print(*lines, sep="\n", flush=True)
    for name, make in models().items():
        if options.only and not any(part in name for part in options.only):
            continue
        by_name = cells(with_names, make, NAMES, options.seconds)
        by_class = " | | | " if is_regressor(make()) else cells(with_classes, make, CLASSES, options.seconds)
        lines.append(f"| {name} | {by_name} | {by_class} |")
        print(lines[-1], flush=True)
    if options.out is not None:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
