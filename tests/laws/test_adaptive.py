"""Ensembles that drift with the stream: guards, background learners, votes by recent accuracy, the pool.

Product and oracle step by step; the laws bit for bit while learners are being warned, planted and replaced.
"""

import hashlib
import math
import pickle

import numpy as np
import pytest
from oracle.adaptive import AdaptiveBagging
from oracle.log_pool import LabelHistory, LogPool, OuterPool
from oracle.naive_bayes import NaiveBayes as SlowBayes

import streamboost as sb
from laws.guards import check_guard_laws, turning
from streamboost.drift import ADWIN
from streamboost.ensemble.streamboost import COMPANIONS, JUDGE
from streamboost.streams import load
from tests.inside.handles import key_of, state_of

EAGER = ADWIN(0.3, warning=0.7)  # so that streams of some hundred rows warn, drift and replace


# ---- against the oracle


class OnceForSpares(sb.StreamBoostClassifier):
    """Background learners learn every example once, with its own weight, as those of an adaptive random forest do."""

    _spare_amount = "one"


FRACTIONS = [0.3, 1.7, 1.0, 2.5]


@pytest.mark.parametrize(
    ("kind", "vote", "background", "weights"),
    [
        *[
            (sb.StreamBoostClassifier, vote, background, [1.0])
            for vote in ("log_odds", "accuracy", "uniform")
            for background in (True, False)
        ],
        (sb.StreamBoostClassifier, "log_odds", True, FRACTIONS),
        (OnceForSpares, "log_odds", True, [1.0]),
        (OnceForSpares, "accuracy", True, FRACTIONS),
    ],
)
def test_guarded_forest_is_its_oracle(kind, vote, background, weights):
    X, y = turning(260, seed=3)
    weight = np.resize(weights, len(X))
    drift = {"delta": 0.3, "warning": 0.7, "background": background, "spare_amount": kind._spare_amount}
    model = kind(
        sb.NaiveBayes(),
        n_estimators=4,
        poisson_rate=2.0,
        vote=vote,
        window=50.0,
        companions=(),
        drift=EAGER,
        background=background,
        random_state=5,
    )
    proba = model.test_then_train(X, y, classes=[0, 1], sample_weight=weight, output="proba")

    def make(columns, n_classes, key, lane, birth=0):
        return SlowBayes(columns, n_classes, key, lane)

    oracle = AdaptiveBagging(
        make, 4, key_of(model), poisson_rate=2.0, vote=vote, window=50.0, drift=drift, width=2, n_classes=2
    )
    for t in range(len(X)):
        answer = oracle.answer(X[t].tolist())
        if t and not answer.close:
            np.testing.assert_allclose(proba[t], answer.proba, rtol=1e-8, atol=1e-11, err_msg=f"row {t}")
        oracle.learn(X[t].tolist(), int(y[t]), float(weight[t]))
        assert not oracle.doubt, t
    found = model.report().lanes
    assert found["drifts"].tolist() == [g.drifts for g in oracle.guards]
    assert found["warnings"].tolist() == [g.warnings for g in oracle.guards]
    assert found["replacements"].tolist() == [g.replaced for g in oracle.guards]
    assert found["age"].tolist() == [len(X) - g.born_at for g in oracle.guards]
    assert found["drifts"].sum() >= 4, "a stream that does not drift shows nothing"
    times = model.report().replacements
    assert len(times) == found["replacements"].sum()
    assert (np.diff(times[:, 0]) >= 0).all()


