"""Which column of a file goes where: found out from its first rows, or dictated by a model that knows its columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.base.inputs.dates import WrittenDate
from streamboost.base.inputs.word_columns import CODE, IDENTIFIER, TEXT, guess_words, looks_like_codes
from streamboost.base.suggest import suggest
from streamboost.streams.base import DataError, Label, warn_of_data
from streamboost.streams.readers.source import is_number, whole

MISSING = frozenset({"", "?"})
USUAL_MARKERS = ("?", "NA", "N/A", "n/a", "<NA>", "NULL", "null", "None", "nan", "NaN", "#N/A")
NUMERIC_MARKERS = ("-",)
"""Missing in columns of numbers only: beside + or words it is a value."""
LABEL_NAMES = ("label", "class", "target", "y")
"""What label columns are called, in any case; ``y`` only at either end of a row, because elsewhere it is a coordinate."""
_COUNTERS = (
    "column 1",
    "unnamed: 0",
    "index",
    "id",
    "row",
    "row_id",
    "rowid",
    "row id",
    "rownum",
    "nr",
    "no",
    "no.",
    "#",
)
"""What a first column is called that may be the number of the row."""
IGNORED, NUMBER, NOMINAL, DECLARED = "ignored", "number", "nominal", "declared"
_DATE = re.compile(
    r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2}))([T ]\d{1,2}:\d{2}.*)?"
    r"|\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?(\s*[AaPp]\.?[Mm]\.?)?"
)
DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+([eE][-+]?\d+)?")


@dataclass(frozen=True)
class ExpectedColumns:
    """What a trained model expects of a file.

    ``names`` are its columns, None if they are addressed by position; ``values`` holds for each column the values
    that have codes, None where the column is read as numbers. A file holds both as texts; its chunks have them as they
    are here.
    """

    names: tuple[Any, ...] | None
    values: tuple[tuple[Any, ...] | None, ...]
    labels: tuple[Label, ...]
    needs_label: bool
    label_name: str | None = None
    """The column that the model was taught with, if that is known."""
    day_first: Mapping[str, bool] = field(default_factory=dict)
    """Columns of dates in which the day came before the month, or not, if that is known."""

    @property
    def file_names(self) -> tuple[str, ...] | None:
        """The names as files write them."""
        return None if self.names is None else tuple(map(str, self.names))

    @property
    def label_kind(self) -> str:
        """How the model's labels are written: ``text``, ``whole`` or ``number``, as the targets of a model that has no labels."""
        if not self.labels:
            return "number"
        if any(isinstance(label, str) for label in self.labels):
            return "text"
        return "whole" if whole([float(label) for label in self.labels]) else "number"

    def has_label(self, cell: object) -> bool:
        """Whether a cell is one of the model's labels."""
        text = str(cell)
        if self.label_kind == "text":
            return text in self.labels
        return is_number(text) and (not self.labels or float(text) in self.labels)


@dataclass(frozen=True)
class MissingMarkers:
    """Cells that stand for a missing value, beside the empty one: everywhere, and in columns of numbers."""

    anywhere: tuple[str, ...] = ("?",)
    numbers: tuple[str, ...] = ()

    @classmethod
    def read(cls, given: Sequence[str] | None, *, usual: bool = True) -> MissingMarkers:
        """Those that the user gives, else the usual ones, or only ``?`` where a format has a way to say missing."""
        if given is not None:
            return cls(tuple(dict.fromkeys(text.strip() for text in given if text.strip())))
        return cls(USUAL_MARKERS, NUMERIC_MARKERS) if usual else cls()

    @cached_property
    def of_text(self) -> frozenset[str]:
        """What is missing in a nominal column."""
        return frozenset(("", *self.anywhere))

    @cached_property
    def numbers_too(self) -> frozenset[float]:
        """Numbers that stand for a missing value, such as -999."""
        return frozenset(float(text) for text in self.anywhere if is_number(text) and isfinite(float(text)))

    @cached_property
    def of_number(self) -> frozenset[str]:
        """What is missing in a column of numbers."""
        return self.of_text | frozenset(self.numbers)


