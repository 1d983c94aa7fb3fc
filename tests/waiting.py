"""Waiting for what another thread or process will do; how long that takes says nothing about whether it is right."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 120.0
"""Seconds after which a busy machine is no excuse any more."""


def until(condition: Callable[[], object], what: str = "what was waited for") -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not happen"
        time.sleep(0.01)
