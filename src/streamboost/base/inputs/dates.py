"""Dates and times as numbers that learners can use.

A column ``when`` becomes ``when (days)``, days since 1970-01-01 with the time as a fraction, ``when (weekday)``, 0 for Monday,
and ``when (hour)``, weekday and hour also as ``when (hour sine)`` and ``when (hour cosine)``, their place on the circle: for
linear learners Sunday is then near Monday, and 23:00 near midnight. A date has no hour, a time of day nothing else. Zones are
left aside: the clock counts as it is written.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

PERIODS = {"weekday": 7, "hour": 24}
PARTS = ("days", *(f"{part}{wave}" for part in PERIODS for wave in ("", " sine", " cosine")))
_EPOCH = dt.date(1970, 1, 1).toordinal()
_TIME = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(:(?P<second>\d{2}(\.\d+)?))?(\s*(?P<half>[AaPp])\.?[Mm]\.?)?"
_ZONE = r"\s*(Z|UTC|[+-]\d{2}:?\d{2})?"
_YEAR_FIRST = re.compile(rf"(?P<year>\d{{4}})[-/.](?P<a>\d{{1,2}})[-/.](?P<b>\d{{1,2}})([T ]{_TIME}{_ZONE})?")
_YEAR_LAST = re.compile(
    rf"(?P<a>\d{{1,2}})(?P<mark>[-/.])(?P<b>\d{{1,2}})[-/.](?P<year>\d{{4}}|\d{{2}})([T ]{_TIME}{_ZONE})?"
)
_ONLY_TIME = re.compile(_TIME)
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<month>(?i:{'|'.join(_MONTHS)})[a-z]{{0,6}})\.?"
_DAY, _YEAR = r"(?P<a>\d{1,2})", r"(?P<year>\d{4}|\d{2})"
_NAMED = tuple(
    re.compile(rf"(?:(?i:{'|'.join(_DAYS)})[a-z]{{0,6}},? )?{form}(,?[T ]{_TIME}{_ZONE})?")
    for form in (rf"{_DAY}[- ./]+{_MONTH}[- ,./]+{_YEAR}", rf"{_MONTH}[- ]{_DAY},?[- ]{_YEAR}")
)
"""31 Dec 2024 and December 31, 2024, in English."""
_FORMS = (_YEAR_LAST, _YEAR_FIRST, _ONLY_TIME, *_NAMED)


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


def columns_of_parts(rows: Sequence[Mapping[str, float]]) -> dict[str, NDArray[np.float64]]:
    """The parts that any of the rows has, in the order of PARTS; NaN where one is missing."""
    found = set().union(*rows)
    return {part: np.array([row.get(part, np.nan) for row in rows]) for part in PARTS if part in found}


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


@dataclass(frozen=True)
class WrittenDate:
    """A date, a time or both as a text has them."""

    found: Mapping[str, str | None]
    year_last: bool

    @classmethod
    def read(cls, text: str) -> WrittenDate | None:
        """What a text says; None if it has no such form."""
        bare = text.strip()
        match = next(filter(None, (form.fullmatch(bare) for form in _FORMS)), None)
        return None if match is None else cls(match.groupdict(), match.re is _YEAR_LAST)

    @property
    def has_day(self) -> bool:
        """Whether there is a date."""
        return self.found.get("year") is not None

    @property
    def has_hour(self) -> bool:
        """Whether there is a time."""
        return self.found["hour"] is not None

    @property
    def dotted(self) -> bool:
        """Whether it is written as 31.12.2024: where that is done, the day comes first."""
        return self.found.get("mark") == "."

    @property
    def day_and_month(self) -> tuple[int, int]:
        """The two numbers beside the year, in their order."""
        return int(self.found["a"] or 0), int(self.found.get("b") or 0)

    def parts(self, day_first: bool | None) -> dict[str, float] | None:
        """The parts; None if there is no such day or hour, or nobody can tell the day from the month."""
        hour = ordinal = None
        if self.has_hour:
            hour = self._hour()
            if hour is None:
                return None
        if self.has_day:
            if self.year_last and day_first is None and not self.dotted:
                return None
            written = str(self.found["year"])
            year = int(written) + (0 if len(written) == 4 else 1900 if int(written) >= 70 else 2000)
            a, b = self.day_and_month
            month, day = (b, a) if self.year_last and day_first is not False else (a, b)
            if self.found.get("month") is not None:
                month, day = _MONTHS.index(str(self.found["month"])[:3].lower()) + 1, a
            try:
                ordinal = dt.date(year, month, day).toordinal()
            except ValueError:
                return None
        return parts_of(ordinal, hour)

    def _hour(self) -> float | None:
        whole, minute = int(self.found["hour"] or 0), int(self.found["minute"] or 0)
        half = self.found["half"]
        if half is not None:
            if not 1 <= whole <= 12:
                return None
            whole = whole % 12 + (12 if half in "Pp" else 0)
        hour = whole + minute / 60 + float(self.found["second"] or 0) / 3600
        return None if hour >= 24 or minute > 59 else hour


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


def is_taken_apart(key: Any, columns: Container[Any]) -> bool:
    """Whether a model with these columns has learned the parts of a column and not the column itself."""
    return isinstance(key, str) and (part_name(key, "days") in columns or part_name(key, "hour") in columns)


def are_dates(values: Iterable[Any]) -> bool:
    """Whether all are texts of dates or times whose day and month nobody can mix up, and there is one."""
    found = False
    for value in values:
        written = WrittenDate.read(value) if isinstance(value, str) else None
        if written is None or written.parts(None) is None:
            return False
        found = True
    return found


def with_text_apart(x: Mapping[Any, Any], key: str) -> dict[Any, Any]:
    """A dict with a date that is a text, as JSON has it, taken apart."""
    parts = _parts_of_text(x[key], key, "x")
    rest = {name: value for name, value in x.items() if name != key}
    return rest | {part_name(key, part): number for part, number in parts.items()}


def parts_of_texts(texts: Sequence[Any], name: str) -> dict[str, NDArray[np.float64]]:
    """The parts of a column of dates that are texts, by their names; what is missing is NaN."""
    known = {text: {} if text is None else _parts_of_text(text, name, "X") for text in dict.fromkeys(texts)}
    columns = columns_of_parts([known[text] for text in texts])
    return {part_name(name, part): values for part, values in columns.items()}


def _parts_of_text(text: Any, name: str, where: str) -> dict[str, float]:
    written = WrittenDate.read(text) if isinstance(text, str) else None
    parts = None if written is None else written.parts(None)
    if parts is None:
        raise ValueError(
            f"column {name!r} holds dates or times, but {where} holds the text {text!r} there. Write it as 2024-12-31 18:30."
        )
    return parts
