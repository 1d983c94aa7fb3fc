"""Throughput at every level of the processor, each in a process of its own; ``python -m benchmarks.speed.levels``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from statistics import median

from benchmarks.tables import Table
from streamboost import _core

CHILD = """
import json, sys, time
import numpy as np
from streamboost import *
X = np.random.default_rng(0).normal(size=(3000, 20))
y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
spent = {}
for name, model in {
    "StreamBoostClassifier": StreamBoostClassifier(random_state=1),
    "OSBoost, 100 perceptrons": OSBoostClassifier(Perceptron(), n_estimators=100, random_state=1),
    "OSBoost, 100 logistic regressions": OSBoostClassifier(LogisticRegression(), n_estimators=100, random_state=1),
    "Oza, 100 naive Bayes": OnlineBoostingClassifier(NaiveBayes(), n_estimators=100, random_state=1),
    "bagging, 30 Hoeffding trees": OnlineBaggingClassifier(HoeffdingTree(), n_estimators=30, random_state=1),
}.items():
    start = time.thread_time()
    model.partial_fit(X, y, classes=[0, 1])
    spent[name] = (time.thread_time() - start) / len(X)
print(json.dumps(spent))
"""
ROUNDS = 3


def level_table() -> Table:
    """Models down, levels across."""
    runs: dict[str, list[dict[str, float]]] = {level: [] for level in _core.levels}
    for _ in range(ROUNDS):
        for level, found in runs.items():
            environment = {**os.environ, "STREAMBOOST_LEVEL": level}
            done = subprocess.run(
                [sys.executable, "-c", CHILD], env=environment, capture_output=True, text=True, check=True
            )
            found.append(json.loads(done.stdout))
    note = f"The same model, to the last bit, with STREAMBOOST_LEVEL set; 20 features, median of {ROUNDS} interleaved rounds."
    table = Table("Levels of the processor, examples a second", ["model", *runs], note=note)
    for name in next(iter(runs.values()))[0]:
        table.add(name, *[f"{1 / median(run[name] for run in found):,.0f}" for found in runs.values()])
    return table


if __name__ == "__main__":
    print(level_table().text())
