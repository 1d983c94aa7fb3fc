"""Codes travel with the chunk: what a reader has coded a model takes as it is, and learns the same."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest

from streamboost import NaiveBayes, OnlineBaggingClassifier, OSBoostClassifier
from streamboost.base.inputs.coded import CodedLabels, CodedTable
from streamboost.base.inputs.codes import CodeBook
from streamboost.evaluate import cross_validate, prequential
from streamboost.streams import ArrayStream, ExpectedColumns, Stream, first_rows, open_stream, to_arrays

RNG = np.random.default_rng(5)
N = 300
FRAME = pd.DataFrame(
    {
        "size": RNG.normal(size=N).round(3),
        "colour": RNG.choice(["red", "green", "blue", "a, b"], N),
        "shape": RNG.choice(["round", "square"], N),
    }
)
FRAME.loc[RNG.choice(N, 30, replace=False), "colour"] = None
LABELS = np.where((FRAME["size"] > 0) ^ (FRAME["colour"] == "red"), "yes", "no")


@pytest.fixture
def path(tmp_path):
    FRAME.assign(label=LABELS).to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


def model():
    return OnlineBaggingClassifier(NaiveBayes(), n_estimators=7, random_state=3)


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_a_file_teaches_what_its_frame_teaches(path, size):
    by_file, by_frame = model(), model()
    answers = [by_file.test_then_train(c.rows, c.labels) for c in open_stream(path).chunks(size)]
    expected = by_frame.test_then_train(FRAME, LABELS)
    assert np.concatenate(answers).tolist() == expected.tolist()
    assert by_file.columns_ == by_frame.columns_
    np.testing.assert_array_equal(by_file.predict_proba(FRAME), by_frame.predict_proba(FRAME))


def test_codes_mean_the_same_in_every_chunk(path):
    stream = open_stream(path)
    parts = [(chunk.rows, chunk.labels) for chunk in stream.chunks(50)]  # the texts grow behind their back
    whole = model()
    for rows, labels in parts:
        whole.partial_fit(rows, labels)
    np.testing.assert_array_equal(
        whole.predict_proba(FRAME), model().partial_fit(FRAME, LABELS).predict_proba(FRAME)
    )


def test_rows_of_no_weight_discover_nothing(path):
    weight = (np.arange(N) % 3 > 0).astype(float)
    by_file, by_frame = model(), model()
    (chunk,) = open_stream(path).chunks()
    by_file.partial_fit(chunk.rows, chunk.labels, sample_weight=weight)
    by_frame.partial_fit(FRAME, LABELS, sample_weight=weight)
    assert by_file.columns_ == by_frame.columns_
    np.testing.assert_array_equal(by_file.predict_proba(FRAME), by_frame.predict_proba(FRAME))


def test_orders_keep_their_codes(path):
    held = to_arrays(open_stream(path))
    order = RNG.permutation(N)
    (chunk,) = held.permuted(order).chunks()
    by_file = model().partial_fit(chunk.rows, chunk.labels)
    by_frame = model().partial_fit(FRAME.iloc[order], LABELS[order])
    np.testing.assert_array_equal(by_file.predict_proba(FRAME), by_frame.predict_proba(FRAME))


def test_a_model_that_counts_columns_refuses_names(path):
    (chunk,) = open_stream(path).chunks()
    by_place = OSBoostClassifier(n_estimators=3).partial_fit(np.nan_to_num(chunk.X), chunk.labels)
    with pytest.raises(ValueError, match="addresses columns by position"):
        by_place.predict(chunk.rows)


def test_translation_is_encoding():
    values = ["b", "a", "c", "d"]
    for seed in range(50):
        rng = np.random.default_rng(seed)
        theirs = rng.integers(-1, 4, 20)
        active = None if seed % 2 else rng.random(20) < 0.5
        missing = theirs < 0
        texts = [None if code < 0 else values[code] for code in theirs]
        for grow in (True, False):
            mine, other = CodeBook(["x", "c"]), CodeBook(["x", "c"])
            codes, new = mine.translate(theirs, values, active, grow, missing)
            expected, found = other.encode(texts, active, grow, missing)
            assert codes.tolist() == expected.tolist()
            assert new == found


def test_parts_of_coded_rows():
    table = CodedTable(np.arange(6.0).reshape(3, 2), {1: ["a"] * 6}, ("p", "q"))
    labels = CodedLabels(np.array([1, 0, 1], np.int32), ["no", "yes"])
    assert table[1:].shape == (2, 2)
    assert len(table) == len(labels) == 3
    assert labels.tolist() == ["yes", "no", "yes"]
    assert np.asarray(labels[np.array([0, 2])]).tolist() == ["yes", "yes"]


def test_the_loop_hands_on_what_the_reader_knows(path):
    by_file, by_frame = model(), model()
    result = prequential(by_file, open_stream(path), chunk_size=32)
    answers = by_frame.test_then_train(FRAME, LABELS)
    assert result.error == pytest.approx(np.mean(answers != LABELS))
    assert by_file.columns_ == by_frame.columns_
    assert result.labels == tuple(dict.fromkeys(LABELS.tolist()))
    np.testing.assert_array_equal(by_file.predict_proba(FRAME), by_frame.predict_proba(FRAME))


@pytest.mark.parametrize("delay", [3, 40])
def test_codes_wait_for_late_labels(path, delay):
    by_file, by_frame = model(), model()
    results = [
        prequential(*given, delay=delay, chunk_size=17)
        for given in ((by_file, open_stream(path)), (by_frame, (FRAME, LABELS)))
    ]
    assert results[0].errors == results[1].errors
    assert by_file.columns_ == by_frame.columns_


def test_folds_and_orders_know_the_columns(path):
    def error(data):
        return cross_validate(model(), data, folds=3, repeats=1, orders=1).error

    assert error(open_stream(path)) == error((FRAME, LABELS))
    shuffled = [prequential(model(), data, orders=2).errors for data in (open_stream(path), (FRAME, LABELS))]
    assert shuffled[0] == shuffled[1]


def test_other_models_get_numbers(path):
    class Recorder:
        def partial_fit(self, X, y, classes=None):
            assert type(X) is np.ndarray
            assert classes is None or set(classes) == {"no", "yes"}
            self.last = y[-1]
            return self

        def predict(self, X):
            return np.full(len(X), self.last)

    wrong = np.concatenate(([True], LABELS[1:] != LABELS[:-1]))  # it says what it has heard last
    assert prequential(Recorder(), open_stream(path)).error == pytest.approx(wrong.mean())


def test_a_model_goes_on_with_a_file_by_its_own_names_and_values(path):
    """Names and categories need not be texts: dicts have what they have."""
    taught = OnlineBaggingClassifier(NaiveBayes(), n_estimators=5, random_state=1)
    for size, colour in ((1.0, "red"), (2.0, 7), (0.5, True)):
        taught.learn_one({"size": size, 5: colour}, "yes")
    path.write_text("5,size,label\nred,1,yes\n7,2,no\nblue,3,no\n")
    known = taught.columns_
    expected = ExpectedColumns(known.names, (None, known.values[1]), ("yes",), needs_label=True)
    (chunk,) = open_stream(path, expected=expected).chunks()
    taught.partial_fit(chunk.rows, chunk.labels)
    assert taught.columns_.names == ("size", 5)
    assert taught.columns_.values == (None, ("red", 7, True, "blue"))


def test_one_limit_for_files_sets_and_arrays(path):
    for stream in (
        open_stream(path, limit=100),
        first_rows(ArrayStream(FRAME, LABELS), 100),
        open_stream("sea", limit=100),
    ):
        chunks = list(stream.chunks(30))
        assert [len(chunk) for chunk in chunks] == [30, 30, 30, 10]
        assert stream.fraction == 1.0
        assert to_arrays(stream).y.shape == (100,)
        assert prequential(model(), stream).n_rows == 100
    assert open_stream(path, limit=10**9).n_features == 3
    assert prequential(model(), open_stream(path, limit=200), limit=50).n_rows == 50
    with pytest.raises(ValueError, match="limit must be at least 1, got 0"):
        open_stream(path, limit=0)


def test_the_first_rows_of_a_stream_are_a_stream_without_asking_for_attributes():
    """Since Python 3.12 a protocol is checked by what is written in a class, not by what ``__getattr__`` would give."""
    part = first_rows(ArrayStream(FRAME, LABELS), 2)
    for name in Stream.__protocol_attrs__ if hasattr(Stream, "__protocol_attrs__") else PROTOCOL:
        inspect.getattr_static(part, name)
    assert isinstance(part, Stream)
    assert part.find_classes() == ArrayStream(FRAME, LABELS).find_classes()


PROTOCOL = (
    "name", "n_features", "feature_names", "nominal", "classes", "labels_are_text", "n_rows", "repeatable", "fraction",
    "find_classes", "chunks",
)  # fmt: skip
