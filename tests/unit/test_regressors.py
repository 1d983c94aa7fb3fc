"""Regressors: what they refuse, how they answer, scikit-learn's own checks, files, learners of others."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDRegressor
from sklearn.utils.estimator_checks import check_estimator

import streamboost
from streamboost import (
    AdaptiveRandomForestRegressor,
    HoeffdingTreeRegressor,
    LinearRegression,
    NaiveBayes,
    OnlineBaggingClassifier,
    OnlineBaggingRegressor,
    OnlineGradientBoostingRegressor,
    SingleLearnerRegressor,
    StreamBoostRegressor,
    catalogue,
)
from streamboost.checks import expected_failed_checks
from tests.catalogue import state_bytes

X = np.random.default_rng(0).normal(size=(300, 3))
Y = X @ [1.0, -2.0, 0.5] + 7
REGRESSORS = [getattr(streamboost, entry.class_name) for entry in catalogue.REGRESSORS]


def small(cls):
    return cls(n_estimators=5) if "n_estimators" in cls().get_params() else cls()


@pytest.mark.parametrize("cls", REGRESSORS)
@pytest.mark.parametrize(
    ("y", "words"),
    [
        (["a"] * 3, r"y must hold numbers, but it holds 'a'.*SomeRegressor predicts numbers"),
        ([1.0, "b", 2.0], r"y must hold numbers"),
        (np.array([1.0, "b", 2.0], dtype=object), r"row 1 holds 'b'"),
        ([1.0, np.inf, 2.0], r"infinity \(row 1\)"),
        ([1.0, 2.0, 1e300], r"y contains 1e\+300 \(row 2\); targets must lie between -1e\+100 and 1e\+100"),
        ([1.0, 2.0], r"inconsistent numbers of samples: \[3, 2\]"),
        (None, r"the target y is None"),
        ([1 + 2j, 1, 2], r"Complex data not supported"),
    ],
    ids=str,
)
def test_targets_that_are_none_are_refused_and_nothing_is_learned(cls, y, words):
    model = small(cls).fit(X, Y)
    before = state_bytes(model)
    for verb in (model.partial_fit, model.test_then_train, model.fit):
        with pytest.raises(ValueError, match=words.replace("SomeRegressor", cls.__name__)):
            verb(X[:3], y)
    assert state_bytes(model) == before
    with pytest.raises(ValueError, match="must hold numbers"):
        model.learn_one(dict(enumerate(X[0])), "seven")


@pytest.mark.parametrize("cls", REGRESSORS)
@pytest.mark.parametrize("missing", [None, np.nan])
def test_rows_without_a_target_are_answered_and_not_learned(cls, missing):
    y = [1.0, missing, 2.0]
    model = small(cls).set_params(random_state=3).fit(X, Y)
    with pytest.raises(ValueError, match="the target of row 1 is missing"):
        model.fit(X[:3], y)
    with pytest.warns(UserWarning, match="Rows without a label .* 1 of 3"):
        answers = model.test_then_train(X[:3], y)
    model.learn_one(dict(enumerate(X[0])), missing)
    plain = small(cls).set_params(random_state=3).fit(X, Y)
    assert answers.tolist() == plain.test_then_train(X[:3], [1.0, 7.0, 2.0], sample_weight=[1, 0, 1]).tolist()
    assert state_bytes(model) == state_bytes(plain)


@pytest.mark.parametrize("cls", REGRESSORS)
def test_constant_targets(cls):
    model = small(cls)
    answers = model.test_then_train(X, np.full(len(X), 3.25))
    assert np.isnan(answers[0])
    assert np.allclose(answers[1:], 3.25, rtol=1e-12)
    assert model.predict_one({0: 1.0, 1: 2.0, 2: 3.0}) == pytest.approx(3.25)


@pytest.mark.parametrize("cls", REGRESSORS)
def test_targets_of_any_size_are_followed(cls):
    ordinary, huge = small(cls).set_params(random_state=1), small(cls).set_params(random_state=1)
    a, b = ordinary.test_then_train(X, Y), huge.test_then_train(X, Y * 2.0**300)
    assert np.isfinite(b[1:]).all()
    assert np.allclose(a[1:], b[1:] / 2.0**300, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("cls", REGRESSORS)
def test_before_the_first_target(cls):
    model = small(cls)
    assert model.predict_one({"a": 1.0}) == 0.0
    with pytest.raises(NotFittedError, match="not fitted yet: no target"):
        model.predict(X)
    assert np.isnan(model.test_then_train(X[:1], Y[:1])).all()
    assert model.test_then_train(X[:0], Y[:0]).shape == (0,)
    assert not hasattr(model, "classes_")


def test_learners_of_the_other_kind_are_refused():
    with pytest.raises(
        TypeError,
        match=r"NaiveBayes\(\) is a classifier, but OnlineBaggingRegressor is a regressor.*LinearRegression",
    ):
        OnlineBaggingRegressor(NaiveBayes()).fit(X, Y)
    with pytest.raises(
        TypeError,
        match=r"LinearRegression\(\) is a regressor, but OnlineBaggingClassifier is a classifier.*NaiveBayes",
    ):
        OnlineBaggingClassifier(LinearRegression()).fit(X, Y > 7)
    with pytest.raises(TypeError, match="is a classifier, but"):
        SingleLearnerRegressor(SklearnPerceptron()).fit(X, Y)
    with pytest.raises(TypeError, match="is a regressor, but"):
        OnlineBaggingClassifier(SGDRegressor(), n_estimators=2).fit(X, Y > 7)
    with pytest.raises(TypeError, match="is a class"):
        SingleLearnerRegressor(LinearRegression).fit(X, Y)


def test_learners_of_others():
    river = pytest.importorskip("river")
    from river import linear_model, tree

    with pytest.raises(TypeError, match="is a classifier, but"):
        SingleLearnerRegressor(tree.HoeffdingTreeClassifier()).fit(X, Y)
    for learner in (SGDRegressor(), linear_model.LinearRegression(), tree.HoeffdingTreeRegressor()):
        model = OnlineBaggingRegressor(learner, n_estimators=3, random_state=1)
        answers = model.test_then_train(X, Y)
        assert np.abs(answers - Y)[200:].mean() < np.abs(answers - Y)[2:50].mean()
        again = OnlineBaggingRegressor(learner, n_estimators=3, random_state=1)
        parts = [again.test_then_train(X[a:b], Y[a:b]) for a, b in ((0, 1), (1, 50), (50, 300))]
        assert np.concatenate(parts).tobytes() == answers.tobytes()
        import pickle

        assert pickle.loads(pickle.dumps(model)).predict(X).tobytes() == model.predict(X).tobytes()
    assert river


def test_a_black_box_lane_is_the_learner_itself():
    alone = SGDRegressor(random_state=0)
    model = SingleLearnerRegressor(SGDRegressor(random_state=0), random_state=3)
    answers = model.test_then_train(X, Y)
    from streamboost.base.random import draw_seed, lane_seed

    alone.set_params(random_state=lane_seed(draw_seed(3), 0))
    for x, y, answer in zip(X, Y, answers, strict=True):
        if hasattr(alone, "coef_"):
            assert answer == alone.predict([x])[0]
        alone.partial_fit([x], [y])


@pytest.mark.parametrize("cls", REGRESSORS)
def test_check_estimator(cls):
    estimator = small(cls)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(
            estimator, expected_failed_checks=expected_failed_checks(estimator), on_fail=None, on_skip=None
        )
    failed = {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}
    assert not failed
    assert len(results) >= 45


def test_score_is_r2_and_a_forest_bends():
    rng = np.random.default_rng(3)
    Z = rng.uniform(size=(4000, 5))
    target = 10 * np.sin(np.pi * Z[:, 0] * Z[:, 1]) + 5 * Z[:, 2]
    linear = SingleLearnerRegressor(LinearRegression()).fit(Z, target).score(Z, target)
    tree = SingleLearnerRegressor(HoeffdingTreeRegressor()).fit(Z, target).score(Z, target)
    forest = AdaptiveRandomForestRegressor(n_estimators=10, random_state=1).fit(Z, target).score(Z, target)
    both = StreamBoostRegressor(n_estimators=10, random_state=1).fit(Z, target).score(Z, target)
    assert 0.5 < linear < tree < forest < 1
    assert both > 0.98 * forest


def test_companions():
    rng = np.random.default_rng(3)
    Z = rng.uniform(size=(5000, 5))
    target = 10 * np.sin(np.pi * Z[:, 0] * Z[:, 1]) + 20 * (Z[:, 2] - 0.5) ** 2 + rng.normal(size=5000)
    error = {}
    for companions in ((), ("linear",), ("linear", "boosted")):
        model = StreamBoostRegressor(n_estimators=5, random_state=1, companions=companions)
        error[companions] = np.abs(model.test_then_train(Z, target) - target)[3000:].mean()
        names = {key for key in model.report().totals if key.startswith("pool_weight/")}
        assert len(names) == (0, 2, 3)[len(companions)]
    assert error["linear", "boosted"] < 0.97 * error["linear",]  # where a concept lasts
    forest = AdaptiveRandomForestRegressor(n_estimators=5, random_state=1).test_then_train(Z, target)
    assert error[()] == np.abs(forest - target)[3000:].mean()
    for wrong, words in ((("quadratic",), "choose from"), (("linear", "linear"), "twice")):
        with pytest.raises(ValueError, match=words):
            StreamBoostRegressor(companions=wrong).fit(Z, target)


def test_losses_are_what_they_say():
    rng = np.random.default_rng(3)
    Z = rng.normal(size=(6000, 2))
    noise = rng.exponential(size=6000) - np.log(2)  # its median is 0, its mean is not
    target = 3 * Z[:, 0] - Z[:, 1] + noise

    def shares(**options):
        model = OnlineGradientBoostingRegressor(LinearRegression(), n_estimators=20, **options)
        answers = model.test_then_train(Z, target)
        return float((target > answers)[2000:].mean())

    assert shares(loss="absolute") == pytest.approx(0.5, abs=0.06)
    assert shares(loss="quantile", quantile=0.9) == pytest.approx(0.1, abs=0.05)
    assert shares(loss="squared") == pytest.approx(float((noise > noise.mean()).mean()), abs=0.04)
    assert shares(loss="huber", delta=0.5) == pytest.approx(0.43, abs=0.07)


def test_a_forest_replaces_its_trees_after_a_drift():
    rng = np.random.default_rng(3)
    Z = rng.uniform(size=(6000, 4))
    target = np.where(np.arange(6000) < 3000, 10 * Z[:, 0], 10 * Z[:, 1] - 20)
    model = AdaptiveRandomForestRegressor(n_estimators=5, random_state=1)
    model.partial_fit(Z[:3000], target[:3000])
    assert model.report().lanes["drifts"].sum() <= 1
    answers = model.test_then_train(Z[3000:], target[3000:])
    report = model.report()
    assert (report.lanes["drifts"] >= 1).all()
    assert np.abs(answers - target[3000:])[1500:].mean() < 0.3
