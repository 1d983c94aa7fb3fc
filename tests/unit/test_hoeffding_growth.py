"""How Hoeffding trees grow in ensembles, and how they live within their memory."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from oracle.draws import NODE, uniform

import streamboost as sb
from streamboost import HoeffdingTree, OnlineBaggingClassifier, SingleLearnerClassifier
from tests.catalogue import arrays, key
from tests.inside.handles import core_of, learner_params, tree_nodes

pytestmark = pytest.mark.filterwarnings("ignore:The trees have reached their limit of memory")


def splits(model, lane=0):
    """Number and column of every inner node."""
    return [(n, node[1]) for n, node in enumerate(tree_nodes(model, lane)) if node[0] != "leaf"]


def first_columns(n_trees, rows, **options):
    """The column that each of many bagged trees splits on first: a weak number beside a column of 20 values that says nothing."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, rows)
    X = np.stack([rng.normal(size=rows) + 0.8 * y, rng.integers(0, 20, rows)], axis=1)
    tree = HoeffdingTree(max_depth=1, **options)
    model = OnlineBaggingClassifier(tree, n_estimators=n_trees, random_state=1, categorical_features=[1])
    model.partial_fit(X, y, classes=[0, 1])
    return [splits(model, lane)[0][1] for lane in range(n_trees) if splits(model, lane)]


def test_chance_does_not_choose_columns_of_many_values():
    """Multiway splits of a random column win often without the correction, and hardly ever with it."""
    plain = first_columns(300, 1500, growth="moa")
    corrected = first_columns(300, 1500, growth="moa", chance_correction=2.0)
    both = first_columns(300, 1500, growth="ensemble")
    assert len(plain) == len(corrected) == len(both) == 300
    assert plain.count(1) > 250  # of 1,000 trees 957
    assert corrected.count(1) <= 3  # 0
    assert both.count(1) <= 3  # 1


@pytest.mark.parametrize("null_split", [True, False])
def test_a_single_candidate_splits_at_the_first_attempt(null_split):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = rng.normal(size=(60, 1)) + 0.3 * y[:, None]
    tree = HoeffdingTree(50, delta=1e-7, tie_threshold=0.0, null_split=null_split)
    model = SingleLearnerClassifier(tree)
    model.partial_fit(X[:49], y[:49], classes=[0, 1])
    assert splits(model) == []
    model.partial_fit(X[49:50], y[49:50])
    assert splits(model) == ([] if null_split else [(0, 0)])


def test_the_entropy_is_the_range_of_a_gain():
    """Eight classes, one of them frequent: the entropy is below 1, log2 of the classes is 3, and the bound with it."""
    rng = np.random.default_rng(3)
    y = np.where(rng.random(2000) < 0.9, 0, rng.integers(1, 8, 2000))
    X = rng.normal(size=(2000, 2))
    X[:, 0] += 2.0 * (y > 0)

    def rows_until_split(merit_range):
        tree = HoeffdingTree(10, delta=1e-3, tie_threshold=0.0, merit_range=merit_range)
        model = SingleLearnerClassifier(tree)
        for t in range(0, 2000, 10):
            model.partial_fit(X[t : t + 10], y[t : t + 10], classes=range(8))
            if splits(model):
                return t + 10
        return np.inf

    assert 4 * rows_until_split("entropy") < rows_until_split("classes")


@pytest.mark.parametrize("max_features", [0.3, 0.5, "sqrt"])
def test_the_columns_of_a_node_are_those_of_its_key(max_features, tmp_path):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(3000, 9))
    y = (X.sum(axis=1) > 0).astype(int)
    tree = HoeffdingTree(20, delta=0.3, growth="ensemble", max_features=max_features)
    models = [OnlineBaggingClassifier(tree, n_estimators=5, random_state=11) for _ in range(2)]
    models[0].partial_fit(X, y, classes=[0, 1])
    models[1].partial_fit(X[:1234], y[:1234], classes=[0, 1])
    models[1].save(tmp_path / "m.sboost")
    again = sb.load(tmp_path / "m.sboost").partial_fit(X[1234:], y[1234:])
    take = 4 if max_features == "sqrt" else {0.3: 3, 0.5: 5}[max_features]
    seen = set()
    for lane in range(5):
        assert tree_nodes(again, lane) == tree_nodes(models[0], lane)
        for node, column in splits(models[0], lane):
            draws = [uniform(key(models[0]), node + 2**32 * j, lane, NODE) for j in range(9)]
            assert column in np.argsort(draws)[:take]
            seen.add(column)
    assert len(seen) == 9


