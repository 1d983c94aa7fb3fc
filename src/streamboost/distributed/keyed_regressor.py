"""A regressor per key: :mod:`streamboost.distributed.keyed` for numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.base.pending import PendingAnswers
from streamboost.distributed.keyed import KeyedModels, OwnModel


class KeyedRegressor(KeyedModels):
    """A regressor for every value of one feature, and one for all of them that answers while those are young.

    Every key has its own past: the last target and the lags of a model are those of its key.

    Parameters
    ----------
    model : estimator
        One of streamboost's regressors for streams, untrained; every key gets a clone.
    fallback : {"global", "prior", None}
        Who answers beside a key's own model. "global": a model that learns all rows; Hedge weighs the two by their absolute
        errors on the key's own rows, so that the own model takes over when it is better. "prior": the mean of all targets, until
        the key has a row. None: nobody.
    key, max_models, max_bytes, idle_s, folder, clock
        As of :class:`~streamboost.distributed.KeyedClassifier`.

    Examples
    --------
    >>> from streamboost import StreamBoostRegressor
    >>> from streamboost.distributed import KeyedRegressor
    >>> with KeyedRegressor(StreamBoostRegressor(n_estimators=3, random_state=1), "meter", fallback=None) as model:
    ...     for hour in range(20):
    ...         model.learn_one({"meter": "north", "hour": hour % 24}, 5.0)
    ...     model.predict_one({"meter": "north", "hour": 20})
    5.0
    """

    task, _kind, _verb = "regression", "regressors", "predict_interval_one"

    def predict_one(self, x: Mapping[Any, Any]) -> float:
        """Return the number that is predicted for one row; 0.0 while nothing is known.

        Parameters
        ----------
        x : dict
            The row, with its key.

        Returns
        -------
        float
        """
        self._check_open()
        key, rest = self._split(x)
        own = self._find(key, make=False)
        whole = self._global if self._global is not None and self._global.started else None
        if own is None or not own.started:
            return float(self._counts.get("mean", 0.0) if whole is None else whole.predict_one(rest))
        mine = float(own.model.predict_one(rest))
        if whole is None:
            return mine
        share = own.share()
        return share * mine + (1 - share) * float(whole.predict_one(rest))

    def _table(self, answers: list[Any]) -> NDArray[Any]:
        return np.array(answers, dtype=np.float64)

    def _losses(self, own: OwnModel, whole: Any, x: Mapping[Any, Any], y: Any) -> tuple[float, float]:
        return self._shared(own.model.predict_one(x), whole.predict_one(x), y)

    def _lost(self, own: PendingAnswers, whole: PendingAnswers, y: Any) -> tuple[float, float]:
        return self._shared(own.prediction, whole.prediction, y)

    @staticmethod
    def _shared(own: float, whole: float, y: float) -> tuple[float, float]:
        """Return the share of each in what both missed."""
        missed = abs(own - y), abs(whole - y)
        together = sum(missed)
        return (missed[0] / together, missed[1] / together) if together > 0 else (0.5, 0.5)

    def _teach(self, own: OwnModel, x: Mapping[Any, Any], y: Any, weight: float) -> None:
        own.model.learn_one(x, y, weight)
        own.template = None  # it may have met a new value: the next file says what it has become

    def _count(self, y: Any, weight: float) -> None:
        total = self._counts.get("weight", 0.0) + weight
        mean = self._counts.get("mean", 0.0)
        self._counts = {"weight": total, "mean": mean + weight / total * (y - mean)}
