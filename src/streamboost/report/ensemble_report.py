"""One table per ensemble: what each learner was given and how it did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.report.bounds import Bound

_SHOWN = 10


@dataclass(frozen=True, repr=False)
class EnsembleReport:
    """Per-learner statistics of a model, as they are now.

    Attributes
    ----------
    model, learner : str
        Class names.
    n_learned : int
        Examples learned with positive weight.
    lanes : dict of str to array
        One array per statistic, one entry per learner in order: ``weight_sum`` (weight offered), ``edge`` (mean of
        weight times correlation), ``error_rate`` (share of rows answered wrong), and the algorithm's own.
    totals : dict of str to float
        Statistics of the whole ensemble.
    bounds : tuple of Bound
        Guarantees of the algorithm against what happened.
    """

    model: str
    learner: str
    n_learned: int
    lanes: dict[str, NDArray[Any]]
    totals: dict[str, float] = field(default_factory=dict)
    bounds: tuple[Bound, ...] = ()

    @property
    def n_estimators(self) -> int:
        """Number of learners."""
        return len(next(iter(self.lanes.values()), ()))

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, ready for JSON."""
        return {
            "model": self.model,
            "learner": self.learner,
            "n_learned": self.n_learned,
            "lanes": {name: values.tolist() for name, values in self.lanes.items()},
            "totals": dict(self.totals),
            "bounds": [
                {
                    "name": bound.name,
                    "value": bound.value,
                    "limit": bound.limit,
                    "holds": bound.holds,
                    "premise": bound.premise,
                    "premise_holds": bound.premise_holds,
                }
                for bound in self.bounds
            ],
        }

    def __str__(self) -> str:
        lines = [f"{self.model} of {self.n_estimators} x {self.learner}, {self.n_learned} examples learned"]
        columns = {"learner": np.arange(self.n_estimators), **self.lanes}
        lines.append("  ".join(f"{name:>12}" for name in columns))
        for row in range(min(_SHOWN, self.n_estimators)):
            lines.append("  ".join(_cell(values[row]) for values in columns.values()))
        if self.n_estimators > _SHOWN:
            lines.append(f"{'...':>12}  ({self.n_estimators - _SHOWN} more)")
            means = [_cell(values.mean()) for values in self.lanes.values()]
            lines.append("  ".join([f"{'mean':>12}", *means]))
        lines += [f"{name}: {value:.6g}" for name, value in self.totals.items()]
        for bound in self.bounds:
            verdict = "holds" if bound.holds else "VIOLATED" if bound.premise_holds else "not reached"
            premise = "" if bound.premise == "none" else f" (needs {bound.premise}: {bound.premise_holds})"
            lines.append(f"{bound.name}: {bound.value:.6g} <= {bound.limit:.6g} {verdict}{premise}")
        return "\n".join(lines)

    __repr__ = __str__


def _cell(value: Any) -> str:
    return f"{int(value):>12d}" if isinstance(value, np.integer) else f"{float(value):>12.6g}"
