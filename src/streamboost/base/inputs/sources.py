"""The rows of one call before they meet a model: a table, or one dict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from streamboost.base.inputs.arrays import dates_to_take_apart, first_schema, read_table, written_dates
from streamboost.base.inputs.dates import with_parts
from streamboost.base.inputs.dicts import first_dict_schema, read_dict
from streamboost.base.inputs.encoding import CodedRows, check_table, encode_table
from streamboost.base.inputs.schema import Schema
from streamboost.base.inputs.word_columns import WordFeatures


class TableRows:
    """Rows of an array, a sparse matrix or a frame."""

    def __init__(self, X: Any, title: str, least: int = 0) -> None:
        self.table = read_table(X, title, least=least)
        self.n_rows = self.table.n_rows
        self._title = title

    def first_schema(self, categorical: Any, words: WordFeatures | None = None) -> Schema:
        """Let these rows fix columns and their kinds."""
        self.table = self.table.with_dates_apart(written_dates(self.table, categorical, words))
        return first_schema(self.table, categorical, words)

    def check(self, schema: Schema) -> None:
        """Refuse rows whose columns are not the model's."""
        self.table = self.table.with_dates_apart(dates_to_take_apart(self.table, schema))
        check_table(self.table, schema, self._title)

    def coded(self, schema: Schema, active: NDArray[np.bool_] | None, grow: bool) -> CodedRows:
        """Check the rows against the model's columns and give codes to their categories."""
        self.check(schema)
        if schema.names is not None and self.table.names != schema.names:  # names say which column is which
            self.table = self.table.in_order(schema.names)
        return encode_table(self.table, schema, active, grow)


class DictRow:
    """One row: absent keys are missing, new ones become columns."""

    n_rows = 1

    def __init__(self, x: Any, title: str) -> None:
        if not isinstance(x, Mapping):
            advice = (
                "pass x.to_dict()"
                if hasattr(x, "to_dict")
                else "rows of an array go to partial_fit and predict"
            )
            raise TypeError(f"x must be a dict of feature values, got {type(x).__name__}: {advice}.")
        self._x = with_parts(x)
        self._title = title

    def first_schema(self, categorical: Any, words: WordFeatures | None = None) -> Schema:
        """Let this row fix columns and their kinds."""
        return first_dict_schema(self._x, categorical, words)

    def check(self, schema: Schema) -> None:
        """Any key is welcome."""

    def coded(self, schema: Schema, active: NDArray[np.bool_] | None, grow: bool) -> CodedRows:
        """Check the values against the model's columns and give codes to its categories."""
        return read_dict(self._x, schema, self._title, grow=grow)


Source: TypeAlias = TableRows | DictRow
