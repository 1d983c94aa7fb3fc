"""X, whatever it is, becomes one table: a matrix of float64, the columns of a frame, or CSR. What comes next: encoding.py."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_array

from streamboost.base.inputs.cells import COMPLEX, TIMES, is_beyond_double, object_column
from streamboost.base.inputs.coded import CodedTable
from streamboost.base.inputs.dates import are_dates, is_taken_apart, parts_of_texts, taken_apart
from streamboost.base.inputs.schema import Schema, resolve_categorical
from streamboost.base.inputs.word_columns import CODE, WordFeatures, guess_words, looks_like_codes

LARGEST = 1e100  # beyond this a square, a norm or a variance may overflow and spoil a learner for good


@dataclass
class Table:
    """X as read, before any code is given out."""

    n_rows: int
    width: int
    names: list[str] | None = None
    dense: NDArray[np.float64] | None = None
    csr: Any = None
    columns: list[Any] = field(default_factory=list)
    """A frame's columns: a float64 array, or a list of categories with None for missing."""
    nominal: list[bool] = field(default_factory=list)
    values: Mapping[int, Sequence[Any]] = field(default_factory=dict)
    """What the codes in the nominal columns of `dense` stand for, where a reader has given them."""
    exact: NDArray[Any] | None = None
    """Whole numbers as they came, if a double cannot hold all of them."""
    words: Mapping[int, str] = field(default_factory=dict)
    """Columns of words by a reader's first rows."""
    dates: Collection[str] = ()
    """Columns of a frame that were taken apart."""
    texts: Collection[str] = ()
    """Columns of a frame that hold texts, which may be dates; categories are what they are."""

    def names_for(self, schema: Schema) -> list[Any] | None:
        """Its columns as a model wants them: of a date those parts that it has learned, also such as this date lacks."""
        if self.names is None or schema.names is None:
            return self.names
        names: list[Any] = list(self.names)
        if self.dates:
            shared = {taken_apart(name)[0] for name in schema.names}.intersection(self.dates)
            names = [name for name in names if taken_apart(name)[0] not in shared]
            names += [name for name in schema.names if taken_apart(name)[0] in shared]
        twins = ((schema.names[twin], schema.names[column]) for twin, column in schema.twins.items())
        return names + [twin for twin, name in twins if name in names and twin not in names]

    def with_dates_apart(self, dates: Collection[str]) -> Table:
        """The same rows with these columns, of texts or of nothing, taken apart."""
        if not dates:
            return self
        read: dict[Any, Any] = {}
        for name, column in zip(self.names or (), self.all_columns(), strict=True):
            texts = column if isinstance(column, list) else [None] * self.n_rows
            read |= parts_of_texts(texts, name) if name in dates else {name: column}
        columns = list(read.values())
        return replace(
            self,
            width=len(columns),
            names=list(read),
            dense=None,
            columns=columns,
            nominal=[isinstance(column, list) for column in columns],
            dates={*self.dates, *dates},
        )

    def all_columns(self) -> list[Any]:
        """One by one, however they are held."""
        return self.columns if self.dense is None else list(self.dense.T)

    def in_order(self, names: Sequence[Any]) -> Table:
        """The same rows with these columns in this order; one that they lack is missing."""
        place = {name: column for column, name in enumerate(self.names or ())}
        order = [place.get(name, self.width) for name in names]
        nothing = np.full(self.n_rows, np.nan)
        return replace(
            self,
            width=len(order),
            names=list(names),
            dense=None if self.dense is None else np.column_stack([self.dense, nothing])[:, order].copy(),
            columns=[[*self.columns, nothing][column] for column in order] if self.columns else [],
            nominal=[[*self.nominal, False][column] for column in order] if self.nominal else [],
            values={to: self.values[column] for to, column in enumerate(order) if column in self.values},
            exact=None if self.exact is None else self.exact[:, order],
            words={to: self.words[column] for to, column in enumerate(order) if column in self.words},
        )


