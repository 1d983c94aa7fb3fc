"""Rows without labels: ignored, or taken in for the scales and the vocabulary of the columns. The laws, and an oracle."""

import pickle
import warnings

import numpy as np
import pytest
from oracle import linear, logistic
from oracle.osboost import OSBoost

import streamboost as sb
from streamboost.distributed import Shards
from streamboost.evaluate import prequential
from tests import catalogue

MANY_LEARNERS = ("single", "single-regressor", "bagging", "osboost")
ALL = [
    pytest.param(entry, of, id=f"{entry.name}-{of.name}" if of else entry.name)
    for entry in catalogue.FILED
    if "unlabeled" in getattr(sb, entry.class_name)().get_params()
    for of in (catalogue.learners_of(entry) if entry.name in MANY_LEARNERS else [None])
]


def unlabelled_rows(entry, of, n=90, seed=5):
    """Half of the rows have lost their labels, most of them in the beginning; the first has its own."""
    rng = np.random.default_rng(seed)
    found = catalogue.rows(entry, of, rng, n)
    lost = rng.random(n) < np.linspace(0.8, 0.2, n)
    lost[0] = False
    if entry.task == "regression":
        found.y = np.where(lost, np.nan, found.y)
    else:
        y = found.y.astype(object)
        y[lost] = None
        found.y = y
    found.weight[~lost & (found.weight == 0)] = 1.0
    return found, lost


def make(entry, of, found, unlabeled, **more):
    learner = None if of is None else catalogue.learner(of)
    return catalogue.model(
        entry, learner, unlabeled=unlabeled, categorical_features=found.categorical, **more
    )


@pytest.fixture(autouse=True)
def no_advice():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize(("entry", "of"), ALL)
def test_the_laws(entry, of):
    found, lost = unlabelled_rows(entry, of)
    whole = make(entry, of, found, "statistics")
    answers = whole.test_then_train(**found.lesson())
    for cut, stops, jobs in ((1, True, None), (7, False, None), (90, False, 3)):
        parts, said = make(entry, of, found, "statistics", n_jobs=jobs), []
        for first in range(0, len(found), cut):
            said.append(parts.test_then_train(**found.lesson(slice(first, first + cut))))
            if stops and first % 10 == 0:
                asked = parts.predict(found.X[:3])
                parts = pickle.loads(pickle.dumps(parts))
                np.testing.assert_array_equal(parts.predict(found.X[:3]), asked)
        np.testing.assert_array_equal(np.concatenate(said), answers)
        assert catalogue.state(parts) == catalogue.state(whole)
    assert whole.n_learned_ == int((~lost).sum())


@pytest.mark.parametrize(("entry", "of"), ALL)
def test_ignored_rows_leave_no_trace(entry, of):
    found, lost = unlabelled_rows(entry, of)
    model, other = (make(entry, of, found, "ignore") for _ in range(2))
    model.partial_fit(**found.lesson())
    labelled = np.flatnonzero(~lost)
    found.y = found.y.astype(float if entry.task == "regression" else object)
    other.partial_fit(**found.lesson(labelled))
    assert catalogue.state(model) == catalogue.state(other)


@pytest.mark.parametrize("verb", ["partial_fit", "test_then_train"])
@pytest.mark.parametrize("scale", ["maxabs", "standard"])
def test_scales_are_those_of_all_rows(scale, verb):
    """An oracle that keeps every number it has seen; labels come for every other row, and nominal values in between."""
    rng = np.random.default_rng(2)
    X = np.column_stack(
        [rng.normal(2, 5, 80), rng.exponential(3, 80), np.floor(rng.random(80) * np.linspace(1, 5, 80))]
    )
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) > 2).astype(object)
    y[1::2] = None
    y[0] = None  # before the first label nothing begins
    model = sb.OSBoostClassifier(
        sb.OGD(scale=scale),
        n_estimators=4,
        categorical_features=[2],
        unlabeled="statistics",
        calibration=None,
        random_state=3,
    )
    oracle = OSBoost(lambda *of: linear.OGD(*of), 4, 3, width=3, n_classes=2, nominal=[2], scale=scale)
    check(model, oracle, X, y, verb)


@pytest.mark.parametrize("verb", ["partial_fit", "test_then_train"])
def test_the_scaling_of_logistic_regression(verb):
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.normal(2, 5, 120), rng.random(120) < 0.3, rng.standard_cauchy(120)])
    y = (X[:, 0] > 2).astype(object)
    y[rng.random(120) < 0.6] = None
    model = sb.OSBoostClassifier(
        sb.LogisticRegression(), n_estimators=3, unlabeled="statistics", calibration=None, random_state=3
    )
    oracle = OSBoost(lambda *of: logistic.Adaptive(*of), 3, 3, width=3, n_classes=2, scale="auto")
    check(model, oracle, X, y, verb)


