"""Shards as processes of this machine.

    driver -> every shard   which chunk is next: the shards read it from the log, which lies in shared memory or on disk
    shard  -> next shard    carries
    last   -> driver        answers

Pipes only lead forward, so a full one makes those before it wait and nothing can lock. A shard that dies closes its pipes: its
neighbours end, the driver sees the end of the answers, and the whole line starts again from its snapshots.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from streamboost.distributed.engines.base import ShardLost, Source
from streamboost.distributed.stage import Spec

_GONE = (EOFError, OSError)


def _pipe() -> tuple[Connection, Connection]:
    one, other = socket.socketpair()
    return Connection(one.detach()), Connection(other.detach())


class ProcessEngine:
    """Shards as child processes, which end with this one."""

    name = "processes"
    reads_log = True

    def __init__(self) -> None:
        self._specs: list[Spec] = []
        self._children: list[subprocess.Popen[bytes]] = []
        self._controls: list[Connection] = []
        self._answers: Connection | None = None

    def start(self, specs: Sequence[Spec]) -> None:
        """Start one process for each."""
        if sys.platform == "win32":
            raise RuntimeError(
                "Shards as processes need sockets that children inherit; on Windows use engine='ray' or 'local'."
            )
        self._specs = list(specs)
        self._start()

    def _start(self) -> None:
        n = len(self._specs)
        links = [_pipe() for _ in range(n)]  # link i leads from shard i to the next, the last one to here
        for i, spec in enumerate(self._specs):
            control, theirs = _pipe()
            ends = [theirs, links[i][1], *([links[i - 1][0]] if i else [])]
            numbers = [end.fileno() for end in ends]
            command = [sys.executable, "-m", "streamboost.distributed.worker", *map(str, numbers)]
            self._children.append(subprocess.Popen(command, pass_fds=numbers, stdin=subprocess.DEVNULL))
            for end in ends:
                end.close()
            self._controls.append(control)
            control.send(spec)
        self._answers = links[-1][0]

    def send(self, ticket: int, seq: int, source: Source) -> None:
        """Tell every shard which chunk is next."""
        try:
            for control in self._controls:
                control.send(("step", ticket, seq, source))
        except _GONE as error:
            raise ShardLost("a shard has died") from error

    def receive(self) -> tuple[int, bytes]:
        """Wait for the next answer."""
        if self._answers is None:
            raise ShardLost("the shards are not running")
        try:
            ticket, reply = self._answers.recv()
        except _GONE as error:
            raise ShardLost("a shard has died") from error
        if isinstance(reply, Exception):
            raise ShardLost(str(reply)) from reply
        return ticket, reply

    def call(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call a method of every shard."""
        try:
            for control, a in zip(self._controls, arguments, strict=True):
                control.send(("call", method, a))
            results = [control.recv() for control in self._controls]
        except _GONE as error:
            raise ShardLost("a shard has died") from error
        for result in results:
            if isinstance(result, Exception):
                raise result
        return results

    def revive(self) -> None:
        """Start the whole line anew."""
        self.close()
        self._start()

    def alive(self) -> int:
        """Return how many processes are running."""
        return sum(child.poll() is None for child in list(self._children))

    def pids(self) -> list[int]:
        """Return the number of the process of each shard."""
        return [child.pid for child in self._children]

    def close(self) -> None:
        """End every process and wait for it."""
        for connection in [*self._controls, *([self._answers] if self._answers is not None else [])]:
            with contextlib.suppress(OSError):
                connection.close()
        for child in self._children:
            child.terminate()
        for child in self._children:
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        self._children, self._controls, self._answers = [], [], None
