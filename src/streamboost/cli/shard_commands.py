"""The commands about models in parts, and `run` with its learners in shards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

NShards = Annotated[
    int | None,
    typer.Option(
        "--shards",
        min=1,
        help="Spread the learners over so many processes; the predictions are the same, bit for bit.",
    ),
]
EngineName = Annotated[
    str,
    typer.Option("--engine", help="Where the shards run: processes, ray (needs the extra `ray`) or local."),
]
RunEngine = Annotated[
    str, typer.Option("--engine", help="What runs them: local (processes) or ray (needs the extra `ray`).")
]
Address = Annotated[
    str | None,
    typer.Option("--address", help="Address of the Ray cluster (default: start one on this machine)."),
]


def cut_command(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.")],
    shards: Annotated[int, typer.Option("--shards", "-n", min=1, help="How many shards.")] = 2,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for the shards (default: the model's).")
    ] = None,
) -> None:
    """Cut a model file into shards, each with some of the learners."""
    from streamboost.cli.console import stdout
    from streamboost.distributed import cut

    for path in cut(model, shards, out):
        stdout().print(f"shard: {path}", highlight=False, soft_wrap=True)


def join_command(
    shards: Annotated[
        list[Path], typer.Argument(metavar="SHARD...", help="All shards of a model, in any order.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file.")],
) -> None:
    """Join shards into one model file, byte for byte the file that a single process would have written."""
    from streamboost.cli.console import stdout
    from streamboost.cli.run import check_writable
    from streamboost.distributed import join

    check_writable("--out", out)
    stdout().print(f"model: {join(shards, out)}", highlight=False, soft_wrap=True)


def runner_of(engine: str, address: str | None) -> Any:
    """Return who does the runs of a comparison."""
    from streamboost.cli.errors import UserError

    if engine == "local":
        from streamboost.experiments.runner import run_all

        return run_all
    if engine != "ray":
        raise UserError(f"--engine {engine}: choose local or ray.")
    from functools import partial

    from streamboost.distributed.engines.ray import import_ray
    from streamboost.distributed.runs import run_all_on_ray

    with _told():
        import_ray()
    return partial(run_all_on_ray, address=address)


@contextmanager
def sharded(
    model: Any, shards: int | None, engine: str, address: str | None, *, alone: bool
) -> Iterator[Any]:
    """Give the model with its learners in shards, which end with the block; the model itself if none are wanted."""
    if shards is None:
        yield model
        return
    from streamboost.cli.errors import UserError
    from streamboost.distributed import Shards

    if not alone:
        raise UserError("--shards holds one new model: use it with --orders 1, and without --resume.")
    with _told():
        spread = Shards(model, shards, engine=engine, address=address)
    with spread:
        yield spread.model


@contextmanager
def _told() -> Iterator[None]:
    """A package that is not there is the user's to install, and a model that has no learners is theirs to choose."""
    from streamboost.cli.errors import UserError

    try:
        yield
    except (ImportError, TypeError) as error:
        raise UserError(str(error)) from error
