"""Dates and times as numbers that learners can use.

A column ``when`` becomes ``when (days)``, days since 1970-01-01 with the time as a fraction, ``when (weekday)``, 0 for Monday,
and ``when (hour)``, weekday and hour also as ``when (hour sine)`` and ``when (hour cosine)``, their place on the circle: for
linear learners Sunday is then near Monday, and 23:00 near midnight. A date has no hour, a time of day nothing else. Zones are
left aside: the clock counts as it is written.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

PERIODS = {"weekday": 7, "hour": 24}
PARTS = ("days", *(f"{part}{wave}" for part in PERIODS for wave in ("", " sine", " cosine")))
_EPOCH = dt.date(1970, 1, 1).toordinal()


def part_name(column: str, part: str) -> str:
    """What a part of a column is called."""
    return f"{column} ({part})"


def taken_apart(name: Any) -> tuple[str, str | None]:
    """The column and the part that a name stands for; the part is None if it stands for none."""
    text = str(name)
    for part in PARTS:
        if text.endswith(f" ({part})"):
            return text.removesuffix(f" ({part})"), part
    return text, None


def parts_of(ordinal: int | None, hour: float | None) -> dict[str, float]:
    """The parts of a day, counted as Python does, and of an hour of the day; None: there is none."""
    numbers: dict[str, float] = {} if hour is None else {"hour": hour}
    if ordinal is not None:
        numbers |= {"days": ordinal - _EPOCH + (hour or 0.0) / 24, "weekday": float((ordinal - 1) % 7)}
    waves = [wave for part in PERIODS if part in numbers for wave in _waves(part, numbers[part])]
    found = numbers | dict(waves)
    return {part: found[part] for part in PARTS if part in found}


def _waves(part: str, value: float) -> list[tuple[str, float]]:
    angle = 2 * math.pi * value / PERIODS[part]
    return [(f"{part} sine", round(math.sin(angle), 12)), (f"{part} cosine", round(math.cos(angle), 12))]


def parts_of_value(value: dt.date | dt.time) -> dict[str, float]:
    """The parts of one moment, date or time of day."""
    hour = None
    if isinstance(value, dt.datetime | dt.time):
        hour = value.hour + value.minute / 60 + (value.second * 10**6 + value.microsecond) / 1e6 / 3600
    return parts_of(value.toordinal() if isinstance(value, dt.date) else None, hour)


def parts_of_moments(moments: NDArray[np.datetime64]) -> dict[str, NDArray[np.float64]]:
    """The parts of a column, in the order of PARTS; whole days have no hour. What is missing is NaN."""
    known = ~np.isnat(moments)
    days = moments[known].astype("datetime64[D]")
    ordinals = days.astype(np.int64) + _EPOCH
    hours = None
    if np.datetime_data(moments.dtype)[0] != "D":
        clock = (moments[known] - days).astype("timedelta64[ns]").astype(np.int64)
        minutes, rest = np.divmod(clock, 60 * 10**9)
        hours = minutes // 60 + minutes % 60 / 60 + rest / 1e9 / 3600
    columns = {"days": ordinals - _EPOCH + (0.0 if hours is None else hours / 24)}
    for part, values in (("weekday", ((ordinals - 1) % 7).astype(np.float64)), ("hour", hours)):
        if values is not None:
            columns |= {part: values, **_wave_columns(part, values)}
    return {part: _spread(values, known) for part, values in columns.items()}


def _wave_columns(part: str, values: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """The same roundings as of single values, each different one worked out once."""
    different, place = np.unique(values, return_inverse=True)
    waves = [[number for _, number in _waves(part, value)] for value in different.tolist()]
    table = np.array(waves, dtype=np.float64).reshape(-1, 2)
    return {f"{part} sine": table[place, 0], f"{part} cosine": table[place, 1]}


def _spread(values: NDArray[np.float64], known: NDArray[np.bool_]) -> NDArray[np.float64]:
    column = np.full(known.size, np.nan)
    column[known] = values
    return column


def with_parts(x: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """A dict with its dates and times taken apart; the same one if it has none."""
    if not any(isinstance(value, dt.date | dt.time) for value in x.values()):
        return x
    found: dict[Any, Any] = {}
    for key, value in x.items():
        if isinstance(key, str) and isinstance(value, dt.date | dt.time) and value == value:
            found |= {part_name(key, part): number for part, number in parts_of_value(value).items()}
        else:
            found[key] = value
    return found
