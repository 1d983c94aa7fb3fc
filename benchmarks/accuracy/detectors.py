"""How soon each drift detector notices that a learner errs more often, and how often it alarms without need.

    python -m benchmarks.accuracy.detectors

prints the table of docs/drift.md. Errors are 0 or 1 and independent; detectors are set as a guard sets them by name.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.catalogue import DETECTORS
from streamboost.drift.choice import detector_of

STEADY, RUNS, BEFORE, AFTER = 200_000, 100, 2_000, 6_000


def noticed(name: str, rates: NDArray[np.float64], seed: int) -> int | None:
    """Return the rows from the change to the first alarm after it."""
    errors = np.random.default_rng(seed).random(len(rates)) < rates
    detector: Any = detector_of(name)
    alarms = (t - BEFORE for t, wrong in enumerate(errors) if detector.update(wrong) and t >= BEFORE)
    return next(alarms, None)


def delay(name: str, rates: NDArray[np.float64]) -> str:
    """Return the median over runs, and how many of them the detector missed."""
    found = [noticed(name, rates, seed) for seed in range(RUNS)]
    seen = [rows for rows in found if rows is not None]
    missed = f" ({RUNS - len(seen)} of {RUNS} missed)" if len(seen) < RUNS else ""
    return f"{np.median(seen):,.0f}{missed}"


def main() -> None:
    """Print the table."""
    after = np.arange(AFTER)
    sudden = np.concatenate([np.full(BEFORE, 0.2), np.full(AFTER, 0.4)])
    gradual = np.concatenate([np.full(BEFORE, 0.2), 0.2 + 0.2 * np.minimum(after / 2_000, 1)])
    print("| detector | false alarms in 100,000 rows | rows to a sudden rise | rows to a gradual rise |")
    print("|---|---|---|---|")
    for entry in DETECTORS:
        detector: Any = detector_of(entry.name)
        false = sum(detector.update(wrong) for wrong in np.random.default_rng(0).random(STEADY) < 0.2)
        cells = f"{false * 100_000 / STEADY:g}", delay(entry.name, sudden), delay(entry.name, gradual)
        print(f"| `{entry.name}` | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
