from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamboost import OnlineBaggingClassifier, OSBoostClassifier, Perceptron, SingleLearnerClassifier
from streamboost.base.inputs.codes import CodeBook
from streamboost.base.inputs.labels import ClassCodes, declare

X2 = np.array([[0.0, 1.0], [1.0, 0.0]])


def test_declared_labels_are_coded_in_sorted_order():
    codes = declare(["b", "a", "c"])
    assert codes.book.values == ["a", "b", "c"]
    assert codes.declared


def test_discovered_labels_are_coded_in_order_of_appearance_and_shown_sorted():
    codes = ClassCodes()
    encoded, new = codes.encode(np.array(["z", "a", "z", "m"]), None)
    assert encoded.tolist() == [0, 1, 0, 2]
    assert new == ["z", "a", "m"]
    assert len(codes) == 0, "nothing counts before the call has succeeded"
    codes.extend(new)
    assert codes.classes.tolist() == ["a", "m", "z"]
    assert codes.order.tolist() == [1, 2, 0]
    assert codes.decode(np.array([0, 1], np.int32)).tolist() == ["z", "a"]
    assert codes.decode(np.array([0, -1], np.int32)).tolist() == ["z", None]


def test_rows_of_weight_zero_discover_nothing():
    codes, new = CodeBook().encode(np.array([5, 3, 5, 7]), np.array([False, True, True, False]), grow=True)
    assert new == [3, 5]
    assert codes.tolist() == [-1, 0, 1, -1]  # to the first row 5 is as unknown as if it had come alone


@given(
    st.lists(st.integers(0, 20), min_size=1, max_size=200),
    st.lists(st.booleans(), min_size=200, max_size=200),
    st.lists(st.integers(0, 20), max_size=5, unique=True),
    st.booleans(),
)
def test_the_table_and_the_dict_give_the_same_codes(values, active, known, as_float):
    array = np.array(values, float if as_float else int)
    mask = np.array(active[: len(values)])
    missing = np.zeros(len(values), bool)
    fast, fast_new = CodeBook(known).encode(
        np.resize(array, 200), np.resize(mask, 200), True, np.resize(missing, 200)
    )
    slow, slow_new = CodeBook(known).encode(np.resize(array, 200).tolist(), np.resize(mask, 200), True)
    assert fast.tolist() == slow.tolist()
    assert fast_new == slow_new


def test_unknown_label_with_declared_classes_is_refused_whole():
    model = SingleLearnerClassifier().partial_fit(X2, ["a", "b"], classes=["a", "b"])
    before = model.predict_proba(X2)
    with pytest.raises(ValueError, match=r"label 'c' \(row 1\).*\['a', 'b'\]"):
        model.partial_fit(X2, ["a", "c"])
    assert np.array_equal(model.predict_proba(X2), before)
    assert model.n_learned_ == 2


def test_third_label_of_a_binary_booster_names_the_alternatives():
    model = OSBoostClassifier(n_estimators=3).partial_fit(X2, [0, 1])
    with pytest.raises(
        ValueError, match=r"^Only binary classification is supported\. .*OnlineBoostingClassifier.*OneVsRest"
    ):
        model.partial_fit(X2, [1, 2])
    with pytest.raises(ValueError, match=r"^Only binary classification is supported\."):
        OSBoostClassifier(n_estimators=3).partial_fit(X2, [0, 1], classes=[0, 1, 2])


def test_third_label_of_weight_zero_is_no_label():
    model = OSBoostClassifier(n_estimators=3).partial_fit(X2, [0, 1])
    model.partial_fit(X2, [1, 2], sample_weight=[1, 0])
    assert model.classes_.tolist() == [0, 1]


def test_linear_learners_need_more_than_two_classes_declared():
    X = np.eye(3)
    with pytest.raises(ValueError, match=r"Perceptron .*classes="):
        OnlineBaggingClassifier(Perceptron(), n_estimators=3).partial_fit(X, [0, 1, 2])
    model = OnlineBaggingClassifier(Perceptron(), n_estimators=3, random_state=0)
    assert model.partial_fit(X, [0, 1, 2], classes=[0, 1, 2]).predict(X).shape == (3,)


