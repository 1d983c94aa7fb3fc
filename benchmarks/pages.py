"""What the measuring commands share: options, and the files of a result page (Markdown, CSV, picture)."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.clock import took
from benchmarks.tables import Cell, Table, write_csv, write_markdown

RESULTS = Path("docs/results")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#333333", "#8C6BB1")
MARKERS = "osD^vP*X"


def parser(command: str, about: str | None) -> argparse.ArgumentParser:
    """Options of every command that writes a page. A quick look writes nothing unless it is told where."""
    made = argparse.ArgumentParser(prog=f"python -m benchmarks.{command}", description=about)
    made.add_argument("--quick", action="store_true", help="a short look; nothing is written without --out")
    made.add_argument("--out", type=Path, help=f"folder of the result files (default: {RESULTS})")
    made.add_argument("--date", help="date printed in the results (default: today)")
    return made


@dataclass
class Page:
    """One result page: what was measured on, tables, records for a CSV file that something reads, how its picture is drawn."""

    name: str
    title: str
    options: argparse.Namespace
    packages: list[str] = field(default_factory=lambda: ["streamboost", "numpy"])
    preface: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    columns: Sequence[str] = ()
    records: list[Sequence[Cell]] = field(default_factory=list)
    picture: Callable[[], Any] | None = None  # a matplotlib figure
    caption: str = ""

    def __post_init__(self) -> None:
        self._started = time.monotonic()
        warnings.simplefilter("ignore")  # advice for users: these models are measured, not meant to be good
        self.preface = [*machine.describe(self.packages, self.options.date), *self.preface]
        print("\n".join(self.preface), flush=True)

    def add(self, table: Table) -> None:
        self.tables.append(table)
        print("\n" + table.text(), flush=True)

    def record(self, *cells: Cell) -> None:
        self.records.append([float(f"{c:.6g}") if isinstance(c, float) else c for c in cells])

    def keep_records(self) -> None:
        """Write the records before the page is whole."""
        folder = self.options.out or (None if self.options.quick else RESULTS)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            write_csv(folder / f"{self.name}.csv", self.columns, self.records)

    def write(self) -> None:
        folder = self.options.out or (None if self.options.quick else RESULTS)
        spent = took(self._started)
        if folder is None:
            print(f"\nnothing written (--quick); {spent}")
            return
        folder.mkdir(parents=True, exist_ok=True)
        preface, endings = self.preface, ".md"
        if self.picture is not None:
            self.picture().savefig(folder / f"{self.name}.png", dpi=130)
            preface, endings = [*preface, "", f"![{self.caption}]({self.name}.png)"], f"{endings}, .png"
        if self.records:
            write_csv(folder / f"{self.name}.csv", self.columns, self.records)
            endings += ", .csv"
        write_markdown(folder / f"{self.name}.md", self.title, preface, self.tables)
        print(f"\nwritten: {folder}/{self.name}{endings}; {spent}")


def figure(width: float, height: float) -> Any:
    """A figure that needs no display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    made = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(made)
    return made


def curve(axes: Any, number: int, x: Sequence[float], y: Sequence[float], label: str) -> None:
    """One series of a picture; every series has a colour and a marker of its own."""
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[(number + number // len(COLOURS)) % len(MARKERS)]
    style = "-" if number < len(COLOURS) else "--"
    axes.plot(x, y, color=colour, marker=marker, markersize=3.5, linewidth=1.3, linestyle=style, label=label)


def dress(axes: Any, title: str, x: str, y: str, legend: str = "best") -> None:
    """Log-log, a light grid, a legend: the look that all curves share."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_xlabel(x, fontsize=9)
    axes.set_ylabel(y, fontsize=9)
    axes.grid(True, which="major", color="#DDDDDD", linewidth=0.6)
    axes.tick_params(labelsize=8)
    axes.legend(fontsize=7, frameon=False, loc=legend)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
