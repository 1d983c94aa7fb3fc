"""Streams as they are: holes, surprises, nonsense. Each case has one answer, and a message that says what to do."""

from __future__ import annotations

import datetime as dt
import itertools
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from streamboost import (
    NaiveBayes,
    OnlineBaggingClassifier,
    OnlineBoostingClassifier,
    OnlineMBBMClassifier,
    OSBoostClassifier,
    Perceptron,
    SingleLearnerClassifier,
)
from streamboost.base import warned
from streamboost.base.inputs import codes, schema
from streamboost.learners import LEARNERS
from streamboost.models import MODELS
from tests.inside.handles import session_of

RNG = np.random.default_rng(8)
N = 120
X = RNG.normal(size=(N, 3))
Y = (X[:, 0] > 0).astype(int)
NOMINAL_ONLY = {"tan", "ban"}


def data_for(name):
    """Rows that a learner takes: TAN and BAN want nominal ones."""
    return (np.digitize(X, [-1, 0, 1]).astype(float), [0, 1, 2]) if name in NOMINAL_ONLY else (X.copy(), None)


def ensemble(name, learner, **params):
    model = MODELS[name](learner, random_state=1, **params)
    return model if name == "single" else model.set_params(n_estimators=3)


def state(model):
    return model.to_bytes()


@pytest.fixture
def few_values(monkeypatch):
    for module in (schema, warned):
        monkeypatch.setattr(module, "MOST_CATEGORIES", 5)


# One bad cell must not spoil a model.


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("booster", ["single", "osboost", "oza-boost"])
def test_holes_poison_no_learner(name, booster):
    rows, nominal = data_for(name)
    rows[10, 0] = rows[20, 1] = np.nan
    rows[30] = np.nan
    model = ensemble(booster, LEARNERS[name](), categorical_features=nominal)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        early = model.test_then_train(rows, Y, classes=[0, 1], output="proba")
    late = model.predict_proba(rows)
    for proba in (early, late):
        assert np.isfinite(proba).all()
        assert ((proba >= 0) & (proba <= 1)).all()
    assert len(np.unique(late[:, 1])) > 1 or name in {"mlp", "hoeffding-tree"}, "it still tells rows apart"


@pytest.mark.parametrize("name", sorted(set(LEARNERS) - NOMINAL_ONLY))
@pytest.mark.parametrize("value", [1e6, 1e100, -1e100, 1e-310])
def test_the_largest_values_that_are_taken_leave_numbers_behind(name, value):
    rows = X.copy()
    rows[10, 0], rows[11, 1], rows[12] = value, -value, value
    for scale in ["none", "maxabs", "standard"] if "scale" in LEARNERS[name]().get_params() else [None]:
        model = ensemble("osboost", LEARNERS[name](**({"scale": scale} if scale else {})))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.partial_fit(
                rows, Y, classes=[0, 1], sample_weight=np.where(np.arange(N) == 11, 2.0**53, 1.0)
            )
            proba = model.partial_fit(X, Y).predict_proba(rows)
        assert np.isfinite(proba).all()
        assert ((proba >= 0) & (proba <= 1)).all()


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e101, -1.7e308])
def test_infinity_and_what_is_next_to_it_are_refused_by_name(value):
    rows = X.copy()
    rows[5, 2] = value
    word = "infinity" if np.isinf(value) else r"between -1e\+100 and 1e\+100"
    wrong = {
        "array": rows,
        "csr": sp.csr_matrix(rows),
        "frame": pd.DataFrame(rows, columns=["a", "b", "c"]),
    }
    for kind, bad in wrong.items():
        good = bad[:5] if kind != "frame" else bad.iloc[:5]
        model = ensemble("osboost", NaiveBayes()).partial_fit(good, Y[:5], classes=[0, 1])
        before = state(model)
        column = "column 'c'" if kind == "frame" else "column 2"
        for call in (lambda m=model, b=bad: m.partial_fit(b, Y), lambda m=model, b=bad: m.predict(b)):
            with pytest.raises(ValueError, match=rf"{word}.*" if np.isinf(value) else word) as caught:
                call()
            assert column in str(caught.value)
            assert "use NaN" in str(caught.value)
        assert state(model) == before
    model = ensemble("osboost", NaiveBayes())
    model.learn_one({"a": 1.0, "b": 2.0}, 0)
    before = state(model)
    with pytest.raises(ValueError, match=f"x contains .*{word}" if np.isinf(value) else word):
        model.learn_one({"a": 1.0, "b": value}, 1)
    assert state(model) == before


