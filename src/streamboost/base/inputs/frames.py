"""Frames (pandas, polars, Arrow, anything narwhals knows) become columns."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from streamboost.base.inputs.arrays import Table
from streamboost.base.inputs.cells import TIMES, is_beyond_double, is_missing, object_column, plain
from streamboost.base.inputs.dates import columns_of_parts, part_name, parts_of_moments, parts_of_value

_NOMINAL = (nw.Categorical, nw.Enum, nw.String, nw.Boolean)
_DATES = (dt.date, dt.time)
_TEMPORAL = (nw.Datetime, nw.Date, nw.Duration, nw.Time)


def read_frame(X: Any, least: int = 0) -> Table | None:
    """Return the columns of an eager frame, or None if X is no frame."""
    try:
        frame: Any = nw.from_native(X, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        counts = Counter(
            str(name) for name in getattr(X, "columns" if hasattr(X, "iloc") else "column_names", ())
        )
        twice = [name for name, count in counts.items() if count > 1]
        raise ValueError(
            f"Column names must be unique, but X has more than one column {', '.join(map(repr, twice[:5]))}. "
            "Rename or drop the others."
        ) from error
    if not isinstance(frame, nw.DataFrame):
        if isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame):
            raise TypeError("X is a lazy frame: collect it, or feed it in chunks.")
        return None
    names = list(frame.columns)
    texts = [isinstance(name, str) for name in names]
    if any(texts) and not all(texts):
        raise TypeError(
            "Feature names are only supported if all input features have string names, "
            f"but X has column names of types {sorted({type(name).__name__ for name in names})}."
        )
    if len(frame) < least:
        raise ValueError(
            f"Found array with {len(frame)} sample(s) (shape={frame.shape}) while a minimum of {least} is required."
        )
    if not names:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={frame.shape}) while a minimum of 1 is required."
        )
    if not len(frame):  # its types say little: pandas calls every empty column an object
        return Table(0, len(names), names if all(texts) else None, dense=np.empty((0, len(names))))
    read: dict[Any, Any] = {}
    dates = {name for number, name in enumerate(names) if all(texts) and is_dated(frame[:, number])}
    written = []
    for number, name in enumerate(names):
        series = frame[:, number]
        read |= _read_parts(series, name) if name in dates else {name: _read_column(series, name)}
        if isinstance(read.get(name), list) and series.dtype in (nw.String, nw.Object) and all(texts):
            written.append(name)
    names, columns = list(read), list(read.values())
    nominal = [isinstance(column, list) for column in columns]
    table = Table(len(frame), len(names), names if all(texts) else None, nominal=nominal, dates=dates)
    table.texts = written
    if any(nominal) or any(column.dtype != np.float64 for column in columns):
        table.columns = columns
    else:
        table.dense = np.ascontiguousarray(np.column_stack(columns), dtype=np.float64)
    return table


def is_dated(series: Any) -> bool:
    """Whether a column holds dates or times of day, which are taken apart."""
    if series.dtype == nw.Object:
        known = (value for value in series.to_list() if not is_missing(value))
        return isinstance(next(known, None), _DATES) and all(isinstance(value, _DATES) for value in known)
    return any(series.dtype == kind for kind in (nw.Datetime, nw.Date, nw.Time))


def _read_parts(series: Any, name: str) -> dict[str, NDArray[np.float64]]:
    """The parts of a column of dates or times, by their names."""
    if series.dtype in (nw.Datetime, nw.Date):
        bare = series.dt.replace_time_zone(None) if series.dtype == nw.Datetime else series
        parts = parts_of_moments(bare.to_numpy().astype("datetime64", copy=False))
    else:
        rows = [{} if is_missing(value) else parts_of_value(value) for value in series.to_list()]
        parts = columns_of_parts(rows)
    return {part_name(name, part): values for part, values in parts.items()}


def _read_column(series: Any, name: Any) -> Any:
    dtype = series.dtype
    if any(dtype == kind for kind in _NOMINAL):
        return [_plain(value) for value in series.to_list()]
    if any(dtype == kind for kind in _TEMPORAL):
        raise TypeError(TIMES.format(where=f"Column {name!r}", kind=dtype))
    if dtype.is_integer():
        return _whole_numbers(series)
    if dtype.is_numeric():
        return series.cast(nw.Float64).to_numpy().astype(np.float64, copy=False)
    if dtype == nw.Unknown:
        values = series.to_numpy()
        if values.dtype.kind == "c":
            raise TypeError(
                f"Column {name!r} holds complex numbers ({values[0]}); give their parts as two columns."
            )
        if values.dtype.kind in "fiub":
            return values.astype(np.float64)
        return object_column(values.tolist(), f"Column {name!r}")
    if dtype == nw.Object:
        values = series.to_list()
        known = [value for value in values if not is_missing(value)]
        if known and all(isinstance(value, bool | np.bool_) for value in known):  # pandas: with a missing one
            return [_plain(value) for value in values]
        return object_column(values, f"Column {name!r}")
    raise TypeError(
        f"Column {name!r} is of type {dtype}; allowed are numbers, booleans, text and categories."
    )


def _whole_numbers(series: Any) -> Any:
    """Whole numbers as doubles, or as they are where a double cannot hold them: categories must not merge.

    Those of 128 bits have no place in NumPy; what is beyond a double among them is rounded.
    """
    if series.dtype not in (nw.Int128, nw.UInt128) and not series.is_null().any():
        exact = np.asarray(series.to_numpy())
        if exact.dtype.kind in "iu" and is_beyond_double(exact):
            return exact
    return series.cast(nw.Float64).to_numpy().astype(np.float64, copy=False)


def _plain(value: Any) -> Any:
    value = plain(value)
    return None if is_missing(value) else value
