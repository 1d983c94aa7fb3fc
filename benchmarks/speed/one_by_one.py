"""``python -m benchmarks.speed.one_by_one``: `predict_one`, then `learn_one`, a dict per row, beside River."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamboost as sb
from benchmarks.clock import Stopwatch
from benchmarks.pages import Page, parser
from benchmarks.tables import Table
from streamboost.streams import load

STREAMS = ("rbf", "agrawal", "led")
ROWS = 5_000


def models() -> dict[str, Callable[[], Any]]:
    """River's only if it is installed."""
    made: dict[str, Callable[[], Any]] = {
        "StreamBoostClassifier": lambda: sb.StreamBoostClassifier(random_state=1),
        "AdaptiveRandomForestClassifier, 10 trees": lambda: sb.AdaptiveRandomForestClassifier(
            n_estimators=10, random_state=1
        ),
    }
    try:
        from river.forest import ARFClassifier
    except ImportError:
        return made
    return made | {"river.forest.ARFClassifier, 10 trees": lambda: ARFClassifier(n_models=10, seed=1)}


def main() -> None:
    options = parser("speed.one_by_one", __doc__).parse_args()
    page = Page("bench-one", "One row at a time", options, packages=["streamboost", "river", "numpy"])
    rows = 500 if options.quick else ROWS
    page.preface.append(
        f"- `predict_one`, then `learn_one`, a dict per row, {rows:,} rows of each stream, CPU time of one thread"
    )
    table = Table(
        "Rows a second (accuracy)",
        ["model", *STREAMS],
        note="Built-in generators with seed 1; every option at its default.",
    )
    data = {name: load(name, limit=rows, seed=1) for name in STREAMS}
    for name, make in models().items():
        cells = []
        for read in data.values():
            events = [dict(enumerate(row)) for row in read.X.tolist()]
            model, right = make(), 0
            with Stopwatch() as watch:
                for x, y in zip(events, read.y.tolist(), strict=True):
                    right += model.predict_one(x) == y
                    model.learn_one(x, y)
            cells.append(f"{rows / watch.thread:,.0f} ({right / rows:.3f})")
        table.add(name, *cells)
    page.add(table)
    page.write()


if __name__ == "__main__":
    main()
