"""How a model at work is doing: the last thousand rows beside all that came before, in numbers and plain sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from streamboost.report.tables import html_table

HORIZON = 1000
"""About so many rows count as the last ones; older ones fade."""


@dataclass(frozen=True)
class ColumnHealth:
    """One column: the share of missing cells in all rows and lately, of values never met before, and the mean distance."""

    name: Any
    missing: float
    missing_now: float
    new_now: float
    """Share of values lately that had never been met before; nominal columns."""
    distance_now: float
    """Mean distance from the mean lately, in standard deviations; numeric columns. About 0.8 where nothing has changed."""


@dataclass(frozen=True)
class Health:
    """What :meth:`health` returns. ``ok`` is False where one of the ``warnings`` stands."""

    n_rows: int
    error: float
    """Share of wrong answers, each before its row was learned, over all rows."""
    error_now: float
    """The same lately."""
    best_error: float
    """The lowest that ``error_now`` has ever been; NaN before there were a thousand rows."""
    best_at: int
    calibration_error: float
    """Lately; NaN before there were two classes."""
    coverage: Mapping[str, float]
    """Share of sets that held the true label, by their coverage, if sets are kept."""
    columns: tuple[ColumnHealth, ...]
    shares: Mapping[Any, tuple[float, float]]
    """Of every class: its share in all rows and lately."""
    notes: tuple[str, ...] = ()
    """Each number in a plain sentence."""
    warnings: tuple[str, ...] = field(default=())
    """What has changed enough to deserve a look."""

    @property
    def ok(self) -> bool:
        """Whether nothing deserves a look."""
        return not self.warnings

    @property
    def drift(self) -> bool:
        """Whether the error is clearly above the best it has been: by more than three standard deviations."""
        if math.isnan(self.best_error):
            return False
        spread = math.sqrt(max(self.best_error * (1 - self.best_error), 1e-4) / HORIZON)
        return self.error_now > self.best_error + 3 * spread + 0.01

    def __str__(self) -> str:
        head = "healthy" if self.ok else f"{len(self.warnings)} things to look at"
        return "\n".join(
            [f"{head} after {self.n_rows:,} rows", *(f"! {w}" for w in self.warnings), *self.notes]
        )

    def _repr_html_(self) -> str:
        rows = [["!", w] for w in self.warnings] + [["", note] for note in self.notes]
        return html_table(f"Health after {self.n_rows:,} rows", ["", "what"], rows, [])


def make_health(raw: Mapping[str, Any], columns: list[Any], labels: list[Any]) -> Health:
    """Put what the core has counted into words. `labels`: by code."""
    totals = {name.removeprefix("health/"): value for name, value in raw.items()}
    n = int(totals["rows"])
    per_column = [
        ColumnHealth(
            name, *(float(totals[key][j]) for key in ("missing", "missing_now", "new_now", "distance_now"))
        )
        for j, name in enumerate(columns)
    ]
    shares = {
        label: (float(totals["share"][c]), float(totals["share_now"][c])) for c, label in enumerate(labels)
    }
    found = Health(
        n_rows=n,
        error=float(totals["error"]),
        error_now=float(totals["error_now"]),
        best_error=float(totals["best_error"]) if totals["best_at"] else math.nan,
        best_at=int(totals["best_at"]),
        calibration_error=float(totals.get("calibration_error", math.nan)),
        coverage={
            name.removeprefix("coverage/"): float(value)
            for name, value in raw.items()
            if name.startswith("coverage/")
        },
        columns=tuple(per_column),
        shares=shares,
    )
    notes, warnings = _words(found)
    return Health(**{**vars(found), "notes": tuple(notes), "warnings": tuple(warnings)})


def _words(h: Health) -> tuple[list[str], list[str]]:
    notes = [f"Lately {h.error_now:.1%} of the answers were wrong, {h.error:.1%} over all rows."]
    warnings = []
    if not math.isnan(h.best_error):
        notes.append(f"The best was {h.best_error:.1%}, around row {h.best_at:,}.")
    if h.drift:
        warnings.append(
            f"The error has risen to {h.error_now:.1%}; it was {h.best_error:.1%} at its best. The stream may have changed."
        )
    if not math.isnan(h.calibration_error):
        notes.append(f"Probabilities are off by {h.calibration_error:.3f} on average (calibration error).")
        if h.calibration_error > 0.1 and h.n_rows >= HORIZON:
            warnings.append(
                f"Probabilities are off by {h.calibration_error:.3f} on average: calibration='platt+bins' may help."
            )
    for target, share in h.coverage.items():
        notes.append(f"Sets of coverage {target} held the true label in {share:.1%} of the rows.")
    if h.n_rows < HORIZON:
        notes.append(f"With fewer than {HORIZON:,} rows nothing is compared with the past.")
        return notes, warnings
    for c in h.columns:
        name = f"column {c.name!r}"
        if abs(c.missing_now - c.missing) > 0.05 + 0.5 * c.missing:
            warnings.append(
                f"{c.missing_now:.1%} of the cells of {name} are missing lately, {c.missing:.1%} over all rows."
            )
        if c.new_now > 0.02:
            warnings.append(f"{c.new_now:.1%} of the values of {name} lately had never been met before.")
        if c.distance_now > 2:
            warnings.append(
                f"Values of {name} are {c.distance_now:.1f} standard deviations from the mean lately, far from what was learned."
            )
    for label, (share, now) in h.shares.items():
        notes.append(f"Class {label!r}: {now:.1%} of the rows lately, {share:.1%} over all.")
        if abs(now - share) > 0.05 + 4 * math.sqrt(max(share * (1 - share), 1e-4) / HORIZON):
            warnings.append(f"Class {label!r} makes {now:.1%} of the rows lately, {share:.1%} over all.")
    return notes, warnings
