"""Labels that find their features: what is known of an id, and what a new record under it means.

| known \\ comes  | event                | label           | example                                  |
|-----------------|----------------------|-----------------|-----------------------------------------|
| nothing         | waits for a label    | early: it waits | learned                                 |
| waiting event   | duplicate            | learned         | learned, with the features of the event |
| early label     | learned              | duplicate       | learned, with the label that came first |
| learned         | duplicate            | duplicate       | duplicate                               |
| expired event   | duplicate            | late            | learned                                 |
| late label      | duplicate            | duplicate       | learned                                 |
| expired label   | late, only answered  | duplicate       | learned                                 |
"""

from __future__ import annotations

from enum import Enum, IntEnum

from streamboost.service.store.records import Kind


class State(IntEnum):
    """The state of an id; the numbers are stored. Below ``LEARNED`` either features or a label wait for the other."""

    WAITING = 0
    EARLY = 1
    LEARNED = 2
    EXPIRED = 3
    """The event was dropped before its label came."""
    LATE = 4
    """The label came after that."""
    UNMATCHED = 5
    """The label was dropped before its event came."""


class Act(Enum):
    """What to do with a record."""

    WAIT = "waiting"
    LEARN = "learned"
    SKIP = "duplicate"
    EARLY = "early"
    LATE = "late"


_TABLE: dict[State | None, tuple[Act, Act, Act]] = {
    None: (Act.WAIT, Act.EARLY, Act.LEARN),
    State.WAITING: (Act.SKIP, Act.LEARN, Act.LEARN),
    State.EARLY: (Act.LEARN, Act.SKIP, Act.LEARN),
    State.LEARNED: (Act.SKIP, Act.SKIP, Act.SKIP),
    State.EXPIRED: (Act.SKIP, Act.LATE, Act.LEARN),
    State.LATE: (Act.SKIP, Act.SKIP, Act.LEARN),
    State.UNMATCHED: (Act.LATE, Act.SKIP, Act.LEARN),
}
_COLUMN = {Kind.EVENT: 0, Kind.LABEL: 1, Kind.EXAMPLE: 2}

BECOMES = {Act.WAIT: State.WAITING, Act.EARLY: State.EARLY, Act.LEARN: State.LEARNED, Act.LATE: State.LATE}


def decide(known: State | None, comes: Kind) -> Act:
    """Return what the table above says."""
    return _TABLE[known][_COLUMN[comes]]
