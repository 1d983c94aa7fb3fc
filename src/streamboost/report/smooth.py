r"""Guarantees of the smooth boosters (OSBoost with its three votes) against what happened.

With :math:`W_i` the weight that learner i was given, :math:`W_{N+1}` the weight a further one would have been given,
:math:`A_i` the edges and :math:`S` the weight of all examples. The names are those of docs/algorithms.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.report.bounds import Bound, Lanes, Totals
from streamboost.report.experts import hedge_bounds


def _next_weights(lanes: Lanes, totals: Totals) -> NDArray[Any]:
    """W_2 .. W_(N+1): what bounds the prefixes 1 .. N."""
    return np.append(lanes["weight_sum"][1:], totals["next_weight"])


def smooth_bounds(lanes: Lanes, totals: Totals, gamma: float) -> tuple[Bound, ...]:
    """Return the guarantees of the smooth weights, which hold for every vote."""
    total = totals["weight"]
    weight, edge = lanes["weight_sum"], lanes["edge"]
    after = _next_weights(lanes, totals)
    worst = int(np.argmax(lanes["prefix_low"] - after))
    root = math.sqrt(1 - gamma)
    spent = np.cumsum(weight * (edge - gamma))
    share = float(weight.min() / total)
    used = weight > 0
    weakest = float(edge[used].min())
    return (
        Bound(
            "low margins of a prefix",
            float(lanes["prefix_low"][worst]),
            float(after[worst]),
            trivial=total,
            statement=f"weight of the rows where the mean of the first {worst + 1} learners is not above theta <= "
            f"weight offered to the next one (the tightest of all prefixes)",
        ),
        Bound(
            "low margins of the uniform vote",
            float(lanes["prefix_low"][-1]),
            float(after[-1]),
            trivial=total,
            statement="the same for all learners together; it bounds the errors of the uniform vote",
        ),
        Bound(
            "advantage budget",
            float(spent.max()),
            2 * total / (gamma * root),
            statement="sum of weight times (edge - gamma) over the first learners <= 2 S / (gamma sqrt(1 - gamma))",
        ),
        Bound(
            "number of learners",
            float(len(weight)),
            math.inf if share == 0 else 2 / (share * gamma**2 * root),
            f"every edge >= 2 gamma = {2 * gamma:g}; the weakest is {weakest:.3g}",
            weakest >= 2 * gamma,
            statement=f"learners that can get a share {share:.3g} of the weight <= 2 / (share gamma^2 sqrt(1 - gamma))",
        ),
    )


def ocp_bounds(lanes: Lanes, totals: Totals, gamma: float, domain: str = "simplex") -> tuple[Bound, ...]:
    """Return the guarantees of the learned vote of OSBoost.OCP."""
    # Half the square of the largest distance between the weights and a rival, over the last step.
    reach = 1 if domain == "simplex" else 2
    theta = gamma / (2 + gamma)
    total, hinge = totals["weight"], totals["hinge_loss"]
    regret = reach / totals["last_step"] + 0.5 * totals["squared_steps"]
    rivals = float(min(lanes["single_hinge_loss"].min(), lanes["prefix_hinge_loss"].min()))
    share = float(_next_weights(lanes, totals).min() / total)
    return (
        Bound(
            "regret of the vote",
            hinge - rivals,
            regret,
            statement="hinge loss of the learned vote minus that of the best single learner or uniform prefix <= "
            f"{reach} / eta_T + half the sum of eta_t |g_t|^2",
        ),
        Bound(
            "errors by hinge loss",
            totals["mistakes"],
            hinge / theta,
            trivial=total,
            statement="weight of the errors <= hinge loss / theta",
        ),
        Bound(
            "error rate of the vote",
            totals["mistakes"] / total,
            (1 + theta) / theta * share + regret / (theta * total),
            trivial=1.0,
            statement=f"error rate <= (1 + theta) / theta times {share:.3g}, the least share of weight after a prefix, "
            "plus regret / (theta S)",
        ),
    )


def exp_bounds(lanes: Lanes, totals: Totals) -> tuple[Bound, ...]:
    """Return the guarantees of Hedge over the prefixes in OSBoost.EXP."""
    total, least = totals["weight"], float(_next_weights(lanes, totals).min())
    rate = Bound(
        "expected error rate",
        totals["expected_loss"] / total,
        (least + totals["regret_limit"]) / total,
        trivial=1.0,
        statement="<= least share of weight after a prefix + regret / S",
    )
    regret, *others = hedge_bounds(lanes, totals)
    return regret, rate, *others
