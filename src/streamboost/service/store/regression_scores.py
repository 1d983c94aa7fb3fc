"""How well a regressor does: errors over all examples, the last ones and fading ones."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import numpy as np

from streamboost.evaluate.metric import Faded, value_of
from streamboost.evaluate.metrics import make_metric
from streamboost.evaluate.regression_metrics import RegressionRows
from streamboost.service.store.scores import FADING, WINDOW, Judged, Scores, freeze, plain, thaw

METRICS = ("mae", "rmse", "r2")


class RegressionScores(Scores):
    """The figures of one regressor. An example without an answer counts as an example and in no figure."""

    task = "regression"
    names = METRICS

    def __init__(self) -> None:
        super().__init__()
        self._all = {name: make_metric(name) for name in METRICS}
        self._faded = {name: Faded(make_metric(name), FADING) for name in METRICS}
        self._window: deque[tuple[float, float]] = deque(maxlen=WINDOW)

    def _count_block(self, examples: Judged) -> None:
        block = [
            (float(label), math.nan if answer.label is None else float(answer.label))
            for label, answer, _ in examples
        ]
        rows = _rows(block)
        for metric in (*self._all.values(), *self._faded.values()):
            metric.update(rows)
        self._window.extend(block)
        off = np.abs(rows.true - rows.pred)
        answered = [at for at, known in enumerate(np.isfinite(off).tolist()) if known]
        self.history.extend(off[answered].tolist(), [examples[at][2] for at in answered])

    def _figures(self, window: int) -> dict[str, Any]:
        rows = _rows(list(self._window)[-window:])
        return {
            "window": len(rows),
            "cumulative": {name: plain(metric.value()) for name, metric in self._all.items()},
            "windowed": {name: plain(value_of(make_metric(name), rows)) for name in METRICS},
            "faded": {name: plain(metric.value()) for name, metric in self._faded.items()},
            "baselines": self._baselines(rows.true),
        }

    @staticmethod
    def _baselines(true: Any) -> dict[str, Any]:
        """Mean absolute errors over the window of two that look at no feature: always its mean; always the number before."""
        return {
            "mean": plain(np.mean(np.abs(true - true.mean()))),
            "last value": plain(np.mean(np.abs(np.diff(true)))) if len(true) > 1 else None,
        }

    def _errors(self) -> tuple[float | None, float | None]:
        recent = value_of(make_metric("mae"), _rows(list(self._window)))
        return plain(self._all["mae"].value()), plain(recent)

    def _freeze(self, arrays: dict[str, Any], parts: dict[str, Any]) -> None:
        rows = _rows(list(self._window))
        arrays["true"], arrays["pred"] = rows.true, rows.pred
        for group, metrics in (("all", self._all), ("faded", self._faded)):
            for name, metric in metrics.items():
                freeze(metric, f"{group}/{name}", arrays, parts)

    def _thaw(self, arrays: dict[str, Any], parts: dict[str, Any]) -> None:
        self._window.extend(zip(arrays["true"].tolist(), arrays["pred"].tolist(), strict=True))
        for group, metrics in (("all", self._all), ("faded", self._faded)):
            for name, metric in metrics.items():
                thaw(metric, f"{group}/{name}", arrays, parts)


def _rows(block: list[tuple[float, float]]) -> Any:
    table = np.array(block, dtype=np.float64).reshape(-1, 2)
    return RegressionRows(table[:, 0].copy(), table[:, 1].copy())
