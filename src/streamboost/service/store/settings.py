"""How a store behaves; every number has a default that suits one machine and one disk."""

from __future__ import annotations

import msgspec

from streamboost.service.store.errors import BadRequest

DAY = 86_400.0


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of a whole store."""

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
    keep_snapshots: int = 12
    """Snapshots of a model at most: the newest ones, and older ones thinned by age."""
    reach_s: float = DAY
    """How far back a model can go: snapshots and examples are kept for this long, as far as their number allows."""
    keep_ids_s: float = 30 * DAY
    """How long the id of something learned is remembered; within it the same id is a duplicate."""
    keep_poison: int = 10_000
    """Refused examples of a model that are kept to be looked at."""
    keep_log: bool = False
    """Whether learned records stay in the log for ever."""
    retention_seconds: float = 5.0
    """Pause between two rounds of cleaning up."""
    trust_clock: bool = False
    """Whether a clock is believed that says more than a year after the last record."""
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
    """Limits of one model: what an example may bring."""

    features: int = 10_000
    """Features of one event."""
    columns: int = 10_000
    """Different features in all."""
    classes: int = 1_000
    """Different labels in all."""
    text: int = 10_000
    """Characters of a name, a category or a label."""
    new_classes: str | None = None
    """What becomes of a label that is no class yet: ``learn`` it, ``refuse`` it, or ``ask``: it is put aside until it is
    allowed. By default classes that were declared are all there are; else new ones are learned among the first examples and
    asked for afterwards."""
    allowed: list[bool | int | float | str] = []
    """Labels that were allowed later."""

    def __post_init__(self) -> None:
        if self.new_classes not in (None, "learn", "refuse", "ask"):
            raise BadRequest(
                f"limits.new_classes is {self.new_classes!r}; it must be learn, refuse or ask.",
                field="limits.new_classes",
            )
        for name in ("features", "columns", "classes", "text"):
            value = getattr(self, name)
            if not 1 <= value <= 1_000_000:
                raise BadRequest(
                    f"limits.{name} is {value}; it must lie between 1 and 1,000,000.", field=f"limits.{name}"
                )
