"""Hoeffding trees: what they conserve, what limits them, what a file may not say, how they are drawn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.hoeffding import HoeffdingTree as Oracle
from oracle.single import Single
from sklearn.base import clone

from streamboost import (
    HoeffdingTree,
    NaiveBayes,
    OnlineBaggingClassifier,
    OnlineBoostingClassifier,
    OSBoostClassifier,
    SingleLearnerClassifier,
    StreamBoostClassifier,
)
from streamboost.learners import tree_dot, tree_text
from tests.catalogue import arrays
from tests.inside.handles import core_of, learner_params, session_of, tree_nodes

pytestmark = pytest.mark.filterwarnings("ignore:The trees have reached their limit of memory")
EAGER = {"grace_period": 10, "delta": 0.2, "tie_threshold": 0.3}


def stream(n, d=4, k=3, seed=0, nominal=(), missing=0.0, weighted=False):
    """Rows whose class depends on two columns, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    for j in nominal:
        X[:, j] = rng.integers(0, 4, n)
    score = X[:, 0] + (X[:, 1] if d > 1 else 0) + rng.normal(scale=0.4, size=n)
    y = np.digitize(score, np.quantile(score, np.arange(1, k) / k))
    X[rng.random((n, d)) < missing] = np.nan
    weight = rng.choice([0.25, 1.0, 2.0, 7.5], n) if weighted else np.ones(n)
    return X, y, weight


def state(model):
    return arrays(model)


def leaves(model, lane=0):
    return [node for node in tree_nodes(model, lane) if node[0] == "leaf"]


def total_mass(model, lane=0):
    return sum(sum(node[6]) for node in leaves(model, lane))


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize(
    ("nominal", "options"),
    [
        ((), {}),
        ((), {"criterion": "gini", "leaf_prediction": "majority"}),
        ((), {"count_mode": "effective", "n_split_points": 3}),
        ((0, 1, 2, 3), {}),
        ((0, 1, 2, 3), {"nominal_split": "binary", "criterion": "gini"}),
        ((1, 2), {"leaf_prediction": "naive_bayes"}),
        ((2,), {"pass_on": "seen", "alpha": 0.0}),
        ((0, 3), {"nominal_split": "binary", "max_depth": 2, "max_leaves": 5}),
        ((0, 3), {"nominal_split": "both", "chance_correction": 2.0}),
        ((0, 1, 2, 3), {"growth": "ensemble", "criterion": "gain_ratio"}),
        ((1,), {"growth": "ensemble", "max_features": 0.5}),
        ((1, 3), {"growth": "moa", "max_features": "sqrt", "leaf_features": "candidates"}),
        ((), {"null_split": False, "max_features": 0.2, "leaf_features": "candidates"}),
        ((2,), {"growth": "ensemble", "numeric_observer": "histogram", "n_bins": 5, "n_split_points": 4}),
        (
            (),
            {
                "numeric_observer": "histogram",
                "n_bins": 16,
                "merit_range": "entropy",
                "criterion": "gain_ratio",
            },
        ),
        ((0,), {"criterion": "gini", "nominal_split": "both", "numeric_observer": "histogram"}),
        ((0, 1, 2, 3), {"nominal_split": "grouped"}),
        ((0, 1), {"nominal_split": "grouped", "criterion": "gini", "leaf_prediction": "naive_bayes"}),
        ((0, 2), {"growth": "ensemble", "nominal_split": "grouped", "criterion": "gain_ratio"}),
        ((), {"reevaluate": 20}),
        ((0, 1, 2), {"reevaluate": 15, "nominal_split": "grouped", "tie_threshold": 0.9}),
        ((0, 1), {"reevaluate": 15, "nominal_split": "both", "chance_correction": 1.0, "tie_threshold": 0.9}),
        (
            (1,),
            {"reevaluate": 12, "criterion": "gain_ratio", "tie_threshold": 0.9, "count_mode": "effective"},
        ),
        ((2,), {"reevaluate": 12, "criterion": "gini", "max_leaves": 4, "tie_threshold": 0.9}),
        (
            (1, 3),
            {"reevaluate": 10, "max_features": "sqrt", "leaf_features": "candidates", "tie_threshold": 0.9},
        ),
        ((0,), {"reevaluate": 25, "numeric_observer": "histogram", "pass_on": "seen", "max_features": 0.5}),
    ],
)
@settings(max_examples=4)
@given(seed=st.integers(0, 2**31 - 1), missing=st.sampled_from([0.0, 0.15]))
def test_long_streams_agree_with_the_oracle(nominal, options, missing, k, seed):
    options = {**EAGER, **options}
    X, y, weight = stream(120, k=k, seed=seed, nominal=nominal, missing=missing, weighted=True)
    model = SingleLearnerClassifier(
        HoeffdingTree(**options), categorical_features=list(nominal), calibration=None, random_state=3
    )
    proba = model.test_then_train(X, y, classes=range(k), sample_weight=weight, output="proba")
    oracle = Single(
        lambda columns, n_classes, key, lane: Oracle(columns, n_classes, key, lane, **options),
        3,
        width=4,
        nominal=nominal,
        n_classes=k,
    )
    for t, (x, label, w) in enumerate(zip(X.tolist(), y.tolist(), weight.tolist(), strict=True)):
        if t:
            expected = oracle.answer(x)
            if not expected.close:
                np.testing.assert_allclose(proba[t], expected.proba, rtol=1e-7, atol=1e-9, err_msg=f"row {t}")
        oracle.learn(x, label, w)
        if oracle.doubt:
            return
    assert len(leaves(model)) == oracle.lanes[0].n_leaves


