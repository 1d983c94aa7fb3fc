"""What an engine does: it starts shards, takes messages through all of them in order, and says when one is lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from streamboost.distributed.folder import Folder, log_name, read_record
from streamboost.distributed.stage import Spec


class ShardLost(RuntimeError):
    """A shard has died, or cannot go on; the line starts again from its snapshots."""


@dataclass(frozen=True)
class Source:
    """Where the bytes of a chunk are: here, or in the log."""

    chunk: bytes | None
    seq: int
    offset: int = 0

    def read(self, folder: Folder) -> bytes:
        """Return the bytes of the chunk, from the message or from the log."""
        if self.chunk is not None:
            return self.chunk
        data = folder.read(log_name(self.seq))
        return data[read_record(data)[1] :]


class Engine(Protocol):
    """Shards in a row. Messages leave in the order in which they were sent."""

    name: str
    reads_log: bool
    """Whether its shards take chunks from the log, if that is in a folder of this machine."""

    def start(self, specs: Sequence[Spec]) -> None:
        """Start one shard for each, untaught."""

    def send(self, ticket: int, seq: int, source: Source) -> None:
        """Send a chunk on its way through all shards."""

    def receive(self) -> tuple[int, bytes]:
        """Wait for the next chunk that has passed all shards: its ticket, and what the last one said."""

    def call(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call a method of every shard, each with its arguments, after all that was sent."""

    def revive(self) -> None:
        """Bring back what is lost; messages on their way are forgotten."""

    def alive(self) -> int:
        """Return how many shards are running, as far as is known without asking them."""

    def pids(self) -> list[int]:
        """Return the process of each shard."""

    def close(self) -> None:
        """End every shard."""
