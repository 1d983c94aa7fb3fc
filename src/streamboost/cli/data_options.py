"""The options that say how data are read, as flags of every command that reads some."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, get_type_hints

import typer

from streamboost.reading import ReadingOption, flag_of, reading_options

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A file (plain or gzip), the name of a data set or generator, or - for standard input.",
    ),
]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Read only so many rows.")]
Task = Annotated[
    str | None,
    typer.Option(
        "--task",
        help="classification or regression (default: what the model does; if both, what the labels look like).",
    ),
]
CheckpointEvery = Annotated[
    str | None,
    typer.Option(
        "--checkpoint-every", metavar="N|10s", help="Save the model every N rows, or every 10s, 5m, 1h."
    ),
]


def words(text: str | None) -> list[str] | None:
    """The words of a list a,b,c."""
    return None if text is None else text.split(",")


def reads_data(*, without: Sequence[str] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make the parameter ``reading`` of a command a flag for each reading option; the command is given what they say."""

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        flags = {
            name: _flag(name, type_, option)
            for name, (type_, option) in reading_options().items()
            if name not in without
        }

        @functools.wraps(command)
        def call(**given: Any) -> None:
            reading = {name: _read(name, given.pop(name)) for name in flags}
            command(**given, reading=reading)

        hints = get_type_hints(command, include_extras=True)
        parameters: list[inspect.Parameter] = []
        for p in inspect.signature(command).parameters.values():
            own = p.replace(annotation=hints[p.name], kind=inspect.Parameter.KEYWORD_ONLY)
            parameters += flags.values() if p.name == "reading" else [own]
        del call.__wrapped__
        call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {p.name: p.annotation for p in parameters}
        return call

    return decorated


def _flag(name: str, type_: Any, option: ReadingOption) -> inspect.Parameter:
    text = flag_of(name)
    shown = f"{option.help[:-1]}; as {option.written}." if option.written else option.help
    default = option.default
    if option.written:
        type_ = str | None
    if name == "header":
        text = "--header/--no-header"
    if name == "sparse":
        type_, default = bool, False
    metavar = "|".join(option.choices) if len(option.choices) == 2 else None
    about = typer.Option(
        text, help=shown, min=option.least, metavar=metavar, rich_help_panel="How the data are read"
    )
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[type_, about]
    )


def _read(name: str, value: Any) -> Any:
    """The value of a flag as `open_stream` takes it."""
    if name == "limits":
        return _limits(value)
    if name == "sparse":
        return value or None
    if name == "nominal" and value == "all":
        return value
    return words(value) if value is not None and reading_options()[name][1].written else value


def written(reading: Mapping[str, Any]) -> list[str]:
    """Reading options as the flags that ask for them; those that are as always are left out."""
    found: list[str] = []
    for name, (_, option) in reading_options().items():
        value = reading.get(name, option.default)
        if value is None or value == option.default:
            continue
        if isinstance(value, bool):
            found.append(flag_of(name) if value else f"--no-{flag_of(name)[2:]}")
            continue
        if isinstance(value, Mapping):
            value = [f"{key}={number}" for key, number in value.items()]
        found += [flag_of(name), str(value) if isinstance(value, str | int) else ",".join(value)]
    return found


def _limits(text: str | None) -> dict[str, int] | None:
    """The limits of a list name=number,name=number."""
    if text is None:
        return None
    found: dict[str, int] = {}
    for word in text.split(","):
        name, _, number = word.partition("=")
        try:
            found[name.strip()] = int(number)
        except ValueError:
            raise typer.BadParameter(f"--limits {word}: expected NAME=NUMBER, as line=200000000.") from None
    return found
