"""What a store must do, as plainly as possible: a dict of ids and a list of examples. Written from the description."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from streamboost.models import build


@dataclass
class Half:
    features: dict[str, Any] | None = None
    label: Any = None
    weight: float = 1.0
    learned: bool = False
    dropped: str | None = None  # "event" or "label": that half was dropped while it waited
    late: bool = False


@dataclass
class PlainStore:
    """``log`` holds for every record what is learned: None, or (features, label, weight); or ("back", seq)."""

    log: dict[int, Any] = field(default_factory=dict)
    ids: dict[str, Half] = field(default_factory=dict)
    seq: int = 0

    def _add(self, what: Any) -> int:
        self.seq += 1
        self.log[self.seq] = what
        return self.seq

    def command(self, what: Any = None) -> int:
        return self._add(what)

    def event(self, id: str, features: dict[str, Any]) -> str:
        half = self.ids.get(id)
        if half is None:
            self.ids[id] = Half(features=features)
            self._add(None)
            return "waiting"
        if half.dropped == "label" and not half.learned:
            return "late"
        if half.learned or half.features is not None or half.dropped or half.late:
            return "duplicate"
        half.learned = True
        self._add((features, half.label, half.weight))
        return "learned"

    def label(self, id: str, label: Any, weight: float) -> str:
        half = self.ids.get(id)
        if half is None:
            self.ids[id] = Half(label=label, weight=weight)
            self._add(None)
            return "early"
        if half.learned or half.label is not None or half.late or half.dropped == "label":
            return "duplicate"
        if half.dropped == "event":
            half.late = True
            self._add(None)
            return "late"
        half.learned = True
        self._add((half.features, label, weight))
        return "learned"

    def example(self, id: str | None, features: dict[str, Any], label: Any, weight: float) -> str:
        half = None if id is None else self.ids.get(id)
        if half is None:
            if id is not None:
                self.ids[id] = Half(learned=True)
            self._add((features, label, weight))
            return "learned"
        if half.learned:
            return "duplicate"
        if half.dropped or half.late:
            self._add((features, label, weight))
        elif half.features is not None:
            self._add((half.features, label, weight))
        else:
            self._add((features, half.label, half.weight))
        half.learned = True
        return "learned"

    def expire(self) -> None:
        for half in self.ids.values():
            if half.learned or half.dropped or half.late:
                continue
            half.dropped = "event" if half.features is not None else "label"
            half.features = half.label = None

    def examples(self, upto: int) -> list[Any]:
        found: list[Any] = []
        for seq in range(1, upto + 1):
            what = self.log[seq]
            if what is None:
                continue
            if what[0] == "back":
                found = self.examples(what[1])
            else:
                found.append(what)
        return found

    def model(self, upto: int, description: dict[str, Any], folder: Path) -> bytes | None:
        return taught(self.examples(upto), description, folder)


def taught(examples: list[Any], description: dict[str, Any], folder: Path) -> bytes | None:
    """The file of a model that has learned these examples and nothing else."""
    model = build(
        description["model"],
        description["learner"],
        description["params"],
        description.get("learner_params"),
        seed=0,
    )
    for features, label, weight in examples:
        model.learn_one(features, label, weight)
    if not any(weight > 0 for _, _, weight in examples):
        return None
    path = folder / "plain.sboost"
    model.save(path)
    return path.read_bytes()
