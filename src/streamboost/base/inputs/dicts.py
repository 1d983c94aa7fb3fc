"""Rows that are dicts: an absent key is a missing value, a new key is a new column."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np

from streamboost.base.inputs.arrays import LARGEST
from streamboost.base.inputs.cells import is_missing, plain, to_number
from streamboost.base.inputs.codes import check_scalar
from streamboost.base.inputs.dates import is_taken_apart, with_text_apart
from streamboost.base.inputs.encoding import CodedRows, refuse_value, without_zeros
from streamboost.base.inputs.schema import Growth, Name, Schema, categorical_names
from streamboost.base.inputs.word_columns import WordFeatures, word_cell


def first_dict_schema(x: Mapping[Any, Any], categorical: Any, words: WordFeatures | None) -> Schema:
    """Let the first dict fix names, width and kinds. Nothing is guessed: a text is nominal unless it is declared."""
    declared = categorical_names(categorical)
    present = {_name(key): value for key, value in x.items() if not is_missing(value)}
    names = list(present)
    kinds = {} if words is None else words.named()
    found = {column: kinds[name] for column, name in enumerate(names) if name in kinds}
    nominal = [
        name not in kinds and (_looks_nominal(value) or name in declared) for name, value in present.items()
    ]
    schema = Schema(names, nominal, declared, found, kinds)
    schema.open = schema.turns = words is not None and bool(names)
    return schema


def read_dict(x: Mapping[Any, Any], schema: Schema, estimator: str, *, grow: bool) -> CodedRows:
    """Return one row. Unknown keys become columns if `grow`, else they are ignored.

    In a model that began with sparse rows it is sparse as well: an absent key is 0.
    """
    row = array("d", [0.0 if schema.sparse else math.nan]) * schema.width
    words: dict[int, str | None] = dict.fromkeys(schema.words)
    growth = Growth()
    for key, value in x.items():
        column = schema.index.get(key, -1)
        if column < 0 and isinstance(value, str) and is_taken_apart(key, schema.index):
            return read_dict(with_text_apart(x, key), schema, estimator, grow=grow)
        if not schema.named and (column < 0 or column in schema.twins):
            raise ValueError(
                f"This {estimator} addresses columns by position (its first rows were an array): the keys of x must "
                f"be column numbers from 0 to {schema.width - 1}, got {key!r}."
            )
        if is_missing(value) or (column < 0 and not grow):
            if column >= 0:
                row[column] = math.nan
            continue
        if column < 0:
            name = _name(key)
            nominal = _looks_nominal(value) or name in schema.declared_nominal
            column = len(row)
            kind = schema.declared_words.get(name)
            if kind is not None:
                words[column], growth.words[column] = word_cell(value), kind
                row.append(math.nan)
                growth.names.append(name)
                growth.nominal.append(False)
                continue
            row.append(
                _new_code(value, name, growth, column) if nominal else _number(value, f"column {name!r}")
            )
            growth.names.append(name)
            growth.nominal.append(nominal)
            continue
        if column in words:
            words[column] = word_cell(value)
            continue
        book = schema.books[column]
        if book is None:
            row[column] = _number(value, schema.title(column))
            continue
        code, twin = book.codes[plain(value)], schema.twin_of(column)
        full = code < 0 and len(book) >= schema.most_values(column)
        if full and twin is None and schema.turns and grow:
            check_scalar(plain(value), f"A category of column {key!r}")
            twin = len(row)
            row.append(math.nan)
            schema.add_twin(column, twin, growth)
        if twin is not None:
            words[twin] = word_cell(value)
        if full:
            growth.capped += [] if schema.turns else [column]
            continue
        if code < 0 and grow:
            code = len(book)
            _new_code(value, key, growth, column)
        row[column] = code
    cells = list(words.values()) if words else None
    rows = CodedRows(1, dense=np.array(row).reshape(1, -1), growth=growth, words=cells)
    return without_zeros(rows) if schema.sparse else rows


def _new_code(value: Any, name: Name, growth: Growth, column: int) -> float:
    value = plain(value)
    check_scalar(value, f"A category of column {name!r}")
    growth.values[column] = [value]
    return 0.0


def _looks_nominal(value: Any) -> bool:
    return isinstance(value, str | bool | np.bool_)


def _name(key: Any) -> Name:
    name = plain(key)
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise TypeError(
            f"The keys of x must be text or whole numbers, got {key!r} of type {type(key).__name__}."
        )
    return name


def _number(value: Any, title: str) -> float:
    if isinstance(value, str | bytes):
        raise ValueError(f"{title} is numeric, but x holds the text {value!r} there.")
    number = to_number(value, title)
    if abs(number) > LARGEST:
        refuse_value(number, title, "x")
    return number
