"""Codes of labels: 0, 1, 2 ... in the order of their first appearance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.base.inputs.coded import CodedLabels
from streamboost.streams.base import Label, plain_label

NO_ANSWER = -1
"""The code of an answer of None: the model knew no label yet."""


class LabelCodes:
    """Labels are found as they come."""

    def __init__(self) -> None:
        self._codes: dict[Label, int] = {}

    def __len__(self) -> int:
        return len(self._codes)

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels in the order of their first appearance."""
        return tuple(self._codes)

    def code(self, label: Label) -> int:
        """The code of a label, which is now known."""
        return self._codes.setdefault(label, len(self._codes))

    def encode(self, labels: npt.NDArray[Any] | CodedLabels) -> npt.NDArray[np.int64]:
        """Codes of many labels; :data:`NO_ANSWER` for None."""
        if isinstance(labels, CodedLabels):
            return self._recode(labels.codes, lambda code: plain_label(labels.values[code]))
        if labels.dtype == object:
            # Answers of a model that knows no label yet, or labels of mixed kinds: few distinct ones.
            distinct = {
                label: NO_ANSWER if label is None else self.code(plain_label(label))
                for label in labels.tolist()
            }
            return np.fromiter(
                (distinct[label] for label in labels.tolist()), dtype=np.int64, count=labels.size
            )
        return self._recode(labels, plain_label)

    def _recode(self, values: npt.NDArray[Any], label_of: Callable[[Any], Label]) -> npt.NDArray[np.int64]:
        """Codes of values that stand for labels, each different one looked at once."""
        distinct, first, inverse = np.unique(values, return_index=True, return_inverse=True)
        codes = np.empty(distinct.size, dtype=np.int64)
        for i in np.argsort(first, kind="stable"):
            codes[i] = self.code(label_of(distinct[i]))
        return codes[inverse.reshape(-1)]