@dataclass(frozen=True)
class Choice:
    """What the user says about columns; None leaves it to the first rows."""

    label: str | None = None
    nominal: Sequence[str] | str | None = None
    drop: Sequence[str] | None = None
    weight: str | None = None
    expected: ExpectedColumns | None = None
    dates: str | Sequence[str] | None = None
    """``parts``, ``drop``, or ``auto``: parts, said aloud; for a model that has learned parts of dates, the columns that it took
    apart."""
    text: Sequence[str] | None = None
    identifier: Sequence[str] | None = None

    def words(self, head: FirstRows) -> dict[int, str]:
        """The columns that the user calls texts or identifiers."""
        found: dict[int, str] = {}
        for kind, names in ((TEXT, self.text), (IDENTIFIER, self.identifier)):
            for name in names or ():
                if found.setdefault(find_column(head, name), kind) != kind:
                    raise DataError(f"{head.file}: the column {name!r} is a text or an identifier, not both.")
        return found


@dataclass(frozen=True)
class FirstRows:
    """What the first rows of a file tell: for every column its name, kind, distinct values, and how many rows have one."""

    file: str
    columns: list[str]
    named: bool
    numeric: list[bool]
    seen: list[set[Any]]
    n_filled: list[int] = field(default_factory=list)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """The columns by name."""
        found: dict[str, list[int]] = {}
        for at, name in enumerate(self.columns):
            found.setdefault(name, []).append(at)
        return found


@dataclass
class ColumnPlan:
    """The place of every column of a file. ``slots`` are columns of the result, -1 is the label."""

    columns: list[str]
    kinds: list[str]
    slots: list[int]
    label_at: int | None
    label_kind: str
    feature_names: tuple[str, ...]
    named: bool
    values: list[list[str]]
    ignored: list[str] = field(default_factory=list)
    weight_at: int | None = None
    """The column of weights. It gets a place behind the features."""
    expected: ExpectedColumns | None = None
    """The model that the file is read for."""
    label_why: str = ""
    """Why this column is the label, where nobody has said so."""
    dates: dict[str, list[str]] = field(default_factory=dict)
    """Columns of dates that are read as values, to be taken apart, with some of them."""
    words: dict[int, str] = field(default_factory=dict)
    """Columns of the result that hold texts, identifiers or codes by their first values, and which of them."""

    @property
    def coded_names(self) -> tuple[Any, ...] | None:
        """The names of the columns as models get them; what has one name twice can only be counted."""
        if not self.named or len(set(self.feature_names)) < self.n_features:
            return None
        return self.feature_names if self.expected is None else self.expected.names

    def coded_values(self, slot: int) -> list[Any]:
        """The values of a nominal column that have codes before the first row."""
        return list(self.values[slot] if self.expected is None else self.expected.values[slot] or ())

    @property
    def n_features(self) -> int:
        """The width of the rows."""
        return len(self.feature_names)

    @property
    def n_slots(self) -> int:
        """The width of the rows with their weight."""
        return self.n_features + (self.weight_at is not None)

    @property
    def nominal(self) -> npt.NDArray[np.bool_]:
        """Which columns of the result hold codes."""
        mask = np.zeros(self.n_features, dtype=bool)
        for kind, slot in zip(self.kinds, self.slots, strict=True):
            if 0 <= slot < self.n_features:
                mask[slot] = kind in (NOMINAL, DECLARED)
        return mask

    @property
    def order(self) -> list[int]:
        """The column of the file for each column of the result."""
        place = {slot: at for at, slot in enumerate(self.slots) if self.kinds[at] != IGNORED}
        return [place[slot] for slot in range(self.n_features)]


def find_column(head: FirstRows, name: str) -> int:
    """The place of a column by its name."""
    found = head.places.get(name, [])
    if len(found) == 1:
        return found[0]
    if found:
        raise DataError(
            f"{head.file}: {len(found)} columns are named {name!r}; to name one of them, give them different names in the file."
        )
    shown = shown_names(head.columns)
    near = suggest(name, head.columns)
    meant = "; the" if near is None else f"; did you mean {near!r}? The"
    raise DataError(f"{head.file}: no column {name!r}{meant} columns are {shown}.")


def shown_names(names: Sequence[str]) -> str:
    """Names of columns in a message: the first twenty."""
    return ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")


def label_by_name(columns: Sequence[str], free: Sequence[int]) -> int | None:
    """The column among the free ones that is called as labels are called; the last one comes first."""
    found = {columns[at].lower(): at for at in reversed(free)}
    if free and columns[free[-1]].lower() in LABEL_NAMES:
        return free[-1]
    at = next((found[name] for name in LABEL_NAMES if name in found), None)
    return None if at is not None and columns[at].lower() == "y" and at != free[0] else at


