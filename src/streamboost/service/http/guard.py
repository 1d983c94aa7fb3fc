"""What stands before every request: bodies are counted as they come, slow ones sent away, answers carry safe headers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from streamboost.service.http.errors import Forbidden, TooLarge, TooSlow, WrongType, respond

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

BODY = 1_000_000
"""Bytes of a body, or of a line."""
FILE = 256_000_000
"""Bytes of a model file."""
PATIENCE = 20.0
"""Seconds in which the next piece of a body must come, and a piece of an answer must be taken."""
WHOLE = 3
"""Times that for a whole body, or for one line of many."""
WHOLE_FILE = 45
"""Times that for a model file."""

_SAFE = [
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]

_HERE = (b"127.0.0.1", b"localhost", b"[::1]")


class Guard:
    """An ASGI layer before the routes: sizes, deadlines, origins and headers."""

    def __init__(self, app: ASGIApp, patience: float = PATIENCE, *, local: bool = False) -> None:
        self._app, self._patience, self._local = app, patience, local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request pass, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def watched_send(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message.get("headers", ()), *_SAFE]
                if message["status"] >= 400 and not body.done:  # the rest of the body is not read
                    message["headers"].append((b"connection", b"close"))
            with Deadline(self._patience, ClientGone()):  # somebody who never reads
                await send(message)

        headers = dict(scope["headers"])
        lines = headers.get(b"content-type", b"").split(b";")[0].strip() == b"application/x-ndjson"
        file = scope["method"] == "PUT"
        limit = FILE if file else BODY
        body = Body(receive, None if lines else limit, self._patience, WHOLE_FILE if file else WHOLE)
        body.done = headers.get(b"content-length", b"0") == b"0" and b"transfer-encoding" not in headers
        try:
            origin = headers.get(b"origin")
            if origin is not None and origin.partition(b"://")[2] != headers.get(b"host", b""):
                raise Forbidden("Pages of other sites may not talk to this service.", field="Origin")
            if self._local and headers.get(b"host", b"").rsplit(b":", 1)[0] not in _HERE:
                raise Forbidden(
                    "Without tokens the service answers to this machine's own names only.", field="Host"
                )
            if headers.get(b"content-encoding", b"identity") != b"identity":
                raise WrongType("Compressed bodies are not read.", field="Content-Encoding")
            length = headers.get(b"content-length", b"0")
            if not lines and length.isdigit() and int(length) > limit:
                raise TooLarge(f"The body has {int(length):,} bytes; {limit:,} are allowed.")
            await self._app(scope, body.next, watched_send)
        except (Forbidden, TooLarge, TooSlow, WrongType) as error:
            if started:
                raise ClientGone from error
            response = respond(error)
            await response(scope, receive, watched_send)
        except ClientGone:
            return


class Body:
    """A body as it comes in: counted, and with a clock for each piece and for all of it.

    Of lines there is no end, so the clock for the whole starts anew with every line.
    """

    def __init__(self, receive: Receive, limit: int | None, patience: float, whole: int) -> None:
        self._receive, self._limit, self._patience = receive, limit, patience
        self._whole = whole * patience
        self._until: float | None = None
        self._n = 0
        self.done = False

    async def next(self) -> Message:
        """The next piece."""
        now = asyncio.get_running_loop().time()
        if self._until is None:
            self._until = now + self._whole
        if self.done:  # all that can still come is the end of the connection
            return await self._receive()
        with Deadline(max(0.0, min(self._patience, self._until - now)), self._late()):
            message = await self._receive()
        if message["type"] == "http.disconnect" and self._limit is not None:
            raise ClientGone
        piece = message.get("body", b"")
        self._n += len(piece)
        self.done = not message.get("more_body", False)
        if self._limit is None and b"\n" in piece:
            self._until = None
        if self._limit is not None and self._n > self._limit:
            raise TooLarge(f"The body is longer than {self._limit:,} bytes.")
        return message

    def _late(self) -> TooSlow:
        return TooSlow(
            f"The body did not come in time: {self._patience:g} s for the next part, {self._whole:g} s for all of it."
        )


class Deadline:
    """Ends what is awaited inside after some seconds; much cheaper than a task of its own for each message."""

    def __init__(self, seconds: float, error: Exception) -> None:
        self._seconds, self._error = seconds, error
        self._late = False

    def __enter__(self) -> None:
        self._task = asyncio.current_task()
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._end)

    def _end(self) -> None:
        self._late = True
        if self._task is not None:
            self._task.cancel()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._timer.cancel()
        if self._late and kind is asyncio.CancelledError:
            if self._task is not None and hasattr(self._task, "uncancel"):
                self._task.uncancel()
            raise self._error from None


class ClientGone(Exception):
    """The client has closed the connection."""
