"""Ensembles that learn from bandit feedback: the label that was shown, its reward, and the probability of showing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from streamboost.base.classifier import Classifier
from streamboost.base.inputs.labels import ClassCodes
from streamboost.base.inputs.sources import DictRow, Source, TableRows
from streamboost.base.parameter import number, one_of, parameter
from streamboost.base.params import LearnerPlan
from streamboost.catalogue import ModelEntry
from streamboost.ensemble.common import StreamEnsemble
from streamboost.ensemble.multiclass import drawn_trees
from streamboost.ensemble.options import LEARNER, SET_OPTIONS, SIZE
from streamboost.learners import HoeffdingTree, Learner

ENTRY = ModelEntry(
    name="bandit-ensemble",
    class_name="BanditEnsemble",
    core="bandit_boost",
    page="bandits",
    title="Bandit boosting",
    weight="how much the estimated costs of the labels differ",
    vote="one vote each, or prefixes under Hedge",
    declared=True,
)


@dataclass(frozen=True)
class Judged:
    """All labels, sorted, and for each row: code of the label that was shown, its reward, its probability, code of the best."""

    labels: list[Any]
    facts: NDArray[np.float64]


class _JudgedLabels(ClassCodes):
    """Labels, all known; what is learned of a row is four numbers, the first of them the code of a label."""

    def encode(self, y: Any, active: NDArray[np.bool_] | None) -> tuple[NDArray[Any], list[Any]]:
        """Return the facts themselves: codes are places in the sorted labels."""
        return y.facts, []


class BanditEnsemble(StreamEnsemble, Classifier):
    """The core's part of :class:`~streamboost.BanditBoostingClassifier` with potentials or slopes."""

    _entry = ENTRY
    _parameters = (
        LEARNER,
        SIZE,
        parameter("base", one_of("mbbm", "olm"), "Whose costs."),
        parameter("edge", number("(0, 1)"), "The edge of the learners, of mbbm."),
        parameter(
            "exploration",
            number("(0, 1)"),
            "The share of explorations, which sets the step of the votes of olm.",
        ),
        parameter("hedge", one_of("vote", "sample", "best"), "How the prefixes of olm are combined."),
        *SET_OPTIONS,
    )
    tie: ClassVar[str] = "lowest"  # type: ignore[misc]

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 20,
        base: str = "mbbm",
        edge: float = 0.1,
        exploration: float = 0.1,
        hedge: str = "vote",
        **options: Any,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.base = base
        self.edge = edge
        self.exploration = exploration
        self.hedge = hedge
        self._set_options(options)

    @classmethod
    def _default_learner(cls) -> Learner:
        return HoeffdingTree()

    def _learner_plan(self, seed: int) -> LearnerPlan:
        return drawn_trees(self) or super()._learner_plan(seed)

    def _first_labels(self, classes: Any) -> ClassCodes:
        return _JudgedLabels([] if classes is None else classes, declared=True)

    def _stored_labels(self, manifest: Any) -> ClassCodes:
        return _JudgedLabels(manifest.labels, declared=True)

    def _read_labels(self, y: Any, source: Source, known: ClassCodes) -> Any:
        return y

    def _advice(self, lanes: Mapping[str, NDArray[Any]], n_learned: int) -> tuple[str, ...]:
        return ()

    def learn_judged(self, X: Any, judged: Judged, weight: Any) -> None:
        """Learn rows: of a table, or of one dict."""
        title = type(self).__name__
        source = DictRow(X, title) if isinstance(X, Mapping) else TableRows(X, title)
        self._learn(source, judged, None if self.started else judged.labels, weight)
