"""The charts of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from streamboost.evaluate.plot import end_text, mark_drifts, settled_range, spread_apart
from streamboost.experiments.figures import (
    N_COLOURS,
    SOFT,
    LegendEntry,
    Style,
    plot_area,
    text_width,
)
from streamboost.experiments.summary import Curve

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TYPE_SIZE = 13.0
_MARKERS = ("o", "s")


def styles_of(names: Sequence[str], order: Sequence[int]) -> dict[str, Style]:
    """A style for every name: all get a colour if there are enough, else the first ones of the order do."""
    if len(names) <= 2 * N_COLOURS:
        return {name: Style(i % N_COLOURS, i >= N_COLOURS) for i, name in enumerate(names)}
    coloured = {names[at]: Style(place) for place, at in enumerate(order[:N_COLOURS])}
    return {name: coloured.get(name, Style(None)) for name in names}


def _entries(names: Sequence[str], styles: dict[str, Style]) -> list[LegendEntry]:
    seen = [LegendEntry(name, styles[name]) for name in names if styles[name].colour is not None]
    grey = len(seen) < len(names)
    return [*seen, LegendEntry("others", Style(None))] if grey else seen


@dataclass(frozen=True)
class ErrorOverTime:
    """Error so far, bold, and lately, faint, over the rows."""

    title: str
    curves: Sequence[Curve]
    styles: dict[str, Style]

    @property
    def legend(self) -> list[LegendEntry]:
        """Names and colours, the best model first."""
        ranked = sorted(self.curves, key=lambda curve: curve.cumulative_error[-1])
        return _entries([curve.model_name for curve in ranked], self.styles)

    def height(self, narrow: bool) -> float:
        """The height of the chart in pixels."""
        return 290 if narrow else 400

    def draw(self, figure: Figure, narrow: bool) -> None:
        """Labels stand at the right end of the lines; a narrow picture has a legend instead."""
        ends = [float(curve.cumulative_error[-1]) for curve in self.curves]
        labels = [f"{c.model_name}  {end_text(c, end)}" for c, end in zip(self.curves, ends, strict=True)]
        right = 22 if narrow else text_width(labels, TYPE_SIZE) + 34
        axes = plot_area(figure, left=50, right=right, top=12, bottom=46)
        low, high = settled_range(self.curves)
        last = max(int(curve.positions[-1]) for curve in self.curves)
        # Grey ones first, so that they lie below.
        for curve in sorted(self.curves, key=lambda c: self.styles[c.model_name].colour is not None):
            style = self.styles[curve.model_name]
            line = {"color": style.hex, "linestyle": (0, (4, 2)) if style.dashed else "-"}
            if style.colour is not None:
                axes.plot(curve.positions, curve.windowed_error, **line, linewidth=0.9, alpha=0.3)
            bold = 1.2 if style.colour is None else 2.2
            axes.plot(curve.positions, curve.cumulative_error, **line, linewidth=bold)
        marked = [c for c in self.curves if c.drifts.size and self.styles[c.model_name].colour is not None]
        for level, curve in enumerate(marked):
            mark_drifts(axes, curve.drifts, self.styles[curve.model_name].hex, level)
        axes.set_xlim(0, last)
        axes.set_ylim(low, high)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.xaxis.set_major_locator(_ticks(4 if narrow else 8))
        axes.set_xlabel("examples", color=SOFT, fontsize=TYPE_SIZE - 0.5)
        if not narrow:
            self._label(axes, ends, labels, low, high)

    def _label(self, axes: Any, ends: list[float], labels: list[str], low: float, high: float) -> None:
        shown = [i for i, c in enumerate(self.curves) if self.styles[c.model_name].colour is not None]
        heights = spread_apart(np.array([ends[i] for i in shown]), 0.056 * (high - low), low, high)
        for i, height in zip(shown, heights, strict=True):
            colour = self.styles[self.curves[i].model_name].hex
            axes.annotate(
                labels[i],
                xy=(int(self.curves[i].positions[-1]), ends[i]),
                xytext=(axes.get_xlim()[1] * 1.028, float(height)),
                color=colour,
                fontsize=TYPE_SIZE,
                va="center",
                annotation_clip=False,
                arrowprops={
                    "arrowstyle": "-",
                    "color": colour,
                    "linewidth": 0.8,
                    "relpos": (0.0, 0.5),
                    "shrinkA": 2,
                    "shrinkB": 1,
                },
            )


@dataclass(frozen=True)
class Point:
    """A model with its error and something to hold against it."""

    name: str
    x: float
    error: float
    standard_error: float | None


@dataclass(frozen=True)
class ErrorAgainstSpeed:
    """Error against examples per second: the lower right corner is good."""

    title: str
    points: Sequence[Point]
    styles: dict[str, Style]

    @property
    def legend(self) -> list[LegendEntry]:
        """Names and colours, the best model first."""
        return _entries([p.name for p in sorted(self.points, key=lambda p: p.error)], self.styles)

    def height(self, narrow: bool) -> float:
        """The height of the chart in pixels."""
        return 270 if narrow else 340

    def draw(self, figure: Figure, narrow: bool) -> None:
        """A dot with its standard error for each."""
        right = 22 if narrow else text_width([p.name for p in self.points], TYPE_SIZE) + 44
        axes = plot_area(figure, left=50, right=right, top=12, bottom=46)
        axes.set_xscale("log")
        for point in self.points:
            style = self.styles[point.name]
            axes.errorbar(
                point.x,
                point.error,
                yerr=point.standard_error,
                fmt=_MARKERS[style.dashed],
                color=style.hex,
                markersize=9 if style.colour is not None else 6,
                elinewidth=1.4,
                markeredgewidth=0,
            )
        x = np.array([p.x for p in self.points])
        axes.set_xlim(x.min() / 1.6, x.max() * 1.6)
        axes.margins(y=0.12)
        _plain_log_ticks(axes)
        axes.set_xlabel("examples per second of CPU time", color=SOFT, fontsize=TYPE_SIZE - 0.5)
        if narrow:
            return
        ordered = self.legend
        step = min(0.1, 1 / max(len(ordered), 1))
        for place, entry in enumerate(ordered):
            y = 0.97 - step * place
            axes.plot(
                [1.03],
                [y],
                marker=_MARKERS[entry.style.dashed],
                color=entry.style.hex,
                markersize=8,
                markeredgewidth=0,
                transform=axes.transAxes,
                clip_on=False,
            )
            axes.text(
                1.05,
                y,
                entry.name,
                transform=axes.transAxes,
                color=entry.style.hex,
                fontsize=TYPE_SIZE,
                va="center",
            )


@dataclass(frozen=True)
class ErrorAgainstSize:
    """Error against the number of learners."""

    title: str
    lines: Sequence[tuple[str, Sequence[Point]]]
    styles: dict[str, Style]

    @property
    def legend(self) -> list[LegendEntry]:
        """Names and colours, in the order of the lines."""
        return _entries([name for name, _ in self.lines], self.styles)

    def height(self, narrow: bool) -> float:
        """The height of the chart in pixels."""
        return 270 if narrow else max(340, 70 + 20 * len(self.lines))

    def draw(self, figure: Figure, narrow: bool) -> None:
        """A line for each model and learner, labelled at its end."""
        names = [name for name, _ in self.lines]
        right = 22 if narrow else text_width(names, TYPE_SIZE) + 34
        axes = plot_area(figure, left=50, right=right, top=12, bottom=46)
        axes.set_xscale("log")
        for name, points in self.lines:
            x, y = [p.x for p in points], [p.error for p in points]
            error = [p.standard_error or 0.0 for p in points]
            style = self.styles[name]
            line = {"color": style.hex, "linestyle": (0, (4, 2)) if style.dashed else "-"}
            axes.errorbar(x, y, yerr=error, **line, marker="o", linewidth=2, elinewidth=1)
        axes.margins(y=0.1)
        sizes = sorted({p.x for _, points in self.lines for p in points})
        axes.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
        axes.minorticks_off()
        axes.set_xlabel("learners in the ensemble", color=SOFT, fontsize=TYPE_SIZE - 0.5)
        if narrow:
            return
        low, high = axes.get_ylim()
        heights = spread_apart(
            np.array([points[-1].error for _, points in self.lines]),
            min(0.07, 0.95 / len(names)) * (high - low),
            low,
            high,
        )
        for (name, _), height in zip(self.lines, heights, strict=True):
            axes.text(
                1.02,
                float(height),
                name,
                transform=axes.get_yaxis_transform(),
                color=self.styles[name].hex,
                fontsize=TYPE_SIZE,
                va="center",
            )


def _ticks(n: int) -> object:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(n, steps=[1, 2, 2.5, 5, 10])


def _plain_log_ticks(axes: Any) -> None:
    """Ticks at 1, 2, 5 times a power of ten, written out, as many as there is room for."""
    from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator

    low, high = axes.get_xlim()
    steps: tuple[int, ...] = (1, 2, 5)
    if np.log10(high / low) > 1.7:
        steps = (1, 3)
    if np.log10(high / low) > 3:
        steps = (1,)
    ticks = [s * 10.0**e for e in range(-2, 10) for s in steps if low <= s * 10.0**e <= high]
    axis = axes.xaxis
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(lambda value, _: f"{value / 1000:,g}k" if value >= 1000 else f"{value:g}")
