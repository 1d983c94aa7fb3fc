"""Weighted Majority, Hedge and Winnow: hand-worked steps, oracles, laws and mistake bounds."""

import copy
import math
import pickle
import warnings
from contextlib import contextmanager
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from golden import tables
from golden.scripted import ScriptedLearner
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracle import experts as oracle
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from laws.catalogue import Majority
from laws.strategies import chunkings, lane_cuts, seeds
from streamboost import (
    HedgeClassifier,
    LogisticRegression,
    NaiveBayes,
    OnlineBaggingClassifier,
    OSBoostClassifier,
    Perceptron,
    WeightedMajorityClassifier,
    WinnowClassifier,
)
from streamboost.base import session
from tests.inside.handles import bits, lane_objects

quick = settings(max_examples=4)
ALL = [
    pytest.param(WeightedMajorityClassifier, {}, id="weighted-majority"),
    pytest.param(HedgeClassifier, {}, id="hedge"),
    pytest.param(HedgeClassifier, {"hedge": "sample", "hedge_rate": 1.0}, id="hedge-sample"),
    pytest.param(HedgeClassifier, {"hedge": "best", "hedge_rate": "horizon", "horizon": 30}, id="hedge-best"),
    pytest.param(WinnowClassifier, {}, id="winnow"),
    pytest.param(WinnowClassifier, {"variant": "eliminate", "factor": 1.5, "threshold": 1.0}, id="winnow1"),
]


class DictMajority:
    """River style, without weights."""

    def __init__(self):
        self.counts = {}

    def learn_one(self, x, y):
        self.counts[y] = self.counts.get(y, 0) + 1

    def predict_one(self, x):
        return max(self.counts, key=lambda label: (self.counts[label], -label), default=None)


def mixed():
    return [
        NaiveBayes(),
        Perceptron(),
        GaussianNB(),
        Majority(),
        DictMajority(),
        OSBoostClassifier(n_estimators=3),
    ]


def stream(seed, n=12, k=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=n), [0, 1][: k - 1])
    return X, y, rng.choice([0.0, 0.5, 1.0, 2.0], n)


@contextmanager
def experts_cut(cuts):
    """Cut the lanes of the experts' ensemble, and not those of the models inside."""
    whole = session._core.Model

    def make(**plan):
        outer = plan["booster"] in ("weighted_majority", "hedge", "winnow")
        return whole(**plan, **({"cuts": cuts} if outer else {}))

    with mock.patch.object(session._core, "Model", make):
        yield


# ---- steps, by hand and by the oracle


def scripted(cls, answers, **options):
    """A model of experts that say what is written; on row 0 they are silent."""
    ScriptedLearner.roll.clear()
    script = (2 * np.asarray(answers).T - 1).tolist()
    return cls([ScriptedLearner(script)] * len(script), calibration=None, random_state=5, **options)


def row(t):
    return np.array([[float(t)]])


def golden():
    lines = tables.rows("experts_steps.csv")
    answers = np.array([[int(a) for a in line["answers"].split()] for line in lines])
    return lines, answers


def fractions(text):
    return [float(Fraction(word)) for word in text.split()]


def test_weighted_majority_steps():
    lines, answers = golden()
    model, ours = scripted(WeightedMajorityClassifier, answers), oracle.WeightedMajority(3)
    for t, line in enumerate(lines):
        y = int(line["y"])
        assert model.test_then_train(row(t), [y], classes=[0, 1]).tolist() == [int(line["majority"])], t
        ours.learn(answers[t].tolist(), y, 2)
        expected = fractions(line["majority_weights"])
        assert ours.weights == expected
        logs = [math.log(w / max(expected)) for w in expected]
        np.testing.assert_allclose(model.report().lanes["log_weight"], logs, atol=1e-14)


def test_winnow_steps():
    lines, answers = golden()
    model, ours = scripted(WinnowClassifier, answers), oracle.Winnow(3)
    for t, line in enumerate(lines):
        y = int(line["y"])
        said = int(line["winnow"])
        assert ours.answer(answers[t].tolist()) == said
        assert model.test_then_train(row(t), [y], classes=[0, 1]).tolist() == [said], t
        ours.learn(answers[t].tolist(), y)
        assert ours.weights == fractions(line["winnow_weights"])
        np.testing.assert_allclose(model.report().lanes["expert_weight"], ours.weights, rtol=1e-14)


