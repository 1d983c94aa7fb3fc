"""A model whose lanes live in shards, with the interface of the core's own: sessions work with either.

Before the first row it is an ordinary model. The first chunk or question starts the shards with its state.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost import _core
from streamboost.base.inputs.labels import ClassCodes
from streamboost.base.inputs.schema import Growth
from streamboost.base.pending import NOTHING_SAID, Records, stacked
from streamboost.base.pieces import InterruptsWait, Pace, TrainingBatch
from streamboost.base.session import Session
from streamboost.distributed.parts import Arrays, Plan
from streamboost.distributed.shard_line import ShardLine

PIECE_CHUNKS = 32
"""Chunks that are sent before Ctrl-C is looked at."""
ShardLineMaker = Callable[[Plan], ShardLine]


def growth_record(growth: Growth, labels: list[Any]) -> dict[str, Any]:
    """Return what a chunk has discovered, as the log keeps it; nothing: an empty object."""
    found = {
        "labels": [_plain(label) for label in labels],
        "names": list(growth.names),
        "nominal": [bool(flag) for flag in growth.nominal],
        "values": {str(column): [_plain(v) for v in values] for column, values in growth.values.items()},
    }
    return found if any(found.values()) else {}


def read_growth(growth: dict[str, Any]) -> tuple[Growth, list[Any]]:
    """Return the growth and the labels that `growth_record` wrote down."""
    if not growth:
        return Growth(), []
    values = {int(column): list(found) for column, found in growth["values"].items()}
    return Growth(names=growth["names"], nominal=growth["nominal"], values=values), growth["labels"]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


class ShardedModel:
    """A line of shards with the interface of a model."""

    seconds_growing = 0.0  # of this process

    def __init__(self, plan: Plan, make_line: ShardLineMaker, chunk_rows: int) -> None:
        plan.check_learning()
        self.plan = plan
        self.line: ShardLine | None = None
        self.growth: dict[str, Any] = {}
        self.started: Callable[[ShardLine], None] = lambda line: None
        self._make_line = make_line
        self._chunk_rows = chunk_rows
        self._first: _core.Model | None = plan.whole()
        self._lock = threading.RLock()
        self._n_learned = self._n_known = 0
        self._room: tuple[NDArray[np.int64], int, bool, int] | None = None
        self._why_broken: str | None = None
        self._width_of: _core.Model | None = None
        self._holds = False
        self._held: list[
            tuple[NDArray[np.float64], NDArray[Any], NDArray[np.float64] | None, Records | None]
        ] = []
        self._held_room: Any = None
        self._held_growth: dict[str, Any] = {}
        self._promised: list[int | NDArray[np.float64]] = []  # tickets of chunks, or answers to a row
        self._one_by_one = _core.Stage(plan.model((0, plan.n_lanes))).one_by_one

    # What a session asks.

    @property
    def n_learned(self) -> int:
        """Examples learned, or logged and on their way."""
        return self._n_learned if self._first is None else self._first.n_learned

    @property
    def n_seen(self) -> int:
        """The same: rows without labels count nothing here."""
        return self.n_learned

    @property
    def n_classes_known(self) -> int:
        """Number of classes that were declared or learned."""
        return self._n_known if self._first is None else self._first.n_classes_known

    @property
    def broken(self) -> str | None:
        """Why nothing can be asked of it any more."""
        return self._why_broken

    def reading(self) -> Any:
        """Return a lock: one call at a time."""
        return self._lock

    def writing(self) -> Any:
        """Return the same lock."""
        return self._lock

    def reserve(
        self,
        n_values: NDArray[np.int64],
        n_classes: int,
        declared: bool,
        facts: NDArray[np.float64] | None = None,
    ) -> None:
        """Make room, before the shards have started."""
        self._before_start().reserve(n_values, n_classes, declared, facts)
        first_width = len(n_values) if self._room is None else self._room[3]
        self._room = n_values, n_classes, declared, first_width

    def restore(self, state: Arrays) -> None:
        """Take a state, before the shards have started."""
        self._before_start().restore(state)

    def _before_start(self) -> _core.Model:
        if self._first is None:
            raise RuntimeError("the shards have started")
        return self._first

    def state(self) -> Arrays:
        """Return the state of the whole model."""
        return dict(self._first.state()) if self._first is not None else self._running().state()

    def clone(self) -> _core.Model:
        """Return the whole model in this process."""
        model = self.plan.whole()
        if self._room is not None:
            n_values, n_classes, declared, first_width = self._room
            if first_width < len(n_values):
                model.reserve(n_values[:first_width], n_classes, declared)
            model.reserve(n_values, n_classes, declared)
            model.restore(self.state())
        return model

    def record_width(self, n_classes: int) -> int:
        """Return how many numbers a record of what was said to a row has."""
        if self._width_of is None:
            self._width_of = self.plan.whole()
        return self._width_of.record_width(n_classes)

    def memory_bytes(self) -> int:
        """Return the memory of all shards."""
        if self._first is not None:
            return self._first.memory_bytes()
        return sum(int(info["memory_bytes"]) for info in self._running().call("info"))

    def report(self) -> dict[str, Any]:
        """Return the report of the whole model."""
        return self.clone().report()

    def short_of_memory(self) -> bool:
        """Whether trees have reached their limit; looked at when the shards are joined anyway."""
        return False

    def starved(self) -> bool:
        """Whether growth has waited for memory; every shard looks after itself."""
        return False

    def tree(self, lane: int) -> Any:
        """Return one tree."""
        return self.clone().tree(lane)

    def lane_objects(self) -> list[object]:
        """Return the learners written in Python: there are none."""
        return []

    # Learning and answering.

    def _running(self) -> ShardLine:
        """Return the line when all that was held is on its way."""
        line = self._started_line()
        self._send_held(line)
        return line

    def _started_line(self) -> ShardLine:
        if self.line is None:
            first = self._before_start()
            line = self._make_line(self.plan)
            line.start(self._room, dict(first.state()))
            self._n_learned, self._n_known = first.n_learned, first.n_classes_known
            self._first, self.line = None, line
            self.started(line)
        return self.line

    def attach(self, line: ShardLine) -> None:
        """Go on with shards that run already."""
        info = line.call("info")[-1]
        self._n_learned, self._n_known = info["n_learned"], info["n_classes_known"]
        self._room = info["room"] if len(info["room"][0]) else None
        self._first, self.line = None, line
        if self._one_by_one and info["last_reply"]:
            self._restart(_core.decode_answer(info["last_reply"])[1])

    def learn(
        self,
        X: Any,
        y: NDArray[np.int32] | NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        answer: str,
        room: tuple[NDArray[np.int64], int, bool, NDArray[np.float64] | None] | None = None,
        records: Records | None = None,
        places: NDArray[np.int32] | None = None,
    ) -> NDArray[Any] | None:
        """Log the rows, chunk by chunk, and send them; wait only for answers."""
        late = None if records is None or places is None else _Late(records, places, weight)
        if self._holds and len(y) == 1 and not isinstance(X, tuple):
            self._hold_row(X, y, weight, room, None if late is None else late.records(0, 1))
            return None
        line = self._running()
        growth, self.growth = self.growth, {}
        self._take_room(room)
        if self._room is None:
            raise RuntimeError("the first rows come without room")
        n, step = len(y), 1 if self._one_by_one else self._chunk_rows
        answers: list[Any] = []  # or tickets for them
        try:
            for first, end in even_cuts(n, step) if late is None else late.cuts(step):
                asks = late is not None and late.asks(first, end)
                w = None if weight is None else weight[first:end]
                chunk = _core.encode_chunk(
                    _rows(X, first, end),
                    len(self._room[0]),
                    y[first:end],
                    w,
                    answer,
                    self.plan.answers,
                    room if first == 0 else None,
                    records=None if late is None else late.records(first, end),
                )
                ticket = line.train(
                    growth if first == 0 else {}, chunk, wanted=answer != "none" or self._one_by_one or asks
                )
                self._count(y[first:end], w)
                if self._one_by_one or asks:
                    values, restart, said = _core.decode_answer(line.answer(ticket))
                    answers.append(values)
                    self._restart(restart)
                    if late is not None and said is not None:
                        late.keep(first, end, said)
                elif answer != "none":
                    answers.append(ticket)
        except RuntimeError as error:
            self._why_broken = str(error)
            raise
        if answer == "none":
            return None
        answers = [self._values(line, one) if isinstance(one, int) else one for one in answers]
        return np.concatenate(answers)

    def _take_room(self, room: Any) -> None:
        if room is not None:
            first_width = len(room[0]) if self._room is None else self._room[3]
            self._room = room[0], room[1], room[2], first_width

    # Single rows that go out together.

    def hold(self) -> None:
        """From here on single rows wait until a chunk is full or somebody asks; `promised` has the answers to them."""
        self._holds = True

    def _hold_row(
        self,
        X: NDArray[np.float64],
        y: NDArray[Any],
        weight: NDArray[np.float64] | None,
        room: Any,
        said: Records | None,
    ) -> None:
        if self._one_by_one:
            self._holds = False
            try:
                answers = self.learn(X, y, weight, _fullest(y), room, said, np.zeros(1, np.int32))
            finally:
                self._holds = True
            if answers is not None:
                self._promised.append(answers)
            return
        if room is not None:  # what is new comes with the first row of a chunk
            self._running()
            self._take_room(room)
            self._held_room, (self._held_growth, self.growth) = room, (self.growth, {})
        self._held.append((X, y, weight, said))
        self._count(y, weight)
        if len(self._held) >= self._chunk_rows:
            self._running()

    def _send_held(self, line: ShardLine) -> None:
        if not self._held or self._room is None:
            return
        held, self._held = self._held, []
        room, self._held_room = self._held_room, None
        growth, self._held_growth = self._held_growth, {}
        truth = np.concatenate([y for _, y, _, _ in held])
        weights = [np.ones(1) if weight is None else weight for _, _, weight, _ in held]
        said = None
        if any(records is not None for *_, records in held):
            said = stacked(NOTHING if records is None else records for *_, records in held)
        chunk = _core.encode_chunk(
            np.concatenate([X for X, *_ in held]),
            len(self._room[0]),
            truth,
            np.concatenate(weights),
            _fullest(truth),
            self.plan.answers,
            room,
            records=said,
        )
        try:
            self._promised.append(line.train(growth, chunk, wanted=True))
        except RuntimeError as error:
            self._why_broken = str(error)
            raise

    def promised(self) -> list[NDArray[np.float64]]:
        """Return the answers to the rows held since the last time: probabilities and a code, or a number."""
        line = self._running()
        promised, self._promised = self._promised, []
        blocks = [self._values(line, found) if isinstance(found, int) else found for found in promised]
        return [row for block in blocks for row in block.reshape(len(block), -1)]

    def _restart(self, lane: int) -> None:
        """A lane of some shard begins again: a chunk without rows."""
        if lane < 0 or self.line is None or self._room is None:
            return
        empty = np.empty((0, len(self._room[0])))
        chunk = _core.encode_chunk(
            empty, empty.shape[1], np.empty(0, np.int32), None, "none", self.plan.answers, None, lane
        )
        self.line.train({}, chunk, wanted=False)

    def _count(self, y: NDArray[Any], weight: NDArray[np.float64] | None) -> None:
        learned = y if weight is None else y[weight > 0]
        self._n_learned += len(learned)
        _, n_classes, declared, _ = self._room or (None, 0, False, 0)
        self._n_known = n_classes if declared else max(self._n_known, int(learned.max(initial=-1)) + 1)

    def ask(self, X: Any, answer: str, records: Records | None = None) -> NDArray[Any]:
        """Answer after all chunks so far; what was said goes into `records`, one for each row."""
        line = self._running()
        width = 0 if self._room is None else len(self._room[0])
        cuts = list(even_cuts(_n_rows(X), self._chunk_rows))
        tickets = []
        for first, end in cuts:
            room = None if records is None else np.zeros((end - first, records.shape[1]))
            chunk = _core.encode_chunk(_rows(X, first, end), width, None, None, answer, True, records=room)
            tickets.append(line.question(chunk))
        answers = []
        for (first, end), ticket in zip(cuts, tickets, strict=True):
            values, _, said = _core.decode_answer(line.answer(ticket))
            answers.append(_there(values))
            if records is not None and said is not None:
                records[first:end] = said
        return np.concatenate(answers)

    @staticmethod
    def _values(line: ShardLine, ticket: int) -> NDArray[Any]:
        return _there(_core.decode_answer(line.answer(ticket))[0])


def _there(values: NDArray[Any] | None) -> NDArray[Any]:
    if values is None:
        raise RuntimeError("the shards gave no answers")
    return values


def even_cuts(n: int, step: int) -> Iterator[tuple[int, int]]:
    """Chunks of so many rows."""
    for first in range(0, n, step):
        yield first, min(n, first + step)


class _Late:
    """What was said to the rows of a call, some of which are asked about in it and learned later, perhaps in the same call."""

    def __init__(
        self, records: Records, places: NDArray[np.int32], weight: NDArray[np.float64] | None
    ) -> None:
        self._records, self._places = records, places
        self._asked = (
            np.zeros(len(places), np.bool_) if weight is None else (np.asarray(weight) == 0) & (places >= 0)
        )

    def cuts(self, step: int) -> Iterator[tuple[int, int]]:
        """Chunks in which no row is learned that was asked about in the same one: what was said comes back with its answers."""
        first, open_places = 0, set[int]()
        for at, (place, asked) in enumerate(zip(self._places.tolist(), self._asked.tolist(), strict=True)):
            if at - first == step or (not asked and place in open_places):
                yield first, at
                first, open_places = at, set()
            if asked:
                open_places.add(place)
        if first < len(self._places):
            yield first, len(self._places)

    def asks(self, first: int, end: int) -> bool:
        """Whether some row of a chunk is asked about."""
        return bool(self._asked[first:end].any())

    def records(self, first: int, end: int) -> Records:
        """The record of each row; one that has none gets the mark of that, and one that is asked about room for its own."""
        places = self._places[first:end]
        said = self._records[np.maximum(places, 0)]
        said[places < 0, 0] = NOTHING_SAID
        said[self._asked[first:end], 0] = 0.0
        return said

    def keep(self, first: int, end: int, said: Records) -> None:
        """Keep what was said to the rows of a chunk that were asked about."""
        asked = self._asked[first:end]
        self._records[self._places[first:end][asked]] = said[asked]


def _fullest(truth: NDArray[Any]) -> str:
    """Return all that can be said about rows with these labels or targets."""
    return "number" if truth.dtype == np.float64 else "both"


def _n_rows(X: Any) -> int:
    if isinstance(X, tuple):
        return len(X[0]) - (len(X) == 3)
    return len(X)


def _rows(X: Any, first: int, end: int) -> Any:
    """Return rows `first` to `end` of native rows."""
    if not isinstance(X, tuple):
        return X[first:end]
    if len(X) == 2:  # with the cells of columns of words, row by row
        dense, cells = X
        each = len(cells) // max(len(dense), 1)
        return dense[first:end], cells[first * each : end * each]
    start, columns, values = X
    at = slice(start[first], start[end])
    return np.ascontiguousarray(start[first : end + 1] - start[first]), columns[at], values[at]


NOTHING = np.full((1, 1), NOTHING_SAID)


class _Steady(Pace):
    """Pieces of always the same size: what a piece costs is not known when it was only sent."""

    def __init__(self, rows: int) -> None:
        super().__init__()
        self.rows = rows

    def took(self, n_rows: int, seconds: float, growing: float = 0.0) -> None:
        """Keep the size, however long a piece took."""


class ShardedSession(Session):
    """A session whose model lives in shards."""

    model: Any

    def __init__(self, *arguments: Any, make_line: ShardLineMaker, chunk_rows: int, **named: Any) -> None:
        self._make_line, self._chunk_rows = make_line, chunk_rows
        super().__init__(*arguments, **named)
        self.pace = self.ask_pace = _Steady(chunk_rows * PIECE_CHUNKS)

    def _new_model(self) -> Any:
        return ShardedModel(Plan(self.plan), self._make_line, self._chunk_rows)

    def _learn_piece(self, piece: TrainingBatch, answer: str) -> NDArray[Any] | None:
        self.model.growth = growth_record(piece.rows.growth, piece.new_labels)
        with InterruptsWait(True):
            raw = super()._learn_piece(piece, answer)
        if self.model.line is not None:
            self.model.line.uncommitted.clear()
        return raw

    def refresh_fast(self) -> None:
        """Single rows take the same way as others."""

    def snapshot(self) -> Session:
        """Return a copy that is only ever read; it lives in this process."""
        return self.snapshot_of(self.model.clone(), len(self.labels))

    def snapshot_of(self, model: _core.Model, n_classes: int) -> Session:
        """Return a copy that is only ever read, of a model that this one was when it knew so many labels."""
        other = Session.__new__(Session)
        other.__dict__.update(self.__dict__)
        other._use(model)
        if self.labels.codes is not None:  # numbers are not counted
            other.labels = ClassCodes(self.labels.book.values[:n_classes], declared=self.labels.declared)
        other.schema = copy.deepcopy(self.schema)
        other.pace, other.ask_pace = Pace(), Pace()
        other.warned = self.warned.copy()
        other.read_only = True
        other.refresh_fast()
        return other
