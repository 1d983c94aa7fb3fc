"""The data sets and the printed figures of Oza's thesis, for the benchmarks beside it.

The files are `<name>.csv.gz` with a header and the label last. All columns are nominal; numbers with more than ten different
values (German Credit) are cut into ten parts of equal frequency. An empty cell is a value of its own. The synthetic sets are
generated.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamboost.streams.datasets.builtin import SyntheticStream

Data = tuple[NDArray[np.float64], NDArray[Any]]

FILES = {
    "Promoters": "promoters",
    "Balance": "balance-scale",
    "Breast Cancer": "breast-cancer-wisconsin",
    "German Credit": "german-credit",
    "Car Evaluation": "car",
    "Chess": "kr-vs-kp",
    "Mushroom": "mushroom",
    "Nursery": "nursery",
}
SYNTHETIC = {"Synthetic-1": 1, "Synthetic-2": 2, "Synthetic-3": 3}
LAST_IS_ZERO = {1: (0.495, 0.505), 2: (0.1, 0.8), 3: (0.01, 0.975)}
"""Of the last column, by class."""
FLIP = (0.2, 0.1)
"""How often a column differs from the next, by class."""
FOLDS = 5


def load(dataset: str, folder: Path, rows: int, seed: int) -> Data:
    """A data set by its name in the thesis; `rows` and `seed` are for the synthetic ones."""
    if dataset in FILES:
        return read(folder / f"{FILES[dataset]}.csv.gz")
    return SyntheticStream(SYNTHETIC[dataset], seed=seed).rows(0, rows)


def bayes_accuracy(number: int) -> float:
    """The best accuracy possible on a synthetic set: it takes the last column and how many neighbours differ."""
    last, flip = np.array(LAST_IS_ZERO[number]), np.array(FLIP)
    right = 0.0
    for p in (last, 1 - last):
        for n in range(20):
            right += comb(19, n) * float(np.max(0.5 * p * flip**n * (1 - flip) ** (19 - n)))
    return right


def read(path: Path) -> Data:
    """A file of nominal columns as codes."""
    with gzip.open(path, "rt", newline="") as file:
        rows = np.array(list(csv.reader(file))[1:], dtype=object)
    X = np.empty((len(rows), rows.shape[1] - 1))
    for j in range(X.shape[1]):
        X[:, j] = np.unique(_tenths(rows[:, j].astype(str)), return_inverse=True)[1]
    return X, rows[:, -1].astype(str)


def _tenths(cells: NDArray[Any]) -> NDArray[Any]:
    try:
        numbers = cells.astype(float)
    except ValueError:
        return cells
    if len(np.unique(numbers)) <= 10:
        return cells
    return np.searchsorted(np.quantile(numbers, np.arange(1, 10) / 10), numbers, side="right")


def folds(data: Data, seed: int) -> Iterator[tuple[Data, Data]]:
    """Five disjoint test sets, the rest in a random order for training."""
    X, y = data
    order = np.random.default_rng(seed).permutation(len(y))
    for test in np.array_split(order, FOLDS):
        train = order[~np.isin(order, test)]
        yield (X[train], y[train]), (X[test], y[test])


def published(folder: Path) -> dict[tuple[str, str, str], str]:
    """(dataset, algorithm, learner) -> accuracy as printed."""
    found: dict[tuple[str, str, str], str] = {}
    for path in sorted(folder.glob("oza2001_table*.csv")):
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                if row.get("metric") == "accuracy":
                    found.setdefault((row["dataset"], row["algorithm"], row["weak_learner"]), row["value"])
    return found
