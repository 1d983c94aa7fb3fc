"""The commands and their options. What a command does lives in the modules that it imports when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from streamboost.cli.data_options import (
    Bits,
    CheckpointEvery,
    Data,
    Dates,
    Delimiter,
    Drop,
    FileLimits,
    Format,
    Header,
    Label,
    Limit,
    NaValues,
    NFeatures,
    Nominal,
    OnBadLine,
    Sparse,
    Weight,
    limits_of,
    words,
)
from streamboost.cli.model_commands import explain_command, learn_command, predict_command, show_command
from streamboost.cli.shard_commands import (
    Address,
    EngineName,
    NShards,
    RunEngine,
    cut_command,
    join_command,
    sharded,
)
from streamboost.cli.stopping import Stop
from streamboost.cli.tune_command import tune_command

FLAGS = "streamboost.flags"
"""Key of the context's ``meta`` under which flags of models and learners wait for the ``run`` command."""


class RunCommand(TyperCommand):
    """Sets flags aside that are not options of the command: they are parameters of models and learners.

    Which ones there are depends on the model, and finding out imports scikit-learn.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take ``--name value``, ``--name=value``, ``--name`` and ``--no-name`` out of the arguments."""
        known: dict[str, bool] = dict.fromkeys(ctx.help_option_names, False)
        for param in self.params:
            takes_value = not getattr(param, "is_flag", False)
            known.update(dict.fromkeys([*param.opts, *param.secondary_opts], takes_value))
        kept: list[str] = []
        flags: list[tuple[str, str | None]] = []
        rest = list(args)
        while rest:
            token = rest.pop(0)
            name, equals, value = token.partition("=")
            if token == "--":
                kept += [token, *rest]
                break
            if name in known or not token.startswith("--"):
                kept.append(token)
                if known.get(token) and rest:
                    kept.append(rest.pop(0))
            elif equals:
                flags.append((name[2:], value))
            elif _stands_alone(name, rest) or rest[0] in known:
                flags.append((name[2:], None))
            else:
                flags.append((name[2:], rest.pop(0)))
        if flags:
            # Now, because a wrong flag may have taken the place of DATA for its value.
            from streamboost.cli.parameters import check_flag_names

            check_flag_names([name for name, _ in flags], list(known))
        ctx.meta[FLAGS] = flags
        return list(super().parse_args(ctx, kept))


def _stands_alone(flag: str, rest: list[str]) -> bool:
    """Whether what follows a flag of a model or learner is not its value; one that is true or false has none but these."""
    if flag.startswith("--no-") or not rest or rest[0].startswith("--"):
        return True
    from streamboost.cli.quick_start import import_sklearn

    import_sklearn()
    from streamboost.cli.parameters import switches

    return flag[2:].replace("-", "_") in switches() and rest[0].lower() not in ("true", "false")


RUN_EPILOG = (
    "Every parameter of the model and of the learner is a flag too, e.g. --gamma 0.2 or --alpha 1; "
    "`streamboost models` and `streamboost learners` list them."
)

COMPARE_EPILOG = (
    "A parameter is a flag for all models and learners that have it (--gamma 0.2), or belongs to one of them: "
    "--models oza-boost,osboost:gamma=0.05,osboost:gamma=0.2. An interrupted comparison goes on where it stopped."
)

REPRODUCE_EPILOG = (
    "An interrupted reproduction goes on where it stopped. Data sets are found in $STREAMBOOST_DATA or fetched with "
    "`streamboost datasets NAME --fetch`; what is not here is reported as not run."
)

