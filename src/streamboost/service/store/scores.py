"""How well a model does: the metrics of ``streamboost.evaluate`` over all lessons, the last ones and fading ones.

Lessons are collected and counted in blocks, because metrics are vectors' work. The whole state can be written to bytes and read
back, so that a restart goes on counting.
"""

from __future__ import annotations

import io
import json
import math
import threading
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.evaluate.confusion import CodeTable
from streamboost.evaluate.metric import Faded, Metric, value_of
from streamboost.evaluate.metrics import make_metric
from streamboost.evaluate.rows import Rows
from streamboost.service.store.history import History
from streamboost.service.store.records import Answer, Label

METRICS = ("error", "kappa", "log_loss", "g_mean", "auc")
WINDOW = 1_000
FADING = 0.999
BINS = 10
MOST_RANKED = 16
"""With more labels there is no area under the curve: it needs a histogram for each."""
BLOCK = 512
DELAYS = (1.0, 10.0, 60.0, 600.0, 3_600.0, 21_600.0, 86_400.0, 604_800.0, math.inf)
"""Upper ends, in seconds, of the histogram of how late labels came."""


_Counted = tuple[int, int, list[float]]
"""Truth and answer by code (-1: none), and the probability of each code, of the first ones at least."""


class Scoreboard:
    """The figures of one model. Threads may read while one adds."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.labels: list[Label] = []
        self._codes: dict[tuple[type, Label], int] = {}
        self._all = {name: make_metric(name) for name in METRICS}
        self._faded = {name: Faded(make_metric(name), FADING) for name in METRICS}
        self._given = {name: make_metric(name) for name in METRICS}
        self._window: deque[_Counted] = deque(maxlen=WINDOW)
        self._pending: list[tuple[Label, Answer, float]] = []
        self._calibration = np.zeros((BINS, 3))  # weight, sum of confidence, right answers
        self._table = CodeTable()
        self.delays = np.zeros(len(DELAYS), dtype=np.int64)
        self.delay_sum = 0.0
        self.history = History()
        self.n = 0

    def _code(self, label: Label | None) -> int:
        if label is None:
            return -1
        key = (type(label), label)
        code = self._codes.get(key)
        if code is None:
            code = self._codes[key] = len(self.labels)
            self.labels.append(label)
        return code

    def add(self, label: Label, answer: Answer, at: float, delay: float | None = None) -> None:
        """Count one lesson: the truth, and the answer that was given before it was known."""
        with self._lock:
            self.n += 1
            self._pending.append((label, answer, at))
            if delay is not None:
                self.delays[next(i for i, end in enumerate(DELAYS) if delay < end)] += 1
                self.delay_sum += delay
            if len(self._pending) >= BLOCK:
                self._count()

    def _coded(self, block: list[tuple[Label, Answer, float]]) -> list[_Counted]:
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

    def _count(self) -> None:
        pending, self._pending = self._pending, []
        if not pending:
            return
        block = self._coded(pending)
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
        self.history.extend((~right).tolist(), [at for _, _, at in pending])

    def _window_rows(self, size: int) -> Rows:
        return self._rows(list(self._window)[-size:])

    def values(self, window: int = WINDOW) -> dict[str, Any]:
        """All figures as plain numbers; None where one is not defined yet."""
        with self._lock:
            self._count()
            if not self.n:
                return _empty()
            rows = self._window_rows(min(window, WINDOW))
            nothing = dict.fromkeys(METRICS)
            counts = self._table.cut(len(self.labels))
            seen = counts.sum(axis=1)
            return {
                "n": self.n,
                "window": len(rows),
                "cumulative": nothing | {name: plain(metric.value()) for name, metric in self._all.items()},
                "windowed": nothing
                | {name: plain(value_of(metric, rows)) for name, metric in self._given.items()},
                "faded": nothing | {name: plain(metric.value()) for name, metric in self._faded.items()},
                "fading": FADING,
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
                "delay": self._delay(),
            }

    def _delay(self) -> dict[str, Any]:
        n = int(self.delays.sum())
        return {
            "n": n,
            "mean_s": plain(self.delay_sum / n) if n else None,
            "below_s": [None if math.isinf(end) else end for end in DELAYS],
            "counts": self.delays.tolist(),
        }

    def error(self) -> tuple[float | None, float | None]:
        """Return the error of all lessons and of the last ones."""
        with self._lock:
            self._count()
            if not self.n:
                return None, None
            recent = [true != pred for true, pred, _ in self._window]
            return plain(self._all["error"].value()), sum(recent) / len(recent)

    def curve(self, points: int) -> dict[str, list[Any]]:
        """The error over time, thinned."""
        with self._lock:
            self._count()
            return self.history.curve(points)

    # Bytes and back.

    def to_bytes(self) -> bytes:
        """The whole state; plain arrays, nothing that could run."""
        with self._lock:
            self._count()
            arrays: dict[str, npt.NDArray[Any]] = {
                "calibration": self._calibration,
                "delays": self.delays,
            }
            window = self._window_rows(WINDOW)
            arrays["true"], arrays["pred"] = window.true, window.pred
            arrays["proba"] = window.scores
            plain_parts: dict[str, Any] = {
                "labels": self.labels,
                "n": self.n,
                "delay_sum": self.delay_sum,
                "history": self.history.state(),
            }
            _freeze(self._table, "table", arrays, plain_parts)
            for group, metrics in (("all", self._all), ("faded", self._faded)):
                for name, metric in metrics.items():
                    _freeze(metric, f"{group}/{name}", arrays, plain_parts)
            buffer = io.BytesIO()
            text = np.frombuffer(json.dumps(plain_parts).encode(), dtype=np.uint8)
            np.savez_compressed(buffer, **{**arrays, "_plain": text})  # type: ignore[arg-type]
            return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Scoreboard:
        """Go on counting where :meth:`to_bytes` was called."""
        board = cls()
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        parts = json.loads(arrays.pop("_plain").tobytes())
        for label in parts["labels"]:
            board._code(label)
        board.n, board.delay_sum = parts["n"], parts["delay_sum"]
        board._calibration = arrays["calibration"]
        _thaw(board._table, "table", arrays, parts)
        board.delays = arrays["delays"]
        board.history = History.from_state(parts["history"])
        rows = zip(arrays["true"].tolist(), arrays["pred"].tolist(), arrays["proba"].tolist(), strict=True)
        board._window.extend(rows)
        if len(board.labels) > MOST_RANKED:
            for metrics in (board._all, board._faded, board._given):
                metrics.pop("auc")
        for group, metrics in (("all", board._all), ("faded", board._faded)):
            for name, metric in metrics.items():
                _thaw(metric, f"{group}/{name}", arrays, parts)
        return board


def same_types(a: list[Any], b: list[Any]) -> bool:
    """Whether equal labels are the same ones: True is not 1."""
    return list(map(type, a)) == list(map(type, b))


def plain(value: float) -> float | None:
    """A number that JSON knows."""
    value = float(value)
    return value if math.isfinite(value) else None


def _empty() -> dict[str, Any]:
    nothing = dict.fromkeys(METRICS)
    return {
        "n": 0,
        "window": 0,
        "cumulative": nothing,
        "windowed": nothing,
        "faded": nothing,
        "fading": FADING,
        "recall": [],
        "calibration": [],
        "delay": {
            "n": 0,
            "mean_s": None,
            "below_s": [None if math.isinf(e) else e for e in DELAYS],
            "counts": [0] * len(DELAYS),
        },
    }


def _freeze(thing: Any, path: str, arrays: dict[str, npt.NDArray[Any]], parts: dict[str, Any]) -> None:
    """Write the attributes of a metric and of its parts under their paths."""
    for name, value in vars(thing).items():
        key = f"{path}/{name}"
        if isinstance(value, np.ndarray):
            arrays[key] = value
        elif value is None or isinstance(value, bool | int | float | str):
            parts[key] = value
        elif isinstance(value, tuple):
            parts[key] = list(value)
        elif isinstance(value, Metric) or hasattr(value, "__dict__"):
            _freeze(value, key, arrays, parts)
        else:
            raise TypeError(f"{key} is a {type(value).__name__}: it cannot be written")


def _thaw(thing: Any, path: str, arrays: dict[str, npt.NDArray[Any]], parts: dict[str, Any]) -> None:
    for name, value in vars(thing).items():
        key = f"{path}/{name}"
        if key in arrays:
            setattr(thing, name, arrays[key])
        elif key in parts:
            found = parts[key]
            setattr(thing, name, tuple(found) if isinstance(found, list) else found)
        elif hasattr(value, "__dict__") and not isinstance(value, np.ndarray):
            _thaw(value, key, arrays, parts)