def plan_by_first_rows(head: FirstRows, choice: Choice) -> ColumnPlan:
    """The plan that the first rows ask for; a label that is not named is found by usual names, else it is the last column."""
    label, nominal, words = choice.label, choice.nominal, choice.words(head)
    dropped = {find_column(head, name) for name in choice.drop or ()}
    weight_at = None if choice.weight is None else _weight_column(head, choice.weight)
    if weight_at is not None:
        if weight_at in dropped or choice.weight == label:
            raise DataError(
                f"{head.file}: the column {choice.weight!r} cannot be the weight and something else."
            )
        dropped.add(weight_at)
    if _ends_in_nothing(head):
        dropped.add(len(head.columns) - 1)
    left = [i for i in range(len(head.columns)) if i not in dropped]
    if label is None and not left:
        raise DataError(f"{head.file}: every column is dropped.")
    label_why = ""
    if label is not None:
        label_at = find_column(head, label)
    else:
        by_name = label_by_name(head.columns, left) if head.named else None
        label_at = left[-1] if by_name is None else by_name
        label_why = "the last column" if label_at == left[-1] else "by its name"
    if label_at in words:
        raise DataError(f"{head.file}: the column {head.columns[label_at]!r} is the label.")
    if label_at in dropped:
        raise DataError(f"{head.file}: the column {label!r} is the label and cannot be dropped.")
    features = [i for i in left if i != label_at]
    _warn_of_names(head, features)
    if not features:
        raise DataError(f"{head.file}: no column is left beside the label {head.columns[label_at]!r}.")
    forced = {*features, *words} if nominal == "all" else {*words}
    for name in () if nominal == "all" else nominal or ():
        if name not in head.places:
            raise DataError(f"{head.file}: no column {name!r} to read as nominal.")
        forced.add(find_column(head, name))
    kinds = [NUMBER if number and i not in forced else NOMINAL for i, number in enumerate(head.numeric)]
    dates, without = _dates(head, choice, [i for i in features if kinds[i] == NOMINAL and i not in forced])
    features = [i for i in features if i not in without]
    dropped |= without
    if not features:
        raise DataError(
            f"{head.file}: no column is left beside the label but dates; take their parts with dates='parts'."
        )
    slots = [-1] * len(kinds)
    for slot, i in enumerate(features):
        slots[i] = slot
    for i in dropped:
        kinds[i] = IGNORED
    text = kinds[label_at] == NOMINAL
    # A label that is declared as a number and is none will be a bad line.
    numbers = [float(value) for value in head.seen[label_at] if is_number(str(value))]
    integral = not text and whole([number for number in numbers if number == number])
    if weight_at is not None:
        kinds[weight_at], slots[weight_at] = NUMBER, len(features)
    return ColumnPlan(
        columns=head.columns,
        kinds=kinds,
        slots=slots,
        label_at=label_at,
        label_kind="text" if text else "whole" if integral else "number",
        feature_names=tuple(head.columns[i] for i in features),
        named=head.named,
        values=[[] for _ in features],
        weight_at=weight_at,
        label_why=label_why,
        dates=dates,
        words=_words(head, {slots[i]: i for i in features if kinds[i] == NOMINAL}, forced, words, dates)
        | {slots[i]: CODE for i in features if kinds[i] == NUMBER and _holds_codes(head, i)},
    )


def _holds_codes(head: FirstRows, column: int) -> bool:
    numbers = {float(value) for value in head.seen[column] if is_number(str(value))}
    return head.named and looks_like_codes(head.columns[column], numbers, head.n_filled[column])


def _words(
    head: FirstRows,
    columns: dict[int, int],
    forced: set[int],
    declared: dict[int, str],
    dates: dict[str, list[str]],
) -> dict[int, str]:
    """Texts and identifiers, declared or by their cells, by their place in the result."""
    found = {}
    for slot, at in columns.items():
        kind = declared.get(at)
        if at not in forced and head.columns[at] not in dates:
            kind = guess_words({str(value) for value in head.seen[at]} - MISSING, head.n_filled[at])
        if kind is not None:
            found[slot] = kind
    return found


def _nameless(head: FirstRows, column: int) -> bool:
    return head.named and head.columns[column] == f"column {column + 1}"


