"""What a store may refuse: a short code for programs, a sentence and a hint for people."""

from __future__ import annotations


class StoreError(Exception):
    """Something that cannot be done now; ``status`` is what HTTP calls it."""

    status = 500
    code = "internal"
    retry_after: float | None = None

    def __init__(
        self, message: str, *, hint: str | None = None, field: str | None = None, code: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.field = field
        if code is not None:
            self.code = code


class BadRequest(StoreError):
    """The request is wrong in itself: sending it again is no use."""

    status = 400
    code = "bad_request"


class Refused(StoreError):
    """Well formed, but the model does not take it."""

    status = 422
    code = "refused"


class NotFound(StoreError):
    """There is no such thing."""

    status = 404
    code = "not_found"


class Conflict(StoreError):
    """There is such a thing already, or it is not in a state for this."""

    status = 409
    code = "conflict"


class QueueFull(StoreError):
    """More work is waiting than the store wants to hold."""

    status = 429
    code = "queue_full"
    retry_after = 1.0


class ReadOnly(StoreError):
    """The disk does not take what is written: nothing new is accepted until it does."""

    status = 503
    code = "read_only"
    retry_after = 5.0


class NotReady(StoreError):
    """The store is starting or stopping."""

    status = 503
    code = "not_ready"
    retry_after = 1.0


class OutOfMemory(StoreError):
    """There was no memory for this; nothing of it was recorded or learned."""

    status = 503
    code = "out_of_memory"
    retry_after = 5.0
