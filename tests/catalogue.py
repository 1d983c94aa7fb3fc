"""One small case of everything in the product's tables: laws, files, fuzzers and conformance tests are built from these.

A new model, learner or drift detector needs one line here; until it has one, `case` and tests/meta/test_catalogue.py say so.
"""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_regressor

import streamboost as sb
from streamboost import catalogue, drift
from streamboost.catalogue import LearnerEntry, ModelEntry

EAGER = drift.ADWIN(0.3, warning=0.7)  # streams of some dozen rows warn, drift and have learners replaced

MODELS: dict[str, dict[str, Any]] = {
    "streamboost": {"n_estimators": 3, "window": 20.0, "drift": EAGER},
    "adaptive-random-forest": {"n_estimators": 3, "drift": EAGER},
    "streaming-random-patches": {"n_estimators": 3, "drift": EAGER},
    "leveraging-bagging": {"n_estimators": 3, "drift": EAGER},
    "adwin-bagging": {"n_estimators": 3, "drift": EAGER},
    "adwin-boosting": {"n_estimators": 3, "drift": EAGER},
    "bagging": {"n_estimators": 3},
    "oza-boost": {"n_estimators": 4},
    "osboost": {"n_estimators": 5},
    "ogboost": {"n_estimators": 3, "n_candidates": 2},
    "online-bbm": {"n_estimators": 5, "edge": 0.1},
    "adaboost-ol": {"n_estimators": 4},
    "defensive-boost": {"adaptive": True},
    "streaming-gradient-boost": {"n_estimators": 3},
    "agnostic-boost": {"n_estimators": 4},
    "online-mbbm": {"n_estimators": 3},
    "adaboost-olm": {"n_estimators": 3},
    "bayes": {"n_estimators": 4},
    "weighted-majority": {},
    "hedge": {},
    "winnow": {},
    "cost-boost": {"n_estimators": 4},
    "reordered-boost": {"n_estimators": 3, "drift": EAGER},
    "arc-x4": {"n_estimators": 3},
    "blocked-boost": {"n_estimators": 4, "block_size": 7},
    "replay-boosting": {"memory": 200, "rounds": 3, "leaves": 4, "bins": 8},
    "primed-boost": {"n_estimators": 4, "n_prime": 20},
    "single": {},
    "adaboost-m1": {"n_estimators": 3},
    "batch-bagging": {"n_estimators": 3},
    "streamboost-regressor": {"n_estimators": 3, "drift": EAGER},
    "adaptive-random-forest-regressor": {"n_estimators": 3, "drift": EAGER},
    "replay-boosting-regressor": {"memory": 200, "rounds": 3, "leaves": 4, "bins": 8},
    "gradient-boosting": {"n_estimators": 3},
    "streaming-gradient-regressor": {"n_estimators": 3, "n_bagged": 2},
    "bagging-regressor": {"n_estimators": 3},
    "single-regressor": {},
}
"""Name of a model -> what makes it small, and quick to do all that it can do."""

LEARNERS: dict[str, dict[str, Any]] = {
    "perceptron": {},
    "ogd": {},
    "logistic": {},
    "hashed-logistic": {"bits": 10},
    "naive-bayes": {},
    "stump": {"max_bins": 8},
    "hoeffding-tree": {"grace_period": 5, "delta": 0.4, "tie_threshold": 0.9},
    "iti": {},
    "tan": {"relearn": 5},
    "ban": {"relearn": 5},
    "mlp": {"hidden_units": 3},
    "nearest-neighbors": {"n_neighbors": 2, "window": 9},
    "linear-regression": {},
    "hoeffding-tree-regressor": {"grace_period": 5, "delta": 0.5, "min_branch": 0.1},
}
"""Name of a learner -> the same."""

DETECTORS: dict[str, dict[str, Any]] = {
    "ADWIN": {"delta": 0.002, "warning": 0.02},
    "DDM": {"warm_start": 10},
    "HDDM_A": {},
    "HDDM_W": {},
    "KSWIN": {"window_size": 50, "stat_size": 15},
    "PageHinkley": {"min_instances": 10, "threshold": 5.0},
}
"""Name of a drift detector -> what makes it find a change of a mean from 0.2 to 0.8 within some hundred numbers."""

ALL_MODELS: tuple[ModelEntry, ...] = (*catalogue.MODELS, *catalogue.REGRESSORS)
ALL_LEARNERS: tuple[LearnerEntry, ...] = (*catalogue.LEARNERS, *catalogue.REGRESSION_LEARNERS)
STREAMING = tuple(entry for entry in ALL_MODELS if entry.streams)
"""Models that learn row by row."""
FILED = tuple(entry for entry in STREAMING if not entry.experts)
"""Those among them that are made of one kind of learner and have a file."""


