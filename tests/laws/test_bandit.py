"""Bandit feedback: the boosters beside their oracle, the probabilities of what is shown, and the laws."""

import copy
import itertools

import numpy as np
import pytest
from oracle import draws
from oracle.bagging import Bagging
from oracle.bandit import Bandit, EachLabel
from oracle.naive_bayes import NaiveBayes as NaiveBayesLane
from oracle.ocp import OCP
from oracle.potential import Pairwise
from sklearn.linear_model import SGDClassifier

import streamboost
from streamboost import (
    BanditBoostingClassifier,
    HoeffdingTree,
    NaiveBayes,
    OnlineBaggingClassifier,
    OnlineMBBMClassifier,
    SingleLearnerClassifier,
    StreamBoostClassifier,
)
from streamboost.evaluate import prequential

SEED = 4
BASES = ("rewards", "mbbm", "olm", "osboost")


def rows(n=200, k=3, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.argmax(X[:, :k] + 0.3 * rng.normal(size=(n, k)), axis=1)


def make(base, learner=None, n=4, k=3, **more):
    options = {"exploration": 0.3, "random_state": SEED, **more}
    learner = learner or NaiveBayes()
    if base == "rewards":
        learner = OnlineBaggingClassifier(learner, n_estimators=n, calibration=None)
    return BanditBoostingClassifier(learner, labels=range(k), base=base, n_estimators=n, **options)


class Learner:
    def __init__(self, k):
        self.k, self.model = k, SingleLearnerClassifier(NaiveBayes(), calibration=None)

    def vote(self, x):
        return int(self.model.predict(x[None])[0]) if self.model.started else None

    def learn(self, x, label, weight):
        self.model.partial_fit(x[None], [label], classes=range(self.k), sample_weight=[weight])


@pytest.mark.parametrize("base", ["mbbm", "olm"])
def test_every_answer_is_the_oracles(base):
    X, y = rows()
    k, n = 3, 4
    tables = Pairwise(k, 0.1)
    oracle = Bandit(
        [Learner(k) for _ in range(n)],
        k,
        base,
        0.3,
        lambda s, r, left: tables.phi(left, s, r),
        lambda t, lane: draws.uniform(SEED, t, lane, draws.BANDIT),
    )
    model = make(base, edge=0.1)
    for t, x in enumerate(X):
        expected = oracle.proba(x)
        if t:
            assert np.allclose(model.predict_proba(x[None])[0], expected, rtol=1e-7, atol=1e-9), t
        (label,), (p,) = model.act(x[None])
        best = int(np.argmax(expected)) if t else 0
        assert p == pytest.approx(0.7 if label == best else 0.15)
        reward = int(label == y[t])
        weight = [1.0, 0.5, 2.0][t % 3]
        oracle.learn(x, int(label), reward, p, best, weight)
        model.learn_bandit(x[None], [label], [reward], [p], [weight])


def naive_bayes(columns, n_classes, seed, lane):
    return NaiveBayesLane(columns, n_classes, seed, lane)


@pytest.mark.parametrize("base", ["rewards", "osboost"])
def test_each_label_learns_from_its_own_rows(base):
    X, y = rows(150)
    k, rho = 3, 0.3
    options = {"width": 3, "n_classes": 2}
    if base == "osboost":
        models = [OCP(naive_bayes, 4, SEED, gamma=0.1, **options) for _ in range(k)]
    else:
        models = [Bagging(naive_bayes, 4, SEED + j, ballot="distribution", **options) for j in range(k)]
    oracle = EachLabel(models, rho, lambda t: draws.uniform(SEED, t, 0, 15), importance=base == "osboost")
    model, shown, compared = make(base), [], 0
    for t, x in enumerate(X):
        shares, close = oracle.answer(x)
        # Shares of numbers that may all be near 0, each right to some 1e-16.
        np.testing.assert_allclose(
            model.predict_proba(x[None])[0], shares, rtol=1e-7, atol=1e-6, err_msg=f"row {t}"
        )
        expected = oracle.play(x)
        (label,), (p,) = model.act(x[None])
        if not close:
            assert (label, p) == (expected[0], pytest.approx(expected[1], rel=1e-12)), t
            compared += 1
        weight = [1.0, 0.5, 2.0][t % 3]
        oracle.learn(x, label, label == y[t], p, weight)
        model.learn_bandit(x[None], [label], [label == y[t]], [p], [weight])
        shown.append(label)
    assert len(set(shown)) == k
    assert compared > 100
    assert not any(model.doubt for model in models)


def test_a_draw_with_a_key_changes_nothing():
    model = make("rewards")
    X, y = rows(50)
    model.test_then_train(X, y)
    before, x = model.to_bytes(), dict(enumerate(X[0].tolist()))
    shown = [model.act_one(x, number) for number in range(200)]
    assert shown == [model.act_one(x, number) for number in range(200)]
    assert len({label for label, _ in shown}) == 3
    assert model.to_bytes() == before


def test_a_copy_for_readers_stays_as_it_is():
    X, y = rows(60)
    model = make("rewards")
    assert not model.started
    model.test_then_train(X[:40], y[:40])
    copied, before = model.snapshot(), model.to_bytes()
    model.test_then_train(X[40:], y[40:])
    assert copied.to_bytes() == before != model.to_bytes()
    assert copied.is_snapshot
    assert not model.is_snapshot
    assert (copied.n_learned_, model.n_learned_) == (40, 60)


def test_a_copy_for_readers_does_not_share_what_knows_nothing_yet():
    x = {"x": 1.0}
    learner = OnlineBaggingClassifier(NaiveBayes(), n_estimators=2)
    model = BanditBoostingClassifier(learner, labels=["a", "b", "c"], random_state=SEED)
    model.learn_bandit_one(x, "a", 1, 0.5)
    copied = model.snapshot()
    before = copied.predict_proba_one(x)
    for _ in range(5):
        model.learn_bandit_one(x, "b", 0, 0.5)
    assert copied.predict_proba_one(x) == before != model.predict_proba_one(x)
    for label in "ac":
        with pytest.raises(RuntimeError, match="a snapshot, which never learns"):
            copied.learn_bandit_one(x, label, 1, 0.5)
    apart = copy.deepcopy(copied)
    apart.learn_bandit_one(x, "c", 1, 0.5)
    assert (apart.n_learned_, copied.n_learned_, model.n_learned_) == (2, 1, 6)


@pytest.mark.parametrize("base", BASES)
def test_rows_without_a_label_are_answered_and_teach_nothing(base):
    X, y = rows(80)
    gone = np.arange(80) % 3 == 1
    model, plain = make(base), make(base)
    with pytest.warns(UserWarning, match="Rows without a label"):
        shown = model.test_then_train(X, np.where(gone, np.nan, y))
    assert plain.test_then_train(X[~gone], y[~gone]).tolist() == shown[~gone].tolist()
    assert (model.n_learned_, model.n_acts_) == (53, 53)
    assert model.to_bytes() == plain.to_bytes()


@pytest.mark.filterwarnings("ignore:.*without a label")
def test_an_evaluation_finds_the_labels_that_are_there():
    X, y = rows(60)
    known = np.where(y > 0, "up", "down").astype(object)
    for missing in (None, float("nan")):
        told = known.copy()
        told[::7] = missing
        trees = OnlineBaggingClassifier(NaiveBayes(), n_estimators=2)
        assert prequential(trees, (X, told), feedback="bandit").labels == ("down", "up")


@pytest.mark.parametrize("records", [False, True])
def test_an_evaluation_reveals_only_what_was_shown(records):
    X, y = rows(600)
    data = [(dict(enumerate(x)), label) for x, label in zip(X.tolist(), y.tolist(), strict=True)]
    model = OnlineBaggingClassifier(NaiveBayes(), n_estimators=3)
    options = {"feedback": "bandit", "exploration": 0.2, "seed": 5, "classes": [0, 1, 2]}
    result = prequential(model, data if records else (X, y), **options)
    bandit = BanditBoostingClassifier(model, labels=[0, 1, 2], exploration=0.2, random_state=5)
    shown = bandit.test_then_train(X, y)
    assert result.error == pytest.approx(np.mean(shown != y))
    assert result.model.n_acts_ == 600
    full = copy.deepcopy(model).set_params(random_state=5)
    mistakes = np.sum(full.test_then_train(X, y, classes=[0, 1, 2]) != y)
    assert result.regret == pytest.approx(np.sum(shown != y) - mistakes)
    assert result.to_dict()["regret"] == result.regret
    assert not model.started
    several = prequential(model, (X, y), orders=2, **options)
    assert several.n_orders == 2
    given = prequential(make("mbbm"), (X, y), feedback="bandit")
    assert given.model.base == "mbbm"
    assert isinstance(given.model.with_all_labels(), OnlineMBBMClassifier)


def test_what_has_no_bandit_form_is_refused():
    X, y = rows(50)
    for options, words in (
        ({"delay": 3}, "neither with a delay"),
        ({"budget": 0.1}, "neither with a delay"),
        ({"feedback": "praise"}, "is not allowed"),
    ):
        with pytest.raises(ValueError, match=words):
            prequential(StreamBoostClassifier(), (X, y), **{"feedback": "bandit", **options})
    with pytest.raises(TypeError, match="a classifier of streamboost"):
        prequential(SGDClassifier(), (X, y), feedback="bandit")
    with pytest.raises(TypeError, match="takes a classifier of streamboost"):
        BanditBoostingClassifier(HoeffdingTree(), labels=[0, 1]).act_one({"x": 1.0})


@pytest.mark.parametrize("base", BASES)
def test_labels_are_shown_as_often_as_they_say(base):
    model = make(base)
    X, _y = rows(3000)
    shown, p = model.act(X[:1].repeat(3000, axis=0))
    for label in range(3):
        assert np.mean(shown == label) == pytest.approx(p[shown == label][0], abs=0.03)
    assert sum(p[shown == label][0] for label in range(3)) == pytest.approx(1)
    assert model.n_acts_ == 3000


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("learner", [NaiveBayes(), HoeffdingTree(grace_period=10)])
def test_the_laws(base, learner):
    X, y = rows(240)
    whole, parts, single, named = (make(base, learner) for _ in range(4))
    answers = whole.test_then_train(X, y)
    cuts = (0, 1, 100, 101, 240)
    found = []
    for first, last in itertools.pairwise(cuts):
        found += parts.test_then_train(X[first:last], y[first:last]).tolist()
        parts = streamboost.load(parts.to_bytes()) if last == 100 else copy.deepcopy(parts)
    assert found == answers.tolist()
    for t in range(240):
        labels, p = single.act(X[t : t + 1])
        single.learn_bandit(X[t : t + 1], labels, labels == y[t : t + 1], p)
        record = dict(enumerate(X[t].tolist()))
        label, chance = named.act_one(record)
        assert label == answers[t]
        named.learn_bandit_one(record, label, label == y[t], chance)
    before = whole.to_bytes()
    assert parts.to_bytes() == single.to_bytes() == before
    assert whole.predict(X).tolist() == whole.predict(X).tolist()
    assert whole.to_bytes() == before
    whole.learn_bandit(X[:1], [0], [1], [0.5], [0.0])
    assert whole.to_bytes() == before


@pytest.mark.parametrize("base", BASES)
def test_it_learns(base):
    X, y = rows(4000)
    model = make(base, HoeffdingTree() if base != "osboost" else NaiveBayes(), n=10, exploration=0.1)
    model.test_then_train(X[:3000], y[:3000])
    assert np.mean(model.predict(X[3000:]) == y[3000:]) > 0.6


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("n", [0, 20])
def test_a_bad_row_leaves_those_before_it_unlearned(base, n):
    X, y = rows(40)
    model = make(base)
    model.test_then_train(X[:n], y[:n])
    X[30, 1] = np.inf
    for ask in (
        lambda: model.learn_bandit(X[n:], [0] * (40 - n), [1] * (40 - n), [0.5] * (40 - n)),
        lambda: model.test_then_train(X[n:], y[n:]),
    ):
        with pytest.raises(ValueError, match="infinity"):
            ask()
        assert (model.n_learned_, model.n_acts_) == (n, n)
    with pytest.raises(ValueError, match="samples"):
        model.test_then_train(X[:10], y[:9])


def test_bad_feedback_is_refused():
    X, y = rows(20)
    model = make("mbbm")
    model.test_then_train(X, y)
    before = model.to_bytes()
    for label, reward, p, words in (
        ("seven", 1, 0.5, "is none of the labels"),
        (1, 2, 0.5, "reward must be"),
        (1, np.nan, 0.5, "reward must be"),
        (1, 1, 0.0, "probability must be"),
        (1, 1, 1.5, "probability must be"),
    ):
        with pytest.raises(ValueError, match=words):
            model.learn_bandit(X[:1], [label], [reward], [p])
    assert model.to_bytes() == before
    with pytest.raises(ValueError, match="at least two labels"):
        BanditBoostingClassifier(labels=["a"]).act_one({"x": 1})
    with pytest.raises(ValueError, match="at least two labels"):
        BanditBoostingClassifier().act_one({"x": 1})


@pytest.mark.parametrize("base", ["rewards", "mbbm", "olm", "osboost"])
def test_rows_of_which_one_is_refused_are_not_half_learned(base):
    X = np.random.default_rng(1).normal(size=(40, 3))
    y = (X[:, 0] > 0).astype(int)
    model = streamboost.BanditBoostingClassifier(labels=[0, 1], base=base, n_estimators=3, random_state=1)
    shown, p = model.act(X)
    model.learn_bandit(X, shown, shown == y, p)
    before = model.to_bytes()
    wrong = X.copy()
    wrong[20, 1] = np.inf
    for refused in (
        lambda: model.learn_bandit(wrong, shown, shown == y, p),
        lambda: model.test_then_train(wrong, y),
    ):
        with pytest.raises(ValueError, match="infinity"):
            refused()
    for odd in (0.0, 5e-324, np.nan, 2.0):
        with pytest.raises(ValueError, match="probability must be above 0"):
            model.learn_bandit(X, shown, shown == y, np.where(np.arange(40) == 20, odd, p))
    assert model.to_bytes() == before
    for x in (None, 5, "a"):
        with pytest.raises(ValueError, match="a table has rows and columns"):
            model.act_one(x)


def test_a_text_is_no_list_of_labels():
    with pytest.raises(ValueError, match="at least two labels"):
        BanditBoostingClassifier(labels="abc").predict_one({"a": 1.0})


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["a", 1], "mixes both"),
        ([1.0, np.nan], "must be finite"),
        ([[1, 2], [3, 4]], "1d array"),
        ([None, "a"], "mixes both"),
        (3, "at least two labels"),
        ([], "at least two labels"),
        ([True, 1], "at least two labels"),
    ],
)
def test_what_cannot_be_labels_is_refused(labels, words):
    with pytest.raises(ValueError, match=words):
        BanditBoostingClassifier(labels=labels).act_one({"a": 1.0})