answer_tables = hnp.arrays(int, st.tuples(st.integers(2, 20), st.integers(1, 6)), elements=st.integers(0, 1))


@st.composite
def rounds(draw):
    answers = draw(answer_tables)
    n = len(answers)
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    s = draw(st.lists(st.sampled_from([0.25, 1.0, 1.0, 3.0]), min_size=n, max_size=n))
    silent = answers.copy()
    silent[0] = -1
    return answers, silent, y, s


@quick
@given(game=rounds(), beta=st.floats(0.05, 0.95))
def test_weighted_majority_agrees_with_the_oracle(game, beta):
    script, heard, y, s = game
    model, ours = (
        scripted(WeightedMajorityClassifier, script, beta=beta),
        oracle.WeightedMajority(script.shape[1], beta),
    )
    for t in range(len(y)):
        votes = ours.votes(heard[t].tolist(), 2)
        proba = model.test_then_train(row(t), [y[t]], classes=[0, 1], sample_weight=[s[t]], output="proba")[0]
        if sum(votes) > 0:
            np.testing.assert_allclose(proba, np.array(votes) / sum(votes), rtol=1e-9)
        ours.learn(heard[t].tolist(), y[t], 2, s[t])
    (bound,) = model.report().bounds
    assert bound.holds
    scale = math.log(2 / (1 + beta))
    assert bound.rhs == pytest.approx(ours.limit() / scale, rel=1e-9)
    assert ours.log_mistakes <= ours.limit() * (1 + 1e-9) + 1e-9
    ScriptedLearner.roll.clear()


@pytest.mark.parametrize("rate", ["anytime", "horizon", "constant"])
@quick
@given(game=rounds())
def test_hedge_agrees_with_the_oracle(rate, game):
    script, heard, y, s = game
    n = script.shape[1]
    model = scripted(HedgeClassifier, script, hedge_rate=0.7 if rate == "constant" else rate, horizon=15)
    ours = oracle.Hedge(n, rate, 0.7, 15)
    for t in range(len(y)):
        votes = np.array(ours.votes(heard[t].tolist(), 2))
        options = {"classes": [0, 1], "sample_weight": [s[t]]}
        proba = model.test_then_train(row(t), [y[t]], output="proba", **options)[0]
        if t:
            np.testing.assert_allclose(proba, votes, rtol=1e-9, atol=1e-12)
        ours.learn(heard[t].tolist(), y[t], s[t])
    report = model.report()
    assert all(bound.holds for bound in report.bounds), report
    assert report.totals["expected_loss"] == pytest.approx(ours.expected, rel=1e-9)
    assert report.totals["regret_limit"] == pytest.approx(ours.regret_limit, rel=1e-9)
    np.testing.assert_allclose(report.lanes["expert_loss"], ours.loss)
    ScriptedLearner.roll.clear()


@quick
@given(game=rounds())
def test_a_drawn_expert_is_the_oracles(game):
    script, heard, y, s = game
    model = scripted(HedgeClassifier, script, hedge="sample", hedge_rate=0.7)
    ours = oracle.Hedge(script.shape[1], "constant", 0.7)
    for t in range(len(y)):
        label = model.test_then_train(row(t), [y[t]], classes=[0, 1], sample_weight=[s[t]])[0]
        if t:
            assert label == heard[t][ours.drawn(5)]
        ours.learn(heard[t].tolist(), y[t], s[t])
    ScriptedLearner.roll.clear()


