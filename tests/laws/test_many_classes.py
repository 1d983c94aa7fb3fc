"""More classes than tables are made for: room for those to come is spare, and changes no answer, no state and no file."""

import itertools
import pickle
import warnings

import numpy as np
import pytest

import streamboost as sb
from streamboost import catalogue, models
from tests.catalogue import learner as small
from tests.inside.handles import bits

N_CLASSES, N = 90, 220  # room is made for 65 to 80 and for 81 to 96 of them


def stream(nominal):
    """Ever more classes; rows come back to earlier ones."""
    rng = np.random.default_rng(3)
    y = np.where(rng.random(N) < 0.3, rng.integers(0, N_CLASSES, N), np.arange(N) * N_CLASSES // N)
    y = np.minimum(y, np.maximum.accumulate(np.arange(N) * N_CLASSES // N))
    if nominal:
        return np.stack([y % 5, (y + rng.integers(0, 2, N)) % 3], axis=1).astype(float), y
    return np.stack([y % 7, rng.poisson(1.0, N), y // 7 + rng.integers(0, 2, N)], axis=1).astype(float), y


def bag(learner, **more):
    return lambda: sb.OnlineBaggingClassifier(learner, n_estimators=3, random_state=5, **more)


def tree(**more):
    return sb.HoeffdingTree(grace_period=5, delta=0.4, tie_threshold=0.9, **more)


CASES = {
    entry.name: bag(small(entry), **({"categorical_features": [0, 1]} if entry.nominal_only else {}))
    for entry in catalogue.LEARNERS
    if entry.name not in ("perceptron", "ogd")  # more than two classes must be declared
} | {
    "sparse naive Bayes": bag(sb.NaiveBayes(sparse="always")),
    "multinomial": bag(sb.NaiveBayes(counts="multinomial")),
    "complement": bag(sb.NaiveBayes(counts="complement")),
    "bernoulli": bag(sb.NaiveBayes(counts="bernoulli")),
    "exact stumps": bag(sb.DecisionStump(numeric="exact")),
    "trees that reconsider": bag(tree(reevaluate=7)),
    "short of memory": bag(tree(max_bytes=60_000)),
    "guarded networks": bag(
        sb.MLP(hidden_units=3), drift=sb.drift.PageHinkley(min_instances=5, threshold=1.0)
    ),
    "guarded trees": bag(tree(), drift=sb.drift.PageHinkley(min_instances=5, threshold=1.0)),
    "a forest": lambda: sb.AdaptiveRandomForestClassifier(n_estimators=3, random_state=5),
    "the default": lambda: sb.StreamBoostClassifier(n_estimators=3, random_state=5),
}


@pytest.mark.parametrize("name", CASES)
def test_room_for_classes_is_seen_nowhere(name, tmp_path):
    make = CASES[name]
    X, y = stream(make().get_params().get("categorical_features") is not None)
    warnings.simplefilter("ignore")
    whole = make()
    whole.test_then_train(X, y)
    expected = bits(whole)
    proba = whole.predict_proba(X[:20])
    chunks, stops = make(), make()
    cuts = [0, 1, 2, 90, 160, 163, 172, 196, 199, 210, N]
    for begin, end in itertools.pairwise(cuts):
        chunks.test_then_train(X[begin:end], y[begin:end])
        stops.partial_fit(X[begin:end], y[begin:end])
        if name == "the default":
            stops = pickle.loads(pickle.dumps(stops))
        else:
            stops.save(tmp_path / "model")
            stops = models.load(tmp_path / "model")
    threads = make().set_params(n_jobs=2)
    for begin in range(0, N, 20):
        threads.test_then_train(X[begin : begin + 20], y[begin : begin + 20])
    for other in (chunks, stops, threads):
        found = bits(other)
        assert [key for key in expected if found[key] != expected[key]] == []
        assert found.keys() == expected.keys()
        np.testing.assert_array_equal(other.predict_proba(X[:20]), proba)
