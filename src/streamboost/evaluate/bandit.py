"""Bandit feedback in the evaluation loop: the bandit, and beside it the same model with all labels, for the regret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from streamboost.adapters.any_model import as_model, given
from streamboost.base.classifier import Classifier
from streamboost.evaluate.task import Scores, Settings, Task
from streamboost.feedback import BanditBoostingClassifier
from streamboost.streams.base import Chunk, Label, Stream


def as_bandit(model: Any, exploration: float, seed: int) -> BanditBoostingClassifier:
    """The model itself if it is a bandit, else one with a copy of the classifier for each label."""
    if isinstance(model, BanditBoostingClassifier):
        return model
    if not isinstance(model, Classifier):
        raise TypeError(
            f'feedback="bandit" takes a classifier of streamboost or a BanditBoostingClassifier, not a {type(model).__name__}.'
        )
    return BanditBoostingClassifier(model, exploration=exploration, random_state=seed)


def with_labels(bandit: BanditBoostingClassifier, classes: Sequence[Label] | None) -> None:
    """Tell a bandit the labels of the data, unless its maker has."""
    if bandit.labels is None and classes is not None:
        bandit.set_params(labels=list(classes))


class AllLabelsPass:
    """The bandit's model with all labels, over the same rows."""

    def __init__(
        self,
        bandit: BanditBoostingClassifier,
        task: Task[Any],
        settings: Settings,
        stream: Stream,
        records: bool,
    ) -> None:
        plain = replace(settings, metrics=task.metrics.choose(()), fading=None, keep_errors=False, points=1)
        self._model = as_model(bandit.with_all_labels(), records=records)
        self.scores: Scores = task.scores(plain, stream)

    def add(self, chunk: Chunk, truth: Any) -> None:
        """Answer and learn a chunk."""
        weights = {} if chunk.weight is None else {"sample_weight": chunk.weight}
        rows = given(self._model, chunk)
        self.scores.add(
            truth, self._model.test_then_train(*rows, **self.scores.options(), **weights), self._model
        )
