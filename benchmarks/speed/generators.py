"""How many rows a second the generators make, in chunks of the usual size: `python -m benchmarks.speed.generators`."""

from __future__ import annotations

import time

from streamboost.streams import GENERATORS, make_generator

ROWS = 400_000
REPEATS = 3
EXTRA = ("rbf:speed=0.001", "sea:drift=gradual,at=200000,width=100000", "led:label_noise=0.2")


def rows_per_second(name: str) -> float:
    """The best of a few passes over the stream."""
    stream = make_generator(name, limit=ROWS)
    best = 0.0
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in stream.chunks():
            pass
        best = max(best, ROWS / (time.perf_counter() - start))
    return best


def main() -> None:
    """Print a table."""
    print("| generator | million rows/s |\n|---|---|")
    for name in (*GENERATORS, *EXTRA):
        print(f"| `{name}` | {rows_per_second(name) / 1e6:.1f} |")


if __name__ == "__main__":
    main()
