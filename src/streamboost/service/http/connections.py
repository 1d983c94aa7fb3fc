"""Connections: how many there may be, and how long the head of a request may take."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD = 20.0
"""Seconds in which the whole head of a request must come, however its bytes are spread."""


class Connections:
    """All connections by their address.

    When there are too many, of one address or in all, the one that has waited longest for its head goes: whoever sends a whole
    request, such as a health check, gets in. If all have sent theirs, the newcomer is let go.
    """

    def __init__(self, per_address: int = 1_000, total: int = 2_000) -> None:
        self.per_address, self.total = per_address, total
        self._open: dict[str, set[HeadTimeoutProtocol]] = {}
        self._n = 0
        self._headless: dict[HeadTimeoutProtocol, None] = {}  # in the order in which they began

    def add(self, one: HeadTimeoutProtocol) -> None:
        """A new connection; makes room for it if there is none."""
        same = self._open.setdefault(one.address, set())
        if len(same) >= self.per_address:
            self._make_room(one, lambda other: other.address == one.address)
        elif self._n >= self.total:
            self._make_room(one, lambda other: True)
        same.add(one)
        self._n += 1

    def _make_room(self, one: HeadTimeoutProtocol, counts: Any) -> None:
        slow = next((other for other in self._headless if counts(other)), one)
        self._headless.pop(slow, None)
        slow.transport.abort()

    def remove(self, one: HeadTimeoutProtocol) -> None:
        """The connection has ended."""
        self._headless.pop(one, None)
        same = self._open.get(one.address, set())
        if one in same:
            same.remove(one)
            self._n -= 1
        if not same:
            self._open.pop(one.address, None)

    def awaits_head(self, one: HeadTimeoutProtocol) -> None:
        """Its head has yet to come."""
        self._headless[one] = None

    def has_head(self, one: HeadTimeoutProtocol) -> None:
        """Its head has come."""
        self._headless.pop(one, None)


class HeadTimeoutProtocol(HttpToolsProtocol):
    """Lets go of connections whose head does not come in time."""

    together = Connections()
    patience = HEAD
    address = ""
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the clock: the head of a request must come in time."""
        super().connection_made(transport)
        self.address = str(self.client[0]) if self.client else ""
        self.together.add(self)
        self._arm()

    def _arm(self) -> None:
        if self._timer is None:  # the deadline is from the first byte: further bytes do not extend it
            self._timer = self.loop.call_later(self.patience, self.transport.abort)
            self.together.awaits_head(self)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.together.has_head(self)

    def data_received(self, data: bytes) -> None:
        """Take some bytes. After an answer they begin another head."""
        if self.cycle is None or self.cycle.response_complete:
            self._arm()
        super().data_received(data)

    def on_headers_complete(self) -> None:
        """The head came in time: stop the clock."""
        self._disarm()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is there any more: stop the clock."""
        self._disarm()
        self.together.remove(self)
        super().connection_lost(exc)


def limited(per_address: int, total: int) -> type[HeadTimeoutProtocol]:
    """The protocol of one server, with its own connections."""
    return type("LimitedProtocol", (HeadTimeoutProtocol,), {"together": Connections(per_address, total)})
