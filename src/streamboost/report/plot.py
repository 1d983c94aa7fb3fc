"""A picture of a report: the bound against what happened over time, and how good the learners are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from streamboost.base.files.writing import write_figure
from streamboost.report.axes import INK, dress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

from streamboost.report.ensemble_report import EnsembleReport

_REALITY, _BOUND = "#0072B2", "#D55E00"


def plot_report(report: EnsembleReport, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draw the history, where one is kept, and the learners side by side; saved at 150 dpi if a path is given."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawers = (
        [_draw_learners]
        if report.trace is None or len(report.trace) == 0
        else [_draw_history, _draw_learners]
    )
    figure = Figure(figsize=(5.5 * len(drawers), 4.6), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(drawers), squeeze=False)[0]
    for axes, draw in zip(panels, drawers, strict=True):
        draw(axes, report)
        dress(axes)
    figure.suptitle(
        f"{report.model} of {report.n_estimators} x {report.learner}",
        x=0.01,
        ha="left",
        color=INK,
        fontsize=12,
    )
    if path is not None:
        write_figure(path, figure)
    return figure


def _draw_history(axes: Any, report: EnsembleReport) -> None:
    axes.set_title("error rate and its bound over time", loc="left", color=INK, fontsize=10.5)
    axes.set_xlabel("examples learned", color=INK, fontsize=9.5)
    assert report.trace is not None
    examples, weight, reality, bound = report.trace.T
    axes.plot(examples, reality / weight, color=_REALITY, linewidth=2.0, label="what happened")
    if report.trace_bounded:
        rate = bound / weight
        axes.plot(examples, rate, color=_BOUND, linewidth=1.6, linestyle="--", label=report.trace_label)
        axes.set_ylim(0, min(1.05, 1.1 * float(np.max(np.maximum(rate, reality / weight)))) or 1.0)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.legend(frameon=False, fontsize=9, labelcolor=INK)


def _draw_learners(axes: Any, report: EnsembleReport) -> None:
    axes.set_xlabel("learner", color=INK, fontsize=9.5)
    figures, title = report.lanes.get("edge"), "edge of each learner over the weights it was offered"
    if figures is None and "absolute_error" in report.lanes:
        weight = np.maximum(report.lanes["error_weight"], 1e-300)
        figures, title = report.lanes["absolute_error"] / weight, "mean absolute error of each learner"
    if figures is None:
        figures, title = np.empty(0), "no figures are kept of single learners"
    axes.set_title(title, loc="left", color=INK, fontsize=10.5)
    axes.axhline(0.0, color=INK, linewidth=0.8)
    axes.plot(
        np.arange(len(figures)),
        figures,
        color=_REALITY,
        linewidth=1.2,
        marker="." if len(figures) <= 200 else None,
    )
