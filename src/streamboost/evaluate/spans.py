"""What a measure looks back on: all rows, the last W rows, or all rows with older ones fading.

Every span takes rows in chunks of any size. Sums are made row by row and do not depend on how the chunks were cut.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from streamboost.evaluate import measures
from streamboost.evaluate.metrics import CodeTable

METRICS = ("error", "kappa", "kappa_temporal", "balanced_accuracy", "g_mean", "log_loss", "auc")
"""The names of the measures."""
NEED_PROBABILITIES = frozenset({"log_loss", "auc"})

Codes = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """Rows that were answered and whose labels are known.

    ``pred`` is negative where there was no answer; ``steady`` says whether the last label that was known when the row was
    answered is the row's own, and ``proba`` has one column per code.
    """

    true: Codes
    pred: Codes
    steady: npt.NDArray[np.bool_]
    proba: Floats | None = None

    def __len__(self) -> int:
        return int(self.true.size)

    def part(self, first: int, last: int) -> Judged:
        """Some of the rows."""
        proba = None if self.proba is None else self.proba[first:last]
        return Judged(self.true[first:last], self.pred[first:last], self.steady[first:last], proba)

    @property
    def probability_of_truth(self) -> Floats:
        """What the answers gave to the true labels."""
        assert self.proba is not None
        found: Floats = self.proba[np.arange(len(self)), self.true]
        return found


class Span(Protocol):
    """Takes judged rows and answers with measures."""

    def update(self, rows: Judged) -> None:
        """Look at more rows."""

    def value(self, name: str) -> float:
        """A measure as it stands now; NaN where it is not defined."""


class Window:
    """The last ``size`` rows, kept as they are; every measure is exact."""

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ValueError(f"A window needs at least 1 row, got {size}.")
        self.size = size
        self._rows: Judged | None = None
        self._table: CodeTable | None = None  # of the rows, once it was asked for

    def update(self, rows: Judged) -> None:
        """Look at more rows and forget the oldest."""
        self._table = None
        self._rows = rows if self._rows is None else _joined(self._rows, rows)
        self._rows = self._rows.part(max(0, len(self._rows) - self.size), len(self._rows))

    def value(self, name: str) -> float:
        """A measure of the rows in the window."""
        rows = self._rows
        if rows is None or not len(rows):
            return float("nan")
        if name == "auc":
            return _exact_auc(rows)
        if name == "log_loss":
            return float(measures.log_losses(rows.probability_of_truth).mean())
        if self._table is None:
            self._table = CodeTable()
            self._table.add(rows.true, rows.pred)
        counts = self._table.counts
        if name == "kappa_temporal":
            return measures.agreement_beyond(measures.share_right(counts), float(rows.steady.mean()))
        return measures.OF_COUNTS[name](counts)


class Sums:
    """All rows; with a fading factor alpha the row that is m rows old weighs alpha^m.

    Instead of shrinking all sums at every row, later rows weigh more: row t weighs alpha^-(t mod R), and every R rows all
    sums are multiplied by alpha^R. No measure depends on the common factor. AUC is binned, see :class:`RankSums`.
    """

    _LARGEST_WEIGHT = 1e12
    _LONGEST_BLOCK = 4096

    def __init__(self, names: Sequence[str], fading: float | None = None) -> None:
        if fading is not None and not 0 < fading < 1:
            raise ValueError(f"The fading factor must lie between 0 and 1, got {fading}.")
        self._table = CodeTable(np.int64 if fading is None else np.float64)
        self._scalars = np.zeros(3)  # weight, weight of steady rows, log loss
        self._ranks = RankSums() if "auc" in names else None
        self._with_loss = "log_loss" in names
        self._fading = fading
        self._n = 0
        if fading is not None:
            block = int(math.log(self._LARGEST_WEIGHT) / -math.log(fading))
            self._powers = fading ** -np.arange(min(max(block, 1), self._LONGEST_BLOCK), dtype=np.float64)

    def update(self, rows: Judged) -> None:
        """Look at more rows."""
        for first, last, weight in self._pieces(len(rows)):
            piece = rows.part(first, last)
            self._table.add(piece.true, piece.pred, None if self._fading is None else weight)
            if self._ranks is not None:
                self._ranks.add(piece, weight, float(self._scalars[0]))
            columns = [weight, weight * piece.steady]
            if self._with_loss:
                columns.append(weight * measures.log_losses(piece.probability_of_truth))
            for at, column in enumerate(columns):
                np.add.at(self._scalars, np.full(len(piece), at), column)

    def _pieces(self, n: int) -> Iterator[tuple[int, int, Floats]]:
        """Cuts where the sums have to shrink; they fall on multiples of R, wherever chunks end."""
        if self._fading is None:
            self._n += n
            yield 0, n, np.ones(n)
            return
        done = 0
        while done < n:
            at = self._n % self._powers.size
            if at == 0 and self._n > 0:
                self._shrink(float(self._fading**self._powers.size))
            size = min(n - done, self._powers.size - at)
            self._n += size
            yield done, done + size, self._powers[at : at + size]
            done += size

    def _shrink(self, factor: float) -> None:
        self._table.scale(factor)
        self._scalars *= factor
        if self._ranks is not None:
            self._ranks.scale(factor)

    def value(self, name: str) -> float:
        """A measure of all rows."""
        weight, steady, loss = self._scalars.tolist()
        if not weight > 0:
            return float("nan")
        if name == "auc":
            return self._ranks.value if self._ranks is not None else float("nan")
        if name == "log_loss":
            return float(loss / weight)
        if name == "kappa_temporal":
            return measures.agreement_beyond(measures.share_right(self._table.counts), steady / weight)
        return measures.OF_COUNTS[name](self._table.counts)


class RankSums:
    """Histograms of the probabilities, one pair (label true, label not true) per label.

    Exact ranks of all rows would need all rows. The bins are equal steps of the log odds between 1e-16 and 1 - 1e-16, so
    that probabilities near 0 and 1 stay apart; two rows in one bin count as a tie. ``slack`` bounds what that can change.
    """

    N_BINS = 4096
    _REACH = 16 * math.log(10)

    def __init__(self) -> None:
        self._sums = np.zeros((0, 2, self.N_BINS))

    def bins(self, proba: Floats) -> npt.NDArray[np.int64]:
        """The bin of every probability; NaN (no answer) goes where 0 goes."""
        p = np.clip(np.where(np.isnan(proba), 0.0, proba), 0.0, 1.0)
        with np.errstate(divide="ignore"):
            odds = np.clip(np.log(p) - np.log1p(-p), -self._REACH, self._REACH)
        found: npt.NDArray[np.int64] = (
            (odds + self._REACH) * ((self.N_BINS - 1) / (2 * self._REACH))
        ).astype(np.int64)
        return found

    def add(self, rows: Judged, weight: Floats, weight_before: float) -> None:
        """Count rows with their weights; ``weight_before`` is the sum of all earlier ones."""
        assert rows.proba is not None
        old, k = self._sums.shape[0], max(self._sums.shape[0], rows.proba.shape[1])
        if k > old:
            grown = np.zeros((k, 2, self.N_BINS))
            grown[:old] = self._sums
            # A label that nobody knew so far had probability 0 in all rows before, and was true in none.
            grown[old:, 0, 0] = weight_before
            self._sums = grown
        labels = np.arange(k)
        kind = (rows.true[:, None] == labels).astype(np.int64)
        cells = (labels * 2 + kind) * self.N_BINS + self.bins(_widened(rows.proba, k))
        np.add.at(self._sums.reshape(-1), cells.reshape(-1), np.repeat(weight, k))

    def scale(self, factor: float) -> None:
        """Multiply every weight."""
        self._sums *= factor

    @property
    def value(self) -> float:
        """The mean over the labels of the area under the curve of that label against the rest."""
        below = np.cumsum(self._sums[:, 0], axis=1) - 0.5 * self._sums[:, 0]
        return self._mean(np.einsum("kb,kb->k", self._sums[:, 1], below))

    @property
    def slack(self) -> float:
        """The exact area is within this of ``value``; it is reached only if no two rows of a bin are really tied."""
        return self._mean(0.5 * np.einsum("kb,kb->k", self._sums[:, 1], self._sums[:, 0]))

    def _mean(self, areas: Floats) -> float:
        negative, positive = self._sums.sum(axis=2).T
        pairs = negative * positive
        both = pairs > 0
        return float(np.mean(areas[both] / pairs[both])) if both.any() else float("nan")


def _exact_auc(rows: Judged) -> float:
    assert rows.proba is not None
    scores = np.where(np.isnan(rows.proba), 0.0, rows.proba)
    areas = [
        measures.area_under_curve(scores[rows.true == c, c], scores[rows.true != c, c])
        for c in np.unique(rows.true).tolist()
    ]
    defined = [area for area in areas if not math.isnan(area)]
    return float(np.mean(defined)) if defined else float("nan")


def _widened(proba: Floats, width: int) -> Floats:
    if proba.shape[1] == width:
        return proba
    return np.concatenate((proba, np.zeros((proba.shape[0], width - proba.shape[1]))), axis=1)


def _joined(a: Judged, b: Judged) -> Judged:
    proba = None
    if a.proba is not None and b.proba is not None:
        width = max(a.proba.shape[1], b.proba.shape[1])
        proba = np.concatenate((_widened(a.proba, width), _widened(b.proba, width)))
    return Judged(
        np.concatenate((a.true, b.true)),
        np.concatenate((a.pred, b.pred)),
        np.concatenate((a.steady, b.steady)),
        proba,
    )
