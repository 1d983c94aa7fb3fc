"""Whatever numbers a model accepts, its state stays finite and the file it writes loads again."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import is_regressor

import streamboost as sb

VALUES = (3.5e38, 1e100, 5e-324)  # 1e100 is the largest that is taken
WEIGHTS = (1e-300, 1e-9, 1e10, 1e15, 2.0**53)

LEARNERS: dict[str, Any] = {
    "perceptron": sb.Perceptron(),
    "perceptron-32": sb.Perceptron(dtype="float32"),
    "perceptron-standard": sb.Perceptron(scale="standard"),
    "perceptron-maxabs": sb.Perceptron(scale="maxabs", dtype="float32"),
    "ogd": sb.OGD(),
    "ogd-32": sb.OGD(dtype="float32"),
    "logistic": sb.LogisticRegression(),
    "logistic-32": sb.LogisticRegression(dtype="float32"),
    "naive-bayes": sb.NaiveBayes(),
    "naive-bayes-raw": sb.NaiveBayes(prior_alpha=0, var_floor=0),
    "stump": sb.DecisionStump(),
    "mlp": sb.MLP(hidden_units=3),
    "nearest-neighbors": sb.NearestNeighbors(3, window=40),
    "tree": sb.HoeffdingTree(grace_period=2, tie_threshold=0.9),
    "iti": sb.IncrementalTree(),
}
ENSEMBLES: dict[str, Any] = {
    "bagging": (sb.OnlineBaggingClassifier, {}),
    "oza": (sb.OnlineBoostingClassifier, {}),
    "oza-weight": (sb.OnlineBoostingClassifier, {"draw": "weight"}),
    "arc-x4": (sb.OnlineArcX4Classifier, {}),
    "osboost": (sb.OSBoostClassifier, {}),
    "osboost-ocp": (sb.OSBoostClassifier, {"vote": "ocp"}),
    "osboost-exp": (sb.OSBoostClassifier, {"vote": "exp"}),
    "ogboost": (sb.OGBoostClassifier, {}),
    "bbm": (sb.OnlineBBMClassifier, {"edge": 0.1}),
    "adaboost-ol": (sb.AdaBoostOLClassifier, {}),
    "mbbm": (sb.OnlineMBBMClassifier, {}),
    "olm": (sb.AdaBoostOLMClassifier, {}),
    "bayes": (sb.BayesianEnsembleClassifier, {}),
    "bayes-gamma": (sb.BayesianEnsembleClassifier, {"likelihood": "gamma"}),
    "bayes-gamma-rate": (sb.BayesianEnsembleClassifier, {"likelihood": "gamma_rate"}),
    "single": (sb.SingleLearnerClassifier, {}),
    "blocked": (sb.BlockedBoostingClassifier, {"block_size": 3}),
    "primed": (sb.PrimedOnlineBoostingClassifier, {"n_prime": 6}),
}


def stream(value: float, weight: float, seed: int = 0) -> tuple[Any, Any, Any]:
    """Ordinary rows, then extreme cells and weights among them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(24, 3))
    X[6::3, rng.integers(0, 3)] = value
    X[8::4, 1] = -value
    y = rng.integers(0, 2, 24)
    y[:2] = 0, 1
    w = np.ones(24)
    w[5::2] = weight
    return X, y, w


def check_finite(model: Any) -> None:
    for name, array in model._session.model.state().items():
        assert np.isfinite(array).all(), f"{name} is not finite"
    ask = model.predict if is_regressor(model) else model.predict_proba
    assert np.isfinite(ask(np.zeros((2, 3)))).all()


def learn(ensemble: str, learner: Any, value: float, weight: float, path: Path) -> None:
    kind, options = ENSEMBLES[ensemble]
    size = {} if kind is sb.SingleLearnerClassifier else {"n_estimators": 3}
    model = kind(learner, random_state=1, **size, **options)
    X, y, w = stream(value, weight)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.partial_fit(X, y, classes=[0, 1], sample_weight=w)
        check_finite(model)
        model.partial_fit(X[::-1].copy(), y, sample_weight=w)
        check_finite(model)
        model.save(path)
        sb.load(path)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("ensemble", ["single", "oza", "osboost", "bagging"])
def test_extreme_values_leave_finite_state(ensemble: str, learner: str, tmp_path: Path) -> None:
    for value in VALUES:
        for weight in (1.0, 2.0**53):
            learn(ensemble, LEARNERS[learner], value, weight, tmp_path / "m")


@pytest.mark.parametrize("ensemble", ENSEMBLES)
def test_extreme_weights_leave_finite_state(ensemble: str, tmp_path: Path) -> None:
    for weight in WEIGHTS:
        for learner in ("naive-bayes", "perceptron-32"):
            learn(ensemble, LEARNERS[learner], 1e37, weight, tmp_path / "m")


NUMBER_LEARNERS = {
    "linear": sb.LinearRegression(),
    "linear-32": sb.LinearRegression(dtype="float32"),
    "linear-unscaled": sb.LinearRegression(scale="none", clip=None),
    "tree": sb.HoeffdingTreeRegressor(grace_period=2, delta=0.9, tie_threshold=0.9, min_branch=0.0),
    "tree-linear": sb.HoeffdingTreeRegressor(grace_period=2, delta=0.9, leaf_prediction="linear", ridge=1e-9),
}
REGRESSORS: dict[str, Any] = {
    "single": (sb.SingleLearnerRegressor, {}),
    "bagging": (sb.OnlineBaggingRegressor, {"n_estimators": 3}),
    "boosting": (sb.OnlineGradientBoostingRegressor, {"n_estimators": 3}),
    "boosting-hull": (sb.OnlineGradientBoostingRegressor, {"n_estimators": 3, "domain": "hull"}),
    "streamboost": (sb.StreamBoostRegressor, {"n_estimators": 3}),
}


@pytest.mark.parametrize("learner", NUMBER_LEARNERS)
@pytest.mark.parametrize("ensemble", REGRESSORS)
@pytest.mark.parametrize("target", [1e100, 1e-300, 1.0])
def test_extreme_targets_leave_finite_state(
    ensemble: str, learner: str, target: float, tmp_path: Path
) -> None:
    kind, options = REGRESSORS[ensemble]
    for value in (1.0, *VALUES):
        for weight in (1.0, 1e-300, 2.0**53):
            X, y, w = stream(value, weight)
            model = kind(NUMBER_LEARNERS[learner], random_state=1, **options)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.partial_fit(X, np.where(np.arange(24) < 12, y, (2 * y - 1) * target), w)
                check_finite(model)
                model.partial_fit(X[::-1].copy(), target * y, w)
                check_finite(model)
                model.save(tmp_path / "m")
                sb.load(tmp_path / "m")
