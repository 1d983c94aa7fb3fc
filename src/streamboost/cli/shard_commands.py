"""The commands about models in parts, and `run` with its learners in shards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from streamboost.cli.parameters import ModelSpec

NShards = Annotated[
    int | None,
    typer.Option(
        "--shards", min=1, help="Spread the learners over so many processes: the same answers, bit for bit."
    ),
]
EngineName = Annotated[
    str, typer.Option("--engine", help="Where shards run: processes, ray (extra streamboost[ray]) or local.")
]
Address = Annotated[
    str | None, typer.Option("--address", help="Of the Ray cluster (default: a new one here).")
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
    """Join shards into the model file that one process would have written, byte for byte."""
    from streamboost.cli.console import stdout
    from streamboost.cli.run import check_writable
    from streamboost.distributed import join

    check_writable("--out", out)
    stdout().print(f"model: {join(shards, out)}", highlight=False, soft_wrap=True)


@contextmanager
def sharded(
    spec: ModelSpec, shards: int | None, engine: str, address: str | None, orders: int
) -> Iterator[Any]:
    """Give a spec whose model has its learners in shards, which end with the block; the spec itself if none are wanted."""
    if shards is None:
        yield spec
        return
    from streamboost.cli.errors import UserError

    if orders > 1:
        raise UserError(
            "--shards and --orders: several orders run several models; shards hold one. Use --orders 1."
        )
    made = _ShardedSpec(spec, shards, engine, address)
    try:
        yield made
    finally:
        made.close()


class _ShardedSpec:
    """A spec that builds its model in shards."""

    def __init__(self, spec: ModelSpec, shards: int, engine: str, address: str | None) -> None:
        self._spec, self._shards, self._engine, self._address = spec, shards, engine, address
        self._open: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._spec, name)

    def build(self, *arguments: Any, **named: Any) -> Any:
        """Return the model, spread."""
        from streamboost.distributed import Shards

        model = self._spec.build(*arguments, **named)
        shards = Shards(model, self._shards, engine=self._engine, address=self._address)
        self._open.append(shards)
        return shards.model

    def close(self) -> None:
        """End the shards."""
        for shards in self._open:
            shards.close()