@pytest.mark.parametrize("variant", ["divide", "eliminate"])
@quick
@given(game=rounds(), factor=st.floats(1.1, 4), threshold=st.one_of(st.none(), st.floats(0.3, 8)))
def test_winnow_agrees_with_the_oracle(variant, game, factor, threshold):
    script, heard, y, s = game
    model = scripted(WinnowClassifier, script, variant=variant, factor=factor, threshold=threshold)
    ours = oracle.Winnow(script.shape[1], threshold, factor, variant == "eliminate")
    for t in range(len(y)):
        total = ours.total(heard[t].tolist())
        if abs(total - ours.threshold) < 1e-9 and t:
            ScriptedLearner.roll.clear()
            return  # a rounding decides
        label = model.test_then_train(row(t), [y[t]], classes=[0, 1], sample_weight=[s[t]])[0]
        assert label == ours.answer(heard[t].tolist()), t
        ours.learn(heard[t].tolist(), y[t], s[t])
    report = model.report()
    np.testing.assert_allclose(report.lanes["expert_weight"], ours.weights, rtol=1e-9)
    assert all(bound.holds for bound in report.bounds), report
    assert ours.lowered <= ours.lowered_limit() * (1 + 1e-9)
    if variant == "divide":
        assert ours.promotions <= ours.promotion_limit() * (1 + 1e-9)
        assert report.totals["promotion_limit"] == pytest.approx(ours.promotion_limit())
    ScriptedLearner.roll.clear()


# ---- bounds on streams made to hurt


@pytest.mark.parametrize("kind", ["random", "heavy lose", "rotating"])
@pytest.mark.parametrize("beta", [0.2, 0.5, 0.9])
def test_mistake_bound_on_adversarial_streams(kind, beta):
    rng = np.random.default_rng(1)
    n, ours = 16, oracle.WeightedMajority(16, beta)
    for t in range(400):
        answers = rng.integers(0, 2, n)
        if kind == "rotating":
            answers = (np.arange(n) + t) % n < n // 2
        votes = ours.votes(answers.astype(int).tolist(), 2)
        label = int(votes[1] < votes[0]) if kind == "heavy lose" else int(rng.integers(0, 2))
        ours.learn(answers.astype(int).tolist(), label, 2)
    assert ours.log_mistakes <= ours.limit() * (1 + 1e-9)


def test_winnow_finds_the_few_that_matter():
    """A disjunction of 2 among 200: mistakes grow with the logarithm of the number of experts."""
    rng = np.random.default_rng(2)
    ours, mistakes = oracle.Winnow(200), 0
    for _ in range(3000):
        x = (rng.random(200) < 0.05).astype(int)
        x[[3, 77]] = rng.random(2) < 0.3
        label = int(x[3] or x[77])
        mistakes += ours.answer(x.tolist()) != label
        ours.learn(x.tolist(), label)
    assert mistakes <= 2 + 3 * 2 * (math.log2(100) + 1)


def test_weights_never_underflow():
    model = scripted(WeightedMajorityClassifier, np.tile([[1, 0, 0]], (3000, 1)))
    X = np.arange(3000.0).reshape(-1, 1)
    model.fit(X, np.r_[0, np.ones(2999, dtype=int)])
    assert model.predict(row(7)).tolist() == [1]
    assert np.isfinite(model.predict_proba(row(7))).all()
    ScriptedLearner.roll.clear()


# ---- laws, for lists of quite different models


@pytest.mark.parametrize(("cls", "options"), ALL)
@quick
@given(seed=seeds, data=st.data())
def test_laws(cls, options, seed, data):
    X, y, weight = stream(seed % 1000)
    if not (weight > 0).any():
        return

    def new():
        return cls(mixed(), random_state=seed, **options)

    whole, chunked, some, cut = (new() for _ in range(4))
    expected = whole.test_then_train(X, y, classes=[0, 1], sample_weight=weight).tolist()
    got = []
    for part in data.draw(chunkings(len(y))):
        got += chunked.test_then_train(X[part], y[part], classes=[0, 1], sample_weight=weight[part]).tolist()
        if hasattr(chunked, "classes_"):  # rows of weight 0 start nothing
            chunked.predict_proba(X)  # asking changes nothing
            chunked.report()
        chunked = pickle.loads(pickle.dumps(chunked)) if data.draw(st.booleans()) else copy.deepcopy(chunked)
    assert got == expected
    positive = weight > 0
    some.partial_fit(X[positive], y[positive], classes=[0, 1], sample_weight=weight[positive])
    with experts_cut(data.draw(lane_cuts(len(mixed())))):
        cut.partial_fit(X, y, classes=[0, 1], sample_weight=weight)
    for other in (chunked, some, cut):
        assert bits(other) == bits(whole)
        assert other.predict_proba(X).tobytes() == whole.predict_proba(X).tobytes()


