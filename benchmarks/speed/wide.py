"""Wide rows: what a sparse row costs the default, by the number of columns that there are.

    python -m benchmarks.speed.wide

20 cells of a row are not 0, in columns of which low ones are frequent; test, then train, in chunks of 1,000 rows; the first is
not counted. CPU time.
"""

from __future__ import annotations

import time

import numpy as np
import scipy.sparse as sp

from streamboost import HashedLogisticRegression, SingleLearnerClassifier, StreamBoostClassifier

ROWS, CHUNK, CELLS = 4000, 1000, 20
WIDTHS = (1000, 5000, 40_000, 1_000_000)


def rows_a_second(model: object, width: int) -> float:
    rng = np.random.default_rng(1)
    columns = np.minimum((width * rng.random((ROWS, CELLS)) ** 3).astype(int), width - 1)
    rows = np.repeat(np.arange(ROWS), CELLS)
    X = sp.csr_matrix((np.ones(rows.size), (rows, columns.ravel())), shape=(ROWS, width))
    y = (X @ rng.normal(size=width) + rng.normal(size=ROWS) > 0).astype(int)
    begun = 0.0
    for first in range(0, ROWS, CHUNK):
        if first == CHUNK:
            begun = time.process_time()
        model.test_then_train(X[first : first + CHUNK], y[first : first + CHUNK], classes=[0, 1])  # type: ignore[attr-defined]
    return (ROWS - CHUNK) / (time.process_time() - begun)


def main() -> None:
    print("columns", *WIDTHS, sep="\t")
    for name, make in (
        ("StreamBoostClassifier", lambda: StreamBoostClassifier(random_state=1)),
        ("HashedLogisticRegression", lambda: SingleLearnerClassifier(HashedLogisticRegression())),
    ):
        print(name, *(f"{rows_a_second(make(), width):.0f}" for width in WIDTHS), sep="\t", flush=True)


if __name__ == "__main__":
    main()
