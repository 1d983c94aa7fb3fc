"""The handles by which tests look inside a store of models; users have none of them."""

from __future__ import annotations

from typing import Any


def writer_of(store: Any) -> Any:
    """The thread that writes."""
    return store._writer


def database_of(store: Any) -> Any:
    """The connection of the calling thread."""
    return store._db()


def futures_of(waiting: Any) -> Any:
    """Who waits, and for what."""
    return waiting._pending()


def key_database_of(keyed: Any) -> Any:
    """The connection of models by key, for a test that fills the disk."""
    return keyed._store._db
