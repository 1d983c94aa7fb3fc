"""Levels of the processor and what differs between operating systems, as one process sees it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from streamboost import _core
from streamboost.base import system
from streamboost.cli import app

LEARN = """
import hashlib, sys
import numpy as np
import streamboost
from streamboost import _core
X = np.random.default_rng(0).normal(size=(400, 7))
y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
digest = hashlib.sha256()
for model in (
    streamboost.StreamBoostClassifier(random_state=1),
    streamboost.OnlineBoostingClassifier(streamboost.NaiveBayes(), n_estimators=20, random_state=1),
    streamboost.OSBoostClassifier(streamboost.LogisticRegression(), n_estimators=20, random_state=1),
    streamboost.OnlineBaggingClassifier(streamboost.HoeffdingTree(), n_estimators=10, random_state=1),
):
    digest.update(model.fit(X, y).predict_proba(X).tobytes())
print(_core.level, digest.hexdigest())
"""


def at_level(level: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "STREAMBOOST_LEVEL": level}
    return subprocess.run(
        [sys.executable, "-c", LEARN], env=environment, capture_output=True, text=True, check=False
    )


def test_models_are_the_same_at_every_level() -> None:
    found = dict(at_level(level).stdout.split() for level in _core.levels)
    assert list(found) == _core.levels
    assert len(set(found.values())) == 1


def test_a_level_that_is_not_there_is_refused() -> None:
    done = at_level("v9")
    assert done.returncode != 0
    assert "STREAMBOOST_LEVEL is 'v9'; this processor can run " + " ".join(_core.levels) in done.stderr


def test_the_doctor_tells_level_and_extras() -> None:
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == 0
    assert f"{_core.level}; this processor can run" in done.stdout
    for line in ("compiled by", "cores", "memory", "serve", "River's interface"):
        assert line in done.stdout


def test_cores_and_memory() -> None:
    assert 1 <= system.usable_cores() <= (os.cpu_count() or 1)
    assert system.memory() > 2**20


def test_a_locked_file_is_refused_until_it_is_closed(tmp_path: Path) -> None:
    held = system.open_locked(tmp_path / "lock")
    with pytest.raises(OSError):
        system.open_locked(tmp_path / "lock")
    os.close(held)
    os.close(system.open_locked(tmp_path / "lock"))


def test_processes_and_folders(tmp_path: Path) -> None:
    assert system.is_running(os.getpid())
    child = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
    )
    assert not system.is_running(int(child.stdout))
    system.sync_folder(tmp_path)
    system.sync_folder(tmp_path / "nowhere")
