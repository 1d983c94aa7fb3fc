"""The short way of the hot verbs: past the framework's layers, to the same acts."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from types import SimpleNamespace

from starlette.requests import Request
from starlette.responses import Response

from streamboost.service.http.errors import on_any_error, on_client_gone, respond
from streamboost.service.http.guard import ASGIApp, ClientGone, Receive, Scope, Send
from streamboost.service.store import StoreError

_HOT = re.compile(r"/v1/models/([^/]+)/(predict|label|learn|act|reward)")
Act = Callable[[Request], Awaitable[Response]]


class HotPathRouter:
    """An ASGI layer that answers POST to a hot path by itself and hands on everything else."""

    def __init__(self, app: ASGIApp, acts: dict[str, Act]) -> None:
        self._app = app
        self._acts = {
            verb: (act, SimpleNamespace(path=f"/v1/models/{{model}}/{verb}")) for verb, act in acts.items()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on."""
        found = (
            _HOT.fullmatch(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        )
        if found is None:
            await self._app(scope, receive, send)
            return
        act, scope["route"] = self._acts[found[2]]
        scope["path_params"] = {"model": found[1]}
        request = Request(scope, receive)
        try:
            response = await act(request)
        except StoreError as error:
            response = respond(error)
        except ClientGone as error:
            response = await on_client_gone(request, error)
        except Exception as error:
            response = await on_any_error(request, error)
        await response(scope, receive, send)
