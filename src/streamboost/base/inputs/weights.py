"""Weights of examples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST_WEIGHT = 2.0**53  # counting by ones stops there, and nothing that is multiplied by it overflows
# What is below counts as 0: means and variances of such rows would be lost in rounding.
SMALLEST_WEIGHT = 1e-100


def read_weight(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Return checked weights, or None if they are all 1 (the core's short way)."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, np.ma.MaskedArray) and np.ma.is_masked(sample_weight):
        row = int(np.argmax(np.ma.getmaskarray(sample_weight)))
        raise ValueError(
            f"sample_weight is masked in row {row}; every row needs a weight, 0 to leave it out."
        )
    try:
        given = np.asarray(sample_weight)
        if given.dtype.kind == "c":
            raise TypeError("they are complex")
        weight = np.asarray(given, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"sample_weight must be numbers, one for each row: {error}.") from error
    if weight.ndim == 0:
        weight = np.full(n_rows, weight.item())
    if weight.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weight.shape}, expected ({n_rows},): one weight for each row."
        )
    wrong = ~((weight >= 0) & (weight <= LARGEST_WEIGHT))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"sample_weight is {weight[row]} in row {row}; weights must be 0 or more, and at most 2^53."
        )
    if (weight == 1.0).all():
        return None
    return np.where(weight < SMALLEST_WEIGHT, 0.0, weight)


def check_something_weighs(sample_weight: Any) -> None:
    """Refuse to fit rows that all weigh nothing."""
    if sample_weight is not None and not np.any(np.asarray(sample_weight)):
        raise ValueError(
            "Sample weights must contain at least one non-zero number: there is nothing to learn."
        )
