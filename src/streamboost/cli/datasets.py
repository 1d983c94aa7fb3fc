"""The command that lists, shows and fetches data sets."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.markup import escape
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn
from rich.table import Table

from streamboost.cli.console import quantity, stderr, stdout, titled
from streamboost.cli.errors import UserError, closest
from streamboost.streams import (
    CACHE_VARIABLE,
    DATA_VARIABLE,
    GENERATORS,
    NUMBER_GENERATORS,
    Dataset,
    cache_folder,
    data_files,
    registered,
)
from streamboost.streams.datasets.builtin import BUILTIN, NUMBER_SETS

_SETS = {**BUILTIN, **NUMBER_SETS}
_RIGHT = ("rows", "features", "classes", "size")
_DRIFT_HELP = (
    "drift=abrupt|gradual, at=ROW+ROW... or every=ROWS, width=ROWS, shape=sigmoid|linear, concepts=1+2+...; "
    "label_noise=SHARE"
)


def show_datasets() -> None:
    """Print the built-in, generated and registered sets, and the files of the data folder."""
    console = stdout()
    table = _table("Built-in data sets", "name", "rows", "features", "classes", "kind", "source")
    for entry in _SETS.values():
        rows = f"{entry.n_rows:,}" + (" or --limit" if entry.generated else "")
        table.add_row(
            entry.name, rows, str(entry.n_features), _classes(entry.n_classes), entry.kind, entry.source
        )
    console.print(table)
    console.print("Generated sets take parameters: `streamboost datasets sea` lists them.\n", highlight=False)
    table = _table("Registered data sets", "name", "rows", "features", "classes", "format", "where")
    for known in registered().values():
        sizes = (f"{known.n_rows:,}", str(known.n_features), str(known.n_classes))
        table.add_row(known.name, *sizes, known.format, _where(known))
    console.print(table)
    console.print(
        f"Looked for in {DATA_VARIABLE} and in {cache_folder()} ({CACHE_VARIABLE}); "
        "`streamboost datasets NAME` tells more, `--fetch` fetches.",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
    _show_files()


def _show_files() -> None:
    folder = os.environ.get(DATA_VARIABLE)
    if not folder:
        text = f"Set {DATA_VARIABLE} to a folder of data files to use them by name."
        stdout().print(text, highlight=False)
        return
    known = {path for path in (entry.path() for entry in registered().values()) if path is not None}
    table = _table(f"Other files in {folder}", "name", "format", "size", "file")
    for found in data_files():
        if found.path not in known:
            table.add_row(found.name, found.format, quantity(found.size), found.path.name)
    if table.row_count:
        stdout().print(table)


def show_dataset(name: str) -> None:
    """Print all that is known about one set."""
    bare = name.partition(":")[0]
    if bare in GENERATORS or bare in NUMBER_GENERATORS:
        _show_generator(bare)
    elif name in _SETS:
        entry = _SETS[name]
        facts = {"kind": entry.kind, "source": entry.source}
        _show(name, entry.n_rows, entry.n_features, entry.n_classes, facts)
    else:
        known = _registered(name)
        path = known.path()
        facts = {
            "title": known.title,
            "task": known.task,
            "missing": f"{known.missing_cells:,} cells" if known.missing_cells else "none",
            "format": known.format,
            "label": known.label,
            "source": known.source,
            "licence": known.licence,
            "preprocessing": known.preprocessing,
            "file": f"{known.file}, {quantity(known.n_bytes)}",
            "sha256": known.sha256,
            "unpacked": known.content_sha256,
            "where": _where(known) if path is None else str(path),
        }
        if path is not None:
            facts["checked"] = "right" if known.verify(path) else "another file: the checksum differs"
        _show(name, known.n_rows, known.n_features, known.n_classes, facts)


def fetch_datasets(names: list[str]) -> None:
    """Bring registered sets into the cache folder."""
    from streamboost.streams.datasets.fetch import fetch

    if not names:
        raise UserError("--fetch needs the name of a data set; `streamboost datasets` lists them.")
    for entry in [_registered(name) for name in names]:
        with _progress(entry.name) as progress:
            path = fetch(entry, progress=progress)
        stdout().print(f"{entry.name}: {path}", highlight=False, soft_wrap=True, markup=False)


def _registered(name: str) -> Dataset:
    if name in registered():
        return registered()[name]
    if name in _SETS:
        raise UserError(f"{name} is built in; there is nothing to fetch.")
    raise UserError(f"There is no data set {name!r}{closest(name, [*registered(), *_SETS])}")


def _where(entry: Dataset) -> str:
    path = entry.path()
    if path is None:
        return "can be fetched" if entry.recipe else "not here"
    return "cache" if path.parent == cache_folder() else "data folder"


def _show(name: str, rows: int, features: int, classes: int, facts: dict[str, str]) -> None:
    console = stdout()
    console.print(f"[bold cyan]{escape(name)}[/]", highlight=False)
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    counts = {"rows": f"{rows:,}", "features": str(features), "classes": _classes(classes)}
    for key, value in {**counts, **facts}.items():
        table.add_row("  " + key, escape(value))
    console.print(table, highlight=False)


def _show_generator(name: str) -> None:
    entry = {**GENERATORS, **NUMBER_GENERATORS}[name]
    summary = (inspect.getdoc(entry.cls) or "").split("\n", 1)[0]
    written = [
        f"{key}={'none' if parameter.default is None else parameter.default}"
        for key, parameter in entry.parameters().items()
    ]
    facts = {
        "what": summary,
        "kind": entry.kind,
        "source": entry.source,
        "class": f"streamboost.streams.{entry.cls.__name__}",
        "parameters": ", ".join(written),
    }
    if name in GENERATORS:
        facts |= {"for all": _DRIFT_HELP, "example": f"{name}:drift=abrupt,at=50000"}
    _show(name, _SETS[name].n_rows, entry.n_features, entry.n_classes, facts)


def _classes(n: int) -> str:
    """How many, or that labels are numbers to predict."""
    return str(n) if n else "numbers"


def _table(title: str, *columns: str) -> Table:
    table = titled(Table(header_style="bold"), escape(title))
    for column in columns:
        table.add_column(column, justify="right" if column in _RIGHT else "left")
    return table


@contextmanager
def _progress(name: str) -> Iterator[Callable[[int, int | None], None] | None]:
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=28), DownloadColumn())
    with Progress(*columns, console=stderr(), transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
