"""Labels, cells and matrices that NumPy, pandas or SciPy would bend: each comes back as it went in, or is refused by name."""

from __future__ import annotations

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from streamboost import NaiveBayes, OnlineBaggingClassifier, SingleLearnerClassifier, load

X = np.random.default_rng(0).normal(size=(40, 2))
HALF = np.arange(40) % 2


def model(**options):
    return OnlineBaggingClassifier(NaiveBayes(), n_estimators=3, random_state=1, **options)


# Labels.


@pytest.mark.parametrize("low", [1, 2**63, 2**64 - 5])
def test_labels_beyond_63_bits_come_back(tmp_path, low):
    labels = [low, 2**64 - 1]
    y = np.array(labels, dtype=np.uint64)[HALF]
    fitted = model().partial_fit(X, y)
    assert fitted.classes_.tolist() == labels
    assert set(fitted.predict(X).tolist()) <= set(labels)
    fitted.save(tmp_path / "m")
    assert load(tmp_path / "m").classes_.tolist() == labels
    assert model().partial_fit(X, y.tolist(), classes=labels).classes_.tolist() == labels


def test_labels_that_no_type_holds_are_refused():
    with pytest.raises(ValueError, match="at most 64 bits"):
        model().partial_fit(X, [2**64 * int(i) for i in HALF])
    with pytest.raises(ValueError, match="fit no common type of NumPy; make them text"):
        model().partial_fit(X, [(-1, 2**63)[i] for i in HALF])


def test_texts_that_end_in_a_zero_byte_are_refused():
    for y in (
        ["a" if i else "a\0" for i in HALF],
        np.array(["a" if i else "a\0" for i in HALF], dtype=object),
    ):
        with pytest.raises(ValueError, match="ends in a zero byte"):
            model().partial_fit(X, y)
    with pytest.raises(ValueError, match="ends in a zero byte"):
        model().partial_fit(X, ["a"] * 40, classes=["a", "a\0"])
    with pytest.raises(ValueError, match="ends in a zero byte"):
        model().learn_one({"a": 1.0}, "a\0")


def test_masked_labels_and_weights_are_missing():
    y = np.ma.array(HALF, mask=np.arange(40) == 7)
    with pytest.raises(ValueError, match="y is masked in row 7"):
        model().partial_fit(X, y)
    unmasked = model().partial_fit(X, np.ma.array(HALF))
    np.testing.assert_array_equal(unmasked.predict_proba(X), model().partial_fit(X, HALF).predict_proba(X))
    with pytest.raises(ValueError, match="sample_weight is masked in row 3"):
        model().partial_fit(X, HALF, sample_weight=np.ma.array(np.ones(40), mask=np.arange(40) == 3))


def test_masked_cells_are_missing():
    mask = np.random.default_rng(1).random(X.shape) < 0.3
    hidden = np.where(mask, np.nan, X)
    masked = np.ma.array(np.where(mask, 1e9, X), mask=mask)
    np.testing.assert_array_equal(
        model().partial_fit(masked, HALF).predict_proba(masked),
        model().partial_fit(hidden, HALF).predict_proba(hidden),
    )


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(HALF, dtype="Int64"),
        pd.Series(HALF, dtype="int64[pyarrow]"),
        pd.Series(HALF, dtype="UInt8"),
        pl.Series(HALF),
        pa.chunked_array([HALF]),
    ],
    ids=lambda y: str(getattr(y, "dtype", "arrow")),
)
def test_whole_numbers_of_nullable_types_stay_whole(y):
    fitted = model().partial_fit(X, y)
    assert fitted.classes_.dtype.kind in "iu"
    assert fitted.predict(X).dtype.kind in "iu"


