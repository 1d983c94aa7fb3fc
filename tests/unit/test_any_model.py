"""The one loop with other people's models and data: River, scikit-learn, batch learners on a window, dicts, weights."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from river import datasets, linear_model, preprocessing, stream, tree
from sklearn.base import clone
from sklearn.feature_extraction import FeatureHasher
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, PolynomialFeatures, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from streamboost import NaiveBayes, OnlineBoostingClassifier, OSBoostClassifier
from streamboost.baselines import MajorityClassifier, NoChangeClassifier
from streamboost.evaluate import SlidingWindow, Stepwise, prequential
from streamboost.streams import ArrayStream, DataError


def data(n=120, seed=2, k=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.array(["lo", "hi", "mid"])[(np.abs(X[:, 0] + X[:, 1] * X[:, 2]) * 1.3).astype(int) % k]


def ours(**options):
    return OnlineBoostingClassifier(NaiveBayes(), n_estimators=4, random_state=3, **options)


def wrong_rows(result):
    return np.unpackbits(result.wrong[0], count=result.n_rows).astype(bool)


def sgd():
    return SGDClassifier(loss="log_loss", random_state=0)


def by_hand(X, y, classes):
    """Answer a row, learn it."""
    model, answers = sgd(), []
    for t in range(len(y)):
        answers.append(None if t == 0 else model.predict(X[t : t + 1])[0])
        model.partial_fit(X[t : t + 1], y[t : t + 1], classes=classes)
    return np.array(answers, dtype=object)


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix, pd.DataFrame])
@pytest.mark.parametrize("chunk_size", [1, 50, 1000])
def test_a_scikit_learn_estimator_learns_row_by_row_however_cut(form, chunk_size):
    X, y = data()
    result = prequential(sgd(), (form(X), y), chunk_size=chunk_size, keep_errors=True, metrics=["auc"])
    rows = form(X) if scipy.sparse.issparse(form(X)) else X
    np.testing.assert_array_equal(wrong_rows(result), by_hand(rows, y, ["hi", "lo"]) != y)
    assert result.model_name == "SGDClassifier"
    assert 0 <= result.metrics["auc"]["cumulative"].value <= 1


@pytest.mark.parametrize("chunk_size", [1, 33, 1000])
def test_steps_of_many_rows_do_not_depend_on_chunks(chunk_size):
    X, y = data()
    answers = [None] * 25
    model = sgd()
    for first in range(0, 100, 25):
        model.partial_fit(X[first : first + 25], y[first : first + 25], classes=["hi", "lo"])
        answers += model.predict(X[first + 25 : first + 50]).tolist()
    result = prequential(Stepwise(sgd(), every=25), (X, y), chunk_size=chunk_size, keep_errors=True)
    np.testing.assert_array_equal(wrong_rows(result), np.array(answers[:120], dtype=object) != y)


def test_a_pipeline_whose_steps_learn_in_parts():
    X, y = data()
    scaler, model, answers = StandardScaler(), sgd(), [None]
    for t in range(len(y)):
        if t:
            answers.append(model.predict(Normalizer().transform(scaler.transform(X[t : t + 1])))[0])
        scaler.partial_fit(X[t : t + 1])
        model.partial_fit(
            Normalizer().transform(scaler.transform(X[t : t + 1])), y[t : t + 1], classes=["hi", "lo"]
        )
    pipeline = make_pipeline(StandardScaler(), Normalizer(), sgd())
    result = prequential(pipeline, (X, y), keep_errors=True)
    np.testing.assert_array_equal(wrong_rows(result), np.array(answers, dtype=object) != y)


def test_pipelines_that_cannot():
    with pytest.raises(ValueError, match="PolynomialFeatures of the pipeline cannot learn in parts"):
        prequential(make_pipeline(PolynomialFeatures(), sgd()), data())
    with pytest.raises(ValueError, match=r"last step DecisionTreeClassifier .* Put SlidingWindow around"):
        prequential(make_pipeline(StandardScaler(), DecisionTreeClassifier()), data())


@pytest.mark.parametrize("chunk_size", [1, 33, 1000])
@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_a_window_is_refitted(chunk_size, form):
    X, y = data(k=3)
    answers = [None] * 20
    proba = []
    for end in range(20, 120, 20):
        rows = slice(max(0, end - 50), end)
        model = DecisionTreeClassifier(random_state=0, max_depth=2).fit(X[rows], y[rows])
        answers += model.predict(X[end : end + 20]).tolist()
        found = model.predict_proba(X[end : end + 20])
        labels = model.classes_.tolist()
        proba += [
            p[labels.index(c)] if c in labels else 0.0 for p, c in zip(found, y[end : end + 20], strict=True)
        ]
    held = SlidingWindow(DecisionTreeClassifier(random_state=0, max_depth=2), window=50, every=20)
    names = ["a", "b", "c"]
    frame = X if form is np.asarray else form(dict(zip(names, X.T, strict=True)))
    result = prequential(
        held, (frame, y), chunk_size=chunk_size, keep_errors=True, metrics=["log_loss"], window=100
    )
    np.testing.assert_array_equal(wrong_rows(result), np.array(answers[:120], dtype=object) != y)
    expected = -np.log(np.clip(proba, 2.0**-52, 1)).mean()
    assert result.metrics["log_loss"]["window"].value == pytest.approx(expected)
    assert result.model_name == "SlidingWindow(DecisionTreeClassifier)"


def test_a_window_with_one_label_answers_it():
    X = np.arange(40.0)[:, None]
    y = np.repeat([3, 4], 20)
    held = SlidingWindow(LinearSVC(), window=10, every=10)
    result = prequential(held, (X, y), keep_errors=True, metrics=["kappa"])
    assert wrong_rows(result)[:10].all()
    assert not wrong_rows(result)[10:20].any()
    assert result.labels == (3, 4)
    with pytest.raises(ValueError, match="LinearSVC has no predict_proba"):
        prequential(clone(SlidingWindow(LinearSVC(), every=30)), (X, y), metrics=["auc"])


def test_several_orders_start_afresh():
    X, y = data()
    a = prequential(SlidingWindow(GaussianNB(), window=40, every=10), (X, y), orders=2, seed=1)
    b = prequential(SlidingWindow(GaussianNB(), window=40, every=10), (X, y), orders=2, seed=1, chunk_size=7)
    assert a.errors == b.errors
    assert len(set(a.errors)) == 2
    river = linear_model.LogisticRegression()
    result = prequential(river, (X, y == "hi"), orders=2, seed=1)
    assert not river._weights
    assert len(result.errors) == 2


def river_by_hand(model, pairs):
    wrong = []
    for x, y in pairs:
        wrong.append(model.predict_one(x) != y)
        model.learn_one(x, y)
    return wrong


def phishing():
    return preprocessing.StandardScaler() | linear_model.LogisticRegression()


def test_a_river_model_on_a_river_dataset():
    expected = river_by_hand(phishing(), datasets.Phishing())
    result = prequential(phishing(), datasets.Phishing(), keep_errors=True, metrics=["auc", "recall"])
    np.testing.assert_array_equal(wrong_rows(result), expected)
    assert result.metrics["auc"]["cumulative"].value > 0.9
    assert result.positive is True
    assert result.data_name == "Phishing"
    # An iterator can be read once, and that is enough.
    again = prequential(phishing(), iter(datasets.Phishing()), chunk_size=100)
    assert again.error == result.error


def test_a_river_model_on_arrays_and_frames():
    X, y = data()
    expected = river_by_hand(tree.HoeffdingTreeClassifier(grace_period=20), list(stream.iter_array(X, y)))
    for form in (X, scipy.sparse.csr_matrix(X), pd.DataFrame(X)):
        result = prequential(tree.HoeffdingTreeClassifier(grace_period=20), (form, y), keep_errors=True)
        np.testing.assert_array_equal(wrong_rows(result), expected)
    named = prequential(
        linear_model.LogisticRegression(), ArrayStream(X, y == "hi", feature_names=list("abc"))
    )
    assert set(named.model._weights) == set("abc")
    assert result.memory_bytes > 0


def test_missing_values_are_absent_keys():
    seen = []

    class Note:
        def predict_one(self, x):
            return 0

        def learn_one(self, x, y):
            seen.append(x)

        _raw_memory_usage = 0

    prequential(Note(), (np.array([[1.0, math.nan], [2.0, 3.0]]), [0, 0]))
    assert seen == [{0: 1.0}, {0: 2.0, 1: 3.0}]


@pytest.mark.parametrize("classes", [None, ["hi", "lo"]])
def test_our_models_on_dicts_are_our_models_on_rows(classes):
    X, y = data()
    expected = prequential(
        ours(), (pd.DataFrame(X, columns=list("abc")), y), keep_errors=True, classes=classes, metrics="all"
    )
    dicts = [dict(zip("abc", row, strict=True)) for row in X.tolist()]
    for form in ((dicts, y), list(zip(dicts, y.tolist(), strict=True)), zip(dicts, y.tolist(), strict=True)):
        result = prequential(ours(), form, keep_errors=True, classes=classes, chunk_size=17, metrics="all")
        np.testing.assert_array_equal(wrong_rows(result), wrong_rows(expected))
        if classes is not None:
            continue  # a model that knows its labels answers the very first row; a dict has to be learned first
        for name, spans in expected.metrics.items():
            assert result.metrics[name]["window"].value == spans["window"].value, name


def test_dicts_in_several_orders_and_late():
    X, y = data()
    dicts = [dict(zip("abc", row, strict=True)) for row in X.tolist()]
    frame = pd.DataFrame(X, columns=list("abc"))
    for options in (
        {"orders": 2, "seed": 4},
        {"delay": 7},
        {"limit": 50},
        {"orders": 2, "seed": 4, "limit": 50},
    ):
        assert (
            prequential(ours(), (dicts, y), **options).errors
            == prequential(ours(), (frame, y), **options).errors
        )


def test_lists_of_dicts_for_scikit_learn():
    X, y = data()
    dicts = [dict(zip("abc", row, strict=True)) for row in X.tolist()]
    result = prequential(make_pipeline(FeatureHasher(16), sgd()), (dicts, y))
    assert 0 < result.error < 1


@pytest.mark.parametrize("model", [ours, sgd, lambda: SlidingWindow(GaussianNB(), window=40, every=10)])
def test_a_row_of_weight_0_is_answered_and_not_learned(model):
    X, y = data()
    weight = np.tile([1.0, 0.0], 60)
    half = prequential(model(), (X[::2], y[::2]), keep_errors=True, classes=["hi", "lo"])
    result = prequential(
        model(), (X, y), sample_weight=weight, keep_errors=True, classes=["hi", "lo"], chunk_size=7
    )
    np.testing.assert_array_equal(wrong_rows(result)[::2], wrong_rows(half))


@pytest.mark.parametrize(
    "model", [sgd, linear_model.LogisticRegression, MajorityClassifier, NoChangeClassifier]
)
def test_late_labels_for_every_kind_of_model(model):
    X, y = data()
    y = y == "hi"
    plain = prequential(model(), (X, y), keep_errors=True, delay=0)
    late = prequential(model(), (X, y), keep_errors=True, delay=10, chunk_size=13)
    whole = prequential(model(), (X, y), keep_errors=True, delay=10)
    assert late.errors == whole.errors
    assert wrong_rows(late).sum() != wrong_rows(plain).sum()


def test_weights_reach_the_estimator():
    X, y = data()
    weight = np.linspace(0.5, 2, 120)
    noted = []

    class Noted(SGDClassifier):
        def partial_fit(self, X, y, classes=None, sample_weight=None):
            noted.append(float(sample_weight[0]))
            return super().partial_fit(X, y, classes, sample_weight)

    prequential(Noted(random_state=0), (X, y), sample_weight=weight)
    np.testing.assert_array_equal(noted, weight)
    river = prequential(linear_model.LogisticRegression(), (X, y == "hi"), sample_weight=weight)
    plain = prequential(linear_model.LogisticRegression(), (X, y == "hi"))
    assert river.model._weights != plain.model._weights
    a = prequential(ours(), (X, y), sample_weight=weight).model
    b = ours()
    b.test_then_train(X, y, sample_weight=weight)
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(X))


def test_the_baselines():
    y = np.array(["b", "a", "a", "b", "b", "b", "c", "b"])
    X = np.zeros((8, 1))
    for size in (1, 3, 100):
        majority = prequential(MajorityClassifier(), (X, y), chunk_size=size, keep_errors=True)
        assert wrong_rows(majority).tolist() == [True, True, True, True, False, False, True, False]
        same = prequential(NoChangeClassifier(), (X, y), chunk_size=size, keep_errors=True, metrics="all")
        assert wrong_rows(same).tolist() == [True, True, False, True, False, False, True, True]
        assert same.metrics["kappa_temporal"]["cumulative"].value == pytest.approx(0.0)
    assert MajorityClassifier().fit(X, y).predict(X[:2]).tolist() == ["b", "b"]


@pytest.mark.parametrize(
    ("model", "rows", "options", "error", "message"),
    [
        (DecisionTreeClassifier(), data(), {}, TypeError, "Put SlidingWindow around it"),
        (SGDClassifier, data(), {}, TypeError, "is a class"),
        (object(), data(), {}, TypeError, "none of test_then_train"),
        (sgd(), zip([{"a": 1}], [2], strict=True), {}, DataError, "can be read only once; pass classes"),
        (phishing(), [({"a": 1}, True), ("a", 1)], {}, DataError, "row 2 is no pair"),
        (phishing(), ([{"a": 1}], [1, 2]), {}, DataError, "X has 1 rows but y has 2"),
        (ours(), data(), {"sample_weight": [1.0]}, DataError, "sample_weight has shape"),
        (sgd(), data(), {"sample_weight": np.full(120, -1.0)}, ValueError, "not negative"),
        (sgd(), data(), {"positive": "top"}, ValueError, "positive='top' is no label"),
        (ours(), np.zeros((3, 3)), {}, DataError, "stream or a pair"),
        (ours(), pd.DataFrame({"a": [1]}), {}, DataError, "stream or a pair"),
    ],
)
def test_what_cannot_be_done_is_said(model, rows, options, error, message):
    with pytest.raises(error, match=message):
        prequential(model, rows, **options)


@pytest.mark.parametrize("options", [{"every": 0}, {"window": 0}])
def test_windows_need_rows(options):
    with pytest.raises(ValueError, match="at least 1"):
        SlidingWindow(GaussianNB(), **options)
    with pytest.raises(TypeError, match="no classifier"):
        SlidingWindow(StandardScaler())


def test_results_speak_briefly_and_become_frames():
    X, y = data(400)
    model = OSBoostClassifier(NaiveBayes(), n_estimators=12, random_state=1)
    result = prequential(model, ArrayStream(X, y, name="toy"), metrics=["auc", "f1"], window=50, fading=0.9)
    assert repr(result).startswith("<OSBoostClassifier on toy: 400 rows, error 0.")
    assert len(repr(result)) < 200
    html = result._repr_html_()
    assert "last 50 rows" in html
    assert "fading" in html
    assert f"{result.metrics['f1']['window'].value:.4f}" in html
    frame = result.to_frame()
    assert list(frame.columns[:3]) == ["rows", "error", "error_window"]
    assert {"auc", "auc_window", "auc_fading", "f1"} <= set(frame.columns)
    assert frame["error"].iloc[-1] == result.error
    assert frame["f1"].iloc[-1] == result.metrics["f1"]["cumulative"].value
    report = model.report()
    assert len(repr(report)) < 200
    assert len(report.to_frame()) == 12
    assert "2 more learners" in report._repr_html_()
    assert "&lt;" in prequential(ours(), (X, y), name="<b>")._repr_html_()
