"""A model goes on with sparse or dense rows as it began, whatever the later rows come as."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import streamboost as sb
from tests import catalogue

NUMERIC = [
    pytest.param(entry, of, id=f"{entry.name}-{of.name}" if of else entry.name)
    for entry in catalogue.STREAMING
    for of in ([None] if entry.name != "bagging" else catalogue.learners_of(entry))
    if of is None or not of.nominal_only
]


def _rows(entry, of):
    found = catalogue.rows(entry, of, np.random.default_rng(4), 60, several=False)
    found.X[np.abs(found.X) < 0.8] = 0.0
    return found


@pytest.mark.parametrize(("entry", "of"), NUMERIC)
def test_later_rows_are_read_as_the_first_ones(entry, of):
    found = _rows(entry, of)

    def learned(*forms):
        model = catalogue.model(entry, None if of is None else catalogue.learner(of))
        for form, part in zip(forms, (slice(30), slice(30, 50), slice(50, None)), strict=True):
            lesson = found.lesson(part)
            if form is dict:
                for x, y, w in zip(
                    lesson["X"].tolist(), lesson["y"].tolist(), lesson["sample_weight"], strict=True
                ):
                    model.learn_one({j: value for j, value in enumerate(x) if value}, y, sample_weight=w)
            else:
                model.partial_fit(**{**lesson, "X": form(lesson["X"])})
            model = pickle.loads(pickle.dumps(model))
        assert catalogue.answers(model, found.X) == catalogue.answers(model, sp.csr_matrix(found.X))
        return catalogue.state(model)

    sparse, dense = sp.csr_matrix, np.asarray
    assert learned(sparse, dense, sparse) == learned(sparse, sparse, sparse)
    assert learned(dense, sparse, dense) == learned(dense, dense, dense)
    assert learned(sparse, sparse, dict) == learned(sparse, sparse, sparse)


UNSCALED = [
    sb.Perceptron(),
    sb.OGD(),
    sb.NaiveBayes(),
    sb.DecisionStump(),
    sb.HoeffdingTree(grace_period=5),
    sb.IncrementalTree(),
]


@pytest.mark.parametrize("learner", UNSCALED, ids=lambda learner: type(learner).__name__)
def test_without_a_scale_sparse_is_dense(learner):
    X = np.random.default_rng(1).normal(size=(80, 5))
    X[np.abs(X) < 0.7] = 0.0
    y = (X[:, 0] > X[:, 1]).astype(int)
    dense = sb.OnlineBaggingClassifier(learner, n_estimators=3, random_state=1).partial_fit(X, y)
    sparse = sb.OnlineBaggingClassifier(learner, n_estimators=3, random_state=1).partial_fit(
        sp.csr_matrix(X), y
    )
    assert np.array_equal(dense.predict_proba(X), sparse.predict_proba(X))


def test_an_absent_key_is_zero_in_a_sparse_model_and_missing_in_a_dense_one():
    X, y = np.array([[0.0, 2.0], [3.0, 0.0], [1.0, 1.0], [2.0, 1.0]]), [0, 1, 0, 1]
    sparse = sb.SingleLearnerClassifier(sb.NaiveBayes()).partial_fit(sp.csr_matrix(X), y)
    dense = sb.SingleLearnerClassifier(sb.NaiveBayes()).partial_fit(X, y)
    assert sparse.predict_proba_one({1: 2.0}) == sparse.predict_proba_one({0: 0.0, 1: 2.0})
    assert dense.predict_proba_one({1: 2.0}) != dense.predict_proba_one({0: 0.0, 1: 2.0})
    assert sparse.predict_proba_one({0: None, 1: 2.0}) != sparse.predict_proba_one({1: 2.0})
