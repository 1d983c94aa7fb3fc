"""``python -m benchmarks.accuracy.companions``: what boosted trees over remembered rows and the labels' past add to the default.

Each stream in order, test then train: accuracy, log loss and CPU seconds of the default, without the labels' past, and without
either. No claim rests on powersupply: its labels are the hours of the day, one after the other.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks.accuracy.data import Data, Floats
from benchmarks.accuracy.streams import EVERY, STREAMS
from benchmarks.tables import Cell, Table
from streamboost import StreamBoostClassifier
from streamboost.baselines import NoChangeClassifier

ONLINE = ("linear", "naive-bayes", "neighbors")
ROWS = 10_000
MODELS = {
    "neither": ONLINE,
    "+ replay": (*ONLINE, "replay"),
    "+ both": (*ONLINE, "replay", "history"),
}


def measure(data: Data, companions: tuple[str, ...], seed: int) -> tuple[float, float, float]:
    """Return accuracy, log loss and CPU seconds."""
    named = {"categorical_features": data.nominal} if data.nominal else {}
    model = StreamBoostClassifier(companions=companions, random_state=seed, **named)
    began = time.process_time()
    said = model.test_then_train(data.X, data.y, classes=range(data.k), output="proba")
    seconds = time.process_time() - began
    proba: Floats = np.nan_to_num(said, nan=1 / data.k)
    loss = -np.log(np.clip(proba[np.arange(len(data.y)), data.y], 1e-6, 1)).mean()
    return float((proba.argmax(1) == data.y).mean()), float(loss), seconds


def no_change(data: Data) -> float:
    return float((NoChangeClassifier().test_then_train(data.X, data.y) == data.y).mean())


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.accuracy.companions", description=__doc__)
    arguments.add_argument("--rows", type=int, default=ROWS)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("streams", nargs="*", default=list(STREAMS))
    options = arguments.parse_args()
    columns = ["stream", "classes", "no-change"]
    columns += [f"{what}, {name}" for what in ("accuracy", "log loss", "seconds") for name in MODELS]
    table = Table(f"The first {options.rows:,} rows", columns)
    measured = []
    for name in options.streams:
        data = Data(name, min(options.rows, STREAMS[name]), EVERY.get(name, 1))
        found = np.array([measure(data, companions, options.seed) for companions in MODELS.values()])
        measured.append(found)
        cells: list[Cell] = [name, data.k, no_change(data), *found.T.ravel().tolist()]
        table.add(*cells)
        print(*(f"{cell:.4f}" if isinstance(cell, float) else cell for cell in cells), flush=True)
    table.add("mean", None, None, *np.mean(measured, axis=0).T.ravel().tolist())
    print(table.text())


if __name__ == "__main__":
    main()