@pytest.mark.parametrize("bad", [[0.0, np.inf], [0.5, 1.5], np.array([1j, 2])])
def test_what_is_not_a_label(bad):
    with pytest.raises((ValueError, TypeError)):
        SingleLearnerClassifier().partial_fit(X2, bad)


@pytest.mark.parametrize("y", [[0.0, np.nan, 1.0], ["a", None, "b"], [True, None, False]])
def test_a_row_without_a_label_is_answered_and_not_learned(y):
    X = np.eye(3)
    model, plain = SingleLearnerClassifier(random_state=1), SingleLearnerClassifier(random_state=1)
    with pytest.warns(UserWarning, match="Rows without a label .* 1 of 3: it does not learn them"):
        answers = model.test_then_train(X, y)
    kept = [y[0], y[0], y[2]]
    assert answers.tolist() == plain.test_then_train(X, kept, sample_weight=[1, 0, 1]).tolist()
    model.partial_fit(X, [None] * 3)  # said once
    model.learn_one({0: 1.0, 1: 0.0, 2: 0.0}, None)
    assert model.to_bytes() == plain.to_bytes()
    declared = SingleLearnerClassifier()
    with pytest.warns(UserWarning, match="3 of 3"):
        answers = declared.test_then_train(X, [None] * 3, classes=["a", "b"], output="proba")
    assert answers.shape == (3, 2)
    assert not declared.started
    with pytest.raises(ValueError, match="y contains NaN or a missing label"):
        SingleLearnerClassifier().fit(X, ["a", None, "b"])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.partial_fit(X, ["a", None])


def test_labels_do_not_mix_text_and_numbers():
    with pytest.raises(ValueError, match="mixes both"):
        SingleLearnerClassifier().partial_fit(X2, np.array(["a", 1], dtype=object))
    with pytest.raises(ValueError, match="Labels must all be text or all be numbers; y mixes both"):
        SingleLearnerClassifier().fit(X2, np.array(["a", 1], dtype=object))


def test_numbers_as_labels_are_sent_to_a_regressor():
    for y in (np.array([0.5, 1.5]), np.array([0.5, 1.5], dtype=object)):
        with pytest.raises(
            ValueError, match=r"Unknown label type: continuous\. .*such as StreamBoostRegressor"
        ):
            SingleLearnerClassifier().fit(X2, y)


def test_who_has_fitted_hears_why_a_label_is_too_late():
    with pytest.raises(
        ValueError, match=r"not in classes: \[0, 1\]. They are final once .*as fit and classes="
    ):
        SingleLearnerClassifier().fit(X2, [0, 1]).partial_fit(X2, [0, 2])


def test_classes_are_declared_once():
    model = SingleLearnerClassifier().partial_fit(X2, [0, 1], classes=[0, 1])
    model.partial_fit(X2, [0, 1], classes=[1, 0])
    with pytest.raises(ValueError, match="not the same"):
        model.partial_fit(X2, [0, 1], classes=[0, 1, 2])
    with pytest.raises(ValueError, match="too late"):
        SingleLearnerClassifier().partial_fit(X2, [0, 1]).partial_fit(X2, [0, 1], classes=[0, 1])


def test_bool_and_float_labels_come_back_as_they_came():
    assert SingleLearnerClassifier().fit(X2, [True, False]).predict(X2).dtype == bool
    assert SingleLearnerClassifier().fit(X2, [1.0, 2.0]).classes_.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("label", [{"a": 1}, {1, 2}])
def test_what_is_no_label_at_all_is_named(label):
    model = OnlineBaggingClassifier(n_estimators=2, random_state=1)
    message = f"A label in y .* is of type {type(label).__name__}; allowed are str"
    with pytest.raises(TypeError, match=message):
        model.learn_one({"x": 1.0}, label)
    with pytest.raises(TypeError, match=message):
        model.partial_fit([[1.0]], [label])
