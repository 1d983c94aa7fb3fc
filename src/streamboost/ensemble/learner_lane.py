"""One of our own learners inside an ensemble that is driven from Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost import _core
from streamboost.base.inputs.labels import ClassCodes
from streamboost.base.inputs.schema import Schema
from streamboost.base.params import LaneScope, LearnerPlan
from streamboost.base.random import draw_seed
from streamboost.ensemble.single import SingleLearnerClassifier


class LearnerLane:
    """A learner in the core, which takes rows and labels in the codes that the ensemble has given out: nothing is coded twice."""

    can_weight = True

    def __init__(self, learner: SingleLearnerClassifier, scope: LaneScope) -> None:
        learner._validate_params()
        session = learner._new_session(draw_seed(learner.random_state), ClassCodes(), Schema(None, []))
        self.plan = session.plan
        self.model = session.model
        self.scope = scope
        self.first_width = 0  # fixed by the first row that has columns
        self._room_for: list[Any] | None = None  # the values of the scope that the model has room for
        self._counts, self._nominal = np.zeros(0, np.int64), False

    def answer(self, row: NDArray[np.float64], n_classes: int) -> NDArray[np.float64] | None:
        """Return the distribution over the classes, or None before the first update."""
        if not self.model.n_learned:
            return None
        counts = self._counts
        known = row[: counts.size]
        if self._nominal:  # a category that it has not learned has no code here
            known = np.where((counts >= 0) & (known >= counts), -1.0, known)
        answer: NDArray[np.float64] = self.model.ask(known.reshape(1, -1), "proba")[0]
        return np.ascontiguousarray(answer[:n_classes])  # it may have learned only one of two classes so far

    def learn(self, row: NDArray[np.float64], label: int, weight: float, copies: bool) -> None:
        """Take one update."""
        self.first_width = self.first_width or row.size
        self._make_room()
        self.model.learn(row.reshape(1, -1), np.array([label], np.int32), np.array([weight]), "none")

    def _make_room(self) -> None:
        """Have room for all columns and categories that the ensemble knows."""
        if self._room_for is self.scope.values:
            return
        self._room_for = self.scope.values
        self._counts = np.array([-1 if known is None else len(known) for known in self._room_for], np.int64)
        self._nominal = bool((self._counts >= 0).any())
        self.model.reserve(self._counts, self.scope.n_classes, True)

    def __getstate__(self) -> dict[str, Any]:
        learned = self.model.n_learned > 0
        if learned:
            self._make_room()  # so that equal models are equal whenever a learner was last taught
        return {
            "plan": self.plan,
            "scope": self.scope,
            "first_width": self.first_width,
            "state": self.model.state() if learned else None,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.model, self._room_for = _core.Model(**self.plan), None
        learned = self.__dict__.pop("state")
        if learned is not None:
            first = self.scope.values[: self.first_width]
            counts = np.array([-1 if known is None else len(known) for known in first], np.int64)
            self.model.reserve(counts, self.scope.n_classes, True)
            self._make_room()
            self.model.restore(learned)


def driven(plan: LearnerPlan, learners: Iterable[Any]) -> LearnerPlan:
    """The plan of an ensemble that is driven from Python, which looks at rows as its own learners want."""
    plans = [learner._learner_plan(0) for learner in learners if isinstance(learner, SingleLearnerClassifier)]
    return replace(
        plan, warns_unscaled=any(p.warns_unscaled for p in plans), counts=any(p.counts for p in plans)
    )
