"""At home in scikit-learn: its pipelines, searches, wrappers and tools, with our estimators inside."""

from __future__ import annotations

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import streamboost
from streamboost import (
    LogisticRegression,
    NaiveBayes,
    OnlineBaggingClassifier,
    OnlineBoostingClassifier,
    OSBoostClassifier,
    Perceptron,
    catalogue,
)
from streamboost.catalogue import model_entry
from streamboost.models import ALL_MODELS, BATCH_MODELS, MODELS

RNG = np.random.default_rng(2)
X = RNG.normal(size=(240, 4)) * [1.0, 5.0, 1.0, 30.0]
Y = np.where(X[:, 0] + 0.5 * X[:, 2] > 0, "yes", "no")
SHIFTS = np.repeat([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]], 60, axis=0)
X3, Y3 = RNG.normal(size=(180, 2)) + SHIFTS, np.repeat([0, 1, 2], 60)
ORDER = RNG.permutation(180)
X3, Y3 = X3[ORDER], Y3[ORDER]


def boosted(learner=None, **params):
    return OSBoostClassifier(learner, n_estimators=8, random_state=1, **params)


def test_pipeline():
    model = make_pipeline(StandardScaler(), boosted(Perceptron())).fit(X, Y)
    assert model.score(X, Y) > 0.85
    assert model[:-1].transform(X).shape == X.shape


def test_column_transformer_with_frames():
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["job"] = np.where(Y == "yes", "clerk", "baker")
    columns = ColumnTransformer(
        [("numbers", StandardScaler(), list("abcd")), ("jobs", OneHotEncoder(), ["job"])]
    )
    assert make_pipeline(columns, boosted()).fit(frame, Y).score(frame, Y) > 0.95
    columns.set_output(transform="pandas").set_params(jobs=OneHotEncoder(sparse_output=False))
    named = make_pipeline(columns, boosted()).fit(frame, Y)
    assert named[-1].feature_names_in_.tolist()[-1] == "jobs__job_clerk"


def test_sparse_text_is_never_densified():
    """2^20 columns and 2,000 rows would be 16 GB; the sparse rows are a few kilobytes."""
    words = np.where(Y == "yes", "good fine", "bad poor")
    texts = [f"{word} text number {i % 7}" for i, word in enumerate(words)] * 8
    hashed = HashingVectorizer(n_features=2**20).transform(texts)
    assert sp.issparse(hashed)
    model = OnlineBoostingClassifier(LogisticRegression(), n_estimators=2, random_state=0).fit(
        hashed, list(Y) * 8
    )
    assert model.score(hashed, list(Y) * 8) > 0.95


def test_grid_search_reaches_into_the_learner():
    grid = {"gamma": [0.05, 0.2], "estimator__var_floor": [1e-3, 1e-1]}
    search = GridSearchCV(boosted(NaiveBayes()), grid, cv=2).fit(X, Y)
    assert set(search.best_params_) == set(grid)
    assert search.best_score_ > 0.8
    steps = Pipeline([("scale", StandardScaler()), ("boost", boosted(Perceptron()))])
    assert (
        GridSearchCV(steps, {"boost__estimator": [Perceptron(), NaiveBayes()]}, cv=2).fit(X, Y).best_score_
        > 0.8
    )


@pytest.mark.parametrize("name", sorted({**MODELS, **BATCH_MODELS}))
def test_cross_val_score_of_every_model(name):
    model = {**MODELS, **BATCH_MODELS}[name](random_state=1)
    if "n_estimators" in model.get_params():
        model.set_params(n_estimators=4)
    assert is_classifier(model)
    assert cross_val_score(model, X, Y, cv=2).mean() > 0.6


def test_calibration():
    calibrated = CalibratedClassifierCV(boosted(), cv=2).fit(X, Y)
    proba = calibrated.predict_proba(X)
    assert np.allclose(proba.sum(axis=1), 1)
    assert calibrated.score(X, Y) > 0.85


