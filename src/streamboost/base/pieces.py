"""A long call in pieces: each is learned and committed by itself, so that a call can stop between two of them.

Learning is the same bit for bit however a stream is cut, so pieces change nothing about what is learned. They are made
to take some tens of milliseconds: after each one Python looks for signals, and Ctrl-C finds a model that has learned
exactly the rows of the pieces before.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` makes enumerations first, which cost ten times the call
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.base.inputs.encoding import CodedRows
from streamboost.base.inputs.labels import ClassCodes
from streamboost.base.inputs.schema import Growth, Schema

PIECE_SECONDS = 0.04
MOST_THREADS = 256  # the limit of the core
ROWS_PER_THREAD = 64
"""A piece has at least so many rows for each thread: with fewer, the last one waits longer for its first row than it works."""
_FEW_ROWS = 16  # a piece as small as this says little about the cost of a row
_LEARNED = "The model has learned"


class LearningInterrupted(KeyboardInterrupt):
    """Ctrl-C has stopped a call that learns; the model has learned exactly its first ``n_rows_learned`` rows.

    The model is sound: it answers, saves, and can go on with the rest of the rows.
    """

    def __init__(self, n_rows_learned: int, n_rows: int) -> None:
        super().__init__(
            f"stopped after {n_rows_learned} of {n_rows} rows: the model has learned exactly those and can go on "
            f"with the others"
        )
        self.n_rows_learned = n_rows_learned


def clock() -> tuple[float, float]:
    """The time on the wall and that of the processor."""
    return time.perf_counter(), time.process_time()


def since(begun: tuple[float, float], threads: int = 1) -> float:
    """The seconds that each thread has worked since then.

    Other programs must not make pieces small, nor may a model that waits make them large.
    """
    wall, processor = (now - then for now, then in zip(clock(), begun, strict=True))
    return max(min(wall, processor / threads), wall / 10)


class Pace:
    """How many rows make a piece, from the time that the last ones took."""

    def __init__(self, threads: int = 1) -> None:
        self.threads = threads
        self.least = ROWS_PER_THREAD * min(threads, MOST_THREADS) if threads > 1 else 1
        self.rows = max(64, self.least)

    def fresh(self) -> Pace:
        """One for a model like this."""
        return Pace(self.threads)

    def took(self, n_rows: int, seconds: float, growing: float = 0.0) -> None:
        """Learn from one piece. What growing took falls on all its rows: one that grows for long has more of them."""
        if n_rows >= _FEW_ROWS or seconds > PIECE_SECONDS:
            growing = min(growing, 0.9 * seconds)  # two clocks
            wanted = int(n_rows * max(PIECE_SECONDS, growing) / max(seconds - growing, 1e-9))
            self.rows = min(max(wanted, self.least), 8 * self.rows, 2**24)
        elif n_rows == self.rows:  # one slow moment of the machine must not leave pieces small for ever
            self.rows *= 2


@dataclass
class TrainingBatch:
    """Rows to learn, coded: labels and categories that are new in them got the codes after those known before."""

    rows: CodedRows
    codes: NDArray[Any]
    """Of the labels; a regressor's targets."""
    weight: NDArray[np.float64] | None
    new_labels: list[Any]
    n_labels: int
    """Labels known before."""
    n_values: dict[int, int]
    """Categories known before, of the columns that have new ones."""
    records: NDArray[np.float64] | None = None
    """What was said to rows when they were asked about (pending.py)."""
    places: NDArray[np.int32] | None = None
    """Of each row, its record; -1: it has none."""
    unlabeled: NDArray[np.bool_] | None = None
    """Rows of weight 0 that move the statistics of the columns."""

    @property
    def counted(self) -> NDArray[np.bool_] | slice:
        """The rows that change something."""
        if self.weight is None:
            return slice(None)
        return self.weight > 0 if self.unlabeled is None else (self.weight > 0) | self.unlabeled

    @property
    def first_active(self) -> int:
        """The first row that is learned: before it there may be nothing to ask."""
        return 0 if self.weight is None else int(np.argmax(self.weight > 0))

    def after(self, first: int, end: int, learned: int) -> int:
        """Return where a piece stopped that has learned so many of its rows."""
        if learned == 0 or self.weight is None:
            return first + learned
        active = np.flatnonzero(self.counted[first:end])  # type: ignore[index]
        return end if learned >= active.size else first + int(active[learned - 1]) + 1

    def until(self, first: int, end: int) -> int:
        """Return where a piece ends at the latest: a row that turns a column into identifiers is the first of one."""
        return min([end, *(row for row in self.rows.turns if row > first)])

    def piece(self, first: int, end: int, schema: Schema, labels: ClassCodes) -> TrainingBatch:
        """Rows ``first`` to ``end``, with what is new in them for a model that has learned the rows before."""
        if first == 0 and end == self.rows.n_rows:
            return self
        part = self.rows.cut(first, end)
        growth = self.rows.growth
        if self.rows.turns:
            part.drop_columns(sum(row > first for row in self.rows.turns))
        codes = self.codes[first:end]
        weight = None if self.weight is None else self.weight[first:end]
        unlabeled = None if self.unlabeled is None else self.unlabeled[first:end]
        places = None if self.places is None else self.places[first:end]
        piece = replace(self, rows=part, codes=codes, weight=weight, places=places, unlabeled=unlabeled)
        learned = slice(None) if weight is None else weight > 0
        new_labels: list[Any] = []
        if self.new_labels:
            known = max(len(labels), int(codes[learned].max(initial=-1)) + 1)
            new_labels = self.new_labels[len(labels) - self.n_labels : known - self.n_labels]
        values: dict[int, list[Any]] = {}
        for column, before in self.n_values.items():
            if part.dense is None:
                raise RuntimeError("only dense rows have categories")
            cells = part.dense[:, column]
            at = len(schema.books[column] or ())
            known = max(at, int(np.fmax.reduce(cells[piece.counted], initial=-1.0)) + 1)
            if known > at:
                values[column] = growth.values[column][at - before : known - before]
        part.growth = Growth(values=values)
        if part.dense is not None and self.rows.turns:
            first_new = min(growth.twins)
            for column in range(schema.width, part.dense.shape[1]):  # new with the first row
                part.growth.names.append(growth.names[column - first_new])
                part.growth.nominal.append(False)
                part.growth.words[column] = growth.words[column]
                part.growth.twins[column] = growth.twins[column]
        piece.new_labels = new_labels
        return piece


