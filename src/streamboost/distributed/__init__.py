"""Beyond one process: exact shards of one ensemble, one model per key, model files in parts.

Names load on first use: a shard in a process of its own needs the core and little else.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streamboost.distributed.files import cut as cut
    from streamboost.distributed.files import join as join
    from streamboost.distributed.keyed_classifier import KeyedClassifier as KeyedClassifier
    from streamboost.distributed.keyed_regressor import KeyedRegressor as KeyedRegressor
    from streamboost.distributed.keyed_shards import KeyedShards as KeyedShards
    from streamboost.distributed.shards import Shards as Shards

_HOME = {
    "KeyedClassifier": "keyed_classifier",
    "KeyedRegressor": "keyed_regressor",
    "KeyedShards": "keyed_shards",
    "Shards": "shards",
    "cut": "files",
    "join": "files",
}

__all__ = ["KeyedClassifier", "KeyedRegressor", "KeyedShards", "Shards", "cut", "join"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
