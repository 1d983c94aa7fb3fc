"""Columns: addressing, kinds, categories, and how they may grow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.base.inputs.cells import plain
from streamboost.base.inputs.codes import MOST_CATEGORIES, CodeBook
from streamboost.base.inputs.word_columns import CODE, IDENTIFIER, KINDS, MANY_IN_DICTS

Name = str | int


@dataclass
class Growth:
    """New columns and values that one call has discovered; they count only once the call has succeeded."""

    names: list[Name] = field(default_factory=list)
    nominal: list[bool] = field(default_factory=list)
    values: dict[int, list[Any]] = field(default_factory=dict)
    capped: list[int] = field(default_factory=list)
    """Columns in which a value got no code because there were too many already."""
    words: dict[int, str] = field(default_factory=dict)
    """New columns of words, and their kind."""
    twins: dict[int, int] = field(default_factory=dict)
    """Those among them that hold the values of a nominal column that has too many, and that column."""

    def __bool__(self) -> bool:
        return bool(self.names or self.values)


class Schema:
    """The columns of a model. Named columns are addressed by name, positional ones by number.

    `d0` is the width of the first row that has columns, for ever: it scales the rows of the linear learners.
    """

    def __init__(
        self,
        names: Sequence[Name] | None,
        nominal: Sequence[bool],
        declared: Sequence[Name] | None = None,
        words: Mapping[int, str] | None = None,
        declared_words: Mapping[Name, str] | None = None,
        codes: Iterable[int] = (),
        sparse: bool = False,
    ) -> None:
        self.names: list[Name] | None = None if names is None else list(names)
        self.books: list[CodeBook | None] = [CodeBook() if is_nominal else None for is_nominal in nominal]
        # Kept apart because a call must not look at 100,000 numeric columns one by one; a column never changes its kind.
        self._nominal = [column for column, book in enumerate(self.books) if book is not None]
        self.d0 = len(self.books)
        self.declared_nominal = frozenset(declared or ())
        self.words = dict(sorted((words or {}).items()))  # columns of words, ascending, and their kind
        self.declared_words = dict(declared_words or {})
        self.codes = tuple(sorted(codes))  # columns of numbers that are identifiers, too
        self.sparse = sparse  # whether the first rows were a sparse matrix
        self.open = (
            False  # whether dicts may bring any number of columns, to a model that has a way with them
        )
        self.turns = False  # whether a nominal column with too many values becomes one of identifiers, too
        self.stored: frozenset[str] = frozenset()  # arrays of the file that the model comes from
        self.twins: dict[int, int] = {}  # such identifiers, and the nominal columns whose values they are
        self.index: dict[Name, int] = {}
        self._reindex()

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.books)

    @property
    def named(self) -> bool:
        """Whether columns are addressed by name."""
        return self.names is not None

    @property
    def all_numeric(self) -> bool:
        """Whether no column is nominal or holds words."""
        return not self._nominal and not self.words

    def _reindex(self) -> None:
        names: Iterable[Name] = range(self.width) if self.names is None else self.names
        self.index = {name: column for column, name in enumerate(names)}

    def title(self, column: int) -> str:
        """Return how messages call a column."""
        return f"column {column}" if self.names is None else f"column {self.names[column]!r}"

    def most_values(self, column: int) -> int:
        """Return how many values a nominal column may have."""
        if (
            not (self.open and self.turns)
            or self.names is None
            or self.names[column] in self.declared_nominal
        ):
            return MOST_CATEGORIES
        return MANY_IN_DICTS

    def twin_of(self, column: int) -> int | None:
        """Return where the values of a nominal column are identifiers."""
        return next((twin for twin, nominal in self.twins.items() if nominal == column), None)

    def add_twin(self, column: int, at: int, growth: Growth) -> None:
        """Let a nominal column become one of identifiers, too: known values keep their codes, and there will be no more."""
        name: Name = at
        if self.names is not None:
            name = f"{self.names[column]} as identifier"
            while name in self.index or name in growth.names:
                name += "'"
        growth.names.append(name)
        growth.nominal.append(False)
        growth.words[at], growth.twins[at] = IDENTIFIER, column

    def n_values(self, growth: Growth | None = None) -> NDArray[np.int64]:
        """Return the core's view: -1 for a numeric column, else the number of category codes given out."""
        counts = np.full(self.width, -1, dtype=np.int64)
        for column in self._nominal:
            counts[column] = len(self.books[column] or ())
        for column, kind in self.words.items():
            counts[column] = KINDS[kind]
        for column in self.codes:
            counts[column] = KINDS[CODE]
        if growth is None:
            return counts
        if growth.nominal:
            counts = np.append(counts, np.where(growth.nominal, 0, -1))
        for column, kind in growth.words.items():
            counts[column] = KINDS[kind]
        for column, new in growth.values.items():
            counts[column] += len(new)
        return counts

    def commit(self, growth: Growth) -> None:
        """Make what a successful call has discovered part of the model. Doing it again changes nothing."""
        if growth.names and growth.names[-1] not in self.index:
            width = len(
                self.index
            )  # the index is written last: a change that is interrupted before has no effect
            if self.names is not None:
                self.names[width:] = growth.names
            self.books[width:] = [CodeBook() if nominal else None for nominal in growth.nominal]
            more = [width + at for at, nominal in enumerate(growth.nominal) if nominal]
            self._nominal = [column for column in self._nominal if column < width] + more
            self.words.update(growth.words)
            self.twins.update(growth.twins)
            self.d0 = self.d0 or self.width
            self.index.update({name: width + at for at, name in enumerate(growth.names)})
        for column, new in growth.values.items():
            book = self.books[column]
            if book is not None:
                book.extend(new)


