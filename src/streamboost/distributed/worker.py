"""A shard as a process: ``python -m streamboost.distributed.worker CONTROL NEXT [PREVIOUS]``, numbers of open pipes."""

from __future__ import annotations

import mmap
import sys
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from streamboost.distributed.engines.base import Source
from streamboost.distributed.folder import log_name
from streamboost.distributed.stage import ShardStage


def main(numbers: list[int]) -> None:
    """Take messages until the driver is gone."""
    control, following = Connection(numbers[0]), Connection(numbers[1])
    previous = Connection(numbers[2]) if len(numbers) > 2 else None
    shard = ShardStage(control.recv())
    while True:
        message = control.recv()
        if message[0] == "step":
            _, ticket, seq, source = message
            carry = b"" if previous is None else previous.recv()[1]
            following.send((ticket, _step(shard, seq, source, carry)))
        else:
            _, method, arguments = message
            try:
                control.send(getattr(shard, method)(*arguments))
            except (ValueError, RuntimeError, MemoryError, OSError) as error:
                control.send(error)


def _step(shard: ShardStage, seq: int, source: Source, carry: Any) -> Any:
    """Return the reply, or the exception that goes down the line in its place."""
    if isinstance(carry, Exception):
        return carry
    try:
        return shard.step(_open(shard, source), carry, seq)
    except (ValueError, RuntimeError, MemoryError, OSError) as error:
        return RuntimeError(f"shard {shard.spec.lanes}: {error}")


def _open(shard: ShardStage, source: Source) -> Any:
    """Return the chunk where it lies: one in the log is not copied."""
    if source.chunk is not None or not shard.folder.is_local:
        return source.read(shard.folder)
    with open(shard.folder.path(log_name(source.seq)), "rb") as file:
        view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return np.frombuffer(view, np.uint8, offset=source.offset)


if __name__ == "__main__":
    try:
        main([int(word) for word in sys.argv[1:]])
    except (EOFError, OSError, KeyboardInterrupt):  # the driver, or a neighbour, is gone
        sys.exit(0)
