"""Wide rows: what a sparse row costs the default, by the number of columns that there are.

    python -m benchmarks.speed.wide

20 cells of a row are not 0, in columns of which low ones are frequent; test, then train, in chunks of 1,000 rows; the first is
not counted. CPU time, the best of three runs: 8,000 rows for the default, 60,000 for a hashed learner alone.
"""

from __future__ import annotations

import time

import numpy as np
import scipy.sparse as sp

from streamboost import HashedLogisticRegression, SingleLearnerClassifier, StreamBoostClassifier

CHUNK, CELLS, RUNS = 1000, 20, 3
WIDTHS = (1000, 5000, 40_000, 1_000_000)


def rows_a_second(model: object, n_rows: int, width: int) -> float:
    """Of one run."""
    rng = np.random.default_rng(1)
    columns = np.minimum((width * rng.random((n_rows, CELLS)) ** 3).astype(int), width - 1)
    rows = np.repeat(np.arange(n_rows), CELLS)
    X = sp.csr_matrix((np.ones(rows.size), (rows, columns.ravel())), shape=(n_rows, width))
    y = (X @ rng.normal(size=width) + rng.normal(size=n_rows) > 0).astype(int)
    begun = 0.0
    for first in range(0, n_rows, CHUNK):
        if first == CHUNK:
            begun = time.process_time()
        model.test_then_train(X[first : first + CHUNK], y[first : first + CHUNK], classes=[0, 1])  # type: ignore[attr-defined]
    return (n_rows - CHUNK) / (time.process_time() - begun)


def main() -> None:
    print("columns", *WIDTHS, sep="\t")
    for name, make in (
        ("StreamBoostClassifier", lambda: StreamBoostClassifier(random_state=1)),
        ("HashedLogisticRegression", lambda: SingleLearnerClassifier(HashedLogisticRegression())),
    ):
        n_rows = 8000 if name == "StreamBoostClassifier" else 60_000
        best = [max(rows_a_second(make(), n_rows, width) for _ in range(RUNS)) for width in WIDTHS]
        print(name, *(f"{speed:.0f}" for speed in best), sep="\t", flush=True)


if __name__ == "__main__":
    main()
