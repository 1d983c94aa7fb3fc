"""Metrics of prediction sets: how often they held the true label, and how large they were."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.adapters.any_model import given
from streamboost.adapters.records import RecordStream, open_data
from streamboost.evaluate.delay import LateLabels
from streamboost.streams.base import DEFAULT_CHUNK_SIZE, DataError, first_rows


class SetScore:
    """Counts sets as they were given: coverage over all rows and over the last ``window``, sizes, singletons, empty sets.

    Give it the sets of prediction time, however late the labels come.
    """

    def __init__(self, window: int = 1000) -> None:
        if window < 1:
            raise ValueError(f"A window needs at least 1 row, got {window}.")
        self.window = window
        self.n_rows = 0
        self._sums = np.zeros(4)  # covered, size, singletons, empty
        self._last: NDArray[np.bool_] = np.zeros(0, bool)

    def update(self, y: Any, sets: Any, classes: Any) -> None:
        """Count rows: their labels, the sets [rows, classes] and the labels of the columns."""
        inside = np.asarray(sets, dtype=bool)
        labels, names = np.asarray(y), np.asarray(classes)
        if inside.shape != (len(labels), len(names)):
            raise ValueError(f"sets must have the shape {(len(labels), len(names))}, got {inside.shape}.")
        covered: NDArray[np.bool_] = (inside & (labels[:, None] == names)).any(axis=1)
        size = inside.sum(axis=1)
        self.n_rows += len(labels)
        self._sums += [covered.sum(), size.sum(), (size == 1).sum(), (size == 0).sum()]
        self._last = np.concatenate((self._last, covered))[-self.window :]

    def _share(self, which: int) -> float:
        return float(self._sums[which]) / self.n_rows if self.n_rows else math.nan

    @property
    def coverage(self) -> float:
        """Share of the rows whose set held the true label."""
        return self._share(0)

    @property
    def coverage_now(self) -> float:
        """The same over the window."""
        return float(self._last.mean()) if len(self._last) else math.nan

    @property
    def mean_size(self) -> float:
        """Labels in a set, on average."""
        return self._share(1)

    @property
    def singletons(self) -> float:
        """Share of the sets with one label."""
        return self._share(2)

    @property
    def empty(self) -> float:
        """Share of the sets with none."""
        return self._share(3)

    def __repr__(self) -> str:
        return (
            f"<SetScore: {self.n_rows:,} rows, coverage {self.coverage:.3f} (last {self.window:,}: {self.coverage_now:.3f}), "
            f"mean size {self.mean_size:.2f}, singletons {self.singletons:.1%}, empty {self.empty:.1%}>"
        )


def score_sets(
    model: Any,
    data: Any,
    coverage: float = 0.9,
    *,
    classes: Sequence[Any] | None = None,
    delay: int = 0,
    window: int = 1000,
    limit: int | None = None,
    chunk_size: int = DEFAULT_CHUNK_SIZE,
) -> SetScore:
    """Run a model over a stream and judge the set that it gives for every row before learning it.

    Parameters
    ----------
    model : a streaming classifier of streamboost that keeps sets of this coverage (``coverages=``). This object learns.
    data : a stream, or a pair (X, y), as in :func:`prequential`.
    coverage : one of the model's coverages.
    classes : the labels, for models that must know them up front; by default those that the stream declares.
    delay : a row is answered when it arrives and learned when this many more rows have been answered: what is judged is the
        set that was given then.
    window : rows of the windowed coverage.
    limit : the first rows only.
    chunk_size : rows per call of the model. It changes no result.

    Returns
    -------
    SetScore
    """
    if not hasattr(model, "test_then_train_sets"):
        raise ValueError(f"{type(model).__name__} gives no sets; streaming classifiers with coverages= do.")
    if delay < 0:
        raise ValueError(f"delay must be 0 or more, got {delay}.")
    opened = open_data(data, None)
    if isinstance(opened, RecordStream):
        raise ValueError("Sets are scored on rows of a table: give arrays or a frame, not dicts.")
    stream = first_rows(opened, limit)
    known = stream.classes if classes is None else classes
    score = SetScore(window)
    late = LateLabels(delay) if delay else None
    for chunk in stream.chunks(chunk_size):
        options: dict[str, Any] = {"coverage": coverage}
        if known is not None and score.n_rows == 0:
            options["classes"] = known
        if late is not None:
            sets = late.test_then_train(model, chunk, options, "test_then_train_sets")
        else:
            sets = model.test_then_train_sets(*given(model, chunk), sample_weight=chunk.weight, **options)
        names = np.asarray(getattr(model, "classes_", () if known is None else known))
        score.update(chunk.labels, sets, names)
    if score.n_rows == 0:
        raise DataError(f"{stream.name}: no rows.")
    if late is not None:
        late.learn_rest(model)
    return score
