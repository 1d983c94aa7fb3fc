"""The options of ``compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from streamboost.cli.data_options import Task, reads_data
from streamboost.cli.errors import UserError
from streamboost.cli.flags import FLAGS
from streamboost.cli.shard_commands import Address, RunEngine

COMPARE_EPILOG = (
    "A parameter is a flag for all models and learners that have it (--gamma 0.2), or belongs to one of them: "
    "--models oza-boost,osboost:gamma=0.05,osboost:gamma=0.2. An interrupted comparison goes on where it stopped."
)


@reads_data(without=["weight"])
def compare_command(
    context: typer.Context,
    data: Annotated[list[str], typer.Argument(metavar="DATA...", help="Files or data sets by name.")],
    models: Annotated[
        str | None,
        typer.Option(
            "--models",
            "-m",
            help="Ensembles, as a,b,c (default: streamboost with adaptive-random-forest and oza-boost; for regression "
            "with gradient-boosting and bagging).",
        ),
    ] = None,
    learners: Annotated[
        str | None,
        typer.Option(
            "--learners",
            "-l",
            help="Weak learners, as a,b,c (default: each model's own).",
        ),
    ] = None,
    task: Task = None,
    n_estimators: Annotated[
        str | None,
        typer.Option("--n-estimators", "-n", help="Number of weak learners, or several as 10,50,100."),
    ] = None,
    orders: Annotated[
        int, typer.Option("--orders", min=1, help="Shuffle the rows K times (default: keep their order).")
    ] = 1,
    folds: Annotated[
        int, typer.Option("--folds", min=0, help="Cross-validation with K folds instead of one pass.")
    ] = 0,
    repeats: Annotated[
        int, typer.Option("--repeats", min=1, help="Repetitions of the cross-validation.")
    ] = 1,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of models, orders and folds.")] = 0,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Read only so many rows.")] = None,
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
        typer.Option("--scale", help="Online scaling for linear learners: none, maxabs or standard."),
    ] = None,
    delay: Annotated[
        int,
        typer.Option(
            "--delay",
            min=0,
            help="How many rows later each label arrives; models with such a parameter are set to it.",
        ),
    ] = 0,
    metrics: Annotated[
        str | None,
        typer.Option("--metrics", help="More metrics, as auc,recall (for regression mape,pinball), or all."),
    ] = None,
    rank_by: Annotated[str, typer.Option("--rank-by", help="The metric that ranks the models.")] = "error",
    positive: Annotated[
        str | None,
        typer.Option("--positive", help="The positive class for precision, recall and similar metrics."),
    ] = None,
    baselines: Annotated[
        bool,
        typer.Option(
            help="Also evaluate two baselines: the most frequent label (or the mean), and the last label."
        ),
    ] = True,
    season: Annotated[
        int | None,
        typer.Option(
            "--season", min=1, help="Regression: another baseline, the target of so many rows before."
        ),
    ] = None,
    reading: Any = None,
    data_seed: Annotated[int, typer.Option("--data-seed", min=0, help="Seed of generated streams.")] = 0,
    engine: RunEngine = "local",
    address: Address = None,
) -> None:
    """Compare models on data sets: a table with significance marks, pictures, CSV and an HTML report."""
    import os
    import shlex
    import sys

    from streamboost.base.lazy_imports import import_sklearn

    import_sklearn()
    from streamboost.cli.compare import choose, common_task, compare
    from streamboost.cli.parameters import ModelSpec
    from streamboost.cli.shard_commands import runner_of
    from streamboost.cli.task import chosen_metrics, guessed_task, say_task
    from streamboost.experiments.plan import Protocol, Source
    from streamboost.streams import open_stream

    reading["seed"] = data_seed
    why, named = (
        "",
        [] if models is None else [ModelSpec(text.partition(":")[0]) for text in models.split(",")],
    )
    first = None if data[0] == "-" else open_stream(data[0], **reading)
    if task is None and learners is None and first is not None and all(spec.has_regressor for spec in named):
        task, why = guessed_task(data[0], first)
        for other in (text for text in data[1:] if text != "-"):
            if guessed_task(other, open_stream(other, **reading))[0] != task:
                of_numbers, of_classes = (other, data[0]) if task is None else (data[0], other)
                raise UserError(
                    f"the label of {of_numbers} is a number to predict, that of {of_classes} is a class: compare models on each "
                    "alone, or say --task classification or --task regression."
                )
    algorithms = choose(
        models,
        learners,
        n_estimators,
        scale=scale,
        flags=context.meta.get(FLAGS, []),
        seed=seed,
        task=task,
    )
    kind = common_task(algorithms)
    if first is not None:
        say_task(first, kind, why)
    asked = () if kind == "regression" and folds else chosen_metrics(metrics, kind)
    if rank_by != "error":
        asked = tuple(dict.fromkeys((*asked, *chosen_metrics(rank_by, kind))))
    if kind == "regression" and positive is not None:
        raise UserError("--positive: these models are regressors.")
    if season is not None and kind != "regression":
        raise UserError(f"--season is for regression, and this is {kind}.")
    protocol = Protocol(
        orders, seed, delay, asked, folds, repeats, positive=positive, task=kind, season=season
    )
    sources = [Source(text, reading, limit) for text in data]
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
