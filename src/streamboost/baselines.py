"""What every model has to beat: the most frequent label so far or the mean of the targets, and the last one that arrived."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, RegressorMixin

from streamboost.adapters.labels import LabelCodes
from streamboost.adapters.records import n_rows_of

Floats = npt.NDArray[np.float64]


def last_places(learned: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Before each row and after the last: the place of the last row that was learned, from 1; 0 is what was known before."""
    places = np.where(learned, np.arange(1, learned.size + 1), 0)
    return np.concatenate(([0], np.maximum.accumulate(places)))


class _Baseline(ABC):
    """Looks at labels only."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """There are none; scikit-learn's ``clone`` asks."""
        return {}

    def test_then_train(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, output: str = "label"
    ) -> Any:
        """Answer each row from the labels before it; rows of weight 0 are only asked."""
        if not hasattr(self, "_codes"):
            self._codes, self._counts, self._last = LabelCodes(), np.zeros(0), -1
        if classes is not None:
            self._codes.encode(np.asarray(classes))
        y = np.asarray(y)
        codes = self._codes.encode(y)
        weight = np.ones(y.size) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        self._counts = np.concatenate((self._counts, np.zeros(len(self._codes) - self._counts.size)))
        answers = self._answers(codes, weight)
        names = np.empty(len(self._codes) + 1, dtype=object)
        names[:-1] = self._codes.labels
        typed = np.array(self._codes.labels)
        if typed.dtype.kind == y.dtype.kind and answers.size and answers.min() >= 0:
            names = typed  # labels of one type are judged much quicker than objects
        if output != "both":
            return names[answers]
        proba = np.zeros((y.size, len(self._codes)))
        known = answers >= 0
        proba[known, answers[known]] = 1.0
        proba[~known] = np.nan
        return names[answers], proba

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The labels, in the order of their first appearance."""
        return np.array(self._codes.labels, dtype=object)

    def partial_fit(self, X: Any, y: Any) -> Any:
        """Look at more labels."""
        self.test_then_train(X, y)
        return self

    def fit(self, X: Any, y: Any) -> Any:
        """Look at these labels only."""
        if hasattr(self, "_codes"):
            del self._codes
        return self.partial_fit(X, y)

    @abstractmethod
    def _answers(
        self, codes: npt.NDArray[np.int64], weight: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.int64]:
        """What is answered before each label is known; then the labels are counted."""

    def memory_bytes(self) -> int:
        """One number per label."""
        return 8 * len(self._codes)


class MajorityClassifier(_Baseline):
    """Answers the most frequent label so far; of equally frequent ones, the one that came first."""

    def _answers(
        self, codes: npt.NDArray[np.int64], weight: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.int64]:
        answers = np.empty(codes.size, dtype=np.int64)
        counts = self._counts
        best = int(counts.argmax()) if counts.size and counts.max() > 0 else -1
        for at, (code, w) in enumerate(zip(codes.tolist(), weight.tolist(), strict=True)):
            answers[at] = best
            counts[code] += w
            if w > 0 and (best < 0 or (counts[code], -code) > (counts[best], -best)):
                best = code
        return answers

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most frequent label, for every row."""
        return np.full(n_rows_of(X), self._codes.labels[int(self._counts.argmax())])


class NoChangeClassifier(_Baseline):
    """Answers the last label that has arrived."""

    def _answers(
        self, codes: npt.NDArray[np.int64], weight: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.int64]:
        known: npt.NDArray[np.int64] = np.concatenate(([self._last], codes))[last_places(weight > 0)]
        self._last = int(known[-1])
        return known[:-1]


class _RegressionBaseline(RegressorMixin, BaseEstimator, ABC):
    """Looks at targets only, those of positive weight."""

    def _start(self) -> None:
        self._weight, self._sum, self._last = 0.0, 0.0, np.nan

    @abstractmethod
    def _answers(self, weight: Floats, total: Floats, last: Floats) -> Floats:
        """What is answered at points where this much weight, this sum and this last target are known."""

    def test_then_train(self, X: Any, y: Any, sample_weight: Any = None) -> Floats:
        """Answer each row from the targets before it; rows of weight 0 are only asked."""
        if not hasattr(self, "_weight"):
            self._start()
        targets = np.asarray(y, dtype=np.float64)
        given = (
            np.ones(targets.size) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        )
        learned = given > 0
        weight = np.add.accumulate(np.concatenate(([self._weight], given)))
        total = np.add.accumulate(np.concatenate(([self._sum], np.where(learned, given * targets, 0.0))))
        last = np.concatenate(([self._last], targets))[last_places(learned)]
        self._weight, self._sum, self._last = float(weight[-1]), float(total[-1]), float(last[-1])
        return self._answers(weight[:-1], total[:-1], last[:-1])

    def partial_fit(self, X: Any, y: Any) -> Any:
        """Look at more targets."""
        self.test_then_train(X, y)
        return self

    def fit(self, X: Any, y: Any) -> Any:
        """Look at these targets only."""
        self._start()
        return self.partial_fit(X, y)

    def predict(self, X: Any) -> Floats:
        """The same for every row."""
        now = (np.array([value]) for value in (self._weight, self._sum, self._last))
        return np.full(n_rows_of(X), self._answers(*now)[0])

    def memory_bytes(self) -> int:
        """The size of the state: weight, mean and last target."""
        return 24