@pytest.mark.parametrize(("cls", "options"), ALL[:4])
def test_several_classes(cls, options):
    X, y, _ = stream(3, n=300, k=3)
    models = [NaiveBayes(), GaussianNB(), OnlineBaggingClassifier(n_estimators=5)]
    model = cls(models, random_state=0, **options)
    answers = model.test_then_train(X, y, classes=[0, 1, 2])
    assert (answers == y)[100:].mean() > 0.6
    assert all(bound.holds for bound in model.report().bounds)


@pytest.mark.parametrize(("cls", "options"), ALL)
def test_names_categories_and_nested_models(cls, options):
    rows = [
        {"colour": c, "size": s} for c, s in [("red", 1.0), ("blue", 2.0), ("red", 1.5), ("blue", 0.5)] * 30
    ]
    y = ["yes" if r["colour"] == "red" else "no" for r in rows]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows)
    model = cls([NaiveBayes(), OSBoostClassifier(n_estimators=3), WeightedMajorityClassifier()], **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.partial_fit(frame, y, classes=["no", "yes"])
    if options.get("variant") != "eliminate":  # which may have nobody left to say yes
        assert model.predict(frame[:2]).tolist() == ["yes", "no"]
    assert model.predict_one({"colour": "blue", "size": 1.0}) == "no"
    learner, inner = lane_objects(model)[:2]
    assert learner.scope.values == [["red", "blue"], None]
    assert inner.learner.categorical_features == [0]


def test_given_models_stay_untouched_and_seeds_that_are_set_stay():
    X, y, _ = stream(1)
    given_models = [
        GaussianNB(),
        OSBoostClassifier(Perceptron(), random_state=3),
        OSBoostClassifier(Perceptron()),
    ]
    model = WeightedMajorityClassifier(given_models, random_state=0).fit(X, y)
    assert not hasattr(given_models[0], "classes_")
    lanes = [lane.learner for lane in lane_objects(model)]
    assert lanes[1].random_state == 3
    assert lanes[2].random_state is not None
    assert given_models[2].random_state is None
    twin = clone(model)
    assert twin.estimators is not model.estimators
    assert bits(twin.fit(X, y)) == bits(model)


@pytest.mark.parametrize("experts", [1, 2])
def test_winnow_finds_its_two_classes(experts):
    X, y, _ = stream(1)
    models = [NaiveBayes(), Perceptron()][:experts]
    whole = WinnowClassifier(models, random_state=1).partial_fit(X, y)
    cut = WinnowClassifier(models, random_state=1)
    for i in range(len(y)):
        cut.partial_fit(X[i : i + 1], y[i : i + 1])
    assert bits(cut) == bits(whole)
    assert whole.classes_.tolist() == sorted(set(y.tolist()))


def test_words_for_what_does_not_fit():
    X, y, _ = stream(1)
    with pytest.raises(ValueError, match="estimators is empty"):
        WeightedMajorityClassifier([]).fit(X, y)
    with pytest.raises(TypeError, match=r"estimators\[1\]=GaussianNB is a class"):
        HedgeClassifier([NaiveBayes(), GaussianNB]).fit(X, y)
    with pytest.raises(TypeError, match="cannot learn from a stream"):
        HedgeClassifier([object()]).fit(X, y)
    with pytest.raises(ValueError, match="Only binary classification"):
        WinnowClassifier([NaiveBayes()]).fit(X, np.arange(len(y)) % 3)
    model = WeightedMajorityClassifier([LogisticRegression(), NaiveBayes()]).fit(X, y)
    with pytest.raises(ValueError, match="Use pickle"):
        model.save("never.sboost")
    model.estimators.append(NaiveBayes())
    with pytest.raises(ValueError, match="estimators"):
        model.partial_fit(X, y)


def test_nearly_as_good_as_the_best():
    X, y, _ = stream(9, n=600)
    models = [NaiveBayes(), Majority(), Perceptron()]
    model = HedgeClassifier(models, random_state=0)
    wrong = (model.test_then_train(X, y, classes=[0, 1]) != y).mean()
    best = float(model.report().lanes["expert_loss"].min()) / len(y)
    assert wrong < best + 0.05
