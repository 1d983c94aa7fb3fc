"""Models at random, and streams for them: what the fuzzers of live models share."""

from __future__ import annotations

from typing import Any

import numpy as np

import streamboost as sb

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
    "bagging-adwin": (sb.OnlineBaggingClassifier, {"drift": "adwin"}),
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
EXTREMES = (0.0, -0.0, 5e-324, 1e-9, 1e9, -1e37, 1e100)


def random_maker(rng: np.random.Generator, sizes: tuple[int, int] = (1, 20)) -> Any:
    """What makes the same model again and again: an ensemble of a learner, `n_jobs` to be chosen."""
    kind, options = ENSEMBLES[_choice(rng, ENSEMBLES)]
    learner = LEARNERS[_choice(rng, LEARNERS)]
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


def state(model: Any) -> bytes:
    """The whole model as its file has it."""
    with model._session.reading:
        found: bytes = model._to_bytes(model._session)
    return found


def _choice(rng: np.random.Generator, table: dict[str, Any]) -> str:
    return sorted(table)[int(rng.integers(len(table)))]
