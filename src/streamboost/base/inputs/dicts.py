"""Rows that are dicts: an absent key is a missing value, a new key is a new column."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost import _core
from streamboost.base.inputs.arrays import LARGEST, CodedRows, refuse_value
from streamboost.base.inputs.cells import is_missing, to_number
from streamboost.base.inputs.codes import MOST_CATEGORIES, check_scalar
from streamboost.base.inputs.labels import ClassCodes
from streamboost.base.inputs.schema import Growth, Name, Schema, categorical_names

UNSCALED = 10.0  # beyond this a linear learner without scaling deserves a word


def first_dict_schema(x: Mapping[Any, Any], categorical: Any) -> Schema:
    """Let the first dict fix names, width and kinds."""
    declared = categorical_names(categorical)
    names = [_name(key) for key, value in x.items() if not is_missing(value)]
    nominal = [_looks_nominal(x[name]) or name in declared for name in names]
    return Schema(names, nominal, declared)


def read_dict(x: Mapping[Any, Any], schema: Schema, estimator: str, *, grow: bool) -> CodedRows:
    """Return one dense row. Unknown keys become columns if `grow`, else they are ignored."""
    if not isinstance(x, Mapping):
        raise TypeError(f"x must be a dict of feature values, got {type(x).__name__}.")
    row = [math.nan] * schema.width
    growth = Growth()
    for key, value in x.items():
        column = schema.index.get(key, -1)
        if column < 0 and not schema.named:
            raise ValueError(
                f"This {estimator} addresses columns by position (its first rows were an array): the keys of x must "
                f"be column numbers from 0 to {schema.width - 1}, got {key!r}."
            )
        if is_missing(value) or (column < 0 and not grow):
            continue
        if column < 0:
            name = _name(key)
            nominal = _looks_nominal(value) or name in schema.declared_nominal
            column = len(row)
            row.append(
                _new_code(value, name, growth, column) if nominal else _number(value, f"column {name!r}")
            )
            growth.names.append(name)
            growth.nominal.append(nominal)
            continue
        book = schema.books[column]
        if book is None:
            row[column] = _number(value, schema.title(column))
            continue
        code = book.codes[_plain(value)]
        if code < 0 and len(book) >= MOST_CATEGORIES:
            growth.capped.append(column)
            continue
        if code < 0 and grow:
            code = len(book)
            _new_code(value, key, growth, column)
        row[column] = code
    return CodedRows(1, dense=np.array([row], dtype=np.float64), growth=growth)


def _new_code(value: Any, name: Name, growth: Growth, column: int) -> float:
    plain = _plain(value)
    check_scalar(plain, f"A category of column {name!r}")
    growth.values[column] = [plain]
    return 0.0


def _looks_nominal(value: Any) -> bool:
    return isinstance(value, str | bool | np.bool_)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _name(key: Any) -> Name:
    plain = _plain(key)
    if isinstance(plain, bool) or not isinstance(plain, str | int):
        raise TypeError(
            f"The keys of x must be text or whole numbers, got {key!r} of type {type(key).__name__}."
        )
    return plain


def _number(value: Any, title: str) -> float:
    if isinstance(value, str | bytes):
        raise ValueError(f"{title} is numeric, but x holds the text {value!r} there.")
    number = to_number(value, title)
    if abs(number) > LARGEST:
        refuse_value(number, title, "x")
    return number


class FastRow:
    """The shortest way from a dict with the usual keys to the core: no schema, no NumPy constructors.

    Anything unusual (a missing key, a new one, a new label or category, NaN, infinity, text among numbers) takes
    the long way, which decides and explains. Every row gets its own memory, so that threads may predict together.
    """

    __slots__ = ("_get", "_labels", "_nominal", "_run", "_width", "watch_scale")

    def __init__(self, schema: Schema, labels: ClassCodes, model: _core.Model, watch_scale: bool) -> None:
        names = range(schema.width) if schema.names is None else schema.names
        self._get = itemgetter(*names)
        self._width = schema.width
        self._nominal = [(i, book.codes) for i, book in enumerate(schema.books) if book is not None]
        self._labels = {label: np.array([code], np.int32) for label, code in labels.book.codes.items()}
        self._run = model.run
        self.watch_scale = watch_scale

    @staticmethod
    def fits(schema: Schema) -> bool:
        """Whether there is a short way for rows of this schema (`itemgetter` of one key gives no tuple)."""
        return schema.width > 1

    def covers(self, schema: Schema, labels: ClassCodes) -> bool:
        """Whether nothing has grown since this was made."""
        return self._width == schema.width and len(self._labels) == len(labels)

    def row(self, x: Mapping[Any, Any]) -> NDArray[np.float64] | None:
        """Return the row, or None if it needs a closer look."""
        try:
            if len(x) != self._width:
                return None
            items = self._get(x)
            if self._nominal:
                items = list(items)
                for column, codes in self._nominal:
                    items[column] = code = codes[items[column]]
                    if code < 0:
                        return None
            values = array("d", items)
        except (KeyError, TypeError, OverflowError):
            return None
        # One call that is false for NaN, infinity and what is next to it.
        if not math.hypot(*values) <= LARGEST:
            return None
        if self.watch_scale and max(max(values), -min(values)) > UNSCALED:
            return None
        return np.frombuffer(values).reshape(1, self._width)

    def learn(self, x: Mapping[Any, Any], y: Any) -> bool:
        """Learn one row; False if it needs the long way."""
        try:
            label = self._labels[y]
        except (KeyError, TypeError):
            return False
        row = self.row(x)
        if row is None:
            return False
        self._run(row, label, None, "none")
        return True

    def answer(self, x: Mapping[Any, Any], kind: str) -> NDArray[Any] | None:
        """Answer for one row; None if it needs the long way."""
        row = self.row(x)
        return None if row is None else self._run(row, None, None, kind)
