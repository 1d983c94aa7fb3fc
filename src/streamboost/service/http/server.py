"""The process: uvicorn with a limit on slow heads, signals, JSON logs, and a clean end."""

from __future__ import annotations

import contextlib
import gc
import ipaddress
import json
import logging
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn

from streamboost.base.system import STOP_SIGNALS, bind_alone
from streamboost.service.http import tokens
from streamboost.service.http.app import make_app
from streamboost.service.http.connections import limited
from streamboost.service.store import BadRequest, Conflict, LearningStore, Settings
from streamboost.service.store.estimators import quiet

log = logging.getLogger("streamboost.http")


@dataclass(frozen=True)
class Options:
    """How to serve a folder."""

    folder: Path
    host: str = "127.0.0.1"
    port: int = 8000
    open_to_all: bool = False
    """Whether requests need no token; on this machine only."""
    rate: float = 10_000.0
    grace: float = 30.0
    """Seconds that requests may still take after a signal to stop."""
    certfile: Path | None = None
    keyfile: Path | None = None
    connections: int = 2_000
    per_address: int = 1_000
    """Connections of one address at most; a proxy in front is one address."""
    alarm_url: str | None = None
    """Where alarms are posted."""
    sources: tuple[str, ...] = ()
    source_model: str | None = None
    models: tuple[tuple[str, Path], ...] = ()
    """Model files to start with, by name."""
    json: bool = False
    quiet_log: bool = False
    settings: Settings = field(default_factory=Settings)


class Server(uvicorn.Server):
    """Stops at a signal, and leaves it at that: the store has yet to be closed when the last request is answered."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take the signals as long as requests are served."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        kept = {number: signal.signal(number, self.handle_exit) for number in STOP_SIGNALS}
        try:
            yield
        finally:
            for number, handler in kept.items():
                signal.signal(number, signal.SIG_IGN if number == signal.SIGTERM else handler)


class JsonLines(logging.Formatter):
    """One JSON object per line."""

    _usual = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}

    def format(self, record: logging.LogRecord) -> str:
        """Format one record; what was given as ``extra`` is in it."""
        found: dict[str, Any] = {
            "at": round(record.created, 3),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        found |= {key: value for key, value in vars(record).items() if key not in self._usual}
        if record.exc_info:
            found["traceback"] = self.formatException(record.exc_info)
        return json.dumps(found, default=str)


def _logging(quietly: bool) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger("streamboost")
    root.handlers, root.propagate = [handler], False
    root.setLevel(logging.ERROR if quietly else logging.INFO)
    logging.captureWarnings(True)
    warned = logging.getLogger("py.warnings")
    warned.handlers, warned.propagate = [handler], False


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def serve(options: Options) -> int:
    """Serve until a signal comes; returns the exit code."""
    _logging(options.quiet_log)
    quiet()
    if options.open_to_all and not _is_local(options.host):
        raise BadRequest(f"--no-tokens is for this machine only; {options.host} is not.", field="host")
    if options.alarm_url is not None and not options.alarm_url.startswith(("http://", "https://")):
        raise BadRequest(
            f"--alarm-url {options.alarm_url}: it begins with http:// or https://.", field="alarm_url"
        )
    # What was imported stays; what requests leave behind is mostly freed at once. So garbage is looked for seldom.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    bound = _bind(options.host, options.port)
    store = LearningStore(options.folder, options.settings, wait=False)
    try:
        return _serve(options, store, bound)
    finally:
        bound.close()
        store.close()


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bind_alone(bound, (host, port))
    except OSError as error:
        bound.close()
        raise Conflict(f"{host}:{port} cannot be used: {error.strerror}.") from error
    return bound


def _serve(options: Options, store: LearningStore, bound: socket.socket) -> int:
    config = uvicorn.Config(
        make_app(store, open_to_all=options.open_to_all, rate=options.rate, alarm_url=options.alarm_url),
        http=limited(options.per_address, options.connections),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=options.connections + 1,
        timeout_graceful_shutdown=max(1, int(options.grace)),
        ssl_certfile=None if options.certfile is None else str(options.certfile),
        ssl_keyfile=None if options.keyfile is None else str(options.keyfile),
    )
    server = Server(config)
    store.when_failed(lambda: setattr(server, "should_exit", True))  # the supervisor starts it again
    starting = threading.Thread(
        target=_announce, args=(options, store, bound, server), name="streamboost-start", daemon=True
    )
    starting.start()
    server.run(sockets=[bound])
    app: Any = config.app
    app.service.stopping.set()
    starting.join(options.grace)
    return 1 if store.failed is not None else 0


def _announce(options: Options, store: LearningStore, bound: socket.socket, server: Server) -> None:
    """When the log is replayed: make what is missing, say where it is, start the sources."""
    start = time.perf_counter()
    try:
        store.wait_ready()
    except Exception as error:
        log.error("cannot start: %s", error)
        server.should_exit = True
        return
    secret = None
    if not options.open_to_all and not tokens.read_tokens(options.folder):
        secret = tokens.create(options.folder, ["admin"], name="first")
    try:
        for name, path in options.models:
            if name not in store.names:
                store.create(name, file=path.read_bytes(), by="command line")
    except Exception as error:
        log.error("cannot start: %s", error)
        server.should_exit = True
        return
    while not (
        server.started or server.should_exit
    ):  # printed when the socket listens, so that a client may connect at once
        time.sleep(0.005)
    host, port = bound.getsockname()[:2]
    scheme = "http" if options.certfile is None else "https"
    url = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
    if options.json:
        print(json.dumps({"url": url, "admin_token": secret}), flush=True)
    else:
        print(f"serving {options.folder} at {url}", flush=True)
        if secret is not None:
            print(f"admin token, shown only this once: {secret}", flush=True)
    log.info("ready", extra={"url": url, "seconds": round(time.perf_counter() - start, 3)})
    if options.sources:
        from streamboost.service.sources import follow

        follow(store, options.sources, options.source_model, lambda: server.should_exit)
