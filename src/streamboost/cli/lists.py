"""The commands that list what there is."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence

from rich.table import Table

from streamboost.base.parameter import Declared, Parameter, parameters_of
from streamboost.catalogue import DETECTORS
from streamboost.cli.console import stdout
from streamboost.cli.errors import UserError, closest
from streamboost.cli.parameters import flag
from streamboost.drift.choice import as_text
from streamboost.models import ALL_LEARNERS, ALL_MODELS, EXPERTS, LEARNERS, MODELS


def show_models(names: Sequence[str] = ()) -> None:
    """Print the ensembles, or some of them with all their parameters."""
    if names:
        _show_some("model", {**ALL_MODELS, **EXPERTS}, names)
        return
    _show(MODELS, "Models, for --model", "Every model")
    stdout().print()
    _show(EXPERTS, "Models of several learners, for --model with --learner a,b,c", "Each of these")
    _show_detectors()
    own = "A model or learner of your own is package.module:Class; its parameters are given with --param and --learner-param."
    stdout().print(f"\n{own}", highlight=False)


def _show_detectors() -> None:
    console = stdout()
    console.print("\n[bold]Detectors, for --drift; without parameters they are set as shown[/]")
    for entry in DETECTORS:
        console.print(f"\n[bold cyan]{as_text(entry.name)}[/]\n  {plain(entry.notices)}", highlight=False)


def show_learners(names: Sequence[str] = ()) -> None:
    """Print the weak learners, or some of them."""
    if names:
        _show_some("learner", ALL_LEARNERS, names)
        return
    _show(LEARNERS, "Learners, for --learner", "Every learner")


def _show_some(what: str, classes: Mapping[str, type[Declared]], names: Sequence[str]) -> None:
    for name in names:
        if name not in classes:
            raise UserError(f"There is no {what} {name!r}{closest(name, classes)}")
    for name in names:
        _show_one(name, classes[name], list(parameters_of(classes[name]).values()))


def _show_one(name: str, cls: type[Declared], parameters: list[Parameter]) -> None:
    summary = (inspect.getdoc(cls) or "").split("\n", 1)[0]
    stdout().print(f"\n[bold cyan]{name}[/]  {cls.__name__}: {plain(summary)}", highlight=False)
    _print_flags(parameters)


def _show(classes: Mapping[str, type[Declared]], title: str, everyone: str) -> None:
    console = stdout()
    console.print(f"[bold]{title}[/]")
    tables = [parameters_of(cls) for cls in classes.values()]
    shared = {name: p for name, p in tables[0].items() if all(table.get(name) == p for table in tables)}
    for (name, cls), table in zip(classes.items(), tables, strict=True):
        _show_one(name, cls, [p for p in table.values() if p.name not in shared])
    if shared:
        console.print(f"\n[bold]{everyone}[/]", highlight=False)
        _print_flags(list(shared.values()))


def _print_flags(parameters: list[Parameter]) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("  flag", "default", "allowed", "meaning"):
        table.add_column(column, overflow="fold", no_wrap=column == "  flag")
    for p in parameters:
        if p.name in ("estimator", "estimators"):
            continue
        if p.name == "random_state":
            cells = ("--seed", "0", "int")
        else:
            short = "-n, " if p.name == "n_estimators" else ""
            cells = (short + flag(p.name), _text(p.default), allowed(p))
        table.add_row("  " + cells[0], *cells[1:], plain(p.summary))
    if table.row_count:
        stdout().print(table, highlight=False, markup=False)


def allowed(parameter: Parameter) -> str:
    """What values a flag may have."""
    texts = {"bool": "true | false", "None": "none"}
    return " | ".join(" | ".join(kind.words) or texts.get(kind.text, kind.text) for kind in parameter.kinds)


def plain(text: str) -> str:
    """A sentence of a docstring without its marks."""
    return re.sub(r":\w+:`([^`]*)`|``([^`]*)``|`([^`]*)`", lambda m: m[1] or m[2] or m[3], text)


def _text(value: object) -> str:
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return str(value)