def test_nullable_labels_of_other_types():
    yes = pd.Series(HALF == 1, dtype="boolean")
    assert model().partial_fit(X, yes).classes_.tolist() == [False, True]
    words = pd.Series(np.where(HALF == 1, "p", "q"), dtype="string")
    assert model().partial_fit(X, words).classes_.tolist() == ["p", "q"]
    for dtype in ("Int64", "boolean", "string", "int64[pyarrow]"):
        y = pd.Series(HALF).astype(dtype)
        y[5] = pd.NA
        with pytest.raises(ValueError, match=r"missing label \(row 5\)"):
            model().fit(X, y)
        with pytest.warns(UserWarning, match="Rows without a label .* 1 of 40"):
            assert model().partial_fit(X, y).n_learned_ == len(X) - 1


# Columns.


@pytest.mark.parametrize("dtype", ["boolean", "bool[pyarrow]", "string", "string[pyarrow]", "category"])
def test_nominal_columns_with_a_missing_value(dtype):
    texts = pd.Series(HALF == 1) if "bool" in dtype else pd.Series(np.where(HALF == 1, "p", "q"))
    column = texts.astype(dtype)
    column[3] = pd.NA
    plain = texts.astype(object)
    plain[3] = None
    frame = pd.DataFrame({"a": X[:, 0], "b": column})
    expected = pl.DataFrame({"a": X[:, 0], "b": plain.tolist()})
    np.testing.assert_array_equal(
        model().partial_fit(frame, HALF).predict_proba(frame),
        model().partial_fit(expected, HALF).predict_proba(expected),
    )


def test_booleans_are_nominal_with_and_without_a_missing_one():
    """pandas makes objects of a column of booleans in which one is missing, as it does of a file read in chunks."""
    gaps = (HALF == 1).astype(object)
    gaps[3] = None
    whole, chunks, dicts = model(), model(), model()
    frame = pd.DataFrame({"a": X[:, 0], "b": gaps.tolist()})
    whole.partial_fit(frame, HALF)
    for part in (slice(0, 20), slice(20, 40)):
        chunks.partial_fit(frame[part].infer_objects(), HALF[part])
    for row, label in zip(frame.to_dict("records"), HALF.tolist(), strict=True):
        dicts.learn_one(row, label)
    assert whole.to_bytes() == chunks.to_bytes() == dicts.to_bytes()


def test_booleans_are_numbers_where_the_first_rows_were():
    numbers = pd.DataFrame({"a": X[:, 0], "b": HALF})
    booleans = numbers.assign(b=HALF == 1)
    taught = [model().partial_fit(numbers, HALF).partial_fit(frame, HALF) for frame in (numbers, booleans)]
    assert taught[0].to_bytes() == taught[1].to_bytes()


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "int64[pyarrow]", "double[pyarrow]"])
def test_numeric_columns_with_a_missing_value(dtype):
    column = pd.Series(np.arange(40), dtype=dtype)
    column[3] = pd.NA
    plain = np.arange(40.0)
    plain[3] = np.nan
    frame, expected = pd.DataFrame({"a": column}), pd.DataFrame({"a": plain})
    np.testing.assert_array_equal(
        model().partial_fit(frame, HALF).predict_proba(frame),
        model().partial_fit(expected, HALF).predict_proba(expected),
    )


def test_complex_columns_are_refused():
    frame = pd.DataFrame({"a": X[:, 0], "z": X[:, 0] + 1j})
    with pytest.raises(TypeError, match="Column 'z' holds complex numbers"):
        model().partial_fit(frame, HALF)
    with pytest.raises(ValueError, match="Complex data not supported"):
        model().partial_fit(X + 1j, HALF)


