"""Clients that are slow, many, refused or gone: they hurt nobody, and their end is not logged as ours."""

from __future__ import annotations

import contextlib
import logging
import socket
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from streamboost.service.http.connections import HeadTimeoutProtocol, limited
from tests.service.test_http import DESCRIPTION, Running
from tests.waiting import PATIENCE, until

BODY = b"POST /v1/models/m/learn HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"
LINES = (
    b"POST /v1/models/m/learn HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
    b"Content-Type: application/x-ndjson\r\n\r\n1\r\n{\r\n"
)


def connected(running: Running) -> socket.socket:
    return socket.create_connection(("127.0.0.1", running.port), timeout=PATIENCE)


def dripped(connection: socket.socket, piece: bytes) -> tuple[bytes, float]:
    """A piece every tenth of a second until the other side has had enough; what it said, and after how long."""
    begin = time.monotonic()
    connection.settimeout(0.1)
    while time.monotonic() - begin < PATIENCE:
        try:
            return connection.recv(65536), time.monotonic() - begin
        except TimeoutError:
            with contextlib.suppress(OSError):
                connection.sendall(piece)
        except OSError:
            return b"", time.monotonic() - begin
    raise AssertionError("it listens for ever")


@pytest.mark.parametrize("piece", [b"", b"x"], ids=["silence", "drops"])
def test_a_slow_head_is_sent_away(tmp_path: Path, piece: bytes) -> None:
    protocol = type("Impatient", (HeadTimeoutProtocol,), {"patience": 0.5})
    running = Running(tmp_path, protocol=protocol)
    try:
        for again in (False, True):
            with connected(running) as connection:
                if again:  # not the first request of its connection
                    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    assert b" 200 " in connection.recv(65536)
                connection.sendall(b"GET / HTTP/1.1\r\nX: ")
                said, seconds = dripped(connection, piece)
                assert said == b""
                assert 0.4 < seconds < PATIENCE / 2
    finally:
        running.close()


@pytest.mark.parametrize(
    ("start", "piece", "answer"),
    [(BODY, b"", b" 408 "), (BODY, b" ", b" 408 "), (LINES, b"1\r\n \r\n", b"200")],
    ids=["silence", "drops", "drops of a line"],
)
def test_a_slow_body_is_sent_away(tmp_path: Path, start: bytes, piece: bytes, answer: bytes) -> None:
    running = Running(tmp_path, patience=0.5)
    try:
        running.store.create("m", **DESCRIPTION)
        with connected(running) as connection:
            connection.sendall(start)
            said, seconds = dripped(connection, piece)
            assert answer in said
            while said and b"200" in answer:  # the head of the answer comes before its lines
                said, seconds = dripped(connection, piece)
            assert seconds < PATIENCE / 2
    finally:
        running.close()


def test_many_slow_heads_keep_nobody_out(tmp_path: Path) -> None:
    running = Running(tmp_path, protocol=limited(per_address=20, total=30))
    slow = []
    try:
        for _ in range(100):
            connection = connected(running)
            connection.sendall(b"GET /hea")
            slow.append(connection)
            assert httpx.get(f"http://127.0.0.1:{running.port}/healthz").status_code == 200
        open_now = running.server.server_state.connections
        until(lambda: len(open_now) <= 20)
    finally:
        for connection in slow:
            connection.close()
        running.close()


def test_more_than_an_address_may_have_are_let_go(tmp_path: Path) -> None:
    running = Running(tmp_path, protocol=limited(per_address=3, total=30))
    try:
        running.store.create("m", **DESCRIPTION)
        busy = [connected(running) for _ in range(3)]
        for connection in busy:
            connection.sendall(BODY)  # its head is there
        protocols = running.server.server_state.connections
        until(lambda: len(protocols) == 3 and all(one.cycle is not None for one in protocols))
        with connected(running) as one_more:
            with contextlib.suppress(OSError):
                one_more.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            with contextlib.suppress(ConnectionResetError):
                assert one_more.recv(65536) == b""
        for connection in busy:
            connection.close()
        until(lambda: not protocols)
        assert running.http.get("/healthz").status_code == 200
    finally:
        running.close()


def test_a_refused_request_ends_its_connection(tmp_path: Path) -> None:
    running = Running(tmp_path, open_to_all=False)
    try:
        with connected(running) as connection:
            connection.sendall(BODY)
            said = b""
            while piece := connection.recv(65536):  # until it ends
                said += piece
            assert b" 401 " in said
            assert b"connection: close" in said.lower()
        answered = running.http.post("/v1/models", content=b"")  # nothing is left of this body
        assert answered.status_code == 401
        assert "connection" not in answered.headers
    finally:
        running.close()


def test_only_names_of_this_machine_are_its_names(tmp_path: Path) -> None:
    running = Running(tmp_path)
    try:
        for host, status in {
            "localhost": 200,
            "127.0.0.1:80": 200,
            "testserver": 403,
            "evil.com": 403,
        }.items():
            assert running.http.get("/healthz", headers={"Host": host}).status_code == status
    finally:
        running.close()


@pytest.mark.parametrize("start", [BODY, LINES, BODY.replace(b"/m/learn", b"/m/rollback")])
def test_a_client_that_leaves_is_not_our_error(tmp_path: Path, caplog: Any, start: bytes) -> None:
    running = Running(tmp_path)
    try:
        running.store.create("m", **DESCRIPTION)
        caplog.set_level(logging.INFO)
        with connected(running) as connection:
            connection.sendall(start)
            until(lambda: any(one.cycle for one in running.server.server_state.connections))
        until(lambda: not running.server.server_state.connections and not running.server.server_state.tasks)
        assert [r for r in caplog.records if r.levelno >= logging.WARNING] == []
    finally:
        running.close()
