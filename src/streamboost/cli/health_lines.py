"""`--health` while a command runs: a line on standard error when something begins to deserve a look."""

from __future__ import annotations

import re
from typing import Any

from streamboost.cli.console import stderr
from streamboost.evaluate import Progress

EVERY = 1_000
"""Rows between two looks."""


class HealthLines:
    """Says each thing when it begins, and again only after it has gone away."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._looked = 0
        self._drifts = 0
        self._said: set[str] = set()

    def update(self, now: Progress) -> None:
        """Look, if there are enough new rows."""
        if now.n_rows - self._looked < EVERY:
            return
        self._looked = now.n_rows
        warnings = {re.sub(r"[\d.,]+", "", text): text for text in self._model.health().warnings}
        for kind, text in warnings.items():
            if kind not in self._said:
                _say(now.n_rows, text)
        self._said = set(warnings)
        drifts = len(self._model.report().replacements)
        if drifts > self._drifts:
            _say(now.n_rows, f"The stream has changed: {drifts - self._drifts} learners were replaced.")
        self._drifts = drifts


def _say(rows: int, text: str) -> None:
    stderr().print(f"streamboost: after {rows:,} rows: {text}", highlight=False, markup=False, soft_wrap=True)
