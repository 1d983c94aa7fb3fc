"""Generators: every row a function of seed and number, whatever the generator; names; errors."""

import hashlib
import inspect

import numpy as np
import pytest

from streamboost.streams import (
    BUILTIN,
    GENERATORS,
    AgrawalStream,
    DataError,
    DriftStream,
    HyperplaneStream,
    LabelNoiseStream,
    LEDStream,
    RandomRBFStream,
    SEAStream,
    Stream,
    SyntheticStream,
    WaveformStream,
    make_generator,
    open_stream,
)

# The first 1,000 rows, as bits. They are part of the definition of the sets: a change here is a new set under an
# old name, which would make published figures wrong.
BITS = {
    "synthetic-1": "efd3b590870e6b6c",
    "synthetic-2": "68bd9d37d4f45138",
    "synthetic-3": "8f9c9c109d149880",
    "sea": "765bde4b88dca9af",
    "led": "79e6ea22c8c52526",
    "led:concept=2": "4c759d4b7a375047",
    "waveform": "9c91d530f9ba4d44",
    "waveform-40": "fc77c89f1ccccb69",
    "hyperplane": "1a33dd46710d43bb",
    "agrawal": "a1664a5d225dfdec",
    "agrawal:concept=10": "045f4ab6cd712049",
    "rbf": "222c3f3ed753350a",
    "rbf:speed=0.01": "fe6546a657bc72bb",
    "sea:drift=abrupt,at=300+600": "8eaa6ea18230bbe6",
    "rbf:n_classes=4,label_noise=0.2": "057fdaacdbfe1343",
}
NAMES = [
    *GENERATORS,
    "led:concept=3,noise=0.2,n_irrelevant=2",
    "waveform:concept=2",
    "hyperplane:n_drifting=10,magnitude=50",
    "rbf:speed=0.05,n_drifting=20,n_classes=5",
    "agrawal:concept=7,perturbation=0",
    "sea:drift=abrupt,at=100+200",
    "agrawal:drift=gradual,at=150,width=80,label_noise=0.1",
    "synthetic-2:drift=gradual,every=60,width=30,shape=linear",
    "hyperplane:drift=gradual,at=200,width=100,magnitude=10",
]


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


def test_any_chunking_gives_the_same_rows(name):
    stream = make_generator(name, seed=5, limit=400)
    assert isinstance(stream, Stream)
    X, y = stream.arrays()
    assert X.shape == (400, stream.n_features)
    assert X.flags.c_contiguous
    assert X.dtype == np.float64
    assert y.dtype == np.int64
    for size in (1, 7, 64, 1000):
        chunks = list(stream.chunks(size))
        np.testing.assert_array_equal(np.concatenate([c.X for c in chunks]), X)
        np.testing.assert_array_equal(np.concatenate([c.y for c in chunks]), y)
        assert np.concatenate([c.lines for c in chunks]).tolist() == list(range(1, 401))
    for first, n in ((0, 0), (399, 1), (123, 77)):
        part, labels = stream.rows(first, n)
        np.testing.assert_array_equal(part, X[first : first + n])
        np.testing.assert_array_equal(labels, y[first : first + n])
    assert stream.fraction == 1.0


def test_far_rows_need_no_rows_before_them(name):
    stream = make_generator(name, seed=5, limit=10)
    first = 10**15
    X, y = stream.rows(first, 40)
    part, labels = stream.rows(first + 17, 9)
    np.testing.assert_array_equal(part, X[17:26])
    np.testing.assert_array_equal(labels, y[17:26])
    assert np.isfinite(X).all()


def test_seeds_differ_and_repeat(name):
    X, y = make_generator(name, seed=5, limit=300).arrays()
    again, labels = make_generator(name, seed=5, limit=999).arrays(300)
    np.testing.assert_array_equal(again, X)
    np.testing.assert_array_equal(labels, y)
    other, other_labels = make_generator(name, seed=6, limit=300).arrays()
    assert (other != X).mean() > 0.2
    assert (other_labels != y).any()


def test_what_a_stream_says_of_itself_is_true(name):
    stream = make_generator(name, limit=3000)
    X, y = stream.arrays()
    assert stream.name == name
    assert stream.find_classes() == stream.classes == tuple(range(stream.n_classes))
    assert set(np.unique(y).tolist()) == set(stream.classes)
    assert len(stream.feature_names) == stream.n_features
    codes = X[:, stream.nominal]
    assert (codes == np.floor(codes)).all()
    assert (codes >= 0).all()


@pytest.mark.parametrize("name", BITS)
def test_the_bits_of_the_definition(name):
    X, y = make_generator(name, seed=7).arrays(1000)
    digest = hashlib.sha256(X.astype("<f8").tobytes() + y.astype("<i8").tobytes()).hexdigest()
    assert digest[:16] == BITS[name]


