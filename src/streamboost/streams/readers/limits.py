"""What a file may ask of memory. Whoever trusts a file that asks for more raises the limit by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from streamboost.streams.base import DataError

MOST_DENSE = 100_000
MOST_SPARSE = 1 << 24
CHUNK_CELLS = 1 << 25
"""Cells of a dense chunk: rows that are very wide come in smaller chunks."""


@dataclass(frozen=True)
class Limits:
    """Bytes of text, and a number of columns (None: 100,000 where rows are dense, 2^24 where they are sparse)."""

    line: int = 1 << 26
    """One line. A row over several lines may have eight times a cell."""
    cell: int = 1 << 24
    """A quoted cell, and any nominal value."""
    label: int = 1000
    """A label that is a text."""
    texts: int = 1 << 28
    """All different nominal values and labels together."""
    columns: int | None = None

    @classmethod
    def read(cls, given: Mapping[str, int] | None) -> Limits:
        """The usual limits with some of them replaced."""
        names = [field.name for field in fields(cls)]
        for name, value in (given or {}).items():
            if name not in names:
                raise DataError(f"There is no limit {name!r}; the limits are {', '.join(names)}.")
            if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 1 << 62:
                raise DataError(f"The limit {name} must be a whole number above 0, got {value!r}.")
        return cls(**(given or {}))

    def of_parser(self) -> dict[str, int]:
        """The limits that the native parser keeps."""
        return {name: value for name, value in asdict(self).items() if name != "columns"}

    def check_columns(self, name: str, count: int, *, sparse: bool = False) -> None:
        """Refuse a file that is too wide, before anything is made for its columns."""
        most = self.columns or (MOST_SPARSE if sparse else MOST_DENSE)
        if count > most:
            raise DataError(
                f"{name}: {count:,} columns; more than {most:,} need limits={{'columns': {count}}}."
            )


def way_out(name: str, limit: int) -> str:
    """How a message about a limit ends."""
    return f"The limit is {limit:,} bytes; limits={{'{name}': ...}} raises it."
