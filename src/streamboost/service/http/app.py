"""The application: one store, its routes, the page, and what stands before them."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import metadata, resources
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from streamboost.service.alarms import Alarms
from streamboost.service.http.errors import on_any_error, on_client_gone, on_http_error, on_store_error
from streamboost.service.http.fast import HotPathRouter
from streamboost.service.http.guard import PATIENCE, ASGIApp, ClientGone, Guard, Message, Receive, Scope, Send
from streamboost.service.http.live import Watcher
from streamboost.service.http.metrics import Metrics
from streamboost.service.http.routes import make_routes
from streamboost.service.http.tokens import TokenAuth
from streamboost.service.store import LearningStore, StoreError
from streamboost.service.store.database import SCHEMA
from streamboost.service.store.records import FORMAT

log = logging.getLogger("streamboost.http")
PAGE = {
    "index.html": "text/html; charset=utf-8",
    "page.css": "text/css",
    "page.js": "text/javascript",
    "charts.js": "text/javascript",
    "queries.js": "text/javascript",
    "uPlot.min.js": "text/javascript",
    "uPlot.min.css": "text/css",
    "icon.svg": "image/svg+xml",
}


class Service:
    """The objects that the routes share."""

    def __init__(
        self, store: LearningStore, *, open_to_all: bool, rate: float, alarm_url: str | None = None
    ) -> None:
        self.store = store
        self.auth = TokenAuth(store.folder, open_to_all=open_to_all, rate=rate)
        self.alarms = Alarms(store, alarm_url)
        self.metrics = Metrics(store, self.alarms)
        self.watcher = Watcher(store, self.alarms)
        self.stopping = asyncio.Event()

    def readiness(self) -> tuple[dict[str, Any], int]:
        """Whether requests should come here, and which versions of what are held."""
        ready = self.store.ready and self.store.read_only is None and not self.stopping.is_set()
        why = None
        if self.stopping.is_set():
            why = "stopping"
        elif self.store.failed is not None:
            why = f"the writer has ended: {self.store.failed!r}"
        elif not self.store.ready:
            why = "the log is being replayed"
        elif self.store.read_only is not None:
            why = self.store.read_only
        found = {
            "ready": ready,
            "why": why,
            "version": metadata.version("streamboost"),
            "schema": SCHEMA,
            "record_format": FORMAT,
        }
        return found, 200 if ready else 503


def make_app(
    store: LearningStore,
    *,
    open_to_all: bool = False,
    rate: float = 10_000.0,
    patience: float = PATIENCE,
    alarm_url: str | None = None,
) -> Any:
    """Return the ASGI application over a store.

    Parameters
    ----------
    store : LearningStore
        It is not closed by the application.
    open_to_all : bool
        Whether requests need no token; only for one's own machine.
    rate : float
        Requests a second of one token.
    patience : float
        Seconds in which the next piece of a body must come.
    alarm_url : str, optional
        Where alarms are posted.
    """
    service = Service(store, open_to_all=open_to_all, rate=rate, alarm_url=alarm_url)

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        service.stopping = asyncio.Event()
        yield
        service.stopping.set()
        service.alarms.close()

    routes, acts = make_routes(service)
    app = Starlette(
        routes=[*routes, *_page()],
        lifespan=life,
        exception_handlers={
            StoreError: on_store_error,
            HTTPException: on_http_error,
            ClientGone: on_client_gone,
            Exception: on_any_error,
        },
    )
    app.state.service = service
    return MetricsMiddleware(Guard(HotPathRouter(app, acts), patience, local=open_to_all), service, app)


def _page() -> list[Route]:
    """A fixed list of files, read once; no path of the caller's ever reaches the disk."""
    folder = resources.files("streamboost.service.page")
    held = {name: folder.joinpath(name).read_bytes() for name in PAGE if folder.joinpath(name).is_file()}

    async def index(request: Request) -> Response:
        return Response(held["index.html"], media_type=PAGE["index.html"])

    async def part(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in held:
            raise HTTPException(404, "Not Found")
        return Response(held[name], media_type=PAGE[name])

    return [Route("/", index), Route("/page/{name}", part)]


class MetricsMiddleware:
    """Counts and times requests, and writes a line about each that failed on our side."""

    def __init__(self, inner: ASGIApp, service: Service, app: Starlette) -> None:
        self._inner, self.service, self.app = inner, service, app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count and time one request."""
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        start, status = time.perf_counter(), 0

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._inner(scope, receive, noted)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            self.service.metrics.requests.labels(route, str(status)).inc()
            self.service.metrics.seconds.labels(route).observe(time.perf_counter() - start)
            if status >= 500:
                log.error(
                    "failed",
                    extra={"method": scope["method"], "path": scope["path"][:200], "status": status},
                )
