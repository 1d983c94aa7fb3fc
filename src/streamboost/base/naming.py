"""The columns of a model as people know them: by name and value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from streamboost.base.inputs.schema import Name, Schema


@dataclass(frozen=True)
class ColumnNames:
    """``names`` is None where columns are addressed by position; ``values`` is None for a numeric column."""

    names: tuple[Name, ...] | None
    values: tuple[tuple[Any, ...] | None, ...]


def column_names(schema: Schema) -> ColumnNames:
    """The columns of a schema as people know them."""
    values = tuple(None if book is None else tuple(book.values) for book in schema.books)
    return ColumnNames(None if schema.names is None else tuple(schema.names), values)


def holds_text(values: Sequence[Any]) -> bool:
    """Whether the values of a nominal column are written as texts; numbers stand for themselves."""
    return any(isinstance(value, str) for value in values)
