"""A classifier per key: :mod:`streamboost.distributed.keyed` for labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from streamboost.adapters.records import labels_of
from streamboost.base.pending import PendingAnswers
from streamboost.distributed.keyed import KeyedModels, OwnModel


class KeyedClassifier(KeyedModels):
    """A model for every value of one feature, and one for all of them that answers while those are young.

    Parameters
    ----------
    model : estimator
        One of streamboost's ensembles for streams, untrained; every key gets a clone.
    key : str
        The feature whose value says which model: text, a whole number or a boolean. The models do not see it.
    max_models : int
        Models in memory at most; others wait in the store.
    max_bytes : int
        Memory of these models together, about: with large models there are fewer. They are measured when their rows have doubled.
    idle_s : float, optional
        Models that were not used for so many seconds go to the store, too.
    fallback : {"global", "prior", None}
        Who answers beside a key's own model. "global": a model that learns all rows; Hedge weighs the two on the key's own
        rows, so that the own model takes over when it is better. "prior": the frequencies of all labels, until the key has a
        row. None: nobody.
    folder : str or path, optional
        Where the store is. A folder that has one is gone on with. Without one it is temporary and ends with `close`.
    clock : callable, optional
        Seconds, for `idle_s`.

    Examples
    --------
    >>> from streamboost import OnlineBaggingClassifier
    >>> from streamboost.distributed import KeyedClassifier
    >>> with KeyedClassifier(OnlineBaggingClassifier(n_estimators=5, random_state=1), "customer") as model:
    ...     for day in range(20):
    ...         model.learn_one({"customer": "ann", "rain": day % 2}, "stays" if day % 2 else "comes")
    ...     model.predict_one({"customer": "ann", "rain": 1})
    'stays'
    """

    task, _kind, _verb = "classification", "classifiers", "predict_proba_one"

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the probability of each label for one row; empty while nothing is known.

        Parameters
        ----------
        x : dict
            The row, with its key.

        Returns
        -------
        dict
            Label to probability.
        """
        self._check_open()
        key, rest = self._split(x)
        own = self._find(key, make=False)
        mine = {} if own is None else own.predict_proba_one(rest)
        if self.fallback == "prior":
            total = sum(self._counts.values())
            return mine or {label: count / total for label, count in self._counts.items()}
        if self._global is None or not self._global.started:
            return mine
        others: dict[Any, float] = self._global.predict_proba_one(rest)
        if own is None or not mine:
            return others
        share = own.share()
        return {label: share * mine.get(label, 0.0) + (1 - share) * p for label, p in others.items()}

    def predict_one(self, x: Mapping[Any, Any]) -> Any:
        """Return the most likely label of one row, or None while nothing is known.

        Parameters
        ----------
        x : dict
            The row, with its key.

        Returns
        -------
        label or None
        """
        proba = self.predict_proba_one(x)
        return max(proba, key=proba.__getitem__) if proba else None

    def _table(self, answers: list[Any]) -> NDArray[Any]:
        return labels_of(answers)

    def _losses(self, own: OwnModel, whole: Any, x: Mapping[Any, Any], y: Any) -> tuple[float, float]:
        return 1.0 - own.predict_proba_one(x).get(y, 0.0), 1.0 - whole.predict_proba_one(x).get(y, 0.0)

    def _lost(self, own: PendingAnswers, whole: PendingAnswers, y: Any) -> tuple[float, float]:
        return 1.0 - own.proba.get(y, 0.0), 1.0 - whole.proba.get(y, 0.0)

    def _teach(self, own: OwnModel, x: Mapping[Any, Any], y: Any, weight: float) -> None:
        self._templates.learn(own, x, y, weight)

    def _count(self, y: Any, weight: float) -> None:
        self._counts[y] = self._counts.get(y, 0.0) + weight
