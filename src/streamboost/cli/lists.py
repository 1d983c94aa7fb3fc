"""The commands that list what there is."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping

from rich.table import Table

from streamboost.cli.console import quantity, stdout
from streamboost.cli.parameters import flag, parameters_of
from streamboost.models import LEARNERS, MODELS
from streamboost.streams import BUILTIN, DATA_VARIABLE, data_files


def show_models() -> None:
    """Print the ensembles."""
    _show(MODELS, "Models, for --model")


def show_learners() -> None:
    """Print the weak learners."""
    _show(LEARNERS, "Learners, for --learner")


def _show(classes: Mapping[str, type], title: str) -> None:
    console = stdout()
    console.print(f"[bold]{title}[/]")
    for name, cls in classes.items():
        summary = (inspect.getdoc(cls) or "").split("\n", 1)[0]
        console.print(f"\n[bold cyan]{name}[/]  {cls.__name__}: {summary}", highlight=False)
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        for column in ("  flag", "default", "allowed"):
            table.add_column(column, overflow="fold")
        for parameter in parameters_of(cls).values():
            if parameter.name == "estimator":
                continue
            if parameter.name == "random_state":
                cells = ("--seed", "0", "a whole number")
            else:
                short = "-n, " if parameter.name == "n_estimators" else ""
                cells = (short + flag(parameter.name), _text(parameter.default), parameter.allowed)
            table.add_row("  " + cells[0], *cells[1:])
        console.print(table, highlight=False, markup=False)


def _text(value: object) -> str:
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return str(value)


def show_datasets() -> None:
    """Print the built-in sets and the files of the data folder."""
    console = stdout()
    table = Table(title="Built-in data sets", title_justify="left", header_style="bold")
    for column in ("name", "rows", "features", "classes", "kind", "source"):
        table.add_column(column, justify="right" if column in ("rows", "features", "classes") else "left")
    for entry in BUILTIN.values():
        rows = f"{entry.n_rows:,}" + (" or --limit" if entry.generated else "")
        table.add_row(entry.name, rows, str(entry.n_features), str(entry.n_classes), entry.kind, entry.source)
    console.print(table)
    folder = os.environ.get(DATA_VARIABLE)
    if not folder:
        console.print(f"Set {DATA_VARIABLE} to a folder of data files to use them by name.", highlight=False)
        return
    files = Table(title=f"Files in {folder}", title_justify="left", header_style="bold")
    for column in ("name", "format", "size", "file"):
        files.add_column(column, justify="right" if column == "size" else "left")
    for found in data_files():
        files.add_row(found.name, found.format, quantity(found.size), found.path.name)
    console.print(files)
