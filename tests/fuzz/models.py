"""Models at random, with options from their declarations, and streams for them: what the fuzzers of live models share."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_regressor

import streamboost as sb
from tests import catalogue as cases
from tests.options import Choose, drawn

EXTREMES = (0.0, -0.0, 5e-324, 1e-9, 1e9, -1e37, 1e100)


def chooser(rng: np.random.Generator) -> Choose:
    """One of a list at random."""
    return lambda values: values[int(rng.integers(len(values)))]


def random_maker(rng: np.random.Generator, sizes: tuple[int, int] = (1, 20)) -> Any:
    """What makes the same model again and again: any of the catalogue, of any learner of numeric columns; `n_jobs` is open."""
    choose = chooser(rng)
    while True:
        entry = choose(cases.FILED)
        learners = [one for one in cases.learners_of(entry) if not one.nominal_only]
        options = {**drawn(getattr(sb, entry.class_name), choose), "random_state": int(rng.integers(1000))}
        options.update({"n_estimators": int(rng.integers(*sizes))} if entry.sized else {})
        learner = None
        if learners:
            of = choose(learners)
            learner = cases.learner(of, **{**drawn(getattr(sb, of.class_name), choose), **fixed(of.name)})

        def make(
            n_jobs: int | None = None, entry: Any = entry, learner: Any = learner, options: Any = options
        ) -> Any:
            return cases.model(entry, learner, n_jobs=n_jobs, **options)

        try:  # options that do not go together are refused at the first row
            trial = make()
            trial.partial_fit(**example(trial, np.zeros((2, 3)), np.array([0, 1])))
        except ValueError:
            continue
        return make


def fixed(learner: str) -> dict[str, Any]:
    """Options of a learner that these streams have no rows for: counts are not below 0, a start has a width."""
    return {"counts": None} if learner == "naive-bayes" else {}


def random_rows(rng: np.random.Generator, n: int, width: int = 3) -> tuple[Any, Any, Any]:
    """Two classes, weights with zeros; some streams have gaps, some extreme values, some few different ones."""
    X = rng.normal(size=(n, width))
    if rng.random() < 0.3:
        X = np.round(X)
    if rng.random() < 0.3:
        X[rng.random(X.shape) < 0.1] = np.nan
    if rng.random() < 0.3:
        X[rng.integers(n), rng.integers(width)] = rng.choice(EXTREMES)
    y = (np.nan_to_num(X[:, 0]) + rng.normal(size=n) > 0).astype(int)
    weight = rng.choice([0.0, 0.5, 1.0, 3.0], n) if rng.random() < 0.5 else np.ones(n)
    weight[0] = 1.0
    return X, y, weight


def example(model: Any, X: Any, y: Any, weight: Any = None) -> dict[str, Any]:
    """What a learning verb takes: the classes are declared, or made numbers, large where the rows are."""
    if not is_regressor(model):
        return {"X": X, "y": y, "classes": [0, 1], "sample_weight": weight}
    size = np.nan_to_num(np.abs(X[:, 0]), posinf=1e100)
    signed = 1 if model.target == "log1p" else 2 * y - 1
    return {
        "X": X,
        "y": np.where(size > 1e30, size * signed, y + np.tanh(size)),
        "sample_weight": weight,
    }
