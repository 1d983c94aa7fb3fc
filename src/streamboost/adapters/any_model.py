"""Adapters that give any model (scikit-learn, River, plain objects) the ``test_then_train`` that the evaluation loop calls.

A model of streamboost has it. River's models and ours, given dicts, go row by row; scikit-learn's estimators with
``partial_fit`` answer and learn in steps of ``every`` rows; :class:`SlidingWindow` refits any classifier. However a stream is
cut into chunks, the answers are the same.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.adapters.records import as_records, n_rows_of, stacked, taken
from streamboost.base.classifier import Classifier
from streamboost.base.estimator import Estimator
from streamboost.base.multilabel import SetAnswers
from streamboost.streams.base import Chunk

Labels = npt.NDArray[Any]


def as_model(model: Any, *, records: bool = False) -> Any:
    """The model, or what makes it fit the loop; ``records`` says that rows come as dicts."""
    if isinstance(model, type):
        raise TypeError(f"{model.__name__} is a class; pass a model, {model.__name__}(...).")
    records = records or getattr(model, "reads_dicts", False)
    if hasattr(model, "test_then_train") and not (records and hasattr(model, "learn_one")):
        return model
    if isinstance(model, SetAnswers):
        return SetsByRow(model)
    if hasattr(model, "learn_one") and hasattr(model, "predict_one"):
        return RowByRow(model)
    steps = getattr(model, "steps", None)
    if hasattr(model, "predict") and (hasattr(model, "partial_fit") or isinstance(steps, list)):
        return Stepwise(model)
    refit = " Put SlidingWindow around it to refit it on the last rows." if hasattr(model, "fit") else ""
    raise TypeError(
        f"{type(model).__name__} cannot be evaluated on a stream: it has none of test_then_train, "
        f"learn_one and predict_one, partial_fit and predict.{refit}"
    )


def given(model: Any, chunk: Chunk) -> tuple[Any, Any]:
    """Rows and labels of a chunk as a model takes them: one of ours with what their codes stand for."""
    coded_rows = getattr(model, "reads_coded_rows", isinstance(model, Estimator))
    coded_labels = getattr(model, "reads_coded_labels", isinstance(model, Classifier))
    return (chunk.rows if coded_rows else chunk.X), (chunk.labels if coded_labels else chunk.y)


def fresh_copy(model: Any) -> Any:
    """A model with the same parameters that has learned nothing."""
    if hasattr(model, "learn_one") and hasattr(model, "clone"):
        return model.clone()  # River's
    from sklearn.base import clone

    return clone(model)


def _weights(sample_weight: Any, n: int) -> npt.NDArray[np.float64]:
    if sample_weight is None:
        return np.ones(n)
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (n,):
        raise ValueError(f"sample_weight has shape {weight.shape}, but there are {n} rows.")
    if not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise ValueError("sample_weight must be finite and not negative.")
    return weight


def _as_labels(answers: Sequence[Any]) -> Labels:
    found = np.empty(len(answers), dtype=object)
    found[:] = answers
    return found


class RowByRow:
    """A model with ``predict_one`` and ``learn_one``, of River or of ours, over dicts.

    A missing value (NaN) is an absent key. Columns without names are numbered. A row of weight 0 is answered and not learned.
    """

    needs_classes = False

    def __init__(self, model: Any) -> None:
        self.model = model
        self.feature_names: Sequence[Any] | None = None
        """The keys of the dicts that are made of arrays."""
        # A model per key says neither its classes nor its size.
        self._ours = hasattr(model, "test_then_train") and not getattr(model, "reads_dicts", False)
        parameters = inspect.signature(model.learn_one).parameters
        takes = [name for name in ("sample_weight", "w") if name in parameters]
        # A pipeline of River hands on what it is given by name.
        loose = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
        self._weight_name = takes[0] if takes else "w" if loose else None
        self._one = getattr(model, "test_then_train_one", None)
        self._known: dict[Any, None] = {}

    @property
    def classes_(self) -> Labels:
        """The labels that have been learned, or for which a probability was given."""
        return self.model.classes_ if self._ours else _as_labels(list(self._known))

    def memory_bytes(self) -> float:
        """What the model says of its size; NaN where it says nothing."""
        size = self.model.memory_bytes() if self._ours else getattr(self.model, "_raw_memory_usage", math.nan)
        return float(size)

    @property
    def takes_pending(self) -> bool:
        """Whether the model learns from the answers that it gave."""
        return hasattr(self.model, "predict_pending_one")

    def test_then_train(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        output: str = "label",
        *,
        pending: PendingRows | None = None,
    ) -> Any:
        """Answer each row, then learn it; with `pending`, by what was answered to it before."""
        weight = _weights(sample_weight, n_rows_of(X))
        odd = weight[(weight != 0) & (weight != 1)]
        if odd.size and self._weight_name is None:
            raise ValueError(
                f"{type(self.model).__name__}.learn_one takes no weight, but a row has sample_weight {odd[0]:g}."
            )
        both = output == "both"
        answers: list[Any] = []
        proba: list[dict[Any, float]] = []
        rows = zip(as_records(X, self.feature_names), y.tolist(), weight.tolist(), strict=True)
        for at, (x, label, w) in enumerate(rows):
            more: dict[str, Any] = {} if w == 1 or self._weight_name is None else {self._weight_name: w}
            if w > 0 and classes is not None and self._ours:
                more["classes"], classes = classes, None  # the first row that is learned declares them
            if pending is not None:
                pending.follow(at, x, w > 0, self.model, more)
            answer, found = self._answered(x, label, w > 0, more, both)
            answers.append(answer)
            if both:
                proba.append(found)
                self._known.update(dict.fromkeys(found))
            if w > 0:
                self._known.setdefault(label)
        if not both:
            return _as_labels(answers)
        columns = {label: at for at, label in enumerate(self.classes_.tolist())}
        table = np.full((len(answers), len(columns)), np.nan)
        for row, found in zip(table, proba, strict=True):
            if found:
                row[:] = 0.0
                row[[columns[label] for label in found]] = list(found.values())
        return _as_labels(answers), table

    def _answered(
        self, x: dict[Any, Any], label: Any, learn: bool, more: dict[str, Any], both: bool
    ) -> tuple[Any, dict[Any, float]]:
        """The answer to one row and, with ``both``, its probabilities; then it is learned, if it is to be."""
        if learn and self._one is not None and not {"classes", "pending"} & more.keys():
            found = self._one(x, label, **more)
            return found if isinstance(found, tuple) else (found, {})
        answer = self.model.predict_one(x)
        proba: dict[Any, float] = self.model.predict_proba_one(x) if both else {}
        if learn:
            self.model.learn_one(x, label, **more)
        return answer, proba

    def partial_fit(self, X: Any, y: Any, *, pending: PendingRows | None = None) -> None:
        """Learn rows without being asked about them."""
        self.test_then_train(X, y, pending=pending)


class SetsByRow:
    """A classifier of label sets over dicts: every row is answered, then learned as a dict of its labels."""

    needs_classes = False

    def __init__(self, model: Any) -> None:
        self.model = model
        self.labels_ = _as_labels([])

    def memory_bytes(self) -> float:
        """The size of the model."""
        return float(self.model.memory_bytes())

    def test_then_train(
        self, X: Any, y: Any, labels: Any = None, sample_weight: Any = None, output: str = "both"
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Answer each row, then learn it: probabilities and scores; NaN while no label is known."""
        if labels is not None:
            self.labels_ = _as_labels(labels)
        names = self.labels_.tolist()
        proba, score = (np.full((len(X), len(names)), np.nan) for _ in range(2))
        weight = _weights(sample_weight, len(X)).tolist()
        for at, (x, row, w) in enumerate(zip(X, y.tolist(), weight, strict=True)):
            for table, found in (
                (proba, self.model.predict_proba_one(x)),
                (score, self.model.decision_function_one(x)),
            ):
                if found:  # a label that it has not met comes last
                    least = min(0.0, *found.values())
                    table[at] = [found.get(name, least) for name in names]
            if w > 0:
                known = (None if math.isnan(there) else there == 1 for there in row)
                self.model.learn_one(x, dict(zip(names, known, strict=True)), sample_weight=w)
        return proba, score

    def partial_fit(self, X: Any, y: Any, labels: Any = None) -> None:
        """Learn rows without being asked about them."""
        self.test_then_train(X, y, labels)


