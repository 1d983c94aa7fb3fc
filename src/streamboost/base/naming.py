"""Columns by name and value for people, by position and code for readers of files: from one to the other.

A reader of files hands out arrays: columns by position, nominal values as codes in order of first appearance. Before
such a model is saved its columns get the names and values of the file; before a reader feeds it again they are taken
off. Neither touches a number of the model: codes stay what they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from streamboost.base.inputs.codes import CodeBook
from streamboost.base.inputs.schema import Name, Schema
from streamboost.base.session import Session


@dataclass(frozen=True)
class ColumnNames:
    """``names`` is None where columns are addressed by position; ``values`` is None for a numeric column."""

    names: tuple[Name, ...] | None
    values: tuple[tuple[Any, ...] | None, ...]


def column_names(schema: Schema) -> ColumnNames:
    """The columns of a schema as people know them."""
    values = tuple(None if book is None else tuple(book.values) for book in schema.books)
    return ColumnNames(None if schema.names is None else tuple(schema.names), values)


def to_codes(model: Any) -> ColumnNames:
    """Take names and texts off: columns are addressed by position, texts by their codes. Returns what was there."""
    session = _session(model)
    with session.writing:
        before = column_names(session.schema)
        session.schema.names = None
        for column, values in enumerate(before.values):
            if values is not None and holds_text(values):
                session.schema.books[column] = CodeBook(float(code) for code in range(len(values)))
        _refresh(session)
    return before


def to_names(model: Any, names: Sequence[Name] | None, texts: Mapping[int, Sequence[Any]]) -> None:
    """Give a model that was fed positions and codes the names of its columns and the texts of their codes."""
    session = _session(model)
    with session.writing:
        schema = session.schema
        if names is not None and (len(names) != schema.width or len(set(names)) != len(names)):
            raise ValueError(f"{schema.width} columns need as many different names, got {list(names)[:10]}.")
        schema.names = None if names is None else list(names)
        for column, values in texts.items():
            book = schema.books[column]
            if book is not None:
                schema.books[column] = CodeBook(values[int(code)] for code in book.values)
        _refresh(session)


def holds_text(values: Sequence[Any]) -> bool:
    """Whether the values of a nominal column are written as texts; numbers stand for themselves."""
    return any(isinstance(value, str) for value in values)


def _session(model: Any) -> Session:
    session: Session | None = getattr(model, "_session", None)
    if session is None:
        raise ValueError(f"This {type(model).__name__} has learned nothing yet: it has no columns.")
    return session


def _refresh(session: Session) -> None:
    session.schema._reindex()
    session.fast = None  # it holds the old names
    session.refresh_fast()