@pytest.mark.parametrize("kind", ["array", "frame", "unsigned"])
def test_whole_categories_beyond_a_double_do_not_merge(kind):
    start = 2**63 if kind == "unsigned" else 2**53
    values = np.array([start, start + 1, start + 2], dtype=np.uint64 if kind == "unsigned" else np.int64)
    column = values[np.arange(40) % 3]
    labels = (np.arange(40) % 3 == 1).astype(int)
    if kind == "frame":
        data, chosen = pd.DataFrame({"id": column}), ["id"]
    else:
        data, chosen = column[:, None], [0]
    fitted = model(categorical_features=chosen).partial_fit(data, labels)
    assert fitted.columns_.values == (tuple(values.tolist()),)
    assert fitted.predict(data).tolist() == labels.tolist()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (10**400, r"Column 'b' \(row 5\) holds a number that no double can hold"),
        (dt.date(2024, 1, 1), r"Column 'b' \(row 5\) is of type date: dates and times are taken apart"),
        (pd.Timestamp("2024-01-01"), r"Column 'b' \(row 5\) is of type Timestamp"),
        (np.timedelta64(3, "D"), r"Column 'b' \(row 5\) is of type timedelta64"),
        (1 + 2j, r"Column 'b' \(row 5\) holds the complex number"),
        ([1, 2], r"Column 'b' \(row 5\) holds '\[1, 2\]' of type list.* Give its parts columns of their own"),
        ("oops", r"Column 'b' \(row 5\) holds text \('oops'\)"),
    ],
)
def test_objects_that_are_no_numbers_are_named(value, message):
    cells = [float(i) for i in range(40)]
    cells[5] = value
    column = np.empty(40, dtype=object)
    column[:] = cells
    with pytest.raises((TypeError, ValueError), match=message):
        model().partial_fit(pd.DataFrame({"a": X[:, 0], "b": pd.Series(column, dtype=object)}), HALF)
    array = np.empty((40, 2), dtype=object)
    array[:, 0], array[:, 1] = X[:, 0], column
    with pytest.raises((TypeError, ValueError), match=message.replace("'b'", "1 of X")):
        model().partial_fit(array, HALF)


@pytest.mark.parametrize("missing", [None, pd.NA, pd.NaT, np.nan])
def test_objects_that_are_missing(missing):
    cells = [float(i) for i in range(40)]
    plain = cells.copy()
    cells[5], plain[5] = missing, np.nan
    cells[6] = decimal.Decimal(6)
    column = np.empty(40, dtype=object)
    column[:] = cells
    expected = model().partial_fit(np.array(plain)[:, None], HALF).predict_proba(np.array(plain)[:, None])
    for data in (column[:, None], pd.DataFrame({"a": pd.Series(column, dtype=object)})):
        np.testing.assert_array_equal(model().partial_fit(data, HALF).predict_proba(data), expected)
    by_dict = model()
    by_dict.learn_one({"a": 1.0, "b": 2.0}, 0)
    by_dict.learn_one({"a": missing, "b": 2.0}, 1)


def test_a_number_too_large_in_a_dict_is_named():
    taught = model()
    for i in range(3):
        taught.learn_one({"a": 1.0 * i, "b": 2.0}, i % 2)
    before = taught.predict_proba_one({"a": 1.0, "b": 2.0})
    for ask in (lambda x: taught.learn_one(x, 1), taught.predict_one):
        with pytest.raises(ValueError, match="column 'a' holds a number that no double can hold"):
            ask({"a": 10**400, "b": 1.0})
    assert taught.predict_proba_one({"a": 1.0, "b": 2.0}) == before


# Sparse matrices.


def lying(change, kind=sp.csr_matrix):
    matrix = kind(np.eye(4))
    change(matrix)
    return matrix


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_matrix, sp.csr_array])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.indptr.__setitem__(2, -7), "indptr falls from 1 to -7 behind row 1"),
        (lambda m: m.indptr.__setitem__(2, 10**6), "indptr falls from 1000000 to 3"),
        (lambda m: m.indptr.__setitem__(4, 10**6), "indptr ends with 1000000 for 4 indices"),
        (lambda m: m.indptr.__setitem__(0, 1), "from 1 on, not 5 from 0 on"),
        (lambda m: setattr(m, "indptr", m.indptr[:3]), "indptr has 3 entries"),
        (lambda m: m.indices.__setitem__(1, 99), r"the index 99 \(entry 1\) is not between 0 and 3"),
        (lambda m: m.indices.__setitem__(1, -1), r"the index -1 \(entry 1\)"),
        (lambda m: setattr(m, "data", m.data[:2]), "4 indices and 2 values"),
    ],
)
def test_a_corrupt_matrix_is_looked_at_before_it_is_used(kind, change, message):
    taught = model().partial_fit(np.eye(4), [0, 1, 0, 1])
    for ask in (taught.predict, lambda rows: taught.partial_fit(rows, [0, 1, 0, 1])):
        with pytest.raises(ValueError, match=message):
            ask(lying(change, kind))


