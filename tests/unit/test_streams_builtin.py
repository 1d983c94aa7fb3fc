"""Built-in sets: the generators have the statistics that their definition gives."""

import numpy as np
import pytest

from streamboost.streams import (
    ArrayStream,
    DataError,
    Stream,
    SyntheticStream,
    as_stream,
    load_builtin,
    open_stream,
)

ROWS = 40_000
LAST = {1: (0.495, 0.505), 2: (0.1, 0.8), 3: (0.01, 0.975)}
FLIP = np.array([0.2, 0.1])


@pytest.fixture(scope="module", params=[1, 2, 3])
def synthetic(request):
    stream = SyntheticStream(request.param, seed=11, n_rows=ROWS)
    return request.param, *stream.rows(0, ROWS)


def within(share, expected, n):
    # Five standard deviations of a share of n draws.
    return abs(share - expected) < 5 * np.sqrt(expected * (1 - expected) / n) + 1e-12


def test_class_balance_and_values(synthetic):
    _, X, y = synthetic
    assert within(y.mean(), 0.5, ROWS)
    assert set(np.unique(X)) == {0.0, 1.0}
    assert X.shape == (ROWS, 20)


def test_last_attribute(synthetic):
    variant, X, y = synthetic
    for c in (0, 1):
        rows = X[y == c]
        assert within((rows[:, 19] == 0).mean(), LAST[variant][c], len(rows))


def test_flip_rates(synthetic):
    _, X, y = synthetic
    flips = X[:, 1:] != X[:, :-1]
    for c in (0, 1):
        for column in flips[y == c].T:
            assert within(column.mean(), FLIP[c], column.size)


def test_bayes_accuracy(synthetic):
    variant, X, y = synthetic
    expected = {1: 0.732, 2: 0.863, 3: 0.983}[variant]
    flips = (X[:, 1:] != X[:, :-1]).sum(axis=1)
    zero = X[:, 19] == 0
    joint = []
    for c in (0, 1):
        last = np.where(zero, LAST[variant][c], 1 - LAST[variant][c])
        joint.append(np.log(last) + flips * np.log(FLIP[c]) + (19 - flips) * np.log(1 - FLIP[c]))
    accuracy = ((joint[1] > joint[0]) == y).mean()
    # The figures are given to three digits; the rest is sampling.
    assert abs(accuracy - expected) < 0.0005 + 4 * np.sqrt(expected * (1 - expected) / ROWS)


def test_stump_on_the_last_attribute(synthetic):
    variant, X, y = synthetic
    p0, p1 = LAST[variant]
    expected = (p1 + 1 - p0) / 2
    assert within(((X[:, 19] == 0) == y).mean(), expected, ROWS)


def test_a_row_is_a_function_of_seed_and_number():
    stream = SyntheticStream(2, seed=5, n_rows=1000)
    X, y = stream.rows(0, 1000)
    part, labels = stream.rows(400, 10)
    np.testing.assert_array_equal(part, X[400:410])
    np.testing.assert_array_equal(labels, y[400:410])
    for size in (1, 7, 4096):
        chunks = list(stream.chunks(size))
        np.testing.assert_array_equal(np.concatenate([c.X for c in chunks]), X)
        assert np.concatenate([c.lines for c in chunks]).tolist() == list(range(1, 1001))
    assert stream.fraction == 1.0
    assert (SyntheticStream(2, seed=6).rows(0, 1000)[0] != X).any()


def test_generated_sets_know_themselves():
    stream = open_stream("synthetic-3", seed=4, limit=50)
    assert isinstance(stream, Stream)
    assert (stream.name, stream.n_rows, stream.n_features, stream.classes) == ("synthetic-3", 50, 20, (0, 1))
    assert stream.feature_names[0] == "A1"
    assert stream.nominal.all()
    assert stream.find_classes() == (0, 1)
    assert load_builtin("synthetic-1").n_rows == 100_000
    endless = SyntheticStream(1, n_rows=None).chunks(10)
    assert len(next(endless)) == 10


def test_bad_requests():
    for bad in (
        lambda: SyntheticStream(4),
        lambda: SyntheticStream(1, seed=-1),
        lambda: load_builtin("iris"),
    ):
        with pytest.raises(DataError):
            bad()
    with pytest.raises(DataError, match="did you mean 'synthetic-2'"):
        open_stream("synthetc-2")
    with pytest.raises(DataError, match="cannot be chosen"):
        open_stream("digits", label="x")
    with pytest.raises(ValueError, match="at least 1"):
        next(SyntheticStream(1).chunks(0))


@pytest.mark.parametrize(
    ("name", "shape", "classes"), [("breast-cancer", (569, 30), 2), ("digits", (1797, 64), 10)]
)
def test_sets_of_scikit_learn(name, shape, classes):
    stream = open_stream(name)
    assert isinstance(stream, Stream)
    assert (stream.n_rows, stream.n_features) == shape
    assert stream.find_classes() == tuple(range(classes))
    assert sum(len(c) for c in stream.chunks(100)) == shape[0]


def test_arrays_as_streams():
    stream = as_stream(([[1.0, 2.0], [3.0, 4.0]], ["a", "b"]))
    assert isinstance(stream, ArrayStream)
    assert as_stream(stream) is stream
    assert stream.find_classes() == ("a", "b")
    assert ArrayStream(np.zeros((2, 1)), np.array(["b", 1], dtype=object)).find_classes() == (1, "b")
    for bad in (([[1.0]], [1, 2]), ([1.0], [1]), (1, 2, 3), [[1.0]], ([[1.0]], [[[1]]])):
        with pytest.raises(DataError):
            as_stream(bad)


def test_frames_are_sliced_and_permuted():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    stream = ArrayStream(frame, [0, 1, 0])
    assert [list(c.X["b"]) for c in stream.chunks(2)] == [["x", "y"], ["z"]]
    assert list(stream.permuted(np.array([2, 0])).X["b"]) == ["z", "x"]
