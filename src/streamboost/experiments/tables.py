"""The summary as CSV and as a table for the terminal."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any

from streamboost.experiments.summary import (
    BEST,
    LIKE_BEST,
    Cell,
    Summary,
    Verdict,
    figure_text,
    measure_name,
    measures_of,
)

if TYPE_CHECKING:
    from rich.table import Table

LIKE_BEST_MARK = "≈"


def value_text(cell: Cell, measure: str | None = None) -> str:
    """The mean of a metric for people; by default of what the models are ranked by."""
    value = cell.value if measure is None else cell.metric(measure)
    return figure_text(value, cell.regression)


def spread_text(cell: Cell) -> str:
    """Plus or minus its standard error; empty for a single run."""
    return "" if cell.standard_error is None else f"± {figure_text(cell.standard_error, cell.regression)}"


def missing_text(cell: Cell) -> str:
    """What stands where there is no result."""
    return "failed" if cell.status == "failed" else "n/a"


def terminal_tables(summary: Summary) -> list[Table]:
    """What ranks first with its marks, then one table per metric; all in one if there is one data set."""

    marked = [
        [_marked(cell, verdict) for cell, verdict in zip(row, summary.verdicts(row), strict=True)]
        for row in summary.cells
    ]
    first, *others = summary.measures
    title = (
        f"Mean {measure_name(first)}" if len(summary.protocol.units()) > 1 else first_up(measure_name(first))
    )
    if len(summary.sets) > 1:
        found = [_table(summary, title, marked)]
        for measure in others:
            plain = [[_plain(cell, measure) for cell in row] for row in summary.cells]
            found.append(_table(summary, first_up(measure_name(measure)), plain))
        return found
    table = _titled(f"On {summary.sets[0].name}")
    names = _model_names(summary)
    for title in ("model", "learner")[: len(names[0])]:
        table.add_column(title)
    for measure in summary.measures:
        table.add_column(measure_name(measure), justify="right")
    for name, cell, text in zip(names, summary.cells[0], marked[0], strict=True):
        more = [] if cell.status != "done" else [_plain(cell, measure) for measure in others]
        table.add_row(*name, text, *more)
    return [table]


def _model_names(summary: Summary) -> list[tuple[str, ...]]:
    """Models, and their learners unless each has its own."""
    named = any(algorithm.member for algorithm in summary.algorithms)
    return [(a.group, a.member) if named else (a.group,) for a in summary.algorithms]


def first_up(text: str) -> str:
    """With a capital at the start, and the others as they are."""
    return text[:1].upper() + text[1:]


def _titled(title: str) -> Table:
    """A table at least as wide as its title, which would break within words."""
    from rich.table import Table

    return Table(title=title, title_justify="left", header_style="bold", min_width=len(title))


def _table(summary: Summary, title: str, texts: list[list[str]]) -> Table:
    """One line per data set, one column per model; long and narrow instead if there are many models."""
    table, names = _titled(title), _model_names(summary)
    if len(summary.algorithms) > 4:
        for word in ("model", "learner")[: len(names[0])]:
            table.add_column(word)
        for facts in summary.sets:
            table.add_column(facts.name, justify="right")
        for a, name in enumerate(names):
            table.add_row(*name, *(row[a] for row in texts))
        return table
    table.add_column("data")
    for name in names:
        table.add_column("\n".join(name), justify="right")
    for facts, cells in zip(summary.sets, texts, strict=True):
        table.add_row(facts.name, *cells)
    return table


def _plain(cell: Cell, measure: str) -> str:
    return f"[dim]{missing_text(cell)}[/]" if cell.status != "done" else value_text(cell, measure)


def _marked(cell: Cell, verdict: Verdict | None) -> str:
    if verdict is None:
        return f"[dim]{missing_text(cell)}[/]"
    text = " ".join((value_text(cell), spread_text(cell))).strip()
    if verdict.place == BEST:
        return f"[bold green]{text}[/]"
    return f"{text} {LIKE_BEST_MARK}" if verdict.place == LIKE_BEST else text


def runs_csv(summary: Summary) -> str:
    """One line per run."""
    units = list(summary.protocol.units()[0])
    error = summary.protocol.error_name
    metrics = [name for name in measures_of(summary.protocol) if name != error]
    head = ["data", "model", "learner", "size", *units, "status", error, *metrics]
    lines: list[list[Any]] = [[*head, "seconds", "rows", "memory_bytes", "message"]]
    for cell in (cell for row in summary.cells for cell in row):
        for unit, record in zip(summary.protocol.units(), cell.records, strict=True):
            line = [*_names(cell), *(unit[name] for name in units)]
            if not record.done:
                empty = [""] * (len(lines[0]) - len(line) - 2)
                lines.append([*line, record.status, *empty, record.message])
                continue
            line += [record.status, *(record.measure(name) for name in (error, *metrics))]
            lines.append(
                [*line, record.figure("seconds"), record.figure("n_rows"), record.figure("memory_bytes"), ""]
            )
    return _csv(lines)


def summary_csv(summary: Summary) -> str:
    """One line per model and data set; ``place`` and ``p`` are about what the models are ranked by."""
    error = summary.protocol.error_name
    metrics = [name for name in measures_of(summary.protocol) if name != error]
    head = ["data", "model", "learner", "size", "status", error, "standard_error"]
    lines: list[list[Any]] = [
        [*head, *metrics, "ranked_by", "place", "p", "examples_per_second", "positive", "message"]
    ]
    for row in summary.cells:
        for cell, verdict in zip(row, summary.verdicts(row), strict=True):
            if verdict is None:
                empty = [""] * (len(lines[0]) - 6)
                lines.append([*_names(cell), cell.status, *empty, cell.message])
                continue
            speed = cell.examples_per_second
            figures: list[Any] = [
                cell.error,
                cell.standard_error_of_error,
                *(cell.metric(name) for name in metrics),
            ]
            place = "baseline" if cell.algorithm.is_baseline else verdict.place
            figures += [summary.rank_by, place, verdict.p, None if math.isnan(speed) else round(speed)]
            lines.append([*_names(cell), cell.status, *figures, cell.positive, ""])
    return _csv(lines)


def _names(cell: Cell) -> list[Any]:
    algorithm = cell.algorithm
    learner = algorithm.learner_label or algorithm.learner
    return [cell.data.name, algorithm.group, learner, algorithm.params.get("n_estimators", "")]


def _csv(lines: list[list[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()
