"""The commands that list what there is."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from rich.table import Table

from streamboost.cli.console import stdout
from streamboost.cli.parameters import flag, parameters_of
from streamboost.models import LEARNERS, MODELS


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
