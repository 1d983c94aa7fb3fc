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
        self.rooms: list[tuple[NDArray[np.int64], int]] = []  # the first, whose width counts, and the last
        self.values: list[Any] | None = None  # of the scope, for which there is room
        self.nominal = False

    def answer(self, row: NDArray[np.float64], n_classes: int) -> NDArray[np.float64] | None:
        """Return the distribution over the classes, or None before the first update."""
        if not self.model.n_learned:
            return None
        counts = self.rooms[-1][0]
        known = row[: counts.size]
        if self.nominal:  # a category that it has not learned has no code here
            known = np.where((counts >= 0) & (known >= counts), -1.0, known)
        answer: NDArray[np.float64] = self.model.ask(known.reshape(1, -1), "proba")[0]
        return answer

    def learn(self, row: NDArray[np.float64], label: int, weight: float, copies: bool) -> None:
        """Take one update."""
        room = None
        if self.values is not self.scope.values:
            self.values = self.scope.values
            counts = np.array([-1 if known is None else len(known) for known in self.values], dtype=np.int64)
            self.nominal = bool((counts >= 0).any())
            self.rooms = [*self.rooms[:1], (counts, self.scope.n_classes)]
            room = (counts, self.scope.n_classes, True, None)
        self.model.learn(row.reshape(1, -1), np.array([label], np.int32), np.array([weight]), "none", room)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "model": self.model.state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.model = _core.Model(**self.plan)
        for counts, n_classes in self.rooms:
            self.model.reserve(counts, n_classes, True)
        self.model.restore(state["model"])


def driven(plan: LearnerPlan, learners: Iterable[Any]) -> LearnerPlan:
    """The plan of an ensemble that is driven from Python, which looks at rows as its own learners want."""
    plans = [learner._learner_plan(0) for learner in learners if isinstance(learner, SingleLearnerClassifier)]
    return replace(
        plan, warns_unscaled=any(p.warns_unscaled for p in plans), counts=any(p.counts for p in plans)
    )
