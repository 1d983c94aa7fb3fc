"""One model per key: memory and speed with many keys, most of which sleep.

    python -m benchmarks.keyed [--keys 100000] [--out docs/results/keyed.md]

Every key gets some rows once, in random order, so that its model is made, taught and written away; then a few hot keys get all
rows. Speed is by processor time: one thread, whatever else the machine does.
"""

from __future__ import annotations

import argparse
import itertools
import os
import tempfile
import time
from pathlib import Path

import numpy as np

from streamboost import OnlineBaggingClassifier
from streamboost.distributed import KeyedClassifier

LEARNERS, IN_MEMORY, HOT, ROWS = 10, 2_000, 1_000, 4


def rss_mb():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def lessons(rng, keys):
    """Rows of these keys, four numbers each; half of the keys see it the other way round."""
    for key, a in zip(keys.tolist(), rng.normal(size=(len(keys), 4)).tolist(), strict=True):
        yield {"key": key, "a": a[0], "b": a[1], "c": a[2], "d": a[3]}, int((a[0] > 0) == key % 2)


def learn(model, rows):
    """Return lessons for a processor second."""
    n, seconds = 0, 0.0
    while block := list(itertools.islice(rows, 5_000)):  # making them is not timed, and needs little memory
        began = time.process_time()
        for x, y in block:
            model.learn_one(x, y)
        seconds += time.process_time() - began
        n += len(block)
    return n / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keys", type=int, default=100_000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    n = options.keys
    lines = [
        "# One model per key",
        "",
        f"`python -m benchmarks.keyed --keys {n}`: {LEARNERS} naive Bayes learners by bagging for each of {n:,} keys, at most "
        f"{IN_MEMORY:,} models in memory, rows of four numbers, `learn_one`; lessons for a second of one core. *Waking*: {ROWS} "
        f"rows of every key, keys in random order, a tenth of them twice: a model is made or read from the store, and written "
        f"back, for {ROWS} rows. *Hot*: {HOT:,} keys get all rows.",
        "",
        "| fallback | lessons/s, waking | hot | evictions | MB of memory before | after half of the keys | at the end "
        "| MB of store |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for fallback in (None, "global"):
        rng = np.random.default_rng(1)
        before = rss_mb()
        with tempfile.TemporaryDirectory() as folder:
            model = OnlineBaggingClassifier(n_estimators=LEARNERS, random_state=1)
            with KeyedClassifier(
                model, "key", max_models=IN_MEMORY, fallback=fallback, folder=folder
            ) as keyed:
                order = np.concatenate([np.arange(n), rng.integers(n, size=n // 10)])
                order = np.repeat(rng.permutation(order), ROWS)
                half = len(order) // 2
                speeds = [learn(keyed, lessons(rng, order[:half]))]
                middle = rss_mb()
                speeds.append(learn(keyed, lessons(rng, order[half:])))
                learn(keyed, lessons(rng, rng.integers(HOT, size=2 * HOT)))  # they come into memory
                hot = max(learn(keyed, lessons(rng, rng.integers(HOT, size=30_000))) for _ in range(3))
                after, evicted = rss_mb(), keyed.n_evicted
            size = sum(path.stat().st_size for path in Path(folder).iterdir()) / 2**20
        cells = [
            str(fallback),
            f"{min(speeds):,.0f}",
            f"{hot:,.0f}",
            f"{evicted:,}",
            f"{before:.0f}",
            f"{middle:.0f}",
        ]
        lines.append(f"| {' | '.join([*cells, f'{after:.0f}', f'{size:.0f}'])} |")
    text = "\n".join(lines) + "\n"
    print(text)
    if options.out:
        options.out.write_text(text)


if __name__ == "__main__":
    main()
