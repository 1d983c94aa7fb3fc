"""One served model: a name, the champion that answers, its shadows, and what has happened so far."""

from __future__ import annotations

from collections import Counter, deque
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field

from streamboost.service.store.candidates import Candidate, Reader
from streamboost.service.store.errors import Conflict, Refused, StoreError
from streamboost.service.store.records import Label
from streamboost.service.store.settings import Limits

FREE = 1_000
"""Examples among which new classes are nothing unusual."""


class Waiting:
    """Requests that wait until readers know a record: futures, not threads.

    Anybody may `add`; the rest is the writer's. There is no lock, which a writer that fails while it holds it would leave locked.
    """

    def __init__(self) -> None:
        self._new: deque[tuple[int, Future[Reader]]] = deque()
        self._known: list[tuple[int, Future[Reader]]] = []

    def add(self, seq: int) -> Future[Reader]:
        """Wait for a record; a caller that does not want to wait any longer cancels the future."""
        future: Future[Reader] = Future()
        self._new.append((seq, future))
        return future

    def below(self, seq: int) -> bool:
        """Whether a caller waits for this record or one before it."""
        return any(wanted <= seq for wanted, _ in self._pending())

    def tell(self, reader: Reader) -> None:
        """Answer those whose record is known."""
        for seq, future in self._pending():
            if seq <= reader.seq:
                with suppress(InvalidStateError):  # cancelled a moment ago
                    future.set_result(reader)

    def refuse(self, error: StoreError) -> None:
        """Nobody will see what they wait for."""
        for _, future in self._pending():
            with suppress(InvalidStateError):
                future.set_exception(error)

    def _pending(self) -> list[tuple[int, Future[Reader]]]:
        with suppress(IndexError):
            while True:
                self._known.append(self._new.popleft())
        self._known = [one for one in self._known if not one[1].done()]
        return self._known


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
    """Whether a caller waits until readers see what was learned."""

    @property
    def champion(self) -> Candidate:
        """The one that answers."""
        return self.candidates[self.leads]

    @property
    def shadows(self) -> list[Candidate]:
        """The others, oldest first."""
        return [c for number, c in sorted(self.candidates.items()) if number != self.leads]

    def check_classifies(self) -> None:
        """Refuse what only a model that learns labels can do."""
        if self.champion.scores.task != "classification":
            raise Conflict(f"The model {self.name!r} does not learn from labels.")

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
