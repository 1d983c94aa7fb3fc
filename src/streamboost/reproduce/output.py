"""A comparison as CSV, as Markdown and as lines for the terminal."""

from __future__ import annotations

import csv
import io
import math

from streamboost.reproduce.compare import AGREES, DIFFERS, NOT_RUN, SAMPLED, Comparison, RebuiltTable
from streamboost.reproduce.study import Study

SIGN = {AGREES: "=", DIFFERS: "≠", NOT_RUN: "–", SAMPLED: ""}
_CELLS = "published | ours ± standard error | difference"
LEGEND = {
    False: f"{_CELLS}, and = for agreement (within 0.01 or two standard errors of ours), ≠ for disagreement, – for cells that "
    "were not run",
    True: f"{_CELLS}, – for cells that were not run; a quick look at samples is not held against the paper",
}
"""Of a full run, and of a quick look."""
AMOUNT = "rows · training sets × orders"
"""Heads a column: of the orders, batch algorithms take one."""


def heading(column: tuple[str, str], several_learners: bool) -> str:
    """The title of a column."""
    name = column[0].replace("_", " ")
    return f"{name} · {column[1].replace('_', ' ')}" if several_learners else name


def several_learners(table: RebuiltTable) -> bool:
    """Whether columns must name their learner."""
    return len({learner for _, learner in table.published.columns}) > 1


def ours_text(cell: Comparison) -> str:
    """What we measured, with its standard error."""
    spread = "" if math.isnan(cell.standard_error) else f" ± {cell.standard_error:.4f}"
    return f"{cell.ours:.4f}{spread}"


def cell_text(cell: Comparison | None) -> str:
    """All of a cell on one line."""
    if cell is None:
        return ""
    if cell.reason:
        return f"{cell.figure.value:.4f} | {SIGN[NOT_RUN]}"
    return f"{cell.figure.value:.4f} | {ours_text(cell)} | {cell.difference:+.4f} {SIGN[cell.mark]}".rstrip()


def verdict_lines(study: Study, table: RebuiltTable, judge: bool = True) -> list[str]:
    """What can be said of a table in a few lines; aims are not judged on samples."""
    number = table.published.number
    mad, n = table.mean_absolute_difference()
    total = len(table.cells)
    judged = f"; {table.count(AGREES)} agree, {table.count(DIFFERS)} differ" if judge else ""
    lines = [
        f"Table {number}: {len(table.measured)} of {total} cells run{judged}"
        + (f"; mean absolute difference {mad:.4f} over {n} cells" if n else "")
    ]
    if not judge:
        return lines
    for aim in (aim for aim in study.aims if aim.table == number):
        value, n = table.mean_absolute_difference(aim)
        if n:
            which = f", {aim.only}" if aim.only else ""
            without = f" ({aim.why}: left out)" if aim.left_out else ""
            reached = "reached" if value <= aim.limit else "missed"
            lines.append(
                f"Table {number}{which}: mean absolute difference {value:.4f} over {n} cells, "
                f"aim {aim.limit:g}: {reached}{without}"
            )
    for share in (share for share in study.shares if share.table == number):
        near, total = table.share_within(share)
        if total:
            reached = "reached" if near >= share.share * total else "missed"
            lines.append(
                f"Table {number}: {near} of {total} cells ({near / total:.0%}) within their distance, "
                f"aim {share.share:.0%}: {reached}" + (f" ({share.why})" if share.why else "")
            )
    if number in study.winners:
        same, rows = table.winners(study.winners[number])
        if rows:
            lines.append(
                f"Table {number}: the published winner is ours too, or within one standard error of our best, "
                f"in {same} of {rows} rows"
            )
    return lines


def reasons(tables: list[RebuiltTable]) -> list[tuple[str, str]]:
    """Why cells were not run: where, and the reason, each once."""
    found: dict[str, dict[str, None]] = {}
    for table in tables:
        for cell in table.cells:
            if cell.reason:
                figure = cell.figure
                found.setdefault(cell.reason, {})[
                    f"{figure.dataset}, {figure.algorithm} ({figure.learner})"
                ] = None
    texts = []
    for reason, cells in found.items():
        names = list(cells)
        rows = list(dict.fromkeys(name.partition(",")[0] for name in names))
        texts.append(
            (", ".join(names) if len(names) <= 3 else f"{len(names)} cells: {', '.join(rows)}", reason)
        )
    return texts


def markdown(study: Study, tables: list[RebuiltTable], lead: list[str], judge: bool = True) -> str:
    """The tables for a page of documentation."""
    parts = [f"# {study.title}", "", *(line for text in lead for line in (text, ""))]
    parts += [f"Cells read: {LEGEND[not judge].replace('|', '·')}.", ""]
    for table in tables:
        several = several_learners(table)
        columns = [c for c in table.published.columns if any(cell.figure.column == c for cell in table.cells)]
        parts += [
            f"## Table {table.published.number}",
            "",
            *(f"- {line}" for line in verdict_lines(study, table, judge)),
            "",
        ]
        first = ["data", *([AMOUNT] if table.amounts else [])]
        parts.append("| " + " | ".join([*first, *(heading(c, several) for c in columns)]) + " |")
        parts.append("|---|" + "---|" * (len(first) - 1 + len(columns)))
        for dataset in table.datasets:
            star = "" if dataset in table.counted else " \\*"
            texts = [table.amounts.get(dataset, "")] if table.amounts else []
            texts += [cell_text(table.cell(dataset, c)).replace(" | ", " · ") for c in columns]
            parts.append(f"| {dataset}{star} | " + " | ".join(texts) + " |")
        parts.append("")
        if any(dataset not in table.counted for dataset in table.datasets):
            parts += ["\\* Not the rows of the paper; no aim counts them.", ""]
    missing = reasons(tables)
    if missing:
        parts += ["## Not run", "", *(f"- {who}: {why}" for who, why in missing), ""]
    return "\n".join(parts)


def cells_csv(study: Study, tables: list[RebuiltTable]) -> str:
    """One line per cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        "paper table dataset algorithm weak_learner metric published ours standard_error difference runs verdict note".split()
    )
    for table in tables:
        for cell in table.cells:
            f = cell.figure
            numbers: list[object] = ["", "", ""]
            if not cell.reason:
                spread = "" if math.isnan(cell.standard_error) else f"{cell.standard_error:.6f}"
                numbers = [f"{cell.ours:.6f}", spread, f"{cell.difference:+.6f}"]
            line = [study.paper, table.published.number, f.dataset, f.algorithm, f.learner, f.metric, f.value]
            writer.writerow([*line, *numbers, cell.n_runs, cell.mark, cell.reason or cell.note])
    return text.getvalue()
