"""Parameters shared by the ensembles that weigh experts by Hedge: the learning rate and its horizon."""

from __future__ import annotations

from typing import Any

from streamboost.base.parameter import NONE, number, one_of, parameter, whole

HEDGE_RATE = parameter(
    "hedge_rate",
    [one_of("anytime", "horizon"), number("(0, inf)")],
    r"How fast Hedge learns: :math:`\eta_t = \sqrt{8 \ln N / t}`, the best constant for `horizon` examples, or a given constant.",
    to_core=False,
)
HORIZON = parameter(
    "horizon",
    [whole("[1, inf)"), NONE],
    'For ``hedge_rate="horizon"``: how many examples there will be.',
    to_core=False,
)


def hedge_params(hedge_rate: str | float, horizon: int | None) -> dict[str, Any]:
    """Return what the core is given: a constant rate, a number of examples, or neither."""
    if hedge_rate == "horizon" and horizon is None:
        raise ValueError("hedge_rate='horizon' needs horizon=, the number of examples there will be.")
    return {
        "hedge_rate": None if isinstance(hedge_rate, str) else float(hedge_rate),
        "horizon": int(horizon) if hedge_rate == "horizon" and horizon is not None else None,
    }
