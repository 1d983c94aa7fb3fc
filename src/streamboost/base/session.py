"""One model at work: everything it has learned, the one way of rows into the core, and the lock that threads share.

    check -> code -> warn -> grow and learn (or ask) -> commit

A call holds the lock from its first look at the model to its last: one that learns alone, those that read together.
Whatever is refused is refused before the core is touched; from there on a call is committed piece by piece.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost import _core
from streamboost.base.answers import join, name_in_core, no_answers, present, present_row, unknown
from streamboost.base.errors import ClassesNeeded, TooManyClasses
from streamboost.base.inputs.arrays import LARGEST
from streamboost.base.inputs.encoding import CodedRows, check_counts, largest_magnitude
from streamboost.base.inputs.labels import ClassCodes
from streamboost.base.inputs.schema import Growth, Schema
from streamboost.base.inputs.sources import Source
from streamboost.base.params import BoosterPlan, LearnerPlan
from streamboost.base.pending import NOTHING_SAID, LateRecords, PendingAnswers, Records, records_to_learn
from streamboost.base.pieces import (
    InterruptsWait,
    LearningInterrupted,
    Pace,
    TrainingBatch,
    clock,
    say_how_far,
    since,
)
from streamboost.base.warned import (
    UNSCALED,
    Warned,
    looking_like_texts,
    warn_of_capped,
    warn_of_scale,
    warn_user,
)

JUDGED_AFTER = 1000
"""Examples learned before the behaviour of an ensemble says anything about it."""
LOOK_BACK_EVERY = 1024
"""Rows of the short way between two looks back at what was learned."""
MOST_OF_A_DICT = 1024
"""Columns of rows that may take the short way, which asks for all of them."""
FEW = 64
"""Labels and columns up to which the short way is made anew with every new one."""


class Session:
    """The state behind a started estimator: code maps in Python, numbers in the core.

    Callers of its methods hold ``reading`` or ``writing``. Learners written in Python may not be ready for two threads
    at once, so their readers take turns, too.
    """

    def __init__(
        self,
        title: str,
        booster: BoosterPlan,
        learner: LearnerPlan,
        *,
        n_estimators: int,
        seed: int,
        tie: str,
        monitor: bool,
        threads: int = 1,
        labels: ClassCodes,
        schema: Schema,
        frozen: dict[str, Any],
        stages: Mapping[str, Any] = MappingProxyType({}),
        unlabeled: bool = False,
        class_settings: Callable[
            [Sequence[Any], bool], NDArray[np.float64] | None
        ] = lambda labels, declared: None,
    ) -> None:
        self.title = title
        self.booster = booster
        self.learner = learner
        self.seed = seed
        self.labels = labels
        self.schema = schema
        self.frozen = frozen
        self.monitor = monitor
        self.metadata: dict[str, Any] = {}
        self.class_settings = class_settings
        self.read_only = False
        self.broken: str | None = None
        self.warned = Warned()
        self.judged = False  # whether the learners were looked at, after JUDGED_AFTER examples
        self.pace, self.ask_pace = Pace(threads), Pace(threads)
        self._delayed: Warning | None = None
        self._pending: tuple[int, Growth, list[Any]] | None = None
        self._reserved = False
        self._shares_maps = False
        self._changes = _core.parameter_changes()
        self.plan: dict[str, Any] = {
            "booster": booster.name,
            "booster_params": booster.params,
            "learner": learner.bank,
            "learner_params": learner.params,
            "n_estimators": n_estimators,
            "seed": seed,
            "tie": tie,
            "monitor": monitor,
            "lane_factory": learner.lane_factory,
            "threads": 1 if self.in_python else threads,  # what is written in Python holds the GIL
            "guard": booster.guard,
            "companions": list(booster.companions),
            "pool": booster.pool,
            "outer_companions": list(booster.outer_companions),
            "outer_pool": booster.outer_pool,
            "experts": list(booster.experts),
            "referee": booster.referee,
            "encoding": booster.encoding,
            "whole_companions": list(booster.whole_companions),
            "whole_pool": booster.whole_pool,
            "lags": booster.lags,
            "stages": dict(stages),
            "max_bytes": booster.max_bytes,
            "tokens": learner.tokens,
            "unlabeled": unlabeled,
        }
        self._use(self._new_model())

    @property
    def detectors(self) -> Any:
        """The detectors of drift if they are written in Python, else None."""
        return self.booster.guard.get("detectors")

    @property
    def in_python(self) -> bool:
        """Whether a part of the model is written in Python: it then keeps the GIL, has one thread and no file."""
        return self.learner.lane_factory is not None or self.detectors is not None

    def _new_model(self) -> _core.Model:
        return _core.Model(**self.plan)

    def _use(self, model: _core.Model) -> None:
        self.model = model
        self.fast: _core.FastRow | None = None
        self.writing = model.writing()
        self.reading = self.writing if self.in_python else model.reading()

    def snapshot(self) -> Session:
        """Return a copy that is only ever read."""
        other = copy.copy(self)
        other._use(self.model.clone())
        other.labels, other.schema = copy.deepcopy(self.labels), copy.deepcopy(self.schema)
        other.warned = self.warned.copy()
        other.read_only = True
        other.refresh_fast()
        return other

    def twin(self, model: _core.Model) -> Session:
        """Return a session of another model with the same columns and labels; code maps are shared until one of them grows.

        Whoever calls it knows that the parameters are still those that both were made with.
        """
        fast, self._shares_maps = self.fast, True
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._use(model)
        other.warned, other.pace, other.ask_pace = (
            self.warned.copy(),
            self.pace.fresh(),
            self.ask_pace.fresh(),
        )
        other._changes = _core.parameter_changes()
        if fast is not None:
            other.fast = fast.of(model)
            other.fast.checked(other._changes)
        return other

    def share_maps(self, other: Session) -> None:
        """Use the code maps of another session, which are equal, until one of the two grows."""
        self.labels, self.schema = other.labels, other.schema
        self._shares_maps = other._shares_maps = True

    def room(self) -> tuple[NDArray[np.int64], int, bool, NDArray[np.float64] | None]:
        """Return what the core must have room for."""
        return self.schema.n_values(), len(self.labels), self.labels.declared, self._settings_of_classes([])

    def grow_like(self, other: Session, room: Any) -> None:
        """Have the columns and labels of another session (this one's and more) and its room; the row that brings them is next."""
        self.model.reserve(*room)
        self.share_maps(other)
        if other.fast is not None:
            self.fast = other.fast.of(self.model)
            self.fast.checked(self._changes)

    @property
    def knows_classes(self) -> bool:
        """Whether a class was declared or learned."""
        return len(self.labels) > 0

    # Checks: before anything is touched.

    def check_classes(self, new: list[Any]) -> None:
        """Refuse labels that this algorithm or its learner cannot take, before anything is learned."""
        self._settings_of_classes(new)
        total = len(self.labels) + len(new)
        limit = self.booster.max_classes
        if limit is not None and total > limit:
            raise TooManyClasses(self.title, total, self._some_classes(new))
        if self.booster.declared and not self.labels.declared:
            raise ClassesNeeded(self.title, self._some_classes(new))
        discovers = self.learner.discovers
        if self.labels.declared or discovers is None:
            return
        if total > max(discovers, limit or 0):
            raise ClassesNeeded(
                f"{self.learner.title} with {'more than two' if discovers else 'any'} classes",
                self._some_classes(new),
            )

    def _some_classes(self, new: list[Any]) -> list[Any]:
        return [*self.labels.classes[:10].tolist(), *new][:10]

    def _settings_of_classes(self, new: list[Any]) -> NDArray[np.float64] | None:
        """Return what the user says of the classes, by code, or refuse it."""
        known = self.labels.book.values
        return self.class_settings([*known, *new] if new else known, self.labels.declared)

    def _coded(self, source: Source, active: NDArray[np.bool_] | None, grow: bool) -> CodedRows:
        rows = source.coded(self.schema, active, grow)
        if self.learner.counts:
            check_counts(rows, self.schema, self.learner.title)
        return rows

    def _warn_of(self, rows: CodedRows, active: NDArray[np.bool_] | None) -> bool:
        """Warn of odd rows, and raise what the call before could not; whether the values are large for the learner."""
        delayed, self._delayed = self._delayed, None
        if delayed is not None:
            raise delayed
        unscaled = False
        if self.learner.warns_unscaled and not self.warned.unscaled:
            unscaled = warn_of_scale(rows, active, self.schema, self.learner.title)
        warn_of_capped(
            self.schema, [column for column in rows.growth.capped if column not in self.warned.capped]
        )
        return unscaled

    def advise(self, line: str) -> None:
        """Warn about what was learned. Where warnings are errors the next call raises it instead, before it learns."""
        try:
            warn_user(line)
        except Warning as error:
            self._delayed = error
            self.fast = None

    # Learning.

    def learn(
        self,
        source: Source,
        y: NDArray[Any],
        weight: NDArray[np.float64] | None,
        answer: str,
        pending: PendingAnswers | LateRecords | None = None,
        unlabeled: NDArray[np.bool_] | None = None,
    ) -> Any:
        """Learn rows that were read, and answer for each before it is learned.

        ``"row"`` is the answer to a single row: its label, and the probability of each class that was known before it.
        Rows that are `unlabeled`, and weigh nothing, move the statistics of the columns, once a row has been learned.
        """
        known_before = len(self.labels)
        active = None if weight is None else weight > 0
        codes, new = self.labels.encode(y, active)
        self.check_classes(new)
        if unlabeled is not None and active is not None:
            unlabeled = unlabeled & ~active
            if self.model.n_learned == 0:
                unlabeled[: int(np.argmax(active)) if active.any() else None] = False
            active = active | unlabeled
        learns = active is None or bool(active.any())
        rows = self._coded(source, active, learns)
        records, places = self._records(pending, source.n_rows, weight, len(self.labels) + len(new))
        if learns:
            known = {c: len(self.schema.books[c] or ()) for c in rows.growth.values if c < self.schema.width}
            batch = TrainingBatch(
                rows, codes, weight, new, len(self.labels), known, records, places, unlabeled
            )
            raw = self._learn_warning(batch, active, name_in_core(answer))
        elif isinstance(pending, LateRecords) and self.knows_classes:
            said = np.empty((source.n_rows, records.shape[1]))
            raw = self._ask(rows, name_in_core(answer), said)
            records[places] = said
        else:
            raw = None if answer == "none" else self._ask(rows, name_in_core(answer))
        return None if raw is None else self._present(raw, answer, known_before)

    def _learn_warning(
        self, batch: TrainingBatch, active: NDArray[np.bool_] | None, answer: str
    ) -> NDArray[Any] | None:
        """Learn rows, with a word before about those that are odd, and after about what was learned."""
        rows = batch.rows
        unscaled = self._warn_of(rows, active)
        try:
            raw = self._learn_in_pieces(batch, answer)
        except BaseException as error:
            learned = rows.cut(0, getattr(error, "n_rows_learned", 0))
            self.warned.unscaled |= unscaled and largest_magnitude(learned, self.schema) > UNSCALED
            raise
        self.warned.unscaled |= unscaled
        self.warned.capped.update(rows.growth.capped)
        # Rows that bring one label or column after another would make it again and again, which costs as much as there are.
        if max(len(self.labels), self.schema.width) <= FEW or not (batch.new_labels or rows.growth):
            self.refresh_fast()
        for line in looking_like_texts(rows.growth, self.schema, self.model.n_learned):
            self.advise(line)
        return raw

    def _learn_in_pieces(self, batch: TrainingBatch, answer: str) -> NDArray[Any] | None:
        """Learn piece by piece (pieces.py): a call that stops says how many rows it has learned."""
        n, done, first, end, begun = batch.rows.n_rows, 0, 0, 0, self.model.n_seen
        at_start, least = begun, batch.first_active + 1
        parts: list[NDArray[Any]] = []
        try:
            with InterruptsWait(self.in_python) as interrupts:
                while done < n:
                    first, begun = done, self.model.n_seen
                    end = batch.until(done, min(n, max(done + self.pace.rows, least)))
                    start = clock()
                    raw = self._learn_piece(batch.piece(done, end, self.schema, self.labels), answer)
                    self.pace.took(end - done, since(start, self.pace.threads), self.model.seconds_growing)
                    if raw is not None:
                        parts.append(raw)
                    done = end
                    interrupts.check()
        except BaseException as error:
            self.settle()
            if self.model.broken:
                self.broken = f"{type(error).__name__}: {error}"
                self.fast = None
                raise
            done = batch.after(first, end, self.model.n_seen - begun)
            if isinstance(error, KeyboardInterrupt):
                raise LearningInterrupted(done, n) from error
            if self.model.n_seen != at_start:
                say_how_far(error, done, n)
            raise
        return join(parts, answer) if parts else None

    def _learn_piece(self, piece: TrainingBatch, answer: str) -> NDArray[Any] | None:
        growth, new = piece.rows.growth, piece.new_labels
        room = None
        if growth or new or not self._reserved:
            n_classes = len(self.labels) + len(new)
            room = (
                self.schema.n_values(growth),
                n_classes,
                self.labels.declared,
                self._settings_of_classes(new),
            )
            self.fast = None
            if self._shares_maps:
                self.labels, self.schema = copy.deepcopy(self.labels), copy.deepcopy(self.schema)
                self._shares_maps = False
            self._pending = self.model.n_seen, growth, new
            self._tell_lanes(growth, n_classes)
        said: dict[str, Any] = {}
        if piece.records is not None:
            said = {"records": piece.records, "places": piece.places}
        if piece.unlabeled is not None:
            said["unlabeled"] = piece.unlabeled
        raw = self.model.learn(piece.rows.native, piece.codes, piece.weight, answer, room, **said)
        self.settle()
        return raw

    def _records(
        self,
        pending: PendingAnswers | LateRecords | None,
        n_rows: int,
        weight: NDArray[np.float64] | None,
        n_classes: int,
    ) -> tuple[Any, Any]:
        """Return what was said to the rows, and where that of each is; None if nobody says."""
        if pending is None:
            return None, None
        if isinstance(pending, LateRecords):
            return pending.widen(self.model.record_width(n_classes)), pending.places
        return records_to_learn(pending, n_rows, weight)

    def settle(self) -> None:
        """Let the code maps follow what the core has learned, whatever has happened in between; does nothing twice."""
        pending = self._pending
        if pending is None:
            return
        before, growth, new = pending
        if self.model.n_seen > before and not self.model.broken:
            self.schema.commit(growth)
            self.labels.extend(new)
            self._reserved = True
        else:
            self._tell_lanes(Growth(), len(self.labels))
        self._pending = None

    def _tell_lanes(self, growth: Growth, n_classes: int) -> None:
        """Let learners written in Python know the columns and categories."""
        scope = self.learner.scope
        if scope is None:
            return
        scope.n_classes = max(n_classes, self.booster.max_classes or 0)
        names = range(self.schema.width) if self.schema.names is None else self.schema.names
        scope.names = [*names, *growth.names]
        scope.values = [None if book is None else list(book.values) for book in self.schema.books]
        scope.values += [[] if nominal else None for nominal in growth.nominal]
        for column, new in growth.values.items():
            values = scope.values[column]
            if values is not None:
                values += new

    def reserve_all(self) -> None:
        """Let the core take the size that the code maps have."""
        self.model.reserve(*self.room())
        self._tell_lanes(Growth(), len(self.labels))
        self._reserved = True

    # Answering.

    def ask(self, source: Source, answer: str) -> Any:
        """Answer for rows without touching the model."""
        if not source.n_rows:
            source.check(self.schema)
            return no_answers(answer, self.labels)
        wanted = name_in_core(answer)
        return self._present(self._ask(self._coded(source, None, False), wanted), answer, len(self.labels))

    def pending(self, source: Source, answer: str) -> tuple[Any, Records]:
        """Answer for rows, and keep what the parts of the model said."""
        if not self.knows_classes:
            return self.ask(source, answer), np.full((source.n_rows, 1), NOTHING_SAID)
        records = np.zeros((source.n_rows, self.model.record_width(len(self.labels))))
        if not source.n_rows:
            return self.ask(source, answer), records
        wanted = name_in_core(answer)
        raw = self._ask(self._coded(source, None, False), wanted, records)
        return self._present(raw, answer, len(self.labels)), records

    def _ask(self, rows: CodedRows, answer: str, records: Records | None = None) -> NDArray[Any]:
        if not self.knows_classes:
            return unknown(rows.n_rows, answer)
        done, parts = 0, []
        while done < rows.n_rows:
            end = min(rows.n_rows, done + self.ask_pace.rows)
            start = clock()
            said = () if records is None else (records[done:end],)
            raw = self.model.ask(rows.cut(done, end).native, answer, *said)
            self.ask_pace.took(end - done, since(start, self.ask_pace.threads))
            parts.append(raw)
            done = end
        return join(parts, answer)

    def _present(self, raw: NDArray[Any], answer: str, known: int) -> Any:
        return (
            present_row(raw[0], self.labels, known) if answer == "row" else present(raw, answer, self.labels)
        )

    # The short way of dicts.

    def parameters_checked(self, changes: int) -> None:
        """Remember that the parameters were compared; the short way of dicts is open until somebody sets one."""
        self._changes = changes
        if self.fast is not None:
            self.fast.checked(changes)

    def refresh_fast(self) -> None:
        """Prepare the short way for dict rows; Python-written learners take the long one."""
        largest = UNSCALED if self.learner.warns_unscaled and not self.warned.unscaled else LARGEST
        fast, labels, schema = self.fast, self.labels, self.schema
        if fast is None or fast.width != schema.width or fast.n_classes != len(labels):
            if self.in_python or not self.knows_classes or self._delayed is not None:
                return
            # Rows that are not a dense row of numbers, or are checked; dicts of so many columns never have all of them.
            if self.learner.counts or schema.words or schema.sparse or schema.width > MOST_OF_A_DICT:
                return
            fast = _core.FastRow(
                self.model,
                list(range(schema.width)) if schema.names is None else list(schema.names),
                [None if book is None else book.codes for book in schema.books],
                labels.codes,
                labels.book.values,
                labels.order.tolist(),
                largest,
                not self.read_only,
            )
        fast.largest = largest
        fast.checked(self._changes)
        self.fast = fast


def looks_back(n_learned: int, judged: bool) -> bool:
    """Whether it is time to look back at what was learned, after the n-th row, which has taken the short way."""
    return n_learned > 0 and (n_learned % LOOK_BACK_EVERY == 0 or (n_learned >= JUDGED_AFTER and not judged))