def test_a_corrupt_coo_matrix():
    matrix = sp.coo_matrix(np.eye(4))
    matrix.col[2] = 77
    with pytest.raises(ValueError, match="not a valid COO matrix: the index 77"):
        model().partial_fit(matrix, [0, 1, 0, 1])


def test_a_matrix_that_claims_to_be_canonical_is_not_believed():
    indices, starts = np.array([1, 0, 0, 1], np.int32), np.array([0, 2, 4], np.int32)
    data = np.array([1.0, 2.0, 3.0, 4.0])
    unsorted = sp.csr_matrix((data, indices, starts), shape=(2, 2))
    unsorted.has_canonical_format = True
    twice = sp.csr_matrix((data, np.array([0, 0, 1, 1], np.int32), starts), shape=(2, 2))
    twice.has_canonical_format = True
    for lie, truth in ((unsorted, [[2.0, 1.0], [3.0, 4.0]]), (twice, [[3.0, 0.0], [0.0, 7.0]])):
        fitted = model().partial_fit(lie, [0, 1])
        np.testing.assert_array_equal(
            fitted.predict_proba(lie), model().partial_fit(np.array(truth), [0, 1]).predict_proba(truth)
        )


class Odd:
    pass


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ({"a": 1.0}, TypeError, "X is of type dict: rows are an array.* methods whose names end in _one"),
        ({1.0, 2.0}, TypeError, "X is of type set: rows are an array"),
        (Odd(), TypeError, "X is of type Odd: rows are an array"),
        (np.zeros(3, [("a", float), ("b", int)]), TypeError, "X is of type ndarray with named fields"),
        ([[1.0, 2.0], [3.0]], ValueError, "X is no table, whose rows all have the same number of cells"),
        (np.ones((300, 2)) * 1j, ValueError, "X holds complex numbers; give their parts as two columns.$"),
        (sp.csr_matrix(np.ones((3, 2)) * 1j), ValueError, "X holds complex numbers"),
    ],
)
def test_what_is_no_table_is_named(X, error, message):
    with pytest.raises(error, match=message):
        SingleLearnerClassifier().partial_fit(X, [0, 1, 0])


@pytest.mark.parametrize("labels", [["1", 1], [1.5, "b"], ["b", True]])
def test_lists_of_labels_do_not_mix_text_and_numbers(labels):
    """NumPy would make one text of '1' and 1."""
    with pytest.raises(ValueError, match="y mixes both"):
        SingleLearnerClassifier().partial_fit(np.eye(2), labels)


def test_weights_are_no_complex_numbers():
    with pytest.raises(ValueError, match="sample_weight must be numbers, one for each row: they are complex"):
        SingleLearnerClassifier().partial_fit(np.eye(2), [0, 1], sample_weight=np.ones(2) * 1j)


def test_weights_next_to_nothing_count_as_none(tmp_path):
    """The inverse of such a weight is no number; what it did to naive Bayes could not be saved."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), np.arange(60) % 2
    model = SingleLearnerClassifier(NaiveBayes()).partial_fit(X, y)
    before = model.to_bytes()
    model.partial_fit(X, y, sample_weight=np.full(60, 5e-324))
    model.learn_one(dict(enumerate(X[0])), 1, sample_weight=1e-101)
    assert model.to_bytes() == before
    fresh = SingleLearnerClassifier(NaiveBayes()).partial_fit(X, y, sample_weight=np.full(60, 1e-99))
    fresh.save(tmp_path / "m.sboost")
    assert np.isfinite(load(tmp_path / "m.sboost").predict_proba(X)).all()