@given(seed=st.integers(0, 1000), binary=st.booleans(), missing=st.sampled_from([0.0, 0.3]))
@settings(max_examples=10)
def test_splits_conserve_mass(seed, binary, missing):
    X, y, weight = stream(300, seed=seed, nominal=(1,), missing=missing, weighted=True)
    tree = HoeffdingTree(**EAGER, nominal_split="binary" if binary else "multiway")
    model = SingleLearnerClassifier(tree, categorical_features=[1]).fit(X, y, sample_weight=weight)
    assert len(leaves(model)) > 2
    assert total_mass(model) == pytest.approx(weight.sum(), rel=1e-12)
    for c in range(3):
        of_class = sum(node[6][c] for node in leaves(model))
        assert of_class == pytest.approx(weight[y == c].sum(), rel=1e-12)


def test_a_weight_twice_is_twice_the_weight():
    X, y, _ = stream(60, nominal=(2,), missing=0.1)
    patient = HoeffdingTree(grace_period=1e9)
    twice = SingleLearnerClassifier(patient, categorical_features=[2]).partial_fit(
        np.repeat(X, 2, axis=0), np.repeat(y, 2), classes=range(3), sample_weight=np.full(120, 1.5)
    )
    once = SingleLearnerClassifier(patient, categorical_features=[2]).partial_fit(
        X, y, classes=range(3), sample_weight=np.full(60, 3.0)
    )
    a, b = state(twice), state(once)
    np.testing.assert_allclose(a["bank/cells"], b["bank/cells"], rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(a["bank/head"][5:8], b["bank/head"][5:8])


def test_the_bound_shrinks_with_weight_but_not_with_heavy_examples_if_they_are_counted():
    """Weights of 50 make a tree of 60 rows grow; counted as examples they do not."""
    X, y, _ = stream(60, k=2)
    options = {"grace_period": 10, "delta": 1e-3, "tie_threshold": 0.05}

    def grown(weight, mode):
        tree = HoeffdingTree(**options, count_mode=mode)
        model = SingleLearnerClassifier(tree).fit(X, y, sample_weight=np.full(60, weight))
        return len(leaves(model))

    assert grown(1.0, "weight") <= grown(5.0, "weight") <= grown(50.0, "weight")
    assert grown(50.0, "weight") > 1
    assert grown(50.0, "effective") == 1


@pytest.mark.parametrize(
    ("limit", "most"), [({"max_depth": 1}, 2), ({"max_leaves": 5}, 5), ({"max_depth": 0}, 1)]
)
def test_limits(limit, most):
    X, y, _ = stream(800)
    free = SingleLearnerClassifier(HoeffdingTree(**EAGER)).fit(X, y)
    model = SingleLearnerClassifier(HoeffdingTree(**EAGER, **limit)).fit(X, y)
    assert len(leaves(model)) <= most < len(leaves(free))


def used_bytes(model):
    """Bytes of the arrays of a model of one tree, by their lengths."""
    arrays = {n: a for n, a in state(model).items() if n.startswith("bank/") and not n.endswith(".length")}
    arrays.pop("bank/values_known")
    return sum(a.size * (8 if a.dtype == np.float64 else 4) for a in arrays.values())


@pytest.mark.parametrize("cap", [500, 3000, 6000, 20000])
def test_memory_cap(cap):
    X, y, _ = stream(3000, d=6)
    model = SingleLearnerClassifier(HoeffdingTree(**EAGER, max_bytes=cap))
    for start in range(0, 3000, 100):
        model.partial_fit(X[start : start + 100], y[start : start + 100], classes=range(3))
        assert used_bytes(model) <= max(cap, 300)  # one empty leaf is the least there is
    active = state(model)["bank/leaf"].reshape(-1, 2 + 3)[:, 1]
    assert 0 in active
    assert total_mass(model) == pytest.approx(3000)
    majority = np.bincount(y).max() / 3000
    assert (model.predict(X) == y).mean() > (majority - 0.01 if cap < 1000 else majority + 0.1)


def test_a_leaf_that_becomes_promising_observes_again():
    """First class 0 is mixed on the left, then everything happens on the right."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(4000, 3))
    y = np.where(X[:, 0] < 0, rng.integers(0, 2, 4000), 2)
    y[2000:] = np.where(X[2000:, 0] < 0, 0, np.where(X[2000:, 1] > 0, 1, 2))
    model = SingleLearnerClassifier(HoeffdingTree(grace_period=50, delta=1e-3, max_bytes=3000))
    model.partial_fit(X[:2000], y[:2000], classes=[0, 1, 2])
    model.partial_fit(X[2000:], y[2000:])
    right = X[:, 0] > 0
    assert (model.predict(X[2000:][right[2000:]]) == y[2000:][right[2000:]]).mean() > 0.8


def test_memory_bytes_counts_every_array():
    X, y, _ = stream(500)
    model = SingleLearnerClassifier(HoeffdingTree(**EAGER), monitor=False).fit(X, y)
    before = used_bytes(model)
    assert before <= model.memory_bytes() <= 2 * before + 2000
    model.partial_fit(X, y)
    assert model.memory_bytes() > before


def test_trees_are_different_by_their_own_numbers():
    X, y, _ = stream(400, d=6)
    same = OnlineBaggingClassifier(
        HoeffdingTree(**EAGER), n_estimators=4, sampling="fraction", fraction=1.0, random_state=1
    ).fit(X, y)
    assert len({tree_text(same, lane) for lane in range(4)}) == 1
    for options in (
        {"grace_period": (5, 50)},
        {"delta": (1e-6, 0.9)},
        {"feature_fraction": 0.5},
    ):
        model = OnlineBaggingClassifier(
            HoeffdingTree(**{**EAGER, **options}),
            n_estimators=4,
            sampling="fraction",
            fraction=1.0,
            random_state=1,
        ).fit(X, y)
        assert len({tree_text(model, lane) for lane in range(4)}) > 1


def test_subset_trees_look_at_their_columns_only():
    X, y, _ = stream(1500, d=6)
    model = OnlineBaggingClassifier(
        HoeffdingTree(**EAGER, feature_fraction=0.34), n_estimators=8, random_state=1
    ).fit(X, y)
    for lane in range(8):
        assert len({node[1] for node in tree_nodes(model, lane)} - {-1}) <= 2


def test_auto_is_what_the_ensemble_says():
    tree = HoeffdingTree(delta=0.5)
    assert tree.plan().params["grace_period"].tolist() == [5, 20]
    assert tree.plan().params["nominal_split"] == "both"
    filled = tree.plan(grace_period=(5, 30), delta=(0.1, 0.2)).params
    assert filled["grace_period"].tolist() == [5, 30]
    assert filled["delta"] == 0.5
    alone = learner_params(SingleLearnerClassifier(tree))
    assert (alone["grace_period"], alone["delta"], alone["nominal_split"]) == (200, 0.5, "multiway")
    named = learner_params(OnlineBaggingClassifier(HoeffdingTree(growth="moa", grace_period=70)))
    assert (named["grace_period"], named["delta"], named["null_split"]) == (70, 0.01, False)


@pytest.mark.parametrize("wrong", [(5,), (5, 2), (0, 3), (1, np.inf), "often", -1, [[1, 2]]])
def test_a_wrong_range_is_named(wrong):
    with pytest.raises((ValueError, TypeError), match="grace_period"):
        SingleLearnerClassifier(HoeffdingTree(grace_period=wrong)).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("leaf", ["adaptive", "majority", "naive_bayes"])
def test_leaves_answer_as_they_are_told(leaf):
    """Two normal classes and no splits: the majority knows nothing, naive Bayes everything."""
    rng = np.random.default_rng(0)
    y = (rng.random(2000) < 0.4).astype(int)
    X = rng.normal(size=(2000, 3)) + 3 * y[:, None]
    model = SingleLearnerClassifier(HoeffdingTree(max_depth=0, leaf_prediction=leaf))
    right = (model.test_then_train(X, y, classes=[0, 1]) == y)[1000:].mean()
    assert right == pytest.approx(0.6, abs=0.05) if leaf == "majority" else right > 0.98


def test_better_than_naive_bayes_where_columns_act_together():
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (8000, 4))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0.1)
    tree, bayes = (
        (SingleLearnerClassifier(a).test_then_train(X, y, classes=[False, True]) == y)[6000:].mean()
        for a in (HoeffdingTree(), NaiveBayes())
    )
    assert bayes < 0.65
    assert tree > 0.85


@pytest.mark.parametrize("ensemble", [OnlineBaggingClassifier, OnlineBoostingClassifier, OSBoostClassifier])
def test_ensembles_of_trees_learn(ensemble):
    X, y, _ = stream(3000, d=6, k=2)
    model = ensemble(HoeffdingTree(grace_period=50, delta=1e-3), n_estimators=10, random_state=0)
    answers = model.test_then_train(X, y, classes=[0, 1])
    assert (answers == y)[1500:].mean() > 0.75


def test_empty_rows_of_missing_values_are_learned():
    model = SingleLearnerClassifier(HoeffdingTree(grace_period=1))
    X = np.full((20, 2), np.nan)
    model.partial_fit(X, [0, 1, 1, 1] * 5, classes=[0, 1])
    assert model.predict(X[:1]).tolist() == [1]
    assert len(leaves(model)) == 1


# ---- files

FIELDS = {"kind": 0, "column": 1, "first": 2, "branches": 3, "fallback": 4, "value": 5}


@pytest.fixture(scope="module")
def grown():
    X, y, _ = stream(600, nominal=(1,))
    return SingleLearnerClassifier(HoeffdingTree(**EAGER), categorical_features=[1]).fit(X, y)


def refuses(model, change, match="broken state"):
    arrays = {name: array.copy() for name, array in state(model).items()}
    change(arrays)
    fresh = clone(model).partial_fit(*stream(1, nominal=(1,))[:2], classes=range(3))
    session_of(fresh).schema, session_of(fresh).labels = session_of(model).schema, session_of(model).labels
    session_of(fresh).reserve_all()
    with pytest.raises(ValueError, match=match):
        core_of(fresh).restore(arrays)


def inner(arrays, kind=None):
    """A split node (of that kind), by number."""
    nodes = arrays["bank/nodes"].reshape(-1, 6)
    return next(n for n, node in enumerate(nodes) if (node[0] > 0 if kind is None else node[0] == kind))


def put(field, value, kind=None):
    def change(arrays):
        at = inner(arrays, kind)
        nodes = arrays["bank/nodes"].reshape(-1, 6)
        nodes[at, FIELDS[field]] = value(at, nodes) if callable(value) else value

    return change


HOSTILE_NODES = {
    "child beyond the end": put("first", 10**6),
    "negative child": put("first", -5),
    "child is its own parent": put("first", lambda at, nodes: at),
    "child before its parent": put("first", 0),
    "children overlap": put("first", lambda at, nodes: nodes[at, 2] + 1),
    "column beyond the width": put("column", 99),
    "negative column": put("column", -1),
    "numeric test on a nominal column": put("column", 1, kind=1),
    "nominal test on a numeric column": put("column", 0, kind=2),
    "unknown kind": put("kind", 7),
    "negative kind": put("kind", -1),
    "no branches": put("branches", 0),
    "one branch": put("branches", 1),
    "too many branches": put("branches", 10**6),
    "fallback beyond the branches": put("fallback", 2, kind=1),
    "negative fallback": put("fallback", -1),
}


@pytest.mark.parametrize("name", HOSTILE_NODES)
def test_hostile_nodes_are_refused(grown, name):
    refuses(grown, HOSTILE_NODES[name])


def edit(field, at, value):
    def change(arrays):
        arrays[f"bank/{field}"][at] = value

    return change


def leaf_number(value):
    def change(arrays):
        nodes = arrays["bank/nodes"].reshape(-1, 6)
        at = next(n for n, node in enumerate(nodes) if node[0] == 0)
        nodes[at, 2] = value

    return change


def branch_value(value):
    def change(arrays):
        nodes = arrays["bank/nodes"].reshape(-1, 6)
        nodes[nodes[inner(arrays, 2), 2], 5] = value

    return change


HOSTILE_LEAVES = {
    "leaf number beyond the end": leaf_number(10**6),
    "negative leaf number": leaf_number(-1),
    "two nodes with one leaf": leaf_number(1),
    "wrong depth": edit("leaf", 0, 9),
    "neither active nor not": edit("leaf", 1, 2),
    "block beyond the end": edit("leaf", 2, 10**6),
    "block below nothing": edit("leaf", 2, -2),
    "owner is another leaf": edit("owner", 0, 10**6),
    "owner is another class": edit("owner", 1, 77),
    "negative waited": edit("head", 0, -1.0),
    "negative mass": edit("head", 5, -1.0),
    "not finite": edit("threshold", 0, np.nan),
    "negative precision": edit("cells", 9, -1.0),
    "negative weight": edit("cells", 17, -1.0),
    "value beyond the categories": branch_value(1000),
    "value below nothing": branch_value(-1),
    "too many values known": edit("values_known", 1, 10**9),
    "values of a numeric column": edit("values_known", 0, 2),
}


@pytest.mark.parametrize("name", HOSTILE_LEAVES)
def test_hostile_leaves_are_refused(grown, name):
    refuses(grown, HOSTILE_LEAVES[name], match="broken state|finite")


@pytest.mark.parametrize("field", ["nodes", "threshold", "head", "leaf", "cells", "owner"])
@pytest.mark.parametrize("how", ["cut", "empty", "length"])
def test_wrong_lengths_are_refused(grown, field, how):
    def change(arrays):
        name = f"bank/{field}"
        if how == "length":
            arrays[name + ".length"][0] += 1
            return
        arrays[name] = arrays[name][: -1 if how == "cut" else 0]
        arrays[name + ".length"][0] = len(arrays[name])

    refuses(grown, change, match="broken|wrong type or shape")


def test_too_large_for_an_index_is_refused(grown):
    refuses(grown, edit("nodes", 2, 2**40), match="32 bits")


# ---- drawings


def test_drawing_names_columns_values_and_classes():
    rng = np.random.default_rng(0)
    model = SingleLearnerClassifier(HoeffdingTree(grace_period=20, delta=0.1, leaf_prediction="majority"))
    for _ in range(400):
        colour, size = rng.choice(["red", "green", "blue"]), rng.normal()
        taste = "sour" if colour == "green" else ("sweet" if size > 0 else "bland")
        model.learn_one({"colour": str(colour), "size": float(size)}, taste)
    text = tree_text(model)
    assert "colour = green: sour" in text
    assert "size <= " in text
    assert "sweet (weight" in text
    assert "|   " in text
    dot = tree_dot(model)
    assert dot.startswith("digraph tree {")
    assert dot.rstrip().endswith("}")
    assert dot.count("->") == len(tree_nodes(model, 0)) - 1
    assert 'label="colour"' in dot
    assert "style=bold" in dot


def test_trees_of_a_model_with_lags_name_past_labels():
    X = np.random.default_rng(0).normal(size=(4000, 2))
    y = np.tile(["no", "no", "yes", "yes"], 1000)
    model = StreamBoostClassifier(lags=2, companions=(), n_estimators=3, random_state=1).partial_fit(X, y)
    assert any("target[-2] = no: yes" in tree_text(model, lane) for lane in range(3))
    assert any('label="target[-2]"' in tree_dot(model, lane) for lane in range(3))
    assert model.impurity_importances_.shape == (2,)
    assert model.impurity_importances_.sum() < 0.1


def test_drawing_an_untrained_tree_and_other_learners():
    model = OnlineBaggingClassifier(HoeffdingTree(), n_estimators=2, random_state=0)
    model.partial_fit([[0.0, 1.0]], ["a"], classes=["a", "b"], sample_weight=[1e-12])
    assert tree_text(model) == "nothing learned"
    with pytest.raises(ValueError, match="learners 0 to 1"):
        tree_text(model, 2)
    with pytest.raises(ValueError, match="no trees but NaiveBayes"):
        tree_text(SingleLearnerClassifier(NaiveBayes()).fit([[0.0], [1.0]], [0, 1]))


def test_one_value_against_the_rest_is_drawn():
    X = np.array([[0.0], [1.0], [2.0]] * 100)
    y = np.array(["zero", "other", "other"] * 100)
    tree = HoeffdingTree(grace_period=20, delta=0.1, nominal_split="binary")
    model = SingleLearnerClassifier(tree, categorical_features=[0]).fit(X, y)
    assert tree_text(model).splitlines() == [
        "x[0] = 0.0: zero (weight 100.0 of 100.0)",
        "x[0] is not 0.0: other (weight 200.0 of 200.0)",
    ]
