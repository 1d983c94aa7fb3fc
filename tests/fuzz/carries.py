"""Chunks and carries between the parts of an ensemble that lie, signed again: refused, or learned from as if they were true.

A refused message leaves no trace. After one that was believed the part still answers, and its state loads again.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from streamboost import _core
from streamboost.distributed.parts import even_lanes
from tests.distributed.test_messages import NAMES, mutant, setting


class Carries:
    """Messages to the second of two parts, mutated."""

    name = "carries"
    cases = 60

    def __init__(self) -> None:
        self._settings: dict[str, Any] = {}

    def attack(self, number: int) -> str:
        """Send one."""
        rng = np.random.default_rng(number)
        name = NAMES[number % len(NAMES)]
        if name not in self._settings:
            self._settings[name] = setting(name)
        plan, parts, stages, seq, chunk, carry = self._settings[name]
        good, room, own = parts[1].state(), stages[1].room, even_lanes(plan.n_lanes, 2, plan.grain())[1]
        one, two = (chunk, mutant(rng, carry)) if rng.random() < 0.7 else (mutant(rng, chunk), carry)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                stages[1].step(one, two, seq)
            except (ValueError, MemoryError):
                assert _bytes(parts[1].state()) == _bytes(good), "a refused message was half learned"
                return "refused"
            grown, after = stages[1].room, parts[1].state()
            self._settings[name] = None
            parts[1] = _part(plan, own, grown, after)
            parts[1] = _part(plan, own, room, good)
            stages[1] = _core.Stage(parts[1])
            stages[1].go_on(seq, b"")
            self._settings[name] = plan, parts, stages, seq, chunk, carry
        return "learned"


def _part(plan: Any, lanes: Any, room: Any, state: Any) -> Any:
    part = plan.model(lanes)
    part.reserve(room[0], room[1], room[2])
    part.restore(state)
    return part


def _bytes(state: dict[str, Any]) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in state.items()}
