"""Where shards run: in this process, in processes of this machine, or as Ray actors."""

from __future__ import annotations

from typing import Any

from streamboost.distributed.engines.base import Engine, ShardLost, Source

__all__ = ["ENGINES", "Engine", "ShardLost", "Source", "make_engine"]

ENGINES = ("local", "processes", "ray")


def make_engine(name: str, **options: Any) -> Engine:
    """Return an engine by its name."""
    if name == "local":
        from streamboost.distributed.engines.local import LocalEngine

        return LocalEngine()
    if name == "processes":
        from streamboost.distributed.engines.processes import ProcessEngine

        return ProcessEngine()
    if name == "ray":
        from streamboost.distributed.engines.ray import RayEngine

        return RayEngine(**options)
    raise ValueError(f"engine={name!r} is not allowed; choose one of {', '.join(map(repr, ENGINES))}.")
