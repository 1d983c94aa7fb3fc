"""The options that say how data are read; the same for every command that reads some."""

from __future__ import annotations

from typing import Annotated

import typer

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A file of any format (plain or gzip), a data set by name, or - for standard input.",
    ),
]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Read the first rows only.")]
Label = Annotated[str | None, typer.Option("--label", help="Label column (default: the last one).")]
Nominal = Annotated[
    str | None, typer.Option("--nominal", help="Columns to read as nominal, as a,b,c, or all.")
]
Drop = Annotated[str | None, typer.Option("--drop", help="Columns to leave out, as a,b,c.")]
Header = Annotated[
    bool | None, typer.Option("--header/--no-header", help="Whether a CSV file begins with names.")
]
Delimiter = Annotated[
    str | None, typer.Option("--delimiter", help="Between the cells of a CSV file (default: found out).")
]
NFeatures = Annotated[
    int | None, typer.Option("--n-features", min=1, help="Width of LIBSVM data (default: highest index).")
]
Bits = Annotated[int | None, typer.Option("--bits", help="Hash the names of VW data into 2^bits columns.")]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="csv, libsvm, arff, vw, jsonl, parquet or arrow (default: by the name of the file, or its look).",
    ),
]
OnBadLine = Annotated[
    str, typer.Option("--on-bad-line", help="stop at a line that cannot be read, or skip and count it.")
]


def words(text: str | None) -> list[str] | None:
    """The words of a list a,b,c."""
    return None if text is None else text.split(",")
