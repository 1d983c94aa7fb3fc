"""Bandit feedback: the boosters beside their oracle, the probabilities of what is shown, and the laws."""

import copy
import itertools

import numpy as np
import pytest
from oracle.bandit import Bandit

import streamboost
from streamboost import BanditBoostingClassifier, HoeffdingTree, NaiveBayes, SingleLearnerClassifier, _core

SEED = 4
BASES = ("mbbm", "olm", "osboost")


def rows(n=200, k=3, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.argmax(X[:, :k] + 0.3 * rng.normal(size=(n, k)), axis=1)


def make(base, learner=None, n=4, k=3, **more):
    options = {"exploration": 0.3, "random_state": SEED, **more}
    return BanditBoostingClassifier(
        learner or NaiveBayes(), labels=range(k), base=base, n_estimators=n, **options
    )


class Learner:
    def __init__(self, k):
        self.k, self.model = k, SingleLearnerClassifier(NaiveBayes())

    def vote(self, x):
        return int(self.model.predict(x[None])[0]) if self.model.started else None

    def learn(self, x, label, weight):
        self.model.partial_fit(x[None], [label], classes=range(self.k), sample_weight=[weight])


@pytest.mark.parametrize("base", ["mbbm", "olm"])
def test_every_answer_is_the_oracles(base):
    X, y = rows()
    k, n = 3, 4
    tables = _core.Potential("pairwise", k, n, 0.1)
    oracle = Bandit(
        [Learner(k) for _ in range(n)],
        k,
        base,
        0.3,
        lambda s, r, left: tables.phi(left, [int(v) for v in s], r),
        lambda t, lane: _core.uniform(SEED, t, lane, 10),
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
    if base == "osboost" and isinstance(learner, HoeffdingTree):
        learner = HoeffdingTree(grace_period=10)
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
