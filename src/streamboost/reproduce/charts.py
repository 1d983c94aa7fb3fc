"""The pictures of a reproduction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from streamboost.experiments.charts import TYPE_SIZE
from streamboost.experiments.figures import GRID, N_COLOURS, SOFT, LegendEntry, Style, plot_area, text_width

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_SYMBOLS = ("●■▲◆▼✚✖★", "○□△◇▽✚✖☆")
"""The markers as characters, full and hollow."""


def _axes_with_names(figure: Figure, narrow: bool, series: Sequence[Series], styles: Sequence[Style]) -> Any:
    """A plot area; on a wide picture the names stand at its right, in their colours, each with its marker."""
    right = 22 if narrow else text_width([one.name for one in series], TYPE_SIZE) + 60
    axes = plot_area(figure, left=62, right=right, top=12, bottom=52)
    if narrow:
        return axes
    for place, (one, style) in enumerate(zip(series, styles, strict=True)):
        y = 0.97 - place * min(0.09, 1 / len(series))
        at: dict[str, Any] = {"color": style.hex, "transform": axes.transAxes}
        axes.plot([1.03], [y], clip_on=False, **at, **_marker(one, style))
        axes.text(1.06, y, one.name, fontsize=TYPE_SIZE, va="center", **at)
    return axes


def _marker(one: Series, style: Style) -> dict[str, Any]:
    """How the points of a series look."""
    return {
        "marker": _MARKERS[(style.colour or 0) % len(_MARKERS)],
        "markersize": 7,
        "markerfacecolor": "none" if one.hollow else style.hex,
        "markeredgewidth": 1.3 if one.hollow else 0,
    }


@dataclass(frozen=True)
class Series:
    """Points of one name."""

    name: str
    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]
    error: npt.NDArray[np.float64] | None = None
    hollow: bool = False


@dataclass(frozen=True)
class Scatter:
    """Points around the diagonal: two figures that should be equal."""

    title: str
    series: Sequence[Series]
    x_title: str
    y_title: str

    @property
    def styles(self) -> list[Style]:
        """A colour for every name; hollow points share that of the full ones before them."""
        full = -1
        found = []
        for one in self.series:
            full += not one.hollow
            found.append(Style(max(full, 0) % N_COLOURS))
        return found

    @property
    def legend(self) -> list[LegendEntry]:
        """Names and colours, in the order of the lines."""
        return [
            LegendEntry(one.name, style, _SYMBOLS[one.hollow][(style.colour or 0) % len(_MARKERS)])
            for one, style in zip(self.series, self.styles, strict=True)
        ]

    def height(self, narrow: bool) -> float:
        """The height of the chart in pixels."""
        return 330 if narrow else 520

    def draw(self, figure: Figure, narrow: bool) -> None:
        """The diagonal, then the points with their standard errors."""
        axes = _axes_with_names(figure, narrow, self.series, self.styles)
        reach = [
            (one.y - one.error, one.y + one.error) if one.error is not None else () for one in self.series
        ]
        everything = np.concatenate(
            [np.concatenate((one.x, one.y, *bars)) for one, bars in zip(self.series, reach, strict=True)]
        )
        low, high = float(everything.min()), float(everything.max())
        margin = 0.05 * (high - low) or 0.01
        span = (max(0.0, low - margin), high + margin)
        axes.plot(span, span, color=GRID, linewidth=2, zorder=1)
        for one, style in zip(self.series, self.styles, strict=True):
            look = _marker(one, style)
            axes.errorbar(
                one.x,
                one.y,
                yerr=one.error,
                linestyle="none",
                color=style.hex,
                elinewidth=1.1,
                alpha=0.9,
                **look,
            )
        axes.set_xlim(*span)
        axes.set_ylim(*span)
        axes.set_xlabel(self.x_title, color=SOFT, fontsize=TYPE_SIZE - 0.5)
        axes.set_ylabel(self.y_title, color=SOFT, fontsize=TYPE_SIZE - 0.5)


@dataclass(frozen=True)
class Lines:
    """Lines with a band of one standard error."""

    title: str
    series: Sequence[Series]
    x_title: str
    y_title: str
    span: tuple[float, float] | None = None
    """The least and the largest value that the upright axis shows, if it is not left to the lines."""

    @property
    def legend(self) -> list[LegendEntry]:
        """Names and colours, in the order of the lines."""
        return [LegendEntry(one.name, Style(i % N_COLOURS)) for i, one in enumerate(self.series)]

    def height(self, narrow: bool) -> float:
        """The height of the chart in pixels."""
        return 290 if narrow else 400

    def draw(self, figure: Figure, narrow: bool) -> None:
        """Draw the lines, and a band around each."""
        styles = [entry.style for entry in self.legend]
        axes = _axes_with_names(figure, narrow, self.series, styles)
        for one, style in zip(self.series, styles, strict=True):
            marker = _MARKERS[(style.colour or 0) % len(_MARKERS)] if one.x.size <= 40 else None
            axes.plot(
                one.x, one.y, color=style.hex, linewidth=2, marker=marker, markersize=5, markeredgewidth=0
            )
            if one.error is not None:
                axes.fill_between(
                    one.x, one.y - one.error, one.y + one.error, color=style.hex, alpha=0.18, linewidth=0
                )
        axes.locator_params(axis="x", integer=True)
        if self.span is not None:
            axes.set_ylim(*self.span)
        axes.set_xlabel(self.x_title, color=SOFT, fontsize=TYPE_SIZE - 0.5)
        axes.set_ylabel(self.y_title, color=SOFT, fontsize=TYPE_SIZE - 0.5)