def case(table: Mapping[str, Any], name: str) -> Any:
    """What a table here has of a name."""
    if name not in table:
        raise LookupError(
            f"{name!r} is in the product's tables but has no case in tests/catalogue.py: add a line with constructor "
            "arguments that make it small and quick."
        )
    return table[name]


def learner(entry: LearnerEntry, **more: Any) -> Any:
    """A learner that acts on the first dozen rows."""
    return getattr(sb, entry.class_name)(**{**case(LEARNERS, entry.name), **more})


def model(entry: ModelEntry, of: Any = None, **more: Any) -> Any:
    """A small model of a learner, or of its own default; experts are a list of two."""
    members: dict[str, Any] = {"estimator": of} if entry.learner else {}
    if entry.experts:
        members = {"estimators": [sb.NaiveBayes(), sb.Perceptron()]}
    arguments = {"random_state": 1, **members, **case(MODELS, entry.name), **more}
    return getattr(sb, entry.class_name)(**arguments)


def learners_of(entry: ModelEntry) -> tuple[LearnerEntry, ...]:
    """The learners that a model can be made of."""
    if entry.experts or not entry.learner:
        return ()
    return tuple(one for one in ALL_LEARNERS if one.task == entry.learner_task)


@dataclass
class Rows:
    """Rows with their labels or numbers."""

    X: Any
    y: Any
    weight: Any
    categorical: list[int]
    classes: list[Any] | None
    """Declared before the first row; None: met as they come."""

    def __len__(self) -> int:
        return len(self.y)

    def lesson(self, part: Any = slice(None)) -> dict[str, Any]:
        """Some rows as a learning verb takes them."""
        found = {"X": self.X[part], "y": self.y[part], "sample_weight": self.weight[part]}
        return found if self.classes is None else {**found, "classes": self.classes}


def rows(
    entry: ModelEntry, of: LearnerEntry | None, rng: np.random.Generator, n: int, several: bool = True
) -> Rows:
    """A stream for a model: numeric and nominal columns, gaps, weights of 0, late values, a change in the middle.

    `several`: three classes, the third a late one, if model and learner can tell them apart.
    """
    X = rng.normal(size=(n, 4))
    nominal = [0, 1, 2, 3] if of is not None and of.nominal_only else [2, 3]
    for j in nominal:
        X[:, j] = np.floor(rng.random(n) * np.linspace(2, 5, n))
    turned = np.where(np.arange(n) < n // 2, 1, -1)
    score = turned * (X[:, 0] + (X[:, 2] == 1)) + 0.3 * rng.normal(size=n)
    X[rng.random(X.shape) < 0.08] = np.nan
    weight = rng.choice([1.0, 1.0, 0.0, 0.5, 3.0], n)
    weight[0] = 1.0
    if entry.task == "regression":
        # Not below 0: log1p is one of the options.
        return Rows(X, np.abs(3 * score + 1), weight, nominal, None)
    several = several and entry.max_classes is None
    y = np.where(score > 0.3, 1, 0)
    if several:
        y = np.where((score > 1.2) & (np.arange(n) > n // 3), 2, y)
    y[:2] = 0, 1
    declared = entry.declared or entry.experts or (several and of is not None and of.discovers == 2)
    return Rows(X, y, weight, nominal, [0, 1, 2][: 2 + several] if declared else None)


def state(model: Any) -> bytes:
    """The whole model as its file or, if it has none, its pickle has it; `n_jobs` aside, which is no part of what is learned."""
    jobs = model.n_jobs
    model.set_params(n_jobs=None)
    try:
        return _pickled(model) if hasattr(model, "estimators") else model.to_bytes()
    finally:
        model.set_params(n_jobs=jobs)


def arrays(model: Any) -> dict[str, Any]:
    """The numbers that the model's file holds, by name."""
    with zipfile.ZipFile(io.BytesIO(model.to_bytes())) as archive:
        return {
            name.removeprefix("arrays/").removesuffix(".npy"): np.load(io.BytesIO(archive.read(name)))
            for name in archive.namelist()
            if name.endswith(".npy")
        }


def state_bytes(model: Any) -> dict[str, tuple[str, tuple[int, ...], bytes]]:
    """The same as bytes: models are alike if these are equal."""
    return {name: (a.dtype.str, a.shape, a.tobytes()) for name, a in arrays(model).items()}


def key(model: Any) -> int:
    """The key of all random draws, as the model's file has it."""
    with zipfile.ZipFile(io.BytesIO(model.to_bytes())) as archive:
        return int(json.loads(archive.read("manifest.json"))["seed"])


def _pickled(model: Any) -> bytes:
    """A pickle that is the same for equal models: which of their texts are one object, once read back, is no difference."""
    return pickle.dumps(pickle.loads(pickle.dumps(model)))


def answers(model: Any, X: Any) -> bytes:
    """What the model says, in bytes."""
    said: bytes = (model.predict if is_regressor(model) else model.predict_proba)(X).tobytes()
    return said
