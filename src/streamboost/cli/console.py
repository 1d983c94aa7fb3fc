"""Where the commands write, and the progress bar."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from streamboost.evaluate import Progress as Standing

_PIPE_WIDTH = 120  # written to a file or a pipe, a table is not cut to the width of a terminal


def stdout() -> Console:
    """Standard output as it is now."""
    return Console(file=sys.stdout, width=None if sys.stdout.isatty() else _PIPE_WIDTH)


def stderr() -> Console:
    """Standard error as it is now."""
    return Console(file=sys.stderr, width=None if sys.stderr.isatty() else _PIPE_WIDTH)


def titled(table: Table, title: str) -> Table:
    """The table with a title that does not break within words: a narrow table is made as wide as its title."""
    table.title, table.title_justify = title, "left"
    table.min_width = len(title)
    return table


def quantity(n_bytes: int) -> str:
    """A number of bytes for people."""
    size = float(n_bytes)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def plain_value(value: Any) -> Any:
    """A value as JSON has it: what is no finite number becomes null, what is no value at all its text."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain_value(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_value(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


@contextmanager
def progress_bar(name: str = "") -> Iterator[Callable[[Standing], None] | None]:
    """A bar with speed and running error on standard error, if that is a terminal; else None."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=28),
        TextColumn("{task.fields[rows]:,} rows"),
        TextColumn("{task.fields[speed]:,.0f} examples/s"),
        TextColumn("error {task.fields[error]:.4f}"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        TimeRemainingColumn(),
        console=stderr(),
        transient=True,
    )
    task = bar.add_task(name or "reading", total=None, rows=0, speed=0.0, error=float("nan"), left="")

    def show(now: Standing) -> None:
        done = None if now.fraction is None else (now.order + now.fraction) / now.n_orders
        order = f"order {now.order + 1}/{now.n_orders}" if now.n_orders > 1 else "learning"
        bar.update(
            task,
            description=name or order,
            total=None if done is None else 1.0,
            completed=done or 0.0,
            rows=now.n_rows,
            speed=now.examples_per_second,
            error=now.error,
            left="" if done is None else "left",
        )

    with bar:
        yield show