def test_pool_is_its_oracle():
    """The pool of forest and naive Bayes = the oracle's pool over the answers of the two, run apart."""
    X, y = turning(600, seed=1, classes=3)
    options = {"n_estimators": 3, "random_state": 2, "drift": None, "window": 200.0}
    pooled = sb.StreamBoostClassifier(companions=("naive-bayes",), **options)
    got = pooled.test_then_train(X, y, output="proba")
    forest = sb.StreamBoostClassifier(companions=(), **options)
    bayes = sb.SingleLearnerClassifier(
        sb.NaiveBayes(), drift=ADWIN(0.001, warning=0.01), background=False, calibration=None
    )
    order = list(dict.fromkeys(y.tolist()))
    sorted_codes = [order.index(label) for label in sorted(order)]
    answers = []
    for model in (forest, bayes):
        labels, proba = model.test_then_train(X, y, output="both")
        turned = np.empty_like(proba)
        turned[:, sorted_codes] = proba
        answers.append((labels, turned))
    pool = LogPool(2, window=200.0)
    known = 0
    for t in range(len(X)):
        label = order.index(y[t])
        opinions = np.stack([proba[t, :known] for _, proba in answers])
        if known >= 2:
            expected = pool.answer(opinions)
            np.testing.assert_allclose(
                got[t][np.argsort(sorted_codes)][:known], expected, atol=1e-9, err_msg=f"row {t}"
            )
        said = [labels[t] for labels, _ in answers]
        if max(known, label + 1) >= 2:
            pool.learn(opinions, [-1 if name is None else order.index(name) for name in said], label)
        known = max(known, label + 1)
    totals = pooled.report().totals
    assert totals["pool_weight/main"] == pytest.approx(pool.beta[0], abs=1e-8)
    assert totals["recently_right/pool"] == pytest.approx(pool.q[-1], abs=1e-8)
    assert totals["recently_right/naive-bayes"] == pytest.approx(pool.q[1], abs=1e-8)


@pytest.mark.parametrize("delay", [0, 9])
def test_the_outer_pool_is_its_oracle(delay):
    """Forest and the labels' past = the oracle's pool over the forest's answers, run apart, and the oracle's past."""
    X, y = turning(900, seed=1, classes=3)
    y[300:] = np.resize([0, 2, 1, 1], 600)  # the past knows best from here on, and then nobody
    y[700:] = np.random.default_rng(0).integers(0, 3, 200)
    options = {"n_estimators": 3, "random_state": 2, "drift": None, "window": 200.0}
    pooled = sb.StreamBoostClassifier(companions=("history",), delay=delay, **options)
    got = pooled.test_then_train(X, y, output="proba")
    labels, forest = sb.StreamBoostClassifier(companions=(), **options).test_then_train(X, y, output="both")
    order = list(dict.fromkeys(y.tolist()))
    pool, history = (
        OuterPool(2, window=200.0 + 4 * delay, total=1.0 if delay else math.inf),
        LabelHistory(delay),
    )
    known, alone = 0, set()
    for t in range(len(X)):
        label = order.index(y[t])
        past = history.answer(known, True) if known else np.zeros(0)
        opinions = np.stack([forest[t][order][:known], past])
        if known >= 2:
            alone.add(pool.speaker())
            np.testing.assert_allclose(
                got[t][order][:known], pool.answer(opinions), atol=1e-8, err_msg=f"row {t}"
            )
        if max(known, label + 1) >= 2:
            said = -1 if labels[t] is None else order.index(labels[t])
            pool.learn(opinions, [said, int(np.argmax(past)) if known else -1], label)
        history.learn(label)
        known = max(known, label + 1)
    totals = pooled.report().totals
    assert totals["pool_weight/history"] == pytest.approx(pool.beta[1], abs=1e-7)
    assert totals["temperature"] == pytest.approx(pool.w, abs=1e-7)
    assert None in alone
    assert delay or alone & {0, 1}, "nobody has answered alone"


