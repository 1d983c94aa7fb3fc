"""How several distributions become one: weights that learn from every label. Row by row; p has one line per model."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
FLOOR = 1e-4
"""What a model says at least of a class when its opinion is weighed."""


class LogPool:
    """Products of powers: P ~ exp(sum of weight times log p), the weights by Newton steps on the logarithmic loss.

    The same pool as inside :class:`~streamboost.StreamBoostClassifier`, for any models.
    """

    PRIOR, MOST = 10.0, 4.0

    def __init__(self, n: int, window: float) -> None:
        self.fading = 1 - 1 / window
        self.weights: Floats = np.full(n, 1 / (n + 1))
        self.weights[0] *= 2
        self.curvature: Floats = self.PRIOR * np.eye(n)

    def answer(self, p: Floats) -> Floats:
        """The distribution of them all."""
        scores = self.weights @ np.log(np.maximum(p, FLOOR))
        powers = np.exp(scores - scores.max())
        return np.asarray(powers / powers.sum())

    def learn(self, p: Floats, label: int, weight: float) -> None:
        """The label of a row has come."""
        logs, P = np.log(np.maximum(p, FLOOR)), self.answer(p)
        means = logs @ P
        around = logs - means[:, None]
        self.curvature = self.fading * self.curvature + weight * (around * P) @ around.T
        self.curvature += (1 - self.fading) * self.PRIOR * np.eye(len(p))
        step = np.linalg.solve(self.curvature, weight * (means - logs[:, label]))
        self.weights = np.clip(self.weights - step, 0, self.MOST)


class _Mixture(ABC):
    """Weighted means, the weights by losses that fade."""

    def __init__(self, n: int, window: float) -> None:
        self.fading = 1 - 1 / window
        self.loss: Floats = np.zeros(n)
        self.rate = self._rate(n, window)

    @abstractmethod
    def _rate(self, n: int, window: float) -> float: ...

    @abstractmethod
    def _losses(self, p: Floats) -> Floats: ...

    @property
    def weights(self) -> Floats:
        powers = np.exp(-self.rate * (self.loss - self.loss.min()))
        return np.asarray(powers / powers.sum())

    def answer(self, p: Floats) -> Floats:
        """The distribution of them all."""
        return self.weights @ p

    def learn(self, p: Floats, label: int, weight: float) -> None:
        """The label of a row has come."""
        self.loss = self.fading * self.loss + weight * self._losses(p[:, label])


class Hedge(_Mixture):
    """Weights fall by e to the power of what a model gave to wrong classes, at the rate that is best for so many rows."""

    def _rate(self, n: int, window: float) -> float:
        return math.sqrt(8 * math.log(max(n, 2)) / window)

    def _losses(self, p: Floats) -> Floats:
        return 1 - p


class Bayes(_Mixture):
    """Weights are how likely each model alone made the labels: the posterior, with a memory that fades."""

    def _rate(self, n: int, window: float) -> float:
        return 1.0

    def _losses(self, p: Floats) -> Floats:
        return np.asarray(-np.log(np.maximum(p, FLOOR)))


POOLS: dict[str, type[LogPool] | type[Hedge] | type[Bayes]] = {
    "log-pool": LogPool,
    "hedge": Hedge,
    "bayes": Bayes,
}
