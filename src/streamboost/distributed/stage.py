"""One shard, wherever it lives: a part of the ensemble, its snapshots, and the one function that all engines drive."""

from __future__ import annotations

import io
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from streamboost import _core
from streamboost.base.files.archive import ModelFileError, read_archive, write_archive
from streamboost.distributed.folder import Folder, line_name
from streamboost.distributed.parts import Arrays, Lanes, Plan

_REPLY, _VALUES = "shard/reply", "shard/n_values"
Room = tuple[Any, int, bool, int]
"""Values per column, classes, whether they are declared, width of the first row."""


@dataclass(frozen=True)
class Spec:
    """All that a process must know to be a shard."""

    plan: Plan
    lanes: Lanes
    folder: str
    sync: bool
    every: int


class ShardStage:
    """A part of an ensemble that takes chunks in order and writes its state every so many of them."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.folder = Folder(spec.folder, sync=spec.sync)
        self._fresh()

    def _fresh(self) -> None:
        self.model = self.spec.plan.model(self.spec.lanes)
        self.stage = _core.Stage(self.model)

    def begin(self, room: Room | None, state: Arrays, next_seq: int) -> None:
        """Be a part of a model with this state from here on; None: it has met no row."""
        self._fresh()
        if room is not None:
            n_values, n_classes, declared, first_width = room
            n_values = np.ascontiguousarray(n_values, np.int64)
            if first_width < len(n_values):  # the first reservation fixes it
                self.model.reserve(n_values[:first_width], n_classes, declared)
            self.model.reserve(n_values, n_classes, declared)
            self.model.restore({name: np.asarray(array, order="C") for name, array in state.items()})
        self.stage.go_on(next_seq, b"")

    def step(self, chunk: Any, carry: bytes, seq: int) -> bytes:
        """Take a chunk through these lanes; a snapshot is written before the reply leaves."""
        before = self.stage.next_seq
        reply = self.stage.step(chunk, carry, seq)
        if self.stage.next_seq > before and self.stage.next_seq % self.spec.every == 0:
            self.save()
        return reply

    def save(self) -> None:
        """Write state, number of the next chunk and last reply: one file, whole or not at all."""
        n_values, n_classes, declared, first_width = self.stage.room
        reply = np.frombuffer(self.stage.last_reply, np.uint8)
        manifest = {
            "shard": {
                "lanes": list(self.spec.lanes),
                "digest": self.spec.plan.digest,
                "next_seq": self.stage.next_seq,
                "room": [n_classes, declared, first_width],
            }
        }
        buffer = io.BytesIO()
        write_archive(buffer, manifest, {**self.model.state(), _REPLY: reply, _VALUES: n_values})
        self.folder.write(line_name(self.stage.next_seq, self.spec.lanes), buffer.getvalue())

    def load(self, next_seq: int) -> None:
        """Go back to a snapshot."""
        name = line_name(next_seq, self.spec.lanes)
        shard, arrays = read_line(self.folder.read(name), self.spec.plan, self.spec.lanes, name)
        if shard["next_seq"] != next_seq:
            raise ModelFileError(f"{name}: the snapshot says that it is of chunk {shard['next_seq']}.")
        n_classes, declared, first_width = shard["room"]
        n_values, reply = arrays.pop(_VALUES), arrays.pop(_REPLY)
        room = (n_values, n_classes, declared, first_width) if len(n_values) else None
        self.begin(room, arrays, next_seq)
        self.stage.go_on(next_seq, reply.tobytes())

    def info(self) -> dict[str, Any]:
        """Return the numbers that the driver asks for."""
        return {
            "next_seq": self.stage.next_seq,
            "n_learned": self.model.n_learned,
            "n_classes_known": self.model.n_classes_known,
            "memory_bytes": self.model.memory_bytes(),
            "processor_seconds": time.process_time(),
            "room": self.stage.room,
            "last_reply": self.stage.last_reply,
        }

    def state(self) -> Arrays:
        """Return the arrays of this part."""
        return dict(self.model.state())


def read_line(data: bytes, plan: Plan, lanes: Lanes, name: str) -> tuple[dict[str, Any], Arrays]:
    """Return what a snapshot says of its shard, and its arrays; one of another model or of other lanes is refused."""
    raw, arrays = read_archive(io.BytesIO(data))
    shard = raw.get("shard")
    if not isinstance(shard, dict) or _REPLY not in arrays or _VALUES not in arrays:
        raise ModelFileError(f"{name} is not a snapshot of a shard.")
    if shard.get("lanes") != list(lanes):
        raise ModelFileError(
            f"{name}: the snapshot has the lanes {shard.get('lanes')}, the shard {list(lanes)}."
        )
    if shard.get("digest") != plan.digest:
        raise ModelFileError(f"{name}: the snapshot is of a model with other parameters.")
    return shard, arrays


def state_of_line(shard: dict[str, Any], arrays: Arrays) -> tuple[Room, Arrays]:
    """Return room and state of a snapshot that was read."""
    n_classes, declared, first_width = shard["room"]
    state = {name: array for name, array in arrays.items() if name not in (_REPLY, _VALUES)}
    return (arrays[_VALUES], n_classes, declared, first_width), state
