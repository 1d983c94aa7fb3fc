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
