"""A model that threads share: which session is at work, who may start or replace it, and how it is read.

The first rows start a session, `fit` replaces it, and calls that waited for one that is gone by then look again. So every
call works on one session from beginning to end, and what it sees is the state between two calls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError

from streamboost import _core
from streamboost.base.answers import no_answers
from streamboost.base.files.persist import copied_session
from streamboost.base.inputs.labels import check_length, check_same_classes
from streamboost.base.inputs.sources import Source
from streamboost.base.inputs.unlabeled import filled, missing_labels
from streamboost.base.inputs.weights import check_something_weighs, read_weight
from streamboost.base.params import changed_parameter
from streamboost.base.pending import LateRecords, PendingAnswers, Records
from streamboost.base.pieces import LearningInterrupted
from streamboost.base.random import draw_seed
from streamboost.base.session import Session, looks_back
from streamboost.base.warned import warn_user

if TYPE_CHECKING:
    from streamboost.base.estimator import Estimator

T = TypeVar("T")


def learn(
    model: Estimator,
    source: Source,
    y: Any,
    classes: ArrayLike | None,
    sample_weight: Any,
    answer: str = "none",
    *,
    fit: bool = False,
    pending: PendingAnswers | LateRecords | None = None,
) -> Any:
    """Learn rows that were read; every verb that learns ends here."""
    weight = read_weight(sample_weight, source.n_rows)
    absent = None if fit else missing_labels(y)
    if absent is not None:
        y, weight = _without_labels(model, y, absent, classes, weight, source.n_rows)
    unlabeled = absent if model._counts_unlabeled else None
    while True:
        session = model._session
        if session is not None and session.read_only:
            raise RuntimeError(
                f"This {type(model).__name__} is a snapshot, which never learns. Teach the model it was taken from, "
                "or a copy.deepcopy of the snapshot."
            )
        if session is None or fit:
            taken, answers = _learn_first(model, source, y, classes, weight, answer, fit, pending, unlabeled)
            if taken:
                if absent is not None and model._session is not None:
                    model._session.warned.unlabeled = True
                return answers
            continue
        with session.writing:
            if session is not model._session:
                continue
            _check(model, session)
            if classes is not None:
                check_same_classes(classes, session.labels)
            labels = model._read_labels(y, source, session.labels)
            if source.n_rows:
                answers = session.learn(source, labels, weight, answer, pending, unlabeled)
            else:
                answers = session.ask(source, answer)
        look_back(model, session)
        return answers


def _without_labels(
    model: Estimator,
    y: Any,
    absent: NDArray[np.bool_],
    classes: ArrayLike | None,
    weight: NDArray[np.float64] | None,
    n_rows: int,
) -> tuple[Any, NDArray[np.float64]]:
    """Rows without a label are answered like any others and teach nothing: their weight is 0."""
    check_length(len(absent), n_rows)
    session = model._session
    known = session.labels.book.values if session is not None else ()
    if not len(known) and classes is not None:
        known = np.asarray(classes).tolist()
    if not model._counts_unlabeled and (session is None or not session.warned.unlabeled):
        if session is not None:
            session.warned.unlabeled = True
        warn_user(
            f"Rows without a label came to this {type(model).__name__}, the first time {int(absent.sum())} of {n_rows}: it does "
            "not learn them."
        )
    return filled(y, absent, known), np.where(absent, 0.0, 1.0 if weight is None else weight)


def _learn_first(
    model: Estimator,
    source: Source,
    y: Any,
    classes: ArrayLike | None,
    weight: NDArray[np.float64] | None,
    answer: str,
    fit: bool,
    pending: PendingAnswers | LateRecords | None,
    unlabeled: NDArray[np.bool_] | None,
) -> tuple[bool, Any]:
    """Start a session with these rows, which stays if it has learned some. False if another thread was first."""
    labels = model._first_labels(classes)
    y = model._read_labels(y, source, labels)
    n_active = source.n_rows if weight is None else int((weight > 0).sum())
    if fit:
        check_something_weighs(weight)
        labels = model._first_labels(y)
    if not source.n_rows:  # the first rows fix columns and labels; a call without rows fixes nothing
        return True, no_answers(answer, model._first_labels(None))
    model._validate_params()
    schema = source.first_schema(model.categorical_features, model._word_features())
    session = model._new_session(
        draw_seed(model.random_state), labels, schema, n_fit=n_active if fit else None
    )
    session.check_classes([])
    if not n_active:  # checked and answered like any others, and otherwise ignored: nothing is fixed
        session.reserve_all()
        return True, session.learn(source, y, weight, answer, pending)
    with session.writing:
        # Others may find the session now: they wait until it has learned, or see that it is gone again.
        if not fit and model.__dict__.setdefault("_session", session) is not session:
            return False, None
        try:
            answers = session.learn(source, y, weight, answer, pending, unlabeled)
        except BaseException as error:
            stays = session.model.n_learned > 0 and session.broken is None and hasattr(model, "partial_fit")
            if fit and stays:
                model._session = session
            elif not fit and not stays and model._session is session:
                del model.__dict__["_session"]
            if isinstance(error, LearningInterrupted) and not stays:
                raise LearningInterrupted(0, source.n_rows) from error
            raise
        if fit:
            model._session = session
    look_back(model, session)
    return True, answers


def learn_fast(model: Estimator, x: Any, y: Any, pending: Any = None) -> bool:
    """Learn one dict by the short way, with its record if there is one; False: it is not as usual."""
    session = model._session
    if session is None or session.fast is None:
        return False
    if pending is None:
        n_learned = session.fast.learn(x, y)
    elif isinstance(pending, PendingAnswers) and len(pending) == 1:
        n_learned = session.fast.learn_pending(x, y, pending.records.tobytes())
    else:
        return False
    if looks_back(n_learned, session.judged):
        look_back(model, session)
    return n_learned > 0


def pending_fast(model: Estimator, x: Any) -> tuple[Any, Records] | None:
    """Answer one dict by the short way, with its record; None if it is not as usual."""
    session = model._session
    found: Any = (
        NotImplemented if session is None or session.fast is None else session.fast.predict_pending(x)
    )
    if found is NotImplemented:
        return None
    answer, said = found
    return answer, np.frombuffer(said).reshape(1, -1)


def test_then_train_fast(model: Estimator, x: Any, y: Any) -> tuple[Any, ...] | None:
    """The same with the answer of just before: label and probabilities, or a number; None if the row is not as usual."""
    session = model._session
    if session is None or session.fast is None:
        return None
    found = session.fast.test_then_train(x, y)
    if found is NotImplemented:
        return None
    n_learned, *answer = found
    if looks_back(n_learned, session.judged):
        look_back(model, session)
    return tuple(answer)


def look_back(model: Estimator, session: Session) -> None:
    """Warn about what was learned, when there is enough to tell that something is wrong.

    The rows are learned: where there is no memory to look at them, that is no failure of the call.
    """
    try:
        with session.reading:
            lines = model._remarks(session) if session.broken is None else []
    except MemoryError:
        return
    for line in lines:
        session.advise(line)


def read(model: Estimator, look: Callable[[Session], T], *, fitted: bool = True) -> T:
    """Look at the session between two calls. `fitted`: it must know a class and be able to answer."""
    while True:
        session = model._session
        if session is None:
            refuse_unfitted(model, fitted)
        with session.reading:
            if session is not model._session:
                continue
            if fitted:
                _check(model, session)
                if not session.knows_classes:
                    refuse_unfitted(model, fitted)
            return look(session)


def refuse_unfitted(model: Estimator, fitted: bool) -> NoReturn:
    """Raise for a model that has seen nothing: AttributeError for attributes, NotFittedError for answers (`fitted`)."""
    if not fitted:
        raise AttributeError(f"This {type(model).__name__} has not seen any data yet.")
    raise NotFittedError(
        f"This {type(model).__name__} instance is not fitted yet: {model._nothing_known}. "
        "Call fit, partial_fit or test_then_train first."
    )


def _check(model: Estimator, session: Session) -> None:
    """Refuse a session that cannot go on, or whose parameters are no longer the estimator's."""
    session.settle()
    if session.broken is not None:
        raise RuntimeError(
            f"This {type(model).__name__} is broken: a call raised in the middle of a row ({session.broken}), "
            "so some learners have seen rows that others have not. Call fit to start again."
        )
    if session.read_only:
        return
    # Read before they are compared, so that a later change is seen by a later call.
    changes = _core.parameter_changes()
    name = changed_parameter(model, session.frozen)
    if name is not None:
        raise ValueError(
            f"The parameter {name} of this {type(model).__name__} was changed after its first call, which froze it. "
            "Call fit to start again with the new value, or set the old one back."
        )
    session.parameters_checked(changes)


def snapshot(model: Estimator) -> Any:
    """Return a copy of a model as it is now, for reading only."""
    session = read(model, lambda session: _snapshot_of(model, session))
    other = type(model).__new__(type(model))
    own = ("_session", "_session_kind")  # a snapshot lives in this process, wherever the model does
    other.__dict__.update({name: value for name, value in model.__dict__.items() if name not in own})
    other._session = session
    return other


def _snapshot_of(model: Estimator, session: Session) -> Session:
    if not session.in_python:
        return session.snapshot()
    copied = copied_session(model, session)
    copied.read_only = True
    return copied
