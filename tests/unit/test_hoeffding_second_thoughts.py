"""Hoeffding trees that reconsider their splits, and splits that group the values of a nominal column."""

import copy
from itertools import combinations

import numpy as np
import pytest
from sklearn.base import clone

import streamboost as sb
from streamboost import HoeffdingTree, OnlineBaggingClassifier, SingleLearnerClassifier
from streamboost.learners import tree_dot, tree_text
from tests.catalogue import arrays
from tests.inside.handles import core_of, session_of, tree_nodes

pytestmark = pytest.mark.filterwarnings("ignore:The trees have reached their limit of memory")


def state(model):
    return arrays(model)


def same_state(a, b):
    a, b = state(a), state(b)
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


def first_column(model, lane=0):
    return tree_nodes(model, lane)[0][1]


def changing(n, seed=0):
    """Column 0 decides, then column 1 does; both in a tree of two leaves."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.where(np.arange(n) < n // 4, X[:, 0] > 0, X[:, 1] > 0).astype(int)


def test_a_tree_recovers_from_a_change_if_it_reconsiders():
    """Two leaves of majorities: the plain tree keeps the column that decided first for ever."""
    X, y = changing(8000)
    options = {"growth": "moa", "max_leaves": 2, "leaf_prediction": "majority"}
    late, columns = {}, {}
    for name, reevaluate in (("plain", None), ("second thoughts", 200)):
        model = SingleLearnerClassifier(HoeffdingTree(**options, reevaluate=reevaluate))
        right = model.test_then_train(X, y, classes=[0, 1]) == y
        assert right[1000:2000].mean() > 0.9
        late[name], columns[name] = right[7000:].mean(), first_column(model)
    assert columns == {"plain": 0, "second thoughts": 1}
    assert late["plain"] < 0.6
    assert late["second thoughts"] > 0.8  # a threshold among ten, of statistics of both times


def test_a_split_that_says_nothing_any_more_is_taken_back():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20_000, 2))
    y = np.where(np.arange(20_000) < 1000, X[:, 0] > 0, rng.random(20_000) < 0.5).astype(int)
    tree = HoeffdingTree(growth="moa", delta=1e-7, max_depth=1, reevaluate=500)
    model = SingleLearnerClassifier(tree)
    model.partial_fit(X[:1000], y[:1000], classes=[0, 1])
    assert first_column(model) == 0
    model.partial_fit(X[1000:], y[1000:])
    assert first_column(model) == -1
    leaf = tree_nodes(model, 0)[0]
    assert leaf[6] == pytest.approx(np.bincount(y).tolist())  # it has learned every row itself


def forest(**options):
    tree = HoeffdingTree(10, delta=0.2, tie_threshold=0.6, reevaluate=30, nominal_split="grouped", **options)
    return OnlineBaggingClassifier(tree, n_estimators=4, random_state=3, categorical_features=[3])


def messy(n, seed=1):
    """New classes and values all along; who decides changes every 300 rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    X[:, 3] = np.floor(np.sqrt(np.arange(n)) * rng.random(n))
    deciding = X[np.arange(n), (np.arange(n) // 300) % 3] > 0
    return X, deciding + 2 * (X[:, 3] % 3 == 1) + 4 * ((np.arange(n) > n // 2) & (X[:, 4] > 1))


@pytest.mark.parametrize(
    "options",
    [{}, {"max_bytes": 30_000}, {"max_features": "sqrt", "leaf_features": "candidates", "max_bytes": 15_000}],
)
def test_the_laws_hold_for_second_thoughts(options, tmp_path):
    X, y = messy(1500)
    whole, by_row = forest(**options).partial_fit(X, y), forest(**options)
    threads = forest(**options).set_params(n_jobs=2).partial_fit(X, y)
    sizes = []
    for t in range(1500):
        by_row.partial_fit(X[t : t + 1], y[t : t + 1])
        sizes.append(len(tree_nodes(by_row, 0)))
    assert same_state(whole, by_row)
    assert same_state(whole, threads)
    half = forest(**options).partial_fit(X[:700], y[:700])
    half.save(tmp_path / "m.sboost")
    assert same_state(whole, sb.load(tmp_path / "m.sboost").partial_fit(X[700:], y[700:]))
    assert max(sizes) > 5
    assert min(np.diff(sizes)) < 0  # subtrees have gone


@pytest.mark.parametrize("budget", [20_000, 60_000])
def test_records_of_inner_nodes_count_into_the_budget(budget):
    X, y = messy(4000)
    model = forest(max_bytes=budget).set_params(monitor=False, calibration=None)
    for start in range(0, 4000, 100):
        model.partial_fit(X[start : start + 100], y[start : start + 100])
        assert model.memory_bytes() <= 1.05 * 4 * budget
    assert (np.asarray(core_of(model).report()["leaves"]) > 1).all()


def test_files_hold_what_is_kept_only_where_it_is_kept():
    X, y = messy(300)
    with_it = state(forest().partial_fit(X, y))
    plain = state(OnlineBaggingClassifier(HoeffdingTree(10, delta=0.2), n_estimators=2).partial_fit(X, y))
    assert {"bank/kept", "bank/groups"} <= set(with_it)
    assert not {"bank/kept", "bank/groups"} & set(plain)


# ---- groups


def gain(left, right):
    """Information gain of two rows of class counts."""

    def entropy(counts):
        shares = counts[counts > 0] / counts.sum()
        return -(shares * np.log2(shares)).sum()

    both = left + right
    return entropy(both) - (left.sum() * entropy(left) + right.sum() * entropy(right)) / both.sum()


def values_stream(n, classes, seed):
    """One column of 7 values; each has class rates of its own."""
    rng = np.random.default_rng(seed)
    rates = rng.dirichlet(np.ones(classes) * 2, 7)
    v = rng.integers(0, 7, n)
    y = np.array([rng.choice(classes, p=rates[a]) for a in v])
    return v[:, None].astype(float), y


def grouped_stump(**options):
    tree = HoeffdingTree(
        400, delta=0.5, tie_threshold=10, nominal_split="grouped", max_depth=1, growth="vfdt", **options
    )
    return SingleLearnerClassifier(tree, categorical_features=[0])


@pytest.mark.parametrize("seed", range(5))
def test_of_two_classes_the_best_of_all_groupings_is_found(seed):
    X, y = values_stream(400, 2, seed)
    model = grouped_stump().partial_fit(X, y, classes=[0, 1])
    named = set(tree_nodes(model, 0)[0][7])
    codes = list(model.columns_.values[0])
    count = np.array([[np.sum((X[:, 0] == value) & (y == c)) for c in (0, 1)] for value in codes], float)

    def of(group):
        inside = np.isin(np.arange(7), list(group))
        return gain(count[inside].sum(0), count[~inside].sum(0))

    best = max(of(group) for size in (1, 2, 3) for group in combinations(range(7), size))
    assert of(named) == pytest.approx(best)
    assert count[list(named)].sum() <= 200  # the lighter group


def test_of_three_classes_values_are_sorted_by_the_rate_of_the_most_frequent():
    X, y = values_stream(400, 3, 11)
    model = grouped_stump().partial_fit(X, y, classes=[0, 1, 2])
    named = set(tree_nodes(model, 0)[0][7])
    codes = list(model.columns_.values[0])
    most = np.bincount(y).argmax()
    rate = np.array([(y[X[:, 0] == value] == most).mean() for value in codes])
    order = np.argsort(rate).tolist()
    assert named in [set(order[: len(named)]), set(order[-len(named) :])]


def test_a_value_the_leaf_has_not_seen_goes_with_the_heavier_group():
    X, y = values_stream(400, 2, 2)
    model = grouped_stump().partial_fit(X, y, classes=[0, 1])
    before = [node[6] for node in tree_nodes(model, 0)]
    model.partial_fit([[99.0]], [0])
    after = [node[6] for node in tree_nodes(model, 0)]
    assert [sum(b) - sum(a) for a, b in zip(before, after, strict=True)] == [0, 0, 1]


def test_groups_are_drawn():
    frame = [{"colour": c} for c in ("red", "green", "blue", "pink")]
    tree = HoeffdingTree(50, delta=0.4, tie_threshold=9, nominal_split="grouped", max_depth=1)
    model = SingleLearnerClassifier(tree)
    for t in range(100):
        model.learn_one(frame[t % 4], "warm" if t % 4 in (0, 3) else "cold")
    assert tree_text(model).splitlines() == [
        "colour in {green, blue}: cold (weight 50.0 of 50.0)",
        "colour not in {green, blue}: warm (weight 50.0 of 50.0)",
    ]
    assert "colour in {green, blue}" in tree_dot(model)


# ---- hostile files


def refuses(model, X, y, change):
    arrays = {name: array.copy() for name, array in state(model).items()}
    change(arrays)
    fresh = clone(model).partial_fit(X[:1], y[:1], classes=model.classes_)
    session_of(fresh).schema, session_of(fresh).labels = session_of(model).schema, session_of(model).labels
    session_of(fresh).reserve_all()
    with pytest.raises(ValueError, match="broken state"):
        core_of(fresh).restore(arrays)


@pytest.fixture(scope="module")
def grown():
    X, y = messy(900)
    y = y % 4
    tree = HoeffdingTree(10, delta=0.2, tie_threshold=0.6, reevaluate=30, nominal_split="grouped")
    model = SingleLearnerClassifier(tree, categorical_features=[3]).partial_fit(X, y, classes=range(4))
    arrays = state(model)
    assert len(arrays["bank/groups"]) > 4
    return model, X, y


def put(name, at, value):
    def change(arrays):
        arrays[name].flat[at] = value

    return change


def node_of(arrays, kind):
    return next(n for n, node in enumerate(arrays["bank/nodes"].reshape(-1, 6)) if node[0] == kind)


CHANGES = {
    "nodes ever made": put("bank/kept", 0, -1),
    "record of another": lambda a: a["bank/kept"].__setitem__(1, a["bank/kept"][1] + 1),
    "record beyond all": put("bank/kept", 1, 10**6),
    "negative number": put("bank/kept", 2, -5),
    "record of a leaf": lambda a: a["bank/kept"].__setitem__(1 + 2 * node_of(a, 0), 0),
    "inner node as leaf": lambda a: a["bank/leaf"].__setitem__(1 + 6 * a["bank/kept"][1], 1),
    "unknown state": lambda a: a["bank/leaf"].__setitem__(1, 7),
    "no value": put("bank/groups", 0, 0),
    "more values than there are": put("bank/groups", 0, 10**6),
    "negative value": put("bank/groups", 1, -2),
    "unknown value": lambda a: a["bank/groups"].__setitem__(int(a["bank/groups"][0]), 10**6),
    "descending values": lambda a: a["bank/groups"].__setitem__(1, 10**5),
    "group elsewhere": lambda a: a["bank/threshold"].__setitem__(node_of(a, 4), 1.0),
    "group between two": lambda a: a["bank/threshold"].__setitem__(node_of(a, 4), 0.5),
    "group far away": lambda a: a["bank/threshold"].__setitem__(node_of(a, 4), 1e18),
    "group of a number": lambda a: a["bank/nodes"].__setitem__(6 * node_of(a, 1), 4),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_broken_records_and_groups_are_refused(change, grown):
    refuses(*grown, change)


def test_a_sound_file_is_believed(grown):
    model, X, y = grown
    again = copy.deepcopy(model)
    assert same_state(again, model)
    assert same_state(again.partial_fit(X, y), model.partial_fit(X, y))
