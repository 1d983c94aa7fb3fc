"""How accurate the logistic learner must be: on public sets where they are at hand, on generators always."""

import os
from functools import cache

import numpy as np
import pytest

from benchmarks.streams import hyperplane
from streamboost import (
    AdaBoostOLClassifier,
    LogisticRegression,
    OnlineBaggingClassifier,
    OnlineBBMClassifier,
    OSBoostClassifier,
    SingleLearnerClassifier,
)
from streamboost.streams import load

with_data = pytest.mark.skipif(
    not os.environ.get("STREAMBOOST_DATA"), reason="STREAMBOOST_DATA names no folder"
)
ROWS = 30_000


@cache
def rows(name):
    data = load(name, limit=None if name == "cod-rna-train" else ROWS)
    X = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    order = np.arange(len(data.y))
    if name == "cod-rna-train":  # its file is sorted by label
        order = np.random.default_rng(0).permutation(len(data.y))[:ROWS]
    return X[order], np.asarray(data.y)[order]


def accuracy(model, X, y):
    return (model.test_then_train(X, y, classes=np.unique(y)) == y).mean()


# The last column: what Vowpal Wabbit's single logistic learner reaches on the same rows, and how far below we may be.
@with_data
@pytest.mark.parametrize(
    ("name", "least", "vw"),
    [
        ("a9a", 0.844, 0.8448),
        ("ijcnn1", 0.945, 0.9360),
        ("german", 0.748, 0.713),
        ("diabetes", 0.752, 0.754),
        ("splice", 0.826, 0.772),
        ("cod-rna-train", 0.929, 0.768),
    ],
)
def test_alone(name, least, vw):
    reached = accuracy(SingleLearnerClassifier(LogisticRegression()), *rows(name))
    assert reached >= least
    assert reached >= vw - 0.003


def test_alone_on_a_turning_hyperplane():
    stream = hyperplane(ROWS)
    reached = accuracy(SingleLearnerClassifier(LogisticRegression()), stream.X, stream.y)
    assert reached >= 0.867
    assert reached >= 0.870 - 0.003
    plain = accuracy(SingleLearnerClassifier(LogisticRegression(update="plain")), stream.X, stream.y)
    assert reached > plain + 0.02


@with_data
@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "name", "spread", "least"),
    [
        (lambda a: AdaBoostOLClassifier(a, n_estimators=100, weighting="importance"), "a9a", 0, 0.843),
        (lambda a: AdaBoostOLClassifier(a, n_estimators=100, weighting="importance"), "ijcnn1", 1, 0.954),
        (lambda a: OnlineBaggingClassifier(a, n_estimators=100, random_state=1), "a9a", 0, 0.844),
        (lambda a: OSBoostClassifier(a, n_estimators=100), "a9a", 0, 0.839),
    ],
    ids=["adaboost-ol", "adaboost-ol-spread", "bagging", "osboost"],
)
def test_a_hundred(make, name, spread, least):
    assert accuracy(make(LogisticRegression(learning_rate_spread=spread)), *rows(name)) >= least


def test_boosting_by_majority_bends_the_border():
    """Clouds around centres: what no single linear learner tells apart."""
    data = load("rbf", limit=10_000)
    y = np.asarray(data.y)
    alone = accuracy(SingleLearnerClassifier(LogisticRegression()), data.X, y)
    boosted = accuracy(OnlineBBMClassifier(LogisticRegression(), n_estimators=100, edge=0.1), data.X, y)
    assert boosted > alone + 0.02
