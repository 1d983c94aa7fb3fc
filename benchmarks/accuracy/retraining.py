"""``python -m benchmarks.accuracy.retraining``: the default beside LightGBM, retrained on all the past by the clock.

LightGBM is refitted each time the past has grown by a fifth, from row 100 on, and answers what comes until the next fit. Both
have one thread. A pause is the CPU time of the longest single call: a refit there, one ``learn_one`` here.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np

from benchmarks.accuracy.companions import MODELS, no_change
from benchmarks.accuracy.data import Data, Floats
from benchmarks.accuracy.stream_models import Retrained
from benchmarks.accuracy.streams import EVERY
from benchmarks.streams import make
from benchmarks.tables import Table
from streamboost import StreamBoostClassifier

SETS = ("nursery", "insects-gradual", "drift-agr-abrupt", "shuttle", "census-income-train", "covtype")
ROWS = 20_000


def scores(data: Data, proba: Floats) -> tuple[float, float]:
    """Return accuracy and log loss."""
    loss = -np.log(np.clip(proba[np.arange(len(data.y)), data.y], 1e-6, 1)).mean()
    return float((proba.argmax(1) == data.y).mean()), float(loss)


def retrained(data: Data, seed: int) -> tuple[Floats, float, float]:
    """Return LightGBM's answers before each row, its CPU seconds, and its longest refit."""
    model = Retrained(data, seed)
    proba = model.test_then_train(data.X, data.y, output="proba")
    return proba, model.seconds, model.pause


def answers(data: Data, seed: int, companions: tuple[str, ...]) -> Floats:
    """Return the default's answers before each row, with these companions."""
    named = {"categorical_features": data.nominal} if data.nominal else {}
    model = StreamBoostClassifier(companions=companions, random_state=seed, n_jobs=1, **named)
    said = model.test_then_train(data.X, data.y, classes=range(data.k), output="proba")
    return np.nan_to_num(said, nan=1 / data.k)


def online(data: Data, seed: int) -> tuple[Floats, float, float]:
    """Return the default's answers before each row, its CPU seconds, and its longest ``learn_one``."""
    began = time.process_time()
    proba = answers(data, seed, MODELS["+ replay"])
    seconds = time.process_time() - began
    return proba, seconds, float(learn_one_seconds(data, seed).max())


def learn_one_seconds(data: Any, seed: int) -> Floats:
    """Return the CPU seconds of each ``learn_one``."""
    model = StreamBoostClassifier(random_state=seed, n_jobs=1)
    names = [f"x{j}" for j in range(data.X.shape[1])]
    spent = np.empty(len(data.y))
    for t, (row, label) in enumerate(zip(data.X.tolist(), data.y.tolist(), strict=True)):
        x = dict(zip(names, row, strict=True))
        began = time.thread_time_ns()
        model.learn_one(x, label)
        spent[t] = (time.thread_time_ns() - began) / 1e9
    return spent


def pauses(seed: int) -> Table:
    """Single rows of twenty columns, once the memory is large: the slowest beside the usual one, and a refit of LightGBM."""
    from lightgbm import LGBMClassifier

    table = Table(
        "learn_one, rows 20,000 to 60,000, 20 columns",
        ["stream", "median (ms)", "99 % (ms)", "times", "slowest of 10,000 (ms)", "LightGBM's refit (ms)"],
        note="CPU time. Slowest of 10,000: the median over four stretches of 10,000 calls. LightGBM: one fit of 60,000 rows.",
    )
    for name in ("gaussians", "hyperplane"):
        stream = make(name, 60_000)
        spent = 1000 * learn_one_seconds(stream, seed)[20_000:]
        slowest = float(np.median(spent.reshape(4, -1).max(axis=1)))
        usual, most = (float(np.quantile(spent, q)) for q in (0.5, 0.99))
        began = time.process_time()
        LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1).fit(stream.X, stream.y)
        table.add(name, usual, most, most / usual, slowest, 1000 * (time.process_time() - began))
    return table


def main() -> None:
    """Print the tables."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.accuracy.retraining", description=__doc__)
    arguments.add_argument("--rows", type=int, default=ROWS)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("sets", nargs="*", default=list(SETS))
    options = arguments.parse_args()
    warnings.filterwarnings("ignore", "X does not have valid feature names")
    table = Table(
        f"The first {options.rows:,} rows",
        ["set", "model", "accuracy", "log loss", "CPU seconds", "longest pause (ms)"],
    )
    past = Table(
        "The labels' own past",
        ["set", "the last label again", "accuracy", 'with "history"', "log loss", 'with "history"'],
    )
    for name in options.sets:
        data = Data(name, options.rows, EVERY.get(name, 1))
        for title, run in (("LightGBM, retrained", retrained), ("StreamBoostClassifier", online)):
            proba, seconds, pause = run(data, options.seed)
            table.add(name, title, *scores(data, proba), seconds, 1000 * pause)
        with_past = scores(data, answers(data, options.seed, MODELS["+ both"]))
        without = scores(data, proba)
        past.add(name, no_change(data), without[0], with_past[0], without[1], with_past[1])
    print(table.markdown())
    print(past.markdown())
    print(pauses(options.seed).markdown())


if __name__ == "__main__":
    main()
