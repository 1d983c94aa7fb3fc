"""Folders of every released version: a newer release replays them to the same bits and goes on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from streamboost.models import load
from streamboost.service.store import LearningStore
from tests.service.make_folder import FOLDERS

VERSIONS = sorted(path.name for path in FOLDERS.iterdir())


@pytest.mark.parametrize("version", VERSIONS)
def test_an_old_folder_goes_on(version: str, tmp_path: Path) -> None:
    folder = tmp_path / "service"
    shutil.copytree(FOLDERS / version, folder)
    kept = load(folder / "expected.sboost")
    with LearningStore(folder) as store:
        found = store.stream("loans").champion.reader.model
        assert found is not None
        assert found.n_learned_ == kept.n_learned_
        rows = [{"x": float(i), "c": c} for i in range(-2, 9) for c in "uvwx"]
        assert [found.predict_proba_one(row) for row in rows] == [kept.predict_proba_one(row) for row in rows]
        assert store.scores("loans")["cumulative"]["error"] == float((folder / "expected.txt").read_text())
        assert store.learn("loans", {"x": 0.0}, "no", id="i5").duplicate
        assert store.label("loans", "waiting", "yes").state == "learned"
        assert store.predict("loans", {"x": 1.0}, id="early").state == "learned"
        assert len(store.describe("loans")["shadows"]) == 1


def test_there_is_one() -> None:
    assert "1.0" in VERSIONS
