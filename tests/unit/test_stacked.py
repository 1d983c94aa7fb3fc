"""Several models and one answer: the pools in their closed forms, against the core's, and models of other libraries."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB

import streamboost as sb
from streamboost import StackedClassifier
from streamboost.evaluate import prequential
from streamboost.stacking.pools import FLOOR, Bayes, Hedge, LogPool
from streamboost.streams import ArrayStream

COMBINE = ["log-pool", "hedge", "bayes"]


def rows(n: int = 600, k: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 4))
    return X, (X[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(int) + (k > 2) * (X[:, 1] > 1)


def stacked(**params):
    forest = sb.OnlineBaggingClassifier(sb.HoeffdingTree(), n_estimators=5, random_state=1)
    return StackedClassifier([forest, ("linear", SGDClassifier(loss="log_loss", random_state=1))], **params)


def test_the_pool_of_the_default_model():
    """The forest alone and its companions, put together outside, answer as the core's pool does."""
    X, y = rows(800)
    parts = [
        sb.StreamBoostClassifier(n_estimators=6, companions=(), random_state=1),
        *(("slow", sb.SingleLearnerClassifier(sb.LogisticRegression(learning_rate=1.0), calibration=None)),),
        *(("quick", sb.SingleLearnerClassifier(sb.LogisticRegression(learning_rate=4.0), calibration=None)),),
        (
            "bayes",
            sb.SingleLearnerClassifier(sb.NaiveBayes(), drift="adwin", background=False, calibration=None),
        ),
        ("near", sb.SingleLearnerClassifier(sb.NearestNeighbors(), calibration=None)),
    ]
    ours = StackedClassifier(parts)
    core = sb.StreamBoostClassifier(
        n_estimators=6, companions=("linear", "naive-bayes", "neighbors"), random_state=1
    )
    _, outside = ours.test_then_train(X, y, classes=[0, 1, 2], output="both")
    _, inside = core.test_then_train(X, y, classes=[0, 1, 2], output="both")
    np.testing.assert_allclose(outside, inside, atol=1e-9)
    totals = core.report().totals
    weights = [value for name, value in totals.items() if name.startswith("pool_weight/")]
    assert sorted(ours.weights_.values()) == pytest.approx(sorted(weights), abs=1e-9)


def test_closed_forms():
    p = np.array([[0.9, 0.1], [0.2, 0.8]])
    hedge, bayes, pool = Hedge(2, 100.0), Bayes(2, 100.0), LogPool(2, 100.0)
    np.testing.assert_allclose(hedge.answer(p), [0.55, 0.45])
    hedge.learn(p, 0, 2.0)
    rate = np.sqrt(8 * np.log(2) / 100)
    assert hedge.weights[0] / hedge.weights[1] == pytest.approx(np.exp(rate * 2 * 0.7))
    bayes.learn(p, 0, 1.0)
    assert bayes.weights[0] / bayes.weights[1] == pytest.approx(0.9 / 0.2)
    bayes.learn(p, 1, 1.0)
    assert bayes.weights[0] / bayes.weights[1] == pytest.approx((0.9 / 0.2) ** 0.99 * 0.1 / 0.8)
    bayes.learn(np.array([[1.0, 0.0], [0.5, 0.5]]), 1, 1.0)
    assert -np.log(FLOOR) <= bayes.loss[0] < np.inf
    # Models that agree: their answer to the power of the sum of the weights.
    same = np.array([[0.7, 0.3], [0.7, 0.3]])
    power = np.array([0.7, 0.3]) ** pool.weights.sum()
    np.testing.assert_allclose(pool.answer(same), power / power.sum())
    uniform = np.array([[0.9, 0.1], [0.5, 0.5]])
    before = pool.weights[1]
    pool.learn(uniform, 0, 1.0)
    assert pool.weights[1] == before  # one that says nothing keeps its weight


@pytest.mark.parametrize("combine", COMBINE)
def test_any_chunking_gives_the_same(combine):
    X, y = rows(120)
    whole, parts = stacked(combine=combine), stacked(combine=combine)
    _, at_once = whole.test_then_train(X, y, classes=[0, 1, 2], output="both")
    cut = [0, 1, 2, 50, 73, 120]
    pieces = [
        parts.test_then_train(X[a:b], y[a:b], classes=[0, 1, 2] if a == 0 else None, output="both")[1]
        for a, b in itertools.pairwise(cut)
    ]
    assert np.array_equal(at_once, np.concatenate(pieces), equal_nan=True)


