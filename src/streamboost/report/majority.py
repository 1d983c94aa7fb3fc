r"""Guarantees of Online BBM and AdaBoost.OL against what happened.

:math:`W_i` is the weight offered to learner i, :math:`c_i` its edge, :math:`S` the weight of all examples. The numbers
The names are those of docs/algorithms.
"""

from __future__ import annotations

import math

import numpy as np

from streamboost.report.bounds import Bound, Lanes, Totals


def bbm_bounds(lanes: Lanes, totals: Totals, edge: float) -> tuple[Bound, ...]:
    """Return the guarantees of Online BBM."""
    total, mistakes = totals["weight"], totals["mistakes"]
    n = len(lanes["edge"])
    weight = lanes["largest_weight"] * lanes["weight_sum"]
    deficit = weight * (edge - lanes["edge"])
    used = lanes["weight_sum"] > 0
    excess = float(np.max(deficit[used] / lanes["largest_weight"][used], initial=0.0))
    weakest = float(lanes["edge"][used].min(initial=1.0))
    ideal = total * math.exp(-n * edge**2 / 2)
    return (
        Bound(
            "errors accounted for",
            mistakes,
            total * totals["potential"] + float(deficit.sum()),
            identity=True,
            statement="errors and ties of the majority = S phi_0(0) + sum over learners of weight times "
            "(assumed edge - real edge)",
        ),
        Bound(
            "errors with the excess measured",
            mistakes,
            ideal + excess * float(lanes["largest_weight"].sum()),
            trivial=total,
            statement=f"<= S exp(-N edge^2 / 2) + {excess:.3g}, the largest excess of a learner, times the sum of the "
            "largest weights",
        ),
        Bound(
            "errors with strong learners",
            mistakes,
            ideal,
            f"every edge >= {edge:g}; the weakest is {weakest:.3g}",
            weakest >= edge,
            trivial=total,
            statement="<= S exp(-N edge^2 / 2)",
        ),
    )


def adaboost_ol_bounds(lanes: Lanes, totals: Totals, n_learned: int) -> tuple[Bound, ...]:
    """Return the guarantees of AdaBoost.OL.

    The regret of each alpha needs the whole stream and lives in the tests; its sum over the learners is the first here.
    """
    total = totals["weight"]
    n = len(lanes["edge"])
    regret = 2 * math.sqrt(n_learned) + totals["squared_steps"]
    limit = total * math.log(2) + n * regret
    squares = lanes["edge"] ** 2
    fewest = float(np.min(lanes["expert_loss"][:-1], initial=total))
    best = float(lanes["expert_loss"].min())
    mixing = -math.expm1(-1.0)
    return (
        Bound(
            "sum of squared edges",
            0.5 * float(np.sum(squares * lanes["weight_sum"])),
            limit,
            statement="half the sum of squared edge times weight <= S ln 2 + N R, R the regret of one alpha",
        ),
        Bound(
            "mistakes of the best prefix",
            fewest,
            math.inf if squares.sum() == 0 else 4 * limit / float(squares.sum()),
            trivial=total,
            statement="fewest mistakes of a prefix short of the last <= 4 (S ln 2 + N R) / sum of squared edges",
        ),
        Bound(
            "expected mistakes",
            totals["mixed_loss"] / mixing,
            (best + math.log(n)) / mixing,
            trivial=total,
            statement="expected mistakes of a drawn expert <= (those of the best + ln N) / (1 - 1/e)",
        ),
    )
