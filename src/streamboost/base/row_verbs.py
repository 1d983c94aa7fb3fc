"""One row at a time: the dict verbs of every streaming classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streamboost.base.fitted import FittedAttributes
from streamboost.base.inputs.sources import DictRow
from streamboost.base.session import JUDGED_AFTER, Session

LOOK_BACK_EVERY = 1024  # rows that take the short way


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
        answers = self._ask_one(x, "label")
        return None if answers is None else answers[0]

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the probability of each known label for one dict; empty while no class is known."""
        session = self._session
        fast = None if session is None else session.fast
        if fast is not None:
            proba: Any = fast.predict_proba(x)
            if proba is not NotImplemented:
                known: dict[Any, float] = proba
                return known
        answers = self._ask_one(x, "proba")
        return {} if answers is None else answers[0]

    def _ask_one(self, x: Mapping[Any, Any], answer: str) -> Any:
        """Return the answer to one dict in a list, or None while no class is known."""
        if self._session is None:
            return None
        source = DictRow(x, type(self).__name__)

        def ask(session: Session) -> Any:
            if not session.knows_classes:
                return None
            raw = session.ask(source, answer)
            return (
                raw.tolist()
                if answer == "label"
                else [dict(zip(session.labels.classes.tolist(), raw[0].tolist(), strict=True))]
            )

        return self._read(ask)


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

    def _learn_fast(self, x: Mapping[Any, Any], y: Any) -> bool:
        """Learn one row by the short way, if it is as usual."""
        session = self._session
        fast = None if session is None else session.fast
        if session is None or fast is None:
            return False
        n_learned = fast.learn(x, y)
        if n_learned and (
            not n_learned % LOOK_BACK_EVERY or (n_learned >= JUDGED_AFTER and not session.judged)
        ):
            self._look_back(session)
        return bool(n_learned)


def _one_label(y: Any) -> NDArray[Any]:
    # Texts as they are: those of NumPy would lose a zero byte at the end.
    label = np.asarray([y], dtype=object if isinstance(y, str) else None)
    if label.ndim != 1:
        raise ValueError(f"y must be one label, got {y!r}.")
    return label
