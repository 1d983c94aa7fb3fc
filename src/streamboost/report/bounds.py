"""Guarantees against what really happened."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Bound:
    """One inequality `value <= limit`, with the numbers of this run."""

    name: str
    value: float
    limit: float
    premise: str
    premise_holds: bool
    """Whether the assumption held in this run; a bound without one must always hold."""

    @property
    def holds(self) -> bool:
        """Whether the inequality is true, up to rounding."""
        return self.value <= self.limit * (1 + 1e-9) + 1e-9


def osboost_bounds(lanes: Mapping[str, Any], gamma: float) -> tuple[Bound, ...]:
    r"""Return the smooth-boosting guarantees that the per-lane sums can decide.

    With :math:`W_i` the weight that learner i was given, :math:`A_i` its edge and :math:`S` the weight of all
    examples, :math:`\sum_i W_i (A_i - \gamma) \le 2 S / (\gamma \sqrt{1 - \gamma})` holds for every stream. If every
    edge is at least :math:`2\gamma`, the number of learners that get a share :math:`\delta` of the weight is at most
    :math:`2 / (\delta \gamma^2 \sqrt{1 - \gamma})`.
    """
    weight = np.asarray(lanes["weight_sum"], dtype=np.float64)
    edge = np.asarray(lanes["edge"], dtype=np.float64)
    total = float(weight[0])
    if total <= 0:
        return ()
    used = weight > 0
    budget = float(np.sum(weight[used] * (edge[used] - gamma)))
    root = math.sqrt(1 - gamma)
    share = float(weight.min() / total)
    strong = bool(np.all(edge[used] >= 2 * gamma))
    return (
        Bound("advantage budget", budget, 2 * total / (gamma * root), "none", True),
        Bound(
            f"learners with a share >= {share:.3g} of the weight",
            float(len(weight)),
            math.inf if share == 0 else 2 / (share * gamma**2 * root),
            "every edge >= 2 gamma",
            strong,
        ),
    )
