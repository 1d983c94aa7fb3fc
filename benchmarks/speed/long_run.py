"""``python -m benchmarks.speed.long_run``: the default over long streams: how accurate is it, does it slow down, does it grow?

Two public files whole, in their order, one of them also with a small bound of memory; moving clouds, where trees are replaced
all the time; clouds at rest, where they grow. Rows per second of CPU time, megabytes and accuracy, of every tenth of the stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.accuracy.data import Data
from benchmarks.clock import Stopwatch
from benchmarks.pages import Page, parser
from benchmarks.tables import Table
from streamboost import StreamBoostClassifier
from streamboost.streams.generators import RandomRBFStream

PARTS = 10
BLOCK = 1000
Blocks = Iterator[tuple[Any, Any]]


def whole_file(name: str, rows: int, **options: Any) -> tuple[Blocks, int, dict[str, Any]]:
    """Return blocks of rows and labels, the number of rows, and what the model must be told."""
    data = Data(name, rows)
    cuts = range(0, len(data.y), BLOCK)
    blocks = ((data.X[at : at + BLOCK], data.y[at : at + BLOCK]) for at in cuts)
    return (
        blocks,
        len(data.y),
        {**({"categorical_features": data.nominal} if data.nominal else {}), **options},
    )


def clouds(speed: float, rows: int) -> tuple[Blocks, int, dict[str, Any]]:
    """The same of a generator: five columns, three classes."""
    stream = RandomRBFStream(n_features=5, n_classes=3, speed=speed, n_rows=rows, seed=1)
    return ((chunk.X, np.asarray(chunk.y)) for chunk in stream.chunks(BLOCK)), rows, {}


STREAMS: dict[str, tuple[int, Callable[[int], tuple[Blocks, int, dict[str, Any]]]]] = {
    "covtype": (581_012, partial(whole_file, "covtype")),
    "covtype, max_bytes=100 MB": (581_012, partial(whole_file, "covtype", max_bytes=100_000_000)),
    "kddcup99-10pct": (494_021, partial(whole_file, "kddcup99-10pct")),
    "clouds, moving": (1_000_000, partial(clouds, 0.001)),
    "clouds at rest": (1_000_000, partial(clouds, 0.0)),
}
"""Name -> rows, and what makes so many of them."""


def run(name: str, rows: int) -> Table:
    """Feed one stream and return its table."""
    blocks, rows, told = STREAMS[name][1](rows)
    model = StreamBoostClassifier(random_state=1, n_jobs=1, **told)
    made = Table(f"{name}, {rows:,} rows", ["rows", "rows per second", "megabytes", "accuracy"])
    edges = [rows * part // PARTS for part in range(1, PARTS + 1)]
    rates, all_right, all_seconds, repeated, last = [], 0, 0.0, 0, None
    seconds, right, seen, done = 0.0, 0, 0, 0
    for X, y in blocks:
        with Stopwatch() as watch:
            answers = model.test_then_train(X, y)
        seconds, right, seen = seconds + watch.thread, right + int((answers == y).sum()), seen + len(y)
        repeated += int((y[1:] == y[:-1]).sum()) + int(y[0] == last)
        last = y[-1]
        if done + seen < edges[len(rates)]:
            continue
        rates.append(seen / seconds)
        all_right, all_seconds, done = all_right + right, all_seconds + seconds, done + seen
        made.add(f"{done:,}", rates[-1], model.memory_bytes() / 1e6, right / seen)
        print(name, made.rows[-1], flush=True)
        seconds, right, seen = 0.0, 0, 0
    made.note = (
        f"Accuracy {all_right / done:.4f} over all rows (no-change {repeated / done:.4f}), {done / all_seconds:,.0f} rows per"
        f" second. The last tenth runs at {rates[-1] / rates[1]:.2f} times the speed of the second."
    )
    return made


def main() -> None:
    made = parser("speed.long_run", __doc__)
    made.add_argument("--rows", type=int, help="at most so many rows of each stream")
    made.add_argument("--streams", nargs="+", default=list(STREAMS), choices=list(STREAMS), metavar="NAME")
    options = made.parse_args()
    if options.quick:
        options.rows = min(options.rows or 20_000, 20_000)
    page = Page("bench-long", "Long streams", options)
    page.preface.append(
        "- `StreamBoostClassifier()`, one thread, on a machine with other work. Megabytes rise and fall with the trees of the"
        " forest, which may have three fifths of `max_bytes` (320 MiB by default); remembered rows have a fifth."
    )
    for name in options.streams:
        most, _ = STREAMS[name]
        page.add(run(name, min(options.rows or most, most)))
    page.write()


if __name__ == "__main__":
    main()