def test_the_table_says_what_the_generators_are():
    for name, entry in GENERATORS.items():
        stream = make_generator(name)
        nominal = stream.nominal
        kind = "nominal" if nominal.all() else "mixed" if nominal.any() else "numeric"
        assert (stream.n_features, stream.n_classes, kind) == (entry.n_features, entry.n_classes, entry.kind)
        assert BUILTIN[name].n_rows == stream.n_rows == 100_000
        # A parameter that the name cannot express would be out of reach of the command line.
        for parameter in entry.parameters().values():
            assert parameter.annotation in ("int", "float", "int | None")
            assert parameter.kind is inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize(
    ("stream", "name"),
    [
        (SyntheticStream(2), "synthetic-2"),
        (SEAStream(concept=3, seed=9), "sea:concept=3"),
        (LEDStream(noise=0.25, n_irrelevant=0), "led:noise=0.25,n_irrelevant=0"),
        (WaveformStream(n_irrelevant=19), "waveform:n_irrelevant=19"),
        (HyperplaneStream(n_features=4, magnitude=1.0), "hyperplane:n_features=4,magnitude=1.0"),
        (AgrawalStream(concept=10), "agrawal:concept=10"),
        (RandomRBFStream(n_classes=3, n_drifting=2, speed=0.5), "rbf:n_classes=3,speed=0.5,n_drifting=2"),
    ],
)
def test_names_and_classes_say_the_same(stream, name):
    assert stream.name == name
    same = open_stream(name, seed=stream.seed)
    assert type(same) is type(stream)
    assert same.get_params() == stream.get_params()
    np.testing.assert_array_equal(same.arrays(50)[0], stream.arrays(50)[0])
    assert repr(stream).startswith(type(stream).__name__ + "(")


def test_length_and_seed_in_the_name():
    assert open_stream("sea").n_rows == 100_000
    assert open_stream("sea", limit=10).n_rows == 10
    assert open_stream("sea", limit=10**7).n_rows == 10**7
    assert open_stream("sea:n_rows=50").n_rows == 50
    assert open_stream("sea:n_rows=50", limit=10).n_rows == 10
    assert open_stream("sea:n_rows=50", limit=60).n_rows == 50
    assert open_stream("sea:seed=4", seed=9).seed == 4
    endless = open_stream("sea:n_rows=none")
    assert endless.n_rows is None
    assert endless.fraction is None
    assert len(next(endless.chunks(10))) == 10
    with pytest.raises(DataError, match="no end"):
        endless.arrays()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sea:noise=1.5", "noise must be from 0 to 1, got 1.5"),
        ("sea:noise=nan", "noise must be from 0 to 1, got nan"),
        ("sea:noise=x", "noise must be a number, got 'x'"),
        ("sea:noise", "'noise' is not of the form name=value"),
        ("sea:noise=", "not of the form"),
        ("sea:noise=0,noise=1", "noise is given twice"),
        ("sea:nois=0.1", "no parameter 'nois'; did you mean noise?"),
        ("sea:zzz=0.1", "no parameter 'zzz'; there are concept, noise, seed, n_rows, label_noise, drift"),
        ("sea:concept=5", "concept must be from 1 to 4, got 5"),
        ("sea:concept=1.5", "concept must be a whole number, got '1.5'"),
        ("sea:seed=-1", "seed of generated data must be in"),
        ("sea:n_rows=-1", "must not be negative"),
        ("agrawal:concept=11", "concept must be from 1 to 10"),
        ("led:n_irrelevant=-1", "n_irrelevant must be from 0"),
        ("hyperplane:n_drifting=11", "n_drifting must be from 0 to 10, got 11"),
        ("hyperplane:magnitude=-1", "magnitude must be at least 0, got -1"),
        ("rbf:n_centres=3,n_classes=4", "n_centres must be at least the number of classes, 4, got 3"),
        ("synthetic-2:variant=1", "no parameter 'variant'"),
        ("sea:label_noise=2", "label_noise must be from 0 to 1"),
        ("sea:drift=slow,at=5", "drift must be one of abrupt, gradual, got 'slow'"),
        ("sea:at=5", "drift must be one of abrupt, gradual, needed for at"),
        ("sea:drift=abrupt", "either at, the rows where it happens, or every"),
        ("sea:drift=abrupt,at=5,every=6", "either at"),
        ("sea:drift=abrupt,at=5,width=6", "width and shape are for drift=gradual"),
        ("sea:drift=abrupt,at=5+5", "at must be increasing, got 5, 5"),
        ("sea:drift=abrupt,at=5+x", "at must be a whole number, got 'x'"),
        ("sea:drift=abrupt,at=-5", "at must be at least 0"),
        ("sea:drift=abrupt,every=5+6", "every must be one number"),
        ("sea:drift=abrupt,every=0", "every must be at least 1"),
        ("sea:drift=gradual,every=100,width=101", "width must be at most every, 100"),
        ("sea:drift=gradual,at=100,shape=round", "shape must be one of sigmoid, linear, got 'round'"),
        ("sea:drift=abrupt,at=5,concepts=1", "at least two concepts, got 1"),
        ("sea:drift=abrupt,at=5,concepts=1+9", "concept must be from 1 to 4"),
        ("digits:noise=1", "digits is not generated and has no parameters"),
        ("seaa:noise=1", "did you mean 'sea'?"),
    ],
)
def test_one_clear_error(text, message):
    with pytest.raises(DataError) as error:
        open_stream(text)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert text.split(":")[0] in str(error.value)


@pytest.mark.parametrize(
    "bad",
    [
        lambda: SEAStream(concept=True),
        lambda: SEAStream(noise="0.1"),
        lambda: SEAStream().rows(-1, 5),
        lambda: SEAStream().rows(0, -5),
        lambda: make_generator("iris"),
        lambda: DriftStream([SEAStream(), WaveformStream()], at=[5]),
        lambda: DriftStream([SEAStream(), 3], at=[5]),
        lambda: DriftStream([SEAStream(), SEAStream()], at=[]),
        lambda: LabelNoiseStream(open_stream("digits"), 0.1),
    ],
)
def test_bad_calls(bad):
    with pytest.raises(DataError):
        bad()
