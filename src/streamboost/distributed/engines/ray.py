"""Shards as actors of a Ray cluster: one per shard, spread over its nodes, each coming back by itself after a loss.

Chunks go into the object store once and every shard takes them from there; carries go from actor to actor by reference. Ray
runs the calls of one driver on an actor in their order, so chunks follow one another through the line. What Ray does not promise
is the state of an actor: that comes from the snapshots and the log.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from streamboost.distributed.engines.base import ShardLost, Source
from streamboost.distributed.folder import Folder
from streamboost.distributed.loopback import LOOPBACK, on_loopback, only_on_loopback
from streamboost.distributed.stage import ShardStage, Spec

_PATIENCE = 60.0  # seconds until an actor must be back


def import_ray() -> Any:
    """Return the package, or say how to get it."""
    try:
        import ray
    except ImportError as error:
        raise ImportError("engine='ray' needs the package Ray: pip install \"streamboost[ray]\".") from error
    return ray


def connect(ray: Any, address: str | None) -> bool:
    """Connect this process to a cluster, or start one here; return whether that was done now."""
    if ray.is_initialized():
        return False
    # Quiet, on loopback, and without the dashboard: a library starts as little as it can.
    options: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}
    if address is None:
        options |= {
            "include_dashboard": False,
            "num_cpus": max(os.cpu_count() or 1, 2),
            "_node_ip_address": LOOPBACK,
            # Ray lowers the priority of its workers; the user waits for these.
            "_system_config": {"worker_niceness": 0},
        }
    here = address is None or only_on_loopback(address)
    try:
        with on_loopback() if here else contextlib.nullcontext():
            ray.init(address=address or "local", **options)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise ConnectionError(
            f"no Ray cluster can be reached at {address or 'this machine'}: {error}"
        ) from error
    if address is None and ray.nodes()[0]["NodeManagerAddress"] != LOOPBACK:
        ray.shutdown()
        raise ConnectionError(
            "this version of Ray cannot be kept to loopback. Start a cluster with `ray start --head`, where the network is safe, "
            "and give its address=."
        )
    return True


class Actor:
    """One shard on a node of the cluster."""

    def __init__(self, spec: Spec) -> None:
        self.shard = ShardStage(spec)

    def step(self, chunk: Any, carry: Any, seq: int) -> bytes:
        """Take a chunk through these lanes."""
        return self.shard.step(chunk, carry, seq)

    def call(self, method: str, arguments: tuple[Any, ...]) -> Any:
        """Call a method of the shard."""
        return getattr(self.shard, method)(*arguments)

    def pid(self) -> int:
        """Return the number of its process, for tests that kill it."""
        return os.getpid()


class RayEngine:
    """Shards as Ray actors."""

    name = "ray"
    reads_log = False
    actor: type[Actor] = Actor

    def __init__(self, address: str | None = None, folder: Any = None) -> None:
        self._ray = import_ray()
        self._mine = connect(self._ray, address)
        if folder is None and len([n for n in self._ray.nodes() if n["Alive"]]) > 1:
            raise ValueError(
                "folder= is needed: the cluster has several nodes, and shards on all of them must reach the snapshots. Give a "
                "folder that all of them share, or a URL that fsspec knows."
            )
        self._specs: list[Spec] = []
        self._actors: list[Any] = []
        self._folder: Folder | None = None
        self._flying: deque[tuple[int, Any]] = deque()

    def start(self, specs: Sequence[Spec]) -> None:
        """Start one actor for each."""
        self._specs = list(specs)
        self._folder = Folder(specs[0].folder, sync=specs[0].sync)
        # A core each, if so many are free: an actor that waits for one that never comes would wait for ever.
        free = self._ray.available_resources().get("CPU", 0)
        self._actors = [self._new(spec, int(len(specs) <= free)) for spec in specs]

    def _new(self, spec: Spec, cores: int) -> Any:
        return (
            self._ray.remote(self.actor)
            .options(
                num_cpus=cores,
                max_restarts=-1,
                max_task_retries=0,
                scheduling_strategy="SPREAD",
            )
            .remote(spec)
        )

    def send(self, ticket: int, seq: int, source: Source) -> None:
        """Put the chunk into the object store and let it pass all shards."""
        if self._folder is None:
            raise ShardLost("the shards are not running")
        # An array, which every actor reads where it lies; bytes would be copied by each of them.
        chunk = self._ray.put(np.frombuffer(source.read(self._folder), np.uint8))
        carry: Any = b""
        for actor in self._actors:
            carry = actor.step.remote(chunk, carry, seq)
        self._flying.append((ticket, carry))

    def receive(self) -> tuple[int, bytes]:
        """Wait for the next answer."""
        if not self._flying:
            raise ShardLost("nothing is on its way")
        ticket, reference = self._flying[0]
        reply = self._get(reference)
        self._flying.popleft()
        return ticket, reply

    def _get(self, reference: Any) -> Any:
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            raise ShardLost(
                f"a shard has died: {str(error).splitlines()[-1] if str(error) else error!r}"
            ) from error

    def call(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call a method of every shard."""
        references = [actor.call.remote(method, a) for actor, a in zip(self._actors, arguments, strict=True)]
        try:
            return list(self._ray.get(references))
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, ValueError):
                raise error.cause from None
            raise ShardLost(str(error)) from error
        except self._ray.exceptions.RayError as error:
            raise ShardLost(f"a shard has died: {error}") from error

    def revive(self) -> None:
        """Wait until every actor is back; Ray starts them again by itself, here or on another node."""
        self._flying.clear()
        until = time.monotonic() + _PATIENCE
        for i, actor in enumerate(self._actors):
            while True:
                try:
                    self._ray.get(actor.pid.remote(), timeout=max(until - time.monotonic(), 0.1))
                    break
                except self._ray.exceptions.RayActorError:
                    if time.monotonic() > until:
                        raise ShardLost(f"shard {self._specs[i].lanes} does not come back") from None
                    time.sleep(0.05)
                except self._ray.exceptions.GetTimeoutError:
                    raise ShardLost(f"shard {self._specs[i].lanes} does not come back") from None

    def alive(self) -> int:
        """Return the number of actors; Ray brings them back by itself."""
        return len(self._actors)

    def pids(self) -> list[int]:
        """Return the processes of the actors."""
        return list(self._ray.get([actor.pid.remote() for actor in self._actors]))

    def close(self) -> None:
        """End every actor, and the cluster if it was started here."""
        for actor in self._actors:
            self._ray.kill(actor, no_restart=True)
        self._actors = []
        self._flying.clear()
        if self._mine and self._ray.is_initialized():
            self._ray.shutdown()
            self._mine = False