def check(model, oracle, X, y, verb):
    begun = False
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        if begun:
            said = oracle.answer(x)
            if not said.close:
                np.testing.assert_allclose(
                    model.predict_proba(x[None])[0], said.proba, rtol=1e-9, err_msg=f"row {t}"
                )
        getattr(model, verb)(x[None], np.array([label], dtype=object), classes=[0, 1])
        if label is not None:
            oracle.learn(x, int(label))
            begun = True
        elif begun:
            oracle.columns.see(x)
    assert begun


def test_sparse_rows_count_as_zeros():
    """Of CSR rows "standard" divides by the deviation, absent values being 0: also those of rows without labels."""
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(6)
    X = rng.normal(size=(60, 4)) * (rng.random((60, 4)) < 0.4)
    y = (X[:, 0] > 0).astype(object)
    y[3:30] = None
    whole, parts = (
        sb.SingleLearnerClassifier(sb.OGD(scale="standard"), unlabeled="statistics", random_state=1)
        for _ in range(2)
    )
    whole.partial_fit(csr_matrix(X), y, classes=[0, 1])
    for t in range(60):
        parts.partial_fit(csr_matrix(X[t : t + 1]), y[t : t + 1], classes=[0, 1])
    assert catalogue.state(whole) == catalogue.state(parts)
    assert int(catalogue.arrays(whole)["intake/n_unlabeled"]) == 27
    column = catalogue.arrays(whole)
    last = int(np.flatnonzero(X[:, 0])[-1]) + 1  # a column is brought up to date when it occurs
    assert column["intake/weight"][0] == last
    assert column["intake/spread"][0] == pytest.approx(last * X[:last, 0].var())


def test_columns_and_categories_of_dicts():
    model = sb.OnlineBaggingClassifier(n_estimators=3, unlabeled="statistics", random_state=1)
    model.learn_one({"a": None, "job": "clerk"}, None)  # nobody knows a label yet: nothing begins
    assert not model.started
    model.learn_one({"a": 1.0}, "yes")
    model.learn_one({"a": 2.0, "job": "cook", "b": 1.0}, None)
    assert model.feature_names_in_.tolist() == ["a", "job", "b"]
    assert model.n_learned_ == 1
    ignoring = sb.OnlineBaggingClassifier(n_estimators=3, random_state=1)
    ignoring.learn_one({"a": 1.0}, "yes")
    with pytest.warns(UserWarning, match="Rows without a label"):
        ignoring.learn_one({"a": 2.0, "job": "cook", "b": 1.0}, None)
    assert ignoring.feature_names_in_.tolist() == ["a"]


def test_a_refused_row_leaves_nothing():
    model = sb.OSBoostClassifier(
        sb.LogisticRegression(), n_estimators=3, unlabeled="statistics", random_state=1
    )
    model.partial_fit([[1.0, 2.0], [3.0, 4.0]], [0, 1])
    before = catalogue.state(model)
    with pytest.raises(ValueError, match="inf"):
        model.partial_fit([[1.0, 5.0], [np.inf, 1.0]], [None, None])
    assert catalogue.state(model) == before


def test_shards_say_that_they_do_not_take_it(tmp_path):
    with pytest.raises(ValueError, match="unlabeled"):
        Shards(sb.OSBoostClassifier(unlabeled="statistics"), n=2, folder=tmp_path)


def test_evaluation_shows_them_to_the_model():
    """Rows without labels are no part of the figures; one who asks for their statistics sees them in their places."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(300, 3)) * [1, 10, 100]
    y = (X @ [1, 0.1, 0.01] > 0).astype(object)
    y[rng.random(300) < 0.7] = None
    y[0] = True
    y[200:] = None  # whole chunks of them
    for unlabeled in ("ignore", "statistics"):
        alone, judged = (
            sb.OSBoostClassifier(sb.LogisticRegression(), n_estimators=3, unlabeled=unlabeled, random_state=1)
            for _ in range(2)
        )
        result = prequential(judged, (X, y), classes=[False, True], chunk_size=32)
        labelled = np.array([label is not None for label in y])
        answers = alone.test_then_train(X, y, classes=[False, True])
        assert result.error == pytest.approx(np.mean(answers[labelled] != y[labelled].astype(bool)))
        assert catalogue.state(judged) == catalogue.state(alone)
