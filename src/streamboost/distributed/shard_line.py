"""The driver's side of the shards: what was sent, what is back, and how everything goes on after a loss.

Chunks are numbered. Each is written to the log, then sent; at most `window` messages are on their way, so that a fast source
waits for slow shards. Every so many chunks all shards write their state. When a shard is lost, all of them go back to the newest
complete line of snapshots and take the chunks since from the log: what they learn is a function of those, so every bit is as
before. Answers that had arrived are not given twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from streamboost.distributed.engines import Engine, ShardLost, Source
from streamboost.distributed.folder import Folder, complete_lines, log_name, record
from streamboost.distributed.parts import Arrays, Lanes, Plan, cut_state, join_states
from streamboost.distributed.stage import Room, Spec

_TRIES = 20  # losses in a row, without a single answer in between


@dataclass(frozen=True)
class _Sent:
    seq: int
    trains: bool
    wanted: bool
    source: Source


class ShardLine:
    """Shards in a row behind one driver."""

    def __init__(
        self, plan: Plan, lanes: list[Lanes], engine: Engine, folder: Folder, *, every: int, window: int
    ) -> None:
        self.plan = plan
        self.lanes = lanes
        self.engine = engine
        self.folder = folder
        self.every = every
        self.window = window
        self.next_seq = 0
        self.losses = 0
        self.recovery_seconds: list[float] = []
        self.line_complete: Callable[[], None] = lambda: None
        self.uncommitted: list[dict[str, Any]] = []
        """What logged chunks have discovered and the driver's code maps do not hold yet."""
        self._tickets = 0
        self._flying = 0
        self._pending: dict[int, _Sent] = {}
        self._answers: dict[int, bytes] = {}

    # Starting.

    def _specs(self) -> list[Spec]:
        return [Spec(self.plan, lanes, self.folder.url, self.folder.sync, self.every) for lanes in self.lanes]

    def start(self, room: Room | None, state: Arrays) -> None:
        """Start the shards with the state of a whole model, and write the first line."""
        self.engine.start(self._specs())
        parts = cut_state(state, self.lanes)
        self.engine.call("begin", [(room, part, self.next_seq) for part in parts])
        self.engine.call("save", [()] * len(self.lanes))

    def resume(self, next_seq: int) -> None:
        """Start the shards with what the folder holds: its newest complete line and the log up to `next_seq`."""
        self.next_seq = next_seq
        self.engine.start(self._specs())
        self._go_back()
        self.drain()

    # Messages.

    @property
    def _logged_here(self) -> bool:
        """Whether shards find chunks in the log by themselves."""
        return self.engine.reads_log and self.folder.is_local

    def train(self, growth: dict[str, Any], chunk: bytes, *, wanted: bool) -> int:
        """Log a chunk and send it; return the ticket of its answer."""
        self._make_room()
        head = record(growth)
        self.folder.write(log_name(self.next_seq), head, chunk)
        source = Source(None if self._logged_here else chunk, self.next_seq, len(head))
        self.next_seq += 1
        if growth:
            self.uncommitted.append(growth)
        return self._send(_Sent(self.next_seq - 1, True, wanted, source))

    def question(self, chunk: bytes) -> int:
        """Send rows to be answered after all chunks so far; return the ticket of the answer."""
        self._make_room()
        return self._send(_Sent(self.next_seq, False, True, Source(chunk, self.next_seq)))

    def answer(self, ticket: int) -> bytes:
        """Wait for an answer."""
        while ticket not in self._answers:
            self._receive()
        return self._answers.pop(ticket)

    def drain(self) -> None:
        """Wait until everything that was sent is through."""
        while self._pending:
            self._receive()

    def _make_room(self) -> None:
        while len(self._pending) >= self.window:
            self._receive()

    def _send(self, sent: _Sent) -> int:
        ticket = self._tickets
        self._tickets += 1
        self._pending[ticket] = sent
        try:
            self._flying += 1
            self.engine.send(ticket, sent.seq, sent.source)
        except ShardLost as error:
            self._recover(error)
        return ticket

    def _receive(self) -> None:
        try:
            self._receive_one()
        except ShardLost as error:
            self._recover(error)

    def _receive_one(self) -> None:
        ticket, reply = self.engine.receive()
        self._flying -= 1
        sent = self._pending.pop(ticket, None)
        if sent is None:  # its answer had arrived before the loss
            return
        if sent.wanted:
            self._answers[ticket] = reply
        if sent.trains and (sent.seq + 1) % self.every == 0:
            self._cut_log(sent.seq + 1)

    # Losses.

    def _recover(self, error: ShardLost) -> None:
        began = time.perf_counter()
        for _ in range(_TRIES):
            self.losses += 1
            before = len(self._pending)
            try:
                self.engine.revive()
                self._go_back()
                self.recovery_seconds.append(time.perf_counter() - began)
                return
            except ShardLost as again:
                error = again
                if len(self._pending) < before:
                    began = time.perf_counter()
        raise RuntimeError(f"the shards cannot be brought back: {error}") from error

    def _go_back(self) -> None:
        lines = complete_lines(self.folder.names(), self.lanes)
        if not lines:
            raise RuntimeError(f"{self.folder.url} holds no complete line of snapshots of these shards.")
        self.engine.call("load", [(lines[-1],)] * len(self.lanes))
        self._flying = 0
        first = lines[-1]
        pending = dict(self._pending)
        trained = {sent.seq: ticket for ticket, sent in pending.items() if sent.trains}
        if first - 1 in trained:  # the shards know their replies to the last chunk before the line
            first -= 1
        for seq in range(first, self.next_seq + 1):
            for ticket, sent in pending.items():
                if not sent.trains and sent.seq == seq:
                    self._send_again(ticket, sent)
            if seq < self.next_seq:
                ticket = trained.get(seq, -1)
                sent = pending.get(ticket) or _Sent(seq, True, False, self._logged(seq))
                self._send_again(ticket, sent)

    def _send_again(self, ticket: int, sent: _Sent) -> None:
        while self._flying >= self.window:
            self._receive_one()
        self._flying += 1
        self.engine.send(ticket, sent.seq, sent.source)

    def _logged(self, seq: int) -> Source:
        data = self.folder.read(log_name(seq))
        offset = 8 + int.from_bytes(data[:8], "little")
        return Source(None if self._logged_here else data[offset:], seq, offset)

    def _cut_log(self, next_seq: int) -> None:
        """A line is complete: what is older is needed no more."""
        self.line_complete()
        for name in self.folder.names():
            kind, _, rest = name.partition("-")
            if kind in ("log", "line") and int(rest.split("-")[0]) < next_seq:
                self.folder.delete(name)

    # The whole.

    def call(self, method: str, *arguments: Any) -> list[Any]:
        """Call a method of every shard when all that was sent is through."""
        while True:
            self.drain()
            try:
                return self.engine.call(method, [arguments] * len(self.lanes))
            except ShardLost as error:
                self._recover(error)

    def state(self) -> Arrays:
        """Return the state of the whole model."""
        return join_states(self.call("state"))

    def checkpoint(self) -> None:
        """Write a line now."""
        self.call("save")
        self._cut_log(self.next_seq)

    def scale(self, lanes: list[Lanes]) -> None:
        """Go on with other shards: drain, join, cut."""
        state, room = self.state(), self.call("info")[-1]["room"]
        self.engine.close()
        self.lanes = lanes
        self.start(room if len(room[0]) else None, state)
        self._cut_log(self.next_seq)
