"""Snapshots of a model that remembers rows: they share their files, and lose nothing by it."""

from __future__ import annotations

import logging
import random
from pathlib import Path
from typing import Any

import pytest

from streamboost.base.files import rows_apart
from streamboost.models import load
from streamboost.service import audit
from streamboost.service.store import LearningStore, Settings, Work, snapshots
from streamboost.service.store.records import Kind
from tests.service.lying_disk import power_cut, put, record, told
from tests.service.plain_store import taught

DESCRIPTION: dict[str, Any] = {
    "model": "replay-boosting",
    "learner": None,
    "params": {"memory": 200, "rounds": 2, "leaves": 3},
}
BY_HAND: dict[str, Any] = {"snapshot_every": 10**9, "snapshot_seconds": 10**9}
PART = 60


@pytest.fixture(autouse=True)
def short_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_apart, "ROWS", 16)


def example(i: int) -> tuple[dict[str, Any], str, float]:
    return {"x": float(i % 7), "z": float(i), "c": "uvw"[i % 3]}, "yes" if i % 7 > 3 else "no", 1.0


def opened(folder: Path, **settings: Any) -> LearningStore:
    store = LearningStore(folder, Settings(**BY_HAND | settings))
    store.wait_ready()
    return store


def teach(store: LearningStore, part: int) -> int:
    """One part of the stream; returns the last number."""
    work = [Work(Kind.EXAMPLE, None, *example(i)[:2]) for i in range(PART * part, PART * part + PART)]
    return max(outcome.seq for outcome in store.submit("m", work).result())


def files(folder: Path, kind: str) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in (folder / "snapshots").glob(f"*.{kind}")}


def test_snapshots_write_new_rows_and_forget_old_ones(tmp_path: Path) -> None:
    sizes = []
    with opened(tmp_path, keep_snapshots=2, reach_s=0.0, keep_log=True) as store:
        store.create("m", **DESCRIPTION)
        for part in range(12):
            teach(store, part)
            before = set(files(tmp_path, "rows"))
            store.snapshot("m")
            sizes.append(sum(size for name, size in files(tmp_path, "rows").items() if name not in before))
        kept = store.snapshots("m")["snapshots"]
        assert len(kept) == 2
        assert len(files(tmp_path, "sboost")) == 2
        assert len(files(tmp_path, "rows")) <= 2 + (200 + 60) // PART + 1
        expected = store.file("m")
    assert 0 < max(sizes[5:]) <= (PART + 32) * (3 * 4 + 16)
    assert all(ok for _, ok in audit.verify(tmp_path))
    with opened(tmp_path, keep_log=True) as store:
        assert (
            store.file("m")
            == expected
            == taught([example(i) for i in range(12 * PART)], DESCRIPTION, tmp_path)
        )
        newest = max((tmp_path / "snapshots").glob("*.sboost"), key=lambda p: int(p.stem.split("-")[1]))
        assert load(newest).to_bytes() == expected
        store.rollback("m", kept[1]["seq"])
        assert store.file("m") == taught([example(i) for i in range(11 * PART)], DESCRIPTION, tmp_path)
        teach(store, 3)  # other rows of the same numbers
        store.snapshot("m")
        other = store.file("m")
        newest = max((tmp_path / "snapshots").glob("*.sboost"), key=lambda p: int(p.stem.split("-")[1]))
        assert load(newest).to_bytes() == other != expected
        store.delete("m")
        assert not list((tmp_path / "snapshots").iterdir())


def test_damaged_rows_are_noticed_and_an_older_snapshot_is_used(tmp_path: Path, caplog: Any) -> None:
    with opened(tmp_path, keep_log=True) as store:
        store.create("m", **DESCRIPTION)
        seen: set[str] = set()
        for part in range(4):
            teach(store, part)
            store.snapshot("m")
            new = set(files(tmp_path, "rows")) - seen
            seen |= new
        expected = store.file("m")
    path = tmp_path / "snapshots" / new.pop()
    path.write_bytes(path.read_bytes()[::-1])
    with caplog.at_level(logging.ERROR), opened(tmp_path, keep_log=True) as store:
        assert store.file("m") == expected
    assert "cannot be used" in caplog.text


def test_strays_go_and_a_snapshot_without_its_rows_is_not_named(tmp_path: Path, monkeypatch: Any) -> None:
    with opened(tmp_path, keep_log=True) as store:
        store.create("m", **DESCRIPTION)
        teach(store, 0)
        store.snapshot("m")
        teach(store, 1)
        write_file = snapshots.write_file

        def and_lose(folder: Path, taken: Any) -> Any:
            found = write_file(folder, taken)
            for name in files(tmp_path, "rows"):
                (tmp_path / "snapshots" / name).unlink()
            return found

        monkeypatch.setattr(snapshots, "write_file", and_lose)
        with pytest.raises(Exception, match="were forgotten"):
            store.snapshot("m")
        monkeypatch.undo()
        monkeypatch.setattr(rows_apart, "ROWS", 16)
        assert len(store.snapshots("m")["snapshots"]) == 1
        store.snapshot("m")  # the rows are written again
        expected = store.file("m")
    (tmp_path / "snapshots" / f"1-{'0' * 32}.rows").write_bytes(b"stray")
    with opened(tmp_path, keep_log=True) as store:
        assert f"1-{'0' * 32}.rows" not in files(tmp_path, "rows")
        assert store.file("m") == expected
    assert load(max((tmp_path / "snapshots").glob("*.sboost"), key=lambda p: int(p.stem.split("-")[1])))


SERVE = """
import sys, time
from pathlib import Path
from streamboost.base.files import rows_apart
from tests.service.test_rows import CUT_SETTINGS, DESCRIPTION, opened, teach
rows_apart.ROWS = 16
told = open(sys.argv[1] + "/told", "ab", buffering=0)
with opened(Path(sys.argv[1]) / "store", **CUT_SETTINGS) as store:
    store.create("m", **DESCRIPTION)
    for part in range(7):
        teach(store, part)
        told.write(f"{60 * (part + 1)} ".encode())
        store.snapshot("m")
        time.sleep(0.1)  # the log is cut at the older snapshot
"""
CUT_SETTINGS: dict[str, Any] = {"keep_snapshots": 2, "reach_s": 0.0, "retention_seconds": 0.01}


def test_a_power_cut_at_any_moment_loses_nothing(tmp_path: Path) -> None:
    """Only two snapshots are kept and the log before them is gone: what they need must be there."""
    ops = record(SERVE, tmp_path / "run")
    assert told(ops)[-1] == str(7 * PART)
    writes = [n for n, op in enumerate(ops) if op.file.endswith(".tmp") or op.kind in ("rename", "delete")]
    chance = random.Random(4)
    moments = sorted({*chance.sample(range(len(ops)), 20), *chance.sample(writes, 40), len(ops)})
    whole = {}
    for n, cut in enumerate(moments):
        folder, acknowledged = tmp_path / str(n), int((told(ops[:cut]) or ["0"])[-1])
        put(power_cut(ops[:cut], random.Random(cut)), folder)
        if not acknowledged:
            continue
        with opened(folder / "store", **CUT_SETTINGS) as store:
            found = store.file("m")
            learned = load(found).n_learned_
            assert learned in (acknowledged, acknowledged + PART), f"lessons are lost at operation {cut}"
            if learned not in whole:
                whole[learned] = taught([example(i) for i in range(learned)], DESCRIPTION, tmp_path)
            assert found == whole[learned]
    assert len(whole) > 4


pytestmark = pytest.mark.filterwarnings("ignore")