class PendingRows:
    """Answers to rows whose labels are still to come, by the numbers of the rows; ``places``: those of the rows of a call."""

    def __init__(self) -> None:
        self.places: list[int] = []
        self._said: dict[int, Any] = {}

    def follow(self, at: int, x: dict[Any, Any], learn: bool, model: Any, more: dict[str, Any]) -> None:
        """Keep what is said of a row that is asked about; add to ``more`` what was said of one that is learned."""
        place = self.places[at]
        if not learn:
            self._said[place] = model.predict_pending_one(x)
        elif (said := self._said.pop(place, None)) is not None:
            more["pending"] = said


def _is_regressor(estimator: Any) -> bool:
    from sklearn.base import is_regressor

    return hasattr(estimator, "__sklearn_tags__") and bool(is_regressor(estimator))


class Stepwise:
    """A scikit-learn estimator with ``partial_fit``, or a pipeline of such, that learns every ``every`` rows.

    Rows are answered by the estimator as it was after the last step. The default of 1 is the plain loop: answer a row, learn
    it. A larger step is faster and answers from older knowledge.

    Parameters
    ----------
    estimator : a classifier with ``partial_fit``, or a pipeline whose steps have it or keep no state.
    every : rows per step.
    """

    needs_classes = True

    def __init__(self, estimator: Any, *, every: int = 1) -> None:
        if every < 1:
            raise ValueError(f"every must be at least 1, got {every}.")
        self.estimator = estimator
        self.every = every
        self._classes: Labels | None = None
        self._waiting: list[tuple[Any, Labels, npt.NDArray[np.float64]]] = []
        self._n_waiting = 0
        self._learned = False
        self._regression = _is_regressor(estimator)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments, for clones."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **values: Any) -> Any:
        """Change some of the constructor's arguments, for clones."""
        for name, value in values.items():
            setattr(self, name, value)
        return self

    @property
    def classes_(self) -> Labels:
        """The labels known so far; none before the first row."""
        return np.zeros(0) if self._classes is None else self._classes

    def test_then_train(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, output: str = "label"
    ) -> Any:
        """Answer each row, and learn whenever a step is full."""
        y = np.asarray(y)
        weight = _weights(sample_weight, n_rows_of(X))
        self._declare(classes, y)
        answers: list[Any] = []
        proba: list[npt.NDArray[np.float64]] = []
        for first, last in self._cuts(weight):
            rows = np.arange(first, last)
            part = X if last - first == n_rows_of(X) else taken(X, rows)
            answers += self._answers(part)
            if output == "both":
                proba.append(self._probabilities(part))
            due = rows[weight[first:last] > 0]
            if due.size:
                self._take(part if due.size == rows.size else taken(X, due), y[due], weight[due])
        if output != "both":
            return _as_labels(answers)
        width = self.classes_.size
        table = [np.hstack((p, np.zeros((len(p), width - p.shape[1])))) for p in proba]
        return _as_labels(answers), np.concatenate(table) if table else np.zeros((0, width))

    def partial_fit(self, X: Any, y: Any) -> None:
        """Take rows in without answering them."""
        y = np.asarray(y)
        self._declare(None, y)
        for first, last in self._cuts(np.ones(y.size)):
            rows = np.arange(first, last)
            self._take(taken(X, rows), y[rows], np.ones(rows.size))

    def _declare(self, classes: Any, y: Labels) -> None:
        if classes is not None:
            self._classes = np.unique(np.asarray(classes))
        elif self._classes is None and self.needs_classes and not self._regression:
            raise ValueError(
                f"{type(self.estimator).__name__}.partial_fit must know all labels before the first row; pass classes=[...]."
            )

    def _cuts(self, weight: npt.NDArray[np.float64]) -> Iterator[tuple[int, int]]:
        """Parts that end where a step is full; rows that are only asked do not count."""
        first, count = 0, self._n_waiting
        for at, w in enumerate(weight.tolist(), 1):
            count += w > 0
            if count == self.every:
                yield first, at
                first, count = at, 0
        if first < weight.size:
            yield first, weight.size

    def _take(self, X: Any, y: Labels, weight: npt.NDArray[np.float64]) -> None:
        self._waiting.append((X, y, weight))
        self._n_waiting += y.size
        if self._n_waiting == self.every:
            parts, self._waiting, self._n_waiting = self._waiting, [], 0
            rows = parts[0][0]
            for more, _, _ in parts[1:]:
                rows = stacked(rows, more)
            self._learn(rows, *(np.concatenate([part[i] for part in parts]) for i in (1, 2)))

    def _learn(self, X: Any, y: Labels, weight: npt.NDArray[np.float64]) -> None:
        options: dict[str, Any] = {} if self._learned or self._regression else {"classes": self._classes}
        for transformer in self._transformers:
            if hasattr(transformer, "partial_fit"):
                transformer.partial_fit(X)
            X = transformer.transform(X)
        _with_weights(self._last.partial_fit, type(self._last).__name__, X, y, weight, options)
        self._learned = True

    def _answers(self, X: Any) -> list[Any]:
        if not self._learned:
            return [None] * n_rows_of(X)
        found: list[Any] = np.asarray(self._last.predict(self._transformed(X))).tolist()
        return found

    def _probabilities(self, X: Any) -> npt.NDArray[np.float64]:
        if not hasattr(self._last, "predict_proba"):
            raise ValueError(
                f"{type(self._last).__name__} has no predict_proba, which the metrics that were asked for need."
            )
        if not self._learned:
            return np.full((n_rows_of(X), self.classes_.size), np.nan)
        found = np.asarray(self._last.predict_proba(self._transformed(X)), dtype=np.float64)
        return _by_label(found, self._last.classes_, self.classes_)

    def _transformed(self, X: Any) -> Any:
        for transformer in self._transformers:
            X = transformer.transform(X)
        return X

    @property
    def _last(self) -> Any:
        steps = getattr(self.estimator, "steps", None)
        return steps[-1][1] if steps else self.estimator

    @property
    def _transformers(self) -> list[Any]:
        steps = getattr(self.estimator, "steps", None) or []
        found = [step for _, step in steps[:-1] if step is not None and step != "passthrough"]
        for step in found:
            if not hasattr(step, "partial_fit") and not _keeps_no_state(step):
                raise ValueError(
                    f"The step {type(step).__name__} of the pipeline cannot learn in parts: it has no partial_fit."
                )
        if steps and not hasattr(steps[-1][1], "partial_fit"):
            raise ValueError(
                f"The last step {type(steps[-1][1]).__name__} of the pipeline cannot learn in parts: it has no "
                "partial_fit. Put SlidingWindow around the pipeline to refit it on the last rows."
            )
        return found


