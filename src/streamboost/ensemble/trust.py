"""What comes after the vote of any ensemble, declared once: calibrated probabilities."""

from __future__ import annotations

from typing import Any, TypedDict

from streamboost.base.parameter import NONE, number, one_of, parameter


class Trust(TypedDict, total=False):
    """What every streaming ensemble takes beside its own parameters, each with the default declared in `TRUST`."""

    calibration: str | None
    calibration_half_life: float | str | None


CALIBRATION = (
    parameter(
        "calibration",
        [one_of("platt", "beta", "platt+bins"), NONE],
        "Probabilities that hold, learned from what was answered and what then happened: by Platt scaling, beta "
        "calibration (three parameters; with more than two classes as Platt's), or Platt scaling and what is left in ten "
        "bins of it (the best choice as a rule). None: the vote's own.",
        to_core=False,
        before=None,
        default=None,
    ),
    parameter(
        "calibration_half_life",
        [number("(0, inf)"), NONE, one_of("auto")],
        "Examples after which the calibration has forgotten half of its past. None: it forgets nothing. Auto: 10,000 "
        "with `drift`, else None.",
        to_core=False,
        before="auto",
        default="auto",
    ),
)
TRUST = (*CALIBRATION,)
"""The parameters themselves."""


def stages_of(model: Any, drifts: bool) -> dict[str, Any]:
    """Return the stages after the vote as the core reads them; empty: there are none."""
    if model.calibration is None:
        return {}
    half_life = model.calibration_half_life
    if half_life == "auto":
        half_life = 10_000.0 if drifts else None
    return {
        "calibration": model.calibration,
        "calibration_half_life": None if half_life is None else float(half_life),
    }
