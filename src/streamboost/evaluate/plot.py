"""Pictures of prequential runs. matplotlib comes in with the first picture."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from streamboost.base.files.writing import write_figure
from streamboost.report.axes import INK, dress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from streamboost.evaluate.regression import RegressionResult

from streamboost.evaluate.result import PrequentialResult

# Okabe and Ito: told apart by colour-blind readers too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F")


class Curves(Protocol):
    """The error over the rows, of whatever result."""

    @property
    def positions(self) -> npt.NDArray[np.int64]:
        """Numbers of rows."""

    @property
    def cumulative_error(self) -> npt.NDArray[np.float64]:
        """The error so far, there."""

    @property
    def windowed_error(self) -> npt.NDArray[np.float64]:
        """The error over the window, there."""

    @property
    def window(self) -> int:
        """Rows of the window."""


def plot_errors(
    results: Sequence[PrequentialResult],
    path: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
) -> Figure:
    """Error so far (bold) and windowed error (faint) of one or several models over the rows.

    Each line is labelled at its right end. Marks at the foot are learners that a guard against drift
    replaced. Saved at 150 dpi if a path is given; its ending decides the format.
    """
    if not results:
        raise ValueError("There is no result to draw.")
    figure = _canvas(5.2)
    _draw_errors(figure.add_subplot(), results, title)
    if path is not None:
        write_figure(path, figure)
    return figure


def plot_numbers(result: RegressionResult, path: str | os.PathLike[str] | None = None) -> Figure:
    """The error of a regressor as in :func:`plot_errors`; below it the last rows: targets, answers and intervals."""
    figure = _canvas(8.2)
    above, below = figure.subplots(2, height_ratios=(5, 4))
    _draw_errors(above, [result], None)
    _draw_last(below, result)
    if path is not None:
        write_figure(path, figure)
    return figure


def _canvas(height: float) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _draw_last(axes: Any, result: RegressionResult) -> None:
    truth, said = result.last_rows.T
    last = result.left_out + result.n_rows
    rows = np.arange(last - len(truth), last) + 1
    # The limits follow the two lines and not the intervals, which may be infinite.
    low, high = float(np.nanmin(result.last_rows)), float(np.nanmax(result.last_rows))
    room = 0.25 * (high - low) or 1.0
    if result.last_intervals is not None:
        ends = result.last_intervals[-len(rows) :].clip(low - 2 * room, high + 2 * room)
        axes.fill_between(rows, *ends.T, color=COLOURS[0], alpha=0.18, linewidth=0, label="interval")
    axes.plot(rows, truth, color=INK, linewidth=1.0, label="target")
    axes.plot(rows, said, color=COLOURS[0], linewidth=1.4, label="answer")
    axes.set_xlim(rows[0], max(rows[-1], rows[0] + 1))
    axes.set_ylim(low - room, high + room)
    axes.set_title(f"the last {len(rows):,} rows", loc="left", color=INK, fontsize=12)
    axes.set_xlabel("examples", color=INK, fontsize=9.5)
    axes.legend(frameon=False, fontsize=9, loc="upper left", ncols=3, labelcolor=INK)
    _light(axes)


def _draw_errors(axes: Any, results: Sequence[PrequentialResult], title: str | None) -> None:
    ends = []
    faint = 0.35 if len(results) < 4 else 0.2
    for i, result in enumerate(results):
        colour = COLOURS[i % len(COLOURS)]
        dashes = "-" if i < len(COLOURS) else "--"
        axes.plot(result.positions, result.windowed_error, color=colour, linewidth=0.8, alpha=faint)
        # The first model lies on top of the others.
        axes.plot(
            result.positions,
            result.cumulative_error,
            color=colour,
            linewidth=2.0 if i else 2.6,
            linestyle=dashes,
            zorder=3 - i / len(results),
        )
        ends.append(float(result.cumulative_error[-1]))
    last = max(int(result.positions[-1]) for result in results)
    low, high = settled_range(results)
    axes.set_xlim(0, last)
    axes.set_ylim(low, high)
    spread = spread_apart(np.array(ends), 0.048 * (high - low), low, high)
    for i, (result, height) in enumerate(zip(results, spread, strict=True)):
        colour = COLOURS[i % len(COLOURS)]
        axes.annotate(
            f"{result.model_name}  {end_text(result, ends[i])}",
            xy=(int(result.positions[-1]), ends[i]),
            xytext=(1.02, float(height)),
            textcoords=axes.get_yaxis_transform(),
            color=colour,
            fontsize=9.5,
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "linewidth": 0.6,
                "relpos": (0.0, 0.5),
                "shrinkB": 1,
            },
        )
    marked = [result for result in results if result.n_orders == 1 and len(result.drifts)]
    for level, result in enumerate(marked):
        mark_drifts(axes, result.drifts[:, 0], COLOURS[list(results).index(result) % len(COLOURS)], level)
    _dress(axes, results, title, marked=bool(marked))


def mark_drifts(axes: Any, rows: npt.NDArray[np.int64], colour: str, level: int) -> None:
    """Small marks at the foot of a picture, one line of them above the other."""
    height = np.full(len(rows), 0.018 + 0.032 * level)
    across = axes.get_xaxis_transform()
    axes.plot(rows, height, "|", color=colour, markersize=7, markeredgewidth=0.9, alpha=0.6, transform=across)


def _dress(axes: Any, results: Sequence[PrequentialResult], title: str | None, *, marked: bool) -> None:
    first = results[0]
    orders = f", mean of {first.n_orders} orders" if first.n_orders > 1 else ""
    axes.set_title(
        title or f"{os.path.basename(first.data_name)}: prequential error{orders}",
        loc="left",
        color=INK,
        fontsize=12,
    )
    axes.set_xlabel(
        f"examples   (bold: error so far; faint: error over the last {first.window:,}"
        f"{'; marks: a learner was replaced' if marked else ''})",
        color=INK,
        fontsize=9.5,
    )
    axes.set_ylabel(first.error_name, color=INK, fontsize=9.5)
    _light(axes)


def _light(axes: Any) -> None:
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    dress(axes)


def end_text(curves: Curves, end: float) -> str:
    """The error at the end of a line: a share, or a number of any size."""
    return f"{end:.3f}" if getattr(curves, "largest_error", 1.0) == 1.0 else f"{end:.4g}"


def settled_range(results: Sequence[Curves]) -> tuple[float, float]:
    """Limits that show where the curves settle: the first rows are all noise and would squeeze the rest."""
    settled = [r.positions >= min(0.05 * r.positions[-1], 5 * r.window) for r in results]
    values = np.concatenate(
        [
            np.concatenate((r.cumulative_error[keep], r.windowed_error[keep]))
            for r, keep in zip(results, settled, strict=True)
        ]
    )
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    most = getattr(results[0], "largest_error", 1.0)
    margin = max(0.06 * (high - low), 0.005 if most == 1.0 else 0.005 * high)
    return max(0.0, low - margin), min(most, high + margin) if high + margin > 0 else 1.0


def spread_apart(
    heights: npt.NDArray[np.float64], gap: float, low: float, high: float
) -> npt.NDArray[np.float64]:
    """Heights moved apart so that labels do not overlap: neighbours too close form a group around their mean."""
    groups: list[list[int]] = []

    def bottom(group: list[int]) -> float:
        middle = float(heights[group].mean())
        room = gap * (len(group) - 1)
        return max(low, min(middle - room / 2, high - room))

    for i in np.argsort(heights, kind="stable").tolist():
        groups.append([i])
        while len(groups) > 1 and bottom(groups[-2]) + gap * len(groups[-2]) > bottom(groups[-1]):
            last = groups.pop()
            groups[-1] += last
    spread = np.empty(heights.size)
    for group in groups:
        spread[group] = bottom(group) + gap * np.arange(len(group))
    return spread