@pytest.mark.parametrize("combine", COMBINE)
def test_predict_is_pure_and_weight_zero_teaches_nothing(combine):
    X, y = rows(120)
    model = stacked(combine=combine).partial_fit(X[:80], y[:80], classes=[0, 1, 2])
    before = pickle.dumps(model.weights_), model.predict_proba(X[80:])
    asked = model.test_then_train(X[80:], y[80:], sample_weight=np.zeros(40), output="proba")
    assert np.array_equal(asked, before[1])
    assert np.array_equal(model.predict_proba(X[80:]), before[1])
    assert pickle.dumps(model.weights_) == before[0]
    np.testing.assert_allclose(before[1].sum(axis=1), 1)
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        twin.partial_fit(X[80:], y[80:])
    went_on = model.partial_fit(X[80:], y[80:])
    assert np.array_equal(went_on.predict_proba(X), twin.predict_proba(X))


def test_it_leans_on_the_one_that_is_right():
    X, y = rows(1500, k=2)
    good, bad = (
        sb.SingleLearnerClassifier(sb.LogisticRegression()),
        sb.SingleLearnerClassifier(sb.DecisionStump()),
    )
    for combine in COMBINE:
        result = prequential(StackedClassifier([("bad", bad), ("good", good)], combine=combine), (X, y))
        weights = result.model.weights_
        assert weights["good"] > weights["bad"]
        alone = prequential(sb.SingleLearnerClassifier(sb.LogisticRegression()), (X, y)).error
        assert result.error <= alone + 0.02


def test_new_labels_come_midway():
    X, y = rows()
    models = [
        sb.StreamBoostClassifier(n_estimators=3, random_state=1),
        sb.OnlineBaggingClassifier(n_estimators=3, random_state=1),
    ]
    model = StackedClassifier(models)
    answers, proba = model.test_then_train(X, y, output="both")
    assert answers[0] is None
    assert np.isnan(proba[0]).all()
    assert model.classes_.tolist() == [0, 1, 2]
    assert proba[1:].sum(axis=1) == pytest.approx(1)
    assert np.mean(answers[300:] == y[300:]) > 0.7


def test_dicts_and_other_libraries():
    river = pytest.importorskip("river.naive_bayes")
    X, y = rows(200, k=2)
    model = StackedClassifier(
        [("ours", sb.OnlineBaggingClassifier(n_estimators=3, random_state=1)), ("theirs", river.GaussianNB())]
    )
    assert model.predict_one({"a": 1.0}) is None
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        model.learn_one(dict(zip("abcd", x, strict=True)), label)
    asked = dict(zip("abcd", X[0].tolist(), strict=True))
    assert model.predict_one(asked) == max(
        model.predict_proba_one(asked), key=model.predict_proba_one(asked).get
    )
    arrays = prequential(
        StackedClassifier([river.GaussianNB(), sb.OnlineBaggingClassifier(n_estimators=3)]), (X, y)
    )
    assert arrays.error < 0.3


def test_clone_and_parameters():
    model = clone(stacked(combine="bayes", window=50.0))
    assert model.combine == "bayes"
    assert model.get_params()["window"] == 50.0
    X, y = rows()
    assert model.fit(X, y).score(X, y) > 0.7
    assert model.fit(X[:300], y[:300]).weights_ == clone(model).fit(X[:300], y[:300]).weights_


def test_refusals():
    X, y = rows(20)
    for params, words in (({"combine": "mean"}, "log-pool"), ({"window": 1}, "above 1")):
        with pytest.raises(ValueError, match=words):
            stacked(**params).partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="at least one"):
        StackedClassifier([]).partial_fit(X, y)
    with pytest.raises(ValueError, match="same name"):
        StackedClassifier([("a", GaussianNB()), ("a", GaussianNB())]).partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="classes"):
        stacked().partial_fit(X, y)  # scikit-learn's must know all labels
    with pytest.raises(ValueError, match="shapes"):
        stacked().partial_fit(X, y[:5], classes=[0, 1, 2])
    with pytest.raises(ValueError, match="predict_proba"):
        StackedClassifier([SGDClassifier()]).partial_fit(X, y, classes=[0, 1, 2])


def test_a_model_that_fails_midway_breaks_it():
    X, y = rows(40)

    class Fails(GaussianNB):
        def partial_fit(self, X, y, classes=None, sample_weight=None):
            raise RuntimeError("no more")

    model = StackedClassifier([sb.OnlineBaggingClassifier(n_estimators=2), ("fails", Fails())])
    with pytest.raises(RuntimeError, match="no more"):
        model.partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(RuntimeError, match="call fit"):
        model.partial_fit(X, y)


def test_it_is_asked_before_any_label_has_come():
    """Late labels: the first rows are answered by models that have learned nothing."""
    X, y = rows(300)
    parts = [
        sb.StreamBoostClassifier(n_estimators=2, companions=(), random_state=1),
        ("bayes", sb.SingleLearnerClassifier()),
    ]
    result = prequential(StackedClassifier(parts), ArrayStream(X, y), classes=[0, 1, 2], delay=40)
    assert (result.n_rows, result.left_out) == (259, 41)  # before the first label nobody could know anything
    assert 1 - result.error > 0.5
