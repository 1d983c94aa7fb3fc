r"""The Defensive Booster: its guarantees against what happened, and the pairs of numbers of its adaptive form.

The adaptive form has at every example, for each length :math:`2^j`, one pair that began at the last multiple of it. The first n
examples fall into stretches that begin at 1, 2, 4, ..., each with a pair that began with it; over a stretch the mixture loses to
its pair no more than Adapt-ML-Prod allows, and the pair keeps the promise of the plain form.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from streamboost.report.bounds import Bound, Totals
from streamboost.report.ensemble_report import EnsembleReport

_OF_A_PAIR = ("lambda", "lambda_sum", "theta", "theta_sum", "log_weight", "regrets")


def defensive_bounds(totals: Totals, n_learned: int, adaptive: bool) -> tuple[Bound, ...]:
    """Return what the probability promises against the learner, and against itself."""
    squares, coefficients = totals["squared_errors"], totals["coefficients"]
    stretches, mixing, promised = 1, 0.0, "{} sqrt S + {}"
    if adaptive:
        stretches, mixing = n_learned.bit_length(), _mixing(n_learned, squares)
        promised = "{} sqrt(k S) + {} k + M"
    root = math.sqrt(stretches * squares)
    of_learner, of_answer = (c * root + 2 * c * stretches + mixing for c in (4, 8))
    light: dict[str, Any] = {
        "premise": "no example weighs more than 1",
        "premise_holds": totals["largest_weight"] <= 1,
    }
    switching = f"; k = {stretches}, M = {mixing:.4g} for mixing the pairs" if adaptive else ""
    return (
        Bound(
            "gain of the learner",
            totals["learner_gain"],
            of_learner,
            trivial=coefficients,
            statement=f"sum of h e <= {promised.format(4, 8)}: what the learner still knew and the probability did not"
            + switching,
            **light,
        ),
        Bound(
            "gain of the probability itself",
            abs(totals["answer_gain"]),
            of_answer,
            trivial=coefficients,
            statement=f"|sum of mu e| <= {promised.format(8, 16)}: sure answers are as often right as they say"
            + switching,
            **light,
        ),
        Bound(
            "certificate",
            totals["learner_gain"] / coefficients if coefficients else 0.0,
            of_learner / coefficients if coefficients else math.inf,
            trivial=1.0,
            statement="edge of the learner under the weights |e| / 2, where the probability errs: small on both sides "
            "means that learners of this kind have no more to give",
            **light,
        ),
    )


def _mixing(n_learned: int, squares: float) -> float:
    """How much less than the pairs of all stretches, one after another, the mixture may gain."""
    fixed = steep = 0.0
    for stretch in range(n_learned.bit_length()):
        start, end = 2**stretch, min(2 ** (stretch + 1) - 1, n_learned)
        rate = 2 * math.log(2 * start)
        grown = math.log(2 * end * (1 + (1 + math.log(1 + end)) / (2 * math.e)))
        fixed += 2 * grown
        steep += (grown / math.sqrt(rate) + 2 * math.sqrt(rate)) ** 2
    return 4 * (fixed + math.sqrt(steep * (n_learned.bit_length() + squares / 4)))


def in_short(report: EnsembleReport) -> EnsembleReport:
    """Say of the pairs how many are alive, and what the strongest of them is, instead of every number of each."""
    alive, pairs = report.n_learned.bit_length(), report.lanes
    lanes = {name: values for name, values in pairs.items() if name.rpartition("_")[0] not in _OF_A_PAIR}
    totals = {**report.totals, "pairs_alive": float(alive)}
    if alive:
        says = [_say(level, report) for level in range(alive)]
        shares = [math.exp(say - max(says)) for say in says]
        best = max(range(alive), key=shares.__getitem__)
        totals["strongest_pair_share"] = shares[best] / sum(shares)
        totals["strongest_pair_length"] = float(2**best)
        totals["strongest_pair_since"] = float(_began(best, report.n_learned))
        lanes |= {name: pairs[f"{name}_{best}"] for name in ("lambda", "theta")}
    return replace(report, lanes=dict(sorted(lanes.items())), totals=dict(sorted(totals.items())))


def _began(level: int, n_learned: int) -> int:
    return n_learned >> level << level


def _say(level: int, report: EnsembleReport) -> float:
    """The logarithm of what a pair counts in the mixture."""
    squared_regrets = float(report.lanes[f"regrets_{level}"][0])
    fastest = 2 * math.log(2 * _began(level, report.n_learned)) / (1 + squared_regrets)
    return float(report.lanes[f"log_weight_{level}"][0]) + math.log(min(0.5, math.sqrt(fastest)))
