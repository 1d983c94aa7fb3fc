"""A table becomes one block that the core can read: names and categories get codes, and what no learner can take is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from streamboost.base.inputs.arrays import LARGEST, Table
from streamboost.base.inputs.codes import check_scalar
from streamboost.base.inputs.schema import Growth, Schema, check_names
from streamboost.base.inputs.word_columns import word_cells


@dataclass
class CodedRows:
    """The arrays that one native call gets."""

    n_rows: int
    dense: NDArray[np.float64] | None = None
    csr: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]] | None = None
    growth: Growth = field(default_factory=Growth)
    largest: float | None = None
    """The largest |x|, where all columns are numeric and nothing is missing: it falls off when rows are checked."""
    words: list[str | None] | None = None
    """The cells of the columns of words, row by row."""
    width: int | None = None
    """Of sparse rows for a model that began with dense ones: their zeros are filled in piece by piece."""
    turns: Sequence[int] = ()
    """Of each of the last columns, which are new ones of identifiers: the first row that has it."""

    @property
    def native(self) -> Any:
        """The rows as the core takes them: a matrix, one with the cells of words, or the three arrays of a CSR matrix."""
        if self.words is not None:
            return self.dense, self.words
        if self.csr is None:
            return self.dense
        if self.width is None:
            return self.csr
        start, columns, values = self.csr
        return sp.csr_matrix((values, columns, start), shape=(self.n_rows, self.width)).toarray()

    def drop_columns(self, n: int) -> None:
        """Forget the last columns, which hold identifiers."""
        if n == 0 or self.dense is None or self.words is None:
            return
        self.dense = np.ascontiguousarray(self.dense[:, :-n])
        width = len(self.words) // self.n_rows
        kept = [cell for at, cell in enumerate(self.words) if at % width < width - n]
        self.words = kept if width > n else None

    def cut(self, first: int, end: int) -> CodedRows:
        """Rows ``first`` to ``end``; what was discovered in them is for the caller to say."""
        if first == 0 and end == self.n_rows:
            return self
        if self.csr is None:
            dense = None if self.dense is None else self.dense[first:end]
            width = 0 if self.words is None else len(self.words) // self.n_rows
            words = None if self.words is None else self.words[first * width : end * width]
            return CodedRows(end - first, dense=dense, words=words)
        start, columns, values = self.csr
        inside = slice(int(start[first]), int(start[end]))
        csr = (start[first : end + 1] - start[first], columns[inside], values[inside])
        return CodedRows(end - first, csr=csr, width=self.width)


def check_table(table: Table, schema: Schema, estimator: str) -> None:
    """Refuse a block whose columns are not the model's."""
    names = table.names_for(schema)
    check_names(schema.names, names, estimator)
    width, expected = (
        (table.width, schema.width - len(schema.twins)) if names is None else (len(names), schema.width)
    )
    if width != expected:
        raise ValueError(
            f"X has {width} features, but {estimator} is expecting {expected} features as input. "
            "Columns that come and go need names: learn_one takes dicts."
        )


def encode_table(table: Table, schema: Schema, active: NDArray[np.bool_] | None, grow: bool) -> CodedRows:
    """Give codes to categories and refuse infinities; nothing in `schema` changes.

    Rows are sparse, or dense, as the first ones of the model were: some scales are not the same for both.
    """
    if table.csr is not None:
        rows = _encode_csr(table, schema)
        rows.width = None if schema.sparse else table.width
        return rows
    rows = _encode_dense(table, schema, active, grow)
    return without_zeros(rows) if schema.sparse else rows


def without_zeros(rows: CodedRows) -> CodedRows:
    """Dense rows as sparse ones."""
    csr = sp.csr_matrix(rows.dense)
    return replace(rows, dense=None, csr=_native_csr(csr))


