"""Every example runs by itself and prints what its title promises."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PRINTED = {
    "card_payments.py": "fraud weighs 20",
    "sensor_drift.py": "Oza boosting, Hoeffding trees",
    "text_hashing.py": "Oza boosting, perceptrons",
    "delayed_labels.py": "every label  1000 rows late",
    "pipe.py": "3000 events",
    "mixed_models.py": "log-pool of all: error",
    "calibrated.py": "platt+bins",
    "fraud.py": "calibrated, by cost",
}


def test_every_example_is_listed_and_run():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(PRINTED)
    assert all(f"[{name}]({name})" in (EXAMPLES / "README.md").read_text() for name in PRINTED)


@pytest.mark.parametrize("name", PRINTED)
def test_example(name, capsys):
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    assert PRINTED[name] in capsys.readouterr().out
