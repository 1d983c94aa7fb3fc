"""Tables of true and predicted labels that grow with the labels, in bounded memory, however chunks are cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.adapters.labels import LabelCodes
from streamboost.evaluate import measures
from streamboost.streams.base import Label


class CodeTable:
    """Counts of (true code, predicted code) that grow with the codes; weighed counts are sums of floats.

    Sums are made row by row from left to right, so that they do not depend on how the rows are cut.
    """

    def __init__(self) -> None:
        # One column more than rows: the last one counts rows without an answer.
        self._counts: npt.NDArray[Any] = np.zeros((0, 1), dtype=np.int64)

    def add(
        self,
        true: npt.NDArray[np.int64],
        pred: npt.NDArray[np.int64],
        weight: npt.NDArray[np.float64] | None = None,
    ) -> None:
        """Count rows, each once or with its weight."""
        if weight is not None:
            self._counts = self._counts.astype(np.float64, copy=False)
        if not true.size:
            return
        self.grow(1 + int(max(true.max(), pred.max())))
        width = self._counts.shape[1]
        cells = true * width + np.where(pred < 0, width - 1, pred)
        if weight is None:
            counted = np.bincount(cells, minlength=self._counts.size).reshape(self._counts.shape)
            self._counts += counted.astype(self._counts.dtype)
        else:
            np.add.at(self._counts.reshape(-1), cells, weight)

    def scale(self, factor: float) -> None:
        """Multiply every count."""
        self._counts = self._counts * factor

    def cut(self, n_codes: int) -> npt.NDArray[Any]:
        """Rows: true codes; columns: predicted codes, then one column for rows without an answer."""
        self.grow(n_codes)
        return np.concatenate((self._counts[:n_codes, :n_codes], self._counts[:n_codes, -1:]), axis=1)

    @property
    def counts(self) -> npt.NDArray[Any]:
        """The table, with room for codes to come."""
        return self._counts

    def grow(self, n_codes: int) -> None:
        """Make room for codes below ``n_codes``."""
        old = self._counts.shape[0]
        if n_codes <= old:
            return
        # Twice the size, so that a stream of new labels does not copy the table each time.
        size = n_codes if old == 0 else max(n_codes, 2 * old)
        grown = np.zeros((size, size + 1), dtype=self._counts.dtype)
        grown[:old, :old] = self._counts[:, :old]
        grown[:old, -1] = self._counts[:, -1]
        self._counts = grown


class Confusion:
    """Counts of (true label, predicted label). Labels are found as they come; an answer of None has its own column."""

    def __init__(self, codes: LabelCodes | None = None) -> None:
        """``codes`` may be shared with other tables of the same rows, so that no label is coded twice."""
        self._codes = LabelCodes() if codes is None else codes
        self._table = CodeTable()

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels in the order of their first appearance."""
        return self._codes.labels

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """Rows: true labels; columns: predicted labels, then one column for rows without an answer."""
        return self._table.cut(len(self._codes))

    @property
    def n_rows(self) -> int:
        """The number of rows counted."""
        return int(self._table.counts.sum())

    @property
    def error(self) -> float:
        """The share of wrong answers; no answer is a wrong one. NaN before the first row."""
        return measures.error(self._table.counts)

    @property
    def kappa(self) -> float:
        """Cohen's kappa: 0 is chance, 1 is perfect. 0 where chance alone is always right; NaN without rows."""
        return measures.kappa(self._table.counts)

    def update(self, y_true: npt.NDArray[Any], y_pred: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Count a chunk; returns which of its rows were answered wrongly."""
        return self.add(self._codes.encode(y_true), self._codes.encode(y_pred))

    def add(self, true: npt.NDArray[np.int64], pred: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Count a chunk of codes; returns which of its rows were answered wrongly."""
        self._table.add(true, pred)
        wrong: npt.NDArray[np.bool_] = true != pred
        return wrong

    def merge(self, other: Confusion) -> None:
        """Add the counts of another one."""
        codes = np.array([self._codes.code(label) for label in other.labels], dtype=np.int64)
        self._table.grow(len(self._codes))
        counts = other.counts
        self._table.counts[np.ix_(codes, codes)] += counts[:, :-1]
        self._table.counts[codes, -1] += counts[:, -1]
