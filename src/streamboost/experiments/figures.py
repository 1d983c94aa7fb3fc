"""Drawing for pages and papers: one chart becomes a wide and a narrow SVG that follow the page's colours, and a PNG.

matplotlib comes in with the first picture. Charts draw with the colours of the light page; in the SVG each of them becomes the
style sheet's variable, so that a page can be dark. Sizes are in pixels.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, SOFT, GRID, REST = "#1f2430", "#5d6676", "#e4e7ed", "#b9c0cb"
# After Okabe and Ito: told apart by colour-blind readers too.
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b98900", "#3a3a3a", "#7a56b8", "#56b4e9")
N_COLOURS = len(SERIES)
_VARIABLES = {INK: "--ink", SOFT: "--soft", GRID: "--grid", REST: "--rest"} | {
    colour: f"--s{i}" for i, colour in enumerate(SERIES)
}
WIDE, NARROW = 1000, 358
_DPI = 72  # one pixel of ours is one point of matplotlib's
_TEXT_WIDTH = 0.56  # of a character, over the size of the type


@dataclass(frozen=True)
class Style:
    """How a series is drawn: its colour (None: one of the many in the background) and its dashes."""

    colour: int | None
    dashed: bool = False

    @property
    def hex(self) -> str:
        """The colour on a light page."""
        return REST if self.colour is None else SERIES[self.colour]


@dataclass(frozen=True)
class LegendEntry:
    """A line of the legend that stands below a narrow picture."""

    name: str
    style: Style
    symbol: str = ""
    """A character that looks like the points; a line without it."""

    @property
    def css(self) -> str:
        """The colour as the page has it."""
        return f"var({_VARIABLES[self.style.hex]})"

    @property
    def dashes(self) -> str:
        """The dashes as SVG has them."""
        return "5 3" if self.style.dashed else "none"


@dataclass(frozen=True)
class Picture:
    """A chart that was drawn: SVG for wide and for narrow screens, and PNG."""

    name: str
    title: str
    wide: str
    narrow: str
    png: bytes
    legend: tuple[LegendEntry, ...]


class Chart(Protocol):
    """Something that can be drawn at two sizes."""

    @property
    def title(self) -> str:
        """What the chart shows, in a few words."""

    @property
    def legend(self) -> Sequence[LegendEntry]:
        """Who is who, for the narrow one."""

    def height(self, narrow: bool) -> float:
        """The height of the chart in pixels."""

    def draw(self, figure: Figure, narrow: bool) -> None:
        """Draw it on an empty figure."""


def render(chart: Chart, name: str) -> Picture:
    """Draw a chart at both sizes."""
    figure = _figure(chart, narrow=False)
    wide = _svg(figure, f"{name}-wide")
    narrow = _svg(_figure(chart, narrow=True), f"{name}-narrow")
    figure.set_facecolor("white")
    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=2 * _DPI, metadata={"Software": None})
    return Picture(name, chart.title, wide, narrow, png.getvalue(), tuple(chart.legend))


def _figure(chart: Chart, narrow: bool) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width = NARROW if narrow else WIDE
    figure = Figure(figsize=(width / _DPI, chart.height(narrow) / _DPI), dpi=_DPI, facecolor="none")
    FigureCanvasAgg(figure)
    chart.draw(figure, narrow)
    return figure


def _svg(figure: Figure, salt: str) -> str:
    from matplotlib import rc_context

    text = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": salt}):
        figure.savefig(
            text,
            format="svg",
            facecolor="none",
            metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")),
        )
    found = re.search(r"<svg.*</svg>", text.getvalue(), re.DOTALL)
    assert found is not None
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", found.group(), flags=re.DOTALL)
    # Ids of groups are the same in every picture, and nothing refers to them; a style would be one of the whole page.
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    svg = re.sub(r"<style.*?</style>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r'width="[^"]*pt"|height="[^"]*pt"', "", svg, count=2)
    svg = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font: \1 var(--font)", svg)  # as older versions write it
    svg = re.sub(r"font-family: [^;\"]*", "font-family: var(--font)", svg)
    for colour, variable in _VARIABLES.items():
        svg = re.sub(colour, f"var({variable})", svg, flags=re.IGNORECASE)
    return re.sub(r"\n\s*", "\n", svg)


def plot_area(
    figure: Figure, *, left: float, right: float, top: float, bottom: float, size: float = 12.5
) -> Any:
    """Axes with these margins in pixels, dressed as all our charts are."""
    width, height = figure.get_figwidth() * _DPI, figure.get_figheight() * _DPI
    axes = figure.add_axes(
        (left / width, bottom / height, 1 - (left + right) / width, 1 - (top + bottom) / height),
        facecolor="none",
    )
    axes.tick_params(colors=SOFT, labelsize=size, length=0, pad=6)
    axes.grid(color=GRID, linewidth=1)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(GRID)
    return axes


def text_width(texts: Sequence[str], size: float) -> float:
    """About how wide the widest of some texts is."""
    return max((len(text) for text in texts), default=0) * size * _TEXT_WIDTH
