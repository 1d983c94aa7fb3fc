"""Pictures of a paper that are no tables: for the thesis, batch against online, learning curves and errors of base models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from streamboost.reproduce.compare import RebuiltTable, Reproduction
from streamboost.reproduce.report import ExtraFigure
from streamboost.reproduce.thesis_curves import curves
from streamboost.reproduce.thesis_scatter import scatterplots


def extra_figures(
    job: Reproduction, tables: Sequence[RebuiltTable], folder: Path, run: bool
) -> list[ExtraFigure]:
    """The figures that belong to the tables that were asked for; with ``run`` False only those that need no more runs."""
    if job.study.paper != "oza2001":
        return []
    numbers = {table.published.number for table in tables}
    return [*scatterplots(tables), *curves(job, numbers, folder, run)]
