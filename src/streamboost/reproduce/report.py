"""The page of a reproduction, and the files beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from streamboost.base.files.writing import write_file
from streamboost.experiments.figures import Picture, render
from streamboost.experiments.page import Code, DataTable, Element, Facts, Figure, Page, TableCell, Text
from streamboost.reproduce.charts import Lines, Scatter, Series
from streamboost.reproduce.compare import AGREES, DIFFERS, Comparison, RebuiltTable, Reproduction
from streamboost.reproduce.output import (
    AMOUNT,
    SIGN,
    cells_csv,
    heading,
    markdown,
    reasons,
    several_learners,
    verdict_lines,
)


@dataclass(frozen=True)
class ExtraFigure:
    """A picture of the paper that is not a table."""

    name: str
    title: str
    chart: Lines | Scatter
    caption: str


def write_report(
    job: Reproduction, tables: list[RebuiltTable], extras: Sequence[ExtraFigure], folder: Path, command: str
) -> list[Path]:
    """Write ``report.html``, ``tables.md``, ``cells.csv`` and the pictures; returns them, the page first."""
    pictures: list[Picture] = []
    page = _page(job, tables, extras, command, pictures)
    files = {
        "report.html": page.html().encode(),
        "tables.md": markdown(job.study, tables, lead(job, command), not job.quick).encode(),
        "cells.csv": cells_csv(job.study, tables).encode(),
    }
    files |= {f"{picture.name}.png": picture.png for picture in pictures}
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        write_file(folder / name, content)
    return [folder / name for name in files]


def lead(job: Reproduction, command: str) -> list[str]:
    """How the figures came about, in a few sentences."""
    size = job.size
    words = [f"Printed by `{command}`.", f"Protocol: {job.study.protocol}."]
    words.append(_amount(job))
    if size.rows:
        words.append(
            f"A quick look: random samples of at most {size.rows:,} rows. Only a full run can be held against the paper."
        )
    notes = [f"{e.title}: {e.note}" for e in job.study.data if e.note and e.title in job.datasets]
    if notes:
        words.append("Data: " + "; ".join(notes) + ".")
    words += [f"{preset.name}: {preset.choices}. Why: {preset.why}." for preset in job.study.presets]
    return [*words, *job.study.remarks]


def _amount(job: Reproduction) -> str:
    if any(j.planned and j.planned.protocol.holds_out for jobs in job.jobs.values() for j in jobs):
        return (
            "How many rows and training sets, and how many orders of each the online algorithms learn, stands beside every "
            "data set: large ones get less."
        )
    return f"{job.size.orders} random orders unless a data set says fewer."


def _page(
    job: Reproduction,
    tables: list[RebuiltTable],
    extras: Sequence[ExtraFigure],
    command: str,
    pictures: list[Picture],
) -> Page:
    from importlib.metadata import version

    study = job.study
    page = Page(
        title=study.title,
        subtitle=study.protocol[:1].upper() + study.protocol[1:] + ".",
        footer=f"Made by streamboost {version('streamboost')}.",
    )
    page.lead.append(Facts(_cards(tables), cards=True))
    if job.quick:
        page.lead.append(Text([lead(job, command)[3]], "bad"))
    for table in tables:
        page.section(
            f"Table {table.published.number}", *_table_blocks(job, table, pictures), aside=_metric(table)
        )
    for extra in extras:
        picture = render(extra.chart, extra.name)
        pictures.append(picture)
        page.section(extra.title, Figure(picture, extra.caption))
    missing = reasons(tables)
    if missing:
        rows = [[TableCell(who, mark="text"), TableCell(why, mark="text")] for who, why in missing]
        page.section("Not run", DataTable(["cells", "reason"], rows))
    facts: list[tuple[str, ...]] = [("Amount", _amount(job))]
    facts += [(preset.name, f"{preset.choices}.", f"Why: {preset.why}.") for preset in study.presets]
    facts += [(e.title, e.note) for e in study.data if e.note and e.title in job.datasets]
    page.section(
        "How this was made", Code(command), Facts(facts), *([Text(study.remarks)] if study.remarks else [])
    )
    return page


def _metric(table: RebuiltTable) -> str:
    return table.published.metric.replace("_", " ")


def _cards(tables: list[RebuiltTable]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for table in tables:
        mad, n = table.mean_absolute_difference()
        agree, differ = table.count(AGREES), table.count(DIFFERS)
        n_run = len(table.measured)
        text = (
            f"{agree} of {agree + differ} cells agree"
            if agree + differ
            else f"{n_run} cells run"
            if n_run
            else "not run"
        )
        below = f"mean absolute difference {mad:.4f}" if n else ""
        found.append((f"Table {table.published.number}", text, below))
    return found


def _table_blocks(job: Reproduction, table: RebuiltTable, pictures: list[Picture]) -> list[Element]:
    several = several_learners(table)
    columns = [c for c in table.published.columns if any(cell.figure.column == c for cell in table.cells)]
    rows = []
    for dataset in table.datasets:
        star = "" if dataset in table.counted else " *"
        cells = [_cell(table.cell(dataset, column)) for column in columns]
        amount = [TableCell(table.amounts.get(dataset, ""))] if table.amounts else []
        rows.append([TableCell(dataset + star), *amount, *cells])
    notes = ["Large: ours ± standard error; small: published, difference."]
    if not job.quick:
        notes[0] += (
            f" {SIGN[AGREES]} agreement (within 0.01 or two standard errors), {SIGN[DIFFERS]} disagreement."
        )
    if any(dataset not in table.counted for dataset in table.datasets):
        notes.append("* Not the rows of the paper; no aim counts them.")
    blocks: list[Element] = [
        Text([_sentence(line, table) for line in verdict_lines(job.study, table, judge=not job.quick)]),
        DataTable(
            ["data", *([AMOUNT] if table.amounts else []), *(heading(c, several) for c in columns)], rows
        ),
        Text(notes, "note"),
    ]
    if len(table.measured) > 1:
        picture = render(
            _scatter(table, columns, several), f"table-{table.published.number.replace('.', '-')}"
        )
        pictures.append(picture)
        blocks.append(
            Figure(
                picture,
                "Ours against published; on the line they are equal. Bars: one standard error of ours.",
            )
        )
    return blocks


def _sentence(line: str, table: RebuiltTable) -> str:
    """A line below the heading that names the table already."""
    text = line.removeprefix(f"Table {table.published.number}").lstrip(":, ")
    return text[:1].upper() + text[1:]


def _cell(cell: Comparison | None) -> TableCell:
    if cell is None:
        return TableCell("")
    value = f"{cell.figure.value:.4f}"
    if cell.reason:
        return TableCell("not run", f"published {value}", "none", cell.reason)
    spread = "" if math.isnan(cell.standard_error) else f" ± {cell.standard_error:.4f}"
    text = f"{cell.ours:.4f}{spread} {SIGN[cell.mark]}".rstrip()
    mark = {AGREES: "like", DIFFERS: "bad"}.get(cell.mark, "")
    runs = f"{cell.n_runs} runs" + (f"; {cell.note}" if cell.note else "")
    return TableCell(text, f"{value}, {cell.difference:+.4f}", mark, runs)


def _scatter(table: RebuiltTable, columns: list[tuple[str, str]], several: bool) -> Scatter:
    series = []
    for column in columns:
        cells = [cell for cell in table.measured if cell.figure.column == column]
        if cells:
            spread = np.nan_to_num(np.array([cell.standard_error for cell in cells]))
            ours = np.array([cell.ours for cell in cells])
            theirs = np.array([cell.figure.value for cell in cells])
            series.append(Series(heading(column, several), theirs, ours, spread))
    metric = _metric(table)
    return Scatter(
        f"Table {table.published.number}: ours against published",
        series,
        f"published {metric}",
        f"our {metric}",
    )


__all__ = ["ExtraFigure", "lead", "write_report"]
