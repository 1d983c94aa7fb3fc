"""How data are read: every option declared once.

From this table come the keywords of :func:`streamboost.streams.open_stream`, their checks, which formats take them, the flags of
the command line with their help, the words of error messages there, and the table in the documentation.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, TypedDict, get_args, get_type_hints

FORMATS = ("csv", "libsvm", "arff", "vw", "jsonl", "parquet", "arrow")
_TABLES = ("csv", "arff", "jsonl", "parquet", "arrow")
"""Formats whose rows have named columns, the label among them."""


@dataclass(frozen=True)
class ReadingOption:
    """One option: what it means, and which formats take it."""

    help: str
    formats: tuple[str, ...] = FORMATS
    default: Any = None
    choices: tuple[str, ...] = ()
    least: int | None = None
    written: str = ""
    """How a list is written where only text can be, as ``a,b,c``."""
    short: str = ""
    """Its name on the command line, where it is another one."""


class ReadingOptions(TypedDict, total=False):
    """The keywords of :func:`streamboost.streams.open_stream`; None leaves a choice to the reader."""

    format: Annotated[
        str | None,
        ReadingOption(
            "csv, libsvm, arff, vw, jsonl, json, xlsx, parquet or arrow (default: by the name of the file, or its look).",
            choices=(*FORMATS, "json", "xlsx"),
        ),
    ]
    label: Annotated[
        str | None,
        ReadingOption("Label column (default: label, class, target or y, else the last one).", _TABLES),
    ]
    nominal: Annotated[
        Sequence[str] | str | None,
        ReadingOption("Columns to read as nominal, or all.", _TABLES, written="a,b,c"),
    ]
    drop: Annotated[Sequence[str] | None, ReadingOption("Columns to leave out.", _TABLES, written="a,b,c")]
    header: Annotated[bool | None, ReadingOption("Whether a CSV file begins with names.", ("csv",))]
    delimiter: Annotated[
        str | None, ReadingOption("Between the cells of a CSV file (default: found out).", ("csv",))
    ]
    decimal: Annotated[
        str | None,
        ReadingOption(
            "The mark in the numbers of a CSV file (default: a point, or a comma where numbers are so written between other "
            "delimiters).",
            ("csv",),
            choices=(".", ","),
        ),
    ]
    encoding: Annotated[
        str | None,
        ReadingOption("Of the text, as latin-1 (default: UTF-8).", ("csv", "libsvm", "arff", "vw", "jsonl")),
    ]
    weight: Annotated[str | None, ReadingOption("Column that holds the weights of the rows.", _TABLES)]
    na_values: Annotated[
        Sequence[str] | None,
        ReadingOption(
            "Cells that mean missing (default: the usual ones; an empty cell always does).",
            ("csv", "arff", "jsonl"),
            written="NA,null,-",
        ),
    ]
    dates: Annotated[
        str | None,
        ReadingOption(
            "Columns of dates: take them apart (days, weekday, hour; the default), also where only you know whether 01/02/2024 "
            "has the day or the month first, or leave them out.",
            ("csv", "jsonl", "parquet", "arrow"),
            choices=("parts", "drop", "day-first", "month-first"),
        ),
    ]
    text: Annotated[
        Sequence[str] | None,
        ReadingOption(
            "Columns of texts, such as messages (default: found out).",
            ("csv", "jsonl", "parquet", "arrow"),
            written="a,b,c",
        ),
    ]
    identifier: Annotated[
        Sequence[str] | None,
        ReadingOption(
            "Columns of identifiers, such as users (default: found out).",
            ("csv", "jsonl", "parquet", "arrow"),
            written="a,b,c",
            short="id",
        ),
    ]
    limits: Annotated[
        Mapping[str, int] | None,
        ReadingOption(
            "What a file may ask for at most: bytes of a line, cell or label, of all texts, number of columns.",
            written="line=200000000,columns=500000",
        ),
    ]
    sparse: Annotated[
        bool | None,
        ReadingOption("Never read LIBSVM rows as dense, however few zeros they have.", ("libsvm",)),
    ]
    on_bad_line: Annotated[
        str,
        ReadingOption(
            "stop at a line that cannot be read, or skip and count it.",
            default="stop",
            choices=("stop", "skip"),
        ),
    ]
    n_features: Annotated[
        int | None, ReadingOption("Width of LIBSVM data (default: highest index).", ("libsvm",), least=1)
    ]
    bits: Annotated[int | None, ReadingOption("Hash the names of VW data into 2^bits columns.", ("vw",))]


@cache
def reading_options() -> dict[str, tuple[Any, ReadingOption]]:
    """The options by name: type and declaration."""
    hints = get_type_hints(ReadingOptions, include_extras=True)
    return {name: (get_args(hint)[0], get_args(hint)[1]) for name, hint in hints.items()}


def flag_of(name: str) -> str:
    """The flag of an option on the command line."""
    return "--" + (reading_options()[name][1].short or name.replace("_", "-"))


def show_options(function: Callable[..., Any]) -> None:
    """Spell out the ``**reading`` of a function in its signature and its docstring."""
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=type_)
        for name, (type_, option) in reading_options().items()
    ]
    function.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
    if function.__doc__ is not None:  # not under python -OO
        lines = [
            f"    {name} : default={option.default!r}\n        {option.help}"
            for name, (_, option) in reading_options().items()
        ]
        function.__doc__ = function.__doc__.rstrip() + "\n" + "\n".join(lines) + "\n"
