"""Long streams through the product: what the weights tend to, and that nothing wears out."""

from functools import partial

import numpy as np
import pytest

import streamboost as sb
from laws.catalogue import lane_report
from tests.inside.handles import state_of


def nominal_stream(rows, seed):
    """Three noisy copies of the label, of unequal quality."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    X = np.column_stack([np.where(rng.random(rows) < q, y, 1 - y) for q in (0.7, 0.65, 0.6)]).astype(float)
    # Not independent: there is something to boost.
    X[:, 2] = np.where(rng.random(rows) < 0.3, X[:, 0], X[:, 2])
    return X, y


def batch_adaboost_errors(X, y, n_learners):
    """Weighted errors of naive Bayes learners trained one after the other on the whole sample (Freund, Schapire 1997)."""
    weights, errors = np.full(len(y), 1 / len(y)), []
    for _ in range(n_learners):
        logs = np.zeros((len(y), 2))
        for c in (0, 1):
            logs[:, c] += np.log(weights[y == c].sum())
            for j in range(X.shape[1]):
                p = weights[(y == c) & (X[:, j] == 1)].sum() / weights[y == c].sum()
                logs[:, c] += np.log(np.where(X[:, j] == 1, p, 1 - p))
        wrong = logs.argmax(axis=1) != y
        errors.append(weights[wrong].sum())
        weights = weights / np.where(wrong, 2 * errors[-1], 2 * (1 - errors[-1]))
    return errors


def test_oza_with_weights_approaches_batch_adaboost():
    """Lossless, proportional learners on a stationary stream: the running errors tend to those of AdaBoost."""
    X, y = nominal_stream(40_000, 7)
    model = sb.OnlineBoostingClassifier(
        sb.NaiveBayes(prior_alpha=0),
        n_estimators=3,
        draw="weight",
        random_state=0,
        categorical_features=[0, 1, 2],
    ).partial_fit(X, y, classes=[0, 1])
    right, wrong = lane_report(model, "sum_correct"), lane_report(model, "sum_wrong")
    # loose: the early learners' mistakes stay in the sums, and later learners look on through them
    assert wrong / (right + wrong) == pytest.approx(batch_adaboost_errors(X, y, 3), abs=0.02)


BOOSTERS = {
    "uniform": sb.OSBoostClassifier,
    "ocp": partial(sb.OSBoostClassifier, vote="ocp"),
    "ocp-pivot": partial(sb.OSBoostClassifier, vote="ocp", projection="pivot"),
    "exp": partial(sb.OSBoostClassifier, vote="exp"),
    "ogboost": partial(sb.OGBoostClassifier, n_candidates=2, shrinkage=0.5),
    "bbm": sb.OnlineBBMClassifier,
    "ol": sb.AdaBoostOLClassifier,
    "ol-w": partial(sb.AdaBoostOLClassifier, weighting="importance"),
}


@pytest.mark.parametrize("booster", BOOSTERS)
@pytest.mark.parametrize("learner", [sb.Perceptron, sb.OGD, sb.NaiveBayes], ids=lambda kind: kind.__name__)
def test_hundred_thousand_rows(booster, learner):
    """Weights, log weights and caches stay finite; the answers make sense to the end, through a change of concept."""
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (100_000, 3))
    y = (X[:, 0] + np.where(np.arange(100_000) < 50_000, 0.5, -0.5) * X[:, 1] > 0).astype(int)
    model = BOOSTERS[booster](learner(), n_estimators=8, random_state=3)
    for rows in np.array_split(np.arange(len(y)), 4):
        model.partial_fit(X[rows], y[rows], classes=[0, 1])
    for name, array in state_of(model).items():
        if array.dtype.kind == "f":
            assert np.isfinite(array).all(), name
    proba = model.predict_proba(X[-2000:])
    assert np.isfinite(proba).all()
    assert (model.predict(X[-2000:]) == y[-2000:]).mean() > 0.8
