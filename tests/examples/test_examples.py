"""Every example runs by itself and prints what its title promises."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PRINTED = {
    "card_payments.py": "fraud weighs 20",
    "sensor_drift.py": "Oza boosting, Hoeffding trees",
    "message_filter.py": "new words: error",
    "clicks.py": "default, codes found by their names: area under the curve 0.",
    "delayed_labels.py": "every label  1000 rows late",
    "pipe.py": "3000 events",
    "mixed_models.py": "log-pool of all: error",
    "calibrated.py": "platt+bins",
    "fraud.py": "calibrated, by cost",
    "demand.py": "StreamBoost       later",
    "hourly.py": "readings alone, lags",
    "costly_labels.py": "disagreement       305",
    "song_moods.py": "AdaOLMRClassifier            whole sets right",
    "shown_articles.py": "rewards: opened",
    "retraining.py": "longest pause",
}


def test_every_example_is_listed_and_run():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(PRINTED)
    assert all(f"[{name}]({name})" in (EXAMPLES / "README.md").read_text() for name in PRINTED)


FEWER_ROWS = {"fraud.py": ("n=6_000", "n=1_500"), "mixed_models.py": ("N = 2_000", "N = 400")}
"""What takes long because of other libraries runs on fewer rows here."""


@pytest.mark.parametrize("name", PRINTED)
def test_example(name, capsys, tmp_path):
    many, few = FEWER_ROWS.get(name, ("", ""))
    text = (EXAMPLES / name).read_text()
    assert many in text
    script = tmp_path / name
    script.write_text(text.replace(many, few))
    runpy.run_path(str(script), run_name="__main__")
    assert PRINTED[name] in capsys.readouterr().out


@pytest.mark.skipif(os.name != "posix" or shutil.which("bash") is None, reason="a script of bash")
def test_the_first_hour(tmp_path):
    folder = Path(sys.executable).parent
    env = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "TMPDIR": str(tmp_path)}
    script = EXAMPLES / "first_hour.sh"
    done = subprocess.run(["bash", script], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert done.stdout.rstrip().endswith("== done")
    assert "read as missing values" in done.stderr
    stopped = re.search(r"stopped after (\d+) rows", done.stdout)  # 400, unless the machine is too busy
    assert stopped is not None
    assert 100 <= int(stopped[1]) <= 400
    assert f"rows learned  {500 + int(stopped[1])}" in done.stdout
    assert "[first_hour.sh](first_hour.sh)" in (EXAMPLES / "README.md").read_text()
    assert not list(tmp_path.iterdir()), "it cleans up behind itself"
