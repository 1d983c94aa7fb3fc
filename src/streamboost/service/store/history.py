"""The error over time in bounded memory: buckets of equally many examples, merged in pairs when there are too many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

MOST = 4_096
SHORT = 200
"""Examples of the short window whose extremes are kept."""


class History:
    """One bucket is [examples so far, time, mistakes so far, lowest and highest recent error within it].

    A mistake is one that was made, or the size of an error.
    """

    def __init__(self) -> None:
        self.stride = 1
        self.n = 0
        self.wrong: float = 0
        self._recent: list[float] = []
        self._recent_wrong: float = 0
        self._low, self._high = math.inf, 0.0
        self.buckets: list[list[float]] = []

    def extend(self, wrongs: Sequence[float], ats: Sequence[float]) -> None:
        """Count answers, each with its time."""
        recent, n_wrong, low, high = self._recent, self._recent_wrong, self._low, self._high
        n, all_wrong = self.n, self.wrong
        for wrong, at in zip(wrongs, ats, strict=True):
            n += 1
            all_wrong += wrong
            if len(recent) < SHORT:
                recent.append(wrong)
            else:
                slot = n % SHORT
                n_wrong -= recent[slot]
                recent[slot] = wrong
            n_wrong += wrong
            if n % SHORT == 0:
                n_wrong = sum(recent)  # what rounding has left behind in sums of sizes
            share = n_wrong / len(recent)
            if share < low:
                low = share
            if share > high:
                high = share
            if n % self.stride == 0:
                self.buckets.append([n, at, all_wrong, low, high])
                low, high = math.inf, 0.0
                if len(self.buckets) >= MOST:
                    self._halve()
        self.n, self.wrong, self._recent_wrong, self._low, self._high = n, all_wrong, n_wrong, low, high

    def _halve(self) -> None:
        self.buckets = merged(self.buckets, 2)
        self.stride *= 2

    def curve(self, points: int) -> dict[str, list[Any]]:
        """At most about so many buckets, with the extremes of what was merged: nothing that sticks out is lost."""
        step = max(1, -(-len(self.buckets) // max(1, points)))
        found = merged(self.buckets, step)
        return {
            "n": [int(b[0]) for b in found],
            "at": [b[1] for b in found],
            "cumulative": [b[2] / b[0] for b in found],
            "low": [b[3] for b in found],
            "high": [b[4] for b in found],
        }

    def state(self) -> dict[str, Any]:
        """Everything, as plain numbers."""
        return {**vars(self)}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> History:
        """Go on where :meth:`state` was called."""
        found = cls()
        vars(found).update(state)
        return found


def merged(buckets: list[list[float]], step: int) -> list[list[float]]:
    """So many buckets in one each; a rest at the end is one, too."""
    parts = (buckets[i : i + step] for i in range(0, len(buckets), step))
    return [[*part[-1][:3], min(b[3] for b in part), max(b[4] for b in part)] for part in parts]
