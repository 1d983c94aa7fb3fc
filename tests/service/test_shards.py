"""Models over shards behind the service: the same answers, records and bits, whoever is killed."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from streamboost.service.store import LearningStore, Settings
from streamboost.service.store.records import Kind, Work
from tests.waiting import PATIENCE, until

DESCRIPTION = {"model": "oza-boost", "learner": "naive-bayes", "params": {"n_estimators": 5}}
# What a shadow answers an event depends on how far it is then; a temperature would learn from that answer.
SHADOW = {"n_estimators": 3, "calibration": None}


def work(n: int, seed: int = 0) -> list[Work]:
    """Examples, and events with their labels; new classes, columns and values midway, and what no model takes."""
    rng = random.Random(seed)
    found = []
    for i in range(n):
        features: dict[str, Any] = {"x": rng.gauss(0, 1), "c": rng.choice("uv" if i < n // 2 else "uvw")}
        if i > n // 3:
            features["late"] = rng.gauss(0, 1)
        label: Any = ["no", "yes", "maybe"][rng.randrange(2 if i < n // 2 else 3)]
        if i % 17 == 5:
            label = 3  # the others are texts: put aside
        if i % 13 == 7:
            features["x"] = "wide"  # a number until now
        weight = rng.choice([1.0, 1.0, 2.0, 0.0])
        if i % 5:
            found.append(Work(Kind.EXAMPLE, f"l{i}", features, label, weight))
        else:
            found += [Work(Kind.EVENT, f"e{i}", features), Work(Kind.LABEL, f"e{i}", None, label, weight)]
    return found


def learn(store: LearningStore, works: list[Work], step: int, seq: int | None = None) -> list[Any]:
    """Hand records over in transactions; events with the answers of a copy that knows all before them."""
    outcomes: list[Any] = []
    for first in range(0, len(works), step):
        reader = store.reader("m", outcomes[-1].seq if outcomes else seq, timeout=PATIENCE)
        some = []
        for one in works[first : first + step]:
            event = one.kind is Kind.EVENT
            some.append(store.event("m", one.features or {}, one.id or "", reader) if event else one)
        outcomes += store.submit("m", some).result()
    return [(o.seq, o.state, o.reason, o.answer) for o in outcomes]


@pytest.mark.parametrize(
    ("model", "engine"),
    [("oza-boost", "processes"), ("leveraging-bagging", "local"), ("streamboost", "local")],
)
def test_the_same_as_in_one_process(tmp_path: Path, model: str, engine: str) -> None:
    description: dict[str, Any] = {**DESCRIPTION, "model": model}
    examples = [w for w in work(90) if (w.features or {}).get("x") != "wide" or w.kind is Kind.EXAMPLE]
    found = []
    for name, settings in [("one", Settings()), ("cut", Settings(shards=2, engine=engine))]:
        with LearningStore(tmp_path / name, settings) as store:
            store.create("m", **description)
            store.add_shadow("m", "other", model="bagging", params=SHADOW)
            outcomes = learn(store, examples[:40], 7)
            if engine == "processes" and name == "cut":
                shards = store.stream("m").champion.shards
                assert shards is not None
                os.kill(shards._shards.pids()[1], signal.SIGKILL)
                until(lambda store=store: store.shards()["running"] < 4 or store.shards()["lost"])  # type: ignore[misc]
                # The neighbour of one that died ends too, a little later; both may be back, if readers were due a new copy.
                assert store.shards()["running"] in (2, 3) or store.shards()["lost"]
            outcomes += learn(store, examples[40:], 7, outcomes[-1][0])
            if engine == "processes" and name == "cut":
                assert store.shards() == {"shards": 4, "running": 4, "lost": 1}
                assert store.describe("m")["champion"]["shards"]["lost"] == 1
            store.promote("m", "other")
            store.promote("m", "m")
            store.rollback("m", outcomes[30][0])
            again = [w for w in work(20, seed=1) if w.kind is Kind.EXAMPLE]
            for one in again:
                one.id = f"again-{one.id}"
            outcomes += learn(store, again, 5)
            scores = {**store.scores("m"), "seq": None, "delay": None, "shadows": None}
            files = [store.file("m")]
            store.promote("m", "other")
            found.append((outcomes, scores, [*files, store.file("m")]))
        assert not (tmp_path / name / "shards").exists() or not list((tmp_path / name / "shards").iterdir())
    assert [o[1] for o in found[0][0]].count("poison") > 3
    for one, cut in zip(*found, strict=True):
        assert one == cut


def test_regressors(tmp_path: Path) -> None:
    rng = random.Random(3)
    examples = [
        Work(
            Kind.EXAMPLE,
            f"l{i}",
            {"x": (x := rng.gauss(0, 1)), "c": rng.choice("uv")},
            2 * x,
            rng.choice([1.0, 2.0]),
        )
        for i in range(60)
    ]
    found = []
    for name, settings in [("one", Settings()), ("cut", Settings(shards=2, engine="local"))]:
        with LearningStore(tmp_path / name, settings) as store:
            store.create("m", model="bagging-regressor", params={"n_estimators": 4})
            outcomes = learn(store, examples, 7)
            assert (store.stream("m").champion.shards is None) == (name == "one")
            found.append((outcomes, store.file("m")))
    assert found[0] == found[1]


SERVER = """
import sys
from streamboost.cli import main
options = "--port 0 --no-tokens --json --shards 2 --snapshot-every 40 --keep-log forever"
sys.argv = ["streamboost", "serve", sys.argv[1], *options.split()]
main()
"""


class Served:
    """A real server over a folder."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-c", SERVER, str(folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        self.url = json.loads(self.process.stdout.readline())["url"]

    def ask(self, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
            text = reply.read().decode()
        return json.loads(text) if text.startswith("{") else text

    def end(self, number: int) -> None:
        self.process.send_signal(number)
        self.process.wait(PATIENCE)
        if self.process.stdout is not None:
            self.process.stdout.close()


def test_a_killed_service_and_a_killed_shard_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "served"
    examples = [
        {"id": w.id, "features": w.features, "label": w.label, "weight": w.weight}
        for w in work(150, seed=2)
        if w.kind is Kind.EXAMPLE and w.label != 3 and (w.features or {}).get("x") != "wide"
    ]
    acknowledged = 0
    server = Served(folder)
    try:
        server.ask("/v1/models", {"name": "m", **DESCRIPTION})
        for i, example in enumerate(examples):
            assert not server.ask("/v1/models/m/learn", example)["duplicate"]
            acknowledged = i + 1
            if i == 30:
                shard = [
                    pid for pid in _descendants(server.process.pid) if "distributed.worker" in _command(pid)
                ]
                assert len(shard) == 2
                os.kill(shard[0], signal.SIGKILL)
            if i in (60, 90):  # once with and once without a snapshot just before
                workers = _descendants(server.process.pid)
                server.end(signal.SIGKILL)
                until(lambda pids=workers: not any(map(_alive, pids)), "the end of the shards")  # type: ignore[misc]
                server = Served(folder)
                assert server.ask("/v1/models/m/learn", example)["duplicate"]
        health = server.ask("/healthz")
        assert health["shards"]["shards"] == health["shards"]["running"] == 2
        assert "streamboost_shards_running 2.0" in server.ask("/metrics")
        server.end(signal.SIGTERM)
    finally:
        if server.process.poll() is None:
            server.end(signal.SIGKILL)
    for snapshot in (folder / "snapshots").iterdir():  # nothing but the log
        if snapshot.name.endswith(".sboost"):
            snapshot.unlink()
    with LearningStore(folder, Settings(keep_log=True)) as store, LearningStore(tmp_path / "alone") as alone:
        alone.create("m", **DESCRIPTION)
        for example in examples[:acknowledged]:
            alone.learn(
                "m", example["features"], example["label"], id=example["id"], weight=example["weight"]
            )
        assert store.file("m") == alone.file("m")


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


def _descendants(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            children = (task / "children").read_text().split()
        except OSError:  # a thread that has just ended
            continue
        for child in children:
            found += [int(child), *_descendants(int(child))]
    return found


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_model_that_cannot_be_cut_stays_whole(tmp_path: Path) -> None:
    with LearningStore(tmp_path, Settings(shards=2, engine="local")) as store:
        store.create("m", model="oza-boost", params={"n_estimators": 1})
        store.learn("m", {"x": 1.0}, "yes")
        assert store.stream("m").champion.shards is None
        assert "shards" not in store.describe("m")["champion"]
    shutil.rmtree(tmp_path)