def read_table(X: Any, estimator: str, *, least: int = 0) -> Table:
    """Read X, of at least so many rows, without looking at the model."""
    if _is_ready(X):
        return Table(n_rows=len(X), width=X.shape[1], dense=X, nominal=[False] * X.shape[1])
    if sp.issparse(X):
        return _read_sparse(X, estimator, least)
    if isinstance(X, CodedTable):
        table = read_table(X.rows, estimator, least=least)
        table.names, table.values = None if X.names is None else list(X.names), X.values
        table.words = X.words
        for column in X.values:
            table.nominal[column] = True
        return table
    # Asked of the type: a lazy frame would have to work to know its columns.
    if hasattr(type(X), "columns") or hasattr(type(X), "column_names"):
        from streamboost.base.inputs.frames import read_frame

        frame = read_frame(X, least)
        if frame is not None:
            return frame
    if isinstance(X, str | os.PathLike | Iterator):
        raise TypeError(
            f"X is of type {type(X).__name__}: rows are an array, a sparse matrix, a frame or a list of rows. Files are read by "
            "streamboost.streams.open_stream."
        )
    if isinstance(X, Mapping):
        raise TypeError(
            f"X is of type {type(X).__name__}: rows are an array, a sparse matrix, a frame or a list of rows. One row as a dict "
            "goes to methods whose names end in _one."
        )
    if isinstance(X, np.ma.MaskedArray):  # what is masked is missing
        X = np.ma.filled(X.astype(np.float64), np.nan)
    if isinstance(X, list | tuple) and any(isinstance(row, Mapping) for row in X[:1]):
        raise TypeError(
            "X is a list of dicts. Give dicts one by one to methods whose names end in _one, where columns may come and go; or "
            "make a frame of them: pandas.DataFrame(X)."
        )
    array = X
    if not hasattr(X, "__array_function__") or isinstance(X, np.ndarray):
        try:
            array = np.asarray(X)
        except ValueError as error:
            raise ValueError(
                f"X is no table, whose rows all have the same number of cells: {error}"
            ) from error
    kind = getattr(getattr(array, "dtype", None), "kind", None)
    if kind == "c":
        raise ValueError(COMPLEX)
    if kind == "V" or (kind == "O" and array.ndim == 0):
        raise TypeError(
            f"X is of type {type(X).__name__}{' with named fields' if kind == 'V' else ''}: rows are an array of numbers, a "
            "sparse matrix, a frame or a list of rows."
        )
    if isinstance(array, np.ndarray) and array.dtype.kind in "USO":
        X = _objects(array)
    if isinstance(array, np.ndarray) and array.dtype.kind in "mM":
        raise TypeError(TIMES.format(where="Every column of X (from column 0 on)", kind=array.dtype))
    options: dict[str, Any] = {"ensure_min_samples": least, "input_name": "X", "estimator": estimator}
    dense = check_array(X, dtype=np.float64, order="C", ensure_all_finite=False, **options)
    table = Table(n_rows=len(dense), width=dense.shape[1], dense=dense, nominal=[False] * dense.shape[1])
    if isinstance(array, np.ndarray) and array.dtype.kind in "iu" and is_beyond_double(array):
        table.exact = array
    return table


def _is_ready(X: Any) -> bool:
    """Whether X is what the core reads: scikit-learn's checks would cost small blocks more than the learning."""
    return (
        type(X) is np.ndarray
        and X.dtype == np.float64
        and X.ndim == 2
        and X.size > 0
        and X.flags.c_contiguous
    )


def _objects(array: NDArray[Any]) -> NDArray[Any]:
    """Texts and objects as numbers; what is none is named with its column and row."""
    if array.ndim == 1 and array.size:
        raise ValueError(
            "Expected 2D array, got 1D array instead. Reshape your data: one row is X[[0]], of a frame X.iloc[[0]]; one column "
            "is X[:, None], a Series X.to_frame(); predict_one takes a dict."
        )
    if array.ndim != 2 or not array.size:
        return array
    titles = [f"Column {column} of X" for column in range(array.shape[1])]
    return np.column_stack([object_column(array[:, j].tolist(), title) for j, title in enumerate(titles)])


def _read_sparse(X: Any, estimator: str, least: int) -> Table:
    options: dict[str, Any] = {"ensure_min_samples": least, "input_name": "X", "estimator": estimator}
    check_sparse(X)
    if X.dtype.kind == "c":
        raise ValueError(COMPLEX)
    csr = X
    if not _is_ready_csr(X, least):
        csr = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False, **options)
    if not _is_canonical(csr):
        csr = sp.csr_matrix((csr.data, csr.indices, csr.indptr), shape=csr.shape, copy=True)
        csr.has_canonical_format = csr.has_sorted_indices = False  # whatever the matrix claims of itself
        csr.sum_duplicates()
    n_rows, width = csr.shape
    if width > np.iinfo(np.int32).max:
        raise ValueError(f"X has {width} columns; at most {np.iinfo(np.int32).max} are supported.")
    return Table(
        n_rows=n_rows, width=width, csr=csr
    )  # the cost of a call must not grow with the number of columns


def _is_ready_csr(X: Any, least: int) -> bool:
    """Whether X is what scikit-learn's checks would make of it."""
    if X.format != "csr" or X.ndim != 2:
        return False
    n_rows, width = X.shape
    return bool(X.dtype == np.float64 and n_rows >= least and width > 0)


