"""Batch, online and primed ensembles beside the figures of Oza's thesis: `python -m benchmarks.accuracy.thesis DATA PAPERS`.

DATA holds the data sets (see thesis_data.py); PAPERS the thesis' tables as CSV files oza2001_table*.csv (dataset, n, algorithm,
weak_learner, metric, value). One pass of 5-fold cross-validation, rows in a random order; the thesis has ten passes, and five
orders for the online ensembles. 100 learners, every option at its default (naive Bayes without a prior, as the thesis has it).
Ours first, the thesis' figure in brackets. Trees and networks see fewer rows of the synthetic sets than the thesis' 100,000.

A second table: TAN and BAN, which can represent the synthetic sets, alone and boosted, beside the best accuracy there is.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

import streamboost
from benchmarks.accuracy.thesis_data import (
    FILES,
    SYNTHETIC,
    Data,
    bayes_accuracy,
    folds,
    load,
    published,
)

ALGORITHMS = {
    "single": "SingleLearnerClassifier",
    "bagging": "BaggingClassifier",
    "online_bagging": "OnlineBaggingClassifier",
    "boosting": "AdaBoostM1Classifier",
    "online_boosting": "OnlineBoostingClassifier",
    "primed_online_boosting": "PrimedOnlineBoostingClassifier",
}
# Our learner, its parameters, its name in the tables, rows of the synthetic sets.
LEARNERS: dict[str, tuple[str, dict[str, Any], str, int]] = {
    "naive-bayes": ("NaiveBayes", {"prior_alpha": 0}, "naive_bayes", 100_000),
    "stump": ("DecisionStump", {}, "decision_stump", 100_000),
    "tree": ("IncrementalTree", {}, "decision_tree", 2_500),
    "mlp": ("MLP", {}, "neural_network_1update", 20_000),
    "mlp-10": ("MLP", {"updates_per_example": 10}, "neural_network_10update", 20_000),
    "tan": ("TAN", {}, "", 20_000),
    "ban": ("BAN", {}, "", 20_000),
}
NETWORKS = ("tan", "ban")
# Neural networks have their batch results in another table, and ten passes over the rows wherever these are at hand.
EPOCHS, BATCH_TABLE = 10, "neural_network_10epoch"
BATCH = ("bagging", "boosting")
SETS = ["Car Evaluation", "Balance", "Chess", "Synthetic-2", "Synthetic-3"]


def accuracy(algorithm: str, learner: str, data: Data, n_estimators: int, seed: int) -> float:
    """Mean over the folds."""
    name, params, *_ = LEARNERS[learner]
    size: dict[str, Any] = {} if algorithm == "single" else {"n_estimators": n_estimators}
    if algorithm == "online_bagging":
        size["ballot"] = "label"
    if name == "MLP" and algorithm in (*BATCH, "primed_online_boosting"):
        size["n_passes"] = EPOCHS
        params = {}  # ten updates per example are the online networks' way of making up for one pass
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


def row(learner: str, dataset: str, algorithms: Iterable[str], given: argparse.Namespace) -> list[str]:
    """The cells of one line: ours, and the thesis' figure where there is one."""
    _, _, table, rows = LEARNERS[learner]
    data = load(dataset, given.data, min(rows, given.rows), given.seed)
    cells = [f"{len(data[1]):,}"]
    for algorithm in algorithms:
        mine = accuracy(algorithm, learner, data, given.n_estimators, given.seed)
        source = BATCH_TABLE if table.startswith("neural") and algorithm in BATCH else table
        theirs = given.figures.get((dataset, algorithm, source))
        cells.append(f"{mine:.4f}" + (f" ({theirs})" if theirs else ""))
    return cells


def show(title: str, columns: list[str], lines: Iterable[list[str]]) -> None:
    print(f"\n## {title}\n\n| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for line in lines:
        print("| " + " | ".join(line) + " |", flush=True)


def ensembles(given: argparse.Namespace) -> Iterable[list[str]]:
    for learner in given.learners:
        for dataset in given.datasets:
            if learner in NETWORKS:
                continue
            start = time.process_time()
            cells = row(learner, dataset, ALGORITHMS, given)
            yield [learner, dataset, *cells, f"{time.process_time() - start:.0f}"]


def networks(given: argparse.Namespace) -> Iterable[list[str]]:
    for learner in [learner for learner in given.learners if learner in NETWORKS]:
        for dataset, number in SYNTHETIC.items():
            best = bayes_accuracy(number)
            cells = row(learner, dataset, ["single", "online_bagging", "online_boosting"], given)
            yield [learner, dataset, f"{best:.4f}", *cells]


def main() -> None:
    """Print one line per learner and dataset as results come in."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("data", type=Path, help="folder of the data sets")
    parser.add_argument("papers", type=Path, help="folder of the thesis' tables")
    usual = [learner for learner in LEARNERS if learner != "mlp-10"]
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=usual)
    parser.add_argument("--datasets", nargs="+", choices=[*FILES, *SYNTHETIC], default=SETS)
    parser.add_argument("--rows", type=int, default=100_000, help="rows of a synthetic set, at most")
    parser.add_argument("-n", "--n-estimators", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    given.figures = published(given.papers)
    warnings.simplefilter("ignore")  # starving learners: this is what online boosting does
    names = [name.replace("_", " ") for name in ALGORITHMS]
    show("Ensembles", ["learner", "dataset", "rows", *names, "CPU s"], ensembles(given))
    columns = ["learner", "dataset", "Bayes accuracy", "rows", "single", "online bagging", "online boosting"]
    show("Bayesian networks", columns, networks(given))


if __name__ == "__main__":
    main()
