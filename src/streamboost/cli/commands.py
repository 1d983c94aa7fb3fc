"""All commands, and the options of the small ones. What a command does lives in the modules that it imports when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from streamboost.cli.compare_command import COMPARE_EPILOG, compare_command
from streamboost.cli.data_options import words
from streamboost.cli.drift_command import drift_command
from streamboost.cli.flags import RunCommand
from streamboost.cli.model_commands import explain_command, learn_command, predict_command, show_command
from streamboost.cli.run_command import RUN_EPILOG, run_command
from streamboost.cli.shard_commands import cut_command, join_command
from streamboost.cli.tune_command import tune_command

REPRODUCE_EPILOG = (
    "An interrupted reproduction goes on where it stopped. Data sets are found in $STREAMBOOST_DATA or fetched with "
    "`streamboost datasets NAME --fetch`; what is not here is reported as not run."
)

Out = Annotated[Path, typer.Option("--out", help="Folder for the picture and the results.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("run", cls=RunCommand, epilog=RUN_EPILOG)(run_command)
    app.command("compare", cls=RunCommand, epilog=COMPARE_EPILOG)(compare_command)
    app.command("tune")(tune_command)
    app.command("drift")(drift_command)
    app.command("predict")(predict_command)
    app.command("learn")(learn_command)
    app.command("cut")(cut_command)
    app.command("join")(join_command)
    app.command("show")(show_command)
    app.command("explain")(explain_command)
    app.command("reproduce", epilog=REPRODUCE_EPILOG)(_reproduce)
    app.command("demo")(_demo)
    app.command("models")(_models)
    app.command("learners")(_learners)
    app.command("datasets")(_datasets)
    app.command("doctor")(_doctor)


def _reproduce(
    paper: Annotated[str, typer.Argument(help="chen2012, bai2014, jung2017, oza2001, sun or noarov2026.")],
    table: Annotated[str | None, typer.Option("--table", help="Tables, as 1,3 (default: all).")] = None,
    datasets: Annotated[
        str | None, typer.Option("--datasets", help="Data sets by the paper's names, as Heart,German.")
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            help="Another interpretation where the paper is ambiguous (chen2012: text; jung2017: paper).",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Use samples of the rows and fewer runs; takes minutes.")
    ] = False,
    orders: Annotated[
        int | None, typer.Option("--orders", min=2, help="Number of random orders (default: the paper's).")
    ] = None,
    long: Annotated[bool, typer.Option("--long", help="Also compute the cells that take hours.")] = False,
    report_only: Annotated[
        bool, typer.Option("--report-only", help="Run nothing; report what has been run so far.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="Folder for report and runs (default: reproduce-PAPER, or reproduce-PAPER-PRESET)."
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Runs at the same time (default: one per core).")
    ] = None,
) -> None:
    """Reproduce a paper's tables: published | ours | difference, with pictures, CSV, Markdown and an HTML report."""
    import os
    import shlex
    import sys

    from streamboost.cli.reproduce import reproduce, reproduce_noarov2026

    if paper == "noarov2026":
        reproduce_noarov2026(out or Path("reproduce-noarov2026"), quick=quick, datasets=words(datasets) or [])
        return
    well = reproduce(
        paper,
        preset=preset,
        tables=words(table) or [],
        datasets=words(datasets) or [],
        quick=quick,
        orders=orders,
        long=long,
        report_only=report_only,
        folder=out or Path("-".join(["reproduce", paper, *([preset] if preset else [])])),
        jobs=jobs or os.cpu_count() or 1,
        command=shlex.join(["streamboost", *sys.argv[1:]]),
    )
    if not well:
        raise typer.Exit(1)


def _demo(
    out: Out = Path("demo"),
    rows: Annotated[int, typer.Option("--rows", min=1, help="Number of rows.")] = 20_000,
) -> None:
    """Compare eight models on a synthetic stream in a table and a picture, in under a minute."""
    from streamboost.base.lazy_imports import import_sklearn

    import_sklearn()
    from streamboost.cli.demo import demo

    demo(out, rows)


def _models(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Show these only.")] = None,
) -> None:
    """List the ensembles and their parameters."""
    from streamboost.base.lazy_imports import import_sklearn

    import_sklearn()
    from streamboost.cli.lists import show_models

    show_models(names or [])


def _learners(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Show these only.")] = None,
) -> None:
    """List the weak learners and their parameters."""
    from streamboost.base.lazy_imports import import_sklearn

    import_sklearn()
    from streamboost.cli.lists import show_learners

    show_learners(names or [])


def _datasets(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Show only these sets or generators.")
    ] = None,
    fetch: Annotated[
        bool, typer.Option("--fetch", help="Fetch registered sets from their public source into the cache.")
    ] = False,
) -> None:
    """List the data sets: built in, generated, registered, and the files in $STREAMBOOST_DATA."""
    from streamboost.cli.datasets import fetch_datasets, show_dataset, show_datasets

    if fetch:
        fetch_datasets(names or [])
    elif names:
        for name in names:
            show_dataset(name)
    else:
        show_datasets()


def _doctor() -> None:
    """Show what is installed, how this build runs here, and what is missing."""
    from streamboost.cli.doctor import show_doctor

    show_doctor()
