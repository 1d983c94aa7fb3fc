"""One model per key: memory and speed with many keys, most of which sleep.

    python -m benchmarks.keyed [--keys 100000] [--out docs/results/keyed.md]

The worst case first: every key gets some rows once, in random order, so that its model is made, taught and written away. Then
what users have: keys by Zipf's law, some of them often, most of them seldom. Then a few hot keys get all rows. Speed is by
processor time, one thread, whatever else the machine does; and by the clock.
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

LEARNERS, IN_MEMORY, HOT, ROWS = 10, 10_000, 1_000, 4


def rss_mb():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def examples(rng, keys):
    """Rows of these keys, four numbers each; half of the keys see it the other way round."""
    for first in range(0, len(keys), 5_000):  # making them needs little memory
        some = keys[first : first + 5_000]
        for key, a in zip(some.tolist(), rng.normal(size=(len(some), 4)).tolist(), strict=True):
            yield {"key": key, "a": a[0], "b": a[1], "c": a[2], "d": a[3]}, int((a[0] > 0) == key % 2)


def learn(model, rows):
    """Return examples for a second of the processor, and for one by the clock; making the rows is not timed."""
    n, seconds, clock = 0, 0.0, 0.0
    while block := list(itertools.islice(rows, 5_000)):
        began = time.process_time(), time.perf_counter()
        for x, y in block:
            model.learn_one(x, y)
        seconds += time.process_time() - began[0]
        clock += time.perf_counter() - began[1]
        n += len(block)
    return n / seconds, n / clock


def measure(n, fallback):
    """Return the cells of a row."""
    rng = np.random.default_rng(1)
    before = rss_mb()
    with tempfile.TemporaryDirectory() as folder:
        model = OnlineBaggingClassifier(n_estimators=LEARNERS, random_state=1)
        with KeyedClassifier(model, "key", max_models=IN_MEMORY, fallback=fallback, folder=folder) as keyed:
            order = np.concatenate([np.arange(n), rng.integers(n, size=n // 10)])
            order = np.repeat(rng.permutation(order), ROWS)
            half = len(order) // 2
            speeds = [learn(keyed, examples(rng, order[:half]))]
            middle = rss_mb()
            speeds.append(learn(keyed, examples(rng, order[half:])))
            waking, written = min(speeds), keyed.n_evicted
            share = 1 / np.arange(1, n + 1)
            ranks = rng.permutation(n)  # which keys come often
            zipf_keys = ranks[np.searchsorted(np.cumsum(share) / share.sum(), rng.random(3 * n))]
            learn(keyed, examples(rng, zipf_keys[:n]))  # those that come often come into memory
            fetched = -keyed.n_evicted
            zipf = learn(keyed, examples(rng, zipf_keys[n:]))
            fetched = (fetched + keyed.n_evicted) / (2 * n)
            learn(keyed, examples(rng, rng.integers(HOT, size=2 * HOT)))
            hot = max(learn(keyed, examples(rng, rng.integers(HOT, size=30_000))) for _ in range(3))
            after = rss_mb()
        size = sum(path.stat().st_size for path in Path(folder).iterdir()) / 2**20
    speeds = [f"{speed:,.0f}" for pair in (waking, zipf, hot) for speed in pair]
    memory = [f"{mb:.0f}" for mb in (before, middle, after, size)]
    return [str(fallback), *speeds[:2], f"{written:,}", *speeds[2:4], f"{fetched:.0%}", *speeds[4:], *memory]


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
        f"{IN_MEMORY:,} models in memory, rows of four numbers, `learn_one`; examples for a second of one core, and by the clock "
        f"(a load of {os.getloadavg()[0]:.1f} at the start). *Waking*, the worst case: {ROWS} rows of every key, keys in random "
        f"order, a tenth of them twice, so that a model is made or read from the store, and another written, for {ROWS} rows. "
        f"*Zipf*: the key of rank r comes in proportion to 1/r; *fetched*: examples whose model was in the store. *Hot*: {HOT:,} "
        "keys get all rows.",
        "",
        "| fallback | waking, examples/s | by the clock | models written | Zipf, examples/s | by the clock | fetched "
        "| hot, examples/s | by the clock | MB of memory before | after half of the keys | at the end | MB of store |",
        "|---|" + "---:|" * 12,
    ]
    for fallback in (None, "global"):
        lines.append(f"| {' | '.join(measure(n, fallback))} |")
    text = "\n".join(lines) + "\n"
    print(text)
    if options.out:
        options.out.write_text(text)


if __name__ == "__main__":
    main()
