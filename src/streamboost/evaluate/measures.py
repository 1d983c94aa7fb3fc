"""Measures of a table of counts: rows are true labels; columns predicted ones, then one column without an answer."""

from __future__ import annotations

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


def matthews(counts: Counts) -> float:
    """Matthews' correlation of labels and answers, for any number of labels; 0 where one of them never varies."""
    n = float(counts.sum())
    if not n > 0:
        return _NAN
    # A row without an answer counts as answered wrongly.
    truth, answered = counts.sum(axis=1) / n, counts.sum(axis=0) / n
    shared = float(np.trace(counts[:, :-1])) / n - float(truth @ answered[:-1])
    spread = (1.0 - float(truth @ truth)) * (1.0 - float(answered @ answered))
    return shared / float(np.sqrt(spread)) if spread > 0 else 0.0


def precision_and_recall(counts: Counts, code: int) -> tuple[float, float]:
    """Of one label: how many of its answers are right, and how many of its rows are found; 0 where there is none."""
    if code >= counts.shape[0]:
        return 0.0, 0.0
    right, answered, there = float(counts[code, code]), counts[:, code].sum(), counts[code].sum()
    return right / float(answered) if answered > 0 else 0.0, right / float(there) if there > 0 else 0.0


SMALLEST_PROBABILITY = float(np.finfo(np.float64).eps)
"""Probabilities below are raised to it before their logarithm is taken, as scikit-learn does."""


def log_losses(probability: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Minus the logarithm of the probabilities that were given to the true labels; NaN (no answer) counts as 0."""
    found = np.where(np.isnan(probability), 0.0, probability)
    losses: npt.NDArray[np.float64] = -np.log(np.clip(found, SMALLEST_PROBABILITY, 1.0))
    return losses
