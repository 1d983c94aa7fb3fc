"""How well a classifier does: the metrics of ``streamboost.evaluate`` over all examples, the last ones and fading ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from streamboost.evaluate.confusion import CodeTable
from streamboost.evaluate.metric import Faded, value_of
from streamboost.evaluate.metrics import make_metric
from streamboost.evaluate.rows import Rows
from streamboost.service.store.records import Label
from streamboost.service.store.scores import FADING, WINDOW, Judged, Scores, freeze, plain, thaw

METRICS = ("error", "kappa", "log_loss", "g_mean", "auc")
BINS = 10
MOST_RANKED = 16
"""With more labels there is no area under the curve: it needs a histogram for each."""


_Counted = tuple[int, int, list[float]]
"""Truth and answer by code (-1: none), and the probability of each code, of the first ones at least."""


class ClassScores(Scores):
    """The figures of one classifier."""

    task = "classification"
    names = METRICS

    def __init__(self) -> None:
        super().__init__()
        self.labels: list[Label] = []
        self._codes: dict[tuple[type, Label], int] = {}
        self._all = {name: make_metric(name) for name in METRICS}
        self._faded = {name: Faded(make_metric(name), FADING) for name in METRICS}
        self._given = {name: make_metric(name) for name in METRICS}
        self._window: deque[_Counted] = deque(maxlen=WINDOW)
        self._calibration = np.zeros((BINS, 3))  # weight, sum of confidence, right answers
        self._table = CodeTable()

    def _code(self, label: Label | None) -> int:
        if label is None:
            return -1
        key = (type(label), label)
        code = self._codes.get(key)
        if code is None:
            code = self._codes[key] = len(self.labels)
            self.labels.append(label)
        return code

    def _coded(self, block: Judged) -> list[_Counted]:
        """Truth, answer and probabilities by code; labels get theirs in the order in which they come."""
        found: list[_Counted] = []
        classes: list[Any] = []
        columns: list[int] = []
        for label, answer, _ in block:
            true, pred = self._code(label), self._code(answer.label)
            if answer.classes != classes or not same_types(answer.classes, classes):
                classes = answer.classes
                columns = [self._code(known) for known in classes]
            if columns == list(range(len(columns))):
                proba = answer.p
            else:
                proba = [0.0] * (max(columns, default=-1) + 1)
                for code, p in zip(columns, answer.p, strict=True):
                    proba[code] = p
            found.append((true, pred, proba))
        return found

    def _rows(self, block: Sequence[_Counted]) -> Rows:
        k = len(self.labels)
        proba = np.array(
            [p if len(p) == k else [*p, *[0.0] * (k - len(p))] for _, _, p in block], dtype=float
        )
        true = np.array([found[0] for found in block], dtype=np.int64)
        pred = np.array([found[1] for found in block], dtype=np.int64)
        proba = proba.reshape(len(block), k)
        proba[pred < 0] = np.nan
        return Rows(true, pred, tuple(self.labels), None, proba)

    def _count_block(self, examples: Judged) -> None:
        block = self._coded(examples)
        rows = self._rows(block)
        if len(self.labels) > MOST_RANKED:
            for metrics in (self._all, self._faded, self._given):
                metrics.pop("auc", None)
        for metric in (*self._all.values(), *self._faded.values()):
            metric.update(rows)
        right = rows.true == rows.pred
        sure = np.nan_to_num(rows.proba if rows.proba is not None else np.zeros((len(rows), 1))).max(axis=1)
        answered = rows.pred >= 0
        part = np.minimum((sure[answered] * BINS).astype(np.int64), BINS - 1)
        for column, weight in enumerate((np.ones(int(answered.sum())), sure[answered], right[answered])):
            np.add.at(self._calibration[:, column], part, weight)
        self._table.add(rows.true, rows.pred)
        self._window.extend(block)
        self.history.extend((~right).tolist(), [at for _, _, at in examples])

    def _window_rows(self, size: int) -> Rows:
        return self._rows(list(self._window)[-size:])

    def _figures(self, window: int) -> dict[str, Any]:
        rows = self._window_rows(window)
        nothing = dict.fromkeys(METRICS)
        counts = self._table.cut(len(self.labels))
        seen = counts.sum(axis=1)
        return {
            "window": len(rows),
            "cumulative": nothing | {name: plain(metric.value()) for name, metric in self._all.items()},
            "windowed": nothing
            | {name: plain(value_of(metric, rows)) for name, metric in self._given.items()},
            "faded": nothing | {name: plain(metric.value()) for name, metric in self._faded.items()},
            "baselines": self._baselines(rows),
            "recall": [
                {"label": label, "n": int(seen[c]), "recall": plain(counts[c, c] / seen[c])}
                for c, label in enumerate(self.labels)
                if seen[c]
            ],
            "calibration": [
                {"n": int(n), "confidence": plain(sure / n), "right": plain(right / n)}
                for n, sure, right in self._calibration.tolist()
                if n
            ],
        }

    def _baselines(self, window: Rows) -> dict[str, Any]:
        """Errors over the window of two that look at no feature: always its most frequent label; always the label before."""
        true = window.true
        return {
            "most frequent label": plain(1.0 - np.bincount(true).max() / len(true)),
            "last label": plain(np.mean(true[1:] != true[:-1])) if len(true) > 1 else None,
        }

    def _errors(self) -> tuple[float | None, float | None]:
        recent = [true != pred for true, pred, _ in self._window]
        return plain(self._all["error"].value()), sum(recent) / len(recent)

    # Bytes and back.

    def _freeze(self, arrays: dict[str, Any], parts: dict[str, Any]) -> None:
        arrays["calibration"] = self._calibration
        window = self._window_rows(WINDOW)
        arrays["true"], arrays["pred"] = window.true, window.pred
        arrays["proba"] = window.scores
        parts["labels"] = self.labels
        freeze(self._table, "table", arrays, parts)
        for group, metrics in (("all", self._all), ("faded", self._faded)):
            for name, metric in metrics.items():
                freeze(metric, f"{group}/{name}", arrays, parts)

    def _thaw(self, arrays: dict[str, Any], parts: dict[str, Any]) -> None:
        for label in parts["labels"]:
            self._code(label)
        self._calibration = arrays["calibration"]
        thaw(self._table, "table", arrays, parts)
        rows = zip(arrays["true"].tolist(), arrays["pred"].tolist(), arrays["proba"].tolist(), strict=True)
        self._window.extend(rows)
        if len(self.labels) > MOST_RANKED:
            for metrics in (self._all, self._faded, self._given):
                metrics.pop("auc")
        for group, metrics in (("all", self._all), ("faded", self._faded)):
            for name, metric in metrics.items():
                thaw(metric, f"{group}/{name}", arrays, parts)


def same_types(a: list[Any], b: list[Any]) -> bool:
    """Whether equal labels are the same ones: True is not 1."""
    return list(map(type, a)) == list(map(type, b))
