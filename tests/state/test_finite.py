"""Whatever numbers a model accepts, its state stays finite and the file it writes loads again."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import is_regressor

import streamboost as sb
from streamboost.catalogue import LearnerEntry, ModelEntry
from tests import catalogue as cases

VALUES = (3.5e38, 1e100, 5e-324)  # 1e100 is the largest that is taken
WEIGHTS = (1e-300, 1e-9, 1e10, 1e15, 2.0**53)
TARGETS = (1e100, 1e-300, 1.0)

MODELS = [entry for entry in cases.FILED if entry.task == "classification"]
REGRESSORS = [entry for entry in cases.FILED if entry.task == "regression"]
NUMERIC = [entry for entry in cases.ALL_LEARNERS if not entry.nominal_only]

# Options whose arithmetic is another one.
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "perceptron": [{"dtype": "float32"}, {"scale": "standard"}, {"scale": "maxabs", "dtype": "float32"}],
    "ogd": [{"dtype": "float32"}],
    "logistic": [{"dtype": "float32"}],
    "naive-bayes": [{"prior_alpha": 0, "var_floor": 0}],
    "linear-regression": [{"dtype": "float32"}, {"scale": "none", "clip": None}],
    "hoeffding-tree-regressor": [{"leaf_prediction": "linear", "ridge": 1e-9}],
    "oza-boost": [{"draw": "weight"}],
    "osboost": [{"vote": "ocp"}, {"vote": "exp"}],
    "bayes": [{"likelihood": "gamma"}, {"likelihood": "gamma_rate"}],
    "gradient-boosting": [{"domain": "hull"}],
}


def by_name(name: str) -> ModelEntry:
    return next(entry for entry in cases.FILED if entry.name == name)


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
    """In its file, which is read back, and in its answers."""
    for name, array in cases.arrays(model).items():
        assert np.isfinite(array).all(), f"{name} is not finite"
    ask = model.predict if is_regressor(model) else model.predict_proba
    assert np.isfinite(ask(np.zeros((2, 3)))).all()


def learn(model: Any, value: float, weight: float, target: float = 1.0) -> None:
    X, y, w = stream(value, weight)
    numbers = is_regressor(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if numbers:
            model.partial_fit(X, np.where(np.arange(24) < 12, y, (2 * y - 1) * target), w)
        else:
            model.partial_fit(X, y, classes=[0, 1], sample_weight=w)
        model.partial_fit(X[::-1].copy(), target * y if numbers else y, sample_weight=w)
        check_finite(model)


@pytest.mark.parametrize(
    "entry", [e for e in NUMERIC if e.task == "classification"], ids=lambda entry: entry.name
)
@pytest.mark.parametrize("ensemble", ["single", "oza-boost", "osboost", "bagging"])
def test_extreme_values_leave_finite_state(ensemble: str, entry: LearnerEntry) -> None:
    for options in ({}, *VARIANTS.get(entry.name, [])):
        for value in VALUES:
            for weight in (1.0, 2.0**53):
                learn(cases.model(by_name(ensemble), cases.learner(entry, **options)), value, weight)


@pytest.mark.parametrize("entry", MODELS, ids=lambda entry: entry.name)
def test_extreme_weights_leave_finite_state(entry: ModelEntry) -> None:
    for options in ({}, *VARIANTS.get(entry.name, [])):
        for weight in WEIGHTS:
            for learner in (
                [None] if entry.regressors else [None, sb.NaiveBayes(), sb.Perceptron(dtype="float32")]
            ):
                learn(cases.model(entry, learner, **options), 1e37, weight)


@pytest.mark.parametrize("of", [e for e in NUMERIC if e.task == "regression"], ids=lambda entry: entry.name)
@pytest.mark.parametrize("entry", REGRESSORS, ids=lambda entry: entry.name)
def test_extreme_targets_leave_finite_state(entry: ModelEntry, of: LearnerEntry) -> None:
    for options in ({}, *VARIANTS.get(entry.name, [])):
        for of_learner in ({}, *VARIANTS.get(of.name, [])):
            for target in TARGETS:
                for value in (1.0, 1e100, 5e-324):
                    for weight in (1.0, 2.0**53) if target > 1 else (1.0, 1e-300):
                        learn(
                            cases.model(entry, cases.learner(of, **of_learner), **options),
                            value,
                            weight,
                            target,
                        )