class MeanRegressor(_RegressionBaseline):
    """Answers the mean of the targets so far."""

    def _answers(self, weight: Floats, total: Floats, last: Floats) -> Floats:
        mean: Floats = np.divide(total, weight, out=np.full(weight.size, np.nan), where=weight > 0)
        return mean


class NoChangeRegressor(_RegressionBaseline):
    """Answers the last target that has arrived."""

    def _answers(self, weight: Floats, total: Floats, last: Floats) -> Floats:
        return last


class SeasonalRegressor(_RegressionBaseline):
    """Answers the target of a season before: with ``season=24``, of the same hour of yesterday.

    Parameters
    ----------
    season : int
        Rows of a season. Until one has passed the last target is answered.
    delay : int
        How many rows late targets come: the answer is still of the same hour, if of an earlier day.
    """

    def __init__(self, season: int = 24, delay: int = 0) -> None:
        self.season = season
        self.delay = delay

    def _start(self) -> None:
        season: Any = self.season
        if isinstance(season, bool) or not isinstance(season, int | np.integer) or season < 1:
            raise ValueError(f"season={self.season!r} must be a whole number of rows, 1 or more.")
        super()._start()
        self._past = np.empty(0)

    def test_then_train(self, X: Any, y: Any, sample_weight: Any = None) -> Floats:
        """Answer each row from the targets before it; rows of weight 0 are only asked."""
        answers = super().test_then_train(X, y, sample_weight)
        learned = np.ones(len(answers), bool) if sample_weight is None else np.asarray(sample_weight) > 0
        known = np.concatenate((self._past, np.asarray(y, dtype=np.float64)[learned]))
        at = self._past.size + np.cumsum(learned) - learned - self.season
        at = np.where(at < 0, at, at + self.delay % self.season)
        self._past = known[-self.season :]
        return np.where(at >= 0, known[np.maximum(at, 0)] if known.size else np.nan, answers)

    def _answers(self, weight: Floats, total: Floats, last: Floats) -> Floats:
        whole = self._past.size == self.season
        return np.full(last.size, self._past[self.delay % self.season]) if whole else last

    def memory_bytes(self) -> int:
        """The size of the state: that of every baseline, and the targets of a season."""
        return super().memory_bytes() + 8 * int(self.season)


BASELINES_OF: dict[str, dict[str, Callable[[], Any]]] = {
    "classification": {"majority": MajorityClassifier, "no-change": NoChangeClassifier},
    "regression": {"mean": MeanRegressor, "last-value": NoChangeRegressor},
    "multilabel": {},
}
"""Task -> the names that tables have for its baselines."""
LOOKS_BACK = ("no-change", "last-value", "seasonal")
"""How the names begin of what means nothing on rows that are held out."""
_WORDS = {
    "majority": "always answering the most frequent label",
    "no-change": "repeating the last label",
    "mean": "always answering the mean of the targets",
    "last-value": "repeating the last target",
}


def baselines_of(task: str, season: int | None = None) -> dict[str, Callable[[], Any]]:
    """Return the baselines of a task by name; of regression also that of a season, if one is given."""
    if season is None:
        return BASELINES_OF[task]
    if task != "regression":
        raise ValueError(f"season={season!r} is for regression, and this is {task}.")
    return {**BASELINES_OF[task], f"seasonal-{season}": lambda: SeasonalRegressor(season)}


def baseline(name: str) -> Callable[[], Any] | None:
    """Return what makes the baseline of this name; None if it is no baseline's."""
    kind, _, season = name.partition("-")
    if kind == "seasonal" and season.isdecimal():
        return lambda: SeasonalRegressor(int(season))
    return next((known[name] for known in BASELINES_OF.values() if name in known), None)


def baseline_words(name: str) -> str:
    """Return what a baseline does, as a part of a sentence."""
    return _WORDS.get(name) or f"repeating the target of {name.partition('-')[2]} rows before"
