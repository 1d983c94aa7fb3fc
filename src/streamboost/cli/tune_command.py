"""The options of ``tune``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from streamboost.cli.data_options import Data, Limit, Task, reads_data
from streamboost.cli.shard_commands import Address, RunEngine


@reads_data(without=["weight"])
def tune_command(
    data: Data,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid",
            metavar="NAME=VALUES",
            help="Values to try, as gamma=0.05,0.1, or a range, as gamma=0.01..0.4.",
        ),
    ] = None,
    model: Annotated[str, typer.Option("--model", "-m", help="The ensemble.")] = "streamboost",
    learner: Annotated[
        str | None, typer.Option("--learner", "-l", help="The weak learner (default: the model's own).")
    ] = None,
    task: Task = None,
    n_estimators: Annotated[
        int | None, typer.Option("--n-estimators", "-n", min=1, help="Number of weak learners.")
    ] = None,
    draws: Annotated[
        int | None, typer.Option("--random", min=1, help="Draw so many candidates instead of trying all.")
    ] = None,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Seeds of each candidate.")] = 3,
    rungs: Annotated[
        int,
        typer.Option(
            "--budget",
            min=1,
            help="Number of rounds; each keeps the best third of the candidates and uses three times the rows.",
        ),
    ] = 3,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The first seed, and that of the draws.")] = 0,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Runs at the same time (default: one per core).")
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", help="Folder for the runs; an interrupted search continues from there.")
    ] = Path("tuning"),
    json: Annotated[Path | None, typer.Option("--json", help="Save the results as JSON.")] = None,
    limit: Limit = None,
    reading: Any = None,
    engine: RunEngine = "local",
    address: Address = None,
) -> None:
    """Search for parameters on growing prefixes of a stream; each round keeps the best third of the candidates."""
    import os

    from streamboost.cli.errors import UserError
    from streamboost.cli.parameters import ModelSpec
    from streamboost.cli.run import check_writable
    from streamboost.cli.shard_commands import runner_of
    from streamboost.cli.task import guessed_task, say_task
    from streamboost.cli.tune import Search, tune
    from streamboost.experiments.plan import Source
    from streamboost.streams import open_stream

    if not grid:
        raise UserError(
            "what is to be tried? Name parameters and their values with --grid, as --grid n_estimators=10,30; "
            f"`streamboost models {model}` lists the parameters."
        )
    check_writable("--json", json)
    if task is None and ModelSpec(model, learner).has_regressor and data != "-":
        stream = open_stream(data, **reading)
        task, why = guessed_task(data, stream)
        say_task(stream, task or "classification", why)
    tune(
        Source(data, reading, limit),
        model,
        learner,
        Search(tuple(grid), draws, seeds, rungs),
        folder=out,
        jobs=jobs or os.cpu_count() or 1,
        seed=seed,
        n_estimators=n_estimators,
        runner=runner_of(engine, address),
        task=task,
        json_file=json,
    )
