from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from streamboost import (
    NaiveBayes,
    OnlineBaggingClassifier,
    OSBoostClassifier,
    Perceptron,
    SingleLearnerClassifier,
    StreamBoostClassifier,
)

RNG = np.random.default_rng(3)
N = 60
NUMBERS = RNG.normal(size=(N, 2))
COLOURS = RNG.choice(["red", "green", "blue"], N)
Y = np.where((NUMBERS[:, 0] > 0) ^ (COLOURS == "red"), "yes", "no")
DATA = {"size": NUMBERS[:, 0], "weight": NUMBERS[:, 1], "colour": COLOURS, "new": NUMBERS[:, 0] > 1}


def model():
    return OnlineBaggingClassifier(n_estimators=5, random_state=1)


def frames():
    return {
        "pandas": pd.DataFrame(DATA),
        "pandas categorical": pd.DataFrame({**DATA, "colour": pd.Categorical(COLOURS)}),
        "pandas object": pd.DataFrame({**DATA, "colour": pd.Series(COLOURS, dtype=object)}),
        "polars": pl.DataFrame(DATA),
        "polars enum": pl.DataFrame(DATA).with_columns(
            pl.col("colour").cast(pl.Enum(["blue", "green", "red"]))
        ),
        "arrow": pa.table(DATA),
    }


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (pl.DataFrame(DATA).lazy(), "X is a lazy frame: collect it"),
        ((row for row in NUMBERS), "X is of type generator: rows are an array"),
        ("data.csv", r"X is of type str: .*Files are read by streamboost.streams.open_stream"),
    ],
)
def test_what_holds_no_rows_is_called_what_it_is(X, words):
    with pytest.raises(TypeError, match=words):
        model().partial_fit(X, Y)


def test_every_frame_gives_the_same_model():
    answers = {name: model().partial_fit(frame, Y).predict_proba(frame) for name, frame in frames().items()}
    for name, answer in answers.items():
        assert np.array_equal(answer, answers["pandas"]), name


def test_dicts_frames_and_coded_arrays_agree():
    by_dict = model()
    for row, label in zip(pl.DataFrame(DATA).to_dicts(), Y.tolist(), strict=True):
        by_dict.learn_one(row, label)
    frame = pl.DataFrame(DATA)
    by_frame = model().partial_fit(frame, Y)
    assert np.array_equal(by_dict.predict_proba(frame), by_frame.predict_proba(frame))
    coded = np.column_stack([NUMBERS, np.unique(COLOURS, return_inverse=True)[1], NUMBERS[:, 0] > 1]).astype(
        float
    )
    by_array = OnlineBaggingClassifier(n_estimators=5, random_state=1, categorical_features=[2, 3])
    by_array.partial_fit(coded, Y)
    assert np.array_equal(by_array.predict_proba(coded), by_frame.predict_proba(frame))


def test_missing_values_of_frames_are_missing():
    frame = pl.DataFrame({"a": [1, None, 3], "b": ["x", None, "y"]})
    fitted = model().partial_fit(frame, [0, 1, 0])
    assert np.isfinite(fitted.predict_proba(frame)).all()
    nullable = pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64"), "b": ["x", None, "y"]})
    assert np.array_equal(
        model().partial_fit(nullable, [0, 1, 0]).predict_proba(frame), fitted.predict_proba(frame)
    )


def test_unknown_categories_change_nothing_in_predict():
    frame = pl.DataFrame({"a": ["x", "y"] * 10})
    fitted = model().partial_fit(frame, [0, 1] * 10)
    fitted.predict(pl.DataFrame({"a": ["never"]}))
    assert fitted.columns_.values[0] == ("x", "y")


def test_columns_in_another_order_are_found_by_name():
    turned = list(DATA)[::-1]
    for name, frame in frames().items():
        plain = model().partial_fit(frame, Y).partial_fit(frame, Y)
        other = frame.select(turned) if hasattr(frame, "select") else frame[turned]
        mixed = model().partial_fit(frame, Y).partial_fit(other, Y)
        assert mixed.feature_names_in_.tolist() == list(DATA)
        assert np.array_equal(mixed.predict_proba(other), plain.predict_proba(frame)), name
    fitted = model().partial_fit(pd.DataFrame(NUMBERS, columns=["a", "b"]), Y)
    numbers = pd.DataFrame(NUMBERS[:, ::-1], columns=["b", "a"])
    assert np.array_equal(fitted.predict_proba(numbers), fitted.predict_proba(numbers[["a", "b"]]))
    with pytest.raises(ValueError, match="yet now missing"):
        fitted.predict(numbers[["b"]])


def test_durations_are_refused_with_advice():
    frame = pl.DataFrame({"took": [dt.timedelta(days=1)] * 2, "a": [1.0, 2.0]})
    with pytest.raises(TypeError, match=r"'took'.*hour"):
        model().partial_fit(frame, [0, 1])


@pytest.mark.parametrize(
    "array", [np.array([["a", "b"], ["c", "d"]]), np.array([[1.0, "b"], [2.0, "d"]], dtype=object)]
)
def test_text_in_arrays_names_the_way_out(array):
    with pytest.raises(ValueError, match=r"categorical dtype in a frame.*categorical_features"):
        model().partial_fit(array, [0, 1])


