"""Data sets by name: those that need no file, and those the registry knows and can fetch."""

from streamboost.streams.datasets.builtin import BUILTIN, BuiltinSet, is_builtin, load_builtin
from streamboost.streams.datasets.registry import (
    CACHE_VARIABLE,
    DATA_VARIABLE,
    Dataset,
    cache_folder,
    registered,
)

__all__ = [
    "BUILTIN",
    "CACHE_VARIABLE",
    "DATA_VARIABLE",
    "BuiltinSet",
    "Dataset",
    "cache_folder",
    "is_builtin",
    "load_builtin",
    "registered",
]
