"""What is asked of the store, what stands in its log, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import msgspec

FORMAT = 1
"""The version of a record's body; it stands beside every record."""

Value = bool | int | float | str | None
Label = bool | int | float | str
Features = dict[str, Value]


class Kind(IntEnum):
    """The kind of a record; the numbers are stored in the log."""

    EVENT = 1
    LABEL = 2
    EXAMPLE = 3
    COMMAND = 4
    POISON = 5


class Answer(msgspec.Struct, omit_defaults=True):
    """The answer of a model to an event, and the sequence number of the last record it knew."""

    label: bool | int | float | str | None = None
    classes: list[bool | int | float | str] = []
    p: list[float] = []
    seq: int = 0
    chance: float | None = None
    """Of a label that a bandit shows: the probability with which it was chosen."""
    said: bytes | None = None
    """What the parts of the model said (``predict_pending``), for the model to learn from when the label comes."""

    @property
    def probabilities(self) -> dict[Any, float]:
        """The probabilities by label."""
        return dict(zip(self.classes, self.p, strict=True))


class Body(msgspec.Struct, omit_defaults=True):
    """The body of an event, a label or an example. A record that completes an example holds all of it."""

    features: Features | None = None
    label: bool | int | float | str | None = None
    weight: float = 1.0
    answer: Answer | None = None
    """The answer that was given, or else the one of the moment before learning."""
    by: int = 0
    """The number of the candidate that gave it."""
    others: dict[str, Answer] | None = None
    """What the shadows would have answered when the event came, by their number."""
    partner: int | None = None
    """The record that came first: an event's, or that of a label without its event."""
    delay: float | None = None
    """Seconds between event and label."""
    reason: str | None = None
    """Why an example was refused."""

    def given(self, candidate: int) -> Answer | None:
        """The answer of a candidate before the label was known; None if it was not asked."""
        return self.answer if self.by == candidate else (self.others or {}).get(str(candidate))


encode = msgspec.json.Encoder().encode
decode_body = msgspec.json.Decoder(Body).decode


@dataclass(slots=True)
class Work:
    """One thing to be recorded."""

    kind: Kind
    id: str | None = None
    features: Features | None = None
    label: Label | None = None
    weight: float = 1.0
    answer: Answer | None = None
    by: int = 0
    others: dict[str, Answer] | None = None


@dataclass(slots=True)
class Outcome:
    """The outcome of a piece of work."""

    seq: int
    """Of the record; of the first one for a duplicate."""
    state: str
    """waiting, learned, duplicate, early, late or poison; of a reward also unknown: there was no such act."""
    differs: bool = False
    """Whether something other than what was recorded first came under the same id."""
    answer: Answer | None = None
    """The answer given to the event, or the one before it was learned."""
    reason: str | None = None

    @property
    def duplicate(self) -> bool:
        """Whether nothing new was recorded."""
        return self.state == "duplicate"