def test_infinity_names_its_column():
    X = np.zeros((3, 4))
    X[1, 2] = np.inf
    with pytest.raises(ValueError, match=r"infinity.*column 2"):
        model().partial_fit(X, [0, 1, 0])
    with pytest.raises(ValueError, match=r"infinity.*column 2"):
        model().partial_fit(sp.csr_matrix(X), [0, 1, 0])
    with pytest.raises(ValueError, match=r"infinity.*column 'c'"):
        model().partial_fit(pd.DataFrame(X, columns=list("abcd")), [0, 1, 0])


@pytest.mark.parametrize("weight", [[-1.0, 1.0], [np.nan, 1.0], [np.inf, 1.0], [1.0], [[1.0], [1.0]]])
def test_bad_weights_are_refused(weight):
    with pytest.raises(ValueError):
        model().partial_fit(np.eye(2), [0, 1], sample_weight=weight)


def test_width_never_changes():
    fitted = model().partial_fit(np.eye(3), [0, 1, 0])
    with pytest.raises(
        ValueError, match="X has 2 features, but OnlineBaggingClassifier is expecting 3 features"
    ):
        fitted.partial_fit(np.eye(2), [0, 1])


@pytest.mark.parametrize("empty", [np.empty((0, 3)), pl.DataFrame({"a": []}, schema={"a": pl.Float64})])
def test_nothing_to_fit_is_an_error(empty):
    with pytest.raises(ValueError, match="0 sample"):
        model().fit(empty, [])


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
@pytest.mark.parametrize("learner", [NaiveBayes(), Perceptron()])
def test_sparse_is_dense(kind, learner):
    X = sp.random(50, 6, density=0.4, random_state=1, format=kind)
    y = RNG.integers(0, 2, 50)
    sparse = OSBoostClassifier(learner, n_estimators=4, random_state=2).partial_fit(X, y, classes=[0, 1])
    dense = OSBoostClassifier(learner, n_estimators=4, random_state=2).partial_fit(
        X.toarray(), y, classes=[0, 1]
    )
    np.testing.assert_allclose(
        sparse.decision_function(X), dense.decision_function(X.toarray()), rtol=1e-9, atol=1e-12
    )


def test_unsorted_and_repeated_entries_of_csr_are_put_in_order_without_touching_the_input():
    X = sp.csr_matrix((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2]), np.array([0, 3, 3])), shape=(2, 3))
    indices = X.indices.copy()
    fitted = model().partial_fit(X, [0, 1])
    assert np.array_equal(X.indices, indices)
    assert np.array_equal(fitted.predict_proba(X), fitted.predict_proba(X.toarray()))


def test_nominal_columns_and_csr_do_not_go_together():
    with pytest.raises(ValueError, match="sparse X cannot hold nominal"):
        OnlineBaggingClassifier(categorical_features=[0]).partial_fit(sp.csr_matrix(np.eye(2)), [0, 1])


@pytest.mark.parametrize("option", ["text_features", "identifier_features"])
def test_words_and_csr_do_not_go_together(option):
    X = np.array([[1.0, 2.0], [3.0, 4.0]])
    new = StreamBoostClassifier(**{option: [0]})
    with pytest.raises(ValueError, match=r"column 0 is .*, and a sparse X cannot hold"):
        new.partial_fit(sp.csr_matrix(X), [0, 1])
    begun = new.partial_fit(X, [0, 1])
    with pytest.raises(ValueError, match=r"column 0 is .*, and a sparse X cannot hold"):
        begun.predict(sp.csr_matrix(X))


def test_unscaled_features_warn_once_and_name_the_parameter():
    fitted = OSBoostClassifier(Perceptron(), n_estimators=2)
    with pytest.warns(UserWarning, match="scale='maxabs'"):
        fitted.partial_fit(np.eye(2) * 100, [0, 1])
    fitted.partial_fit(np.eye(2) * 100, [0, 1])
    SingleLearnerClassifier(Perceptron(scale="maxabs")).partial_fit(np.eye(2) * 100, [0, 1])


def test_an_array_on_a_named_model_is_an_error():
    fitted = model().partial_fit(pd.DataFrame({"a": [0.0, 1.0]}), [0, 1])
    with pytest.raises(ValueError, match="no column names"):
        fitted.predict([[0.0]])


def test_the_callers_data_stay_as_they_are():
    X, y, w = np.eye(3), np.array([0, 1, 0]), np.ones(3) / 2
    frozen = [a.copy() for a in (X, y, w)]
    OnlineBaggingClassifier(n_estimators=2, categorical_features=[1]).partial_fit(X, y, sample_weight=w)
    assert all(np.array_equal(a, b) for a, b in zip((X, y, w), frozen, strict=True))


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("worst", [-50.0, 40.0])
def test_the_largest_value_is_found_whatever_its_sign_and_beside_gaps(worst, kind, missing):
    X = np.array([[0.5, -1.0], [worst, 2.0], [0.0, 3.0]])
    if missing:
        X[0, 1] = np.nan
    given = sp.csr_matrix(X) if kind == "csr" else X
    with pytest.warns(UserWarning, match=f"values as large as {abs(worst):.3g}"):
        OSBoostClassifier(Perceptron(), n_estimators=2).partial_fit(given, [0, 1, 0], classes=[0, 1])
