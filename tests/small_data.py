"""Small data files for tests."""

import numpy as np


def write_rows(path, n=150, k=2, seed=0):
    """A CSV file of a number that says something of the label, a nominal column that does not, and one of k labels."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    cells = zip(rng.normal(y), rng.integers(0, 3, n), y, strict=True)
    lines = [f"{a:.3f},{'abc'[b]},{'pqrs'[c]}" for a, b, c in cells]
    path.write_text("size,kind,answer\n" + "\n".join(lines) + "\n")
    return path
