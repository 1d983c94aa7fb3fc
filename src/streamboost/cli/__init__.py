"""The command line. Heavy imports happen inside the commands, so that ``--help`` is quick."""

from __future__ import annotations

from typing import Annotated

import typer

from streamboost.cli.commands import register
from streamboost.cli.errors import OneLineGroup
from streamboost.cli.service_commands import register as register_service
from streamboost.cli.text import speak_utf8

app = typer.Typer(
    name="streamboost",
    cls=OneLineGroup,
    help="Ensembles that learn from streams: online boosting and bagging.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
register(app)
register_service(app)


def _show_version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        typer.echo(f"streamboost {version('streamboost')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """Run the command line; the console script."""
    speak_utf8()
    app(prog_name="streamboost")


__all__ = ["app", "main"]
