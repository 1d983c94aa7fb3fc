"""The rows of a call in chunks for the shards, and what the log says of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.base.inputs.cells import plain
from streamboost.base.inputs.schema import Growth
from streamboost.base.pending import NOTHING_SAID, Records

NOTHING = np.full((1, 1), NOTHING_SAID)
"""The record of a row to which nothing was said."""


def growth_record(growth: Growth, labels: list[Any]) -> dict[str, Any]:
    """Return what a chunk has discovered, as the log keeps it; nothing: an empty object."""
    found = {
        "labels": [plain(label) for label in labels],
        "names": list(growth.names),
        "nominal": [bool(flag) for flag in growth.nominal],
        "values": {str(column): [plain(v) for v in values] for column, values in growth.values.items()},
    }
    return found if any(found.values()) else {}


def read_growth(growth: dict[str, Any]) -> tuple[Growth, list[Any]]:
    """Return the growth and the labels that `growth_record` wrote down."""
    if not growth:
        return Growth(), []
    values = {int(column): list(found) for column, found in growth["values"].items()}
    return Growth(names=growth["names"], nominal=growth["nominal"], values=values), growth["labels"]


def even_cuts(n: int, step: int) -> Iterator[tuple[int, int]]:
    """Chunks of so many rows."""
    for first in range(0, n, step):
        yield first, min(n, first + step)


def count_rows(X: Any) -> int:
    """Return the number of native rows: an array, an array with cells of words, or the three arrays of a CSR matrix."""
    if isinstance(X, tuple):
        return len(X[0]) - (len(X) == 3)
    return len(X)


def rows_between(X: Any, first: int, end: int) -> Any:
    """Return rows `first` to `end` of native rows."""
    if not isinstance(X, tuple):
        return X[first:end]
    if len(X) == 2:  # with the cells of columns of words, row by row
        dense, cells = X
        each = len(cells) // max(len(dense), 1)
        return dense[first:end], cells[first * each : end * each]
    start, columns, values = X
    at = slice(start[first], start[end])
    return np.ascontiguousarray(start[first : end + 1] - start[first]), columns[at], values[at]


class LateRows:
    """What was said to the rows of a call, some of which are asked about in it and learned later, perhaps in the same call."""

    def __init__(
        self, records: Records, places: NDArray[np.int32], weight: NDArray[np.float64] | None
    ) -> None:
        self._records, self._places = records, places
        self._asked = (
            np.zeros(len(places), np.bool_) if weight is None else (np.asarray(weight) == 0) & (places >= 0)
        )

    def cuts(self, step: int) -> Iterator[tuple[int, int]]:
        """Chunks in which no row is learned that was asked about in the same one: what was said comes back with its answers."""
        first, open_places = 0, set[int]()
        for at, (place, asked) in enumerate(zip(self._places.tolist(), self._asked.tolist(), strict=True)):
            if at - first == step or (not asked and place in open_places):
                yield first, at
                first, open_places = at, set()
            if asked:
                open_places.add(place)
        if first < len(self._places):
            yield first, len(self._places)

    def asks(self, first: int, end: int) -> bool:
        """Whether some row of a chunk is asked about."""
        return bool(self._asked[first:end].any())

    def records(self, first: int, end: int) -> Records:
        """The record of each row; one that has none gets the mark of that, and one that is asked about room for its own."""
        places = self._places[first:end]
        said = self._records[np.maximum(places, 0)]
        said[places < 0, 0] = NOTHING_SAID
        said[self._asked[first:end], 0] = 0.0
        return said

    def keep(self, first: int, end: int, said: Records) -> None:
        """Keep what was said to the rows of a chunk that were asked about."""
        asked = self._asked[first:end]
        self._records[self._places[first:end][asked]] = said[asked]