def resolve_categorical(categorical: Any, names: Sequence[Name] | None, width: int) -> list[bool]:
    """Turn `categorical_features` (mask, column numbers or names) into one flag per column."""
    nominal = [False] * width
    if categorical is None:
        return nominal
    entries = _entries(categorical)
    if _is_mask(entries):
        if len(entries) != width:
            raise ValueError(
                f"categorical_features is a mask of length {len(entries)}, but X has {width} columns."
            )
        return [bool(flag) for flag in entries]
    for entry in entries:
        if isinstance(entry, str):
            if names is None or entry not in names:
                known = "X has no column names" if names is None else f"the columns are {list(names)[:10]}"
                raise ValueError(f"categorical_features names the column {entry!r}, but {known}.")
            nominal[list(names).index(entry)] = True
        elif isinstance(entry, int) and not isinstance(entry, bool) and -width <= entry < width:
            nominal[entry] = True
        else:
            raise ValueError(
                f"categorical_features contains {entry!r}; allowed are a mask, names, "
                f"or column numbers from 0 to {width - 1}."
            )
    return nominal


def categorical_names(categorical: Any) -> list[Name]:
    """Return `categorical_features` for dict rows, whose columns have names and no fixed positions."""
    if categorical is None:
        return []
    entries = _entries(categorical)
    if _is_mask(entries):
        raise ValueError(
            "categorical_features is a mask, but the rows are dicts: give the names of the columns."
        )
    for entry in entries:
        if isinstance(entry, bool) or not isinstance(entry, str | int):
            raise ValueError(
                f"categorical_features contains {entry!r}; for dicts it must hold the names of columns."
            )
    return entries


def _entries(categorical: Any) -> list[Any]:
    if isinstance(categorical, str):
        raise ValueError(f"categorical_features={categorical!r} must be a list: [{categorical!r}].")
    return [plain(entry) for entry in categorical]


def _is_mask(entries: list[Any]) -> bool:
    return bool(entries) and all(isinstance(entry, bool) for entry in entries)


def check_names(expected: Sequence[Name] | None, given: Sequence[Name] | None, estimator: str) -> None:
    """Refuse a frame whose columns are not the model's, in scikit-learn's words. Their order does not matter."""
    if expected is None and given is None:
        return
    if expected is None:
        raise ValueError(
            f"This {estimator} addresses columns by position (its first rows were an array), "
            "but X has column names: pass X.to_numpy(), or start again with fit."
        )
    if given is None:
        raise ValueError(
            f"This {estimator} addresses columns by name (its first rows were a frame or dicts), "
            "but X has no column names: pass a frame with the same columns."
        )
    if expected == given:
        return
    known, now = set(expected), set(given)
    if known == now:
        return
    message = "The feature names should match those that were passed during fit.\n"
    unseen, gone = (
        [name for name in given if name not in known],
        [name for name in expected if name not in now],
    )
    for title, names in (
        ("Feature names unseen at fit time", unseen),
        ("Feature names seen at fit time, yet now missing", gone),
    ):
        if names:
            message += f"{title}:\n" + "".join(f"- {name}\n" for name in sorted(map(str, names))[:5])
            message += "- ...\n" if len(names) > 5 else ""
    raise ValueError(message)
