"""The store without HTTP: what each promise means, one by one."""

from __future__ import annotations

import contextlib
import itertools
import logging
import random
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from streamboost.models import load
from streamboost.service.store import (
    BadRequest,
    Conflict,
    LearningStore,
    Limits,
    NotFound,
    QueueFull,
    ReadOnly,
    Refused,
    Settings,
    StoreError,
    Work,
    replay,
    retention,
    snapshots,
    streams,
)
from streamboost.service.store.class_scores import ClassScores
from streamboost.service.store.history import History
from streamboost.service.store.records import Kind
from tests.waiting import PATIENCE, until

DESCRIPTION = {"model": "osboost", "learner": "naive-bayes", "params": {"n_estimators": 3}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "service"


@pytest.fixture
def store(folder: Path) -> Iterator[LearningStore]:
    with opened(folder) as store:
        store.create("m", **DESCRIPTION)
        yield store


def opened(folder: Path, **settings: Any) -> LearningStore:
    store = LearningStore(folder, Settings(**settings))
    store.wait_ready()
    return store


def teach(store: LearningStore, n: int, first: int = 0, name: str = "m") -> None:
    work = [
        Work(Kind.EXAMPLE, f"t{i}", {"x": float(i % 7), "c": "uvw"[i % 3]}, "yes" if i % 7 > 3 else "no")
        for i in range(first, first + n)
    ]
    assert {o.state for o in store.submit(name, work).result()} == {"learned"}


def settle(store: LearningStore) -> None:
    """Shadows learn after the answer was given, and readers see it when its copy is worth its price."""
    store._writer.call(lambda: None)
    for name in store.names:
        store.reader(name, store.stream(name).champion.seq, timeout=PATIENCE)


@contextlib.contextmanager
def held_up(store: LearningStore) -> Iterator[None]:
    """The writer is busy: what is handed over meanwhile waits."""
    busy, gate = threading.Event(), threading.Event()
    blocked = threading.Thread(target=lambda: store._writer.call(lambda: (busy.set(), gate.wait())))
    blocked.start()
    assert busy.wait(PATIENCE)
    try:
        yield
    finally:
        gate.set()
        blocked.join()


def test_the_same_id_twice_changes_nothing_and_says_so(store: LearningStore) -> None:
    first = store.learn("m", {"x": 1.0}, "yes", id="a")
    before = store.file("m")
    again = store.learn("m", {"x": 1.0}, "yes", id="a")
    other = store.learn("m", {"x": 2.0}, "yes", id="a")
    assert (again.duplicate, again.differs, again.seq) == (True, False, first.seq)
    assert (other.duplicate, other.differs, other.seq) == (True, True, first.seq)
    assert store.file("m") == before
    counts = store.describe("m")["counts"]
    assert (counts["duplicate"], counts["differs"]) == (2, 1)


def test_together_is_as_one_by_one(tmp_path: Path) -> None:
    """Records of one transaction find each other, and those of before, as if each had come alone."""
    rng = random.Random(3)
    work: list[Work] = []
    for i in range(400):
        id = rng.choice([None, f"i{rng.randrange(60)}", f"i{rng.randrange(60)}", f"new {i} 'ü\"]"])
        features: dict[str, Any] = {"x": float(rng.randrange(5)), "c": rng.choice("uvw")}
        kind = rng.choice([Kind.EVENT, Kind.LABEL, Kind.EXAMPLE, Kind.EXAMPLE])
        label = rng.choice(["yes", "no"])
        if kind is Kind.EXAMPLE:
            work.append(Work(kind, id, features, label))
        else:
            event = kind is Kind.EVENT
            work.append(Work(kind, id or f"e{i}", features if event else None, None if event else label))
    found: list[Any] = []
    for n in (1, 3, 40, 400):
        with opened(tmp_path / str(n), snapshot_every=10**9) as store:
            store.create("m", **DESCRIPTION)
            outcomes = [o for i in range(0, 400, n) for o in store.submit("m", work[i : i + n]).result()]
            db = store._db()
            found.append(
                (
                    [(o.seq, o.state, o.differs) for o in outcomes],
                    db.rows("SELECT seq, kind, learns, id FROM log WHERE kind != 4 ORDER BY seq"),
                    db.rows("SELECT id, state, seq FROM ids ORDER BY id"),
                    store.file("m"),
                    store.scores("m")["cumulative"]["error"],
                )
            )
    states = {state for _, state, _ in found[0][0]}
    assert states == {"waiting", "learned", "duplicate", "early"}
    assert any(differs for _, _, differs in found[0][0])
    for other in found[1:]:
        assert other == found[0]


def test_true_is_not_one(store: LearningStore) -> None:
    store.learn("m", {"x": 1}, "yes", id="a")
    assert store.learn("m", {"x": 1.0}, "yes", id="a").differs is False
    assert store.learn("m", {"x": True}, "yes", id="a").differs is True


def test_the_answer_given_is_the_answer_scored(store: LearningStore) -> None:
    teach(store, 50)
    given = store.predict("m", {"x": 6.0, "c": "u"}, id="e", at_least_seq=51)
    assert given.answer.label == "yes"
    # The model changes its mind before the label comes.
    for i in range(200):
        store.learn("m", {"x": 6.0, "c": "u"}, "no", id=f"z{i}")
    wrong = store.scores("m")["cumulative"]["error"] * store.scores("m")["n"]
    assert store.label("m", "e", "no").answer == given.answer
    after = store.scores("m")
    assert after["cumulative"]["error"] * after["n"] == pytest.approx(wrong + 1)
    assert after["delay"]["n"] == 1
    assert store.predict("m", {"x": 0.0}, id="e").answer == given.answer  # asked again: the first answer


def test_one_slow_copy_does_not_keep_readers_behind(store: LearningStore, monkeypatch: Any) -> None:
    teach(store, 5)
    candidate = store.stream("m").champion
    snapshot = type(candidate.live).snapshot

    def stalled(self: Any) -> Any:
        time.sleep(0.3)
        return snapshot(self)

    monkeypatch.setattr(type(candidate.live), "snapshot", stalled)
    store._writer.call(candidate.publish)
    monkeypatch.undo()
    # Else readers would wait for ten times as long as the copy had to wait.
    assert candidate._cost < 0.15
    seq = store.learn("m", {"x": 1.0}, "yes").seq
    until(lambda: candidate.reader.seq >= seq)


def test_advice_refuses_nothing(store: LearningStore, caplog: Any) -> None:
    """Warnings are errors in these tests: an example that brings one is learned all the same."""
    store.create("linear", model="single", learner="perceptron")
    store.learn("linear", {"x": 1000.0}, "yes")
    assert store.learn("linear", {"x": 5000.0}, "no").state == "learned"
    assert store.scores("linear")["n"] == 2
    assert "scale" in caplog.text


def test_read_your_writes(store: LearningStore) -> None:
    seq = store.learn("m", {"x": 1.0}, "yes").seq
    assert store.predict("m", {"x": 1.0}, at_least_seq=seq).answer.seq >= seq
    with pytest.raises(Conflict, match="was not reached"):
        store.reader("m", at_least_seq=seq + 5, timeout=0.05)


def test_snapshots_are_pruned_and_the_log_is_cut(folder: Path) -> None:
    with opened(folder, keep_snapshots=2, reach_s=0.0, retention_seconds=0.05) as store:
        store.create("m", **DESCRIPTION)
        for part in range(4):
            teach(store, 20, 20 * part)
            store.snapshot("m")
        found = store.snapshots("m")
        assert len(found["snapshots"]) == 2
        until(lambda: store._db().value("SELECT count(*) FROM log WHERE learns=1") == 20)
        assert store.snapshots("m")["oldest"] == found["snapshots"][-1]["seq"]
        assert len(list((folder / "snapshots").iterdir())) == 2
        with pytest.raises(NotFound, match="Nothing before"):
            store.rollback("m", 5)
        store.file("m", found["snapshots"][-1]["seq"] + 3)


def test_snapshots_are_thinned_by_age_and_reach_far_back() -> None:
    """One a minute for five days, pruned each time: the newest are close together, the oldest is a day old or more."""
    ats: list[float] = []
    for minute in range(5 * 24 * 60):
        ats = [60.0 * minute, *ats]
        ats = [ats[i] for i in snapshots.thinned(ats, 12, 86_400.0)]
    ages = [(ats[0] - at) / 60 for at in ats]
    assert ages[:2] == [0, 1]
    assert len(ages) <= 12
    assert 24 * 60 <= ages[-1] <= 3 * 24 * 60
    assert all(b - a <= max(3, 2.5 * a) for a, b in itertools.pairwise(ages))


def test_any_record_within_reach_can_be_gone_back_to(folder: Path) -> None:
    with opened(folder, keep_snapshots=3, retention_seconds=0.01, snapshot_every=10**9) as store:
        store.create("m", **DESCRIPTION)
        files = {}
        for part in range(6):
            for i in range(7 * part, 7 * part + 7):
                seq = store.learn(
                    "m", {"x": float(i % 7), "c": "uvw"[i % 3]}, "yes" if i % 7 > 3 else "no"
                ).seq
                files[seq] = store.file("m")
            store.snapshot("m")
        time.sleep(0.1)  # some rounds of cleaning up
        kept = store.snapshots("m")
        assert len(kept["snapshots"]) <= 3
        assert kept["oldest"] == min(files) + 6  # the first snapshot: it is the last to go
        assert kept["oldest_at"] <= kept["snapshots"][0]["at"]
        for seq in (s for s in files if s >= kept["oldest"]):
            assert store.file("m", seq) == files[seq]
        store.rollback("m", kept["oldest"] + 3)
        assert store.file("m") == files[kept["oldest"] + 3]
        assert store.describe("m")["reach"]["oldest"] == kept["oldest"]
        with pytest.raises(NotFound) as caught:
            store.rollback("m", kept["oldest"] - 1)
        assert caught.value.hint == f"Any number from {kept['oldest']} on can be gone back to."


def test_a_stray_label_becomes_no_class(folder: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(streams, "FREE", 20)
    with opened(folder) as store:
        many = {**DESCRIPTION, "model": "bagging"}
        store.create("asks", **many)
        store.create("declared", classes=["no", "yes"], **many)
        store.create("learns", limits=Limits(new_classes="learn"), **many)
        for name in ("asks", "declared", "learns"):
            teach(store, 30, name=name)
        for name in ("asks", "declared"):
            with pytest.raises(Refused, match="'yess' is no class"):
                store.learn(name, {"x": 1.0}, "yess", id="stray")
            assert len(store.events(name, "poison")) == 1
        assert store.learn("learns", {"x": 1.0}, "yess").state == "learned"
        for _ in range(2):  # once and for all
            store.allow("asks", "yess", by="test")
        assert store.learn("asks", {"x": 1.0}, "yess", id="stray").state == "learned"
        with pytest.raises(Conflict, match="declared and are final: 'no', 'yes'"):
            store.allow("declared", "yess", by="test")
    with opened(folder) as store:
        assert store.stream("asks").limits.allowed == ["yess"]
        assert store.learn("asks", {"x": 1.0}, "yess").state == "learned"
    with pytest.raises(BadRequest, match="learn, refuse or ask"):
        Limits(new_classes="perhaps")


@pytest.mark.parametrize("damage", ["a bit", "a link to a device"])
def test_a_damaged_snapshot_is_noticed_and_the_one_before_it_used(
    folder: Path, caplog: Any, damage: str
) -> None:
    with opened(folder, keep_log=True) as store:
        store.create("m", **DESCRIPTION)
        teach(store, 30)
        store.snapshot("m")
        teach(store, 30, 30)
        store.snapshot("m")
        teach(store, 5, 60)
        settle(store)
        expected, scores = store.file("m"), store.scores("m")
    newest = max((folder / "snapshots").iterdir(), key=lambda path: int(path.stem.split("-")[1]))
    data = bytearray(newest.read_bytes())
    data[len(data) // 2] ^= 1
    if damage == "a bit":
        newest.write_bytes(bytes(data))
    else:
        newest.unlink()
        newest.symlink_to("/dev/zero")
    with caplog.at_level(logging.ERROR), opened(folder, keep_log=True) as store:
        assert store.file("m") == expected
        assert store.scores("m") == scores
    assert "cannot be used" in caplog.text


def test_nothing_is_invented_when_all_snapshots_are_gone_and_the_log_is_cut(folder: Path) -> None:
    with opened(folder, keep_snapshots=1, retention_seconds=0.01) as store:
        store.create("m", **DESCRIPTION)
        teach(store, 30)
        store.snapshot("m")
        until(lambda: store._db().value("SELECT count(*) FROM log WHERE learns=1") == 0)
    for path in (folder / "snapshots").iterdir():
        path.unlink()
    with pytest.raises(StoreError, match="can be read, and the log before 31 is gone"):
        opened(folder)


def test_shadows_learn_the_same_examples_and_promotion_is_one_step(folder: Path) -> None:
    with opened(folder) as store:
        store.create("m", **DESCRIPTION)
        teach(store, 20)
        store.add_shadow("m", "other", model="single", learner="logistic")
        teach(store, 40, 20)
        store.predict("m", {"x": 6.0, "c": "u"}, id="e")
        store.label("m", "e", "yes")
        settle(store)
        scores = store.scores("m")
        assert (scores["n"], scores["shadows"]["other"]["n"]) == (61, 41)
        store.promote("m", "other")
        described = store.describe("m")
        assert (described["champion"]["name"], described["shadows"][0]["name"]) == ("other", "m")
        assert store.scores("m")["shadows"]["m"] == {
            k: v for k, v in scores.items() if k not in ("seq", "shadows")
        }
        teach(store, 5, 100)
        settle(store)
        scores, file = store.scores("m"), store.file("m")
    with opened(folder) as store:
        assert store.scores("m") == scores
        assert store.file("m") == file
        with pytest.raises(NotFound, match="no shadow"):
            store.promote("m", "nobody")
        store.drop_shadow("m", "m")
        assert store.describe("m")["shadows"] == []


def test_a_example_that_only_the_shadow_refuses_does_not_stop_the_champion(folder: Path) -> None:
    with opened(folder) as store:
        store.create("m", model="bagging", learner="naive-bayes", params={"n_estimators": 2})
        store.add_shadow("m", "two", **DESCRIPTION)
        for label in ("a", "b", "c", "a"):  # osboost tells two classes apart
            store.learn("m", {"x": 1.0}, label)
        settle(store)
        scores = store.scores("m")
        assert (scores["n"], scores["shadows"]["two"]["n"]) == (4, 3)
    with opened(folder) as store:
        assert store.scores("m")["shadows"]["two"]["n"] == 3


def test_files_go_out_and_come_in(store: LearningStore, tmp_path: Path) -> None:
    teach(store, 20)
    file = store.file("m")
    store.create("copy", file=file)
    assert store.file("copy") == file
    teach(store, 10, 100, "copy")
    teach(store, 10, 100)
    assert store.file("copy") == store.file("m")
    store.put_file("copy", file)
    assert store.file("copy") == file
    for bad in (b"", b"nonsense", file[:-10]):
        with pytest.raises(BadRequest, match="no usable model file"):
            store.put_file("copy", bad)
    assert store.file("copy") == file
    path = tmp_path / "m.sboost"
    path.write_bytes(file)
    assert load(path).n_learned_ == 20


def test_scores_outlive_a_way_back_to_the_very_beginning(folder: Path) -> None:
    """Nothing learned is left then, so there is no snapshot to keep them."""
    with opened(folder) as store:
        store.create("m", **DESCRIPTION)
        teach(store, 7)
        store.rollback("m", 1)
        settle(store)
        scores = store.scores("m")
        assert scores["n"] == 7
    with opened(folder) as store:
        assert store.scores("m") == scores


def test_files_outlive_a_restart(folder: Path) -> None:
    with opened(folder) as store:
        store.create("m", **DESCRIPTION)
        teach(store, 20)
        store.create("copy", file=store.file("m"))
        store.put_file("m", store.file("m"))
        teach(store, 3, 50, "copy")
        files = store.file("copy"), store.file("m")
        assert [e["command"]["act"] for e in store.events("m", "command")] == ["file", "create"]
    with opened(folder) as store:
        assert (store.file("copy"), store.file("m")) == files


def test_deleted_models_are_gone_with_all_their_rows(folder: Path) -> None:
    with opened(folder, retention_seconds=0.01) as store:
        store.create("m", **DESCRIPTION)
        teach(store, 20)
        store.snapshot("m")
        store.delete("m")
        assert store.names == []
        with pytest.raises(NotFound):
            store.learn("m", {"x": 1.0}, "yes")
        store.create("m", **DESCRIPTION)
        until(lambda: store._db().value("SELECT count(*) FROM log") == 1)
        until(lambda: store._db().value("SELECT count(*) FROM ids") == 0)
        assert not list((folder / "snapshots").iterdir())
        teach(store, 3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"model": "forest"}, "no model 'forest'"),
        ({"learner": "mine"}, "no learner 'mine'"),
        ({"params": {"gamma": -1}}, "gamma"),
        ({"params": {"speed": 1}}, "no parameter 'speed'"),
        ({"params": {"random_state": 1}}, "given as 'seed'"),
        ({"learner_params": {"x": 1}}, "no parameter 'x'"),
        ({"seed": -1}, "seed"),
        ({"what": 1}, "what"),
        ({"keep_events_s": 0}, "keep_events_s"),
        ({"model": "online-mbbm", "params": {}}, "all classes"),
    ],
)
def test_descriptions_that_are_wrong(folder: Path, change: dict[str, Any], words: str) -> None:
    with opened(folder) as store:
        with pytest.raises(BadRequest, match=words):
            store.create("m", **{**DESCRIPTION, **change})
        assert store.names == []


