"""One form for every error: ``{"error": {"code", "message", "hint", "field"}}``; never a traceback."""

from __future__ import annotations

import logging
import math
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from streamboost.service.store import StoreError
from streamboost.service.store.errors import OutOfMemory

log = logging.getLogger("streamboost.http")


class Unauthorized(StoreError, status=401, code="unauthorized"):
    """No token, or none that is known."""


class Forbidden(StoreError, status=403, code="forbidden"):
    """The token is good, but not for this."""


class TooLarge(StoreError, status=413, code="too_large"):
    """More than may be sent at once."""


class TooSlow(StoreError, status=408, code="too_slow"):
    """The body did not come in time."""


class WrongType(StoreError, status=415, code="unsupported_type"):
    """A body of a kind that is not read here."""


class TooMany(StoreError, status=429, code="rate_limit"):
    """The token's rate is used up."""


def as_dict(error: StoreError) -> dict[str, Any]:
    """What the caller gets to see."""
    shown = {"code": error.code, "message": error.message, "hint": error.hint, "field": error.field}
    return {"error": shown}


def headers(error: StoreError) -> dict[str, str]:
    """When to come again, how to come in."""
    found = {}
    if error.retry_after is not None:
        found["Retry-After"] = str(max(1, math.ceil(error.retry_after)))
    if error.status == 401:
        found["WWW-Authenticate"] = "Bearer"
    return found


def respond(error: StoreError) -> Response:
    """The answer to a request that failed."""
    return Response(
        msgspec.json.encode(as_dict(error)),
        status_code=error.status,
        headers=headers(error),
        media_type="application/json",
    )


def from_http(error: HTTPException) -> StoreError:
    """An error of the framework in our form."""
    found = StoreError(str(error.detail))
    found.status = error.status_code
    found.code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "http")
    return found


async def on_store_error(request: Request, error: Exception) -> Response:
    """Answer a request that the store refused."""
    assert isinstance(error, StoreError)
    return respond(error)


async def on_http_error(request: Request, error: Exception) -> Response:
    """Answer a request for which there is no route, in the same form."""
    assert isinstance(error, HTTPException)
    response = respond(from_http(error))
    for key, value in (error.headers or {}).items():
        response.headers[key] = value
    return response


async def on_client_gone(request: Request, error: Exception) -> Response:
    """No client is left to read it; the status is for the metrics, in the number that proxies use."""
    return Response(status_code=499)


async def on_any_error(request: Request, error: Exception) -> Response:
    """A bug of ours: the log has the traceback, the caller does not."""
    if isinstance(error, MemoryError):
        log.error("%s %s ran out of memory", request.method, request.url.path)
        return respond(OutOfMemory("There is not enough memory for this now.", hint="Send it again later."))
    log.exception("%s %s failed", request.method, request.url.path, exc_info=error)
    return respond(StoreError("Something went wrong inside; the log of the service says what."))
