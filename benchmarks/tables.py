"""Tables of results: aligned text for the terminal, Markdown and CSV for docs/results."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

Cell = str | float | int | None
MOST_ROWS = 40
"""Longer tables of a page are folded."""


def show(value: Cell) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        if value != value:
            return "-"
        if abs(value) >= 1000:
            return f"{value:,.0f}"
        return f"{value:.4f}" if abs(value) < 1 else f"{value:.1f}"
    return f"{value:,}" if isinstance(value, int) else value


@dataclass
class Table:
    title: str
    columns: Sequence[str]
    rows: list[Sequence[Cell]] = field(default_factory=list)
    note: str = ""

    def add(self, *cells: Cell) -> None:
        self.rows.append(cells)

    def _lines(self, separator: str, edge: str, rule: str) -> list[str]:
        body = [list(self.columns), *[[show(c) for c in row] for row in self.rows]]
        width = [max(len(row[i]) for row in body) for i in range(len(self.columns))]
        # A column of numbers is right-aligned; one with any other text in it is left-aligned.
        number = [
            all(isinstance(row[i], int | float) or row[i] is None for row in self.rows)
            for i in range(len(width))
        ]
        lines = [
            (
                edge
                + separator.join(
                    c.rjust(w) if n else c.ljust(w) for c, w, n in zip(row, width, number, strict=True)
                )
                + edge[::-1]
            ).rstrip()
            for row in body
        ]
        if rule == "markdown":
            marks = ["-" * (w - 1) + ":" if n else "-" * w for w, n in zip(width, number, strict=True)]
            lines.insert(1, edge + separator.join(marks) + edge[::-1])
        else:
            lines.insert(1, rule * (sum(width) + len(separator) * (len(width) - 1)))
        return lines

    def text(self) -> str:
        return "\n".join([self.title, *self._lines("  ", "", "-"), *([self.note] if self.note else [])])

    def markdown(self) -> str:
        """A long table is folded: the story comes first, and who wants all of it opens it."""
        lines = self._lines(" | ", "| ", "markdown")
        if len(self.rows) > MOST_ROWS:
            shown = f"{len(self.rows)} rows"
            lines = [f"<details><summary>{shown}</summary>", "", *lines, "", "</details>"]
        return "\n".join([f"## {self.title}", "", *lines, *(["", self.note] if self.note else [])])


def write_markdown(path: Path, title: str, preface: Sequence[str], tables: Sequence[Table]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Orphan: the page must not break a documentation build that does not list it.
    head = "---\norphan: true\n---"
    parts = [head, f"# {title}", "\n".join(preface), *[t.markdown() for t in tables]]
    path.write_text("\n\n".join(p for p in parts if p) + "\n", encoding="utf-8")


def write_csv(path: Path, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([["" if c is None else c for c in row] for row in rows])