@pytest.mark.parametrize("name", ["", "a/b", "..", ".", "a b", "ü", "x" * 65, "a\n"])
def test_names_are_never_paths(folder: Path, name: str) -> None:
    with opened(folder) as store, pytest.raises(BadRequest, match="is no name"):
        store.create(name, **DESCRIPTION)


def test_limits(folder: Path) -> None:
    with opened(folder) as store:
        store.create(
            "m",
            **{**DESCRIPTION, "model": "bagging"},
            limits=Limits(features=3, columns=4, classes=2, text=10),
        )
        store.learn("m", {"a": 1.0, "b": 1.0, "c": 1.0}, "x")
        file = store.file("m")
        for features, label, words in (
            ({"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}, "x", "4 features"),
            ({"d": 1.0, "e": 1.0}, "x", "limits.columns"),
            ({"a" * 11: 1.0}, "x", "above 10"),
            ({"a": "t" * 11}, "x", "above 10"),
            ({"a": 1.0}, "l" * 11, "11 characters"),
        ):
            with pytest.raises((BadRequest, Refused), match=words):
                store.learn("m", features, label)
        assert store.file("m") == file
        store.learn("m", {"a": 1.0}, "y")
        with pytest.raises(Refused, match=r"limits\.classes"):
            store.learn("m", {"a": 1.0}, "z")
        for features, label in (({"a\ud800": 1.0}, "x"), ({"a": "\udfff"}, "x"), ({"a": 1.0}, "\ud800")):
            with pytest.raises(BadRequest, match="half a character"):
                store.learn("m", features, label)
        for id in ("", "x" * 129, "a\n", "\x00"):
            with pytest.raises(BadRequest, match="printable"):
                store.learn("m", {"a": 1.0}, "x", id=id)
        for weight in (-1.0, float("nan"), float("inf")):
            with pytest.raises(BadRequest, match="weight"):
                store.learn("m", {"a": 1.0}, "x", weight=weight)


def test_only_one_process(store: LearningStore, folder: Path) -> None:
    with pytest.raises(Conflict, match="in use"):
        LearningStore(folder)


def test_a_full_queue_says_so(folder: Path) -> None:
    with opened(folder, queue=10) as store:
        store.create("m", **DESCRIPTION)
        with held_up(store):
            futures = [store.submit("m", [Work(Kind.EXAMPLE, None, {"x": 1.0}, "yes")] * 5) for _ in range(2)]
            with pytest.raises(QueueFull, match="10 records are waiting"):
                store.submit("m", [Work(Kind.EXAMPLE, None, {"x": 1.0}, "yes")])
        assert all(len(f.result()) == 5 for f in futures)


def test_a_clock_that_is_set_back_stands_still(store: LearningStore, monkeypatch: Any) -> None:
    store.predict("m", {"x": 1.0}, id="a")
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    store.predict("m", {"x": 1.0}, id="b")
    store.label("m", "b", "yes")
    times = [at for (at,) in store._db().rows("SELECT at FROM log ORDER BY seq")]
    assert times == sorted(times)
    assert store.scores("m")["delay"]["counts"][0] == 1


def test_a_full_disk_makes_it_read_only_and_it_comes_back(folder: Path) -> None:
    with opened(folder, probe_seconds=0.05) as store:
        store.create("m", **DESCRIPTION)
        teach(store, 50)
        file = store.file("m")
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
        try:
            with pytest.raises(ReadOnly, match="given up"):
                store.learn("m", {"x": 1.0}, "yes", id="full")
            with pytest.raises(ReadOnly, match="read-only"):
                store.learn("m", {"x": 1.0}, "yes", id="more")
            with pytest.raises(ReadOnly, match="read-only"):
                store.rollback("m", 3)
            answer = store.predict("m", {"x": 1.0}, id="asked")
            assert answer.answer.label is not None
            assert answer.logged is False
            time.sleep(0.2)
            assert store.read_only is not None
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        until(lambda: store.read_only is None)
        assert store.file("m") == file
        assert store.learn("m", {"x": 0.0, "c": "u"}, "no", id="t0").duplicate
        assert store.learn("m", {"x": 1.0}, "yes", id="full").state == "learned"
        teach(store, 5, 1000)
        file = store.file("m")
    with opened(folder) as store:
        assert store.file("m") == file


def test_an_error_of_ours_loses_nothing(store: LearningStore, monkeypatch: Any) -> None:
    """Whatever happens inside a transaction: the models are read again from the disk and agree with the log."""
    teach(store, 20)
    file = store.file("m")
    journal = store._writer.journal
    monkeypatch.setattr(journal, "finish", lambda: (_ for _ in ()).throw(RuntimeError("no")))
    with pytest.raises(ReadOnly, match="given up"):
        store.learn("m", {"x": 1.0}, "yes")
    until(lambda: store.read_only is None)
    assert store.file("m") == file
    teach(store, 5, 100)


def test_a_example_that_kills_the_process_does_not_do_so_for_ever(folder: Path, caplog: Any) -> None:
    with opened(folder) as store:
        store.create("m", **DESCRIPTION)
        store.add_shadow("m", "s", **DESCRIPTION)
        teach(store, 10)
    script = (
        "import os, sys, time\n"
        "from streamboost.service.store import candidates, LearningStore\n"
        "learn = candidates.Candidate.learn\n"
        "def deadly(self, features, label, weight, **more):\n"
        "    if features.get('x') == 99.0 and self.name in ('s', ''): os._exit(9)\n"
        "    return learn(self, features, label, weight, **more)\n"
        "candidates.Candidate.learn = deadly\n"
        "def life(learns):\n"
        "    store = LearningStore(sys.argv[1]); store.wait_ready()\n"
        "    if learns: store.learn('m', {'x': 99.0, 'c': 'u'}, 'yes', id='deadly'); time.sleep(5)\n"
        "    store.close(); os._exit(0)\n"
        "for start in range(5):\n"
        "    child = os.fork()\n"
        "    if not child: life(start == 0)\n"
        "    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder)], check=True, capture_output=True, text=True
    )
    assert done.stdout.split() == ["9", "9", "9", "9", "0"]
    with opened(folder) as store:
        assert store._db().rows("SELECT reason FROM skipped") == [("the process ended while it was learned",)]
        assert store.learn("m", {"x": 99.0, "c": "u"}, "yes", id="deadly").duplicate
        assert store.scores("m")["n"] == 11
        assert store.scores("m")["shadows"]["s"]["n"] == 10
    assert not (folder / replay.ATTEMPTS).exists()


def test_ids_and_poison_are_forgotten_in_time(folder: Path) -> None:
    with opened(folder, keep_poison=3, keep_ids_s=1000.0, retention_seconds=10**6) as store:
        store.create("m", **DESCRIPTION)
        teach(store, 20)
        for _ in range(6):
            with pytest.raises(Refused):
                store.learn("m", {"x": "text"}, "yes")
        writer = store._writer
        writer.call(lambda: retention.clean(writer.db, writer.streams.values(), writer.settings, time.time()))
        assert len(store.events("m", "poison")) == 3
        assert store.learn("m", {"x": 1.0}, "yes", id="t1").duplicate
        writer.call(lambda: setattr(writer.journal, "_clock", time.time() + 1001))
        store.learn("m", {"x": 1.0}, "yes")
        writer.call(
            lambda: retention.clean(writer.db, writer.streams.values(), writer.settings, writer.journal.now())
        )
        assert not store.learn("m", {"x": 1.0}, "yes", id="t1").duplicate


def test_a_cancelled_request_is_still_recorded(store: LearningStore) -> None:
    with held_up(store):
        future = store.submit("m", [Work(Kind.EXAMPLE, "c", {"x": 1.0}, "yes")])
        assert future.cancel()
    assert store.learn("m", {"x": 1.0}, "yes", id="c").duplicate


def test_many_threads_at_once(store: LearningStore) -> None:
    states: list[str] = []

    def work(k: int) -> None:
        for i in range(40):
            states.append(store.learn("m", {"x": float(i)}, "yes" if i % 2 else "no", id=f"{i}").state)
            store.predict("m", {"x": float(k)})

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(states) == ["duplicate"] * 120 + ["learned"] * 40


def test_scores_are_the_ones_of_the_library_and_survive_bytes() -> None:
    import numpy as np

    from streamboost.service.store.records import Answer

    rng = np.random.default_rng(0)
    whole, half = ClassScores(), ClassScores()
    right = 0
    for i in range(3000):
        p = float(rng.random())
        label = "yes" if rng.random() < p else "no"
        answer = Answer("yes" if p >= 0.5 else "no", ["no", "yes"], [1 - p, p])
        right += answer.label == label
        whole.add(label, answer, float(i), delay=2.0)
        half.add(label, answer, float(i), delay=2.0)
        if i % 700 == 0:
            half = ClassScores.from_bytes(half.to_bytes())
    assert whole.values() == half.values()
    found = whole.values()
    assert found["cumulative"]["error"] == pytest.approx(1 - right / 3000)
    assert 0.8 < found["cumulative"]["auc"] < 0.87
    assert all(abs(b["confidence"] - b["right"]) < 0.1 for b in found["calibration"])
    assert sum(b["n"] for b in found["calibration"]) == 3000
    assert found["delay"]["counts"][1] == 3000


def test_history_is_bounded_and_keeps_what_sticks_out() -> None:
    history = History()
    for first in range(0, 100_000, 1_000):
        some = range(first, first + 1_000)
        history.extend([50_000 <= i < 50_300 for i in some], [float(i) for i in some])
    assert len(history.buckets) < 4096
    curve = history.curve(300)
    assert len(curve["n"]) <= 300
    assert max(curve["high"]) == 1.0
    assert curve["cumulative"][-1] == pytest.approx(300 / 100_000, rel=0.05)


def test_importing_streamboost_loads_none_of_it() -> None:
    script = (
        "import sys, streamboost, streamboost.models\n"
        "print([m for m in ('apsw', 'starlette', 'msgspec', 'uvicorn', 'httpx') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
