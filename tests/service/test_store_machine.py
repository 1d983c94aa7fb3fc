"""Any interleaving of events, labels, examples, snapshots, rollbacks, crashes and restarts = the plain description of it."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from streamboost.service.store import Conflict, LearningStore, Refused, Settings, retention
from tests.service.plain_store import PlainStore
from tests.waiting import PATIENCE, until

DESCRIPTION = {"model": "osboost", "learner": "naive-bayes", "params": {"n_estimators": 3}}
NAME = "m"
IDS = st.sampled_from(list("abcdef"))
FEATURES = st.fixed_dictionaries(
    {"x": st.integers(-3, 3).map(float)}, optional={"c": st.sampled_from("uvw"), "late": st.just(1.5)}
)
LABELS = st.sampled_from(["no", "yes"])
WEIGHTS = st.sampled_from([1.0, 1.0, 2.5, 0.0])
ROOM = "/dev/shm" if Path("/dev/shm").is_dir() else None


class Machine(RuleBasedStateMachine):
    @initialize()
    def start(self) -> None:
        self.root = Path(tempfile.mkdtemp(dir=ROOM))
        self.folder = self.root / "0"
        self.plain = PlainStore()
        self.store = self.opened(self.folder)
        self.store.create(NAME, **DESCRIPTION)
        self.plain.command()

    def opened(self, folder: Path) -> LearningStore:
        # The log is kept, so that every sequence number can be gone back to, and so are ids, however much time passes.
        store = LearningStore(
            folder, Settings(snapshot_every=7, keep_snapshots=2, keep_log=True, keep_ids_s=1e12)
        )
        store.wait_ready()
        return store

    @rule(id=IDS, features=FEATURES)
    def event(self, id: str, features: dict[str, Any]) -> None:
        found = self.store.predict(NAME, features, id=id)
        assert found.state == self.plain.event(id, features)

    @rule(id=IDS, label=LABELS, weight=WEIGHTS)
    def label(self, id: str, label: str, weight: float) -> None:
        assert self.store.label(NAME, id, label, weight=weight).state == self.plain.label(id, label, weight)

    @rule(id=st.none() | IDS, features=FEATURES, label=LABELS, weight=WEIGHTS)
    def example(self, id: str | None, features: dict[str, Any], label: str, weight: float) -> None:
        found = self.store.learn(NAME, features, label, id=id, weight=weight)
        assert found.state == self.plain.example(id, features, label, weight)
        assert found.state == "duplicate" or found.seq == self.plain.seq

    @precondition(lambda self: self.plain.examples(self.plain.seq))
    @rule(id=st.sampled_from(["p", "q"]))
    def poison(self, id: str) -> None:
        features = {"x": "text"}
        if any(weight > 0 for _, _, weight in self.plain.examples(self.plain.seq)):
            with pytest.raises(Refused, match="numeric"):
                self.store.learn(NAME, features, "no", id=id)
            self.plain.command()
            assert self.store.events(NAME, "poison")[0]["seq"] == self.plain.seq

    @rule()
    def snapshot(self) -> None:
        try:
            self.store.snapshot(NAME)
        except Conflict:
            assert not any(weight > 0 for _, _, weight in self.plain.examples(self.plain.seq))

    @rule(share=st.floats(0, 1))
    def rollback(self, share: float) -> None:
        target = 1 + int(share * (self.plain.seq - 1))
        self.store.rollback(NAME, target)
        self.plain.command(("back", target))

    def settled_scores(self) -> dict[str, Any]:
        """Once readers see all that was learned, which may take a moment."""
        self.store.reader(NAME, self.store.stream(NAME).champion.seq, timeout=PATIENCE)
        return self.store.scores(NAME)

    @rule()
    def restart(self) -> None:
        scores = self.settled_scores()
        self.store.close()
        self.store = self.opened(self.folder)
        assert self.store.scores(NAME) == scores

    @rule()
    def crash(self) -> None:
        """What is on the disk at this moment, without any leave-taking."""
        scores = self.settled_scores()
        other = self.root / f"{int(self.folder.name) + 1}"
        # Between two files nothing must happen, as nothing does in a crash: no transaction, and no snapshot on its way.
        writer = self.store._writer
        until(lambda: writer.call(lambda: not writer._saving and shutil.copytree(self.folder, other)))
        self.store.close()
        shutil.rmtree(self.folder)
        self.folder, self.store = other, self.opened(other)
        assert self.store.scores(NAME) == scores

    @rule()
    def time_passes(self) -> None:
        writer = self.store._writer

        def later() -> None:
            writer.journal._clock = writer.journal.now() + 8 * 86_400
            retention.clean(writer.db, writer.streams.values(), writer.settings, writer.journal.now())

        writer.call(later)
        self.plain.expire()

    @invariant()
    def same_bits(self) -> None:
        expected = self.plain.model(self.plain.seq, DESCRIPTION, self.root)
        try:
            found = self.store.file(NAME)
        except Conflict:
            found = None
        assert found == expected
        assert self.store.stream(NAME).champion.seq == self.plain.seq

    @rule(share=st.floats(0, 1))
    def any_number(self, share: float) -> None:
        seq = 1 + int(share * (self.plain.seq - 1))
        try:
            found = self.store.file(NAME, seq)
        except Conflict:
            found = None
        assert found == self.plain.model(seq, DESCRIPTION, self.root)

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            shutil.rmtree(self.root)


Machine.TestCase.settings = settings(
    max_examples=10, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
TestMachine = Machine.TestCase