Out = Annotated[Path, typer.Option("--out", help="Folder for the picture and the figures.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("run", cls=RunCommand, epilog=RUN_EPILOG)(_run)
    app.command("compare", cls=RunCommand, epilog=COMPARE_EPILOG)(_compare)
    app.command("tune")(tune_command)
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
    task: Annotated[
        str | None,
        typer.Option(
            "--task", help="classes, or regression for labels that are numbers (default: as the model)."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the model and of random orders.")] = 0,
    orders: Annotated[
        int, typer.Option("--orders", min=1, help="K > 1: mean over K random orders, data held in memory.")
    ] = 1,
    limit: Limit = None,
    label: Label = None,
    classes: Annotated[str | None, typer.Option("--classes", help="All labels, as a,b,c.")] = None,
    nominal: Nominal = None,
    drop: Drop = None,
    header: Header = None,
    delimiter: Delimiter = None,
    weight: Weight = None,
    na_values: NaValues = None,
    dates: Dates = None,
    limits: FileLimits = None,
    sparse: Sparse = False,
    on_bad_line: OnBadLine = "stop",
    scale: Annotated[
        str | None,
        typer.Option("--scale", help="Running scaling of a linear learner: none, maxabs, standard."),
    ] = None,
    n_features: NFeatures = None,
    bits: Bits = None,
    data_format: Format = None,
    data_seed: Annotated[int, typer.Option("--data-seed", min=0, help="Seed of a generated set.")] = 0,
    window: Annotated[int, typer.Option("--window", min=1, help="Rows of the windowed error.")] = 1000,
    metrics: Annotated[
        str | None,
        typer.Option("--metrics", help="More measures, as auc,g_mean, or all; over all rows and the window."),
    ] = None,
    positive: Annotated[
        str | None, typer.Option("--positive", help="The label of precision, recall and the like.")
    ] = None,
    fading: Annotated[
        float | None, typer.Option("--fading", help="The metrics also with fading rows: a factor below 1.")
    ] = None,
    delay: Annotated[int, typer.Option("--delay", min=0, help="Rows until a label arrives.")] = 0,
    param: Annotated[
        list[str] | None, typer.Option("--param", metavar="NAME=VALUE", help="A parameter of the model.")
    ] = None,
    learner_param: Annotated[
        list[str] | None, typer.Option("--learner-param", metavar="NAME=VALUE", help="One of the learner.")
    ] = None,
    save: Annotated[Path | None, typer.Option("--save", help="Save the model (of the last order).")] = None,
    checkpoint_every: CheckpointEvery = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on with the model of --save where a stopped run was in the data."),
    ] = False,
    plot: Annotated[Path | None, typer.Option("--plot", help="Save a picture of the error.")] = None,
    plot_report: Annotated[
        Path | None,
        typer.Option(
            "--plot-report", help="Save a picture of bound and reality, and of the learners' edges."
        ),
    ] = None,
    json: Annotated[
        Path | None, typer.Option("--json", help="Save the figures; - for standard output.")
    ] = None,
    report: Annotated[bool, typer.Option("--report", help="Show what each weak learner did.")] = False,
    health: Annotated[
        bool, typer.Option("--health", help="Show how the model is doing lately beside its past.")
    ] = False,
    shards: NShards = None,
    engine: EngineName = "processes",
    address: Address = None,
) -> None:
    """Run one model over data, answering every row before learning it, and show how well it did."""
    with Stop() as stop:
        from streamboost.cli.quick_start import import_sklearn

        import_sklearn()
        from streamboost.cli.live import Every
        from streamboost.cli.parameters import ModelSpec
        from streamboost.cli.run import Output, open_resumed, run
        from streamboost.streams import open_stream

        spec = ModelSpec(
            model=model,
            learner=learner,
            n_estimators=n_estimators,
            seed=seed,
            scale=scale,
            flags=context.meta.get(FLAGS, []),
            params=param or [],
            learner_params=learner_param or [],
        ).for_task(task)
        built = spec.build()
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
        reading: dict[str, Any] = {
            "format": data_format,
            "label": label,
            "header": header,
            "nominal": "all" if nominal == "all" else words(nominal),
            "n_features": n_features,
            "delimiter": delimiter,
            "drop": words(drop),
            "bits": bits,
            "sparse": sparse or None,
            "weight": weight,
            "na_values": words(na_values),
            "dates": dates,
            "limits": limits_of(limits),
            "on_bad_line": on_bad_line,
            "seed": data_seed,
            "limit": limit,
        }
        loop = {
            "orders": orders,
            "window": window,
            "fading": fading,
            "delay": delay,
            "positive": positive,
        }
        measures = _metrics(metrics, numbers=spec.predicts_numbers)
        with stop.waiting():
            resumed = open_resumed(spec, built, output, loop) if resume else None
            if resumed is not None:
                reading["expected"] = resumed.expected(needs_label=True)
            stream = open_stream(data, **reading)
        with sharded(built, shards, engine, address, alone=orders == 1 and resumed is None) as spread:
            run(
                spec, spread, stream, output, stop, classes=classes, resumed=resumed, metrics=measures, **loop
            )


def _compare(
    context: typer.Context,
    data: Annotated[list[str], typer.Argument(metavar="DATA...", help="Files or data sets by name.")],
    models: Annotated[str, typer.Option("--models", "-m", help="Ensembles, as a,b,c.")] = "oza-boost,osboost",
    learners: Annotated[
        str, typer.Option("--learners", "-l", help="Weak learners, as a,b,c.")
    ] = "naive-bayes",
    n_estimators: Annotated[
        str | None,
        typer.Option("--n-estimators", "-n", help="Number of weak learners, or several as 10,50,100."),
    ] = None,
    orders: Annotated[
        int, typer.Option("--orders", min=1, help="K > 1: shuffle the rows K times; 1: as they come.")
    ] = 1,
    folds: Annotated[
        int, typer.Option("--folds", min=0, help="Cross-validation with K folds instead of one pass.")
    ] = 0,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Passes of cross-validation.")] = 1,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of models, orders and folds.")] = 0,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="The first rows only.")] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Runs at the same time (default: one per core).")
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder for report and runs.")] = Path("comparison"),
    test: Annotated[
        str | None,
        typer.Option("--test", help="t, corrected-t, wilcoxon or sign (default: t; with folds corrected-t)."),
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option("--scale", help="Running scaling of linear learners: none, maxabs, standard."),
    ] = None,
    delay: Annotated[int, typer.Option("--delay", min=0, help="Rows until a label arrives.")] = 0,
    metrics: Annotated[
        str | None,
        typer.Option("--metrics", help="More columns: auc, recall, average_precision ..., or all."),
    ] = None,
    rank_by: Annotated[str, typer.Option("--rank-by", help="The metric that decides who is best.")] = "error",
    positive: Annotated[
        str | None, typer.Option("--positive", help="The label of precision, recall and the like.")
    ] = None,
    baselines: Annotated[
        bool, typer.Option(help="Also the majority and the no-change classifier, which all should beat.")
    ] = True,
    label: Label = None,
    nominal: Nominal = None,
    drop: Drop = None,
    header: Header = None,
    delimiter: Delimiter = None,
    na_values: NaValues = None,
    dates: Dates = None,
    limits: FileLimits = None,
    sparse: Sparse = False,
    on_bad_line: OnBadLine = "stop",
    n_features: NFeatures = None,
    data_format: Format = None,
    data_seed: Annotated[int, typer.Option("--data-seed", min=0, help="Seed of generated sets.")] = 0,
    engine: RunEngine = "local",
    address: Address = None,
) -> None:
    """Compare models on data sets: a table with significance marks, pictures, CSV and a report to read."""
    import os
    import shlex
    import sys

    from streamboost.cli.quick_start import import_sklearn

    import_sklearn()
    from streamboost.cli.compare import choose, compare
    from streamboost.cli.shard_commands import runner_of
    from streamboost.experiments.plan import Protocol, Source

    algorithms = choose(
        models, learners, n_estimators, scale=scale, flags=context.meta.get(FLAGS, []), seed=seed
    )
    asked = _metrics(metrics)
    if rank_by != "error":
        asked = tuple(dict.fromkeys((*asked, *_metrics(rank_by))))
    protocol = Protocol(orders, seed, delay, asked, folds, repeats, positive=positive)
    options: dict[str, Any] = {
        "format": data_format,
        "label": label,
        "header": header,
        "nominal": "all" if nominal == "all" else words(nominal),
        "n_features": n_features,
        "delimiter": delimiter,
        "drop": words(drop),
        "on_bad_line": on_bad_line,
        "seed": data_seed,
    }
    # What is not given is not named, so that runs of earlier versions are found again.
    more = {
        "na_values": words(na_values),
        "dates": dates,
        "limits": limits_of(limits),
        "sparse": sparse or None,
    }
    options.update({name: value for name, value in more.items() if value is not None})
    sources = [Source(text, options, limit) for text in data]
    well = compare(
        sources,
        algorithms,
        protocol,
        folder=out,
        jobs=jobs or os.cpu_count() or 1,
        test=test,
        rank_by=rank_by,
        with_baselines=baselines,
        runner=runner_of(engine, address),
        command=shlex.join(["streamboost", *sys.argv[1:]]),
    )
    if not well:
        raise typer.Exit(1)