def _ends_in_nothing(head: FirstRows) -> bool:
    """Whether every line ends in a delimiter, the header's too: there is no column behind it."""
    last = len(head.columns) - 1
    return last > 0 and not head.seen[last] and _nameless(head, last)


def _warn_of_names(head: FirstRows, features: Sequence[int]) -> None:
    """Say what names show to be a slip: the number of a row as a column, and one name for several columns."""
    if not head.named or not features:
        return
    twice = next((name for name, places in head.places.items() if len(places) > 1), None)
    if twice is not None:
        warn_of_data(
            f"{head.file}: {len(head.places[twice])} columns are named {twice!r}, so that columns are known by their places only."
        )
    n_named = sum(not _nameless(head, at) for at in range(len(head.columns)))
    if 2 * n_named < len(head.columns):
        warn_of_data(
            f"{head.file}: the first line names {n_named} of {len(head.columns)} columns; if it is a title, "
            "take it off: names are expected there."
        )
    first = features[0]
    if first == 0 and head.columns[0].lower() in _COUNTERS and head.numeric[0]:
        numbers = sorted(float(value) for value in head.seen[0])
        if len(numbers) > 2 and numbers == [numbers[0] + at for at in range(len(numbers))]:
            name = head.columns[0]
            warn_of_data(
                f"{head.file}: column {name!r} counts the rows and says nothing about them; leave it out with drop=[{name!r}]."
            )


def _weight_column(head: FirstRows, name: str) -> int:
    at = find_column(head, name)
    if not head.numeric[at]:
        texts = (str(value) for value in head.seen[at] if not is_number(str(value)))
        example = min((text for text in texts if text not in MISSING), default="")
        raise DataError(f"{head.file}: the weights in column {name!r} must be numbers, not {example!r}.")
    return at


def _dates(head: FirstRows, choice: Choice, columns: Sequence[int]) -> tuple[dict[str, list[str]], set[int]]:
    """Which of the columns are dates to be taken apart, with some of them, and which are left out."""
    dates: dict[str, list[str]] = {}
    without = set()
    for i in columns:
        texts = _dates_in(head, i)
        holds = (
            f"{head.file}: column {head.columns[i]!r} holds dates or times ({texts[0]!r})" if texts else ""
        )
        if texts and choice.dates == "drop":
            without.add(i)
            warn_of_data(f"{holds} and is left out.")
        elif texts and choice.dates in ("parts", "auto") and (head.named or choice.dates == "parts"):
            dates[head.columns[i]] = texts
            if choice.dates == "auto":
                warn_of_data(
                    f"{holds}: its parts are read (days, weekday, hour); dates='drop' leaves it out."
                )
        else:
            _refuse_texts(head, i, texts)
    if dates and not head.named:
        raise DataError(
            f"{head.file}: the parts of dates are known by the names of their columns, and there is no header; "
            "leave dates out with dates='drop'."
        )
    return dates, without


def _dates_in(head: FirstRows, column: int) -> list[str]:
    """The texts of a column if all of them are dates or times; else none."""
    seen = sorted({str(value) for value in head.seen[column]} - MISSING)
    return seen if all(_DATE.fullmatch(text) or WrittenDate.read(text) is not None for text in seen) else []


def _refuse_texts(head: FirstRows, column: int, dates: list[str]) -> None:
    seen = {str(value) for value in head.seen[column]} - MISSING
    where = f"{head.file}: column {head.columns[column]!r}"
    if dates:
        raise DataError(
            f"{where} holds dates or times ({dates[0]!r}). Take it apart (days, weekday, hour) with dates='parts', "
            "leave it out with drop=, or take every date as a value of its own with nominal=."
        )
    with_comma = {text for text in seen if DECIMAL_COMMA.fullmatch(text)}
    if with_comma and all(map(is_number, seen - with_comma)):
        example = min(with_comma)
        raise DataError(f"{where} holds numbers with a decimal comma ({example!r}); write them with a point.")


