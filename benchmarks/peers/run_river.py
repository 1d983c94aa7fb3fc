"""River: ``predict_one`` then ``learn_one`` per row, its only way for ensembles. Slow, hence few rows."""

from __future__ import annotations

from typing import Any

from river import ensemble, linear_model, naive_bayes, tree

from benchmarks.clock import Stopwatch
from benchmarks.streams import Stream, rows_of

LEARNERS = {
    "Perceptron": linear_model.Perceptron,
    "GaussianNB": naive_bayes.GaussianNB,
    "HoeffdingTree": tree.HoeffdingTreeClassifier,
}


class Runner:
    model_bytes: float | None = None

    def __init__(self, stream: Stream, spec: dict[str, Any]) -> None:
        self._spec = spec
        self._rows = [dict(cells) for cells in rows_of(stream.X)]
        kind = bool if stream.n_classes == 2 else int
        self._labels = [kind(label) for label in stream.y]

    def run(self, watch: Stopwatch, seed: int) -> float:
        learner = LEARNERS[self._spec["learner"]]()
        model = getattr(ensemble, self._spec["ensemble"])(learner, n_models=self._spec["n_models"], seed=seed)
        right = 0
        with watch:
            for x, y in zip(self._rows, self._labels, strict=True):
                right += model.predict_one(x) == y
                model.learn_one(x, y)
        return right / len(self._rows)
