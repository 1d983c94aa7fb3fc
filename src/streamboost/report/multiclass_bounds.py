"""Guarantees of the multiclass boosters, with the numbers of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.report.bounds import Bound

MIXING = 1 - math.exp(-1)
UNIT = "all examples of weight 1"


def mbbm_bounds(
    lanes: Mapping[str, NDArray[Any]],
    totals: Mapping[str, float],
    n_learned: int,
    edges: NDArray[np.float64],
    potential: str,
) -> tuple[Bound, ...]:
    r"""Return the telescoping of each edge's potential and the guarantee of Hedge over the edges.

    Losses are :math:`\phi_N(0)` for each example plus the excesses :math:`X_i`: an identity with a 0-1 potential, an
    upper bound with the pairwise one. Drawn potentials promise nothing.
    """
    if potential == "mc" or "weight" not in totals:
        return ()
    total = totals["weight"]
    found = []
    for e, (edge, mine) in enumerate(zip(edges, np.split(lanes["excess"], len(edges)), strict=True)):
        rhs = totals[f"potential_{e}"] * total + float(mine.sum())
        found.append(
            Bound(
                f"losses, edge {edge:g}",
                totals[f"loss_{e}"],
                rhs,
                trivial=math.inf if potential != "pairwise" else total,
                identity=potential != "pairwise",
                statement="phi_N(0) for each example, plus the excesses X_i of the learners",
            )
        )
        found.append(
            Bound(
                f"potential, edge {edge:g}",
                totals[f"loss_{e}"],
                totals[f"potential_{e}"] * total,
                premise=f"no learner below its edge of {edge:g}",
                premise_holds=bool((mine <= 0).all()),
                trivial=total,
                statement="what learners with the edge asked for lose at most",
            )
        )
    if len(edges) > 1:
        mistakes = np.array([totals[f"mistakes_{e}"] for e in range(len(edges))])
        found.append(_hedge(mistakes, totals, n_learned, "edges"))
    return tuple(found)


def olm_bounds(
    lanes: Mapping[str, NDArray[Any]],
    totals: Mapping[str, float],
    n_learned: int,
    loss: str,
    gradient: str,
    rate: str,
) -> tuple[Bound, ...]:
    r"""Return the chain from edges to mistakes (logistic loss) and the guarantee of Hedge over the prefixes.

    With :math:`M_i` the mistakes of expert i, :math:`M_0 = T`:
    :math:`\tfrac14 \sum_i \gamma_i^2 M_{i-1} \le (k-1) T \ln 2 - \sum_t L(s_t^N) + \sum_i R_i`.
    """
    if "weight" not in totals:
        return ()
    total, k = totals["weight"], totals["n_classes"]
    mistakes = np.asarray(lanes["expert_loss"], dtype=np.float64)
    before = np.array([total, *mistakes[:-1]])
    found = [_hedge(mistakes, totals, n_learned, "prefixes")]
    if loss != "logistic":
        return tuple(found)
    slopes = np.asarray(lanes["slope_sum"]) * (k - 1)
    found.append(
        Bound(
            "slopes",
            float((before / 2 - slopes).max()),
            0.0,
            statement="an example that a prefix gets wrong weighs at least 1/2 for the next learner",
        )
    )
    if gradient != "true":
        return tuple(found)
    regret = len(mistakes) * (k - 1) * math.sqrt(n_learned) * (6 if rate == "binary" else 4 * math.sqrt(2))
    squares = float((np.asarray(lanes["edge"]) ** 2).sum())
    unit = _unit(totals, n_learned)
    found.append(
        Bound(
            "edges",
            float((np.asarray(lanes["edge"]) ** 2 * before).sum()) / 4,
            (k - 1) * total * math.log(2) - totals["vote_loss"] + regret,
            statement="squared edges times mistakes, against the loss there was to lose and the regret of the votes",
            premise=UNIT,
            premise_holds=unit,
        )
    )
    best = 4 * ((k - 1) * total * math.log(2) + regret) / squares if squares > 0 else math.inf
    found.append(
        Bound("best prefix", float(mistakes.min()), best, trivial=total, premise=UNIT, premise_holds=unit)
    )
    expected = (best + math.log(len(mistakes))) / MIXING
    found.append(
        Bound(
            "expected mistakes",
            totals["expected_loss"],
            expected,
            trivial=total,
            premise=UNIT,
            premise_holds=unit,
        )
    )
    return tuple(found)


def _unit(totals: Mapping[str, float], n_learned: int) -> bool:
    return abs(totals["weight"] - n_learned) <= 1e-9 * n_learned


def _hedge(mistakes: NDArray[Any], totals: Mapping[str, float], n_learned: int, experts: str) -> Bound:
    return Bound(
        f"Hedge over {experts}",
        totals["expected_loss"],
        (float(mistakes.min()) + math.log(len(mistakes))) / MIXING,
        premise=UNIT,
        premise_holds=_unit(totals, n_learned),
        trivial=totals["weight"],
        statement="expected mistakes against those of the best expert",
    )
