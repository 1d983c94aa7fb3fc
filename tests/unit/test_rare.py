"""Rare classes and sets with a promise: weights, decisions, coverage. Against oracles, and on streams that mean harm."""

import pickle

import numpy as np
import pytest
from oracle.rare import conformal, factors, thresholds
from sklearn.base import BaseEstimator, ClassifierMixin, clone

import streamboost as sb
from streamboost.evaluate import ExpectedCost, Rows, SetScore, make_metric, score_sets
from tests.catalogue import arrays


def skewed(n, share=0.1, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    X = rng.normal(size=(n, 3)) + 1.2 * y[:, None]
    weight = np.where(rng.random(n) < 0.1, 0.0, rng.choice([0.5, 1.0, 2.0], n))
    weight[:2], y[:2] = 1.0, (0, 1)
    return X, y, weight


def bagging(**options):
    return sb.OnlineBaggingClassifier(
        sb.NaiveBayes(), n_estimators=4, random_state=3, ballot="distribution", **options
    )


# ---- class weights


@pytest.mark.parametrize(
    ("given", "half_life", "keep"),
    [
        ("balanced", "auto", 1.0),
        ("balanced", 50, 2 ** (-1 / 50)),
        ("oversample", "auto", 0.9),
        ("undersample", "auto", 0.9),
        ("undersample", 20, 2 ** (-1 / 20)),
        ({1: 7.5}, "auto", 1.0),
    ],
)
@pytest.mark.parametrize("declared", [True, False])
def test_class_weights_are_weights(given, half_life, keep, declared):
    X, y, weight = skewed(500)
    kind = "table" if isinstance(given, dict) else given
    ours = weight * factors(kind, y, weight, keep, table=given, declared=2 if declared else None)
    classes = [0, 1] if declared else None
    weighted = bagging(class_weight=given, class_weight_half_life=half_life, calibration=None)
    p = weighted.test_then_train(X, y, classes=classes, sample_weight=weight, output="proba")
    q = bagging(calibration=None).test_then_train(X, y, classes=classes, sample_weight=ours, output="proba")
    np.testing.assert_allclose(p, q, rtol=1e-9, atol=1e-12)


def test_oversampling_finds_more_of_the_rare_class():
    X, y, _ = skewed(4000, share=0.03)
    recalls = {}
    for kind in (None, "balanced", "oversample"):
        answers = bagging(class_weight=kind).test_then_train(X, y, classes=[0, 1])
        recalls[kind] = (answers[y == 1] == 1).mean()
    assert min(recalls["balanced"], recalls["oversample"]) > recalls[None] + 0.2


# ---- decisions


def test_costs_decide():
    X, y, weight = skewed(800)
    costs = {(1, 0): 8.0, (0, 1): 1.5, (0, 0): 0.25}
    model = bagging(decision="cost", decision_costs=costs)
    p, answers = (
        m.test_then_train(X, y, classes=[0, 1], sample_weight=weight, output=o)
        for m, o in ((clone(model), "proba"), (clone(model), "label"))
    )
    price = np.array([[0.25, 1.5], [8.0, 0.0]])
    expected = p @ price
    clear = np.abs(expected[:, 0] - expected[:, 1]) > 1e-9
    assert (answers[clear] == expected.argmin(axis=1)[clear]).all()
    usual = bagging().test_then_train(X, y, classes=[0, 1], sample_weight=weight)
    cost = ExpectedCost(costs)
    assert cost.of(Rows(y, answers, (0, 1))) < cost.of(Rows(y, usual, (0, 1)))


@pytest.mark.parametrize("measure", ["f1", "g_mean"])
@pytest.mark.parametrize("labels", [(0, 1), ("yes", "no")])
def test_thresholds_are_the_best_of_the_past(measure, labels):
    """With labels discovered as yes, no the positive class, classes_[1], has code 0."""
    X, y, weight = skewed(600)
    names = np.array(labels)[y]
    proba = bagging(decision=measure).test_then_train(X, names, sample_weight=weight, output="proba")
    by_code = proba if labels == (0, 1) else proba[:, ::-1]
    answers = bagging(decision=measure).test_then_train(X, names, sample_weight=weight)
    seen = 0
    for t, (place, found) in enumerate(
        thresholds(measure, np.nan_to_num(by_code), y, weight, positive=1 if labels == (0, 1) else 0)
    ):
        if found is None:
            continue
        top = max(value for value, _, _ in found)
        near = [entry for entry in found if entry[0] > top - 1e-12]  # equal but for rounding
        wanted = {place >= cut for _, closeness, cut in near if closeness == max(c for _, c, _ in near)}
        if len({place >= cut for _, _, cut in near}) == 1:
            seen += 1
            assert answers[t] == labels[int(wanted.pop())]
    assert seen > 300


def test_a_learned_threshold_beats_one_half_on_rare_classes():
    X, y, _ = skewed(5000, share=0.04)
    f1 = make_metric("f1")
    found = {}
    for decision in ("argmax", "f1"):
        model = bagging(decision=decision, class_weight="balanced")
        answers = model.test_then_train(X, y, classes=[0, 1])
        found[decision] = f1.of(Rows(y, answers, (0, 1), positive=1))
    assert found["f1"] > found["argmax"] + 0.02


# ---- sets


class Given(ClassifierMixin, BaseEstimator):
    """Answers the probabilities that stand in the row."""

    def partial_fit(self, X, y, classes=None):
        self.classes_ = np.arange(3)
        return self

    def predict(self, X):
        return np.asarray(X).argmax(axis=1)

    def predict_proba(self, X):
        return np.asarray(X)


def sets_of(proba, y, coverage=0.9):
    model = sb.SingleLearnerClassifier(Given(), coverages=(0.8, coverage), random_state=1)
    return model, model.test_then_train_sets(proba, y, coverage=coverage, classes=[0, 1, 2])


@pytest.mark.parametrize("seed", range(100))
def test_coverage_keeps_its_promise_against_an_adversary(seed):
    """Four kinds of harm: the label that the set left out, drift of the truth, lying probabilities, and long silence."""
    rng = np.random.default_rng(seed)
    n, coverage, eta = 700, 0.9, 0.01
    proba = rng.dirichlet(rng.choice([0.3, 1.0, 5.0], 3), n)
    y = rng.integers(0, 3, n)
    kind = seed % 4
    if kind == 0:
        y = proba.argmin(axis=1)
    elif kind == 1:
        y = np.where(np.arange(n) < n // 2, proba.argmax(axis=1), proba.argmin(axis=1))
    elif kind == 2:
        proba = np.eye(3)[rng.integers(0, 3, n)]
    else:
        y = np.where(rng.random(n) < np.linspace(0, 1, n), proba.argmin(axis=1), proba.argmax(axis=1))
    _, sets = sets_of(proba, y, coverage)
    covered = sets[np.arange(n), y]
    start = 1 - coverage
    for T in (100, 300, n):
        assert abs(covered[:T].mean() - coverage) <= (max(start, 1 - start) + eta) / (eta * T)


def test_an_adversary_that_sees_the_set_first():
    """Row by row: whenever a label is outside, it is the true one."""
    rng = np.random.default_rng(1)
    model = sb.SingleLearnerClassifier(Given(), coverages=0.9, random_state=1)
    model.partial_fit([[0.5, 0.3, 0.2]], [0], classes=[0, 1, 2])
    covered, n = 0, 1500
    for _ in range(n):
        p = rng.dirichlet([1, 1, 1])[None]
        inside = model.predict_set(p, 0.9)[0]
        y = int(np.argmin(inside)) if not inside.all() else int(rng.integers(0, 3))
        covered += bool(inside[y])
        model.partial_fit(p, [y])
    assert abs(covered / n - 0.9) <= (0.9 + 0.01) / (0.01 * n)


@pytest.mark.parametrize("delay", [0, 1, 37])
def test_sets_are_scored_as_they_were_given(delay):
    """Row by row by hand: a set is given when its row arrives, judged when the label does, and learned from as it was given."""
    X, y, _ = skewed(300, share=0.4)
    slow = bagging(coverages=(0.8, 0.9))
    wanted = SetScore(window=50)
    pending = {}
    for t in range(len(y) + delay):
        if t < len(y):
            known = t > delay
            if known and delay:
                pending[t] = slow.predict_pending(X[t : t + 1])
            sets = slow.predict_set(X[t : t + 1], 0.8) if known else np.zeros((1, 2), bool)
            if t == 0 or not known:
                sets = bagging(coverages=0.8).test_then_train_sets(X[:1], y[:1], 0.8, [0, 1], [0.0])
            wanted.update(y[t : t + 1], sets, [0, 1])
        if t >= delay:
            row = slice(t - delay, t - delay + 1)
            slow.partial_fit(X[row], y[row], classes=[0, 1], pending=pending.get(t - delay))
    for chunk_size in (7, 1000):
        quick = bagging(coverages=(0.8, 0.9))
        found = score_sets(quick, (X, y), 0.8, classes=[0, 1], delay=delay, window=50, chunk_size=chunk_size)
        assert repr(found) == repr(wanted)
        state = arrays(slow)
        assert all(state[name].tobytes() == a.tobytes() for name, a in arrays(quick).items())
    with pytest.raises(ValueError, match="gives no sets"):
        score_sets(object(), (X, y))


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("calibration", [None, "platt"])
def test_the_sets_are_the_oracle_s(declared, calibration):
    X, y, weight = skewed(900, share=0.4)
    y[500:][np.arange(400) % 7 == 0] = 2
    named = [0, 1, 2] if declared else None
    make = lambda **o: bagging(calibration=calibration, **o)  # noqa: E731
    proba = make().test_then_train(X, y, classes=named, sample_weight=weight, output="proba")
    model = make(coverages=(0.8, 0.9))
    sets = model.test_then_train_sets(X, y, 0.8, named, weight)
    wanted, alpha = conformal(np.nan_to_num(proba), y, weight, 0.8, declared=3 if declared else None)
    same = [
        (sets[t, : len(inside)] == inside).all() and not sets[t, len(inside) :].any()
        for t, inside in enumerate(wanted)
    ]
    assert np.mean(same) > 0.995  # a quantile on an edge may round to the next one
    assert arrays(model)["sets/alpha"][0] == pytest.approx(alpha, abs=0.011)
    totals = model.report().totals
    seen = weight > 0
    assert totals["set_rows"] + totals["set_unknown_labels"] == seen.sum()
    assert totals["set_unknown_labels"] == (0 if declared else 3)


def test_sets_one_by_one_late_and_from_a_file(tmp_path):
    X, y, _ = skewed(400, share=0.4)
    model = bagging(coverages=(0.8, 0.95)).partial_fit(X[:300], y[:300])
    given = model.predict_set(X[300:], 0.95)  # answered now, learned later
    ones = [model.predict_set_one(dict(enumerate(x)), 0.95) for x in X[300:]]
    assert [{c for c in (0, 1) if row[c]} for row in given] == ones
    path = tmp_path / "m.sboost"
    model.save(path)
    again = sb.load(path)
    for other in (again, pickle.loads(pickle.dumps(model)), model.snapshot()):
        assert (other.predict_set(X, 0.8) == model.predict_set(X, 0.8)).all()
    assert again.coverages == (0.8, 0.95)
    for each in (model, again):
        each.partial_fit(X[300:], y[300:])
    assert arrays(model)["sets/alpha"].tobytes() == arrays(again)["sets/alpha"].tobytes()
    assert bagging(coverages=0.9).predict_set_one({"a": 1.0}) == set()


def test_dicts_of_a_file_come_back(tmp_path):
    X, y, _ = skewed(100, share=0.4)
    names = np.where(y, "bad", "good")
    model = bagging(
        class_weight={"bad": 3}, decision="cost", decision_costs={("bad", "good"): 5.0, ("good", "bad"): 1}
    )
    model.partial_fit(X, names)
    model.save(tmp_path / "m.sboost")
    again = sb.load(tmp_path / "m.sboost")
    assert again.get_params(deep=False)["class_weight"] == {"bad": 3}
    assert again.decision_costs == model.decision_costs
    assert again.predict(X).tolist() == model.predict(X).tolist()
    model.class_weight["bad"] = 4
    with pytest.raises(ValueError, match="class_weight of this OnlineBaggingClassifier was changed"):
        model.predict(X)


# ---- refusals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"class_weight": "even"}, "class_weight='even' is not allowed"),
        ({"class_weight": {1: -1.0}}, r"class_weight\[1\]=-1.0 must be a finite number"),
        ({"class_weight": {1: float("nan")}}, r"class_weight\[1\]=nan must be"),
        (
            {"class_weight": {5: 2.0}},
            r"class_weight names the class 5, which is none of the classes \[0, 1\]",
        ),
        ({"decision": "cost"}, "decision='cost' needs decision_costs"),
        ({"decision_costs": {(0, 1): 1.0}}, "set decision='cost'"),
        ({"decision": "cost", "decision_costs": {0: 1.0}}, "0 is no pair"),
        ({"decision": "cost", "decision_costs": {(0, 1): -2}}, "must be a finite number, 0 or more"),
        ({"decision": "cost", "decision_costs": {(0, 7): 2}}, "decision_costs names the class 7"),
        ({"decision": "best"}, "The 'decision' parameter of OnlineBaggingClassifier must be"),
        ({"coverages": (0.9, 1.0)}, "coverages: 1.0 does not lie between 0 and 1"),
        ({"coverages": ()}, "must be a sequence of numbers"),
        ({"coverages": (0.5, 0.5)}, "names one of them twice"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    model = bagging(**options)
    with pytest.raises(ValueError, match=message):
        model.partial_fit([[0.0], [1.0]], [0, 1], classes=[0, 1])
    assert not hasattr(model, "classes_")


def test_what_is_not_kept_is_named():
    model = bagging(coverages=(0.8,)).partial_fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match=r"start it with coverages=\(0.9,\) \(it keeps \[0.8\]\)"):
        model.predict_set([[0.0]])
    with pytest.raises(ValueError, match="keep_health=True"):
        model.health()
    with pytest.raises(ValueError, match="is for two classes, but there are 3"):
        bagging(decision="f1").partial_fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    grown = bagging(decision="g_mean").partial_fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="is for two classes"):
        grown.partial_fit([[2.0], [2.0]], [0, 2])
    assert grown.n_learned_ == 2


# ---- health


def test_health_notices_what_changed():
    rng = np.random.default_rng(0)
    rows = [
        {"a": float(rng.normal()), "b": "xyz"[rng.integers(3)], "c": float(rng.normal())} for _ in range(5000)
    ]
    labels = [int(row["a"] > 0) for row in rows]
    model = sb.OnlineBaggingClassifier(
        n_estimators=3, random_state=1, ballot="label", keep_health=True, coverages=(0.9,)
    )
    for row, label in zip(rows[:3000], labels, strict=False):
        model.learn_one(row, label)
    calm = model.health()
    assert calm.ok, calm.warnings
    assert not calm.drift
    assert calm.error == pytest.approx(1 - sum(model.report().lanes["error_rate"] == 0), abs=1.0)
    assert 0.6 < calm.columns[0].distance_now < 1.0
    assert sum(now for _, now in calm.shares.values()) == pytest.approx(1.0)
    for i, (row, label) in enumerate(zip(rows[3000:3500], labels[3000:3500], strict=True)):
        changed = {**row, "c": row["c"] + 9.0, "b": f"new{i}" if i % 4 == 0 else row["b"]}
        if i % 3:
            del changed["a"]
        model.learn_one(changed, label)
    sick = model.health()
    text = str(sick)
    assert not sick.ok
    assert sick.drift
    for words in (
        "error has risen",
        "column 'a' are missing",
        "column 'b' lately had never",
        "column 'c' are",
    ):
        assert words in text
    assert "0.90" in sick.coverage
    assert "<table" in sick._repr_html_()


# ---- costs along a chain


@pytest.mark.parametrize(("algorithm", "named"), [("adac2", 1.062), ("csb2", 1.127)])
def test_costs_that_leave_one_class_are_warned_of_once(algorithm, named, recwarn):
    X, y, _ = skewed(200)
    dear = sb.CostBoostingClassifier(n_estimators=100, algorithm=algorithm, costs={1: 20}, random_state=1)
    with pytest.warns(UserWarning, match=f"a mistake costs 20 times the other, name {named}"):
        dear.partial_fit(X, y, classes=[0, 1])
    recwarn.clear()
    loaded = sb.load(dear.to_bytes())
    loaded.partial_fit(X, y)
    spread = dear.__class__(n_estimators=100, algorithm=algorithm, costs={1: named, 0: 1}, random_state=1)
    spread.partial_fit(X, y, classes=[0, 1])
    few = dear.__class__(n_estimators=5, algorithm=algorithm, costs={(1, 0): 20}, random_state=1)
    few.partial_fit(X, y, classes=[0, 1])
    assert not [one for one in recwarn if "costs=" in str(one.message)]
