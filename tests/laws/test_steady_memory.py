"""A model whose lanes have a fixed size takes no more memory however long the stream: nothing leaks, nothing piles up."""

import ctypes
import gc
import tracemalloc
import warnings
import weakref

import numpy as np
import pytest
from sklearn.base import is_regressor

import streamboost as sb
from tests import catalogue

ENSEMBLES = {
    "bagging": lambda learner: sb.OnlineBaggingClassifier(learner, n_estimators=8, random_state=1),
    "oza-boost": lambda learner: sb.OnlineBoostingClassifier(learner, n_estimators=8, random_state=1),
    "osboost": lambda learner: sb.OSBoostClassifier(learner, n_estimators=8, random_state=1),
    "ocp": lambda learner: sb.OSBoostClassifier(learner, n_estimators=8, vote="ocp", random_state=1),
    "exp": lambda learner: sb.OSBoostClassifier(learner, n_estimators=8, vote="exp", random_state=1),
    "online-bbm": lambda learner: sb.OnlineBBMClassifier(learner, n_estimators=8, random_state=1),
    "adaboost-ol": lambda learner: sb.AdaBoostOLClassifier(learner, n_estimators=8, random_state=1),
    "adaboost-olm": lambda learner: sb.AdaBoostOLMClassifier(learner, n_estimators=8, random_state=1),
    "bayes": lambda learner: sb.BayesianEnsembleClassifier(learner, n_estimators=8, random_state=1),
}
LEARNERS = {
    "perceptron": sb.Perceptron,
    "ogd": sb.OGD,
    "logistic": sb.LogisticRegression,
    "naive-bayes": sb.NaiveBayes,
}
CALLS = 150


def heap_in_use():
    """Bytes that malloc has given out: the C++ side, and Python's larger objects."""

    class Info(ctypes.Structure):
        _fields_ = [
            (name, ctypes.c_size_t)
            for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
        ]

    mallinfo = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if mallinfo is None:
        pytest.skip("the C library has no mallinfo2")
    mallinfo.restype = Info
    found = mallinfo()
    return found.uordblks + found.hblkhd


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("ensemble", ENSEMBLES)
def test_memory_does_not_grow_with_the_examples(ensemble, learner):
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (300, 6))
    y = (X[:, 0] + 0.3 * rng.normal(size=300) > 0).astype(int)
    rows = [dict(enumerate(x)) for x in X.tolist()]
    labels = y.tolist()
    model = ENSEMBLES[ensemble](LEARNERS[learner]())

    def live(calls):
        for i in range(calls):
            model.learn_one(rows[i % 300], labels[i % 300])
            model.predict_one(rows[i % 300])
        model.test_then_train(X, y)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # advice about the ensemble is not the question here
        model.partial_fit(X, y, classes=[0, 1])
        live(50)
        size = model.memory_bytes()
        gc.freeze()  # what other tests have left behind need not be looked through each time
        for _ in range(4):  # another thread may allocate something meanwhile; what leaks does so each time
            tracemalloc.start()
            live(50)
            gc.collect()
            before = tracemalloc.get_traced_memory()[0]
            live(CALLS)
            gc.collect()
            kept = tracemalloc.get_traced_memory()[0] - before
            tracemalloc.stop()
            live(50)  # what was allocated for tracing goes
            gc.collect()
            heap = heap_in_use()
            live(CALLS)
            gc.collect()
            more = heap_in_use() - heap
            # One double kept per example would be 3,600 bytes; bounded histories may still be filling up.
            if kept < 4 * CALLS and more < 2_000:
                break
        gc.unfreeze()
    assert model.memory_bytes() == size
    assert kept < 4 * CALLS
    assert more < 2_000


@pytest.mark.parametrize("entry", catalogue.STREAMING, ids=lambda entry: entry.name)
def test_a_model_that_is_dropped_is_gone_at_once(entry):
    """Without the collector of cycles, which looks at how many objects there are and not at how large they are."""
    model = catalogue.model(entry)
    known = {} if is_regressor(model) else {"classes": [0, 1]}
    gc.disable()
    try:
        for i in range(12):
            model.learn_one({"a": i / 12, "b": "xyz"[i % 3]}, i % 2, **known)
        model.predict_one({"a": 1.0, "b": "x"})
        state = weakref.ref(model.session)
        del model
        assert state() is None
    finally:
        gc.enable()
