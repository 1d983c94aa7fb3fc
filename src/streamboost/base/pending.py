"""Predictions kept until their labels arrive, with what each part of the model said, to be learned from then."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Records = NDArray[np.float64]
NOTHING_SAID = -1.0
"""The first number of the record of a row that was asked about before anything was learned."""


@dataclass(frozen=True)
class PendingAnswers:
    """What a model answered, kept until the labels or targets come: see :meth:`predict_pending` of every model.

    Hand it back with the truth (``learn_one(x, y, pending=...)``, ``partial_fit(X, y, pending=...)``): a model that combines
    several experts then learns how good their answers were when they were given, however much it has learned since. Plain data:
    it can be indexed, pickled, and stored.

    Attributes
    ----------
    prediction : what was predicted: an array of labels or numbers, or one of them for a single row.
    proba : the probabilities, of a classifier: an array with a column for each class, or a dict for a single row.
    records : what the parts of the model said, one row of numbers for each row.
    """

    prediction: Any
    proba: Any
    records: Records

    def __post_init__(self) -> None:
        given = self.records
        if not isinstance(given, np.ndarray) or given.dtype != np.float64 or given.ndim != 2:
            raise TypeError(
                "The records of pending answers are a matrix of float64, one row for each answer."
            )

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, rows: Any) -> PendingAnswers:
        """Some of the rows: a slice, or an array of positions or flags."""
        proba = None if self.proba is None else self.proba[rows]
        return replace(self, prediction=self.prediction[rows], proba=proba, records=self.records[rows])


class LateRecords:
    """Records of many rows, some of which are asked about in a call and some learned: ``places`` says which row has which."""

    def __init__(self, n: int) -> None:
        self.records: Records = np.full((n, 1), NOTHING_SAID)
        self.places: NDArray[np.int32] | None = None

    def widen(self, width: int) -> Records:
        """Give all records as many numbers as the longest may have."""
        self.records = stacked([self.records], width)
        return self.records

    def follow(self, kept: Records, places: NDArray[np.int64]) -> None:
        """Begin with records of earlier calls."""
        n = len(kept)
        self.widen(kept.shape[1])
        self.records[:n] = kept
        self.places = places.astype(np.int32)


def stacked(parts: Iterable[Records], width: int = 1) -> Records:
    """Records of different lengths, one below the other; the rest of the shorter ones is never read."""
    kept = list(parts)
    width = max(width, *(part.shape[1] for part in kept))
    if len(kept) == 1 and kept[0].shape[1] == width:
        return np.array(kept[0], dtype=np.float64, order="C")
    return np.concatenate([np.pad(part, ((0, 0), (0, width - part.shape[1]))) for part in kept])


def records_to_learn(
    pending: PendingAnswers, n_rows: int, weight: NDArray[np.float64] | None
) -> tuple[Records, NDArray[np.int32]]:
    """Return the records of rows that are learned, and the place of each; one of weight 0 has none."""
    if not isinstance(pending, PendingAnswers):
        raise TypeError(f"pending must be what predict_pending returned, got {type(pending).__name__}.")
    if len(pending) != n_rows:
        raise ValueError(f"pending has {len(pending)} answers, but there are {n_rows} rows.")
    places = np.arange(n_rows, dtype=np.int32)
    if weight is not None:
        places[weight == 0] = -1
    return stacked([pending.records]), places
