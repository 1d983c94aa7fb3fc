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
Task = Annotated[
    str | None,
    typer.Option(
        "--task",
        help="classification or regression (default: as the model; if it does both, the labels decide).",
    ),
]
Weight = Annotated[str | None, typer.Option("--weight", help="Column that holds the weights of the rows.")]
NaValues = Annotated[
    str | None,
    typer.Option(
        "--na-values",
        help="Cells that mean missing, as NA,null,- (default: the usual ones; an empty cell always does).",
    ),
]
Dates = Annotated[
    str | None,
    typer.Option(
        "--dates",
        metavar="parts|drop",
        help="Columns of dates in a CSV or JSON file: take them apart (days, weekday, hour), or leave them out.",
    ),
]
FileLimits = Annotated[
    str | None,
    typer.Option(
        "--limits",
        help="Let a file ask for more: line=BYTES, cell=BYTES, label=BYTES, texts=BYTES, columns=N, as a=1,b=2.",
    ),
]
Sparse = Annotated[
    bool, typer.Option("--sparse", help="Never read LIBSVM rows as dense, however few zeros they have.")
]
OnBadLine = Annotated[
    str, typer.Option("--on-bad-line", help="stop at a line that cannot be read, or skip and count it.")
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


def limits_of(text: str | None) -> dict[str, int] | None:
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
