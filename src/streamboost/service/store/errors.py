"""What a store may refuse: a short code for programs, a sentence and a hint for people."""

from __future__ import annotations


class StoreError(Exception):
    """A request that cannot be done now; ``status`` is its HTTP status."""

    status = 500
    code = "internal"
    retry_after: float | None = None

    def __init_subclass__(cls, *, status: int, code: str, retry_after: float | None = None) -> None:
        cls.status, cls.code, cls.retry_after = status, code, retry_after

    def __init__(
        self, message: str, *, hint: str | None = None, field: str | None = None, code: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.field = field
        if code is not None:
            self.code = code


class BadRequest(StoreError, status=400, code="bad_request"):
    """The request is wrong in itself: sending it again is no use."""


class Refused(StoreError, status=422, code="refused"):
    """Well formed, but the model does not take it."""


class NotFound(StoreError, status=404, code="not_found"):
    """There is no such thing."""


class Conflict(StoreError, status=409, code="conflict"):
    """There is such a thing already, or it is not in a state for this."""


class QueueFull(StoreError, status=429, code="queue_full", retry_after=1.0):
    """More work is waiting than the store wants to hold."""


class ReadOnly(StoreError, status=503, code="read_only", retry_after=5.0):
    """The disk does not take what is written: nothing new is accepted until it does."""


class NotReady(StoreError, status=503, code="not_ready", retry_after=1.0):
    """The store is starting or stopping."""


class OutOfMemory(StoreError, status=503, code="out_of_memory", retry_after=5.0):
    """There was no memory for this; nothing of it was recorded or learned."""
