"""Models at random, and streams for them: what the fuzzers of live models share."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_regressor

import streamboost as sb
from streamboost.catalogue import DETECTORS

LEARNERS: dict[str, Any] = {
    "naive-bayes": sb.NaiveBayes(),
    "perceptron": sb.Perceptron(scale="standard"),
    "ogd": sb.OGD(scale="maxabs"),
    "logistic": sb.LogisticRegression(),
    "stump": sb.DecisionStump(),
    "stump-exact": sb.DecisionStump(numeric="exact"),
    "tree": sb.HoeffdingTree(grace_period=5, tie_threshold=0.9),
    "iti": sb.IncrementalTree(),
    "mlp": sb.MLP(hidden_units=3),
    "nearest-neighbors": sb.NearestNeighbors(2, window=9),
}
ENSEMBLES: dict[str, Any] = {
    "bagging": (sb.OnlineBaggingClassifier, {}),
    **{f"bagging-{e.name}": (sb.OnlineBaggingClassifier, {"drift": e.name}) for e in DETECTORS},
    "oza": (sb.OnlineBoostingClassifier, {}),
    "osboost": (sb.OSBoostClassifier, {}),
    "osboost-ocp": (sb.OSBoostClassifier, {"vote": "ocp"}),
    "ogboost": (sb.OGBoostClassifier, {}),
    "bbm": (sb.OnlineBBMClassifier, {"edge": 0.1}),
    "mbbm": (sb.OnlineMBBMClassifier, {}),
    "olm": (sb.AdaBoostOLMClassifier, {}),
    "bayes": (sb.BayesianEnsembleClassifier, {}),
    "arc-x4": (sb.OnlineArcX4Classifier, {}),
    "blocked": (sb.BlockedBoostingClassifier, {"block_size": 7}),
}
NUMBER_LEARNERS: dict[str, Any] = {
    "linear": sb.LinearRegression(),
    "linear-32": sb.LinearRegression(dtype="float32", learning_rate_spread=1),
    "tree": sb.HoeffdingTreeRegressor(grace_period=5, delta=0.5, min_branch=0.1),
    "tree-mean": sb.HoeffdingTreeRegressor(grace_period=5, tie_threshold=0.9, leaf_prediction="mean"),
}
REGRESSORS: dict[str, Any] = {
    "bagging-numbers": (sb.OnlineBaggingRegressor, {"drift": "adwin"}),
    "boosting-numbers": (sb.OnlineGradientBoostingRegressor, {}),
    "boosting-hull": (sb.OnlineGradientBoostingRegressor, {"domain": "hull", "loss": "absolute"}),
    "forest": (sb.AdaptiveRandomForestRegressor, {}),
    "streamboost-numbers": (sb.StreamBoostRegressor, {}),
}
EXTREMES = (0.0, -0.0, 5e-324, 1e-9, 1e9, -1e37, 1e100)


def random_maker(rng: np.random.Generator, sizes: tuple[int, int] = (1, 20)) -> Any:
    """What makes the same model again and again: an ensemble of a learner, `n_jobs` to be chosen; some predict numbers."""
    numbers = rng.random() < 0.25
    ensembles, learners = (REGRESSORS, NUMBER_LEARNERS) if numbers else (ENSEMBLES, LEARNERS)
    kind, options = ensembles[_choice(rng, ensembles)]
    learner = learners[_choice(rng, learners)]
    size, seed = int(rng.integers(*sizes)), int(rng.integers(1000))
    return lambda n_jobs=None: kind(learner, n_estimators=size, random_state=seed, n_jobs=n_jobs, **options)


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
    return {
        "X": X,
        "y": np.where(size > 1e30, size * (2 * y - 1), y + np.tanh(size)),
        "sample_weight": weight,
    }


def state(model: Any) -> bytes:
    """The whole model as its file has it."""
    with model._session.reading:
        found: bytes = model._to_bytes(model._session)
    return found


def _choice(rng: np.random.Generator, table: dict[str, Any]) -> str:
    return sorted(table)[int(rng.integers(len(table)))]
