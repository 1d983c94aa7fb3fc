"""IncrementalTree: the online tree is the batch tree, for every prefix and every order; proportional without pruning."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.iti import IncrementalTree as Oracle
from oracle.rows import Columns

import streamboost as sb
from laws.iti_trees import assert_same_tree, shape, text, tree_of
from laws.strategies import seeds, streams
from tests.inside.handles import state_of

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "iti_steps.csv"
options = st.fixed_dictionaries(
    {"metric": st.sampled_from(["gain_ratio", "info_gain", "ks"]), "prune": st.booleans()}
)
KINDS = ("numeric", "nominal", "mixed", "mixed")


def whole_stream(data, max_rows=30):
    """Weights are whole, so that sums are exact in any order."""
    stream = data.draw(
        streams(kinds=KINDS, n_classes=(2, 4), max_rows=max_rows, min_rows=2, weights=False, declared=True)
    )
    stream.X = np.round(stream.X)  # ties, merged rows, impure leaves
    rng = np.random.default_rng(data.draw(seeds))
    stream.weight = rng.choice([1.0, 1.0, 2.0, 5.0], size=len(stream))
    return stream


def single(stream, chosen):
    nominal = {"categorical_features": list(stream.categorical)} if stream.categorical else {}
    return sb.SingleLearnerClassifier(sb.IncrementalTree(**chosen), random_state=0, **nominal)


@settings(max_examples=60)
@given(data=st.data(), chosen=options)
def test_online_tree_is_the_batch_tree_for_every_prefix(data, chosen):
    stream = whole_stream(data)
    model = single(stream, chosen)
    columns = Columns(stream.X.shape[1], stream.categorical)
    oracle = Oracle(columns, None, 0, 0, **chosen)
    codes, _ = stream.codes()
    for t, (x, code, w) in enumerate(zip(stream.X.tolist(), codes, stream.weight.tolist(), strict=True)):
        model.partial_fit(**stream.rows(slice(t, t + 1)), classes=stream.classes)
        oracle.learn(columns.learn(x), code, w)
        if oracle.doubt:
            return
        assert_same_tree(tree_of(model, stream.categorical), oracle.tree(), chosen["prune"])


@settings(max_examples=40)
@given(data=st.data(), chosen=options, order=st.randoms(use_true_random=False))
def test_order_does_not_matter(data, chosen, order):
    """Any two orders of the same rows; a first pass fixes the codes of the values."""
    stream = whole_stream(data)
    rows = list(range(len(stream)))
    order.shuffle(rows)
    models = [single(stream, chosen), single(stream, chosen)]
    for model, second in zip(models, (slice(None), rows), strict=True):
        model.partial_fit(**stream.everything, classes=stream.classes)
        model.partial_fit(**stream.rows(second))
    one, other = (tree_of(model, stream.categorical) for model in models)
    assert one == other


@settings(max_examples=40)
@given(data=st.data(), metric=st.sampled_from(["gain_ratio", "info_gain", "ks"]), prune=st.booleans())
def test_proportional_without_pruning(data, metric, prune):
    stream = whole_stream(data)
    chosen = {"metric": metric, "prune": prune}
    plain = single(stream, chosen).partial_fit(**stream.everything, classes=stream.classes)
    for factor in (2, 3, 1e6):
        more = single(stream, chosen)
        more.partial_fit(stream.X, stream.y, classes=stream.classes, sample_weight=factor * stream.weight)
        trees = [shape(tree_of(m, stream.categorical), pruning=False) for m in (plain, more)]
        assert trees[0] == trees[1]
        if not prune:
            assert plain.predict(stream.X).tolist() == more.predict(stream.X).tolist()


def test_pruning_is_not_proportional():
    """One row of each class: the leaf's 3 bits are not more than the node's; a thousand of each, and they are."""
    few, many = (sb.SingleLearnerClassifier(sb.IncrementalTree()) for _ in range(2))
    few.partial_fit([[1.0], [3.0]], [0, 1])
    many.partial_fit([[1.0], [3.0]], [0, 1], sample_weight=[1000.0, 1000.0])
    assert few.predict([[3.0]]).tolist() == [0]
    assert many.predict([[3.0]]).tolist() == [1]
    assert tree_of(few).bits == pytest.approx(3)
    assert tree_of(many).bits == pytest.approx(3)


@settings(max_examples=30)
@given(data=st.data(), chosen=options)
def test_weight_k_is_k_rows(data, chosen):
    stream = whole_stream(data, max_rows=15)
    weighted, repeated = single(stream, chosen), single(stream, chosen)
    weighted.partial_fit(**stream.everything, classes=stream.classes)
    again = np.repeat(np.arange(len(stream)), stream.weight.astype(int))
    repeated.partial_fit(stream.X[again], stream.y[again], classes=stream.classes)
    assert tree_of(weighted, stream.categorical) == tree_of(repeated, stream.categorical)


def test_golden_steps():
    """A tree worked out by hand: ties, a missing value, equal rows of unlike classes, a root that changes."""
    names, values, labels = ["size", "colour"], [None, ["red", "green"]], "AB"
    model = sb.SingleLearnerClassifier(sb.IncrementalTree(prune=False), categorical_features=[1])
    with GOLDEN.open() as lines:
        for step in csv.DictReader(lines):
            row = [float(step["size"] or "nan"), float(values[1].index(step["colour"]))]
            model.partial_fit(
                [row], [step["label"]], classes=["A", "B"], sample_weight=[float(step["weight"])]
            )
            assert text(tree_of(model, [1]), names, values, labels) == step["tree"]


def test_late_classes_values_and_columns():
    model = sb.SingleLearnerClassifier(sb.IncrementalTree(prune=False))
    lessons = [({"a": 1.0}, "x"), ({"a": 2.0}, "y"), ({"a": 2.0, "b": "u"}, "z"), ({"b": "v"}, "w")]
    for row, label in lessons:
        model.learn_one(row, label)
    assert [model.predict_one(row) for row, _ in lessons] == [label for _, label in lessons]
    assert model.predict_one({"a": 2.0, "b": "never met"}) == "y"
    assert len(model.classes_) == 4


def test_memory_grows_with_distinct_rows_only():
    model = sb.SingleLearnerClassifier(sb.IncrementalTree())
    X = np.arange(64.0).reshape(-1, 1)
    for _ in range(2):  # the second time it finds room for as many rows as a call brings, should they be new
        model.partial_fit(X, np.arange(64) % 2)
    before = model.memory_bytes()
    state = {name: array.nbytes for name, array in state_of(model).items()}
    assert before > sum(n for name, n in state.items() if "number" in name or "weight" in name)
    model.partial_fit(X, np.arange(64) % 2)
    assert model.memory_bytes() == before
    model.partial_fit(X + 0.5, np.arange(64) % 2)
    assert model.memory_bytes() > before


def test_deep_trees_do_not_exhaust_the_stack():
    """Alternating classes along one column, split off one by one."""
    n = 1500
    model = sb.SingleLearnerClassifier(sb.IncrementalTree("ks", prune=False))
    x = np.arange(float(n)).reshape(-1, 1)
    model.partial_fit(x[: n // 2], np.arange(n // 2) % 2, classes=[0, 1])
    assert (model.predict(x[: n // 2]) == np.arange(n // 2) % 2).all()


def test_drawings():
    """As text, pruned nodes acting as leaves; and for Graphviz."""
    X = [[1.0, 0.0], [3.0, 0.0], [3.0, 1.0]]
    whole, pruned = (
        sb.SingleLearnerClassifier(sb.IncrementalTree(prune=prune), categorical_features=[1])
        for prune in (False, True)
    )
    for model in (whole, pruned):
        model.partial_fit(X, ["a", "b", "a"])
    assert sb.learners.tree_text(whole).splitlines() == [
        "x[0] < 2: a (weight 1.0 of 1.0)",
        "x[0] >= 2",
        "|   x[1] = 0.0: b (weight 1.0 of 1.0)",
        "|   x[1] is not 0.0: a (weight 1.0 of 1.0)",
    ]
    assert sb.learners.tree_text(pruned) == "a (weight 2.0 of 3.0)"
    assert "n0 -> n2" in sb.learners.tree_dot(whole)