class InterruptsWait:
    """Ctrl-C waits for the end of a piece while learners written in Python run, whose work it would cut in the middle.

    A second Ctrl-C does not wait. Only the main thread sees signals: elsewhere this does nothing.
    """

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted and threading.current_thread() is threading.main_thread()
        self._handler: Callable[[int, FrameType | None], Any] | None = None
        self._caught: tuple[int, FrameType | None] | None = None

    def __enter__(self) -> InterruptsWait:
        handler = _signal.getsignal(signal.SIGINT) if self._wanted else None
        if callable(handler):
            self._handler = handler
            _signal.signal(signal.SIGINT, self._catch)
        return self

    def __exit__(self, *_: object) -> None:
        if self._handler is not None:
            _signal.signal(signal.SIGINT, self._handler)
            self.check()

    def _catch(self, number: int, frame: FrameType | None) -> None:
        if self._caught is not None and self._handler is not None:
            self._handler(number, frame)
        self._caught = number, frame

    def check(self) -> None:
        """Let what was caught take effect."""
        caught, self._caught = self._caught, None
        if caught is not None and self._handler is not None:
            self._handler(*caught)


class InStep:
    """Rows that several models learn together: Ctrl-C waits until all have had the same ones, and then says how many.

    A second Ctrl-C does not wait. It and other errors in the middle of a step leave parts that have learned more than
    others; they say so.
    """

    def __init__(self, n_rows: int) -> None:
        self.n_rows, self.done, self.ahead = n_rows, 0, False
        self._wait = InterruptsWait(True)
        self._stopped: BaseException | None = None

    def __enter__(self) -> InStep:
        self._wait.__enter__()
        return self

    def part_learned(self) -> None:
        """One of the models has learned the next rows, others have not yet."""
        self.ahead = True

    def took(self, n_rows: int = 1) -> None:
        """All have learned some more rows."""
        self.done += n_rows
        self.ahead = False
        if self.done < self.n_rows:  # after the last ones `__exit__` looks
            try:
                self._wait.check()
            except KeyboardInterrupt as error:
                self._stopped = LearningInterrupted(self.done, self.n_rows)
                raise self._stopped from error

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        try:
            self._wait.__exit__()
        except KeyboardInterrupt as late:
            if error is None:
                raise LearningInterrupted(self.done, self.n_rows) from late
        if error is None or error is self._stopped:
            return
        uneven = self.ahead or getattr(error, "n_rows_learned", 0) > 0
        told: BaseException = error
        if isinstance(error, KeyboardInterrupt):
            told = KeyboardInterrupt("stopped in the middle of a row")
        if self.done or uneven:
            say_how_far(told, self.done, self.n_rows, uneven=uneven)
        if told is not error:
            raise told from error


def say_how_far(error: BaseException, done: int, n_rows: int, *, uneven: bool = False) -> None:
    """Put into an exception how many rows of its call were learned; what a part of the model has said of itself goes."""
    error.n_rows_learned = done  # type: ignore[attr-defined]
    if hasattr(error, "add_note"):
        notes: list[str] = getattr(error, "__notes__", [])
        notes[:] = [note for note in notes if not note.startswith(_LEARNED)]
        exactly, more = ("", ", and parts of it more") if uneven else (" exactly", "")
        error.add_note(f"{_LEARNED}{exactly} the first {done} of {n_rows} rows of this call{more}.")
