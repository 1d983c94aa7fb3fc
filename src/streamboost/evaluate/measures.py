"""Measures of a table of counts: rows are true labels; columns predicted ones, then one column without an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[Any]
_NAN = float("nan")


def agreement_beyond(right: float, by_chance: float) -> float:
    """(right - by chance) / (1 - by chance): 0 is chance, 1 is perfect; 0 where chance alone is always right."""
    return (right - by_chance) / (1.0 - by_chance) if by_chance < 1.0 else 0.0


def share_right(counts: Counts) -> float:
    """The share of right answers; no answer is a wrong one. NaN without rows."""
    n = counts.sum()
    return float(np.trace(counts[:, :-1])) / float(n) if n > 0 else _NAN


def error(counts: Counts) -> float:
    """The share of wrong answers."""
    return 1.0 - share_right(counts)


def kappa(counts: Counts) -> float:
    """Cohen's kappa."""
    n = float(counts.sum())
    if not n > 0:
        return _NAN
    by_chance = float(counts.sum(axis=1) @ counts[:, :-1].sum(axis=0)) / (n * n)
    return agreement_beyond(share_right(counts), by_chance)


def recalls(counts: Counts) -> npt.NDArray[np.float64]:
    """The share of right answers of every label that occurred."""
    rows = counts.sum(axis=1)
    seen = rows > 0
    return np.asarray(np.diagonal(counts)[seen] / rows[seen], dtype=np.float64)


def balanced_accuracy(counts: Counts) -> float:
    """The mean recall of the labels that occurred."""
    found = recalls(counts)
    return float(found.mean()) if found.size else _NAN


def g_mean(counts: Counts) -> float:
    """The geometric mean of the recalls of the labels that occurred: 0 if one is never recognised."""
    found = recalls(counts)
    return float(np.exp(np.log(found).mean())) if found.size and found.all() else 0.0 if found.size else _NAN


OF_COUNTS: dict[str, Callable[[Counts], float]] = {
    "error": error,
    "kappa": kappa,
    "balanced_accuracy": balanced_accuracy,
    "g_mean": g_mean,
}
"""The measures that need nothing but the table."""

SMALLEST_PROBABILITY = float(np.finfo(np.float64).eps)
"""Probabilities below are raised to it before their logarithm is taken, as scikit-learn does."""


def log_losses(probability: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Minus the logarithm of the probabilities that were given to the true labels; NaN (no answer) counts as 0."""
    found = np.where(np.isnan(probability), 0.0, probability)
    losses: npt.NDArray[np.float64] = -np.log(np.clip(found, SMALLEST_PROBABILITY, 1.0))
    return losses


def area_under_curve(positive: npt.NDArray[np.float64], negative: npt.NDArray[np.float64]) -> float:
    """The chance that a positive scores above a negative, ties half. NaN if there are none of a kind."""
    if not positive.size or not negative.size:
        return _NAN
    rivals = np.sort(negative)
    below = np.searchsorted(rivals, positive, "left") + np.searchsorted(rivals, positive, "right")
    return float(below.sum()) / (2.0 * positive.size * negative.size)
