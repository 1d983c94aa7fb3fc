"""The reliability curve: predicted probabilities beside how often they came true."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from streamboost.base.files.writing import write_figure
from streamboost.evaluate.plot import COLOURS
from streamboost.evaluate.rows import Floats, Rows
from streamboost.evaluate.score_metrics import Parts, exact_levels, in_parts
from streamboost.report.axes import INK, dress

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class ReliabilityCurve:
    """Probabilities of one label in parts of equal mass, beside how often the label came true.

    ``probability``, ``frequency`` and ``weight`` have one number for each part; the weights sum to 1. ``brier`` is
    ``reliability`` - ``resolution`` + ``uncertainty``, up to what probabilities differ within a part.
    """

    probability: Floats
    frequency: Floats
    weight: Floats
    brier: float
    error: float
    reliability: float
    resolution: float
    uncertainty: float
    n_rows: int

    def plot(self, path: str | os.PathLike[str] | None = None, *, title: str | None = None) -> Figure:
        """A picture of the curve, saved to ``path`` if one is given."""
        return plot_reliability({"": self}, path, title=title)


def reliability(
    y: Any, proba: Any, *, positive: Any = None, sample_weight: Any = None, bins: int = 15
) -> ReliabilityCurve:
    """Compare the probabilities of a label with how often it came true.

    Parameters
    ----------
    y : the labels; or, without ``positive``, whether the label came true, row by row.
    proba : what was answered for the label, before it was known: one number per row, NaN where there was no answer.
    positive : the label.
    sample_weight : what each row counts; 1 by default.
    bins : parts of equal mass.

    Returns
    -------
    ReliabilityCurve
    """
    truth = np.asarray(y) if positive is None else np.asarray(y) == positive
    p = np.asarray(proba, dtype=np.float64)
    weight = np.ones(len(p)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if p.ndim != 1 or truth.shape != p.shape or weight.shape != p.shape:
        raise ValueError(
            f"y, proba and sample_weight must have one number per row, got shapes {truth.shape}, {p.shape} and "
            f"{weight.shape}. Of the columns of predict_proba take the one of the label."
        )
    if not np.isin(truth.astype(np.float64), (0.0, 1.0)).all():
        raise ValueError("y must be true or false for every row; name the label with positive=.")
    if bins < 1:
        raise ValueError(f"bins must be at least 1, got {bins}.")
    kept = ~np.isnan(p) & (weight > 0)
    if not kept.any():
        raise ValueError("There is no row with an answer.")
    p, weight, codes = p[kept], weight[kept], truth[kept].astype(np.int64)
    if p.min() < 0 or p.max() > 1:
        raise ValueError(f"proba must lie between 0 and 1, got {p.min():.3g} to {p.max():.3g}.")
    rows = Rows(codes, codes, labels=(0, 1), proba=np.column_stack((1 - p, p)), weight=weight)
    parts: Parts = in_parts(exact_levels(rows, 1), bins)
    return ReliabilityCurve(
        probability=parts.probability,
        frequency=parts.frequency,
        weight=parts.weight,
        brier=float(weight @ (p - codes) ** 2 / weight.sum()),
        error=parts.error,
        reliability=parts.reliability,
        resolution=parts.resolution,
        uncertainty=parts.uncertainty,
        n_rows=int(kept.sum()),
    )


def plot_reliability(
    curves: Mapping[str, ReliabilityCurve],
    path: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
) -> Figure:
    """Reliability curves by name: on the diagonal probabilities hold, below it they promise too much.

    Saved at 150 dpi if a path is given; its ending decides the format.
    """
    if not curves:
        raise ValueError("There is no curve to draw.")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 5.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color=INK, linewidth=0.8, linestyle=":")
    for i, (name, curve) in enumerate(curves.items()):
        label = f"{name}  error {curve.error:.3f}, Brier {curve.brier:.3f}".strip()
        axes.plot(
            curve.probability,
            curve.frequency,
            color=COLOURS[i % len(COLOURS)],
            marker="o",
            markersize=4.5,
            linewidth=1.8,
            label=label,
        )
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_aspect("equal")
    axes.set_title(title or "What was answered, and what came true", loc="left", color=INK, fontsize=12)
    axes.set_xlabel("probability that was answered (mean of each part)", color=INK, fontsize=9.5)
    axes.set_ylabel("share of rows in which it came true", color=INK, fontsize=9.5)
    axes.legend(frameon=False, fontsize=9, loc="upper left")
    dress(axes, foot=False)
    if path is not None:
        write_figure(path, figure)
    return figure
