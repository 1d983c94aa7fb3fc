"""One served model: a name, the champion that answers, its shadows, and what has happened so far."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import Future
from dataclasses import dataclass, field

from streamboost.service.store.candidates import Candidate, Reader
from streamboost.service.store.errors import Refused, StoreError
from streamboost.service.store.records import Label
from streamboost.service.store.settings import Limits

FREE = 1_000
"""Examples among which new classes are nothing unusual."""


class Waiting:
    """Those who wait until readers know a record. Each is a future and no thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._futures: list[tuple[int, Future[Reader]]] = []

    def add(self, seq: int) -> Future[Reader]:
        """Wait for a record; whoever loses patience cancels the future."""
        future: Future[Reader] = Future()
        with self._lock:
            self._futures = [one for one in self._futures if not one[1].cancelled()]
            self._futures.append((seq, future))
        return future

    def below(self, seq: int) -> bool:
        """Whether somebody waits for this record or one before it."""
        with self._lock:
            return any(wanted <= seq for wanted, _ in self._futures)

    def tell(self, reader: Reader) -> None:
        """Answer those whose record is known."""
        for future in self._take(reader.seq):
            if future.set_running_or_notify_cancel():
                future.set_result(reader)

    def refuse(self, error: StoreError) -> None:
        """Nobody will see what they wait for."""
        for future in self._take(None):
            if future.set_running_or_notify_cancel():
                future.set_exception(error)

    def _take(self, upto: int | None) -> list[Future[Reader]]:
        with self._lock:
            taken = [future for seq, future in self._futures if upto is None or seq <= upto]
            self._futures = [one for one in self._futures if upto is not None and one[0] > upto]
        return taken


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
    waiting: Waiting = field(default_factory=Waiting)
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

    def check_label(self, label: Label | None) -> None:
        """Refuse a label that would become a class by accident."""
        champion, policy = self.champion, self.limits.new_classes
        if policy == "learn" or champion.knows(label) or label in self.limits.allowed:
            return
        if policy is None:
            policy = "refuse" if champion.description.classes is not None else "ask"
        if policy == "ask" and champion.scores.n < FREE:
            return
        hint = (
            "allow it first: POST .../classes with the label, or `client allow`"
            if policy == "ask"
            else "limits.new_classes refuses it"
        )
        raise Refused(f"The label {label!r} is no class of {self.name!r}; {hint}.", field="label")

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

    def forget(self) -> None:
        """Let go of the models that learn; the copies for readers stay."""
        for candidate in self.candidates.values():
            candidate.live = None

    def publish(self, share: float) -> bool:
        """Let readers see it, if it is time; says whether all are up to date."""
        wanted = self.wanted or self.waiting.below(self.champion.seq)
        self.wanted = False
        ready = [c.publish_if_due(share, now=wanted) for c in self.candidates.values()]
        self.waiting.tell(self.champion.reader)
        return all(ready)