@pytest.mark.parametrize(
    "binary",
    [
        OSBoostClassifier(n_estimators=10, random_state=0),
        streamboost.DefensiveBoostingClassifier(random_state=0),
        streamboost.StreamingGradientBoostingClassifier(n_estimators=20, random_state=0),
        streamboost.CostBoostingClassifier(n_estimators=10, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_binary_booster_becomes_multiclass(binary):
    with pytest.raises(ValueError, match=rf"OneVsRestClassifier\({type(binary).__name__}"):
        clone(binary).fit(X3, Y3)
    least = 0.6 if isinstance(binary, streamboost.DefensiveBoostingClassifier) else 0.9
    model = OneVsRestClassifier(binary).fit(X3, Y3)
    assert model.score(X3, Y3) > least
    streamed = OneVsRestClassifier(binary).partial_fit(X3[:90], Y3[:90], classes=[0, 1, 2])
    streamed.partial_fit(X3[90:], Y3[90:])
    assert streamed.score(X3, Y3) > least
    assert np.allclose(streamed.predict_proba(X3).sum(axis=1), 1)


def test_clone_copies_parameters_and_forgets():
    model = boosted(Perceptron(scale="maxabs")).fit(X, Y)
    copy = clone(model)
    assert copy.get_params()["estimator__scale"] == "maxabs"
    assert copy.estimator is not model.estimator
    assert not hasattr(copy, "classes_")
    assert np.array_equal(copy.fit(X, Y).predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("learner", [NaiveBayes(), GaussianNB()])
def test_joblib_files_and_workers(tmp_path, learner):
    model = boosted(learner).fit(X, Y)
    joblib.dump(model, tmp_path / "model.joblib")
    other = joblib.load(tmp_path / "model.joblib")
    expected = model.predict_proba(X[:20])
    assert np.array_equal(other.predict_proba(X[:20]), expected)
    answers = Parallel(n_jobs=2, prefer="threads")(delayed(model.predict_proba)(X[:20]) for _ in range(4))
    assert all(np.array_equal(answer, expected) for answer in answers)
    if isinstance(learner, GaussianNB):
        return
    seeds = Parallel(n_jobs=2)(delayed(_score)(clone(model).set_params(random_state=seed)) for seed in (0, 1))
    assert seeds == [_score(clone(model).set_params(random_state=seed)) for seed in (0, 1)]


def _score(model):
    return model.fit(X, Y).decision_function(X).tolist()


def test_html_repr_shows_the_nested_learner():
    html = boosted(Perceptron(scale="standard"))._repr_html_()
    assert "OSBoostClassifier" in html
    assert "Perceptron" in html
    assert "fitted" in boosted().fit(X, Y)._repr_html_()
    assert repr(boosted(gamma=0.2)) == "OSBoostClassifier(gamma=0.2, n_estimators=8, random_state=1)"


def test_metadata_routing_of_sample_weight():
    weight = (Y == "yes").astype(float) + 0.25
    alone = boosted().fit(X, Y, sample_weight=weight)
    with config_context(enable_metadata_routing=True):
        routed = make_pipeline(
            StandardScaler(with_mean=False, with_std=False).set_fit_request(sample_weight=False),
            boosted().set_fit_request(sample_weight=True),
        ).fit(X, Y, sample_weight=weight)
        assert np.array_equal(routed.predict_proba(X), alone.predict_proba(X))
        heavy = boosted().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        weighted = cross_validate(heavy, X, Y, cv=2, params={"sample_weight": weight})
        plain = cross_validate(boosted(), X, Y, cv=2)
        assert len(weighted["test_score"]) == len(plain["test_score"]) == 2
        request = heavy.get_metadata_routing().fit.requests
        assert request["sample_weight"] is True
        assert boosted().set_partial_fit_request(sample_weight=True, classes=True)


@pytest.mark.parametrize(
    "name",
    sorted(
        {*MODELS}
        - {entry.name for entry in catalogue.MODELS if entry.regressors}
        - {"primed-boost", "replay-boosting"}
    ),
)
def test_scikit_learn_classifiers_as_weak_learners_of_every_booster(name):
    model = MODELS[name](SGDClassifier(loss="log_loss"), random_state=1)
    if model_entry(name).sized:
        model.set_params(n_estimators=3)
    rows = X[:, :3] / [1, 5, 1]  # columns of one size: a hundred rows are enough then
    model.partial_fit(rows[:100], Y[:100], classes=["no", "yes"])
    assert model.score(rows, Y) > (0.6 if name == "agnostic-boost" else 0.75)  # which takes small steps


def test_learners_that_meet_new_features_later_keep_to_those_they_know():
    """Dicts may grow; an array-style learner has the width of its first row for ever."""
    model = OnlineBaggingClassifier(GaussianNB(), n_estimators=2, random_state=0)
    for i, (row, label) in enumerate(zip(X[:60].tolist(), Y[:60].tolist(), strict=True)):
        x = dict(zip("ab" if i < 30 else "abcd", row, strict=False))
        model.learn_one(x, label, classes=["no", "yes"] if i == 0 else None)
    assert model.n_features_in_ == 4
    assert model.predict_one({"a": 3.0, "d": 1.0}) == "yes"


def test_every_public_estimator_is_checked_somewhere():
    names = {name for name in streamboost.__all__ if name.endswith(("Classifier", "Regressor"))}
    names -= {entry.class_name for entry in catalogue.REGRESSION_LEARNERS}
    names -= {"StackedClassifier"}  # learns by rows or dicts, as its models do: tests/unit/test_stacked.py
    # Budgets of labels, sets of labels and rewards: tests/laws/test_active.py, test_label_sets.py, test_bandit.py.
    names -= {"ActiveClassifier", "BinaryRelevanceClassifier", "BanditBoostingClassifier"}
    names -= {entry.class_name for entry in catalogue.MULTILABEL}
    listed = {cls.__name__ for cls in {**ALL_MODELS, **BATCH_MODELS}.values()}
    experts = {"HedgeClassifier", "WeightedMajorityClassifier", "WinnowClassifier"}
    assert names == listed | experts
    from conformance.test_sklearn import ESTIMATORS

    assert {type(estimator).__name__ for estimator in ESTIMATORS} == names
