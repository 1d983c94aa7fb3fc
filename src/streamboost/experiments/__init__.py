"""Experiments: many models on many data sets, over several processes, with tables, tests and one page that shows it all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streamboost.experiments.comparison import Comparison, compare

__all__ = ["Comparison", "compare"]


def __getattr__(name: str) -> Any:
    # Workers and pages import their own modules; what only a user needs comes in when it is asked for.
    if name in __all__:
        from streamboost.experiments import comparison

        return getattr(comparison, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
