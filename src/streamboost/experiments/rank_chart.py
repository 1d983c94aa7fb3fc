"""Average ranks of models, with what Nemenyi's test says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from streamboost.evaluate.significance import Ranking
from streamboost.experiments.charts import TYPE_SIZE
from streamboost.experiments.figures import GRID, INK, REST, SOFT, LegendEntry, Style, plot_area, text_width

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class RankChart:
    """Average ranks; two models whose bars do not overlap are told apart by Nemenyi's test."""

    title: str
    names: Sequence[str]
    ranking: Ranking
    styles: dict[str, Style]
    legend: tuple[LegendEntry, ...] = ()

    def height(self, narrow: bool) -> float:
        """The height of the chart in pixels."""
        return 62 + len(self.names) * (46 if narrow else 34)

    def draw(self, figure: Figure, narrow: bool) -> None:
        """One line per model, best on top."""
        order = np.argsort(self.ranking.ranks, kind="stable")
        k = order.size
        left = 16 if narrow else text_width(self.names, TYPE_SIZE) + 24
        axes = plot_area(figure, left=left, right=24, top=8 + (18 if narrow else 0), bottom=48)
        half = self.ranking.critical_difference / 2
        for place, at in enumerate(order.tolist()):
            rank, style = float(self.ranking.ranks[at]), self.styles[self.names[at]]
            colour = style.hex if style.colour is not None else REST
            if np.isfinite(half):
                axes.plot(
                    [max(1.0, rank - half), min(float(k), rank + half)],
                    [place, place],
                    color=colour,
                    linewidth=7,
                    alpha=0.25,
                    solid_capstyle="butt",
                )
            axes.plot([rank], [place], marker="o", color=colour, markersize=9, markeredgewidth=0)
            self._name(axes, self.names[at], rank, place, narrow)
        axes.set_xlim(0.9, k + 0.1)
        axes.set_ylim(k - 0.5, -0.5)
        axes.set_xticks(range(1, k + 1))
        axes.set_yticks([])
        axes.grid(False, axis="y")
        axes.spines["bottom"].set_color(GRID)
        axes.set_xlabel(
            "average rank (1 is best)" if narrow else "average rank over the data sets (1 is best)",
            color=SOFT,
            fontsize=TYPE_SIZE - 0.5,
        )

    def _name(self, axes: Any, name: str, rank: float, place: int, narrow: bool) -> None:
        axes.annotate(
            f"{name}   {rank:.2f}" if narrow else name,
            xy=(0, place),
            xycoords=axes.get_yaxis_transform(),
            xytext=(0, 15) if narrow else (-14, 0),
            textcoords="offset points",
            ha="left" if narrow else "right",
            va="center",
            color=INK,
            fontsize=TYPE_SIZE - 0.5 if narrow else TYPE_SIZE,
            annotation_clip=False,
        )
        if not narrow:
            axes.annotate(
                f"{rank:.2f}",
                xy=(rank, place),
                xytext=(9, 9),
                textcoords="offset points",
                color=SOFT,
                fontsize=TYPE_SIZE - 2,
            )