def _encode_dense(table: Table, schema: Schema, active: NDArray[np.bool_] | None, grow: bool) -> CodedRows:
    growth = Growth()
    if table.dense is not None and schema.all_numeric and not table.values:
        return CodedRows(table.n_rows, dense=table.dense, largest=check_finite(table.dense, schema))
    # Column by column, so columns lie together while they are worked on.
    dense = None if table.dense is None else np.asfortranarray(table.dense)
    out = np.empty((table.n_rows, schema.width), order="F")
    words: list[list[str | None]] = []
    turning: list[tuple[int, int]] = []  # the first row with one value too many, and the column
    for column, book in enumerate(schema.books):
        at = schema.twins.get(column, column)
        source = table.columns[at] if dense is None else dense[:, at]
        if column in schema.words:
            words.append(_words(table, at, source))
            out[:, column] = np.nan
            continue
        if book is not None:
            source = _exact(table, column, source)
        if book is None:
            if isinstance(source, list) and all(value is None or isinstance(value, bool) for value in source):
                source = np.array(source, dtype=np.float64)
            if isinstance(source, list) or column in table.values:
                raise ValueError(
                    f"{schema.title(column)} is numeric, as in the first rows, but now holds categories. Make it numbers "
                    "again; or start again with fit, and categorical_features= if its values are categories."
                )
            out[:, column] = source
            continue
        missing = _missing(source)
        if isinstance(source, np.ndarray) and np.isinf(source).any():
            raise ValueError(f"Input X contains infinity in {schema.title(column)}, which is nominal.")
        if column in table.values:
            theirs = np.where(missing, -1, source).astype(np.intp)
            codes, new = book.translate(theirs, table.values[column], active, grow, missing)
        else:
            codes, new = book.encode(source, active, grow, missing if missing.any() else None)
        for value in new:
            check_scalar(value, f"A category of {schema.title(column)}")
        most = schema.most_values(column)
        if len(book) + len(new) >= most:
            out[:, column], kept = _capped(codes, new, len(book), active, most)
            if len(kept) < len(new) and schema.turns and schema.twin_of(column) is None:
                turning.append((int(np.argmax(codes == most)), column))
            new = kept
            growth.capped += [column] if not schema.turns and np.isnan(out[~missing, column]).any() else []
        else:
            out[:, column] = codes
        if new:
            growth.values[column] = new
        out[missing, column] = np.nan
    check_finite(out, schema)
    turning.sort()
    for _, column in turning:
        schema.add_twin(column, out.shape[1], growth)
        words.append(_words(table, column, table.columns[column] if dense is None else dense[:, column]))
        out = np.column_stack([out, np.full(table.n_rows, np.nan)])
    cells = [cell for row in zip(*words, strict=True) for cell in row] if words else None
    turns = [row for row, _ in turning]
    return CodedRows(table.n_rows, dense=np.ascontiguousarray(out), growth=growth, words=cells, turns=turns)


def _words(table: Table, column: int, source: Any) -> list[str | None]:
    """The cells of a column of words, from texts, numbers or a reader's codes."""
    if column not in table.values:
        return word_cells(_exact(table, column, source))
    texts, missing = table.values[column], _missing(source)
    codes = np.where(missing, -1, source).astype(np.intp).tolist()
    return [None if code < 0 else texts[code] for code in codes]


def _exact(table: Table, column: int, source: Any) -> Any:
    """Categories that are whole numbers beyond a double's as Python's own, which do not merge."""
    whole = source if table.exact is None else table.exact[:, column]
    return whole.tolist() if isinstance(whole, np.ndarray) and whole.dtype.kind in "iu" else source


def _capped(
    codes: NDArray[np.int32], new: list[Any], known: int, active: NDArray[np.bool_] | None, most: int
) -> tuple[NDArray[np.float64], list[Any]]:
    """Give no code beyond the last one: from the row on that fills the book, a value without a code is missing."""
    room = max(most - known, 0)
    last = codes == most - 1
    filled = int(np.argmax(last if active is None else last & active)) if room else -1
    rows = codes.astype(np.float64)
    without = (codes < 0) | (codes >= most if room else codes >= known)
    rows[without] = -1.0
    rows[without & (np.arange(len(codes)) > filled)] = np.nan
    return rows, new[:room]


