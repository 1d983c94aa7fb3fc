"""One served model: a name, the champion that answers, its shadows, and what has happened so far."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field

from streamboost.service.store.candidates import Candidate
from streamboost.service.store.settings import Limits


@dataclass
class Stream:
    """All candidates learn from the same log. The writer changes it; readers look at ``champion`` once."""

    number: int
    name: str
    keep_events_s: float
    limits: Limits
    candidates: dict[int, Candidate]
    leads: int
    counts: Counter[str] = field(default_factory=Counter)
    changed: threading.Condition = field(default_factory=threading.Condition)
    wanted: bool = False
    """Whether somebody waits for readers to see what was learned."""

    @property
    def champion(self) -> Candidate:
        """The one that answers."""
        return self.candidates[self.leads]

    @property
    def shadows(self) -> list[Candidate]:
        """The others, oldest first."""
        return [c for number, c in sorted(self.candidates.items()) if number != self.leads]

    def settle(self) -> None:
        """Wait for what the champion still has to say about examples of this transaction."""
        champion = self.candidates.get(self.leads)
        if champion is not None:
            champion.settle()

    def close(self) -> None:
        """End the shards of all candidates."""
        for candidate in self.candidates.values():
            candidate.close()

    def advance(self, seq: int) -> None:
        """All that was learned up to here is learned."""
        for candidate in self.candidates.values():
            candidate.seq = seq

    def publish(self, share: float) -> bool:
        """Let readers see it, if it is time; says whether all are up to date."""
        wanted, self.wanted = self.wanted, False
        ready = [c.publish_if_due(share, now=wanted) for c in self.candidates.values()]
        with self.changed:
            self.changed.notify_all()
        return all(ready)

    def wait_for(self, seq: int, timeout: float) -> bool:
        """Wait until readers know a record."""
        with self.changed:
            self.wanted = True
            return self.changed.wait_for(lambda: self.champion.reader.seq >= seq, timeout)
