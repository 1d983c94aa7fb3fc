"""One row at a time: the dict verbs of every streaming classifier."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streamboost.base.fitted import FittedAttributes
from streamboost.base.inputs.dicts import first_dict_schema, read_dict
from streamboost.base.inputs.labels import ClassCodes, check_same_classes, declare, read_labels
from streamboost.base.inputs.schema import Schema
from streamboost.base.inputs.weights import read_weight
from streamboost.base.session import Session


class RowVerbs(FittedAttributes):
    """`learn_one` and its kin. Dicts with the usual keys take a short way (`FastRow`)."""

    categorical_features: Any

    @abstractmethod
    def _ready(self) -> Session | None: ...

    @abstractmethod
    def _start(self, labels: ClassCodes, schema: Schema) -> Session: ...

    @abstractmethod
    def _look_back(self, session: Session) -> None: ...

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
        session = self._session
        if (
            session is not None
            and session.fast is not None
            and classes is None
            and sample_weight == 1.0
            and session.fast.learn(x, y)
        ):
            if not session.judged:
                self._look_back(session)
            return
        session = self._ready()
        title = type(self).__name__
        labels = session.labels if session is not None else ClassCodes()
        if classes is not None:
            if session is None:
                labels = declare(classes)
            else:
                check_same_classes(classes, labels)
        label = read_labels(_one_label(y), 1, title, discovering=not labels.declared)
        weight = None if sample_weight == 1.0 else read_weight([sample_weight], 1)
        active = None if weight is None else weight > 0
        if session is None:
            if not isinstance(x, Mapping):
                raise TypeError(f"x must be a dict of feature values, got {type(x).__name__}.")
            if active is not None and not active.any():
                return
            session = self._start(labels, first_dict_schema(x, self.categorical_features))
        codes, new = session.labels.encode(label, active)
        session.check_classes(new)
        block = read_dict(x, session.schema, title, grow=active is None or bool(active.any()))
        session.check_scale(block)
        session.reserve(block.growth, len(session.labels) + len(new))
        self._session = session
        session.learn(block, codes, weight, new, "none")
        self._look_back(session)

    def predict_one(self, x: Mapping[Any, Any]) -> Any:
        """Return the label of one dict, or None while no class is known."""
        raw = self._answer_one(x, "label")
        return None if raw is None or raw[0] < 0 else self._known().labels.book.values[raw[0]]

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the probability of each known label for one dict; empty while no class is known."""
        raw = self._answer_one(x, "proba")
        if raw is None:
            return {}
        labels = self._known().labels
        row = raw[0].tolist()
        return {labels.book.values[code]: row[code] for code in labels.order.tolist()}

    def _answer_one(self, x: Mapping[Any, Any], answer: str) -> NDArray[Any] | None:
        session = self._session
        if session is not None and session.fast is not None:
            raw = session.fast.answer(x, answer)
            if raw is not None:
                return raw
        session = self._ready()
        if session is None or not session.knows_classes:
            return None
        return session.ask(read_dict(x, session.schema, type(self).__name__, grow=False), answer)


def _one_label(y: Any) -> NDArray[Any]:
    # Texts as they are: those of NumPy would lose a zero byte at the end.
    label = np.asarray([y], dtype=object if isinstance(y, str) else None)
    if label.ndim != 1:
        raise ValueError(f"y must be one label, got {y!r}.")
    return label