def _missing(source: Any) -> NDArray[np.bool_]:
    if isinstance(source, np.ndarray):
        return np.isnan(source)
    return np.fromiter((value is None or value != value for value in source), np.bool_, len(source))


def _encode_csr(table: Table, schema: Schema) -> CodedRows:
    if not schema.all_numeric:
        column = next(i for i, book in enumerate(schema.books) if book is not None or i in schema.words)
        kind = schema.words.get(column, "nominal")
        raise ValueError(
            f"{schema.title(column)} is of kind {kind}, and a sparse X cannot hold nominal columns or words: "
            "pass a dense array or a frame, or one-hot columns without categorical_features."
        )
    csr = table.csr
    data = np.ascontiguousarray(csr.data)
    largest = _largest(data)
    if largest is None:
        wrong = np.abs(data) > LARGEST
        if wrong.any():
            first = int(np.argmax(wrong))
            refuse_value(float(data[first]), schema.title(int(csr.indices[first])))
    return CodedRows(table.n_rows, csr=_native_csr(csr), largest=largest)


def _native_csr(csr: Any) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    data = np.ascontiguousarray(csr.data)
    return csr.indptr.astype(np.int64, copy=False), csr.indices.astype(np.int32, copy=False), data


def check_finite(rows: NDArray[np.float64], schema: Schema) -> float | None:
    """Refuse infinity and what is next to it, and name the column. NaN is a missing value and welcome.

    Returns the largest magnitude, or None if something is missing.
    """
    largest = _largest(rows)
    if largest is None:
        wrong = np.abs(rows) > LARGEST
        if wrong.any():
            column = int(np.argmax(wrong.any(axis=0)))
            refuse_value(float(rows[np.argmax(wrong[:, column]), column]), schema.title(column))
    return largest


def _largest(values: NDArray[np.float64]) -> float | None:
    """The largest magnitude, or None if a value is missing or beyond LARGEST, which calls for a closer look."""
    if not values.size:
        return 0.0
    low, high = float(values.min()), float(values.max())
    return max(-low, high) if low >= -LARGEST and high <= LARGEST else None


def refuse_value(value: float, title: str, what: str = "Input X") -> None:
    """Say what is wrong with a number that no learner can take."""
    if np.isinf(value):
        raise ValueError(f"{what} contains infinity in {title}. If it stands for a missing value, use NaN.")
    raise ValueError(
        f"{what} contains {value:.3g} in {title}; values must lie between -{LARGEST:.0e} and {LARGEST:.0e}. "
        "If it stands for a missing value, use NaN; else take its logarithm or clip it."
    )


def check_counts(rows: CodedRows, schema: Schema, learner: str) -> None:
    """Refuse what is no count: nominal columns and numbers below 0."""
    if not schema.all_numeric:
        column = next(i for i, book in enumerate(schema.books) if book is not None)
        raise ValueError(
            f"{schema.title(column)} is nominal, and {learner} takes counts: numbers of 0 or more."
        )
    values = rows.dense if rows.csr is None else rows.csr[2]
    if values is None or not (values < 0).any():
        return
    first = np.unravel_index(int(np.argmax(values < 0)), values.shape)
    column = int(first[1] if rows.csr is None else rows.csr[1][first[0]])
    raise ValueError(
        f"Input X contains {float(values[first]):.3g} in {schema.title(column)}; {learner} takes counts: numbers of 0 or more."
    )


def largest_magnitude(block: CodedRows, schema: Schema, active: NDArray[np.bool_] | None = None) -> float:
    """Return the largest |x| in the numeric columns of a block, or of its active rows, missing values aside."""
    if block.largest is not None and active is None:
        return block.largest
    values = block.dense if block.csr is None else block.csr[2]
    if active is not None and values is not None:
        values = values[active if block.csr is None else np.repeat(active, np.diff(block.csr[0]))]
    if values is not None and not schema.all_numeric:
        values = values[:, [column for column, book in enumerate(schema.books) if book is None]]
    if values is None or not values.size:
        return 0.0
    return float(np.fmax.reduce(np.abs(values), axis=None))