def _reproduce(
    paper: Annotated[str, typer.Argument(help="chen2012, bai2014, jung2017, oza2001 or sun.")],
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

    from streamboost.cli.reproduce import reproduce

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


def _metrics(text: str | None, *, numbers: bool = False) -> tuple[str, ...]:
    from streamboost.evaluate.metrics import check_metrics
    from streamboost.evaluate.number_metrics import number_metrics

    names: Any = [] if text is None else "all" if text == "all" else text.split(",")
    return tuple(metric.name for metric in number_metrics(names)) if numbers else check_metrics(names)


def _demo(
    out: Out = Path("demo"),
    rows: Annotated[int, typer.Option("--rows", min=1, help="Number of rows.")] = 20_000,
) -> None:
    """Compare eight models on a synthetic stream: a table and a picture, in under a minute."""
    from streamboost.cli.quick_start import import_sklearn

    import_sklearn()
    from streamboost.cli.demo import demo

    demo(out, rows)


def _models() -> None:
    """List the ensembles and their parameters."""
    from streamboost.cli.quick_start import import_sklearn

    import_sklearn()
    from streamboost.cli.lists import show_models

    show_models()


def _learners() -> None:
    """List the weak learners and their parameters."""
    from streamboost.cli.quick_start import import_sklearn

    import_sklearn()
    from streamboost.cli.lists import show_learners

    show_learners()


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