class SlidingWindow(Stepwise):
    """Any scikit-learn classifier, refitted on the last ``window`` rows after every ``every`` rows.

    What a batch learner does on a stream: LightGBM, a random forest or a whole pipeline beside the models that learn row by
    row. A fresh clone is fitted each time. Before the first fit there is no answer; with one label in the window, that label
    is the answer.

    Parameters
    ----------
    estimator : a classifier with ``fit`` and ``predict``.
    window : rows that are kept.
    every : rows between two fits.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from streamboost.evaluate import SlidingWindow, prequential
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> tree = SlidingWindow(DecisionTreeClassifier(max_depth=3), window=500, every=100)
    >>> prequential(tree, (X, X[:, 0] > 0)).error < 0.1
    True
    """

    needs_classes = False

    def __init__(self, estimator: Any, *, window: int = 1000, every: int = 100) -> None:
        super().__init__(estimator, every=every)
        if window < 1:
            raise ValueError(f"window must be at least 1, got {window}.")
        if not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
            raise TypeError(f"{type(estimator).__name__} is no classifier: it has no fit and predict.")
        self.window = window
        self._held: tuple[Any, Labels, npt.NDArray[np.float64]] | None = None
        self._fitted: Any = None
        self._only: Any = None  # the label of a window that has but one

    def _declare(self, classes: Any, y: Labels) -> None:
        known = [] if self._classes is None else [self._classes]
        more = [np.asarray(classes)] if classes is not None else []
        if classes is None and (self._classes is None or not np.isin(y, self._classes).all()):
            more = [y]
        if more:
            self._classes = np.unique(np.concatenate([*known, *more]))

    def _learn(self, X: Any, y: Labels, weight: npt.NDArray[np.float64]) -> None:
        from sklearn.base import clone

        if self._held is not None:
            old_X, old_y, old_weight = self._held
            X, y, weight = stacked(old_X, X), np.concatenate((old_y, y)), np.concatenate((old_weight, weight))
        kept = np.arange(max(0, y.size - self.window), y.size)
        self._held = X, y, weight = taken(X, kept), y[kept], weight[kept]
        labels = np.unique(y)
        if labels.size == 1:
            self._fitted, self._only = None, labels[0]
        else:
            self._fitted = clone(self.estimator)
            _with_weights(self._fitted.fit, type(self.estimator).__name__, X, y, weight, {})
        self._learned = True

    def _answers(self, X: Any) -> list[Any]:
        if not self._learned:
            return [None] * n_rows_of(X)
        if self._fitted is None:
            return np.full(n_rows_of(X), self._only).tolist()  # type: ignore[no-any-return]
        found: list[Any] = np.asarray(self._fitted.predict(X)).tolist()
        return found

    def _probabilities(self, X: Any) -> npt.NDArray[np.float64]:
        n = n_rows_of(X)
        if not self._learned:
            return np.full((n, self.classes_.size), np.nan)
        if self._fitted is None:
            return _by_label(np.ones((n, 1)), np.array([self._only]), self.classes_)
        if not hasattr(self._fitted, "predict_proba"):
            raise ValueError(
                f"{type(self.estimator).__name__} has no predict_proba, which the metrics that were asked for need."
            )
        found = np.asarray(self._fitted.predict_proba(X), dtype=np.float64)
        return _by_label(found, self._fitted.classes_, self.classes_)


