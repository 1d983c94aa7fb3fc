"""How a store behaves; every number has a default that suits one machine and one disk."""

from __future__ import annotations

import msgspec

from streamboost.service.store.errors import BadRequest

DAY = 86_400.0


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of a whole store."""

    queue: int = 20_000
    """Records that may wait for the writer; more are refused."""
    batch: int = 2_000
    """Records of one transaction at most."""
    publish_share: float = 0.1
    """Share of the writer's time that may go into copies for readers."""
    snapshot_every: int = 10_000
    """Examples between two snapshots of a model."""
    snapshot_seconds: float = 60.0
    """Seconds between two snapshots of a model that has learned something."""
    keep_snapshots: int = 5
    keep_ids_s: float = 30 * DAY
    """How long the id of something learned is remembered; within it the same id is a duplicate."""
    keep_poison: int = 10_000
    """Refused examples of a model that are kept to be looked at."""
    keep_log: bool = False
    """Whether learned records stay in the log for ever."""
    retention_seconds: float = 5.0
    """Pause between two rounds of cleaning up."""
    probe_seconds: float = 1.0
    """Pause between two looks at a disk that failed."""
    shards: int = 1
    """Processes over which the learners of each model are spread; 1: they live in this one."""
    engine: str = "processes"
    """Where shards run: processes, or ray."""
    address: str | None = None
    """Of the Ray cluster; None: a new one on this machine."""

    def __post_init__(self) -> None:
        if self.shards < 1:
            raise BadRequest(f"shards is {self.shards}; it must be 1 or more.", field="shards")
        if self.engine not in ("processes", "ray", "local"):
            raise BadRequest(f"engine is {self.engine!r}; it is processes or ray.", field="engine")


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of one model: what an example may bring."""

    features: int = 10_000
    """Features of one event."""
    columns: int = 10_000
    """Different features in all."""
    classes: int = 1_000
    """Different labels in all."""
    text: int = 10_000
    """Characters of a name, a category or a label."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if not 1 <= value <= 1_000_000:
                raise BadRequest(
                    f"limits.{name} is {value}; it must lie between 1 and 1,000,000.", field=f"limits.{name}"
                )
