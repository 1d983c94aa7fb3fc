"""Try an installed streamboost as a first user would: import, fit, save and load, and the command line on a file.

`make wheel` and the wheels' workflow run it with the Python of an environment that holds nothing but the wheel.
"""

from __future__ import annotations

import random
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import numpy as np

import streamboost
from streamboost import HoeffdingTree, OnlineBoostingClassifier, OSBoostClassifier

SOURCES = Path(__file__).resolve().parents[1] / "src"


def rows(n: int) -> tuple[list[list[float]], list[str]]:
    draw = random.Random(7)
    X = [[draw.gauss(0, 1) for _ in range(4)] for _ in range(n)]
    return X, ["yes" if x[0] + x[1] > 0 else "no" for x in X]


def main() -> None:
    sys.stdout.reconfigure(encoding="utf-8")  # as the command writes into pipes
    assert SOURCES not in Path(streamboost.__file__).resolve().parents, (
        "these are the sources, not the installed package"
    )
    X, y = rows(2000)
    folder = Path(tempfile.mkdtemp(prefix="streamboost-try-"))
    for model in (
        OSBoostClassifier(random_state=1),
        OnlineBoostingClassifier(HoeffdingTree(), n_estimators=5, random_state=1),
    ):
        answers = model.test_then_train(X, y, classes=["no", "yes"])
        error = np.mean(answers != np.array(y))
        assert error < 0.2, f"{type(model).__name__}: prequential error {error}"
        model.save(folder / "model.sboost")
        again = streamboost.load(folder / "model.sboost")
        assert (again.decision_function(X) == model.decision_function(X)).all()
    table = "a,b,c,d,label\n" + "".join(
        f"{','.join(map(repr, x))},{label}\n" for x, label in zip(X, y, strict=True)
    )
    (folder / "data.csv").write_text(table)
    command = Path(sysconfig.get_path("scripts")) / "streamboost"
    for arguments in (["--version"], ["run", str(folder / "data.csv"), "--save", str(folder / "run.sboost")]):
        done = subprocess.run([str(command), *arguments], capture_output=True, text=True, encoding="utf-8")
        assert done.returncode == 0, done.stderr
        print(done.stdout.strip())
    assert streamboost.load(folder / "run.sboost").classes_.tolist() == ["no", "yes"]
    print(
        f"streamboost {streamboost.__version__} works with Python {sys.version.split()[0]}: {Path(streamboost.__file__).parent}"
    )


if __name__ == "__main__":
    main()
