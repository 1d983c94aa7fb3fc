"""Verbs that only read may run at the same time in any number of threads: they move nothing, not even for a moment."""

import itertools
import pickle
import threading

import numpy as np
import pytest

import streamboost as sb
from streamboost.catalogue import LEARNERS, REGRESSION_LEARNERS

ROUNDS = 20
VERBS = {
    "predict": lambda model, X: model.predict(X).tolist(),
    "memory_bytes": lambda model, X: model.memory_bytes(),
    "pickle": lambda model, X: pickle.dumps(model),
    "report": lambda model, X: repr(model.report()),
}
PAIRS = [*itertools.combinations(VERBS, 2), ("predict", "predict")]
rng = np.random.default_rng(1)
X = np.round(2 * rng.normal(size=(300, 4)))
Y = (X[:, 0] + 0.5 * X[:, 1] > 0).astype(int)


def taught(entry):
    learner = getattr(sb, entry.class_name)()
    if entry in REGRESSION_LEARNERS:
        return sb.OnlineBaggingRegressor(learner, n_estimators=3, random_state=1).partial_fit(X, X[:, 0])
    nominal = range(4) if entry.nominal_only else None
    model = sb.OnlineBaggingClassifier(learner, n_estimators=3, random_state=1, categorical_features=nominal)
    return model.partial_fit(X, Y, classes=[0, 1])


@pytest.mark.parametrize("entry", [*LEARNERS, *REGRESSION_LEARNERS], ids=lambda entry: entry.name)
def test_reading_verbs_may_meet(entry):
    model = taught(entry)
    alone = {name: verb(model, X[:50]) for name, verb in VERBS.items()}
    wrong = []

    def work(name, barrier):
        barrier.wait()
        for _ in range(ROUNDS):
            if VERBS[name](model, X[:50]) != alone[name]:
                wrong.append(name)

    for pair in PAIRS:
        barrier = threading.Barrier(2)
        threads = [threading.Thread(target=work, args=(name, barrier)) for name in pair]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong
