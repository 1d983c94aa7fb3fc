"""Test-then-train over a stream: every row is answered before it is learned. The one evaluation loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from streamboost.adapters.any_model import RowByRow, Stepwise, as_model, fresh_copy, given
from streamboost.adapters.records import RecordStream, held_rows, open_data, with_label_sets
from streamboost.base.inputs.unlabeled import missing_labels
from streamboost.evaluate.bandit import AllLabelsPass, as_bandit, with_labels
from streamboost.evaluate.baseline_pass import BaselinePass, baseline_results
from streamboost.evaluate.delay import LateLabels, check_delay, has_learned, warn_of_delay
from streamboost.evaluate.drifts import DriftLog
from streamboost.evaluate.forecast import IntervalPass
from streamboost.evaluate.resources import ResourceLog
from streamboost.evaluate.result import PrequentialResult
from streamboost.evaluate.task import Scores, Settings, Task
from streamboost.evaluate.tasks import task_of
from streamboost.streams.base import (
    DEFAULT_CHUNK_SIZE,
    Chunk,
    DataError,
    Label,
    Stream,
    first_rows,
    show_unlabeled,
    warn_of_data,
)


@dataclass(frozen=True)
class Progress:
    """Where a run stands; given to the callback after every chunk."""

    order: int
    n_orders: int
    n_rows: int
    error: float
    seconds: float
    fraction: float | None
    n_unlabeled: int = 0
    """Rows without a label that the model was shown."""

    @property
    def examples_per_second(self) -> float:
        """Speed of the model in this order."""
        return self.n_rows / self.seconds if self.seconds > 0 else float("nan")


def permutation(seed: int, order: int, n: int) -> npt.NDArray[np.int64]:
    """The ``order``-th random order of n rows: a pure function of its arguments, for ever.

    Raw bits and a stable sort, because NumPy keeps its raw streams but may change its ``permutation``.
    """
    bits = np.random.Philox(key=np.array([seed, order], dtype=np.uint64))
    raw = np.asarray(bits.random_raw(n), dtype=np.uint64)
    return np.argsort(raw, kind="stable").astype(np.int64)


def prequential(
    model: Any,
    data: Any,
    *,
    sample_weight: Any = None,
    orders: int = 1,
    seed: int | None = None,
    classes: Sequence[Label] | None = None,
    chunk_size: int = DEFAULT_CHUNK_SIZE,
    window: int = 1000,
    limit: int | None = None,
    metrics: Any = (),
    positive: Label | None = None,
    fading: float | None = None,
    delay: int = 0,
    learn_late: bool = True,
    keep_errors: bool = False,
    keep_intervals: float | None = None,
    baselines: bool = False,
    season: int | None = None,
    budget: float | None = None,
    query: str = "split",
    feedback: str = "labels",
    exploration: float = 0.1,
    callback: Callable[[Progress], None] | None = None,
    name: str | None = None,
) -> PrequentialResult:
    """Run a model over a stream, answering every row before learning it.

    Parameters
    ----------
    model : a model of streamboost; a scikit-learn classifier, or pipeline, with ``partial_fit``; a model of River; or
        any object with ``test_then_train(X, y)``. With one order it is this object that learns. Batch classifiers go
        into a :class:`SlidingWindow`.
    data : a stream; a pair (X, y) with X an array, a CSR matrix, a frame or a list of dicts; or an iterable of pairs
        (dict, label), as River's datasets are. For a classifier of label sets y are indicators, or beside dicts a dict
        ``{label: bool}`` each; None where nobody knows.
    sample_weight : the weight of every row of a pair (X, y) in learning. Metrics count every row once.
    orders : 1 reads the data once, as it comes, in bounded memory. K > 1 holds the data in memory and runs a fresh
        clone of the model over each of K random orders.
    seed : decides the random orders; by default the model's ``random_state`` if that is a number, else 0.
    classes : of a classifier: the labels, for models that must know them up front; by default those that the stream declares.
    chunk_size : rows per call of the model. It changes no result.
    window : rows of the windowed error and of the windowed metrics.
    limit : the first rows only.
    metrics : names of metrics (``streamboost.evaluate.CLASSIFICATION_METRICS`` or ``REGRESSION_METRICS``, with parameters as
        ``"f_beta:beta=2"``), or objects of your own with ``name``, ``update(rows)`` and ``value()``, or "all". Each over all
        rows and over the window. The error over both, and kappa, or "rmse", "r2" and "skill", are always there.
    positive : of a classifier: the label of precision, recall and other metrics of one label. By default, of two labels,
        the greater number, or the rarer text; with more labels such metrics are means over the labels.
    fading : with a factor alpha in (0, 1) the metrics also with fading rows: one that is m rows old weighs alpha^m.
    delay : a row is answered when it arrives and learned when this many more rows have been answered. 0: at once. Rows before
        the first answer are not scored, nor are those before the first label, unless the model has learned rows before:
        ``left_out`` in the result says how many. A model that looks at past targets should
        be told with its own `delay`.
    learn_late : whether the labels that are still out when the stream ends are learned then. All rows are scored anyway.
    keep_errors : keep one bit per row: whether it was answered wrongly; of a regressor, the absolute errors.
    keep_intervals : of a regressor with this coverage among its `coverages`: also keep the intervals of the last rows, for
        ``plot``. A copy of the model makes them, so the run takes twice as long.
    baselines : also score, over the same rows, what every model has to beat: the most frequent label so far (or the mean of
        the targets) and the last one. The result has them as ``baselines``.
    season : with `baselines`, of a regressor: also the target of so many rows before, as 24 where rows are hours.
    budget : of a classifier: the share of rows whose labels may be asked for, as :class:`~streamboost.ActiveClassifier` does; the
        other rows are answered and not learned. ``asked`` in the result is the share that was. With a `delay` it is decided
        when the label would arrive. None: all rows are learned.
    query : with `budget`: which labels are asked for, by the names of :class:`~streamboost.ActiveClassifier`.
    feedback : "labels", or of a classifier "bandit": it shows a label and learns only whether that was right. A classifier of
        streamboost is copied for each label, as ``BanditBoostingClassifier(model)`` does. Answers are the labels that were
        shown; ``regret`` in the result is the number of mistakes beyond those of the same model with all labels, which
        runs beside it.
    exploration : with bandit feedback: the share of the rows at which another label than the best is tried.
    callback : called after every chunk.
    name : of the model, in tables and pictures.

    Returns
    -------
    PrequentialResult
        A :class:`ClassificationResult`, or of a regressor a :class:`RegressionResult`. ``model`` in it is the model as it is
        at the end of the (last) order.
    """
    if orders < 1:
        raise ValueError(f"orders must be at least 1, got {orders}.")
    key = _default_seed(model) if seed is None else seed
    if not 0 <= key < 2**64:
        raise ValueError(f"seed must be in [0, 2^64), got {key}.")
    opened = open_data(data, sample_weight)
    records = isinstance(opened, RecordStream)
    task = task_of(model)
    if isinstance(opened, RecordStream) and task.name == "multilabel":
        opened = with_label_sets(opened, limit)
    stream = first_rows(opened, limit)
    if budget is not None and task.name != "classification":
        raise ValueError(
            f"budget={budget!r} is for classifiers of single labels; {type(model).__name__} is none."
        )
    bandit = _is_bandit(feedback, task, delay, budget)
    check_delay(delay, as_model(model, records=records))
    warn_of_delay(delay, model)

    def learner_of(model: Any, order: int) -> Any:
        """The model with what it needs around it to learn from these data and this feedback."""
        if bandit:
            return as_bandit(model, exploration, key + order)
        return _asking(as_model(model, records=records), budget, query, key + order)

    learner = learner_of(model, 0)
    settings = task.settle(
        Settings(
            task.metrics.choose(metrics),
            window,
            fading,
            delay,
            keep_errors,
            classes,
            positive,
            season,
            learned=orders == 1 and has_learned(model),
        ),
        learner,
        stream,
    )
    show_unlabeled(opened, _sees_unlabeled(learner, delay))
    held = None if orders == 1 else held_rows(opened, limit)
    passes: list[_Pass] = []
    begun = time.perf_counter()
    last = model
    for order in range(orders):
        rows = stream
        if held is not None:
            last = fresh_copy(model)
            learner = learner_of(last, order)
            rows = held.permuted(permutation(key, order, held.n_rows))
        all_labels = None
        if bandit:
            last = learner
            with_labels(learner, settings.classes)
            all_labels = AllLabelsPass(learner, task, settings, rows, records)
        one = _Pass(
            learner,
            task.scores(settings, rows),
            delay,
            baselines=BaselinePass(task, settings, rows) if baselines else None,
            all_labels=all_labels,
            intervals=None if keep_intervals is None else IntervalPass(learner, keep_intervals, delay),
        )
        one.run(rows, chunk_size, learn_late, _report(callback, order, orders))
        passes.append(one)
    return _result(
        task,
        passes,
        model=last,
        model_name=name if name is not None else _name_of(model),
        elapsed=time.perf_counter() - begun,
        asked=None if budget is None else float(np.mean([one.asked for one in passes])),
        regret=float(np.mean([one.regret for one in passes])) if bandit else None,
        shared={
            "data_name": stream.name,
            "n_rows": passes[0].scores.n_rows,
            "window": window,
            "delay": delay,
        },
    )


def _result(
    task: Task[Any], passes: Sequence[_Pass], *, shared: dict[str, Any], **more: Any
) -> PrequentialResult:
    """What came out of the passes, one for each order; ``shared`` is what the results of the baselines have, too."""
    sizes = [one.resources.memory_bytes for one in passes]
    intervals = passes[-1].intervals
    return task.result(
        [one.scores for one in passes],
        seconds=sum(one.seconds for one in passes),
        memory_bytes=max((size for size in sizes if size is not None), default=None),
        baselines=baseline_results(
            task, [one.baselines for one in passes if one.baselines is not None], **shared
        ),
        left_out=passes[0].scores.left_out,
        resources=passes[-1].resources.lines(),
        drifts=passes[-1].drifts.events(),
        **shared,
        **more,
        **({} if intervals is None else {"last_intervals": intervals.intervals}),
    )


class _Pass:
    """One model over one stream: the loop."""

    def __init__(
        self,
        model: Any,
        scores: Scores,
        delay: int,
        baselines: BaselinePass | None,
        all_labels: AllLabelsPass | None = None,
        intervals: IntervalPass | None = None,
    ) -> None:
        self.scores = scores
        self.baselines = baselines
        self._all_labels = all_labels
        self.intervals = intervals
        self.resources = ResourceLog()
        self.drifts = DriftLog(model, delay)
        self.seconds = 0.0
        self._model = model
        self._late = LateLabels(delay) if delay else None
        self._sees_unlabeled = _sees_unlabeled(model, delay)
        self.n_unlabeled = 0

    @property
    def asked(self) -> float:
        """The share of the rows whose labels an active model has asked for."""
        return float(self._model.n_asked_ / max(self._model.n_rows_, 1))

    @property
    def regret(self) -> float:
        """Mistakes of a bandit beyond those of the same model with all labels."""
        assert self._all_labels is not None
        more = (self.scores.error - self._all_labels.scores.error) * self.scores.n_rows
        return round(more, 6)  # 100, not 100.00000000000001

    def run(
        self, stream: Stream, chunk_size: int, learn_late: bool, report: Callable[[_Pass, Stream], None]
    ) -> None:
        """Answer and learn all rows."""
        scores = self.scores
        if isinstance(self._model, RowByRow):
            self._model.feature_names = stream.feature_names
        unlabeled = 0
        for whole in stream.chunks(chunk_size):
            chunk = whole.labelled()
            seen = whole if self._sees_unlabeled else chunk
            unlabeled += len(whole) - len(chunk)
            self.n_unlabeled += len(seen) - len(chunk)
            if len(chunk):
                self._step(whole, chunk, seen, stream.name)
            elif len(seen):
                self._answered(seen, scores.options())
            if len(chunk) or (len(seen) and scores.n_rows):
                report(self, stream)
        if scores.n_rows == 0 and scores.left_out:
            raise DataError(
                f"{stream.name}: none of the {scores.left_out} rows was answered before its label came."
            )
        if scores.n_rows == 0:
            raise DataError(f"{stream.name}: no rows{' with a label' if unlabeled else ''}.")
        unlabeled += getattr(stream, "n_unlabeled", 0)
        if unlabeled:
            shown = " of the figures; the model is shown them" if self._sees_unlabeled else ""
            warn_of_data(f"{stream.name}: {unlabeled:,} rows without a label are left out{shown}.")
        if self._late is not None and learn_late:
            start = time.process_time()
            self._late.learn_rest(self._model)
            self.seconds += time.process_time() - start
            self.drifts.note(scores.left_out + scores.n_rows, 0, None)
        self.resources.end(scores.left_out + scores.n_rows, self.seconds, self._model)

    def _step(self, whole: Chunk, chunk: Chunk, seen: Chunk, name: str) -> None:
        """Answer, judge and learn a chunk; ``chunk`` has its rows with a label, ``seen`` those that the model is shown."""
        if chunk.weight is not None and self._late is not None:
            raise DataError(f"{name}: rows with weights cannot have late labels.")
        scores = self.scores
        truth = scores.truth(chunk)
        before = scores.left_out + scores.n_rows
        answers = self._answered(seen, scores.options())
        if len(seen) > len(chunk):
            answers = _of_labelled(answers, whole)
        scores.add(truth, answers, self._model)
        for other in (self.baselines, self._all_labels, self.intervals):
            if other is not None:
                other.add(chunk, truth)
        self.drifts.note(before, len(chunk.y), chunk.weight)
        self.resources.note(scores.n_rows, self.seconds, self._model)

    def _answered(self, chunk: Chunk, options: Mapping[str, Any]) -> Any:
        """The answers to a chunk, whose rows are learned too, or will be; the clock runs only here."""
        if chunk.weight is not None:
            options = {**options, "sample_weight": chunk.weight}
        start = time.process_time()
        if self._late is None:
            answers = self._model.test_then_train(*given(self._model, chunk), **options)
        else:
            answers = self._late.test_then_train(self._model, chunk, options)
        self.seconds += time.process_time() - start
        return answers


def _sees_unlabeled(model: Any, delay: int) -> bool:
    """Whether rows without labels go to the model as well: it learns the scales of the columns from them."""
    return not delay and getattr(model, "unlabeled", "ignore") == "statistics"


def _of_labelled(answers: Any, chunk: Chunk) -> Any:
    """The answers to the rows of a chunk that have a label."""
    absent = missing_labels(chunk.labels)
    assert absent is not None
    return tuple(one[~absent] for one in answers) if isinstance(answers, tuple) else answers[~absent]


def _asking(learner: Any, budget: float | None, query: str, seed: int) -> Any:
    """The model within a budget of labels, if there is one."""
    if budget is None:
        return learner
    from streamboost.feedback import ActiveClassifier

    return ActiveClassifier.around(learner, budget=budget, query=query, random_state=seed)


def _is_bandit(feedback: str, task: Task[Any], delay: int, budget: float | None) -> bool:
    if feedback not in ("labels", "bandit"):
        raise ValueError(f'feedback={feedback!r} is not allowed: choose "labels" or "bandit".')
    if feedback == "bandit" and (task.name != "classification" or delay or budget is not None):
        raise ValueError(
            'feedback="bandit" is for classifiers of single labels, and goes neither with a delay nor with a budget.'
        )
    return feedback == "bandit"


def _report(
    callback: Callable[[Progress], None] | None, order: int, n_orders: int
) -> Callable[[_Pass, Stream], None]:
    def report(now: _Pass, stream: Stream) -> None:
        if callback is not None:
            scores = now.scores
            error, seconds = scores.error, now.seconds
            callback(
                Progress(order, n_orders, scores.n_rows, error, seconds, stream.fraction, now.n_unlabeled)
            )

    return report


def _name_of(model: Any) -> str:
    inner = getattr(model, "estimator", None)
    if isinstance(model, Stepwise) and inner is not None:
        return f"{type(model).__name__}({type(inner).__name__})"
    return type(model).__name__


def _default_seed(model: Any) -> int:
    state = getattr(model, "random_state", None)
    return int(state) if isinstance(state, (int, np.integer)) else 0
