"""Signs that boosting does not do what its user thinks, each with what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.base.session import JUDGED_AFTER

FEW_REDUCED = 0.05
STARVED = 1e-3
MANY_STARVED = 0.2


def advise(lanes: Mapping[str, NDArray[Any]], n_learned: int) -> tuple[str, ...]:
    """Return what is wrong with a run so far, in words; nothing before 1,000 examples."""
    weight = lanes.get("weight_sum")
    if weight is None or n_learned < JUDGED_AFTER or len(weight) < 2:
        return ()
    found = []
    if "reduced_share" in lanes:
        share = float(lanes["reduced_share"][1:].mean())
        if share < FEW_REDUCED:
            found.append(
                f"Boosting is all but off: only {share:.1%} of the weights were below 1, because the learners' answers "
                "are mostly smaller than the margin theta that gamma asks for. All learners then learn every example "
                "alike. Scale the features (scale='maxabs' or 'standard'), set hypothesis='sign', or lower gamma."
            )
    error, margin = lanes["error_rate"], lanes["mean_margin"]
    if error[0] > 0 and margin.any() and np.all(error == error[0]) and np.all(margin == margin[0]):
        found.append(
            f"All {len(weight)} learners are identical: they gave the same answers to every example, so the ensemble is "
            "one learner at the price of many. Use random starts (start='sphere'), feature_fraction below 1, or an "
            "ensemble that draws (bagging, oza-boost)."
        )
    starved = weight < STARVED * weight.max()
    if starved.mean() >= MANY_STARVED:
        first = int(np.argmax(starved))
        found.append(
            f"{int(starved.sum())} of {len(weight)} learners are starving: each was offered less than {STARVED:.1%} of "
            f"the weight that the first ones got, and has learned next to nothing. About {max(first, 1)} learners "
            "would do as well (n_estimators); a shrinkage below 1, where there is one, spreads the weight further."
        )
    return tuple(found)
