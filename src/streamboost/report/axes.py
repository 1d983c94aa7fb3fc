"""How all pictures look: dark words, light lines behind the data, no frame."""

from __future__ import annotations

from typing import Any

INK, GRID = "#333333", "#DDDDDD"


def dress(axes: Any, *, grid: str = "both", foot: bool = True, size: int = 9, width: float = 0.7) -> None:
    """Draw the lines of one direction or both, and of the frame the foot or nothing; ``size`` is that of the numbers."""
    axes.tick_params(colors=INK, labelsize=size, length=0)
    axes.grid(axis=grid, color=GRID, linewidth=width)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left", *(() if foot else ("bottom",))):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(GRID)
