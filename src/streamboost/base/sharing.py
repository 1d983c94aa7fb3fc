"""A model that threads share: which session is at work, who may start or replace it, and how it is read.

The first rows start a session, `fit` replaces it, and calls that waited for one that is gone by then look again. So every
call works on one session from beginning to end, and what it sees is the state between two calls.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError

from streamboost import _core
from streamboost.base.inputs.labels import ClassCodes, check_same_classes, declare, read_labels
from streamboost.base.inputs.schema import Schema
from streamboost.base.inputs.weights import read_weight
from streamboost.base.params import LearnerPlan, changed_parameter
from streamboost.base.pieces import LearningInterrupted
from streamboost.base.random import draw_seed
from streamboost.base.session import Session, Source, looks_back, no_answers

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")


class SharedModel:
    """An estimator's side of the session."""

    _session: Session | None = None
    _validate_params: Callable[[], None]
    random_state: Any
    categorical_features: Any
    _nothing_known: ClassVar[str] = "no class is declared or learned"

    @abstractmethod
    def _new_session(
        self,
        seed: int,
        labels: ClassCodes,
        columns: Schema,
        lanes: list[Any] | None = None,
        n_fit: int | None = None,
    ) -> Session: ...

    @abstractmethod
    def _learner_plan(self, seed: int) -> LearnerPlan: ...

    def _remarks(self, session: Session) -> list[str]:
        """Return what is to be said about what was learned, each thing once."""
        return []

    # For the packages that keep models or move them between processes.

    @property
    def started(self) -> bool:
        """Whether rows have come that fixed columns and labels."""
        return self._session is not None

    @property
    def is_snapshot(self) -> bool:
        """Whether the model is one that :meth:`snapshot` gave, which never learns."""
        return self._session is not None and self._session.read_only

    @property
    def session(self) -> Session | None:
        """The state at work: internal, for the packages of streamboost; None before the first row."""
        return self._session

    def take_session(self, session: Session | None) -> None:
        """Go on with another state: internal, for the packages of streamboost."""
        self._session = session

    # Learning.

    def _learn(
        self,
        source: Source,
        y: Any,
        classes: ArrayLike | None,
        sample_weight: Any,
        answer: str = "none",
        *,
        fit: bool = False,
    ) -> Any:
        """Learn rows that were read; every verb that learns ends here."""
        weight = read_weight(sample_weight, source.n_rows)
        while True:
            session = self._session
            if session is not None and session.read_only:
                raise RuntimeError(
                    f"This {type(self).__name__} is a snapshot, which never learns. Teach the model it was taken from, "
                    "or a copy.deepcopy of the snapshot."
                )
            if session is None or fit:
                taken, answers = self._learn_first(source, y, classes, weight, answer, fit)
                if taken:
                    return answers
                continue
            with session.writing:
                if session is not self._session:
                    continue
                self._check(session)
                if classes is not None:
                    check_same_classes(classes, session.labels)
                labels = self._read_labels(y, source, session.labels)
                if source.n_rows:
                    answers = session.learn(source, labels, weight, answer)
                else:
                    answers = session.ask(source, answer)
            self._look_back(session)
            return answers

    def _learn_first(
        self,
        source: Source,
        y: Any,
        classes: ArrayLike | None,
        weight: NDArray[np.float64] | None,
        answer: str,
        fit: bool,
    ) -> tuple[bool, Any]:
        """Start a session with these rows, which stays if it has learned some. False if another thread was first."""
        labels = self._first_labels(classes)
        y = self._read_labels(y, source, labels)
        n_active = source.n_rows if weight is None else int((weight > 0).sum())
        if fit:
            if not n_active:
                raise ValueError(
                    "Sample weights must contain at least one non-zero number: there is nothing to learn."
                )
            labels = self._first_labels(np.unique(y))
        if not source.n_rows:  # it is the first rows that fix columns and labels: no rows, nothing
            return True, no_answers(answer, self._first_labels(None))
        self._validate_params()
        schema = source.first_schema(self.categorical_features)
        session = self._new_session(
            draw_seed(self.random_state), labels, schema, n_fit=n_active if fit else None
        )
        session.check_classes([])
        if not n_active:  # checked and answered like any others, and otherwise ignored: nothing is fixed
            session.reserve_all()
            return True, session.learn(source, y, weight, answer)
        with session.writing:
            # Others may find the session now: they wait until it has learned, or see that it is gone again.
            if not fit and self.__dict__.setdefault("_session", session) is not session:
                return False, None
            try:
                answers = session.learn(source, y, weight, answer)
            except BaseException as error:
                stays = (
                    session.model.n_learned > 0 and session.broken is None and hasattr(self, "partial_fit")
                )
                if fit and stays:
                    self._session = session
                elif not fit and not stays and self._session is session:
                    del self.__dict__["_session"]
                if isinstance(error, LearningInterrupted) and not stays:
                    raise LearningInterrupted(0, source.n_rows) from error
                raise
            if fit:
                self._session = session
        self._look_back(session)
        return True, answers

    def _first_labels(self, classes: ArrayLike | None) -> ClassCodes:
        """Return what is known of the labels before the first row."""
        return ClassCodes() if classes is None else declare(classes)

    def _read_labels(self, y: Any, source: Source, known: ClassCodes) -> Any:
        return read_labels(y, source.n_rows, type(self).__name__, discovering=not known.declared)

    def _learn_fast(self, x: Any, y: Any) -> bool:
        """Learn one dict by the short way, if it is as usual."""
        session = self._session
        if session is None or session.fast is None:
            return False
        n_learned = session.fast.learn(x, y)
        if looks_back(n_learned, session.judged):
            self._look_back(session)
        return n_learned > 0

    def _test_then_train_fast(self, x: Any, y: Any) -> tuple[Any, ...] | None:
        """The same with the answer of just before: label and probabilities, or a number; None if the row is not as usual."""
        session = self._session
        if session is None or session.fast is None:
            return None
        found = session.fast.test_then_train(x, y)
        if found is NotImplemented:
            return None
        n_learned, *answer = found
        if looks_back(n_learned, session.judged):
            self._look_back(session)
        return tuple(answer)

    def _look_back(self, session: Session) -> None:
        """Warn about what was learned, when there is enough to tell that something is wrong."""
        with session.reading:
            lines = self._remarks(session) if session.broken is None else []
        for line in lines:
            session.advise(line)

    # Reading.

    def _read(self, look: Callable[[Session], T], *, fitted: bool = True) -> T:
        """Look at the session between two calls. `fitted`: it must know a class and be able to answer."""
        while True:
            session = self._session
            if session is None:
                self._refuse_unfitted(fitted)
            with session.reading:
                if session is not self._session:
                    continue
                if fitted:
                    self._check(session)
                    if not session.knows_classes:
                        self._refuse_unfitted(fitted)
                return look(session)

    def _refuse_unfitted(self, fitted: bool) -> NoReturn:
        if not fitted:
            raise AttributeError(f"This {type(self).__name__} has not seen any data yet.")
        raise NotFittedError(
            f"This {type(self).__name__} instance is not fitted yet: {self._nothing_known}. "
            "Call fit, partial_fit or test_then_train first."
        )

    def _check(self, session: Session) -> None:
        """Refuse a session that cannot go on, or whose parameters are no longer the estimator's."""
        session.settle()
        if session.broken is not None:
            raise RuntimeError(
                f"This {type(self).__name__} is broken: a call raised in the middle of a row ({session.broken}), "
                "so some learners have seen rows that others have not. Call fit to start again."
            )
        if session.read_only:
            return
        changes = _core.parameter_changes()  # before they are compared: a later one must be seen later
        name = changed_parameter(self, session.frozen)
        if name is not None:
            raise ValueError(
                f"The parameter {name} of this {type(self).__name__} was changed after its first call, which froze it. "
                "Call fit to start again with the new value, or set the old one back."
            )
        session.parameters_checked(changes)

    def snapshot(self) -> Self:
        """Return a copy of the model as it is now, for reading only.

        A snapshot answers, reports and saves like the model it was taken from, and never waits for it: threads that
        must answer at once while another learns read from snapshots. It does not learn; a ``copy.deepcopy`` of it does.

        Returns
        -------
        model
            Of the same class, with the same parameters.
        """
        session = self._read(self._snapshot_of)
        other = type(self).__new__(type(self))
        own = ("_session", "_session_kind")  # a snapshot lives in this process, wherever the model does
        other.__dict__.update({name: value for name, value in self.__dict__.items() if name not in own})
        other._session = session
        return other

    def _snapshot_of(self, session: Session) -> Session:
        if not session.in_python:
            return session.snapshot()
        copied = self._copied_session(session)
        copied.read_only = True
        return copied

    @abstractmethod
    def _copied_session(self, session: Session) -> Session: ...
