"""Labels that come late: a row is answered when it arrives and learned when ``delay`` more rows have arrived."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.adapters.any_model import PendingRows, RowByRow, given
from streamboost.adapters.records import stacked, taken
from streamboost.base.estimator import Estimator
from streamboost.base.multilabel import MultilabelClassifier
from streamboost.base.pending import LateRecords, PendingAnswers
from streamboost.base.session import Session
from streamboost.streams.base import Chunk


class LateLabels:
    """The rows that were answered but not learned yet, at most ``delay`` of them.

    Row t is answered, then the label of row t - delay arrives and that row is learned. Both happen in one call of the
    model for a whole chunk: the rows to be answered stand in it with weight 0, which is a question and nothing else,
    each followed by the row whose label has just arrived. A model of streamboost learns a row with the answers that it gave to
    it, as with ``predict_pending`` and ``partial_fit(pending=)``; over dicts, or with a model per key, as with
    ``predict_pending_one`` and ``learn_one(pending=)``.
    """

    def __init__(self, delay: int) -> None:
        if delay < 1:
            raise ValueError(f"delay must be at least 1 here, got {delay}.")
        self.delay = delay
        self._late: Chunk | None = None
        self._said = np.empty((0, 1))
        self._rows_said = PendingRows()
        self._n_before = 0
        self._declared: dict[str, Any] = {}
        self._begun = False

    def test_then_train(
        self, model: Any, chunk: Chunk, options: Mapping[str, Any], verb: str = "test_then_train"
    ) -> Any:
        """Answer the rows of a chunk, learning those whose labels arrive meanwhile; ``verb``: what the model calls that."""
        self._declared |= {name: options[name] for name in ("classes", "labels") if name in options}
        if (
            not self._begun
        ):  # declared in every call until one has learned a row: a call that learns nothing does not fix them
            options = {**options, **self._declared}
        rows = chunk if self._late is None else _joined(self._late, chunk)
        asked = np.arange(len(rows) - len(chunk), len(rows))
        script = np.stack((asked, asked - self.delay), axis=1).reshape(-1)
        weight = np.tile([0.0, 1.0], asked.size)
        due = script >= 0
        script, weight = script[due], weight[due]
        said = LateRecords(len(rows))
        if takes_pending(model):
            said.follow(self._said, script)
            options = {**options, "pending": said}
        if isinstance(model, RowByRow) and model.takes_pending:
            self._rows_said.places = (script + self._n_before).tolist()
            options = {**options, "pending": self._rows_said}
        answers = getattr(model, verb)(*given(model, _taken(rows, script)), sample_weight=weight, **options)
        self._begun |= bool(weight.any())
        first = max(0, len(rows) - self.delay)
        self._n_before += first
        self._late, self._said = _taken(rows, np.arange(first, len(rows))), said.records[first:]
        question = weight == 0
        if isinstance(answers, tuple):
            return tuple(part[question] for part in answers)
        return np.asarray(answers)[question]

    def learn_rest(self, model: Any) -> None:
        """The stream is over: all labels that are still out arrive."""
        if self._late is not None and len(self._late):
            known = inspect.signature(model.partial_fit).parameters
            options = {name: value for name, value in self._declared.items() if name in known}
            if takes_pending(model):
                options["pending"] = PendingAnswers(None, None, self._said)
            if isinstance(model, RowByRow) and model.takes_pending:
                self._rows_said.places = list(range(self._n_before, self._n_before + len(self._late)))
                options["pending"] = self._rows_said
            model.partial_fit(*given(model, self._late), **options)
        self._late = None


def takes_pending(model: Any) -> bool:
    """Whether a model learns from the answers that it gave, many rows at once: those of streamboost, and shards of them, but
    not those of label sets."""
    alone = isinstance(model, Estimator) and not isinstance(model, MultilabelClassifier)
    return getattr(model, "keeps_records", alone and model._session_kind is Session)


def has_learned(model: Any) -> bool:
    """Whether a model says that it has learned something already."""
    fitted = getattr(model, "__sklearn_is_fitted__", None)
    return fitted is not None and bool(fitted())


def _taken(chunk: Chunk, rows: npt.NDArray[np.int64]) -> Chunk:
    codes = None if chunk.label_codes is None else chunk.label_codes[rows]
    return replace(chunk, X=taken(chunk.X, rows), y=chunk.y[rows], lines=chunk.lines[rows], label_codes=codes)


def _joined(above: Chunk, below: Chunk) -> Chunk:
    codes = None
    if above.label_codes is not None and below.label_codes is not None:
        codes = np.concatenate((above.label_codes, below.label_codes))
    return replace(
        below,
        X=stacked(above.X, below.X),
        y=np.concatenate((above.y, below.y)),
        lines=np.concatenate((above.lines, below.lines)),
        label_codes=codes,
    )


def check_delay(delay: int, model: Any) -> None:
    """Raise if the delay is none, or if the model cannot be asked without being taught."""
    if delay < 0:
        raise ValueError(f"delay must be 0 or more, got {delay}.")
    if delay and "sample_weight" not in inspect.signature(model.test_then_train).parameters:
        raise ValueError(
            f"delay={delay} needs a model whose test_then_train takes sample_weight; {type(model).__name__}'s does not."
        )
    if delay and not hasattr(model, "partial_fit"):
        raise ValueError(
            f"delay={delay} needs a model that learns labels; {type(model).__name__} has no partial_fit."
        )


def tell_delay(delay: int, model: Any) -> Any:
    """Set the model's `delay` to so many rows, if it has that parameter and the user has not set it; return the model."""
    if delay and not getattr(model, "delay", delay):
        model.set_params(delay=delay)
    return model


def warn_of_delay(delay: int, model: Any) -> None:
    """Warn if a model that looks at past targets or labels has another `delay`."""
    told = getattr(model, "delay", None)
    companions = {"last", "differences", "history"} & set(getattr(model, "companions", ()) or ())
    looks_back = bool(companions) or np.any(np.asarray(getattr(model, "lags", 0)))
    if told is not None and looks_back and told != delay:
        warnings.warn(
            f"labels come {delay} rows late, but {type(model).__name__} learns the last ones as if they came {told} rows late. "
            f"Start it with delay={delay}.",
            stacklevel=3,
        )