def _by_label(proba: npt.NDArray[np.float64], labels: Any, wanted: Labels) -> npt.NDArray[np.float64]:
    """Columns in the order of ``wanted``, which is sorted; 0 for labels that the estimator does not know."""
    found = np.zeros((proba.shape[0], wanted.size))
    found[:, np.searchsorted(wanted, np.asarray(labels))] = proba
    return found


def _with_weights(
    call: Any, who: str, X: Any, y: Labels, weight: npt.NDArray[np.float64], options: dict[str, Any]
) -> None:
    if (weight != 1).any():
        if "sample_weight" not in inspect.signature(call).parameters:
            raise ValueError(f"{who}.{call.__name__} takes no sample_weight, but rows have weights.")
        options = {**options, "sample_weight": weight}
    call(X, y, **options)


def _keeps_no_state(transformer: Any) -> bool:
    from sklearn.utils import get_tags

    return not get_tags(transformer).requires_fit


def needs_classes(model: Any) -> bool:
    """Whether a model must know its labels before the first row."""
    if not hasattr(model, "_booster_plan"):
        return bool(getattr(model, "needs_classes", False))
    discovers = model._learner_plan(0).discovers
    booster = model._booster_plan()
    at_most = booster.max_classes
    return booster.declared or (discovers is not None and (at_most is None or at_most > discovers))
