"""Single cells of objects: what is missing, what is a number, and what to say about everything else."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

EXACT = 2**53
"""Whole numbers up to here are doubles exactly."""

STRINGS = (
    "{where} holds text ({value!r}). Nominal columns: use a categorical dtype in a frame, "
    "or give them as numbers and name them in categorical_features=. Texts and identifiers: a column of nothing but texts in a "
    "frame, or dicts."
)

COMPLEX = "Complex data not supported: X holds complex numbers; give their parts as two columns."
TIMES = (
    "{where} is of type {kind}: dates and times are taken apart in dicts and in frames whose columns have names; elsewhere, and "
    "of durations, give what matters as numbers or categories, such as the hour, the weekday or the age in days."
)


def plain(value: Any) -> Any:
    """A NumPy scalar as a Python value; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def is_missing(value: Any) -> bool:
    """Whether an object stands for a missing value: None, NaN, pandas' NA and NaT."""
    if value is None or (isinstance(value, float) and value != value):
        return True
    return type(value).__name__ in ("NAType", "NaTType")


def is_beyond_double(values: NDArray[Any]) -> bool:
    """Whether an array of whole numbers holds one that a double may not hold."""
    return bool(values.size) and (int(values.min()) < -EXACT or int(values.max()) > EXACT)


def object_column(values: Sequence[Any], title: str) -> NDArray[np.float64]:
    """Objects as numbers; what is none is named with its row."""
    return np.array([to_number(value, title, row) for row, value in enumerate(values)], dtype=np.float64)


def to_number(value: Any, title: str, row: int | None = None) -> float:
    """One object as a double; NaN where it is missing."""
    if is_missing(value):
        return math.nan
    where = title if row is None else f"{title} (row {row})"
    if isinstance(value, str | bytes):
        raise ValueError(STRINGS.format(where=where, value=value[:40]))
    if isinstance(value, dt.date | dt.time | dt.timedelta | np.datetime64 | np.timedelta64):
        raise TypeError(TIMES.format(where=where, kind=type(value).__name__))
    if isinstance(value, complex | np.complexfloating):
        raise TypeError(f"{where} holds the complex number {value}; give its parts as two columns.")
    try:
        return float(value)
    except OverflowError:
        shown = f"about 2^{value.bit_length() - 1}" if isinstance(value, int) else repr(value)[:40]
        raise ValueError(
            f"{where} holds a number that no double can hold ({shown}). Take its logarithm, clip it, or use NaN if it "
            "stands for a missing value."
        ) from None
    except (TypeError, ValueError):
        inner = isinstance(value, dict | list | tuple)
        raise TypeError(
            f"{where} holds {str(value)[:40]!r} of type {type(value).__name__}: the argument must be a string of a nominal "
            f"column or a number, and NaN or None for missing.{' Give its parts columns of their own.' if inner else ''}"
        ) from None
