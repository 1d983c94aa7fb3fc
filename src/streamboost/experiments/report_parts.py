"""Cells, words and numbers of a comparison's page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from streamboost.experiments.page import DataTable, TableCell
from streamboost.experiments.plan import Algorithm
from streamboost.experiments.summary import BEST, LIKE_BEST, Cell, Verdict
from streamboost.experiments.tables import LIKE_BEST_MARK, missing_text, spread_text, value_text


def error_cell(cell: Cell, verdict: Verdict | None) -> TableCell:
    """The error of a model on a data set, with its mark."""
    if verdict is None:
        return TableCell(
            missing_text(cell), mark="bad" if cell.status == "failed" else "none", hint=cell.message
        )
    hint = "" if verdict.p is None else f"{p_text(verdict.p)} against the best"
    mark = {BEST: "best", LIKE_BEST: "like"}.get(verdict.place, "")
    text = value_text(cell) + (f" {LIKE_BEST_MARK}" if verdict.place == LIKE_BEST else "")
    return TableCell(text, spread_text(cell), mark, hint)


def reasons(cells: list[Cell]) -> DataTable:
    """Why there is no result, one line per cell."""
    rows = [
        [
            TableCell(cell.algorithm.group, cell.algorithm.member),
            TableCell(cell.data.name),
            TableCell(cell.message, mark="text"),
        ]
        for cell in cells
    ]
    return DataTable(["model", "data", "reason"], rows)


def p_text(p: float) -> str:
    """A p for people."""
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}" if p < 0.1 else f"p = {p:.2f}"


def count(n: int, one: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def size_text(size: float) -> str:
    """A number of bytes for people."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def parameters_text(values: dict[str, object]) -> str:
    """Parameters that are not the defaults."""
    return ", ".join(f"{name}={value}" for name, value in values.items()) or "defaults"


def together(some: Sequence[Algorithm], everything: Sequence[Algorithm]) -> list[str]:
    """Names of models; a group of which all are meant is named once."""
    members = Counter(algorithm.group for algorithm in everything)
    meant = Counter(algorithm.group for algorithm in some)
    names = [a.group if meant[a.group] == members[a.group] else a.name for a in some]
    return list(dict.fromkeys(names))