def test_naive_bayes_of_narrow_leaves_ignores_the_other_columns():
    """Two columns, one says everything, no splits: a leaf that may only look at the other knows nothing."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 600)
    X = np.stack([rng.normal(size=600) + 8 * y, rng.normal(size=600)], axis=1)
    right = []
    for lane_seed in range(8):
        tree = HoeffdingTree(
            max_depth=0, leaf_prediction="naive_bayes", max_features=0.5, leaf_features="candidates"
        )
        model = SingleLearnerClassifier(tree, random_state=lane_seed).partial_fit(X, y, classes=[0, 1])
        draws = [uniform(key(model), 2**32 * j, 0, NODE) for j in range(2)]
        share = (model.predict(X) == y).mean()
        assert share > 0.99 if draws[0] < draws[1] else share < 0.65
        right.append(share > 0.99)
    assert len(set(right)) == 2


def test_intervals_find_thresholds_among_outliers():
    """Values over many orders of magnitude: evenly spaced thresholds all lie beyond nearly everything, quantiles do not."""
    rng = np.random.default_rng(0)
    X = np.exp(rng.normal(size=(3000, 1)) * 4)
    y = (X[:, 0] > 1).astype(int)
    first = {}
    for observer in ("gaussian", "histogram"):
        tree = HoeffdingTree(growth="moa", numeric_observer=observer, max_depth=1)
        model = SingleLearnerClassifier(tree).partial_fit(X, y, classes=[0, 1])
        first[observer] = tree_nodes(model, 0)[0][2]
    assert first["gaussian"] > 20
    assert 0.3 < first["histogram"] < 3


# ---- memory


def messy(n, seed=0):
    """Rows with new classes and new nominal values all along."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    X[:, 3] = np.floor(np.sqrt(np.arange(n)) * rng.random(n))
    y = ((X[:, 0] > 0) + 2 * (X[:, 1] > 0) + (np.arange(n) > n // 2) * (X[:, 2] > 0) * 4).astype(int)
    return X, y


GREEDY = {"grace_period": 10, "delta": 0.3, "tie_threshold": 0.3, "growth": "ensemble"}


def limited(budget=40_000, **more):
    tree = HoeffdingTree(**GREEDY, max_bytes=budget)
    return OnlineBaggingClassifier(tree, n_estimators=4, random_state=3, categorical_features=[3], **more)


def same_state(a, b):
    a, b = arrays(a), arrays(b)
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("budget", [20_000, 50_000, 100_000])
def test_memory_stays_within_the_budget(budget):
    X, y = messy(6000)
    model = limited(budget, monitor=False, calibration=None)
    free = OnlineBaggingClassifier(
        HoeffdingTree(**GREEDY), n_estimators=4, random_state=3, categorical_features=[3], monitor=False
    )
    for start in range(0, 6000, 100):
        model.partial_fit(X[start : start + 100], y[start : start + 100])
        assert model.memory_bytes() <= 1.06 * 4 * budget
    free.partial_fit(X, y)
    assert free.memory_bytes() > 4 * 110_000
    assert model.memory_bytes() > 0.5 * 4 * budget


def test_the_laws_hold_where_memory_is_short(tmp_path):
    """New values and classes make blocks larger: decisions must not depend on what a call reserved ahead."""
    X, y = messy(2500)
    whole = limited().partial_fit(X, y)
    by_row, threads = limited(), limited(n_jobs=2).partial_fit(X, y)
    for t in range(2500):
        by_row.partial_fit(X[t : t + 1], y[t : t + 1])
    assert same_state(whole, by_row)
    assert same_state(whole, threads)
    half = limited().partial_fit(X[:1200], y[:1200])
    half.save(tmp_path / "m.sboost")
    assert same_state(whole, sb.load(tmp_path / "m.sboost").partial_fit(X[1200:], y[1200:]))
    leaf = arrays(whole)["bank/leaf"].reshape(-1, 2 + len(whole.classes_))
    assert 0 in leaf[:, 1]


@pytest.mark.parametrize(("k", "budget", "seed"), [(2, 9_000, 21), (3, 14_000, 25)])
def test_who_is_given_up_does_not_hang_on_a_rounding(k, budget, seed):
    """Fractional weights: what a leaf promises may fall by the last bit, which those that wait in a queue must not miss."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, (1200, 4)).astype(float), rng.integers(0, k, 1200)
    weight = rng.choice([0.1, 0.3, 0.7, 1.1], 1200)
    tree = HoeffdingTree(grace_period=5, delta=0.5, tie_threshold=0.5, max_bytes=budget)
    straight, stopped = (
        SingleLearnerClassifier(tree, categorical_features=[0, 1, 2, 3], random_state=1) for _ in range(2)
    )
    for t in range(0, 1200, 40):
        part = {"X": X[t : t + 40], "y": y[t : t + 40], "sample_weight": weight[t : t + 40]}
        straight.partial_fit(**part, classes=range(k))
        stopped = pickle.loads(pickle.dumps(stopped.partial_fit(**part, classes=range(k))))
        assert same_state(straight, stopped), t


def n_leaves(model):
    return int(np.asarray(core_of(model).report()["leaves"])[0])


def test_classes_that_come_late_fit_into_the_budget():
    """A full tree has no statistics left to give up when every leaf must hold more classes: splits are taken back."""
    rng = np.random.default_rng(5)
    budget, n = 40_000, 4000
    X = np.column_stack([rng.random((n, 3)), rng.integers(0, 4, n)])
    y = (X[:, :3] > 0.5) @ [1, 2, 4]
    late = SingleLearnerClassifier(
        HoeffdingTree(**GREEDY, max_bytes=budget), categorical_features=[3], monitor=False, calibration=None
    )
    late.partial_fit(X, y)
    leaves = n_leaves(late)
    for label in range(8, 200):
        late.partial_fit(X[:1] + label, [label])
        # What a model keeps beside its tree grows with the classes too (their room doubles), and with its leaves the queue of
        # those that may yield.
        assert late.memory_bytes() <= 1.15 * budget, label
    assert 1 <= n_leaves(late) < leaves
    again = copy.deepcopy(late)
    answers = late.test_then_train(X[:500], y[:500])
    assert again.test_then_train(X[:500], y[:500]).tolist() == answers.tolist()
    assert same_state(late, again)


def test_an_ensemble_shares_its_memory_and_says_once_when_it_is_short():
    X, y = messy(6000)
    model = OnlineBaggingClassifier(
        HoeffdingTree(**GREEDY), n_estimators=4, random_state=3, categorical_features=[3], max_bytes=250_000
    )
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for start in range(0, 6000, 500):
            model.partial_fit(X[start : start + 500], y[start : start + 500])
            assert model.memory_bytes() <= 1.05 * 250_000
    assert sum("limit of memory" in str(warning.message) for warning in said) == 1
    lanes = model.report().lanes
    assert (lanes["idle_leaves"] > 0).all()
    assert (lanes["leaves"] > lanes["idle_leaves"]).all()


def test_trees_in_the_background_count():
    X, y = messy(5000)
    model = OnlineBaggingClassifier(
        HoeffdingTree(**GREEDY),
        n_estimators=3,
        random_state=3,
        categorical_features=[3],
        max_bytes=300_000,
        drift=sb.drift.ADWIN(1e-12, warning=0.9),
    )
    for start in range(0, 5000, 500):
        model.partial_fit(X[start : start + 500], y[start : start + 500])
        assert model.memory_bytes() <= 1.05 * 300_000
    assert model.report().lanes["warnings"].sum() > 0
    assert (model.report().lanes["idle_leaves"] > 0).all()


def test_a_tree_that_is_replaced_leaves_no_memory_behind():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(6200, 10))
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0)).astype(int)
    y[6000:] = 1 - y[6000:]
    model = OnlineBaggingClassifier(
        HoeffdingTree(**GREEDY), n_estimators=4, drift="adwin", random_state=3
    ).partial_fit(X[:6000], y[:6000])
    grown = model.memory_bytes()
    model.partial_fit(X[6000:], y[6000:])
    assert (model.report().lanes["replacements"] == 1).all()
    assert model.memory_bytes() < 0.2 * grown
    assert model.memory_bytes() < 1.5 * sb.load(model.to_bytes()).memory_bytes()


def test_each_tree_has_its_share_or_its_own_limit():
    def limit(model):
        return learner_params(model)["max_bytes"]

    assert limit(OnlineBaggingClassifier(HoeffdingTree())) == 2**28 // 100
    assert limit(OnlineBaggingClassifier(HoeffdingTree(max_bytes=5000))) == 5000
    assert limit(OnlineBaggingClassifier(HoeffdingTree(max_bytes=5000), max_bytes=100_000)) == 800
    assert limit(OnlineBaggingClassifier(HoeffdingTree(), max_bytes=None)) is None
    assert limit(SingleLearnerClassifier(HoeffdingTree())) == 2**28
    assert limit(sb.OnlineMBBMClassifier(HoeffdingTree(), n_estimators=10, edge=0.1)) == 2**28 // 10
    several = sb.OnlineMBBMClassifier(HoeffdingTree(), n_estimators=10, edge=[0.1, 0.2])
    assert limit(several) == 2**28 // 20
    assert limit(sb.StreamBoostClassifier()) == 3 * 2**26 // 60, "remembered rows have a fifth"
    assert limit(sb.StreamBoostClassifier(max_bytes=5_000_000)) == 3_000_000 // 60
    assert limit(sb.StreamBoostClassifier(companions=())) == 2**28 // 60, (
        "each of 30 trees may have another one growing beside it"
    )
    assert (
        limit(sb.StreamBoostClassifier(companions=("history",), background=False))
        == limit(sb.StreamBoostClassifier(companions=(), drift=None))
        == 2**28 // 30
    )
