"""The ``reproduce`` command: a paper's tables, with our figures beside the published ones."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from streamboost.cli.compare import PLAIN, run_resumably
from streamboost.cli.console import stderr, stdout, titled
from streamboost.cli.errors import UserError
from streamboost.experiments.plan import Run
from streamboost.experiments.store import Record, RunStore
from streamboost.reproduce.compare import DIFFERS, NOT_RUN, Comparison, RebuiltTable, Reproduction
from streamboost.reproduce.extras import extra_figures
from streamboost.reproduce.output import (
    LEGEND,
    SIGN,
    cell_text,
    heading,
    reasons,
    several_learners,
    verdict_lines,
)
from streamboost.reproduce.papers import study_of
from streamboost.reproduce.report import write_report
from streamboost.streams import DATA_VARIABLE, registered

if TYPE_CHECKING:
    from rich.table import Table

_COLUMNS = 4  # a cell has three figures: more columns than this stand below each other


def reproduce_noarov2026(folder: Path, *, quick: bool, datasets: Sequence[str]) -> None:
    """Print the table of the Defensive Booster, which has no published figures to stand beside."""
    from streamboost.reproduce.noarov2026 import DATA, TITLE, reproduce_table

    for name in datasets:
        if name not in DATA:
            raise UserError(f"--datasets {name!r} is none of {', '.join(DATA)}.")
    stdout().print(TITLE, **PLAIN)
    stdout().print(reproduce_table(folder, quick=quick, datasets=datasets), **PLAIN)
    stdout().print(f"written: {folder}/report.md, {folder}/figures.json", **PLAIN)


def reproduce(
    paper: str,
    *,
    preset: str | None,
    tables: Sequence[str],
    datasets: Sequence[str],
    quick: bool,
    orders: int | None,
    long: bool,
    report_only: bool,
    folder: Path,
    jobs: int,
    command: str,
) -> bool:
    """Run what is not there yet, print the tables, write the report; returns whether all runs went well."""
    if folder.exists() and not folder.is_dir():
        raise UserError(f"--out {folder}: is not a directory.")
    job = Reproduction(
        study_of(paper, preset), tables=tables, datasets=datasets, quick=quick, orders=orders, long=long
    )
    start, cpu_start = time.perf_counter(), _cpu_seconds()
    job.load()
    if not job.facts:
        raise UserError(_nothing_here(job))
    runs = job.plan()
    records = _records(runs, folder / "runs", jobs, report_only)
    rebuilt = job.compare(records)
    extras = extra_figures(job, rebuilt, folder / "runs", run=not report_only)
    console = stdout()
    for table in rebuilt:
        console.print(_terminal_table(table))
        for line in verdict_lines(job.study, table, judge=not quick):
            console.print(line, **PLAIN)
        console.print()
    console.print(f"Cells: {LEGEND[quick]}.", **PLAIN)
    for who, why in reasons(rebuilt):
        console.print(f"not run: {who}: {why}", **PLAIN)
    written = write_report(job, rebuilt, extras, folder, command)
    seconds, cpu = time.perf_counter() - start, _cpu_seconds() - cpu_start
    spent = sum(record.figure("seconds") for record in records.values() if record.done)
    console.print(
        f"{len(records)} of {len(runs)} runs, {spent:,.0f} CPU seconds inside the models; this call took {seconds:,.0f} seconds "
        f"and {cpu:,.0f} CPU seconds, workers included",
        **PLAIN,
    )
    console.print(f"report: {written[0]}", **PLAIN)
    failed = [record for record in records.values() if record.status == "failed"]
    for record in failed:
        stderr().print(f"failed: {record.message}", **PLAIN)
    return not failed


def _nothing_here(job: Reproduction) -> str:
    """What to do where none of the data sets is to be found."""
    entries = [entry for entry in job.study.data if entry.title in job.datasets]
    names = [name for entry in entries for name in (entry.text, entry.more) if name in registered()]
    fetch = (
        f"bring them here with `streamboost datasets {' '.join(dict.fromkeys(names))} --fetch`, or "
        if names
        else ""
    )
    return (
        f"None of the {len(job.datasets)} data sets is here, so nothing can be run: {fetch}set {DATA_VARIABLE} to the folder "
        "that has them."
    )


def _cpu_seconds() -> float:
    """Of this process and of its children that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def _records(runs: list[Run], folder: Path, jobs: int, report_only: bool) -> dict[str, Record]:
    if report_only:
        store = RunStore(folder)
        found = {run.key: store.read(run) for run in runs}
        return {key: record for key, record in found.items() if record is not None}
    outcome = run_resumably(runs, folder, jobs)
    return {run.key: record for run, record in zip(runs, outcome.records, strict=True)}


def _terminal_table(table: RebuiltTable) -> Table:
    from rich.table import Table

    several = several_learners(table)
    columns = [c for c in table.published.columns if any(cell.figure.column == c for cell in table.cells)]
    title = f"Table {table.published.number}: {table.published.metric.replace('_', ' ')}"
    shown = titled(Table(header_style="bold"), title)
    if len(columns) <= _COLUMNS:
        shown.add_column("data")
        for column in columns:
            shown.add_column(heading(column, several), justify="right")
        for dataset in table.datasets:
            star = "" if dataset in table.counted else " *"
            shown.add_row(dataset + star, *(_styled(table.cell(dataset, c)) for c in columns))
        return shown
    for name in ("data", "algorithm"):
        shown.add_column(name)
    shown.add_column("published | ours | difference", justify="right")
    for dataset in table.datasets:
        for column in columns:
            cell = table.cell(dataset, column)
            if cell is not None:
                shown.add_row(dataset, heading(column, several), _styled(cell))
    return shown


def _styled(cell: Comparison | None) -> str:
    # Two lines: a terminal has room for four columns like that.
    text = cell_text(cell)
    text = "\n".join(text.replace(" ± ", "±").rsplit(" | ", 1)) if text.count(" | ") == 2 else text
    if cell is None or cell.mark == NOT_RUN:
        return f"[dim]{text}[/]" if text else ""
    return f"[yellow]{text}[/]" if cell.mark == DIFFERS else text


__all__ = ["SIGN", "reproduce"]
