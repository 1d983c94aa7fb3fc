"""X, whatever it is, becomes one block the core can read: dense float64 rows, or CSR."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_array

from streamboost.base.codes import check_scalar
from streamboost.base.schema import Growth, Schema, check_names, resolve_categorical

STRINGS = (
    "{where} holds text ({value!r}). Nominal columns: use a categorical dtype in a frame, "
    "or give them as numbers and name them in categorical_features=."
)


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


@dataclass
class Block:
    """What one native call gets."""

    n_rows: int
    dense: NDArray[np.float64] | None = None
    csr: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]] | None = None
    growth: Growth = field(default_factory=Growth)


def read_table(X: Any, estimator: str) -> Table:
    """Read X without looking at the model."""
    if _is_ready(X):
        return Table(n_rows=len(X), width=X.shape[1], dense=X, nominal=[False] * X.shape[1])
    if sp.issparse(X):
        return _read_sparse(X, estimator)
    if hasattr(X, "columns") or hasattr(X, "column_names"):
        from streamboost.base.frames import read_frame

        table = read_frame(X)
        if table is not None:
            return table
    array = np.asarray(X) if not hasattr(X, "__array_function__") or isinstance(X, np.ndarray) else X
    if isinstance(array, np.ndarray) and array.dtype.kind in "USO":
        _refuse_text(array)
    dense = check_array(
        X, dtype=np.float64, order="C", ensure_all_finite=False, input_name="X", estimator=estimator
    )
    return Table(n_rows=len(dense), width=dense.shape[1], dense=dense, nominal=[False] * dense.shape[1])


def _is_ready(X: Any) -> bool:
    """Whether X is what the core reads: scikit-learn's checks would cost small blocks more than the learning."""
    return (
        type(X) is np.ndarray
        and X.dtype == np.float64
        and X.ndim == 2
        and X.size > 0
        and X.flags.c_contiguous
    )


def _refuse_text(array: NDArray[Any]) -> None:
    for position, value in enumerate(array.ravel()[:100_000].tolist()):
        if isinstance(value, str | bytes):
            column = position % array.shape[-1] if array.ndim == 2 else 0
            raise ValueError(STRINGS.format(where=f"Column {column} of X", value=value))


def _read_sparse(X: Any, estimator: str) -> Table:
    csr = check_array(
        X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False, input_name="X", estimator=estimator
    )
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    n_rows, width = csr.shape
    if width > np.iinfo(np.int32).max:
        raise ValueError(f"X has {width} columns; at most {np.iinfo(np.int32).max} are supported.")
    if csr.nnz and (int(csr.indices.min()) < 0 or int(csr.indices.max()) >= width):
        raise ValueError("X is not a valid CSR matrix: a column index is out of range.")
    return Table(n_rows=n_rows, width=width, csr=csr, nominal=[False] * width)


def first_schema(table: Table, categorical: Any) -> Schema:
    """Let the first block fix addressing, width and kinds."""
    declared = resolve_categorical(categorical, table.names, table.width)
    nominal = [by_dtype or by_name for by_dtype, by_name in zip(table.nominal, declared, strict=True)]
    return Schema(table.names, nominal)


def check_table(table: Table, schema: Schema, estimator: str) -> None:
    """Refuse a block whose columns are not the model's."""
    check_names(schema.names, table.names, estimator)
    if table.width != schema.width:
        raise ValueError(
            f"X has {table.width} features, but {estimator} is expecting {schema.width} features as input."
        )


def encode_table(table: Table, schema: Schema, active: NDArray[np.bool_] | None, grow: bool) -> Block:
    """Give codes to categories and refuse infinities; nothing in `schema` changes."""
    if table.csr is not None:
        return _encode_csr(table, schema)
    growth = Growth()
    if table.dense is not None and schema.all_numeric:
        check_finite(table.dense, schema)
        return Block(table.n_rows, dense=table.dense)
    out = np.empty((table.n_rows, table.width))
    for column, book in enumerate(schema.books):
        source = table.columns[column] if table.columns else table.dense[:, column]  # type: ignore[index]
        if book is None:
            if isinstance(source, list):
                raise ValueError(f"{schema.title(column)} is numeric, but now holds categories.")
            out[:, column] = source
            continue
        missing = _missing(source)
        if isinstance(source, np.ndarray) and np.isinf(source).any():
            raise ValueError(f"Input X contains infinity in {schema.title(column)}, which is nominal.")
        codes, new = book.encode(source, active, grow, missing)
        for value in new:
            check_scalar(value, f"A category of {schema.title(column)}")
        if new:
            growth.values[column] = new
        out[:, column] = codes
        out[missing, column] = np.nan
    check_finite(out, schema)
    return Block(table.n_rows, dense=out, growth=growth)


def _missing(source: Any) -> NDArray[np.bool_]:
    if isinstance(source, np.ndarray):
        return np.isnan(source)
    return np.fromiter((value is None or value != value for value in source), np.bool_, len(source))


def _encode_csr(table: Table, schema: Schema) -> Block:
    if not schema.all_numeric:
        column = next(i for i, book in enumerate(schema.books) if book is not None)
        raise ValueError(
            f"{schema.title(column)} is nominal, and a sparse X cannot hold nominal columns: "
            "pass a dense array or a frame, or one-hot columns without categorical_features."
        )
    csr = table.csr
    data = np.ascontiguousarray(csr.data)
    if np.isinf(data).any():
        column = int(csr.indices[np.isinf(data)][0])
        raise ValueError(f"Input X contains infinity in {schema.title(column)}.")
    parts = (csr.indptr.astype(np.int64, copy=False), csr.indices.astype(np.int32, copy=False), data)
    return Block(table.n_rows, csr=parts)


def check_finite(rows: NDArray[np.float64], schema: Schema) -> None:
    """Refuse infinity and name its column. NaN is a missing value and welcome."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(rows.sum()):
            return
    infinite = np.isinf(rows).any(axis=0)
    if infinite.any():
        raise ValueError(
            f"Input X contains infinity or a value too large for float64 in {schema.title(int(np.argmax(infinite)))}."
        )


def largest_magnitude(block: Block, schema: Schema) -> float:
    """Return the largest |x| in the numeric columns of a block, missing values aside."""
    values = block.dense if block.csr is None else block.csr[2]
    if values is not None and not schema.all_numeric:
        values = values[:, [column for column, book in enumerate(schema.books) if book is None]]
    if values is None or not values.size:
        return 0.0
    return float(np.fmax.reduce(np.abs(values), axis=None))
