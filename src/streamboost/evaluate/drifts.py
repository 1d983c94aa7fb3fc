"""The rows at which a model replaced learners, noted while it is evaluated."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.adapters.any_model import RowByRow


class DriftLog:
    """Replacements of learners, in rows of the stream: a model counts examples learned, and remembers the last ones only."""

    def __init__(self, model: Any, delay: int) -> None:
        inner = model.model if isinstance(model, RowByRow) else model
        guarded = getattr(inner, "drift", None) is not None and hasattr(inner, "replacements")
        self._model = inner if guarded else None
        self._delay = delay
        self._begun = self._learned = int(getattr(inner, "n_learned_", 0)) if guarded else 0
        self._events: list[npt.NDArray[np.int64]] = []

    def note(self, rows_before: int, n_rows: int, weight: npt.NDArray[np.float64] | None) -> None:
        """Look at the model after a chunk; late labels come one for each row, ``delay`` rows later."""
        if self._model is None:
            return
        learned = int(getattr(self._model, "n_learned_", 0))
        if learned == self._learned:
            return
        events = self._model.replacements()
        events = events[events[:, 0] >= self._learned]
        if self._delay:
            rows = np.minimum(events[:, 0] - self._begun + self._delay + 1, rows_before + n_rows)
        else:
            taught = np.arange(n_rows) if weight is None else np.flatnonzero(np.asarray(weight) > 0)
            rows = rows_before + taught[events[:, 0] - self._learned] + 1
        self._events.append(np.stack((rows, events[:, 1]), axis=1))
        self._learned = learned

    def events(self) -> npt.NDArray[np.int64]:
        """Rows answered and learned when it happened, and the learner; oldest first."""
        return np.concatenate(self._events) if self._events else np.zeros((0, 2), dtype=np.int64)
