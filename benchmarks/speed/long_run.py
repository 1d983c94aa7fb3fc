"""``python -m benchmarks.speed.long_run``: the default model over a long stream: does it slow down, does it grow?

Moving clouds, where trees are replaced all the time, and clouds at rest, where they grow. Rows per second of CPU time, megabytes
and the error, of every tenth of the stream.
"""

from __future__ import annotations

import itertools

import numpy as np

from benchmarks.clock import Stopwatch
from benchmarks.pages import Page, parser
from benchmarks.tables import Table
from streamboost import StreamBoostClassifier
from streamboost.streams.generators import RandomRBFStream

STREAMS = {"moving": 0.001, "at rest": 0.0}
PARTS = 10
BLOCK = 1000


def run(page: Page, name: str, speed: float, rows: int) -> None:
    """Feed one stream and add its table."""
    stream = RandomRBFStream(n_features=5, n_classes=3, speed=speed, n_rows=rows, seed=1)
    model = StreamBoostClassifier(random_state=1)
    made = Table(f"Clouds {name}", ["rows", "rows per second", "megabytes", "error"])
    chunks = stream.chunks(BLOCK)
    per_part = rows // PARTS // BLOCK
    rates = []
    for part in range(1, PARTS + 1):
        seconds, wrong, seen = 0.0, 0, 0
        for chunk in itertools.islice(chunks, per_part):
            y = np.asarray(chunk.y)
            with Stopwatch() as watch:
                answers = model.test_then_train(chunk.X, y)
            seconds += watch.thread
            wrong += int((answers != y).sum())
            seen += len(y)
        rates.append(seen / seconds)
        made.add(f"{part * per_part * BLOCK:,}", rates[-1], model.memory_bytes() / 1e6, wrong / seen)
    made.note = f"The last tenth runs at {rates[-1] / rates[0]:.2f} times the speed of the first."
    page.add(made)


def main() -> None:
    made = parser("speed.long_run", __doc__)
    made.add_argument("--rows", type=int, default=1_000_000)
    options = made.parse_args()
    if options.quick:
        options.rows = min(options.rows, 20_000)
    page = Page("bench-long", "A long stream", options)
    page.preface.append(
        "- `StreamBoostClassifier()`, five columns, three classes, one thread, on a machine with other work."
    )
    for name, speed in STREAMS.items():
        run(page, name, speed, options.rows)
    page.write()


if __name__ == "__main__":
    main()