def test_a_pool_that_another_one_hears_is_its_oracle():
    """It lets an expert answer alone where that one is clearly ahead, or ahead and loses less: naive Bayes on round classes."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(1200, 10))
    y = (np.sum(X**2, axis=1) > 9.3).astype(int)
    options = {"n_estimators": 5, "random_state": 2, "drift": None, "window": 500.0}
    model = sb.StreamBoostClassifier(companions=("naive-bayes", "history"), **options)
    got = model.test_then_train(X, y, classes=[0, 1], output="proba")
    forest = sb.StreamBoostClassifier(companions=(), **options)
    guard = {"drift": ADWIN(0.001, warning=0.01), "background": False}
    bayes = sb.SingleLearnerClassifier(sb.NaiveBayes(), **guard, calibration=None)
    said = [m.test_then_train(X, y, classes=[0, 1], output="proba") for m in (forest, bayes)]
    inner, outer, history = LogPool(2, window=500.0, by_loss=True), OuterPool(2, window=500.0), LabelHistory()
    inner.caution = 2.0
    held_back, alone, surer = 0, 0, 0
    for t in range(len(y)):
        opinions = np.stack([np.full(2, 0.5) if np.isnan(p[t]).any() else p[t] for p in said])
        held_back += inner.speaker() is None and int(np.argmax(inner.q)) < 2
        alone += inner.speaker() == 1
        errors = inner.n - inner.q[1]
        surer += inner.speaker() == 1 and inner.q[1] - 2 * math.sqrt(max(errors, 1)) <= inner.q[-1]
        heard = np.stack([inner.answer(opinions), history.answer(2)])
        if t:
            np.testing.assert_allclose(got[t], outer.answer(heard), atol=1e-8, err_msg=f"row {t}")
        inner.learn(opinions, [int(np.argmax(p)) for p in opinions], int(y[t]))
        outer.learn(heard, [int(np.argmax(p)) for p in heard], int(y[t]))
        history.learn(int(y[t]))
    assert held_back > 100
    assert alone > 100
    assert surer > 10
    assert model.report().totals["pool_weight/history"] == pytest.approx(outer.beta[1], abs=1e-7)


class PastExpert:
    """The past of the labels beside the forest, as an expert that is asked and taught."""

    def __init__(self, delay, order):
        self.history, self.order = LabelHistory(delay), order

    def said(self, row, learned):
        past = self.history.answer(len(self.order), learned) if self.order else np.zeros(0)
        return past, int(np.argmax(past)) if self.order else -1

    def learn(self, row, label):
        self.history.learn(self.order.index(label))


class NearExpert:
    """The same of nearest neighbours."""

    def __init__(self, delay, order):
        plain = sb.SingleLearnerClassifier(sb.NearestNeighbors(), calibration=None, random_state=2)
        self.model, self.order = plain, order

    def said(self, row, learned):
        label, proba = self.model.predict_both_one(row)
        return np.array([proba.get(name, 0.0) for name in self.order]), self.order.index(label)

    def learn(self, row, label):
        self.model.learn_one(row, label)


@pytest.mark.parametrize(
    ("name", "expert", "make"), [("history", PastExpert, OuterPool), ("neighbors", NearExpert, LogPool)]
)
def test_pools_learn_from_the_answers_that_were_given(name, expert, make):
    """With pending answers = the oracle's pool, which learns from what was said when a row came and from what is said now.

    The past of the labels and nearest neighbours have no say now: they know the labels of just before the row.
    """
    X, y = turning(400, seed=1, classes=3)
    delay, options = 5, {"n_estimators": 3, "random_state": 2, "drift": None, "window": 200.0}
    pooled = sb.StreamBoostClassifier(companions=(name,), delay=delay, **options)
    forest = sb.StreamBoostClassifier(companions=(), **options)
    order, waiting = [], []
    pool, other = make(2, window=200.0 + 4 * delay, total=1.0), expert(delay, order)

    def opinions(label, proba, said):
        p = np.array([proba.get(name, 0.0) for name in order])
        return np.stack([p, said[0]]), [-1 if label is None else order.index(label), said[1]]

    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        row = dict(enumerate(x))
        pending = pooled.predict_pending_one(row)
        asked = None
        if order:
            proba, labels = opinions(*forest.predict_both_one(row), other.said(row, False))
            asked = proba, labels, pool.said(proba) if len(order) >= 2 else None
            if len(order) >= 2:
                expected = pool.answer(proba)
                np.testing.assert_allclose([pending.proba[name] for name in order], expected, atol=1e-8)
        waiting.append((row, label, pending, asked))
        if len(waiting) <= delay:
            continue
        row, label, pending, asked = waiting.pop(0)
        said = other.said(row, True) if order else (np.zeros(0), -1)
        proba, labels = opinions(*forest.test_then_train_one(row, label), said)
        pooled.learn_one(row, label, pending=pending)
        if label not in order:
            order.append(label)
        if len(order) >= 2:
            if asked is not None:
                proba[1], labels[1] = 0.0, asked[1][1]
                proba[1, : asked[0].shape[1]] = asked[0][1]
            pool.learn(proba, labels, order.index(label), pending=asked)
        other.learn(row, label)
    assert pooled.report().totals[f"pool_weight/{name}"] == pytest.approx(pool.beta[1], abs=1e-7)


def test_pools_do_not_disturb_what_they_pool():
    """The inner pool, and trees over remembered rows, are in the default what they are alone: bit for bit."""
    X, y = turning(700, seed=3, classes=3)
    options = {"n_estimators": 3, "random_state": 2, "drift": EAGER, "max_bytes": None}
    pools = ("linear", "naive-bayes", "neighbors", "replay", "history")
    whole = state_of(sb.StreamBoostClassifier(companions=pools, **options).partial_fit(X, y))
    del whole["online/pool/pool_lost"]  # kept where another pool hears this one
    online = sb.StreamBoostClassifier(companions=("linear", "naive-bayes", "neighbors"), **options)
    replayed = sb.ReplayBoostingClassifier(
        rounds=50, learning_rate=0.2, refit=2.0, random_state=2, calibration=None
    )
    for owner, alone in (("online/", online), ("replay/", replayed)):
        assert_part_is(whole, owner, alone.partial_fit(X, y))


def assert_part_is(whole, owner, alone):
    state = state_of(alone)
    assert {owner + name for name in state} == {name for name in whole if name.startswith(owner)}
    for name, array in state.items():
        np.testing.assert_array_equal(whole[owner + name], array, err_msg=name)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_judge_sees_answers_of_before_beside_the_row(classes, monkeypatch):
    """It is trees over wider rows: of every other expert, the label that it answered and its log odds."""
    X, y = turning(700, seed=3, classes=classes)
    order = list(dict.fromkeys(y.tolist()))
    options = {"n_estimators": 3, "random_state": 2, "max_bytes": None}
    experts = ("replay", {"rounds": 10}), ("replay-quick", {"memory": 200, "rounds": 5})
    monkeypatch.setitem(COMPANIONS, "replay", experts)
    model = sb.StreamBoostClassifier(companions=("replay",), short_memory=200, **options)
    forest = sb.StreamBoostClassifier(companions=(), **options)
    slow, quick = (
        sb.ReplayBoostingClassifier(random_state=2, calibration=None, **params) for _, params in experts
    )
    told = []
    for expert in (forest, slow, quick):
        labels, proba = expert.test_then_train(X, y, output="both")
        code = np.array([np.nan if label is None else order.index(label) for label in labels])
        sure = np.array(
            [np.nan if label is None else p[label] for label, p in zip(labels, proba, strict=True)]
        )
        told += [code, np.log(np.maximum(sure, 1e-4)) - np.log(np.maximum(1 - sure, 1e-4))]
    _, params = JUDGE
    judge = sb.ReplayBoostingClassifier(random_state=2, calibration=None, **params)
    assert_part_is(
        state_of(model.partial_fit(X, y)), "judge/", judge.partial_fit(np.column_stack([*told, X]), y)
    )


def test_late_labels_are_learned_as_they_will_be_used():
    """Labels that repeat every five rows, known ten rows late: the past is right if it is told so."""
    y = np.resize([0, 2, 1, 1, 2], 3000)
    X = np.random.default_rng(0).normal(size=(3000, 2))
    right = {}
    for delay in (0, 10):
        model = sb.StreamBoostClassifier(n_estimators=2, companions=("history",), delay=delay, random_state=1)
        model.partial_fit(X[:2000], y[:2000])
        for t in range(2000, 2200):
            model.partial_fit(X[t : t + 1], y[t : t + 1])
            right[delay] = right.get(delay, 0) + (model.predict(X[t + 11 : t + 12])[0] == y[t + 11])
        right["learning", delay] = (model.test_then_train(X[2200:], y[2200:]) == y[2200:]).mean()
    assert right[10] >= 195
    assert right["learning", 0] > 0.97
    assert right["learning", 10] > 0.97


@pytest.mark.parametrize(
    ("stream", "answers"), [("agrawal", "0e6cd1a238fc938a"), ("waveform", "03f39d92cc4061a2")]
)
def test_without_remembered_rows_it_is_the_model_of_before(stream, answers):
    """Fingerprints of a build whose accuracies are, to the sixth digit, those measured before there was a memory of rows."""
    rows = load(stream, seed=1, limit=1500)
    model = sb.StreamBoostClassifier(
        n_estimators=8,
        companions=("linear", "naive-bayes", "neighbors"),
        calibration=None,
        random_state=1,
    )
    proba = model.test_then_train(rows.X, rows.y, output="proba")
    assert hashlib.sha256(proba.tobytes()).hexdigest()[:16] == answers
    assert "temperature" not in model.report().totals


def test_a_calibration_takes_the_place_of_the_temperature():
    X, y = turning(300, seed=4)
    plain, calibrated = (
        sb.StreamBoostClassifier(n_estimators=3, random_state=1, calibration=method).partial_fit(X, y)
        for method in (None, "platt")
    )
    assert 0.2 <= plain.report().totals["temperature"] <= 3
    assert "temperature" not in calibrated.report().totals


def test_remembered_rows_keep_within_their_share_of_the_memory():
    X, y = turning(3000, seed=4)
    X = np.repeat(X, 20, axis=1)
    options = {"n_estimators": 2, "companions": ("replay",), "random_state": 1}
    small, large = (
        sb.StreamBoostClassifier(**options, max_bytes=size).partial_fit(X, y) for size in (2**20, 2**28)
    )
    rows = [len(state_of(model)["replay/replay/ring_truth"]) for model in (small, large)]
    assert rows[1] >= 3000
    assert rows[0] * (4 * X.shape[1] + 16) <= 2**18 * 3 // 4 * 1.5, "a fit keeps its rows until it is done"


# ---- the laws, with guards at work

GUARDED = [
    sb.StreamBoostClassifier(n_estimators=5, max_features=0.7, drift=EAGER),
    sb.StreamBoostClassifier(
        n_estimators=5,
        companions=("neighbors", "replay", "history"),
        delay=3,
        drift=EAGER,
        class_weight="balanced",
    ),
    sb.StreamBoostClassifier(sb.LogisticRegression(), n_estimators=5, companions=(), drift=EAGER),
    sb.AdaptiveRandomForestClassifier(n_estimators=5, drift=EAGER),
    sb.StreamingRandomPatchesClassifier(n_estimators=5, drift=EAGER, feature_fraction=0.5),
    sb.LeveragingBaggingClassifier(sb.NaiveBayes(), n_estimators=5, drift=EAGER),
    sb.ADWINBaggingClassifier(sb.DecisionStump(), n_estimators=5, drift=EAGER),
    sb.ADWINBoostingClassifier(sb.NaiveBayes(), n_estimators=5, drift=EAGER),
    sb.OnlineBaggingClassifier(sb.Perceptron(), n_estimators=5, drift=EAGER),
    sb.OnlineBoostingClassifier(sb.NaiveBayes(), n_estimators=5, drift=EAGER, on_drift="lane"),
    sb.OnlineBoostingClassifier(sb.HoeffdingTree(), n_estimators=5, drift=EAGER),
    sb.OnlineArcX4Classifier(sb.NaiveBayes(), n_estimators=5, drift=EAGER),
    sb.OSBoostClassifier(sb.NaiveBayes(), n_estimators=5, drift=EAGER),
    sb.OSBoostClassifier(sb.NaiveBayes(), n_estimators=5, vote="exp", drift=EAGER, background=False),
    sb.OGBoostClassifier(sb.OGD(), n_estimators=5, drift=EAGER),
    sb.OnlineBBMClassifier(sb.NaiveBayes(), n_estimators=5, drift=EAGER),
    sb.AdaBoostOLClassifier(sb.LogisticRegression(), n_estimators=5, drift=EAGER),
    sb.OnlineMBBMClassifier(sb.HoeffdingTree(), n_estimators=5, drift=EAGER),
    sb.AdaBoostOLMClassifier(sb.HoeffdingTree(), n_estimators=5, drift=EAGER),
    sb.BayesianEnsembleClassifier(sb.NaiveBayes(), n_estimators=5, drift=EAGER),
    sb.SingleLearnerClassifier(sb.IncrementalTree(), drift=EAGER),
]
IDS = [f"{type(m).__name__}:{type(m.estimator).__name__}" for m in GUARDED]


@pytest.mark.parametrize("model", GUARDED, ids=IDS)
def test_chunks_cuts_threads_and_pauses_do_not_matter(model, tmp_path):
    X, y = turning(400, seed=2)
    check_guard_laws(model, X, y, tmp_path / "m.sboost")


@pytest.mark.parametrize(
    "learner", [sb.NaiveBayes(), sb.HoeffdingTree(growth="quick"), sb.LogisticRegression()]
)
def test_a_guard_helps_where_the_labels_turn(learner):
    X, y = turning(4000, seed=5)
    guarded = sb.OnlineBaggingClassifier(learner, n_estimators=10, drift="adwin", random_state=1)
    plain = sb.OnlineBaggingClassifier(learner, n_estimators=10, random_state=1)
    right = [(m.test_then_train(X, y, classes=[0, 1]) == y).mean() for m in (guarded, plain)]
    assert right[0] > right[1] + 0.05
    found = guarded.report()
    assert (found.lanes["replacements"] >= 2).all()
    turns = [1000, 2000, 3000]
    for number, _ in found.replacements:
        assert any(0 <= number - turn < 600 for turn in turns), number


def test_without_drift_learners_stay():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=5000) > 0).astype(int)
    model = sb.StreamBoostClassifier(n_estimators=10, random_state=1)
    model.partial_fit(X, y, classes=[0, 1])
    assert model.report().lanes["replacements"].sum() <= 3


def test_a_warning_without_drift_is_forgotten():
    """A bad spell plants a background learner; 4,096 examples later it was a false warning, and the learner goes."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(6500, 2))
    spell = np.where((np.arange(6500) >= 1000) & (np.arange(6500) < 1300), 0.35, 0.1)
    y = (X[:, 0] > 0).astype(int) ^ (rng.random(6500) < spell)
    model = sb.SingleLearnerClassifier(sb.NaiveBayes(), drift=ADWIN(1e-9, warning=0.01))
    spares, taught = [], []
    for at in range(0, 6500, 100):
        model.partial_fit(X[at : at + 100], y[at : at + 100], classes=[0, 1])
        state = state_of(model)
        spares.append(state["guard/counters"][0])
        taught.append(state["spare/class_weight"].sum())
    assert model.report().lanes["warnings"].tolist() == [1]
    assert model.report().lanes["drifts"].tolist() == [0]
    first = spares.index(1)
    assert 10 <= first < 13
    assert sum(spares) in (40, 41), "4,096 examples"
    assert taught[first + 1] > 0
    assert taught[-1] == 0, "its memory is empty"


