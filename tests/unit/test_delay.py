"""Late labels, metrics and resources of the one loop, with real models, against event-by-event code."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.metrics import log_loss, roc_auc_score

from streamboost import (
    HoeffdingTree,
    NaiveBayes,
    OnlineBaggingClassifier,
    OnlineBaggingRegressor,
    OnlineBoostingClassifier,
    OnlineMBBMClassifier,
    OSBoostClassifier,
    Perceptron,
    StreamBoostClassifier,
    StreamBoostRegressor,
)
from streamboost.evaluate import prequential
from streamboost.streams import DataError

MODELS = {
    "oza": lambda: OnlineBoostingClassifier(NaiveBayes(), n_estimators=4, calibration=None, random_state=3),
    "bagging": lambda: OnlineBaggingClassifier(
        HoeffdingTree(grace_period=20), n_estimators=3, calibration=None, random_state=3
    ),
    "osboost": lambda: OSBoostClassifier(Perceptron(), n_estimators=5, calibration=None, random_state=3),
}


def data(n=160, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] + X[:, 1] * X[:, 2] > 0, "up", "down")


def event_by_event(model, X, y, delay, classes, learn_late):
    """Ask for row t; then the label of row t - delay arrives. Declared classes are known before the first label."""
    answers = []
    for t in range(len(y)):
        part = slice(t, t + 1)
        answers.append(model.test_then_train(X[part], y[part], classes=classes, sample_weight=[0.0])[0])
        if t >= delay:
            model.partial_fit(X[t - delay : t - delay + 1], y[t - delay : t - delay + 1], classes=classes)
    if learn_late:
        model.partial_fit(X[len(y) - min(delay, len(y)) :], y[len(y) - min(delay, len(y)) :], classes=classes)
    return np.array(answers, dtype=object)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("delay", [1, 7, 300])
@pytest.mark.parametrize(("classes", "learn_late"), [(["down", "up"], True), (None, False)])
def test_a_row_is_learned_when_its_label_arrives(name, delay, classes, learn_late):
    X, y = data()
    slow = MODELS[name]()
    answers = event_by_event(slow, X, y, delay, classes, learn_late)
    fast = MODELS[name]()
    options = {"delay": delay, "classes": classes, "learn_late": learn_late, "chunk_size": 33}
    left_out = delay + 1  # before the first label came nothing could be known but the classes
    if left_out > len(y):
        with pytest.raises(DataError, match="none of the 160 rows was answered"):
            prequential(fast, (X, y), **options)
        return
    result = prequential(fast, (X, y), **options, keep_errors=True)
    assert (result.n_rows, result.left_out) == (len(y) - left_out, left_out)
    wrong = np.unpackbits(result.wrong[0], count=result.n_rows).astype(bool)
    np.testing.assert_array_equal(wrong, (answers != y)[left_out:])
    assert result.error == pytest.approx(wrong.mean())
    assert result.delay == delay
    if learn_late or delay < len(y):
        np.testing.assert_array_equal(fast.predict_proba(X), slow.predict_proba(X))


def test_a_model_that_has_learned_is_scored_from_its_first_row_on():
    X, y = data()
    model = MODELS["oza"]().partial_fit(X, y)
    twin = MODELS["oza"]().partial_fit(X, y)
    result = prequential(model, (X, y), delay=20, keep_errors=True)
    assert (result.left_out, result.n_rows) == (0, len(y))
    answers = event_by_event(twin, X, y, 20, None, True)
    np.testing.assert_array_equal(result.row_errors, answers != y)
    assert prequential(model, (X, y), delay=20, orders=2).left_out == 21  # of fresh copies


@pytest.mark.parametrize("classes", [None, ["up", "down"]])
@pytest.mark.parametrize(("name", "delay"), [("oza", 5), ("oza", 50), ("osboost", 50)])
def test_chunks_change_nothing(classes, name, delay):
    X, y = data(80)
    options = {"delay": delay, "metrics": "all", "fading": 0.9, "classes": classes}
    a = prequential(MODELS[name](), (X, y), **options)
    for chunk_size in (1, 20):  # of all 80 at once, before
        b = prequential(MODELS[name](), (X, y), chunk_size=chunk_size, **options)
        assert a.errors == b.errors
        for metric, spans in a.metrics.items():
            for span, series in spans.items():
                np.testing.assert_array_equal(series.curve, b.metrics[metric][span].curve)


def test_classes_stay_declared_until_something_is_learned():
    """The first chunks only ask: a model that must know its classes gets them with the first label that arrives."""
    X, y = data(60)
    make = lambda: OnlineMBBMClassifier(NaiveBayes(), n_estimators=3, random_state=3)  # noqa: E731
    whole = prequential(make(), (X, y), delay=30, classes=["down", "up"])
    assert prequential(make(), (X, y), delay=30, classes=["down", "up"], chunk_size=4).errors == whole.errors


def test_no_delay_is_plain_test_then_train():
    X, y = data()
    one, other = MODELS["oza"](), MODELS["oza"]()
    result = prequential(one, (X, y), delay=0, keep_errors=True)
    wrong = other.test_then_train(X, y) != y
    np.testing.assert_array_equal(np.unpackbits(result.wrong[0], count=len(y)).astype(bool), wrong)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


@pytest.mark.parametrize("form", ["csr", "pandas", "polars"])
def test_every_form_of_data_can_wait(form):
    X, y = data(60)
    make = {
        "csr": scipy.sparse.csr_matrix,
        "pandas": lambda rows: pd.DataFrame(rows, columns=list("abc")),
        "polars": lambda rows: pl.DataFrame(rows, schema=list("abc")),
    }[form]
    expected = prequential(MODELS["osboost"](), (X, y), delay=4, chunk_size=7)
    assert prequential(MODELS["osboost"](), (make(X), y), delay=4, chunk_size=7).errors == expected.errors


def test_probability_metrics_judge_the_very_answers():
    X, y = data(400)
    model, twin = MODELS["oza"](), MODELS["oza"]()
    result = prequential(model, (X, y), classes=["down", "up"], metrics=["auc", "log_loss"], window=50)
    proba = twin.test_then_train(X, y, classes=["down", "up"], output="proba")
    assert result.error == prequential(MODELS["oza"](), (X, y), classes=["down", "up"]).error
    area = result.metrics["auc"]
    assert area["cumulative"].value == pytest.approx(roc_auc_score(y, proba[:, 1]), abs=1e-3)
    assert area["window"].value == pytest.approx(roc_auc_score(y[-50:], proba[-50:, 1]))
    loss = result.metrics["log_loss"]["cumulative"]
    assert loss.value == pytest.approx(log_loss(y, proba))
    assert loss.curve[-1] == loss.value
    assert result.metric_positions[-1] == 400
    assert result.to_dict()["metrics"]["auc"]["window"]["value"] == area["window"].value


def test_labels_found_on_the_way_have_probabilities_too():
    X, y = data(300)
    y = np.where(np.arange(300) > 200, "new", y)
    result = prequential(MODELS["bagging"](), (X, y), metrics="all", chunk_size=64)
    assert np.isfinite([spans["cumulative"].value for spans in result.metrics.values()]).all()


def test_orders_are_averaged():
    X, y = data(120)
    result = prequential(MODELS["oza"](), (X, y), orders=3, metrics="kappa", keep_errors=True)
    kappa = result.metrics["kappa"]["cumulative"]
    assert kappa.finals == pytest.approx(result.kappas)
    assert kappa.value == pytest.approx(result.kappa)
    errors = [np.unpackbits(bits, count=120).mean() for bits in result.wrong]
    assert errors == pytest.approx(result.errors)


def test_time_and_memory_over_the_rows():
    X, y = data(900)
    result = prequential(MODELS["bagging"](), (X, y), chunk_size=1)
    rows, seconds, memory = result.resources.T
    assert rows.size <= 400
    assert (np.diff(rows) > 0).all()
    assert (np.diff(seconds) >= 0).all()
    assert memory.max() <= result.memory_bytes
    assert memory[-1] > memory[0]


def test_nonsense_is_refused():
    class Plain:
        def test_then_train(self, X, y, classes=None):
            return y

    with pytest.raises(ValueError, match="delay must be 0 or more"):
        prequential(MODELS["oza"](), data(), delay=-1)
    with pytest.raises(ValueError, match="sample_weight; Plain's does not"):
        prequential(Plain(), data(), delay=3)
    with pytest.raises(ValueError, match="no metric 'beauty'"):
        prequential(MODELS["oza"](), data(), metrics=["beauty"])


def test_a_model_that_looks_back_should_know_the_delay():
    X, y = np.random.default_rng(1).normal(size=(100, 2)), np.arange(100.0)
    with pytest.warns(UserWarning, match=r"Start it with delay=5\."):
        prequential(StreamBoostRegressor(n_estimators=2, random_state=1), (X, y), delay=5)
    past = {"n_estimators": 2, "companions": ("linear", "history"), "random_state": 1}
    with pytest.warns(
        UserWarning, match=r"StreamBoostClassifier learns .* 0 rows late\. Start it with delay=5\."
    ):
        prequential(StreamBoostClassifier(**past), (X, y % 2), delay=5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = prequential(StreamBoostRegressor(n_estimators=2, delay=5, random_state=1), (X, y), delay=5)
        prequential(StreamBoostClassifier(delay=5, **past), (X, y % 2), delay=5)
        prequential(OnlineBaggingRegressor(n_estimators=2, random_state=1), (X, y), delay=5)
    assert told.left_out == 6


def test_labels_that_never_come_need_no_room():
    X, y = np.zeros((50, 1)), np.arange(50) % 2
    with pytest.raises(DataError, match="none of the 50 rows was answered"):
        prequential(OnlineBaggingClassifier(), (X, y), delay=2**31)
