"""The face of a model's columns: names and values that people know, over the positions and codes that readers give.

A reader of files hands out arrays: columns by position, nominal values as codes in order of first appearance. Before
such a model is saved its columns get the names and values of the file; before a reader feeds it again they are taken
off. Neither touches a number of the model: codes stay what they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from streamboost.base.codes import CodeBook
from streamboost.base.schema import Name
from streamboost.base.session import Session


@dataclass(frozen=True)
class Columns:
    """``names`` is None where columns are addressed by position; ``values`` is None for a numeric column."""

    names: tuple[Name, ...] | None
    values: tuple[tuple[Any, ...] | None, ...]


def columns_of_model(model: Any) -> Columns:
    """The columns of a model that has learned something."""
    schema = _session(model).schema
    values = tuple(None if book is None else tuple(book.values) for book in schema.books)
    return Columns(None if schema.names is None else tuple(schema.names), values)


def bare_columns(model: Any) -> Columns:
    """Take names and texts off: columns are addressed by position, texts by their codes. Returns what was there."""
    before = columns_of_model(model)
    session = _session(model)
    session.schema.names = None
    for column, values in enumerate(before.values):
        if values is not None and holds_text(values):
            session.schema.books[column] = CodeBook(float(code) for code in range(len(values)))
    _refresh(session)
    return before


def dress_columns(model: Any, names: Sequence[Name] | None, texts: Mapping[int, Sequence[Any]]) -> None:
    """Give a model that was fed positions and codes the names of its columns and the texts of their codes."""
    session = _session(model)
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
