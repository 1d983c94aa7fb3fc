"""One inequality of a guarantee, with the numbers of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

Lanes = Mapping[str, NDArray[Any]]
Totals = Mapping[str, float]
"""What a model reports of each learner, and of all of them."""
NONE = "none"
TOLERANCE = 1e-9
"""Relative: sums over long streams are rounded."""


@dataclass(frozen=True)
class Bound:
    """One inequality `lhs <= rhs` (or an identity `lhs = rhs`), with the numbers of this run."""

    name: str
    lhs: float
    rhs: float
    premise: str = NONE
    """What the guarantee assumes; "none" for one that must hold on every stream."""
    premise_holds: bool = True
    """Whether the assumption held in this run."""
    trivial: float = math.inf
    """From here on the right side says nothing: all examples, or an error rate of 1."""
    identity: bool = False
    statement: str = ""
    """In words."""

    @property
    def assumption_free(self) -> bool:
        """Whether it must hold on every stream: a failure is a bug."""
        return self.premise == NONE

    @property
    def holds(self) -> bool:
        """Whether it is true, up to rounding."""
        slack = TOLERANCE * max(1.0, abs(self.lhs), abs(self.rhs) if math.isfinite(self.rhs) else 1.0)
        if self.identity:
            return abs(self.lhs - self.rhs) <= 100 * slack
        return self.lhs <= self.rhs + slack

    @property
    def vacuous(self) -> bool:
        """Whether it is true of every run whatever happened: it promises nothing yet."""
        return not self.identity and self.rhs >= self.trivial

    @property
    def broken(self) -> bool:
        """Whether it fails although everything it assumes holds."""
        return self.premise_holds and not self.holds

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "name": self.name,
            "statement": self.statement,
            "lhs": self.lhs,
            "rhs": self.rhs,
            "identity": self.identity,
            "holds": self.holds,
            "vacuous": self.vacuous,
            "assumption_free": self.assumption_free,
            "premise": self.premise,
            "premise_holds": self.premise_holds,
        }

    def __str__(self) -> str:
        sign = "=" if self.identity else "<="
        if self.holds:
            verdict = "holds, but promises nothing yet" if self.vacuous else "holds"
        else:
            verdict = "VIOLATED" if self.premise_holds else "does not hold"
        text = f"{self.name}: {self.lhs:.6g} {sign} {self.rhs:.6g}  {verdict}"
        if not self.assumption_free:
            text += f"  (needs {self.premise}: {'held' if self.premise_holds else 'did not hold'})"
        return text + (f"\n    {self.statement}" if self.statement else "")