def check_sparse(X: Any) -> None:
    """Look at the arrays of a sparse matrix before compiled code follows their indices."""
    if X.format in ("csr", "csc"):
        rows, columns = X.shape if X.format == "csr" else X.shape[::-1]
        starts, indices = np.asarray(X.indptr), np.asarray(X.indices)
        if starts.shape != (rows + 1,) or int(starts[0]) != 0:
            first = starts[0] if starts.size else "nothing"
            _refuse_sparse(X, f"indptr has {starts.size} entries from {first} on, not {rows + 1} from 0 on")
        falls = np.flatnonzero(starts[1:] < starts[:-1])
        if falls.size:
            row = int(falls[0])
            _refuse_sparse(X, f"indptr falls from {starts[row]} to {starts[row + 1]} behind row {row}")
        n_cells, n_values = int(starts[-1]), int(np.asarray(X.data).size)
        if n_cells > min(indices.size, n_values):
            _refuse_sparse(X, f"indptr ends with {n_cells} for {indices.size} indices and {n_values} values")
        _check_range(X, indices[:n_cells], columns)
    elif X.format == "coo":
        for axis, size in zip((X.row, X.col), X.shape, strict=True):
            _check_range(X, np.asarray(axis), size)


def _check_range(X: Any, indices: NDArray[Any], size: int) -> None:
    wrong = (indices < 0) | (indices >= size)
    if wrong.any():
        at = int(np.argmax(wrong))
        _refuse_sparse(X, f"the index {indices[at]} (entry {at}) is not between 0 and {size - 1}")


def _refuse_sparse(X: Any, reason: str) -> None:
    raise ValueError(
        f"X is not a valid {X.format.upper()} matrix: {reason}. Build it again from its values, rows and columns."
    )


def _is_canonical(csr: Any) -> bool:
    """Whether indices rise within every row; what the matrix says about itself may be wrong."""
    rising = csr.indices[1:] > csr.indices[:-1]
    ends = csr.indptr[1:-1]
    rising[ends[(ends > 0) & (ends < csr.indices.size)] - 1] = True
    return bool(rising.all())


def first_schema(table: Table, categorical: Any, words: WordFeatures | None) -> Schema:
    """Let the first block fix addressing, width and kinds. words: None for a model that does not read them."""
    declared = resolve_categorical(categorical, table.names, table.width)
    by_dtype = table.nominal or [False] * table.width
    nominal = [its or said for its, said in zip(by_dtype, declared, strict=True)]
    sparse = table.csr is not None
    if words is None:
        return Schema(table.names, nominal, sparse=sparse)
    guessed = table.words or ({} if sparse else _guess_frame(table, declared))
    found = words.columns(table.names, table.width, guessed)
    kept = [is_nominal and found.get(column, CODE) == CODE for column, is_nominal in enumerate(nominal)]
    codes = [column for column, kind in found.items() if kind == CODE and not nominal[column]]
    holding = {column: kind for column, kind in found.items() if kind != CODE}
    schema = Schema(table.names, kept, words=holding, codes=codes, sparse=sparse)
    schema.turns = any(kept)
    return schema


HEAD_ROWS = 1000
"""Rows of a frame by which columns are told apart, as of a file."""


def written_dates(table: Table, categorical: Any, words: WordFeatures | None) -> list[str]:
    """Columns of texts of a frame whose first rows are all dates, if nothing else was said of them."""
    said = [*(() if categorical is None else categorical), *(() if words is None else words.named())]
    if not table.texts or not all(isinstance(one, str) for one in said):  # numbers would mean other columns
        return []
    return [
        name
        for name, column in zip(table.names or (), table.columns, strict=True)
        if name in table.texts and name not in said
        if are_dates(value for value in column[:HEAD_ROWS] if value is not None)
    ]


def dates_to_take_apart(table: Table, schema: Schema) -> list[str]:
    """Columns of a frame, of texts or of nothing, of which the model knows the parts."""
    if table.names is None or table.names == schema.names or table.values:
        return []
    return [
        name
        for name, column in zip(table.names, table.all_columns(), strict=True)
        if name not in schema.index and is_taken_apart(name, schema.index)
        if isinstance(column, list) or np.isnan(column.astype(np.float64)).all()
    ]


def _guess_frame(table: Table, declared: Sequence[bool]) -> dict[int, str]:
    """Texts, identifiers and codes among the columns of a frame that were not declared nominal."""
    found = {}
    for column, name in enumerate(table.names or ()):
        if declared[column]:
            continue
        source = table.columns[column] if table.dense is None else table.dense[:, column]
        if not isinstance(source, list):
            numbers = [
                number for number in source[:HEAD_ROWS].astype(np.float64).tolist() if number == number
            ]
            if looks_like_codes(name, set(numbers), len(numbers)):
                found[column] = CODE
            continue
        head = [value for value in source[:HEAD_ROWS] if value is not None]
        kind = guess_words(set(head), len(head)) if all(isinstance(value, str) for value in head) else None
        if kind is not None:
            found[column] = kind
    return found