def test_feedback_of_another_kind_is_refused_in_words():
    model = make("rewards")
    for given, words in (
        (([0], 1, 0.5), "as many as the rows"),
        (({0: 1}, 1, 0.5), "none of the labels"),
        ((0, "right", 0.5), "reward must be"),
        ((0, None, 0.5), "reward must be"),
        ((0, 1, "half"), "probability must be"),
    ):
        with pytest.raises(ValueError, match=words):
            model.learn_bandit_one({"x": 1.0}, *given)
    with pytest.raises(ValueError, match="as many as the rows"):
        model.learn_bandit(np.ones((2, 1)), [0, 1], np.ones((2, 2)), [0.5, 0.5])
    assert not model.started


def test_rewards_cannot_be_late_in_an_evaluation():
    X = np.zeros((9, 1))
    model = BanditBoostingClassifier(labels=["a", "b"], base="olm")
    with pytest.raises(ValueError, match="delay=2 needs a model that learns labels"):
        prequential(model, (X, ["a", "b", "a"] * 3), delay=2)


@pytest.mark.parametrize("base", BASES)
def test_what_learns_can_be_asked(base):
    learner = OnlineBaggingClassifier(NaiveBayes(), n_estimators=2) if base == "rewards" else NaiveBayes()
    model = BanditBoostingClassifier(learner, labels=["b", "a"], base=base, n_estimators=2, random_state=SEED)
    for t in range(20):
        model.learn_bandit_one({"x": float(t % 2)}, "ab"[t % 3 == 0], t % 2, 0.5)
    assert list(model.models_) == ["a", "b"]
    learned = [found.report().n_learned for found in model.models_.values()]
    assert learned == ([13, 7] if base in ("rewards", "osboost") else [20, 20])