@pytest.mark.parametrize("name", LEARNERS)
def test_constant_features_and_one_class_only(name):
    rows, nominal = np.full((40, 2), 3.0), [0, 1] if name in NOMINAL_ONLY else None
    for scale in ["maxabs", "standard"] if "scale" in LEARNERS[name]().get_params() else [None]:
        learner = LEARNERS[name](**({"scale": scale} if scale else {}))
        model = ensemble("oza-boost", learner, categorical_features=nominal)
        model.partial_fit(rows, [1] * 40, classes=[1, 2])
        assert (model.predict(rows) == 1).all()
        model.partial_fit(rows, [1, 2] * 20)
        assert np.isfinite(model.predict_proba(rows)).all()


# Labels.


def test_one_label_known_is_the_answer():
    model = OnlineBoostingClassifier(n_estimators=3, random_state=0).partial_fit(X, ["only"] * N)
    assert set(model.predict(X)) == {"only"}
    assert (model.predict_proba(X) == 1).all()
    assert model.classes_.tolist() == ["only"]


def test_a_label_that_comes_late_joins_where_the_algorithm_can():
    model = OnlineBoostingClassifier(n_estimators=5, random_state=0).partial_fit(X, Y)
    model.partial_fit(X + 9, np.full(N, 7))
    assert model.classes_.tolist() == [0, 1, 7]
    assert (model.predict(X + 9) == 7).all()


@pytest.mark.parametrize(
    ("model", "classes", "words"),
    [
        (OSBoostClassifier(n_estimators=2), None, "Only binary classification is supported"),
        (
            OnlineBaggingClassifier(Perceptron(), n_estimators=2),
            None,
            "must know all classes before its first row",
        ),
        (
            OnlineBaggingClassifier(n_estimators=2),
            [0, 1],
            r"label 7 \(row 0\), which is not in classes: \[0, 1\]",
        ),
        (OnlineMBBMClassifier(n_estimators=2), None, r"pass classes= to the first partial_fit"),
    ],
)
def test_a_label_that_cannot_join_is_refused_before_anything_is_learned(model, classes, words):
    if "MBBM" not in type(model).__name__:
        model.partial_fit(X, Y, classes=classes)
        before = state(model)
    with pytest.raises(ValueError, match=words):
        model.partial_fit(X[:2], [7, 0])
    if hasattr(model, "n_features_in_"):
        assert state(model) == before


def test_labels_can_be_declared_with_the_first_dict():
    model = OnlineMBBMClassifier(n_estimators=3, random_state=1)
    model.learn_one({"a": 1.0}, "x", classes=["z", "x", "y"])
    assert model.classes_.tolist() == ["x", "y", "z"]
    with pytest.raises(ValueError, match="not the same as at the first call"):
        model.learn_one({"a": 1.0}, "x", classes=["x", "y"])
    model = OnlineBaggingClassifier(n_estimators=2)
    model.learn_one({"a": 1.0}, "x")
    with pytest.raises(ValueError, match="came too late"):
        model.learn_one({"a": 1.0}, "x", classes=["x", "y"])


@pytest.mark.parametrize("label", [np.inf, -np.inf])
def test_an_infinite_label_is_refused_with_its_row(label):
    model = ensemble("osboost", NaiveBayes()).partial_fit(X, Y)
    before = state(model)
    with pytest.raises(ValueError, match=r"y contains NaN.*row 1"):
        model.partial_fit(X[:2], np.array([0, label], dtype=object))
    with pytest.raises(ValueError, match="y contains NaN"):
        ensemble("osboost", NaiveBayes()).learn_one({"a": 1.0}, label)
    assert state(model) == before


# Columns.


