"""Memory and import time, each measured in a fresh interpreter."""

from __future__ import annotations

import json
import subprocess
import sys
from statistics import median

# Blocks of rows, so that the data itself stays small and everything else counts. The base is the memory in use
# after the imports, not their peak: a passing peak of the imports must not hide what the model takes. Read from
# /proc, because ru_maxrss is inherited from the parent through fork and exec.
PEAK = """
import json
import numpy as np
import streamboost
from streamboost import OSBoostClassifier, Perceptron
rng = np.random.default_rng(0)  # here, because NumPy loads it late
def megabytes(field):
    return int(next(line for line in open("/proc/self/status") if line.startswith(field)).split()[1]) / 1024
base = megabytes("VmRSS")
model = OSBoostClassifier(Perceptron(), n_estimators=100, random_state=7)
for _ in range(40):
    X = rng.uniform(-1.0, 1.0, (5_000, 20))
    model.test_then_train(X, (X[:, 0] > 0).astype(int), classes=[0, 1])
print(json.dumps({"base": base, "over": megabytes("VmHWM") - base, "model": model.memory_bytes()}))
"""

IMPORTS = {
    "python alone": "pass",
    "import streamboost": "import streamboost",
    "first estimator": "from streamboost import OSBoostClassifier, Perceptron; OSBoostClassifier(Perceptron())",
}


def fresh(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["failed"])[-1])
    return done.stdout


def footprint() -> tuple[float, int]:
    """Megabytes beyond the imports, and bytes of the model."""
    found = json.loads(fresh(PEAK))
    return found["over"], found["model"]


def import_seconds(repetitions: int) -> dict[str, float]:
    """CPU seconds of a fresh interpreter that does nothing but this import; the first round fills the caches."""
    timing = "\nimport time; print(time.process_time())"
    spent: dict[str, list[float]] = {name: [] for name in IMPORTS}
    for _ in range(repetitions + 1):
        for name, code in IMPORTS.items():
            spent[name].append(float(fresh(code + timing)))
    return {name: median(values[1:]) for name, values in spent.items()}
