"""A few small models that between them use every part of a file."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_regressor

from streamboost import (
    BAN,
    MLP,
    OGD,
    TAN,
    AdaBoostM1Classifier,
    AdaBoostOLClassifier,
    AdaBoostOLMClassifier,
    AdaptiveRandomForestRegressor,
    BaggingClassifier,
    BayesianEnsembleClassifier,
    BlockedBoostingClassifier,
    DecisionStump,
    HashedLogisticRegression,
    HoeffdingTree,
    HoeffdingTreeRegressor,
    IncrementalTree,
    LinearRegression,
    LogisticRegression,
    NaiveBayes,
    NearestNeighbors,
    OGBoostClassifier,
    OnlineBaggingClassifier,
    OnlineBaggingRegressor,
    OnlineBBMClassifier,
    OnlineBoostingClassifier,
    OnlineGradientBoostingRegressor,
    OnlineMBBMClassifier,
    OSBoostClassifier,
    Perceptron,
    PrimedOnlineBoostingClassifier,
    ReplayBoostingClassifier,
    ReplayBoostingRegressor,
    SingleLearnerClassifier,
    SingleLearnerRegressor,
    StreamBoostRegressor,
    StreamingGradientBoostingRegressor,
)
from streamboost.catalogue import model_entry
from streamboost.models import MODELS, REGRESSORS

RNG = np.random.default_rng(17)
X = RNG.normal(size=(60, 4))
X[:, 2] = RNG.integers(0, 3, 60)
Y = (X[:, 0] + (X[:, 2] == 1) > 0.3).astype(int)
NUMBERS = 3 * X[:, 0] + np.abs(X[:, 1]) + 5 * (X[:, 2] == 1)
MULTICLASS = ("single-multiclass", "single-softmax", "replay-per-class")  # the third column is their label
DICTS = ("dicts", "dicts-text")
REPLAYED = (
    "replay-boosting",
    "replay-per-class",
    "regressor-replay",
    "regressor-time",
)  # the first half again, to the middle of their second fit


def rows(names: str = "abcd") -> list[dict[str, Any]]:
    """The same rows as dicts, with a nominal column, holes and a late column."""
    out = []
    for i, row in enumerate(X.tolist()):
        out.append({names[0]: row[0], names[1]: row[1], names[2]: f"v{int(row[2])}"})
        if i > 10 and i % 3:
            out[-1][names[3]] = row[3]
    return out


def build(only: str | None = None) -> dict[str, Any]:
    """Name -> a model that has learned half of the data; of all of them, or of one."""
    nominal = {"categorical_features": [2]}
    half, again = slice(0, 30), np.arange(125) % 30
    models: dict[str, Any] = {
        "bagging-default": OnlineBaggingClassifier(n_estimators=3, random_state=1),
        "bagging-fraction": OnlineBaggingClassifier(
            NaiveBayes(alpha=1), n_estimators=3, sampling="fraction", **nominal
        ),
        "oza-nb": OnlineBoostingClassifier(
            NaiveBayes(), n_estimators=4, random_state=2, tie="random", **nominal
        ),
        "oza-iti": OnlineBoostingClassifier(IncrementalTree(), n_estimators=3, random_state=6, **nominal),
        "oza-logistic": OnlineBoostingClassifier(
            LogisticRegression(scale="maxabs", update="plain"), n_estimators=3, lambda_cap=10
        ),
        "bagging-logistic": OnlineBaggingClassifier(
            LogisticRegression(learning_rate_spread=1), n_estimators=3, random_state=9, **nominal
        ),
        "bagging-hashed": OnlineBaggingClassifier(
            HashedLogisticRegression(8, pairs=True), n_estimators=2, random_state=2, **nominal
        ),
        "oza-mlp": OnlineBoostingClassifier(MLP(hidden_units=3), n_estimators=2, **nominal),
        "oza-stump": OnlineBoostingClassifier(DecisionStump(max_bins=8), n_estimators=3, **nominal),
        "osboost-perceptron": OSBoostClassifier(Perceptron(scale="standard"), n_estimators=5, random_state=3),
        "osboost-start": OSBoostClassifier(Perceptron(start=np.arange(5) / 7), n_estimators=2, monitor=False),
        "osboost-ocp": OSBoostClassifier(
            Perceptron(), n_estimators=4, random_state=5, vote="ocp", step="1/sqrt(t)"
        ),
        "osboost-exp": OSBoostClassifier(n_estimators=4, vote="exp", hedge="sample", hedge_rate=0.7),
        "ogboost": OGBoostClassifier(Perceptron(), n_estimators=3, n_candidates=2, loss="savage"),
        "online-bbm": OnlineBBMClassifier(OGD(), n_estimators=5, edge=0.1, weighting="sampling"),
        "adaboost-ol": AdaBoostOLClassifier(Perceptron(), n_estimators=4, hedge="best"),
        "blocked-boost": BlockedBoostingClassifier(n_estimators=4, block_size=7, random_state=6),
        "primed-waiting": PrimedOnlineBoostingClassifier(
            n_estimators=4, n_prime=40, random_state=7, **nominal
        ),
        "primed-boost": PrimedOnlineBoostingClassifier(n_estimators=4, n_prime=20, random_state=8),
        "bayes-default": BayesianEnsembleClassifier(n_estimators=4, random_state=9),
        "bayes-sgd": BayesianEnsembleClassifier(
            Perceptron(), n_estimators=3, vote="sgd", prior_shape=2.0, prior_rate=0.5, random_state=10
        ),
        "bayes-voting": BayesianEnsembleClassifier(n_estimators=3, vote="uniform", random_state=11),
        "bayes-gamma": BayesianEnsembleClassifier(n_estimators=3, likelihood="gamma", random_state=12),
        "online-mbbm": OnlineMBBMClassifier(HoeffdingTree(), n_estimators=3, random_state=13, **nominal),
        "online-mbbm-code": OnlineMBBMClassifier(
            n_estimators=3, preset="paper_code", weight_scale="normalised", random_state=14
        ),
        "adaboost-olm": AdaBoostOLMClassifier(n_estimators=3, random_state=15),
        "adaboost-olm-binary": AdaBoostOLMClassifier(
            LogisticRegression(), n_estimators=3, step="binary", weight_scale="normalised", random_state=16
        ),
        "ogboost-logistic": OGBoostClassifier(n_estimators=3, loss="logistic"),
        "oza-hoeffding": OnlineBoostingClassifier(
            HoeffdingTree(grace_period=5, delta=0.3, max_leaves=6), n_estimators=3, random_state=17, **nominal
        ),
        "bagging-second-thoughts": OnlineBaggingClassifier(
            HoeffdingTree(grace_period=5, delta=0.3, reevaluate=10, nominal_split="grouped"),
            n_estimators=3,
            random_state=22,
            **nominal,
        ),
        "bagging-neighbors": OnlineBaggingClassifier(
            NearestNeighbors(3, window=20), n_estimators=2, random_state=19, **nominal
        ),
        "bagging-mlp": OnlineBaggingClassifier(MLP(learning_rate=0.5), n_estimators=2, random_state=18),
        "osboost-horizon": OSBoostClassifier(n_estimators=3, vote="exp", hedge_rate="horizon", horizon=500),
        "single-ogd": SingleLearnerClassifier(OGD(feature_fraction=0.5)),
        "single-multiclass": SingleLearnerClassifier(LogisticRegression(update="plain")),
        "single-softmax": SingleLearnerClassifier(LogisticRegression(dtype="float32")),
    }
    # Few and small trees; the second fit is half done.
    small = {"memory": 200, "rounds": 3, "leaves": 5, "refit": 1.5}
    models["replay-boosting"] = ReplayBoostingClassifier(**small, random_state=23, **nominal)
    models["replay-per-class"] = ReplayBoostingClassifier(**small, trees="per-class", random_state=24)
    models["bagging-bins"] = OnlineBaggingClassifier(
        n_estimators=3, calibration="platt+bins", calibration_half_life=50, random_state=21, **nominal
    )
    models["osboost-temperature"] = OSBoostClassifier(
        n_estimators=3, calibration="temperature", random_state=25, **nominal
    )
    for name, cls in MODELS.items():  # whoever is not there yet, with its defaults
        if not any(type(model) is cls for model in models.values()):
            models[name] = cls(random_state=1, **({"n_estimators": 3} if model_entry(name).sized else {}))
    models["streamboost-identifiers"] = MODELS["streamboost"](
        n_estimators=2, companions=("linear",), identifier_features=[2], random_state=3
    )
    models["streamboost-sparse"] = MODELS["streamboost"](
        n_estimators=2, companions=("linear",), max_tree_columns=3, random_state=4
    )
    networks: dict[str, Any] = {
        "bagging-tan": OnlineBaggingClassifier(TAN(), n_estimators=2, categorical_features=[0, 1, 2, 3]),
        "single-ban": SingleLearnerClassifier(BAN(relearn="query"), categorical_features=[0, 1, 2, 3]),
    }
    batch: dict[str, Any] = {
        "adaboost-m1": AdaBoostM1Classifier(DecisionStump(), n_estimators=3, random_state=19, **nominal),
        "batch-bagging": BaggingClassifier(n_estimators=3, n_passes=2, random_state=20),
    }
    numbers = regressors()
    if only is not None:
        models, networks, batch, numbers = (
            {name: model for name, model in some.items() if name == only}
            for some in (models, networks, batch, numbers)
        )
    for model in batch.values():
        model.fit(X[half], Y[half])
    for model in networks.values():
        model.partial_fit(np.sign(X[half]), Y[half], classes=[0, 1])
    for name, model in models.items():
        labels = Y[half] if name not in MULTICLASS else X[half, 2].astype(int)
        features = sp.csr_matrix(X[half]) if name == "streamboost-sparse" else X[half]
        model.partial_fit(features, labels, classes=None if name == "single-softmax" else np.unique(labels))
        if name in REPLAYED:
            model.partial_fit(X[again], labels[again])
    for name, model in numbers.items():
        model.partial_fit(X[half], NUMBERS[half])
        if name in REPLAYED:
            model.partial_fit(X[again], NUMBERS[again])
    late: dict[str, Any] = {
        "dicts": OSBoostClassifier(Perceptron(), n_estimators=3, random_state=4),
        "dicts-text": MODELS["streamboost"](
            n_estimators=2, companions=("linear",), text_features=["c"], random_state=4
        ),
    }
    late = {name: model for name, model in late.items() if only in (None, name)}
    for model in late.values():
        for row, label in zip(rows()[:30], Y[:30].tolist(), strict=True):
            model.learn_one(row, "yes" if label else "no")
    return {**models, **networks, **batch, **numbers, **late}


def regressors() -> dict[str, Any]:
    """Models that predict numbers, before their first row."""
    nominal = {"categorical_features": [2]}
    tree = HoeffdingTreeRegressor(grace_period=5, delta=0.3, min_branch=0.1, max_features=0.6)
    models: dict[str, Any] = {
        "regressor-linear": SingleLearnerRegressor(LinearRegression(), **nominal),
        "regressor-linear-32": SingleLearnerRegressor(
            LinearRegression(dtype="float32", feature_fraction=0.5)
        ),
        "regressor-tree": SingleLearnerRegressor(tree, random_state=2, **nominal),
        "regressor-median": OnlineBaggingRegressor(
            LinearRegression(learning_rate_spread=1),
            n_estimators=3,
            combine="median",
            drift="adwin",
            random_state=3,
        ),
        "regressor-span": OnlineGradientBoostingRegressor(tree, n_estimators=3, **nominal),
        "regressor-hull": OnlineGradientBoostingRegressor(n_estimators=3, domain="hull", loss="quantile"),
        "regressor-forest": AdaptiveRandomForestRegressor(tree, n_estimators=3, random_state=4, **nominal),
        "regressor-replay": ReplayBoostingRegressor(
            memory=200, rounds=3, leaves=5, random_state=6, **nominal
        ),
        "regressor-streaming": StreamingGradientBoostingRegressor(
            tree, n_estimators=2, n_bagged=2, warm_up=5, random_state=7, **nominal
        ),
        "regressor-boosted": StreamBoostRegressor(
            tree, n_estimators=3, companions=("linear", "boosted"), random_state=5, **nominal
        ),
        "regressor-time": StreamBoostRegressor(
            tree, n_estimators=2, lags=[1, 3], delay=1, random_state=7, **nominal
        ),
    }
    for name, cls in REGRESSORS.items():  # whoever is not there yet, with its defaults
        if not any(type(model) is cls for model in models.values()):
            models[name] = cls(random_state=1, **({"n_estimators": 3} if cls._entry.sized else {}))
    return models


def answers(name: str, model: Any) -> list[Any]:
    """What it says of the first rows: numbers, or probabilities."""
    if name in DICTS:
        return [list(model.predict_proba_one(row).values()) for row in rows()[:5]]
    said: list[Any] = (model.predict if is_regressor(model) else model.predict_proba)(X[:5]).tolist()
    return said


def go_on(name: str, model: Any) -> Any:
    """Learn the second half; batch ensembles learn all of it anew."""
    if not hasattr(model, "partial_fit"):
        return model.fit(X[30:], Y[30:])
    if name in DICTS:
        for row, label in zip(rows()[30:], Y[30:].tolist(), strict=True):
            model.learn_one(row, "yes" if label else "no")
        return model
    if is_regressor(model):
        return model.partial_fit(X[30:], NUMBERS[30:])
    return model.partial_fit(X[30:], Y[30:] if name not in MULTICLASS else X[30:, 2].astype(int))


def state_bytes(model: Any) -> bytes:
    return model.to_bytes()


def unpack(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def pack(
    path: Path, members: dict[str, bytes] | list[tuple[str, bytes]], method: int = zipfile.ZIP_STORED
) -> Path:
    pairs = members.items() if isinstance(members, dict) else members
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in pairs:
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return path


def manifest_of(members: dict[str, bytes]) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(members["manifest.json"])
    return parsed


def with_manifest(members: dict[str, bytes], manifest: Any) -> dict[str, bytes]:
    return {**members, "manifest.json": json.dumps(manifest).encode()}


def npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(array), version=(1, 0), allow_pickle=True)
    return buffer.getvalue()