def test_new_features_extend_dicts_and_are_refused_in_arrays():
    model = ensemble("osboost", NaiveBayes())
    model.learn_one({"a": 1.0}, 0)
    model.learn_one({"a": 2.0, "b": "new"}, 1)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    model.predict_one({"never": 1.0})
    assert model.n_features_in_ == 2, "asking teaches nothing"
    array = ensemble("osboost", NaiveBayes()).partial_fit(X, Y)
    with pytest.raises(
        ValueError, match=r"X has 4 features, but .* expecting 3 features.*learn_one takes dicts"
    ):
        array.partial_fit(np.ones((2, 4)), [0, 1])
    with pytest.raises(ValueError, match="keys of x must be column numbers from 0 to 2"):
        array.learn_one({3: 1.0}, 1)
    frame = ensemble("osboost", NaiveBayes()).partial_fit(pd.DataFrame({"a": [1.0, 2.0]}), [0, 1])
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- b"):
        frame.partial_fit(pd.DataFrame({"a": [1.0], "b": [2.0]}), [1])


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(np.eye(2), columns=["a", "a"]),
        pa.Table.from_arrays([pa.array([1.0, 2.0])] * 2, names=["a", "a"]),
    ],
    ids=["pandas", "arrow"],
)
def test_duplicate_column_names_are_refused(frame):
    with pytest.raises(ValueError, match=r"must be unique.*'a'"):
        ensemble("osboost", NaiveBayes()).partial_fit(frame, [0, 1])


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_go_by_name_in_every_frame(kind):
    model = ensemble("osboost", NaiveBayes()).partial_fit(kind({"a": [1.0, 2.0], "b": ["x", "y"]}), [0, 1])
    turned, straight = kind({"b": ["x", "y"], "a": [1.0, 2.0]}), kind({"a": [1.0, 2.0], "b": ["x", "y"]})
    assert np.array_equal(model.predict_proba(turned), model.predict_proba(straight))
    with pytest.raises(ValueError, match=r"yet now missing:\n- b"):
        model.predict(kind({"a": [1.0, 2.0]}))
    with pytest.raises(
        ValueError, match=r"column 'a' is numeric, as in the first rows, but now holds categories"
    ):
        model.predict(kind({"a": ["1", "2"], "b": ["x", "y"]}))


def test_durations_and_arrays_of_dates_are_refused_with_advice():
    value = dt.timedelta(hours=1)
    for frame in (pd.DataFrame({"t": [value] * 2}), pl.DataFrame({"t": [value] * 2})):
        with pytest.raises(TypeError, match=r"'t'.*hour, the weekday"):
            ensemble("osboost", NaiveBayes()).partial_fit(frame, [0, 1])
    with pytest.raises(TypeError, match=r"'t'.*hour, the weekday"):
        ensemble("osboost", NaiveBayes()).learn_one({"t": value}, 0)
    with pytest.raises(TypeError, match=r"column 0.*hour, the weekday"):
        ensemble("osboost", NaiveBayes()).partial_fit(
            np.array([["2024-01-01"]] * 2, dtype="datetime64[D]"), [0, 1]
        )
    with pytest.raises(ValueError, match=r"got 1D array instead.*predict_one takes a dict"):
        ensemble("osboost", NaiveBayes()).partial_fit(pd.Series([1.0, "x"]), [0, 1])


# Categories.


def test_unseen_categories_count_as_missing_until_they_are_learned():
    frame = pl.DataFrame({"a": ["x", "y"] * 20})
    model = ensemble("oza-boost", NaiveBayes()).partial_fit(frame, [0, 1] * 20)
    never, hole = (
        model.predict_proba(pl.DataFrame({"a": [value]}, schema={"a": pl.String})) for value in ("z", None)
    )
    assert np.array_equal(never, hole)
    model.partial_fit(pl.DataFrame({"a": ["z"] * 40}), [1] * 40)
    assert model.predict(pl.DataFrame({"a": ["z"]}))[0] == 1


