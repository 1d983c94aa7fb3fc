"""Learners in the background belong to the model: pickles take them along, and what a place remembers can begin again."""

import pickle

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import streamboost as sb
from tests.catalogue import EAGER

N = 600
X = np.random.default_rng(0).normal(size=(N, 3))
Y = (np.where(np.arange(N) // 100 % 2, 1, -1) * X[:, 0] > 0).astype(int)  # it turns round every hundred rows


def test_a_learner_written_in_python_goes_on_in_the_background_after_a_pickle():
    stays, goes = (
        sb.OnlineBaggingClassifier(GaussianNB(), n_estimators=3, random_state=1, drift=EAGER)
        for _ in range(2)
    )
    for first in range(0, N, 20):
        part = slice(first, first + 20)
        said = stays.test_then_train(X[part], Y[part], classes=[0, 1])
        np.testing.assert_array_equal(goes.test_then_train(X[part], Y[part], classes=[0, 1]), said)
        goes = pickle.loads(pickle.dumps(goes))
    assert len(stays.replacements())
    np.testing.assert_array_equal(stays.predict_proba(X), goes.predict_proba(X))


@pytest.mark.parametrize("kind", [sb.OnlineBoostingClassifier, sb.AdaBoostOLClassifier])
def test_what_an_ensemble_remembers_of_a_place_begins_again_if_asked_to(kind):
    def fitted(on_drift):
        model = kind(sb.NaiveBayes(), n_estimators=3, random_state=1, drift=EAGER, on_drift=on_drift)
        return model.partial_fit(X, Y, classes=[0, 1])

    kept, begun = fitted("learner"), fitted("lane")
    assert len(kept.replacements())
    assert not np.array_equal(kept.decision_function(X), begun.decision_function(X))


def test_ensembles_that_remember_nothing_of_a_place_refuse_to_begin_it_again():
    model = sb.OnlineBaggingClassifier(sb.NaiveBayes(), n_estimators=3, drift=EAGER, on_drift="lane")
    with pytest.raises(ValueError, match="on_drift='lane' is for ensembles"):
        model.partial_fit(X, Y)
