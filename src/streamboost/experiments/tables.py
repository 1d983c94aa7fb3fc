"""The summary as CSV and as a table for the terminal."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any

from streamboost.experiments.summary import BEST, LIKE_BEST, Cell, Summary, Verdict

if TYPE_CHECKING:
    from rich.table import Table

LIKE_BEST_MARK = "≈"


def error_text(cell: Cell) -> str:
    """The mean error for people."""
    return f"{cell.error:.4f}"


def spread_text(cell: Cell) -> str:
    """Plus or minus its standard error; empty for a single run."""
    return "" if cell.standard_error is None else f"± {cell.standard_error:.4f}"


def missing_text(cell: Cell) -> str:
    """What stands where there is no result."""
    return "failed" if cell.status == "failed" else "n/a"


def terminal_table(summary: Summary) -> Table:
    """One line per data set, one column per model; long and narrow instead if there are many models."""
    from rich.table import Table

    table = Table(title="Mean error", title_justify="left", header_style="bold")
    many = len(summary.algorithms) > 4
    marked = [
        [_marked(cell, verdict) for cell, verdict in zip(row, summary.verdicts(row), strict=True)]
        for row in summary.cells
    ]
    if many:
        table.add_column("model")
        table.add_column("learner")
        for facts in summary.sets:
            table.add_column(facts.name, justify="right")
        for a, algorithm in enumerate(summary.algorithms):
            table.add_row(algorithm.group, algorithm.member, *(row[a] for row in marked))
        return table
    table.add_column("data")
    for algorithm in summary.algorithms:
        table.add_column(f"{algorithm.group}\n{algorithm.member}", justify="right")
    for facts, cells in zip(summary.sets, marked, strict=True):
        table.add_row(facts.name, *cells)
    return table


def _marked(cell: Cell, verdict: Verdict | None) -> str:
    if verdict is None:
        return f"[dim]{missing_text(cell)}[/]"
    text = " ".join((error_text(cell), spread_text(cell))).strip()
    if verdict.place == BEST:
        return f"[bold green]{text}[/]"
    return f"{text} {LIKE_BEST_MARK}" if verdict.place == LIKE_BEST else text


def runs_csv(summary: Summary) -> str:
    """One line per run."""
    units = list(summary.protocol.units()[0])
    metrics = list(summary.protocol.metrics)
    scores = [] if summary.protocol.folds else ["kappa", "balanced_accuracy", "g_mean"]
    head = ["data", "model", "learner", "size", *units, "status", "error", *scores, *metrics]
    lines: list[list[Any]] = [[*head, "seconds", "rows", "memory_bytes", "message"]]
    for cell in (cell for row in summary.cells for cell in row):
        algorithm = cell.algorithm
        for unit, record in zip(summary.protocol.units(), cell.records, strict=True):
            size = algorithm.params.get("n_estimators", "")
            line = [cell.data.name, algorithm.group, algorithm.learner_label or algorithm.learner, size]
            line += [unit[name] for name in units]
            if not record.done:
                empty = [""] * (len(lines[0]) - len(line) - 2)
                lines.append([*line, record.status, *empty, record.message])
                continue
            errors = record.figure("errors")
            line += [record.status, sum(errors) / len(errors)]
            line += [record.figure(name) for name in scores]
            line += [record.figure("metrics")[name] for name in metrics]
            lines.append(
                [*line, record.figure("seconds"), record.figure("n_rows"), record.figure("memory_bytes"), ""]
            )
    return _csv(lines)


def summary_csv(summary: Summary) -> str:
    """One line per model and data set."""
    head = "data model learner size status error standard_error place p examples_per_second message".split()
    lines: list[list[Any]] = [head]
    for row in summary.cells:
        for cell, verdict in zip(row, summary.verdicts(row), strict=True):
            algorithm = cell.algorithm
            size = algorithm.params.get("n_estimators", "")
            line = [cell.data.name, algorithm.group, algorithm.learner_label or algorithm.learner, size]
            if verdict is None:
                lines.append([*line, cell.status, "", "", "", "", "", cell.message])
                continue
            speed = cell.examples_per_second
            figures = [cell.error, cell.standard_error, verdict.place, verdict.p]
            lines.append([*line, cell.status, *figures, None if math.isnan(speed) else round(speed), ""])
    return _csv(lines)


def _csv(lines: list[list[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()
