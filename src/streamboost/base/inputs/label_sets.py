"""Sets of labels: what a multi-label classifier has in the place of one label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from streamboost.base.inputs.cells import plain
from streamboost.base.inputs.labels import ClassCodes, check_label, check_length, label_array
from streamboost.base.inputs.weights import check_something_weighs

Indicators = NDArray[np.float64]


@dataclass(frozen=True)
class LabelSets:
    """Rows of 0 and 1, one column for each of `names`; NaN where nobody knows."""

    names: list[Any]
    table: Indicators


class SetCodes(ClassCodes):
    """Names of labels by code; every row says of each of them whether it has it. Columns stand in the order of the codes."""

    def _arrays(self) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[Any]]:
        by_code = label_array(list(self.book.values))
        return by_code, np.arange(len(by_code)), by_code

    def encode(self, y: LabelSets, active: NDArray[np.bool_] | None) -> tuple[Indicators, list[Any]]:  # type: ignore[override]
        """Return the sets in the order of the codes, and newly discovered labels: they come with rows that are learned."""
        known = self.book.codes
        new = [name for name in y.names if name not in known]
        if new and self.declared:
            raise ValueError(
                f"y has the label {new[0]!r}, which is none of the {len(self)} labels of the model."
            )
        if active is not None and not active.any():
            new = []
        for name in new:
            check_label(name, "A label in y")
        place = {**known, **{name: len(known) + at for at, name in enumerate(new)}}
        table = np.zeros((len(y.table), len(place)))
        for at, name in enumerate(y.names):
            if name in place:
                table[:, place[name]] = y.table[:, at]
        return table, new


def read_sets(y: Any, n_rows: int, names: Sequence[Any] | None) -> LabelSets:
    """Return indicators of shape (n, L) as sets; `names` are those of the columns, by default 0, 1, 2, ... or a frame's own."""
    if isinstance(y, LabelSets):
        check_length(len(y.table), n_rows)
        return y
    if y is None:
        raise ValueError("This classifier requires y to be passed, but the target y is None.")
    if scipy.sparse.issparse(y):
        y = y.toarray()
    columns = getattr(y, "columns", None)
    try:
        table = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "y must be indicators, 0 or 1 for every row and label; of lists of labels "
            "sklearn.preprocessing.MultiLabelBinarizer makes them."
        ) from error
    if table.ndim != 2:
        raise ValueError(
            f"y has {table.ndim} axis: label sets are a table of 0 and 1, a row for each row of X and a column for each label."
        )
    check_length(len(table), n_rows)
    wrong = ~((table == 0) | (table == 1) | np.isnan(table))
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        raise ValueError(
            f"y holds {table[row, column]:g} in row {row}, column {column}; indicators are 0 or 1, or NaN where nobody knows."
        )
    if names is None:
        names = list(range(table.shape[1])) if columns is None else [str(name) for name in columns]
    names = [plain(name) for name in names]
    if len(names) != table.shape[1]:
        raise ValueError(f"y has {table.shape[1]} columns, but there are {len(names)} labels.")
    if len(set(names)) != len(names):
        raise ValueError("labels: a name appears twice.")
    return LabelSets(list(names), table)


def nothing_known(table: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which rows of indicators hold NaN alone."""
    return np.asarray(np.isnan(table).all(axis=1))


def check_fit(y: Any, weight: Any) -> None:
    """Refuse what teaches nothing, and rows of which no label is known: whoever fits gives all there is."""
    check_something_weighs(weight)
    n_rows = y.shape[0] if hasattr(y, "shape") and y.shape else len(y) if hasattr(y, "__len__") else 0
    sets = read_sets(y, n_rows, None)
    if not n_rows:
        raise ValueError(
            f"Found array with 0 sample(s) (shape={sets.table.shape}) while a minimum of 1 is required."
        )
    unknown = nothing_known(sets.table)
    if sets.names and unknown.any():
        raise ValueError(
            f"Input y contains NaN alone (row {int(np.argmax(unknown))}): nothing is known of that row. partial_fit lets such "
            "rows go."
        )


def one_set(y: Any, weight: float) -> tuple[LabelSets, float]:
    """Return the set of one row, a dict of labels and whether the row has them (None: nobody knows), and its weight: 0 if the
    whole set is unknown."""
    if y is None:
        return LabelSets([], np.zeros((1, 0))), 0.0
    if not isinstance(y, Mapping):
        raise ValueError(f"y must be a dict {{label: bool}}, got {y!r}.")
    for name, value in y.items():
        if value is not None and value == value and value not in (0, 1):
            raise ValueError(f"y[{name!r}]={value!r} must be True or False, or None if nobody knows.")
    table = np.array([[np.nan if value is None else float(value) for value in y.values()]]).reshape(1, len(y))
    return LabelSets(list(map(plain, y)), table), 0.0 if y and np.isnan(table).all() else weight
