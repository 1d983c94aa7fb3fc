"""Errors are one line on standard error and exit code 2; a traceback means a bug of ours."""

from __future__ import annotations

import os
import re
import shlex
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from streamboost import catalogue
from streamboost.reading import flag_of, reading_options

# Typer carries its own Click since 0.26; the class of usage errors is reached through a name that both have.
_ClickException: type[Exception] = typer.BadParameter.__mro__[2]


class UserError(ValueError):
    """Something the user wrote that cannot be done; the message is one line."""


def one_line(error: BaseException) -> str:
    """The message of an error without line breaks."""
    if isinstance(error, _ClickException):
        text = error.format_message()  # type: ignore[attr-defined]
        context = getattr(error, "ctx", None)
        if context is not None and text.startswith("Missing argument"):
            text = f"{text} {context.get_usage()}"
        word = re.match("No such command '(.+?)'", text)
        if word is not None and os.path.exists(word[1]):
            text = f"Say what to do with the file, as in: streamboost run {shlex.quote(word[1])}"
    else:
        text = shell_words(error)
    return " ".join(text.split()) or type(error).__name__


def shell_words(error: BaseException) -> str:
    """The message of an error in the words of the shell."""
    from streamboost.base.errors import ClassesNeeded, TooManyClasses
    from streamboost.streams.base import DataError, DataWarning

    text = str(error)
    if isinstance(error, TooManyClasses):
        text = f"{error.what} Use --model streamboost or oza-boost (`streamboost models` lists all)."
    elif isinstance(error, ClassesNeeded):
        text = f"{error.what} name them with --classes a,b,c."
    elif isinstance(error, DataError | DataWarning):
        text = _reading_flags(text)
    return in_flags(text)


def _reading_flags(text: str) -> str:
    """The options of `open_stream` in a message as flags: ``drop=['a']`` becomes ``--drop a``."""

    def flag(found: re.Match[str]) -> str:
        value = (found[2] or "").strip("[]{}").replace(": ", "=").replace("'", "")
        return f"{flag_of(found[1])} {shlex.quote(value) if ' ' in value else value}".rstrip()

    names = "|".join(reading_options())
    return re.sub(rf"\b({names})=(\[[^]]*]|\{{[^}}]*}}|'[^']*'|\w+)?", flag, text)


def in_flags(text: str) -> str:
    """A message of the library as the shell has it: models and learners by their names, parameters as flags."""
    names = {entry.class_name: entry.name for entry in catalogue.ENTRIES}
    text = re.sub(
        r"(?<![\w'\"/.])[A-Z]\w+\b(?!\(|\.\w|['\"/])", lambda found: names.get(found[0], found[0]), text
    )
    return re.sub(r"\b([a-z_]+)='([\w-]+)'", lambda found: f"--{found[1].replace('_', '-')} {found[2]}", text)


def closest(word: str, words: Iterable[str], prefix: str = "") -> str:
    """The end of a message about an unknown word: the nearest of the words, if one is near."""
    from streamboost.base.suggest import suggest  # imported here so that --help loads nothing of the library

    found = suggest(word, words)
    return f"; did you mean {prefix}{found}?" if found is not None else "."


class OneLineGroup(TyperGroup):
    """The top of the command line: turns errors into one line."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run; in standalone mode (the console script) exit with the code."""
        options = {"complete_var": complete_var, "windows_expand_args": windows_expand_args, **extra}
        try:
            with plain_warnings():
                code = super().main(args, prog_name, standalone_mode=False, **options)
            if not standalone_mode:
                return code
        except (_ClickException, typer.Abort, MemoryError, ValueError, OSError) as error:
            if not standalone_mode:
                raise
            if isinstance(error, typer.Abort):
                sys.exit(130)
            if type(error).__name__ == "NoArgsIsHelpError":  # the help was the answer
                sys.exit(2)
            _fail("not enough memory." if isinstance(error, MemoryError) else one_line(error))
        sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Warnings as one line each, without the place in the source."""

    said = set()  # a file may be opened more than once

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = " ".join((shell_words(message) if isinstance(message, Warning) else in_flags(message)).split())
        if text not in said:
            said.add(text)
            typer.echo(f"streamboost: warning: {text}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = show
        yield


def _fail(message: str) -> None:
    typer.echo(f"streamboost: error: {message}", err=True)
    sys.exit(2)