@pytest.mark.parametrize("name", LEARNERS)
def test_columns_of_too_many_values_are_capped_alike_in_any_chunks(name, few_values):
    rows = RNG.integers(0, 12, (80, 2)).astype(float)
    labels, weight = RNG.integers(0, 2, 80), RNG.choice([0.0, 1.0], 80)
    options = {"sample_weight": weight, "classes": [0, 1], "output": "proba"}

    def fresh(columns=(0, 1)):
        return ensemble("oza-boost", LEARNERS[name](), categorical_features=list(columns))

    whole = fresh()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        expected = whole.test_then_train(rows, labels, **options)
    words = [str(warning.message) for warning in caught if "different values" in str(warning.message)]
    turns = name == "hashed-logistic"  # which reads identifiers: nothing is missing there
    assert [text.split(";")[0] for text in words] == [
        f"column {j} has more than 5 different values" for j in (0, 1) if not turns
    ]
    assert [len(book) for book in session_of(whole).schema.books if book is not None] == [5, 5]
    assert len(session_of(whole).schema.twins) == (2 if turns else 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = fresh()
        cuts = [0, 3, 9, 10, 31, 80]
        answers = [
            parts.test_then_train(
                rows[a:b], labels[a:b], sample_weight=weight[a:b], classes=[0, 1], output="proba"
            )
            for a, b in itertools.pairwise(cuts)
        ]
        singly = fresh("ab")
        for row, label, w in zip(rows.tolist(), labels.tolist(), weight.tolist(), strict=True):
            if w:
                first = not hasattr(singly, "n_features_in_")
                singly.learn_one(dict(zip("ab", row, strict=True)), label, classes=[0, 1] if first else None)
    assert np.array_equal(np.concatenate(answers), expected)
    assert np.array_equal(parts.predict_proba(rows), whole.predict_proba(rows))
    frame = pd.DataFrame(rows, columns=["a", "b"])
    assert np.array_equal(singly.predict_proba(frame), whole.predict_proba(rows))


def test_the_cap_warns_once_for_a_column_and_holds_memory(few_values):
    model = ensemble("bagging", NaiveBayes())
    for number in range(5):
        model.learn_one({"user": f"id{number}", "b": 1.0}, number % 2)
    with pytest.warns(UserWarning, match="column 'user' has more than 5"):
        model.learn_one({"user": "one more", "b": 1.0}, 0)
    size = model.memory_bytes()
    for number in range(6, 60):  # warnings are errors here: there is no second one
        model.learn_one({"user": f"id{number}", "b": 1.0}, number % 2)
    assert model.memory_bytes() == size
    assert codes.MOST_CATEGORIES == 4096


# Batches and weights.


@pytest.mark.parametrize(
    "empty", [np.empty((0, 3)), sp.csr_matrix((0, 3)), pd.DataFrame(columns=["a", "b", "c"])]
)
def test_an_empty_batch_changes_nothing_and_answers_nothing(empty):
    fresh = SingleLearnerClassifier()
    assert fresh.test_then_train(empty, [], classes=[0, 1]).shape == (0,)
    labels, proba = fresh.test_then_train(empty, [], output="both")
    assert labels.shape == (0,)
    assert len(proba) == 0
    assert not hasattr(fresh, "n_features_in_"), "no rows fix no columns"
    rows = pd.DataFrame(X, columns=["a", "b", "c"]) if isinstance(empty, pd.DataFrame) else X
    model = ensemble("osboost", NaiveBayes()).partial_fit(rows, Y)
    before = state(model)
    model.partial_fit(empty, [])
    for answer in (model.predict(empty), model.decision_function(empty), model.test_then_train(empty, [])):
        assert answer.shape == (0,)
    assert model.predict_proba(empty).shape == (0, 2)
    assert model.test_then_train(empty, [], output="proba").shape == (0, 2)
    assert state(model) == before
    with pytest.raises(ValueError, match="0 sample"):
        model.fit(empty, [])
    if not isinstance(empty, pd.DataFrame):
        with pytest.raises(ValueError, match="expecting 3 features"):
            model.partial_fit(np.empty((0, 2)), [])


def test_all_weights_zero_is_a_no_op_for_a_stream_and_an_error_for_fit():
    model = ensemble("osboost", NaiveBayes()).partial_fit(X, Y)
    before = state(model)
    model.partial_fit(X, 1 - Y, sample_weight=np.zeros(N))
    model.learn_one(dict(enumerate(X[0].tolist())), 0, sample_weight=0.0)
    assert state(model) == before
    with pytest.raises(ValueError, match="at least one non-zero"):
        model.fit(X, Y, sample_weight=np.zeros(N))


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf, 1e300])
def test_weights_that_are_none_are_refused_with_their_row(weight):
    model = ensemble("osboost", NaiveBayes()).partial_fit(X, Y)
    before = state(model)
    with pytest.raises(ValueError, match=r"sample_weight is .* in row 1; weights must be 0 or more"):
        model.partial_fit(X[:2], Y[:2], sample_weight=[1.0, weight])
    with pytest.raises(ValueError, match="weights must be 0 or more"):
        model.learn_one(dict(enumerate(X[0].tolist())), 0, sample_weight=weight)
    assert state(model) == before


def test_whole_numbers_of_128_bits():
    numbers = pl.DataFrame({"a": pl.Series([1, 2, None, 2**100], dtype=pl.Int128)})
    same = pl.DataFrame({"a": [1.0, 2.0, None, 2.0**100]})
    a, b = (SingleLearnerClassifier(random_state=1).partial_fit(X, [0, 1, 0, 1]) for X in (numbers, same))
    np.testing.assert_array_equal(a.predict_proba(numbers), b.predict_proba(same))
