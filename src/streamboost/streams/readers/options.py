"""How data are read: every option declared once.

From this table come the keywords of :func:`streamboost.streams.open_stream`, their checks, which formats take them, the flags of
the command line with their help, the words of error messages there, and the table in the documentation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, TypedDict, get_args, get_type_hints

from streamboost.streams.base import DataError

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
    metavar: str | None = None
    """Of the flag, where its name says too little."""


class ReadingOptions(TypedDict, total=False):
    """The keywords of :func:`streamboost.streams.open_stream`; None leaves a choice to the reader."""

    format: Annotated[
        str | None,
        ReadingOption(
            "csv, libsvm, arff, vw, jsonl, parquet or arrow (default: by the name of the file, or its look).",
            choices=FORMATS,
        ),
    ]
    label: Annotated[str | None, ReadingOption("Label column (default: the last one).", _TABLES)]
    nominal: Annotated[
        Sequence[str] | str | None, ReadingOption("Columns to read as nominal, as a,b,c, or all.", _TABLES)
    ]
    drop: Annotated[Sequence[str] | None, ReadingOption("Columns to leave out, as a,b,c.", _TABLES)]
    header: Annotated[bool | None, ReadingOption("Whether a CSV file begins with names.", ("csv",))]
    delimiter: Annotated[
        str | None, ReadingOption("Between the cells of a CSV file (default: found out).", ("csv",))
    ]
    weight: Annotated[str | None, ReadingOption("Column that holds the weights of the rows.", _TABLES)]
    na_values: Annotated[
        Sequence[str] | None,
        ReadingOption(
            "Cells that mean missing, as NA,null,- (default: the usual ones; an empty cell always does).",
            ("csv", "arff", "jsonl"),
        ),
    ]
    dates: Annotated[
        str | None,
        ReadingOption(
            "Columns of dates in a CSV or JSON file: take them apart (days, weekday, hour), or leave them out.",
            ("csv", "jsonl"),
            choices=("parts", "drop"),
            metavar="parts|drop",
        ),
    ]
    limits: Annotated[
        Mapping[str, int] | None,
        ReadingOption(
            "Let a file ask for more: line=BYTES, cell=BYTES, label=BYTES, texts=BYTES, columns=N, as a=1,b=2."
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


def checked_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """All options with their values, the defaults filled in; raises for names and values that no file could make right."""
    table = reading_options()
    for name in given:
        if name not in table:
            raise TypeError(f"open_stream() got an unexpected keyword argument {name!r}")
    found = {name: given.get(name, option.default) for name, (_, option) in table.items()}
    for name, (_, option) in table.items():
        value = found[name]
        if option.choices and value != option.default and value not in option.choices:
            raise DataError(
                f"{name}={value!r} is not allowed; choose {', '.join(option.choices[:-1])} or {option.choices[-1]}."
            )
    return found
