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
            "csv, libsvm, arff, vw, jsonl, json, xlsx, parquet or arrow (default: from the file name or content).",
            choices=(*FORMATS, "json", "xlsx"),
        ),
    ]
    label: Annotated[
        str | None,
        ReadingOption(
            "Column to predict (default: one called label, class, target or y, else the last one).", _TABLES
        ),
    ]
    nominal: Annotated[
        Sequence[str] | str | None,
        ReadingOption("Columns to read as nominal, or all.", _TABLES, written="a,b,c"),
    ]
    drop: Annotated[Sequence[str] | None, ReadingOption("Columns to leave out.", _TABLES, written="a,b,c")]
    header: Annotated[
        bool | None, ReadingOption("Whether the first line of a CSV file has the column names.", ("csv",))
    ]
    delimiter: Annotated[
        str | None, ReadingOption("Character between the cells of a CSV file (default: detected).", ("csv",))
    ]
    decimal: Annotated[
        str | None,
        ReadingOption(
            "Decimal mark of a CSV file (default: a point, or a comma if the numbers have one and cells are separated "
            "otherwise).",
            ("csv",),
            choices=(".", ","),
        ),
    ]
    encoding: Annotated[
        str | None,
        ReadingOption(
            "Text encoding, such as latin-1 (default: UTF-8).", ("csv", "libsvm", "arff", "vw", "jsonl")
        ),
    ]
    weight: Annotated[str | None, ReadingOption("Column that holds the sample weights.", _TABLES)]
    na_values: Annotated[
        Sequence[str] | None,
        ReadingOption(
            "Cells that mean a missing value (default: the usual ones; an empty cell always does).",
            ("csv", "arff", "jsonl"),
            written="NA,null,-",
        ),
    ]
    dates: Annotated[
        str | None,
        ReadingOption(
            "Columns of dates: parts splits them (days, weekday, hour; the default), drop leaves them out, day-first and "
            "month-first split them and say how to read 01/02/2024.",
            ("csv", "jsonl", "parquet", "arrow"),
            choices=("parts", "drop", "day-first", "month-first"),
        ),
    ]
    text: Annotated[
        Sequence[str] | None,
        ReadingOption(
            "Columns of free text, such as messages (default: detected).",
            ("csv", "jsonl", "parquet", "arrow"),
            written="a,b,c",
        ),
    ]
    identifier: Annotated[
        Sequence[str] | None,
        ReadingOption(
            "Columns of identifiers, such as user names (default: detected).",
            ("csv", "jsonl", "parquet", "arrow"),
            written="a,b,c",
            short="id",
        ),
    ]
    limits: Annotated[
        Mapping[str, int] | None,
        ReadingOption(
            "Upper limits for a file: bytes of a line, a cell, a label or all texts, and the number of columns.",
            written="line=200000000,columns=500000",
        ),
    ]
    sparse: Annotated[
        bool | None,
        ReadingOption("Keep LIBSVM rows sparse, even if few of their values are zero.", ("libsvm",)),
    ]
    on_bad_line: Annotated[
        str,
        ReadingOption(
            "Whether to stop at a line that cannot be read, or to skip and count it.",
            default="stop",
            choices=("stop", "skip"),
        ),
    ]
    n_features: Annotated[
        int | None,
        ReadingOption(
            "Number of features of LIBSVM data (default: the highest index).", ("libsvm",), least=1
        ),
    ]
    bits: Annotated[
        int | None, ReadingOption("Hash the feature names of VW data into 2^bits columns.", ("vw",))
    ]


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
