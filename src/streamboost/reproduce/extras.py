"""Pictures of a paper that are no tables."""

from __future__ import annotations

from pathlib import Path

from streamboost.reproduce.compare import Reproduction
from streamboost.reproduce.report import ExtraFigure


def extra_figures(job: Reproduction, folder: Path) -> list[ExtraFigure]:
    """The figures of the paper that belong to the tables that were asked for."""
    return []
