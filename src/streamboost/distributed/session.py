"""A session whose model lives in shards."""

from __future__ import annotations

import copy
from typing import Any

from numpy.typing import NDArray

from streamboost import _core
from streamboost.base.inputs.labels import ClassCodes
from streamboost.base.pieces import InterruptsWait, Pace, TrainingBatch
from streamboost.base.session import Session
from streamboost.distributed.chunks import growth_record
from streamboost.distributed.model import ShardedModel, ShardLineMaker
from streamboost.distributed.parts import Plan

PIECE_CHUNKS = 32
"""Chunks that are sent before Ctrl-C is looked at."""


class SteadyPace(Pace):
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
        self.pace = self.ask_pace = SteadyPace(chunk_rows * PIECE_CHUNKS)

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
