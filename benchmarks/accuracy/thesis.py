"""Batch, online and primed ensembles beside the figures of Oza's thesis: `python -m benchmarks.accuracy.thesis DATA PAPERS`.

DATA holds car.csv.gz, balance-scale.csv.gz and kr-vs-kp.csv.gz (a header, the label last); PAPERS the thesis' tables as CSV
files oza2001_table*.csv (dataset, n, algorithm, weak_learner, metric, value). The synthetic sets are generated. One pass of
5-fold cross-validation, rows in a random order; the thesis has ten passes, and five orders for the online ensembles. All columns
are nominal. Ours first, the thesis' figure in brackets.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import streamboost
from streamboost.streams.builtin import SyntheticStream

Data = tuple[NDArray[np.float64], NDArray[Any]]

FILES = {"Car Evaluation": "car", "Balance": "balance-scale", "Chess": "kr-vs-kp"}
SYNTHETIC = {"Synthetic-2": 2, "Synthetic-3": 3}
ALGORITHMS = {
    "single": "SingleLearnerClassifier",
    "bagging": "BaggingClassifier",
    "online_bagging": "OnlineBaggingClassifier",
    "boosting": "AdaBoostM1Classifier",
    "online_boosting": "OnlineBoostingClassifier",
    "primed_online_boosting": "PrimedOnlineBoostingClassifier",
}
# Our learner, its parameters, its name in the tables. Those that this streamboost does not have are left out.
LEARNERS: dict[str, tuple[str, dict[str, Any], str]] = {
    "naive-bayes": ("NaiveBayes", {"prior_alpha": 0}, "naive_bayes"),
    "stump": ("DecisionStump", {}, "decision_stump"),
    "tree": ("IncrementalTree", {}, "decision_tree"),
    "mlp": ("MLP", {}, "neural_network_1update"),
}
# Networks have their batch results in another table, and ten passes over the rows wherever these are at hand.
EPOCHS, BATCH_TABLE = 10, {"neural_network_1update": "neural_network_10epoch"}
BATCH = ("bagging", "boosting")
FOLDS = 5


def read(path: Path) -> Data:
    """A file of nominal columns as codes."""
    with gzip.open(path, "rt", newline="") as file:
        rows = np.array(list(csv.reader(file))[1:], dtype=object)
    X = np.empty((len(rows), rows.shape[1] - 1))
    for j in range(X.shape[1]):
        X[:, j] = np.unique(rows[:, j].astype(str), return_inverse=True)[1]
    return X, rows[:, -1].astype(str)


def published(folder: Path) -> dict[tuple[str, str, str], str]:
    """(dataset, algorithm, learner) -> accuracy as printed."""
    found: dict[tuple[str, str, str], str] = {}
    for path in sorted(folder.glob("oza2001_table*.csv")):
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                if row.get("metric") == "accuracy":
                    found.setdefault((row["dataset"], row["algorithm"], row["weak_learner"]), row["value"])
    return found


def folds(data: Data, seed: int) -> Iterator[tuple[Data, Data]]:
    """Five disjoint test sets, the rest in a random order for training."""
    X, y = data
    order = np.random.default_rng(seed).permutation(len(y))
    for test in np.array_split(order, FOLDS):
        train = order[~np.isin(order, test)]
        yield (X[train], y[train]), (X[test], y[test])


def accuracy(algorithm: str, learner: str, data: Data, n_estimators: int, seed: int) -> float:
    """Mean over the folds."""
    name, params, _ = LEARNERS[learner]
    size = {} if algorithm == "single" else {"n_estimators": n_estimators}
    if learner == "mlp" and algorithm in (*BATCH, "primed_online_boosting"):
        size["n_passes"] = EPOCHS
    scores = []
    for (X, y), (X_test, y_test) in folds(data, seed):
        model = getattr(streamboost, ALGORITHMS[algorithm])(
            getattr(streamboost, name)(**params),
            random_state=seed,
            categorical_features=list(range(X.shape[1])),
            **size,
        )
        scores.append(float(np.mean(model.fit(X, y).predict(X_test) == y_test)))
    return float(np.mean(scores))


def main() -> None:
    """Print one line per learner and dataset as results come in."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("data", type=Path, help="folder of the datasets")
    parser.add_argument("papers", type=Path, help="folder of the thesis' tables")
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=list(LEARNERS))
    parser.add_argument("--datasets", nargs="+", choices=[*FILES, *SYNTHETIC], default=[*FILES, *SYNTHETIC])
    parser.add_argument("--rows", type=int, default=100_000, help="rows of a synthetic set")
    parser.add_argument("-n", "--n-estimators", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    figures = published(given.papers)
    print("| learner | dataset | " + " | ".join(ALGORITHMS).replace("_", " ") + " | seconds |")
    print("|---|---|" + "---|" * (len(ALGORITHMS) + 1))
    for learner in given.learners:
        if not hasattr(streamboost, LEARNERS[learner][0]):
            continue
        for dataset in given.datasets:
            start = time.perf_counter()
            if dataset in FILES:
                data: Data = read(given.data / f"{FILES[dataset]}.csv.gz")
            else:
                data = SyntheticStream(SYNTHETIC[dataset], seed=given.seed).rows(0, given.rows)
            cells = []
            for algorithm in ALGORITHMS:
                mine = accuracy(algorithm, learner, data, given.n_estimators, given.seed)
                table = LEARNERS[learner][2]
                table = BATCH_TABLE.get(table, table) if algorithm in BATCH else table
                theirs = figures.get((dataset, algorithm, table), "-")
                cells.append(f"{mine:.4f} ({theirs})")
            seconds = time.perf_counter() - start
            print(f"| {learner} | {dataset} | " + " | ".join(cells) + f" | {seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
