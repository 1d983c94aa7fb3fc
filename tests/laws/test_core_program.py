"""A C++ program with the default plan gives Python's answers, bit for bit."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import streamboost as sb

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "build/core/libstreamboost_core.a"
COMPILER = shutil.which("c++") or shutil.which("g++")

pytestmark = pytest.mark.skipif(
    COMPILER is None or not LIBRARY.exists(), reason="needs a C++ compiler and the compiled core"
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("program") / "default_answers"
    source = ROOT / "core/tests/default_answers.cpp"
    flags = ["-std=c++20", "-O1", "-ffp-contract=off", f"-I{ROOT / 'core/include'}", "-pthread"]
    subprocess.run([COMPILER, *flags, source, LIBRARY, "-o", built], check=True)
    return built


def answers(program: Path, kind: str, seed: int, x: np.ndarray, y: np.ndarray, classes: int) -> np.ndarray:
    n, d = x.shape
    sizes = np.array([n, d, classes] + [-1] * d, np.int64)
    rows = np.column_stack([x, y]).astype(np.float64)
    done = subprocess.run(
        [program, kind, str(seed)], input=sizes.tobytes() + rows.tobytes(), capture_output=True, check=True
    )
    return np.frombuffer(done.stdout)


def stream(n: int) -> np.ndarray:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(n, 4))
    x[rng.random(x.shape) < 0.02] = np.nan
    return x


def test_classifier(program: Path) -> None:
    x = stream(1500)
    turned = np.where(np.arange(len(x)) < 800, 1, -1)  # a change for the guards
    score = turned * np.nan_to_num(x[:, 0] + x[:, 1])
    y = (score > -0.5).astype(int) + (score > 0.5)
    model = sb.StreamBoostClassifier(random_state=3)
    expected = model.test_then_train(x, y, classes=[0, 1, 2], output="proba")
    given = answers(program, "classifier", model.session.seed, x, y, 3).reshape(-1, 3)
    assert given.tobytes() == np.ascontiguousarray(expected).tobytes()


def test_regressor(program: Path) -> None:
    x = stream(1500)
    y = np.nan_to_num(2 * x[:, 0] - x[:, 1] * x[:, 2])
    model = sb.StreamBoostRegressor(random_state=3)
    expected = model.test_then_train(x, y)
    given = answers(program, "regressor", model.session.seed, x, y, 0)
    assert given.tobytes() == np.asarray(expected, np.float64).tobytes()
