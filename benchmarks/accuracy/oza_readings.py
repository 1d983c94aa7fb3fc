"""Readings of Oza's online boosting beside table 4.2 of the thesis: `python -m benchmarks.accuracy.oza_readings DATA PAPERS`.

The thesis leaves open how a learner is judged that has learned nothing, and does not say how it drew Poisson numbers of large
mean. Each reading runs on every data set: naive Bayes, 100 learners, ten times 5-fold cross-validation, twice on the
synthetic sets. The last columns: mean absolute difference from the thesis, and in how many data sets it is at most 0.02.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import streamboost
from benchmarks.accuracy.thesis_data import FILES, SYNTHETIC, folds, load, published

NONE: dict[str, Any] = {"copies_cap": None}
READINGS: dict[str, dict[str, Any]] = {
    "untrained is wrong": NONE,
    "untrained says class 0": {**NONE, "untrained": "class0"},
    "untrained guesses": {**NONE, "untrained": "random"},
    "test first": {**NONE, "order": "test_first"},
    "lambda at most 100": {**NONE, "lambda_cap": 100},
    "lambda at most 10": {**NONE, "lambda_cap": 10},
    "at most 745 copies": {"copies_cap": 745},
    "at most 100 copies": {"copies_cap": 100},
    "at most 50 copies": {"copies_cap": 50},
    "at most 20 copies": {"copies_cap": 20},
    "at most 10 copies": {"copies_cap": 10},
    "at most 5 copies": {"copies_cap": 5},
    "10 copies, untrained says class 0": {"copies_cap": 10, "untrained": "class0"},
    "10 copies, untrained guesses": {"copies_cap": 10, "untrained": "random"},
}


def scores(reading: dict[str, Any], dataset: str, given: argparse.Namespace) -> list[float]:
    """One accuracy per fold and pass."""
    found = []
    passes = given.synthetic_passes if dataset in SYNTHETIC else given.passes
    for seed in range(1, passes + 1):
        data = load(dataset, given.data, given.rows, seed)
        for fold, ((X, y), (X_test, y_test)) in enumerate(folds(data, seed)):
            model = streamboost.OnlineBoostingClassifier(
                streamboost.NaiveBayes(prior_alpha=0),
                n_estimators=given.n_estimators,
                random_state=seed * 10 + fold,
                categorical_features=list(range(X.shape[1])),
                monitor=False,
                **reading,
            )
            found.append(float(np.mean(model.fit(X, y).predict(X_test) == y_test)))
    return found


def main() -> None:
    """Print one line per reading as it is done."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("data", type=Path, help="folder of the data sets")
    parser.add_argument("papers", type=Path, help="folder of the thesis' tables")
    parser.add_argument("--readings", nargs="+", choices=READINGS, default=list(READINGS))
    parser.add_argument("--datasets", nargs="+", choices=[*FILES, *SYNTHETIC], default=[*FILES, *SYNTHETIC])
    parser.add_argument("--passes", type=int, default=10, help="of 5 folds")
    parser.add_argument("--synthetic-passes", type=int, default=2, help="... over the synthetic sets")
    parser.add_argument("--rows", type=int, default=100_000, help="rows of a synthetic set")
    parser.add_argument("-n", "--n-estimators", type=int, default=100)
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # starving learners are what this is about
    figures = published(given.papers)
    theirs = np.array([float(figures[d, "online_boosting", "naive_bayes"]) for d in given.datasets])
    print("| reading | " + " | ".join(given.datasets) + " | mean difference | within 0.02 | seconds |")
    print("|---|" + "---|" * (len(given.datasets) + 3))
    print("| thesis | " + " | ".join(f"{x:.4f}" for x in theirs) + " | | | |")
    for name in given.readings:
        start = time.perf_counter()
        all_scores = [scores(READINGS[name], dataset, given) for dataset in given.datasets]
        ours = np.array([np.mean(s) for s in all_scores])
        cells = [f"{np.mean(s):.4f} ± {np.std(s, ddof=1) / np.sqrt(len(s)):.4f}" for s in all_scores]
        gap = np.abs(ours - theirs)
        close = f"{(gap <= 0.02).sum()} of {len(gap)}"
        seconds = time.perf_counter() - start
        print(f"| {name} | {' | '.join(cells)} | {gap.mean():.4f} | {close} | {seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
