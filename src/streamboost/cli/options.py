"""The commands and their options. What a command does lives in the modules that it imports when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from streamboost.cli.compare_command import COMPARE_EPILOG, compare_command
from streamboost.cli.data_options import CheckpointEvery, Data, Limit, Task, reads_data, words
from streamboost.cli.drift_command import drift_command
from streamboost.cli.flags import FLAGS, RunCommand
from streamboost.cli.model_commands import explain_command, learn_command, predict_command, show_command
from streamboost.cli.shard_commands import (
    Address,
    EngineName,
    NShards,
    cut_command,
    join_command,
    sharded,
)
from streamboost.cli.stopping import Stop
from streamboost.cli.tune_command import tune_command

RUN_EPILOG = (
    "Every parameter of the model and of the learner is a flag too, e.g. --gamma 0.2 or --alpha 1; "
    "`streamboost models` and `streamboost learners` list them."
)

REPRODUCE_EPILOG = (
    "An interrupted reproduction goes on where it stopped. Data sets are found in $STREAMBOOST_DATA or fetched with "
    "`streamboost datasets NAME --fetch`; what is not here is reported as not run."
)

Out = Annotated[Path, typer.Option("--out", help="Folder for the picture and the figures.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("run", cls=RunCommand, epilog=RUN_EPILOG)(_run)
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


def _scored(flag: str, help: str, **more: Any) -> Any:
    return typer.Option(flag, rich_help_panel="How it is scored", help=help, **more)


def _kept(flag: str, help: str) -> Any:
    return typer.Option(flag, rich_help_panel="What is shown and kept", help=help)


@reads_data()
def _run(
    context: typer.Context,
    data: Data,
    model: Annotated[
        str, typer.Option("--model", "-m", help="The ensemble, or package.module:Class.")
    ] = "streamboost",
    learner: Annotated[
        str | None,
        typer.Option(
            "--learner",
            "-l",
            help="The weak learner, or package.module:Class (default: the model's own); a,b,c for hedge and the like.",
        ),
    ] = None,
    n_estimators: Annotated[
        int | None,
        typer.Option("--n-estimators", "-n", help="Number of weak learners (default: the model's own)."),
    ] = None,
    task: Task = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the model and of random orders.")] = 0,
    orders: Annotated[
        int, typer.Option("--orders", min=1, help="K > 1: mean over K random orders, data held in memory.")
    ] = 1,
    limit: Limit = None,
    reading: Any = None,
    classes: Annotated[str | None, typer.Option("--classes", help="All labels, as a,b,c.")] = None,
    labels: Annotated[
        str | None,
        typer.Option("--labels", help="Several columns as labels of 0 and 1, as 'label:*' or a,b,c."),
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option("--scale", help="Running scaling of a linear learner: none, maxabs, standard."),
    ] = None,
    data_seed: Annotated[int, typer.Option("--data-seed", min=0, help="Seed of a generated set.")] = 0,
    window: Annotated[int, _scored("--window", "Rows of the windowed error.", min=1)] = 1000,
    metrics: Annotated[
        str | None,
        _scored("--metrics", "More measures, as auc,g_mean, or all; over all rows and the window."),
    ] = None,
    positive: Annotated[
        str | None,
        _scored("--positive", "The label of precision, recall and the like."),
    ] = None,
    fading: Annotated[
        float | None,
        _scored("--fading", "The metrics also with fading rows: a factor below 1."),
    ] = None,
    delay: Annotated[
        int,
        _scored("--delay", "Rows until a label arrives; the model is told.", min=0),
    ] = 0,
    season: Annotated[
        int | None,
        _scored("--season", "Regression: also score the target of so many rows before.", min=1),
    ] = None,
    budget: Annotated[
        float | None,
        _scored("--budget", "Learn from this share of the labels only, as 0.1."),
    ] = None,
    query: Annotated[
        str | None,
        _scored("--query", "With --budget: which labels are asked for (default: split)."),
    ] = None,
    feedback: Annotated[
        str,
        _scored("--feedback", "labels, or bandit: only whether the label that was shown is right."),
    ] = "labels",
    exploration: Annotated[
        float | None,
        _scored("--exploration", "With bandit: the share of rows that try another label (default: 0.1)."),
    ] = None,
    param: Annotated[
        list[str] | None, typer.Option("--param", metavar="NAME=VALUE", help="A parameter of the model.")
    ] = None,
    learner_param: Annotated[
        list[str] | None, typer.Option("--learner-param", metavar="NAME=VALUE", help="One of the learner.")
    ] = None,
    save: Annotated[Path | None, _kept("--save", "Save the model (of the last order).")] = None,
    checkpoint_every: CheckpointEvery = None,
    resume: Annotated[
        bool,
        _kept("--resume", "Go on with the model of --save where a stopped run was in the data."),
    ] = False,
    plot: Annotated[
        Path | None, _kept("--plot", "Save a picture of the error; of a regressor also of its last answers.")
    ] = None,
    plot_report: Annotated[
        Path | None,
        _kept("--plot-report", "Save a picture of bound and reality, and of the learners' edges."),
    ] = None,
    json: Annotated[
        Path | None,
        _kept("--json", "Save the figures; - for standard output."),
    ] = None,
    report: Annotated[bool, _kept("--report", "Show what each weak learner did.")] = False,
    health: Annotated[
        bool,
        _kept("--health", "Show how the model is doing lately beside its past."),
    ] = False,
    shards: NShards = None,
    engine: EngineName = "processes",
    address: Address = None,
) -> None:
    """Run one model over data, answering every row before learning it, and show how well it did."""
    with Stop() as stop:
        from streamboost.base.lazy_imports import import_sklearn

        import_sklearn()
        from streamboost.cli.errors import UserError
        from streamboost.cli.live import Every
        from streamboost.cli.parameters import ModelSpec
        from streamboost.cli.run import Output, open_resumed, run
        from streamboost.cli.task import chosen_metrics, guessed_task, say_task
        from streamboost.evaluate.delay import tell_delay
        from streamboost.streams import open_stream

        every = Every.read(checkpoint_every)
        output = Output(
            save=save,
            plot=plot,
            json=json,
            report=report,
            health=health,
            plot_report=plot_report,
            every=every,
        )
        output.check()
        reading |= {"seed": data_seed, "limit": limit}
        spec = ModelSpec(
            model=model,
            learner=learner,
            n_estimators=n_estimators,
            seed=seed,
            scale=scale,
            flags=context.meta.get(FLAGS, []),
            params=param or [],
            learner_params=learner_param or [],
            label_sets=labels is not None,
        )
        stream: Any = None
        why = ""
        if labels is not None:
            from streamboost.streams.label_sets import open_label_sets

            if task is not None or resume:
                raise UserError("--labels goes neither with --task nor with --resume.")
            with stop.waiting():
                stream = open_label_sets(data, labels, **reading)
        elif task is None and spec.has_regressor and classes is None and positive is None:
            with stop.waiting():
                stream = open_stream(data, **reading)
                task, why = guessed_task(data, stream)
        spec = spec.for_task(task)
        built = tell_delay(delay, spec.build())
        loop = {
            "orders": orders,
            "window": window,
            "fading": fading,
            "delay": delay,
            "budget": budget,
            "query": query or "split",
            "feedback": feedback,
            "exploration": 0.1 if exploration is None else exploration,
            "positive": positive,
            "season": season,
        }
        if query is not None and budget is None:
            raise UserError(
                f"--query {query} needs --budget SHARE, as 0.1: which labels to ask for, of how many."
            )
        if exploration is not None and feedback != "bandit":
            raise UserError(f"--exploration {exploration} needs --feedback bandit.")
        if season is not None and spec.task != "regression":
            raise UserError(f"--season is for regression, and this is {spec.task}.")
        measures = chosen_metrics(metrics, spec.task)
        with stop.waiting():
            resumed = open_resumed(spec, built, output, loop) if resume else None
            if resumed is not None:
                stream = open_stream(data, **reading, expected=resumed.expected(needs_label=True))
            elif stream is None:
                stream = open_stream(data, **reading)
        if labels is None:
            say_task(stream, spec.task, why)
        with sharded(built, shards, engine, address, alone=orders == 1 and resumed is None) as spread:
            run(
                spec, spread, stream, output, stop, classes=classes, resumed=resumed, metrics=measures, **loop
            )


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
            help="Another reading of what the paper leaves open (chen2012: text; jung2017: paper).",
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Samples of rows and fewer runs: minutes.")] = False,
    orders: Annotated[
        int | None, typer.Option("--orders", min=2, help="Random orders instead of the paper's number.")
    ] = None,
    long: Annotated[bool, typer.Option("--long", help="Also the cells that take hours.")] = False,
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
    """Rebuild a paper's tables: published | ours | difference, with pictures, CSV, Markdown and a page to read."""
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
    """Compare eight models on a synthetic stream: a table and a picture, in under a minute."""
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
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Show these sets or generators.")
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
