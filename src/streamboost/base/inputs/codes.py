"""Values get codes in order of first appearance: one rule for labels and for categories."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_CATEGORIES = 4096
"""A nominal column keeps at most so many values; further ones are treated as missing, with a warning."""
_TABLE = 4096  # whole numbers below this are looked up in an array instead of a dict


class _Lookup(dict[Any, int]):
    def __missing__(self, key: Any) -> int:
        return -1


class CodeBook:
    """Values and their codes. `encode` never changes the book; `extend` does, once the call has succeeded."""

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self.values: list[Any] = []
        self.codes = _Lookup()
        self._table: NDArray[np.int32] | None = None
        self.extend(values)

    def __len__(self) -> int:
        return len(self.values)

    def extend(self, values: Iterable[Any]) -> None:
        """Give the next codes to `values`; those that have theirs keep them, so an interrupted call can be repeated."""
        for value in values:
            code = self.codes.setdefault(value, len(self.values))
            if code == len(self.values):
                self.values.append(value)
        self._table = None

    def encode(
        self,
        values: NDArray[Any] | Sequence[Any],
        active: NDArray[np.bool_] | None,
        grow: bool,
        missing: NDArray[np.bool_] | None = None,
    ) -> tuple[NDArray[np.int32], list[Any]]:
        """Return the codes (-1: unknown or missing) and the values that are new in this call.

        Only rows in `active` (None: all of them) discover; to the others a value is unknown until one of these has
        had it, wherever a block begins.
        """
        small = _small_whole_numbers(values, missing)
        items: list[Any] = [] if small is not None else _scalars(values)
        if small is not None:
            codes = self._lookup_table()[small]
        else:
            codes = np.fromiter(map(self.codes.__getitem__, items), np.int32, len(items))
        if missing is not None:
            codes[missing] = -1
        unknown = codes < 0
        if missing is not None:
            unknown &= ~missing
        if not grow or not unknown.any():
            return codes, []
        discovering = unknown if active is None else unknown & active
        if small is not None:
            # Written from the last row to the first: what stays is the row where a value appears first.
            found = np.flatnonzero(discovering)[::-1]
            first = np.full(_TABLE, -1)
            first[small[found]] = found
            rows = np.sort(first[first >= 0])
            table = self._lookup_table().copy()
            table[small[rows]] = np.arange(len(self), len(self) + rows.size, dtype=np.int32)
            codes[unknown] = table[small[unknown]]
            if active is not None:
                codes[unknown & (first[small] > np.arange(len(codes)))] = -1
            return codes, np.asarray(values)[rows].tolist()
        new: dict[Any, int] = {}
        for row in np.flatnonzero(unknown).tolist():
            if discovering[row]:
                new.setdefault(items[row], len(self) + len(new))
            codes[row] = new.get(items[row], -1)
        return codes, list(new)

    def translate(
        self,
        codes: NDArray[np.intp],
        values: Sequence[Any],
        active: NDArray[np.bool_] | None,
        grow: bool,
        missing: NDArray[np.bool_] | None = None,
    ) -> tuple[NDArray[np.int32], list[Any]]:
        """Like `encode` for somebody else's codes of `values`: every different value is looked at once.

        A negative code is missing or unknown.
        """
        present = codes if missing is None else np.where(missing, -1, codes)
        used = np.flatnonzero(np.bincount(present + 1, minlength=1)[1:])
        # The last entry answers for the code -1.
        mine = np.full((int(used[-1]) if used.size else 0) + 2, -1, np.int32)
        mine[used] = [self.codes[values[code]] for code in used.tolist()]
        unknown = used[mine[used] < 0]
        if not grow or not unknown.size:
            return mine[present], []
        first = np.full(mine.size, -1)
        rows = np.flatnonzero(present >= 0 if active is None else (present >= 0) & active)[::-1]
        first[present[rows]] = (
            rows  # from the last row to the first: what stays is where a value appears first
        )
        found = unknown[first[unknown] >= 0]
        found = found[np.argsort(first[found], kind="stable")]
        mine[found] = np.arange(len(self), len(self) + found.size, dtype=np.int32)
        mapped = mine[present]
        mapped[(mapped >= len(self)) & (first[present] > np.arange(len(present)))] = -1
        return mapped, [values[code] for code in found.tolist()]

    def _lookup_table(self) -> NDArray[np.int32]:
        if self._table is None:
            table = np.full(_TABLE, -1, np.int32)
            for value, code in self.codes.items():
                if not isinstance(value, str) and 0 <= value < _TABLE and value == int(value):
                    table[int(value)] = code
            self._table = table
        return self._table


def _scalars(values: NDArray[Any] | Sequence[Any]) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _small_whole_numbers(
    values: NDArray[Any] | Sequence[Any], missing: NDArray[np.bool_] | None
) -> NDArray[np.intp] | None:
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "iuf" or values.size < 64:
        return None
    present = values if missing is None or not missing.any() else np.where(missing, 0, values)
    if not (present.min() >= 0 and present.max() < _TABLE):
        return None
    whole = present.astype(np.intp)
    return whole if values.dtype.kind != "f" or bool((whole == present).all()) else None


def check_scalar(value: Any, what: str) -> None:
    """Labels and categories are text, whole numbers, finite floats or booleans: what a file can hold."""
    if not isinstance(value, str | int | float | bool):
        raise TypeError(
            f"{what} {value!r} is of type {type(value).__name__}; allowed are str, int, float and bool; "
            "make texts of others, str(value)."
        )
    if isinstance(value, str) and value.endswith("\0"):
        raise ValueError(
            f"{what} {value[:40]!r} ends in a zero byte, which texts of NumPy lose; take it off."
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{what} is {value!r}; it must be finite.")