# ---- the default takes what comes


def test_the_default_discovers_classes_values_columns_and_gaps():
    rng = np.random.default_rng(3)
    model = sb.StreamBoostClassifier(n_estimators=5, random_state=1)
    right = 0
    for t in range(1500):
        kind = "abcd"[rng.integers(0, 2 if t < 500 else 4)]
        x = {"kind": kind, "size": float(rng.normal()) if rng.random() < 0.9 else None}
        if t > 700:
            x["late"] = float(rng.normal())
        label = {"a": "ham", "b": "spam", "c": "eggs", "d": "ham"}[kind]
        right += t >= 1000 and model.predict_one(x) == label
        model.learn_one(x, label)
    assert right > 480
    assert model.classes_.tolist() == ["eggs", "ham", "spam"]
    share = model.predict_proba_one({"kind": "a", "size": 0.0})
    assert sum(share.values()) == pytest.approx(1)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict_proba_one({"kind": "c"}) == model.predict_proba_one({"kind": "c"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"drift": "adwim"}, "did you mean 'adwin'"),
        ({"drift": "often"}, "give None, a detector"),
        ({"drift": 0.5}, "give None, a detector"),
        ({"drift": ADWIN(2.0)}, "delta"),
        ({"drift": ADWIN(0.01, warning=0.001)}, "at least delta"),
        ({"max_features": 0}, "max_features"),
        ({"companions": ("linear", "tree")}, "choose from"),
        ({"companions": ("linear", "linear")}, "twice"),
        ({"poisson_rate": 0.0}, "poisson_rate"),
        ({"window": 1.0}, "window"),
    ],
)
def test_wrong_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        sb.StreamBoostClassifier(**options).fit([[0.0], [1.0]], [0, 1])


def test_a_learner_of_anybody_can_be_guarded():
    from sklearn.naive_bayes import GaussianNB

    X, y = turning(600, seed=4)
    model = sb.OnlineBaggingClassifier(GaussianNB(), n_estimators=3, drift=EAGER, random_state=0)
    model.partial_fit(X, y, classes=[0, 1])
    assert model.report().lanes["replacements"].sum() > 0
