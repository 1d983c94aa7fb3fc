"""The options of ``run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from streamboost.cli.data_options import CheckpointEvery, Data, Limit, Task, reads_data
from streamboost.cli.flags import FLAGS
from streamboost.cli.shard_commands import Address, EngineName, NShards, sharded

RUN_EPILOG = (
    "Every parameter of the model and of the learner is also a flag, e.g. --gamma 0.2 or --alpha 1; "
    "`streamboost models` and `streamboost learners` list them."
)


def _scored(flag: str, help: str, **more: Any) -> Any:
    return typer.Option(flag, rich_help_panel="How it is scored", help=help, **more)


def _kept(flag: str, help: str) -> Any:
    return typer.Option(flag, rich_help_panel="What is shown and kept", help=help)


@reads_data()
def run_command(
    context: typer.Context,
    data: Data,
    model: Annotated[
        str, typer.Option("--model", "-m", help="Name of an ensemble, or package.module:Class.")
    ] = "streamboost",
    learner: Annotated[
        str | None,
        typer.Option(
            "--learner",
            "-l",
            help="Name of a weak learner, or package.module:Class (default: the model's own); a,b,c for experts such as hedge.",
        ),
    ] = None,
    n_estimators: Annotated[
        int | None,
        typer.Option("--n-estimators", "-n", help="Number of weak learners (default: the model's own)."),
    ] = None,
    task: Task = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the model and of random orders.")] = 0,
    orders: Annotated[
        int,
        typer.Option(
            "--orders",
            min=1,
            help="Shuffle the rows K times and show the mean (K > 1); the data are held in memory.",
        ),
    ] = 1,
    limit: Limit = None,
    reading: Any = None,
    classes: Annotated[str | None, typer.Option("--classes", help="All classes, as a,b,c.")] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            "--labels", help="Multi-label: the columns of 0 and 1 to predict, as 'label:*' or a,b,c."
        ),
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option("--scale", help="Online scaling for a linear learner: none, maxabs or standard."),
    ] = None,
    data_seed: Annotated[int, typer.Option("--data-seed", min=0, help="Seed of a generated stream.")] = 0,
    window: Annotated[int, _scored("--window", "Number of rows in the windowed error.", min=1)] = 1000,
    metrics: Annotated[
        str | None,
        _scored("--metrics", "More metrics, as auc,g_mean, or all; over all rows and over the window."),
    ] = None,
    positive: Annotated[
        str | None,
        _scored("--positive", "The positive class for precision, recall and similar metrics."),
    ] = None,
    fading: Annotated[
        float | None,
        _scored("--fading", "Also show the metrics with fading weights: a factor per row, below 1."),
    ] = None,
    delay: Annotated[
        int,
        _scored(
            "--delay",
            "How many rows later each label arrives; a model with such a parameter is set to it.",
            min=0,
        ),
    ] = 0,
    season: Annotated[
        int | None,
        _scored("--season", "Regression: another baseline, the target of so many rows before.", min=1),
    ] = None,
    budget: Annotated[
        float | None,
        _scored("--budget", "Active learning: learn from only this share of the labels, as 0.1."),
    ] = None,
    query: Annotated[
        str | None,
        _scored("--query", "With --budget: the rule that chooses the labels to ask for (default: split)."),
    ] = None,
    feedback: Annotated[
        str,
        _scored("--feedback", "labels, or bandit: learn only whether the predicted label was right."),
    ] = "labels",
    exploration: Annotated[
        float | None,
        _scored("--exploration", "With bandit: the share of rows that try another label (default: 0.1)."),
    ] = None,
    param: Annotated[
        list[str] | None, typer.Option("--param", metavar="NAME=VALUE", help="A parameter of the model.")
    ] = None,
    learner_param: Annotated[
        list[str] | None,
        typer.Option("--learner-param", metavar="NAME=VALUE", help="A parameter of the learner."),
    ] = None,
    save: Annotated[Path | None, _kept("--save", "Save the model (of the last order).")] = None,
    checkpoint_every: CheckpointEvery = None,
    resume: Annotated[
        bool,
        _kept(
            "--resume", "Continue an interrupted run with the model in --save, at the row where it stopped."
        ),
    ] = False,
    plot: Annotated[
        Path | None,
        _kept("--plot", "Save a picture of the error; for a regressor also of its last predictions."),
    ] = None,
    plot_report: Annotated[
        Path | None,
        _kept(
            "--plot-report", "Save a picture of the error bound beside the error, and of the learners' edges."
        ),
    ] = None,
    json: Annotated[
        Path | None,
        _kept("--json", "Save the results as JSON; - for standard output."),
    ] = None,
    report: Annotated[bool, _kept("--report", "Show what each weak learner did.")] = False,
    health: Annotated[
        bool,
        _kept("--health", "Compare the model's recent performance with its past."),
    ] = False,
    shards: NShards = None,
    engine: EngineName = "processes",
    address: Address = None,
) -> None:
    """Run one model over data, predicting every row before learning from it, and show its error."""
    from streamboost.cli.stopping import Stop

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
