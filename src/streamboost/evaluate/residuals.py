"""Autocorrelation of a regressor's errors: where they repeat, past targets would help it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from streamboost.evaluate.regression_metrics import RegressionRows

SEASONS = (1, 7, 24, 168)
"""Rows after which errors may repeat: the next one, a week of days, a day and a week of hours."""
ENOUGH_ROWS = 500
NOTABLE = 0.3
"""Autocorrelation from which lags are advised."""


class ResidualCorrelation:
    """The autocorrelation of the errors at a few distances, on the fly."""

    def __init__(self) -> None:
        self._past = np.zeros(max(SEASONS))
        self._sums = np.zeros(len(SEASONS) + 1)  # products by season, then squares
        self._rows = 0

    def update(self, rows: RegressionRows) -> None:
        """Look at more rows; those without an answer have missed nothing."""
        errors = rows.errors
        known = np.concatenate((self._past, errors))
        for at, season in enumerate((*SEASONS, 0)):
            before = known[len(self._past) - season : len(known) - season]
            # The same sums however rows are cut.
            np.add.at(self._sums, np.full(errors.size, at), errors * before)
        self._rows += errors.size
        self._past = known[errors.size :]

    def values(self) -> dict[int, float]:
        """Rows between two errors -> their correlation; empty while too few rows were seen."""
        *products, squares = self._sums.tolist()
        if self._rows < ENOUGH_ROWS or not squares > 0:
            return {}
        return {season: product / squares for season, product in zip(SEASONS, products, strict=True)}


def lags_advised(correlations: Mapping[int, float], delay: int = 0) -> int | None:
    """Return the number of lags that would help where targets come so many rows late; None if errors do not repeat."""
    notable = [season for season, value in correlations.items() if value >= NOTABLE and season > delay]
    return max(notable, key=correlations.__getitem__) - delay if notable else None
