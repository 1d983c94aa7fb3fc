"""Guarantees of the expert-advice ensembles against what happened."""

from __future__ import annotations

import math

from streamboost.report.bounds import Bound, Lanes, Totals


def weighted_majority_bounds(totals: Totals) -> tuple[Bound, ...]:
    """Return the mistake bound of Weighted Majority."""
    return (
        Bound(
            "mistakes of the weighted majority",
            totals["potential_mistakes"],
            totals["mistake_limit"],
            trivial=totals["weight"],
            statement="mistakes and ties <= (ln N + best expert's mistakes * ln(1/beta)) / ln(2/(1+beta))",
        ),
    )


def hedge_bounds(lanes: Lanes, totals: Totals) -> tuple[Bound, ...]:
    """Return the regret bounds of Hedge."""
    best, expected, eta = float(lanes["expert_loss"].min()), totals["expected_loss"], totals["constant_rate"]
    found = [
        Bound(
            "regret of the experts",
            expected - best,
            totals["regret_limit"],
            trivial=totals["weight"],
            statement="expected mistakes of a drawn expert minus those of the best <= what Hedge allows at this rate",
        ),
        Bound(
            "majority of the experts",
            totals["vote_mistakes"],
            2 * expected,
            trivial=totals["weight"],
            statement="mistakes of the weighted majority <= twice the expected ones",
        ),
    ]
    if eta > 0:
        mixing = -math.expm1(-eta)
        found.append(
            Bound(
                "mistakes at a constant rate",
                totals["mixed_loss"] / mixing,
                (eta * best + math.log(len(lanes["expert_loss"]))) / mixing,
                trivial=totals["weight"],
                statement="expected mistakes <= (eta best + ln N) / (1 - e^-eta)",
            )
        )
    return tuple(found)


def winnow_bounds(totals: Totals) -> tuple[Bound, ...]:
    """Return what Winnow's weights say about its mistakes."""
    found = [
        Bound(
            "demotions",
            totals["lowered"],
            totals["lowered_limit"],
            statement="sum of (1 - 1/factor) over false positives <= N/theta + sum of (factor - 1) over false negatives",
        )
    ]
    if "promotion_limit" in totals:
        found.append(
            Bound(
                "promotions",
                totals["promotions"],
                totals["promotion_limit"],
                trivial=totals["weight"],
                statement="false negatives <= best expert's mistakes + log_factor(theta) + 1",
            )
        )
    return tuple(found)
