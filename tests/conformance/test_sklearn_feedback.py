"""scikit-learn's checks for classifiers within a budget and of label sets, and its tools around label sets."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import label_ranking_loss
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from streamboost import (
    ActiveClassifier,
    AdaOLMRClassifier,
    BinaryRelevanceClassifier,
    ClassifierChain,
    OnlineBaggingClassifier,
    OnlineBMRClassifier,
    SingleLearnerClassifier,
)

WEIGHTS = {  # draws are keyed by the number of the row, and the order of rows matters
    "check_sample_weight_equivalence_on_dense_data": "two rows are not one of weight 2",
    "check_sample_weight_equivalence_on_sparse_data": "two rows are not one of weight 2",
}
ONE_LABEL = dict.fromkeys(  # their labels are not 0 and 1 in a table, or they name `classes`
    (
        "check_n_features_in_after_fitting",
        "check_estimators_dtypes",
        "check_sample_weights_pandas_series",
        "check_sample_weights_not_an_array",
        "check_sample_weights_shape",
        "check_sample_weights_not_overwritten",
        "check_complex_data",
        "check_estimator_sparse_array",
        "check_estimator_sparse_matrix",
        "check_classifier_data_not_an_array",
        "check_classifiers_one_label",
        "check_classifiers_one_label_sample_weights",
        "check_classifiers_classes",
        "check_estimators_partial_fit_n_features",
        "check_classifiers_train",
        "check_classifiers_regression_target",
        "check_decision_proba_consistency",
        "check_classifier_not_supporting_multiclass",
        "check_fit2d_1feature",
    ),
    "label sets are tables of 0 and 1",
)
RANKS = {
    "check_classifier_multioutput": "scores rank the labels of a row; where a set ends, probabilities say"
}
each = OnlineBaggingClassifier(n_estimators=2, random_state=1)
SETS = [
    BinaryRelevanceClassifier(each),
    ClassifierChain(each),
    OnlineBMRClassifier(n_estimators=3, random_state=1),
    AdaOLMRClassifier(n_estimators=3, random_state=1),
]
of_sets = pytest.mark.parametrize("model", SETS, ids=lambda model: type(model).__name__)


@pytest.mark.parametrize(
    ("model", "excused"),
    [
        (ActiveClassifier(each, budget=1.0, random_state=1), WEIGHTS),
        *((model, {**WEIGHTS, **ONE_LABEL}) for model in SETS[:2]),
        *((model, {**WEIGHTS, **ONE_LABEL, **RANKS}) for model in SETS[2:]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_checks(model, excused):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(model, expected_failed_checks=excused, on_fail=None, on_skip=None)
    failed = {found["check_name"]: found["exception"] for found in results if found["status"] == "failed"}
    assert not failed
    assert sum(found["status"] == "passed" for found in results) >= 40


def rows(n=200):
    X = np.random.default_rng(1).normal(size=(n, 3))
    return X, (X + 0.3 * np.random.default_rng(2).normal(size=X.shape) > 0.2).astype(int)


@of_sets
def test_indicators_come_in_every_form(model):
    X, Y = rows()
    expected = clone(model).fit(X, Y).predict(X)
    assert expected.shape == Y.shape
    for other in (Y.astype(bool), Y.tolist(), scipy.sparse.csr_matrix(Y), pd.DataFrame(Y)):
        assert np.array_equal(clone(model).fit(X, other).predict(X), expected)
    frame = pd.DataFrame(X, columns=list("abc"))
    named = clone(model).fit(frame, pd.DataFrame(Y, columns=["x", "y", "z"]))
    assert named.labels_.tolist() == named.classes_.tolist() == ["x", "y", "z"]
    assert named.feature_names_in_.tolist() == ["a", "b", "c"]
    assert (named.n_features_in_, np.array_equal(named.predict(frame), expected)) == (3, True)


@of_sets
def test_fitting_again_forgets_and_a_fit_that_fails_does_not(model):
    X, Y = rows()
    fitted = clone(model).fit(X, Y)
    before = fitted.to_bytes()
    assert fitted.fit(X, Y).to_bytes() == before
    for wrong in (Y[:10], Y + 1, Y[:, 0], None):
        with pytest.raises(ValueError, match=r"y |samples"):
            fitted.fit(X, wrong)
    with pytest.raises(ValueError, match="nothing to learn"):
        fitted.fit(X, Y, sample_weight=np.zeros(len(X)))
    assert fitted.to_bytes() == before
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).predict_proba(X), fitted.predict_proba(X))
    with pytest.raises(NotFittedError):
        clone(model).predict(X)


@of_sets
def test_scores_rank_as_probabilities_answer(model):
    X, Y = rows()
    fitted = clone(model).fit(X, Y)
    assert np.array_equal(fitted.predict(X), fitted.predict_proba(X) >= 0.5)
    assert label_ranking_loss(Y, fitted.decision_function(X)) < 0.35
    assert fitted.score(X, Y) == np.mean((fitted.predict(X) == Y).all(axis=1))


@of_sets
def test_tools_of_scikit_learn(model):
    X, Y = rows(90)
    assert len(cross_val_score(make_pipeline(StandardScaler(), model), X, Y, cv=3)) == 3
    name = (
        "estimator__n_estimators"
        if hasattr(model, "estimator") and model.estimator is not None
        else "n_estimators"
    )
    found = GridSearchCV(model, {name: [2, 3]}, cv=2).fit(X, Y)
    assert set(found.best_params_) == {name}


def test_a_chain_of_one_label_is_its_classifier():
    X, Y = rows()
    chain = ClassifierChain(SingleLearnerClassifier()).fit(X, Y[:, :1])
    alone = SingleLearnerClassifier().partial_fit(X, Y[:, 0] > 0, classes=[False, True])
    assert np.allclose(chain.predict_proba(X)[:, 0], alone.predict_proba(X)[:, 1])
