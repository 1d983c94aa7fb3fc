"""The columns of a model as people know them: by name and value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from streamboost.base.inputs.schema import Name, Schema


@dataclass(frozen=True)
class ColumnNames:
    """``names`` is None where columns are addressed by position; ``values`` is None where a column has no categories.

    ``words`` are the columns of texts and identifiers, by their number.
    """

    names: tuple[Name, ...] | None
    values: tuple[tuple[Any, ...] | None, ...]
    words: Mapping[int, str] = field(default_factory=dict)


def column_names(schema: Schema) -> ColumnNames:
    """The columns of a schema as people know them."""
    values = tuple(None if book is None else tuple(book.values) for book in schema.books)
    return ColumnNames(None if schema.names is None else tuple(schema.names), values, dict(schema.words))


def holds_text(values: Sequence[Any]) -> bool:
    """Whether the values of a nominal column are written as texts; numbers stand for themselves."""
    return any(isinstance(value, str) for value in values)
