"""Concepts that take turns: abrupt, gradual and recurring drift."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from streamboost.streams.base import DataError
from streamboost.streams.generators.base import DRIFT_PURPOSE, Floats, GeneratedStream, Rows, whole
from streamboost.streams.generators.wrapper import WrappedStream

SHAPES = ("sigmoid", "linear")


class DriftStream(WrappedStream):
    """Several generators, one after the other, with abrupt or gradual passages.

    Row t is row t of one of the concepts. Which one is decided by a keyed coin per row, so row t is still
    a function of the seed and t. Behind the last concept the first one comes again.

    Parameters
    ----------
    concepts : sequence of GeneratedStream
        At least two, with the same columns and classes; the length of the first is that of the stream. Generators
        with the same seed share their draws: then only what the drift is about changes.
    at : sequence of int, optional
        The rows at which the drifts happen, counted from 0, increasing. An abrupt drift at 500 makes row
        500 the first one of the next concept; a gradual drift has its middle there.
    every : int, optional
        Instead of ``at``: a drift after every so many rows, for ever.
    width : int, default=0
        0: abrupt. Else how many rows a passage takes: the probability of the new concept is
        1 / (1 + exp(-4 (t - at) / width)), or for ``shape="linear"`` it rises evenly from 0 to 1 over ``width`` rows.
    shape : {"sigmoid", "linear"}, default="sigmoid"
        How the probability rises.
    seed : int, optional
        Key of the coin; that of the first concept if it is left out.

    Examples
    --------
    >>> from streamboost.streams import DriftStream, SEAStream
    >>> before, after = SEAStream(concept=1, noise=0.0), SEAStream(concept=2, noise=0.0)
    >>> stream = DriftStream([before, after], at=[500])
    >>> bool((stream.rows(0, 1000)[1][:500] == before.rows(0, 500)[1]).all())
    True
    """

    key = "drift"

    def __init__(
        self,
        concepts: Sequence[GeneratedStream],
        *,
        at: Sequence[int] | None = None,
        every: int | None = None,
        width: int = 0,
        shape: str = "sigmoid",
        seed: int | None = None,
    ) -> None:
        self.concepts = tuple(concepts)
        _check_alike(self.concepts)
        if (at is None) == (every is None):
            raise DataError("A drift needs either at, the rows where it happens, or every, its period.")
        self.at = None if at is None else _increasing(at)
        self.every = None if every is None else whole("every", every, 1)
        self.width = whole("width", width, 0)
        if self.every is not None and self.width > self.every:
            raise DataError(f"width must be at most every, {self.every}, got {self.width}.")
        if shape not in SHAPES:
            raise DataError(f"shape must be one of {', '.join(SHAPES)}, got {shape!r}.")
        self.shape = shape
        super().__init__(self.concepts, seed)

    def _canonical_name(self) -> str:
        return f"{self.concepts[0].name} with drift"

    def concept_of(self, first: int, n: int) -> npt.NDArray[np.int64]:
        """Which of the concepts rows ``first`` to ``first + n - 1`` are drawn from, as numbers from 0 on."""
        rows = np.arange(first, first + n, dtype=np.int64)
        coin = self._coin(first, n, DRIFT_PURPOSE) if self.width else np.zeros(n)
        if self.at is not None:
            passed = np.zeros(n, dtype=np.int64)
            # One draw for all transitions, so that a later one is never behind an earlier one.
            for position in self.at:
                passed += coin < self._probability(rows - position)
        else:
            assert self.every is not None
            nearest = np.maximum((rows + self.every // 2) // self.every, 1)
            passed = nearest - 1 + (coin < self._probability(rows - nearest * self.every))
        return passed % len(self.concepts)

    def _probability(self, since: npt.NDArray[np.int64]) -> Floats:
        """The probability of the new concept so many rows after the middle of the passage."""
        if self.width == 0:
            return (since >= 0).astype(np.float64)
        part = since / self.width
        return np.clip(part + 0.5, 0.0, 1.0) if self.shape == "linear" else np.asarray(expit(4.0 * part))

    def _make(self, first: int, n: int) -> Rows:
        which = self.concept_of(first, n)
        only = int(which[0])
        if (which == only).all():
            return self.concepts[only].rows(first, n)
        assert self.n_features is not None
        X, y = np.empty((n, self.n_features)), np.empty(n, dtype=np.int64)
        for number in np.unique(which):
            here = np.flatnonzero(which == number)
            begin, end = int(here[0]), int(here[-1]) + 1
            part, labels = self.concepts[number].rows(first + begin, end - begin)
            X[here], y[here] = part[here - begin], labels[here - begin]
        return X, y


def _check_alike(concepts: tuple[GeneratedStream, ...]) -> None:
    if len(concepts) < 2:
        raise DataError(f"A drift needs at least two concepts, got {len(concepts)}.")
    for concept in concepts:
        if not isinstance(concept, GeneratedStream):
            raise DataError(f"A concept must be a generator, got {type(concept).__name__}.")
    head = concepts[0]
    for concept in concepts[1:]:
        same = (
            concept.feature_names == head.feature_names
            and concept.classes == head.classes
            and np.array_equal(np.asarray(concept.nominal), np.asarray(head.nominal))
        )
        if not same:
            raise DataError(
                f"The concepts of a drift must have the same columns and classes: {head.name}, {concept.name}."
            )


def _increasing(at: Any) -> tuple[int, ...]:
    positions = tuple(whole("at", value, 0) for value in at)
    if not positions:
        raise DataError("at must name at least one row.")
    if any(later <= earlier for earlier, later in pairwise(positions)):
        raise DataError(f"at must be increasing, got {', '.join(map(str, positions))}.")
    return positions
