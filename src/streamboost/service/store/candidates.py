"""One model at work: the estimator that learns, the copy that answers, and how well it does."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from streamboost.service.store import estimators
from streamboost.service.store.class_scores import ClassScores
from streamboost.service.store.errors import Refused
from streamboost.service.store.estimators import Description
from streamboost.service.store.records import Answer, Body, Features, Label
from streamboost.service.store.regression_scores import RegressionScores
from streamboost.service.store.reward_scores import RewardScores
from streamboost.service.store.scores import Scores
from streamboost.service.store.settings import Limits
from streamboost.service.store.sharded import Known, Sharded, ShardFactory


@dataclass(slots=True)
class PendingAnswer:
    """An example that is on its way to shards; `known` is None if the answer is there already."""

    answer: Answer
    known: Known | None
    label: Label
    at: float
    delay: float | None


LONGEST = 1.0
"""Seconds after which readers see what was learned, however dear that is."""


_SCORES: dict[str, type[Scores]] = {kind.task: kind for kind in (ClassScores, RegressionScores, RewardScores)}


def scores_for(model: Any) -> type[Scores]:
    """The kind of figures that a model has."""
    return _SCORES[estimators.task(model)]


@dataclass(frozen=True)
class Reader:
    """A model that answers and never changes, and the last record it knows. None: it has learned nothing."""

    model: Any | None
    seq: int

    def answer(self, features: Features, *, pending: bool = False) -> Answer:
        """Ask it; what the library refuses is refused. ``pending``: the label comes later, and is learned with this answer."""
        try:
            return estimators.answer(self.model, features, self.seq, pending=pending)
        except (ValueError, TypeError, OverflowError) as error:
            raise Refused(" ".join(str(error).split()), field="features") from error

    def act(self, features: Features, id: str) -> Answer:
        """Let a bandit choose the label to show for an event."""
        assert self.model is not None  # a bandit answers before it has learned anything
        try:
            return estimators.act(self.model, features, id, self.seq)
        except (ValueError, TypeError, OverflowError) as error:
            raise Refused(" ".join(str(error).split()), field="features") from error


@dataclass
class Candidate:
    """A champion or a shadow. Only the writer touches ``live``; whoever answers takes ``reader`` once and keeps it."""

    number: int
    name: str
    description: Description
    limits: Limits
    live: Any
    seq: int
    scores_so_far: Scores | None = None
    """Its figures so far; None: from now on."""
    shard_factory: ShardFactory | None = None
    """What spreads its models over shards; None: they live in this process."""
    scores: Scores = field(init=False)
    shards: Sharded | None = field(init=False, default=None)
    reader: Reader = field(init=False)
    examples_since_snapshot: int = 0
    snapshot_at: float = field(default_factory=time.monotonic)
    _columns: set[str] = field(init=False, default_factory=set)
    _labels: set[Any] = field(init=False, default_factory=set)
    _trained: bool = field(init=False, default=False)
    _published: float = 0.0
    _cost: float = 0.0
    _stale: bool = False
    _pending_answers: list[PendingAnswer] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self.scores = scores_for(self.live)() if self.scores_so_far is None else self.scores_so_far
        self.replace_model(self.live, self.seq)

    def replace_model(self, live: Any, seq: int) -> None:
        """Go on from another state, which readers see at once."""
        self.close()
        self.shards = None if self.shard_factory is None else self.shard_factory.cut(live)
        self.live, self.seq = live if self.shards is None else self.shards.model, seq
        self._trained = live.started
        self._columns = set(live.columns_.names or ()) if self._trained else set()
        self._labels = set(self.description.classes or ())
        if self._trained and self.scores.task == "classification":
            self._labels = set(live.classes_.tolist())
        self.publish()

    def knows(self, label: Label | None) -> bool:
        """Whether a label is one of its classes; regressors and bandits have none: they learn numbers."""
        return label in self._labels or self.scores.task != "classification"

    def learn(
        self,
        features: Features,
        label: Label,
        weight: float,
        *,
        answers: bool = False,
        given: Answer | None = None,
    ) -> Answer:
        """Learn one example; if it is refused nothing has changed.

        With ``answers`` the result is what the model says of the event before it learns it; else it says nothing. ``given`` is
        what it answered when the event came.
        """
        if not self._columns.issuperset(features):
            n = len(self._columns.union(features))
            if n > self.limits.columns:
                raise Refused(
                    f"The model has {len(self._columns)} columns and would have {n}; limits.columns is {self.limits.columns}.",
                    hint="Names of features must not hold identifiers.",
                    field="features",
                )
        new = not self.knows(label)
        if new and len(self._labels) >= self.limits.classes:
            raise Refused(
                f"The label {label!r} would be class number {len(self._labels) + 1}; limits.classes is {self.limits.classes}.",
                field="label",
            )
        before = Answer(seq=self.seq)
        if answers and self._trained:
            before = estimators.test_then_train(self.live, features, label, weight, self.seq)
        else:
            first = not self._trained
            estimators.learn(self.live, features, label, weight, self.description, first=first, given=given)
        self._stale = True
        if weight > 0:
            self._trained = True
            self.examples_since_snapshot += 1
            if new:
                self._labels.add(label)
            if len(features) and not self._columns.issuperset(features):
                self._columns.update(features)
        return before

    def take(self, body: Body, at: float, given: Answer | None) -> Answer:
        """Learn an example and count it, with the answer that was given before or else the one of this moment."""
        features, label = body.features or {}, body.label
        if label is None:
            raise Refused("an example without a label")
        if self.shards is not None and self._trained and body.weight > 0:
            return self._send(self.shards, features, label, body, at, given)
        before = self.learn(features, label, body.weight, answers=given is None, given=given)
        given = before if given is None else given
        if self.shards is not None and self._trained:
            self.shards.taught()
        if body.weight > 0:
            self.scores.add(label, given, at, body.delay)
        return given

    def _send(
        self, shards: Sharded, features: Features, label: Label, body: Body, at: float, given: Answer | None
    ) -> Answer:
        """Let shards learn an example; `settle` waits for what they say before it."""
        known = shards.known() if given is None else None
        self.learn(features, label, body.weight, given=given)
        answer = Answer(seq=self.seq) if given is None else given
        self._pending_answers.append(PendingAnswer(answer, known, label, at, body.delay))
        return answer

    def settle(self) -> None:
        """Wait for the answers of shards to the examples so far, and count those."""
        if self.shards is None or not self._pending_answers:
            return
        pending, self._pending_answers = self._pending_answers, []
        for one, row in zip(pending, self.shards.answers(), strict=True):
            if one.known is not None:
                self.shards.fill(one.answer, row, one.known)
            self.scores.add(one.label, one.answer, one.at, one.delay)

    @property
    def broken(self) -> bool:
        """Whether its shards are gone for good: it must be read again from the disk."""
        return self.shards is not None and self.shards.broken

    def close(self) -> None:
        """End the shards, if there are any."""
        if self.shards is not None:
            self.shards.close()
            self.shards, self._pending_answers = None, []

    @property
    def trained(self) -> bool:
        """Whether it has learned anything."""
        return self._trained

    def publish(self) -> None:
        """Let readers see what was learned so far."""
        # Processor time: by the clock a copy would look expensive on a busy machine.
        start = time.thread_time()
        # A bandit shows labels before it has learned any reward.
        answers = self._trained or self.scores.task == "bandit"
        self.reader = Reader(self.live.snapshot() if answers else None, self.seq)
        self._published = time.perf_counter()
        self._cost = time.thread_time() - start
        self._stale = False

    def publish_if_due(self, share: float, *, now: bool = False) -> bool:
        """Publish unless that would take more than its share of the time; says whether readers are up to date."""
        if self._stale:
            passed = time.perf_counter() - self._published
            if not now and self._cost > share * passed and passed < max(LONGEST, 2 * self._cost):
                return False
            self.publish()
        elif self.reader.seq != self.seq:
            self.reader = Reader(self.reader.model, self.seq)
        return True

    def memory(self) -> int:
        """Bytes of what was learned."""
        return 0 if self.reader.model is None else int(self.reader.model.memory_bytes())
