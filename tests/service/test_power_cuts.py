"""Power cuts under whole processes, on a disk that lies: nothing acknowledged is lost, nothing torn is taken for whole."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import streamboost as sb
from streamboost.distributed import KeyedClassifier
from streamboost.service.store import LearningStore
from tests.service.lying_disk import power_cut, put, record, told
from tests.service.plain_store import taught
from tests.service.test_crash_points import DESCRIPTION, QUIET, rows_of

CUTS = 60

SAVE = """
import os, sys
import numpy as np
import streamboost as sb
folder, careless = sys.argv[1], len(sys.argv) > 2
if careless:
    os.fsync = lambda fd: None
told = open(folder + "/told", "ab", buffering=0)
model = sb.OnlineBaggingClassifier(n_estimators=3, random_state=1)
X = np.random.default_rng(1).normal(size=(60, 3))
for first in range(0, 60, 10):
    model.partial_fit(X[first : first + 10], X[first : first + 10, 0] > 0, classes=[False, True])
    model.save(folder + "/model.sboost")
    told.write(f"{first + 10} ".encode())
"""
KEYED = """
import sys
import streamboost as sb
from streamboost.distributed import KeyedClassifier
folder = sys.argv[1]
told = open(folder + "/told", "ab", buffering=0)
with KeyedClassifier(sb.OnlineBaggingClassifier(n_estimators=2, random_state=1), "who", folder=folder + "/store") as model:
    for number in range(60):
        model.learn_one({"who": "abc"[number % 3], "x": number % 7}, number % 2)
        if number % 15 == 14:
            model.flush()
            told.write(f"{number + 1} ".encode())
"""
SERVE = """
import sys
from pathlib import Path
from streamboost.service.store import LearningStore, Work
from streamboost.service.store.records import Kind
from tests.service.test_crash_points import DESCRIPTION, QUIET
folder = sys.argv[1]
told = open(folder + "/told", "ab", buffering=0)
with LearningStore(Path(folder) / "store", QUIET) as store:
    store.wait_ready()
    told.write(f"{store.create('m', **DESCRIPTION)} ".encode())
    for number in range(12):
        work = [Work(Kind.EXAMPLE, f"i{number}", {"x": float(number % 5)}, "no" if number % 2 else "yes")]
        for outcome in store.submit("m", work, ("source", "0", str(number))).result():
            told.write(f"{outcome.seq} ".encode())
"""


def cuts(ops: list, seed: int) -> list[tuple[int, random.Random]]:
    """The ends of everything, and moments at random."""
    chance = random.Random(seed)
    moments = sorted(chance.sample(range(len(ops)), min(CUTS, len(ops))))
    return [(cut, random.Random(1000 * seed + cut)) for cut in [*moments, len(ops)]]


def lost_files(folder: Path, ops: list, seed: int) -> int:
    """How many cuts leave less of the model's file than was acknowledged; what is there must be whole."""
    lost = 0
    for n, (cut, chance) in enumerate(cuts(ops, seed)):
        put(power_cut(ops[:cut], chance), folder / str(n))
        path, last = folder / str(n) / "model.sboost", int((told(ops[:cut]) or ["0"])[-1])
        try:
            learned = sb.load(path).n_learned_ if path.exists() else 0
        except sb.ModelFileError:
            learned = -1
        lost += not last <= learned <= last + 10
    return lost


def test_a_saved_model_is_there_and_whole(tmp_path: Path) -> None:
    ops = record(SAVE, tmp_path / "run")
    assert told(ops)[-1] == "60"
    assert lost_files(tmp_path, ops, 1) == 0


def test_the_check_finds_a_writer_that_does_not_sync(tmp_path: Path) -> None:
    assert lost_files(tmp_path, record(SAVE, tmp_path / "run", "careless"), 1) > CUTS / 4


def test_flushed_keys_are_there(tmp_path: Path) -> None:
    ops = record(KEYED, tmp_path / "run")
    assert told(ops)[-1] == "60"
    lost_any = 0
    for n, (cut, chance) in enumerate(cuts(ops, 2)):
        folder, last = tmp_path / str(n), int((told(ops[:cut]) or ["0"])[-1])
        put(power_cut(ops[:cut], chance), folder)
        with KeyedClassifier(
            sb.OnlineBaggingClassifier(n_estimators=2, random_state=1), "who", folder=folder / "store"
        ) as model:
            learned = sum(own.n_learned_ for key in "abc" if (own := model.own(key)) is not None)
        assert learned >= last, f"flushed models are lost at operation {cut}"
        assert learned % 15 == 0, f"half a flush is there at operation {cut}"
        lost_any += learned < 60
    assert lost_any > CUTS / 4  # the cuts did cut


def test_acknowledged_lessons_are_there(tmp_path: Path) -> None:
    ops = record(SERVE, tmp_path / "run")
    everything = [int(seq) for seq in told(ops)]
    assert len(everything) == 13
    lost_any = 0
    for n, (cut, chance) in enumerate(cuts(ops, 3)):
        folder, acknowledged = tmp_path / str(n), {int(seq) for seq in told(ops[:cut])}
        put(power_cut(ops[:cut], chance), folder)
        if not acknowledged and not (folder / "store" / "log.db").exists():
            continue
        with LearningStore(folder / "store", QUIET) as store:
            store.wait_ready()
            found = [row[0] for row in rows_of(store._db())]
            assert acknowledged <= set(found), f"acknowledged lessons are lost at operation {cut}"
            assert found == everything[: len(found)], f"not a prefix at operation {cut}"
            lost_any += len(found) < len(everything)
            if len(found) < 2:
                continue
            examples = [({"x": float(i % 5)}, "no" if i % 2 else "yes", 1.0) for i in range(len(found) - 1)]
            assert store.file("m") == taught(examples, DESCRIPTION, tmp_path)
    assert lost_any > CUTS / 4


pytestmark = pytest.mark.filterwarnings("ignore")