def plan_for_model(head: FirstRows, choice: Choice) -> ColumnPlan:
    """The plan that a model asks for: by name where both have names, else by position."""
    expected, label = choice.expected, choice.label
    assert expected is not None
    weight_at = None if choice.weight is None else _weight_column(head, choice.weight)
    width = len(expected.values)
    names = expected.file_names
    by_name = head.named and names is not None
    label_at = None if label is None else find_column(head, label)
    if by_name and names is not None:
        places = _by_name(head, names)
        if label_at is None:
            label_at = _label_beside(head, expected, places, weight_at)
    else:
        places = [i for i in range(len(head.columns)) if i not in (label_at, weight_at)]
        if len(places) == width + 1 and label_at is None:
            label_at = places.pop()
        if len(places) != width:
            raise DataError(
                f"{head.file}: {len(head.columns)} columns where the model has {width} features"
                f"{' (and a label is needed)' if expected.needs_label else ''}."
            )
    if label_at in places:
        raise DataError(f"{head.file}: the column {head.columns[label_at or 0]!r} is a feature of the model.")
    # Whoever asks for answers need not have the truth: a last column of other things is no label.
    guessed = label_at is not None and label is None and not expected.needs_label
    if guessed and not any(map(expected.has_label, head.seen[label_at or 0])):
        label_at = None
    if label_at is None and expected.needs_label:
        raise DataError(
            f"{head.file}: the last column {head.columns[-1]!r} is a feature of the model; name the label with label=."
        )
    slots, kinds = [-1] * len(head.columns), [IGNORED] * len(head.columns)
    for slot, (at, values) in enumerate(zip(places, expected.values, strict=True)):
        slots[at], kinds[at] = slot, NUMBER if values is None else NOMINAL
    if label_at is not None:
        kinds[label_at] = NOMINAL if expected.label_kind == "text" else NUMBER
    if weight_at is not None:
        if weight_at in places or weight_at == label_at:
            raise DataError(
                f"{head.file}: the column {choice.weight!r} cannot be the weight and something else."
            )
        slots[weight_at], kinds[weight_at] = width, NUMBER
    used = {*places, label_at, weight_at, *([len(head.columns) - 1] if _ends_in_nothing(head) else [])}
    return ColumnPlan(
        columns=head.columns,
        kinds=kinds,
        slots=slots,
        label_at=label_at,
        label_kind="none" if label_at is None else expected.label_kind,
        feature_names=names or tuple(head.columns[i] for i in places),
        named=expected.names is not None,
        values=[[str(value) for value in values or ()] for values in expected.values],
        ignored=[name for i, name in enumerate(head.columns) if i not in used],
        weight_at=weight_at,
        expected=expected,
        dates={} if choice.dates in (None, "parts", "drop", "auto") else _texts_of(head, choice.dates or ()),
    )


def _label_beside(
    head: FirstRows, expected: ExpectedColumns, features: Sequence[int], weight_at: int | None
) -> int | None:
    """The label of a file whose other columns a model knows: as it was called then, as labels are called, or the last."""
    columns = [at for at in range(len(head.columns)) if at != weight_at]
    free = [at for at in columns if at not in set(features)]
    taught = [at for at in free if head.columns[at] == expected.label_name]
    if taught:
        return taught[0]
    by_name = label_by_name(head.columns, free)
    return by_name if by_name is not None else next((at for at in free if at == columns[-1]), None)


def _texts_of(head: FirstRows, columns: Sequence[str]) -> dict[str, list[str]]:
    seen = {name: head.seen[find_column(head, name)] for name in columns}
    return {name: sorted({str(value) for value in texts} - MISSING) for name, texts in seen.items()}


def _by_name(head: FirstRows, names: Sequence[str]) -> list[int]:
    missing = [name for name in names if name not in head.places]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        shown = shown_names(head.columns)
        raise DataError(
            f"{head.file}: no column {missing[0]!r}{more}, which the model needs; there are {shown}."
        )
    return [find_column(head, name) for name in names]


def plan_columns(head: FirstRows, choice: Choice) -> ColumnPlan:
    """The plan for a model that knows its columns, or for one that is still to learn."""
    return plan_by_first_rows(head, choice) if choice.expected is None else plan_for_model(head, choice)


def label_array(values: npt.NDArray[np.float64], kind: str, texts: Sequence[str]) -> npt.NDArray[Any]:
    """Labels as the parsers give them (numbers, or codes of texts) as the model gets them."""
    if kind in ("text", "whole") and np.isnan(values).any():
        known = [None if code != code else int(code) for code in values.tolist()]
        labels = [None if code is None else texts[code] for code in known] if kind == "text" else known
        return np.array(labels, dtype=object)
    if kind == "text":
        return np.array([texts[code] for code in values.astype(np.intp).tolist()], dtype=np.str_)
    if kind == "none":
        return np.full(len(values), None, dtype=object)
    return values.astype(np.int64) if kind == "whole" else values
