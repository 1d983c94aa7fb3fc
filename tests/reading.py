"""What the tests of the readers share."""

import numpy as np


def rows(stream, size=500):
    """All rows, labels and lines of a stream, read in chunks of one size."""
    chunks = list(stream.chunks(size))
    assert all(len(chunk) == size for chunk in chunks[:-1])
    dense = [c.X.toarray() if hasattr(c.X, "toarray") else c.X for c in chunks]
    return (
        np.concatenate(dense),
        np.concatenate([c.y for c in chunks]),
        np.concatenate([c.lines for c in chunks]),
    )
