"""``python -m benchmarks.speed.regressors``: examples per second of the regressors, beside how far off they are.

Friedman's function with 20 columns, every row answered and then learned, CPU time of the calling thread, the best of some passes
by turns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import streamboost as sb
from benchmarks.clock import Stopwatch
from benchmarks.pages import Page, parser
from benchmarks.tables import Table
from streamboost.streams import FriedmanStream

N = 100
MODELS: dict[str, tuple[int, Callable[[], Any]]] = {
    "one LinearRegression": (1, lambda: sb.SingleLearnerRegressor(sb.LinearRegression())),
    "boosting, linear": (
        1,
        lambda: sb.OnlineGradientBoostingRegressor(sb.LinearRegression(), n_estimators=N, random_state=1),
    ),
    "bagging, linear": (
        1,
        lambda: sb.OnlineBaggingRegressor(sb.LinearRegression(), n_estimators=N, random_state=1),
    ),
    "adaptive forest": (10, lambda: sb.AdaptiveRandomForestRegressor(n_estimators=N, random_state=1)),
    "streaming gradient boosting": (10, lambda: sb.StreamingGradientBoostingRegressor(random_state=1)),
    "StreamBoostRegressor": (10, lambda: sb.StreamBoostRegressor(random_state=1)),
}
"""Name -> the part of the rows that it gets (one in so many), how it is made."""


def main() -> None:
    made = parser("speed.regressors", __doc__)
    made.add_argument("--rows", type=int, default=50_000)
    made.add_argument("--passes", type=int, default=5)
    options = made.parse_args()
    if options.quick:
        options.rows, options.passes = min(options.rows, 2_000), 1
    X, y = FriedmanStream(n_rows=options.rows, n_features=20).arrays()
    page = Page(
        "bench-regressors",
        "How fast the regressors are",
        options,
    )
    table = Table("Examples per second", ["model", "rows", "examples per second", "mean absolute error"])
    best: dict[str, tuple[int, float, float]] = {}
    for _ in range(options.passes):
        for name, (part, make) in MODELS.items():
            n = options.rows // part
            model = make()
            with Stopwatch() as watch:
                answers = model.test_then_train(X[:n], y[:n])
            rate, off = n / watch.thread, float(np.nanmean(np.abs(answers - y[:n])))
            best[name] = (n, max(rate, best.get(name, (0, 0.0, 0.0))[1]), off)
    for name, (n, rate, off) in best.items():
        table.add(name, n, round(rate), off)
    table.note = (
        f"20 columns; {N} learners; streaming gradient boosting as it is, 10 bags of 10 trees; 30 trees and companions in "
        "StreamBoostRegressor."
    )
    page.add(table)
    page.write()


if __name__ == "__main__":
    main()
