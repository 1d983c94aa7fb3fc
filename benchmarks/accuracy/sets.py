"""The seven data sets of Jung, Goetz and Tewari (2017), prepared as their experiments were."""

from __future__ import annotations

import csv
import gzip
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

# file, columns to drop, labels to drop, what a missing cell becomes
_FILES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "Balance": ("balance-scale", (), ()),
    "Mice": ("mice-protein", (), ()),
    "Cars": ("car", (), ()),
    "Mushroom": ("mushroom", (), ()),
    "Nursery": ("nursery", (), ("recommend",)),
    "ISOLET": ("isolet", (), ()),
    "Movement": (
        "movement",
        ("user", "gender", "age", "how_tall_in_meters", "weight", "body_mass_index"),
        (),
    ),
}
NAMES = tuple(_FILES)
LARGE = ("ISOLET", "Movement")


@dataclass
class DataSet:
    """All rows in file order; nominal columns hold codes."""

    name: str
    X: npt.NDArray[np.float64]
    y: npt.NDArray[np.str_]
    nominal: list[int]

    @property
    def classes(self) -> list[str]:
        return sorted(set(self.y.tolist()))


def folder() -> Path:
    """Where the files are: the variable STREAMBOOST_DATA."""
    path = os.environ.get("STREAMBOOST_DATA")
    if not path:
        raise SystemExit("Set STREAMBOOST_DATA to the folder with the data sets.")
    return Path(path)


def load(name: str, components: int | None = 50) -> DataSet:
    """Read a set. A column is numeric if all its cells are numbers; missing numbers become 0, a missing value is a value.

    ISOLET is reduced to `components` principal components fitted on all rows, as its name in the published code says.
    """
    file, drop, without = _FILES[name]
    with gzip.open(folder() / f"{file}.csv.gz", "rt", newline="") as lines:
        header, *rows = list(csv.reader(lines))
    rows = [row for row in rows if row[-1] not in without]
    columns = [j for j, title in enumerate(header[:-1]) if title not in drop]
    X = np.empty((len(rows), len(columns)))
    nominal = []
    for at, j in enumerate(columns):
        cells = [row[j].strip() for row in rows]
        numbers = _numbers(cells)
        if numbers is None:
            codes: dict[str, int] = {}
            numbers = np.array([codes.setdefault(cell, len(codes)) for cell in cells], dtype=float)
            nominal.append(at)
        X[:, at] = numbers
    if name == "ISOLET" and components is not None:
        from sklearn.decomposition import PCA

        X = PCA(components, svd_solver="full").fit_transform(X)
    return DataSet(name, np.ascontiguousarray(X), np.array([row[-1] for row in rows]), nominal)


def _numbers(cells: list[str]) -> npt.NDArray[np.float64] | None:
    try:
        return np.array([float(cell) if cell not in ("", "?") else 0.0 for cell in cells])
    except ValueError:
        return None


def shuffled(data: DataSet, seed: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    order = np.random.default_rng(seed).permutation(len(data.y))
    return np.ascontiguousarray(data.X[order]), data.y[order]
