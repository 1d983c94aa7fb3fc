"""One row at a time: the dict verbs of every streaming classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streamboost.base.fitted import FittedAttributes
from streamboost.base.inputs.sources import DictRow


class RowAnswers(FittedAttributes):
    """Answers for one dict at a time. Dicts with the usual keys take a short way (`FastRow` in the bindings)."""

    @property
    def classes_(self) -> NDArray[Any]:
        """Labels known so far, sorted."""
        return self._read(lambda session: session.labels.classes, fitted=False)

    def predict_one(self, x: Mapping[Any, Any]) -> Any:
        """Return the label of one dict, or None while no class is known."""
        session = self._session
        fast = None if session is None else session.fast
        if fast is not None:
            label = fast.predict(x)
            if label is not NotImplemented:
                return label
        answer = self._ask_one(x, "row")
        return None if answer is None else answer[0]

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the probability of each known label for one dict; empty while no class is known."""
        session = self._session
        fast = None if session is None else session.fast
        if fast is not None:
            proba: Any = fast.predict_proba(x)
            if proba is not NotImplemented:
                known: dict[Any, float] = proba
                return known
        answer = self._ask_one(x, "row")
        return {} if answer is None else answer[1]

    def predict_both_one(self, x: Mapping[Any, Any]) -> tuple[Any, dict[Any, float]]:
        """Return what `predict_one` and `predict_proba_one` do, asking the model once."""
        session = self._session
        fast = None if session is None else session.fast
        if fast is not None:
            both: Any = fast.predict_both(x)
            if both is not NotImplemented:
                label, proba = both
                return label, proba
        answer: tuple[Any, dict[Any, float]] | None = self._ask_one(x, "row")
        return answer or (None, {})

    def _ask_one(self, x: Mapping[Any, Any], answer: str) -> Any:
        """Return the answer to one dict by the long way; None before the first row."""
        if self._session is None:
            return None
        source = DictRow(x, type(self).__name__)
        return self._read(lambda session: session.ask(source, answer))


class RowVerbs(RowAnswers):
    """Learning from one dict at a time, too."""

    def learn_one(
        self,
        x: Mapping[Any, Any],
        y: Any,
        sample_weight: float = 1.0,
        classes: ArrayLike | None = None,
    ) -> None:
        """Learn one row given as a dict. New keys become new columns, absent ones are missing values.

        Parameters
        ----------
        x : dict
            Names of features and their values: numbers, or text and booleans for nominal ones.
        y : label
            Text, a whole number or a boolean.
        sample_weight : float
            Weight of the row; 0 means that it is checked and otherwise ignored.
        classes : array, optional
            All labels that may ever appear, given with the first row; else labels are discovered as they come.
        """
        if classes is None and sample_weight == 1.0 and self._learn_fast(x, y):
            return
        self._learn(DictRow(x, type(self).__name__), _one_label(y), classes, [sample_weight])

    def test_then_train_one(
        self,
        x: Mapping[Any, Any],
        y: Any,
        sample_weight: float = 1.0,
        classes: ArrayLike | None = None,
    ) -> tuple[Any, dict[Any, float]]:
        """Answer for one row given as a dict, then learn it; the row is read and scored once.

        Parameters
        ----------
        x, y, sample_weight, classes
            As in :meth:`learn_one`; a row of weight 0 is only answered.

        Returns
        -------
        label
            What :meth:`predict_one` would have said: None while no class is known.
        probabilities : dict
            What :meth:`predict_proba_one` would have said.
        """
        if classes is None and sample_weight == 1.0:
            found = self._test_then_train_fast(x, y)
            if found is not None:
                label, proba = found
                return label, proba
        source = DictRow(x, type(self).__name__)
        label, proba = self._learn(source, _one_label(y), classes, [sample_weight], "row")
        return label, proba


def _one_label(y: Any) -> NDArray[Any]:
    # Texts as they are: those of NumPy would lose a zero byte at the end.
    label = np.asarray([y], dtype=object if isinstance(y, str) else None)
    if label.ndim != 1:
        raise ValueError(f"y must be one label, got {y!r}.")
    return label
