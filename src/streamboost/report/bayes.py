"""Guarantees of the Bayesian ensemble against what happened; the names are those of docs/algorithms."""

from __future__ import annotations

import numpy as np

from streamboost.report.bounds import Bound, Lanes, Totals

_SIGMAS = 3.0


def bayes_bounds(lanes: Lanes, totals: Totals, alpha: float, beta: float, theta: float) -> tuple[Bound, ...]:
    """Return the distance of the posterior means from the minimiser of the cumulative loss."""
    scale = beta + theta * lanes["loss_sum"]
    distance = lanes["lambda"] * scale - (alpha - 1 + lanes["count"])
    worst = int(np.argmax(np.abs(distance - 1)))
    return (
        Bound(
            "distance to the minimiser",
            float(distance[worst]),
            1.0,
            identity=True,
            statement="(lambda - minimiser of the cumulative loss) times (beta + theta S) = 1, the worst learner shown",
        ),
    )


def halves_bound(lanes: Lanes, static: bool) -> tuple[Bound, ...]:
    """Return the change of the weights: do those of two parts of the stream differ by no more than sampling explains?"""
    early, late = lanes["early_count"], lanes["count"] - lanes["early_count"]
    if not (early.min() >= 30 and late.min() >= 30):
        return ()
    mean = lanes["loss_sum"] / lanes["count"]
    variance = np.maximum(lanes["square_sum"] / lanes["count"] - mean**2, 1e-12 + 1e-9 * mean**2)
    gap = lanes["early_sum"] / early - (lanes["loss_sum"] - lanes["early_sum"]) / late
    z = gap**2 / (variance * (1 / early + 1 / late))
    return (
        Bound(
            "change of the weights, in standard deviations",
            float(np.sqrt(np.mean(z))),
            _SIGMAS,
            "static learners and a stream that does not change",
            static,
            statement="root mean square over learners, early part of the stream against the rest; 1 is expected",
        ),
    )


def error_bound(totals: Totals) -> tuple[Bound, ...]:
    """Return the errors of the weighted vote against the reverse Hoelder inequality, whatever the weights were."""
    if "error_limit" not in totals:
        return ()
    return (
        Bound(
            "errors of the weighted vote",
            totals["mistakes"],
            totals["error_limit"],
            trivial=totals["weight"],
            statement="errors and ties <= (sum of losses)^(1/p) (sum of losses of the other label^(-1/(p-1)))^((p-1)/p), "
            f"p = {totals['error_limit_p']:g}",
        ),
    )
