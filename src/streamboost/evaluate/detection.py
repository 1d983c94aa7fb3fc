"""How soon detectors of drift find known changes, and how often they alarm without need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.drift.choice import CLASSES, detector_of
from streamboost.evaluate.classification import ClassificationResult
from streamboost.evaluate.prequential import prequential

EVERY = 100
"""Rows between two alarms of the dummy."""


class EveryFew:
    """A dummy that alarms every so many numbers whatever they are. A detector that does not beat it has found nothing."""

    def __init__(self, n: int = EVERY) -> None:
        self.n = n
        self._seen = 0

    def update(self, x: float) -> bool:
        """Count one more."""
        self._seen += 1
        return self._seen % self.n == 0


@dataclass(frozen=True)
class Detection:
    """The alarms of a detector beside the known changes.

    An alarm within `tolerance` rows after a change, and before the next one, finds it; the first counts, those after it are
    neither right nor wrong. All others are false.
    """

    name: str
    n_rows: int
    alarms: npt.NDArray[np.int64]
    """Rows, counted from 0."""
    changes: npt.NDArray[np.int64]
    delays: npt.NDArray[np.int64]
    """Rows from each change that was found to the alarm."""
    false_alarms: int

    @property
    def missed(self) -> int:
        """Changes that no alarm found."""
        return len(self.changes) - len(self.delays)

    @property
    def delay(self) -> float:
        """Mean rows to an alarm, of the changes found; NaN if none."""
        return float(self.delays.mean()) if len(self.delays) else float("nan")

    @property
    def precision(self) -> float:
        """Changes found over these and the false alarms."""
        counted = len(self.delays) + self.false_alarms
        return len(self.delays) / counted if counted else float("nan")

    @property
    def recall(self) -> float:
        """Share of the changes that was found."""
        return len(self.delays) / len(self.changes) if len(self.changes) else float("nan")

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * len(self.delays) / (len(self.delays) + len(self.changes) + self.false_alarms or 1)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "detector": self.name,
            "rows": self.n_rows,
            "alarms": self.alarms.tolist(),
            "changes": self.changes.tolist(),
            "delays": self.delays.tolist(),
            "false_alarms": self.false_alarms,
            "missed": self.missed,
            "f1": self.f1,
        }


def judge(name: str, alarms: Iterable[int], changes: Iterable[int], n_rows: int, tolerance: int) -> Detection:
    """Judge the rows of alarms by those of known changes."""
    rows = np.array(sorted(alarms), dtype=np.int64)
    known = np.array(sorted(change for change in changes if 0 <= change < n_rows), dtype=np.int64)
    ends = np.minimum(np.append(known[1:], n_rows), known + tolerance + 1)
    within = [rows[(rows >= first) & (rows < end)] for first, end in zip(known, ends, strict=True)]
    delays = [int(found[0] - first) for first, found in zip(known, within, strict=True) if len(found)]
    false = len(rows) - sum(map(len, within))
    return Detection(name, n_rows, rows, known, np.array(delays, dtype=np.int64), int(false))


def detection(
    detectors: Sequence[Any] | Mapping[str, Any] | str,
    data: Any,
    *,
    changes: Sequence[int] | None = None,
    model: Any = None,
    tolerance: int | None = None,
    limit: int | None = None,
) -> list[Detection]:
    """Evaluate detectors on the errors of a model that runs over a stream and does not react to them.

    Parameters
    ----------
    detectors : names, as ``"ddm"`` or ``"adwin(delta=0.01)"``, objects with ``update(x) -> bool``, a dict of name and object,
        or ``"all"``: every detector of streamboost as a guard has it. Each is copied. A dummy that alarms every 100 rows is
        always the last.
    data : a stream or a pair (X, y), as :func:`prequential` takes it.
    changes : the rows at which something changed, counted from 0; by default those of a generated stream with ``drift=``.
        None are known: all alarms are false.
    model : the classifier; by default one naive Bayes learner.
    tolerance : rows after a change in which an alarm finds it; by default until the next change.
    limit : the first rows only.

    Returns
    -------
    list of Detection
        One for each detector, in this order.
    """
    from streamboost.ensemble.single import SingleLearnerClassifier

    named = named_detectors(detectors)
    if changes is None:
        changes = known_changes(data, limit)
    model = SingleLearnerClassifier() if model is None else model
    result = prequential(model, data, keep_errors=True, limit=limit)
    assert isinstance(result, ClassificationResult)
    assert result.wrong is not None
    n = result.n_rows
    errors = np.unpackbits(result.wrong[0])[:n]
    reach = n if tolerance is None else tolerance
    return [
        judge(name, (t for t, wrong in enumerate(errors) if one.update(float(wrong))), changes, n, reach)
        for name, one in named.items()
    ]


def named_detectors(given: Sequence[Any] | Mapping[str, Any] | str) -> dict[str, Any]:
    """Return fresh detectors by name, the dummy last."""
    import copy

    if isinstance(given, str):
        given = list(CLASSES) if given == "all" else [given]
    if not isinstance(given, Mapping):
        given = {one if isinstance(one, str) else type(one).__name__: one for one in given}
    found = {name: copy.deepcopy(detector_of(one)) for name, one in given.items()}
    return {**found, f"every {EVERY} rows": EveryFew()}


def known_changes(data: Any, limit: int | None = None) -> list[int]:
    """Return the rows at which a generated stream changes; empty if nothing is known."""
    at, every = getattr(data, "at", None), getattr(data, "every", None)
    if at is not None:
        return [int(row) for row in at]
    end = limit if limit is not None else getattr(data, "n_rows", None)
    return [] if every is None or end is None else list(range(int(every), int(end), int(every)))
