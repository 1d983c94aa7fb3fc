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

_HERE = (b"127.0.0.1", b"localhost", b"[::1]", b"testserver")


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
                if message["status"] in (403, 408, 413, 415):  # what is left of the body is not waited for
                    message["headers"].append((b"connection", b"close"))
            with Deadline(self._patience, ClientGone()):  # somebody who never reads
                await send(message)

        headers = dict(scope["headers"])
        lines = headers.get(b"content-type", b"").split(b";")[0].strip() == b"application/x-ndjson"
        limit = FILE if scope["method"] == "PUT" else BODY
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
            await self._app(scope, self._counting(receive, None if lines else limit), watched_send)
        except (Forbidden, TooLarge, TooSlow, WrongType) as error:
            if started:
                raise ClientGone from error
            response = respond(error)
            await response(scope, receive, watched_send)
        except ClientGone:
            return

    def _counting(self, receive: Receive, limit: int | None) -> Receive:
        n = 0
        done = False
        late = TooSlow(f"The next part of the body did not come in {self._patience:g} s.")

        async def counted() -> Message:
            nonlocal n, done
            if done:  # what comes now is the end of the connection, whenever that is
                return await receive()
            with Deadline(self._patience, late):
                message = await receive()
            if message["type"] == "http.request":
                n += len(message.get("body", b""))
                done = not message.get("more_body", False)
                if limit is not None and n > limit:
                    raise TooLarge(f"The body is longer than {limit:,} bytes.")
            return message

        return counted


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
    """Nobody is there to be answered."""
