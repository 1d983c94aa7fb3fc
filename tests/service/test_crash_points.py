"""A power cut at every write and every sync: what was acknowledged is there, the rest is a prefix, the model is its replay."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from streamboost.service.store import LearningStore, Settings, Work
from streamboost.service.store.database import Database
from streamboost.service.store.records import Kind, decode_body
from tests.service.crash_vfs import CrashVFS, power_cut
from tests.service.plain_store import taught

DESCRIPTION = {"model": "single", "learner": "naive-bayes", "params": {}}
VARIANTS = int(os.environ.get("STREAMBOOST_CUTS", "1"))
QUIET = Settings(snapshot_every=10**9, snapshot_seconds=10**9, retention_seconds=10**9, keep_log=True)


def rows_of(db: Database) -> list[tuple[Any, ...]]:
    return db.rows("SELECT seq, kind, learns, id, body FROM log ORDER BY seq")


def run(vfs: CrashVFS, folder: Path) -> tuple[list[tuple[int, int]], list[tuple[Any, ...]]]:
    """Some work; returns for every acknowledged record how many operations had reached the disk by then, and the log."""
    store = LearningStore(folder, QUIET, vfs="crash")
    store.wait_ready()
    made = store.create("m", **DESCRIPTION)
    acknowledged = [(len(vfs.ops), made)]
    number = 0
    for batch in range(5):
        work = []
        for _ in range(1 + 3 * (batch % 2)):
            number += 1
            x = {"x": float(number % 5), "c": "uvw"[number % 3]}
            if number % 3 == 0:
                work.append(Work(Kind.EVENT, f"i{number}", x))
            elif number % 3 == 1 and number > 3:
                work.append(Work(Kind.LABEL, f"i{number - 1}", label="yes"))
            else:
                work.append(Work(Kind.EXAMPLE, f"i{number}", x, "no" if number % 2 else "yes"))
        outcomes = store.submit("m", work, ("source", "0", str(number))).result()
        acknowledged += [(len(vfs.ops), outcome.seq) for outcome in outcomes]
        if batch in (
            1,
            3,
        ):  # the log starts anew in the same file: where old frames could be taken for new ones
            store._writer.call(lambda: store._writer.db.run("PRAGMA wal_checkpoint(RESTART)"))
    log = store._writer.call(lambda: rows_of(store._writer.db))
    assert len(log) == number + 1
    return acknowledged, log


@pytest.fixture
def vfs() -> CrashVFS:
    return CrashVFS("crash")


@pytest.fixture
def tmp_path() -> Iterator[Path]:  # type: ignore[override]
    """In memory if there is such a place: thousands of syncs are waited for otherwise."""
    room = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=room) as folder:
        yield Path(folder)


def test_every_crash_point(vfs: CrashVFS, tmp_path: Path) -> None:
    acknowledged, log = run(vfs, tmp_path / "run")
    ops = list(vfs.ops)
    assert sum(op.kind == "sync" for op in ops) >= 7
    lost_any, points = 0, 0
    for cut in range(len(ops) + 1):
        for variant in range(VARIANTS):
            points += 1
            files = power_cut(ops[:cut], random.Random(1000 * cut + variant))
            folder = tmp_path / "cut"
            folder.mkdir()
            for name, data in files.items():
                (folder / name).write_bytes(data)
            told = {seq for at, seq in acknowledged if at <= cut}
            if not told and not (folder / "log.db").exists():
                shutil.rmtree(folder)
                continue
            with LearningStore(folder, QUIET) as store:
                store.wait_ready()
                found = rows_of(store._db())
                assert told <= {row[0] for row in found}, f"acknowledged records are lost at operation {cut}"
                assert found == log[: len(found)], f"not a prefix at operation {cut}"
                lost_any += len(found) < len(log)
                if "m" not in store.names:
                    assert not found
                    shutil.rmtree(folder)
                    continue
                offset = store.offset("source").get("0")
                assert offset is None or int(offset) == len(found) - 1
                examples = [
                    (b.features, b.label, b.weight) for b in (decode_body(r[4]) for r in found if r[2])
                ]
                expected = taught(examples, DESCRIPTION, tmp_path)
                assert (store.file("m") if examples else None) == expected
            shutil.rmtree(folder)
    assert lost_any > points / 4  # the cuts did cut


def test_the_check_finds_a_store_that_does_not_sync(vfs: CrashVFS, tmp_path: Path, monkeypatch: Any) -> None:
    """Without the sync at every commit the test above must fail: it would be worth nothing otherwise."""
    prepare = Database._prepare

    def careless(self: Database) -> None:
        prepare(self)
        self.run("PRAGMA synchronous=NORMAL")

    monkeypatch.setattr(Database, "_prepare", careless)
    acknowledged, _ = run(vfs, tmp_path / "run")
    monkeypatch.undo()
    ops = list(vfs.ops)
    lost = 0
    for cut in range(len(ops)):
        told = {seq for at, seq in acknowledged if at <= cut}
        folder = tmp_path / "cut"
        folder.mkdir()
        for name, data in power_cut(ops[:cut], random.Random(cut)).items():
            (folder / name).write_bytes(data)
        connection = apsw.Connection(str(folder / "log.db"))
        try:
            there = {seq for (seq,) in connection.execute("SELECT seq FROM log")}
        except apsw.Error:
            there = set()
        connection.close()
        lost += not told <= there
        shutil.rmtree(folder)
    assert lost > 0
