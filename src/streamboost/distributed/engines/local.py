"""All shards in this process, one after another: what the other engines are compared with."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from typing import Any

from streamboost.distributed.engines.base import Source
from streamboost.distributed.stage import ShardStage, Spec


class LocalEngine:
    """Shards as objects of this process: for tests, and where nothing may be started."""

    name = "local"
    reads_log = False

    def __init__(self) -> None:
        self.shards: list[ShardStage] = []
        self._done: deque[tuple[int, bytes]] = deque()

    def start(self, specs: Sequence[Spec]) -> None:
        """Make one object for each."""
        self.shards = [ShardStage(spec) for spec in specs]

    def send(self, ticket: int, seq: int, source: Source) -> None:
        """Take the chunk through all shards at once."""
        chunk, carry = source.read(self.shards[0].folder), b""
        for shard in self.shards:
            carry = shard.step(chunk, carry, seq)
        self._done.append((ticket, carry))

    def receive(self) -> tuple[int, bytes]:
        """Return the next answer."""
        return self._done.popleft()

    def call(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call a method of every shard."""
        return [getattr(shard, method)(*a) for shard, a in zip(self.shards, arguments, strict=True)]

    def revive(self) -> None:
        """Forget what is on its way: nothing else can be lost here."""
        self._done.clear()

    def alive(self) -> int:
        """Return the number of objects."""
        return len(self.shards)

    def pids(self) -> list[int]:
        """Return this process."""
        return [os.getpid()] * len(self.shards)

    def close(self) -> None:
        """Let the shards go; their files stay."""
        self.shards = []
        self._done.clear()
