"""Weights of examples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight


def read_weight(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Return checked weights, or None if they are all 1 (the core's short way)."""
    if sample_weight is None:
        return None
    weight: NDArray[np.float64] = _check_sample_weight(
        sample_weight, np.empty(n_rows), dtype=np.float64, ensure_non_negative=True
    )
    return None if (weight == 1.0).all() else np.ascontiguousarray(weight)
