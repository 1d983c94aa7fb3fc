"""Rows and labels whose values are codes already: what a reader of files hands to a model.

The reader has met every text once and given it a number; a model that gets the numbers with the texts behind them looks
at each different text once per block instead of at every cell. The sequences of values grow while a file is read, and
no code ever changes its meaning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class CodedTable:
    """Numbers, and in the nominal columns codes (NaN: missing) of ``values[column]``; dense rows, or CSR without any."""

    rows: Any
    values: Mapping[int, Sequence[Any]]
    names: tuple[str, ...] | None = None
    words: Mapping[int, str] = field(default_factory=dict)
    """Columns that hold texts, identifiers or codes by the first rows, and which of them."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return int(self.rows.shape[0]), int(self.rows.shape[1])

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> CodedTable:
        """Some rows, by a slice, numbers or a mask."""
        return CodedTable(self.rows[rows], self.values, self.names, self.words)


@dataclass(frozen=True)
class CodedLabels:
    """Codes of ``values``; every row has one."""

    codes: NDArray[np.int32]
    values: Sequence[Any]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> CodedLabels:
        """Some rows, by a slice, numbers or a mask."""
        return CodedLabels(self.codes[rows], self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """The labels themselves."""
        return np.array([self.values[code] for code in self.codes.tolist()], dtype=dtype)

    def tolist(self) -> list[Any]:
        """The labels themselves."""
        return [self.values[code] for code in self.codes.tolist()]
