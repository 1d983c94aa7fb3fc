"""The laws, for every ensemble x learner: what may differ in how a stream is served must not differ in what is learned.

All comparisons are bit for bit. Other options than those of the pairs, what comes after the vote among them, are drawn in
test_options.py.
"""

import pickle
import tempfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import streamboost
from laws.catalogue import BLACK_BOXES, ENSEMBLES, LEARNERS, MAIN_ENSEMBLES, every_nth, pairs
from laws.strategies import chunkings, lane_cuts, seeds, streams
from streamboost import models
from tests.inside.handles import bits, lanes_cut, state_of

NATIVE = pairs(MAIN_ENSEMBLES, LEARNERS) + pairs(
    [e for e in ENSEMBLES if e not in MAIN_ENSEMBLES],
    [a for a in LEARNERS if a.name in ("perceptron", "bayes-mixed")],
)
EVERY = NATIVE + pairs(MAIN_ENSEMBLES, BLACK_BOXES)
LINEAR = [a for a in LEARNERS if a.linear and a.scale == "none"]
quick = settings(max_examples=3)  # of some hundred pairs each


def draw_stream(data, ensemble, learner, **options):
    several = not ensemble.binary
    if learner.black_box:
        options.setdefault("missing", False)  # scikit-learn's own learners refuse NaN
        options.setdefault("declared", True)
    if ensemble.declared:
        options["declared"] = True
    return data.draw(
        streams(
            kinds=learner.kinds,
            n_classes=(2, 3) if several and not learner.black_box else (2, 2),
            declare_above=2 if learner.linear else None,
            **options,
        )
    )


def build(ensemble, learner, stream, data, seed):
    n_estimators = 1 if ensemble.alone else data.draw(st.integers(1, 5), label="n_estimators")
    return lambda: ensemble.make_product(learner, n_estimators, seed, stream.categorical)


def assert_same(one, other, stream):
    """Same state, same answers."""
    if not hasattr(one, "classes_"):
        assert not hasattr(other, "classes_")
        return
    a, b = bits(one), bits(other)
    assert a.keys() == b.keys()
    assert [name for name in a if a[name] != b[name]] == []
    assert one.classes_.tolist() == other.classes_.tolist()
    if len(one.classes_):
        assert one.predict_proba(stream.X).tobytes() == other.predict_proba(stream.X).tobytes()
        assert one.predict(stream.X).tolist() == other.predict(stream.X).tolist()


@pytest.mark.parametrize(("ensemble", "learner"), EVERY)
@quick
@given(data=st.data(), seed=seeds)
def test_any_chunking_is_the_whole(ensemble, learner, data, seed):
    stream = draw_stream(data, ensemble, learner)
    new = build(ensemble, learner, stream, data, seed)
    whole, chunked, rows, silent = new(), new(), new(), new()
    expected = whole.test_then_train(**stream.everything, classes=stream.classes).tolist()
    got = []
    for part in data.draw(chunkings(len(stream))):
        got += chunked.test_then_train(**stream.rows(part), classes=stream.classes).tolist()
    assert got == expected
    got = []
    for t in range(len(stream)):
        row = stream.rows(slice(t, t + 1))
        if t and len(getattr(rows, "classes_", ())):
            got.append(rows.predict(row["X"])[0])
        else:
            got.append(expected[t])
        rows.partial_fit(**row, classes=stream.classes)
    assert got == expected
    silent.partial_fit(**stream.everything, classes=stream.classes)
    for other in (chunked, rows, silent):
        assert_same(whole, other, stream)


@pytest.mark.parametrize(("ensemble", "learner"), EVERY)
@quick
@given(data=st.data(), seed=seeds)
def test_resumed_is_never_stopped(ensemble, learner, data, seed):
    """Through a file where there is one, through pickle always."""
    stream = draw_stream(data, ensemble, learner)
    new = build(ensemble, learner, stream, data, seed)
    straight, stopped = new(), new()
    cut = data.draw(st.integers(0, len(stream)), label="cut")
    head, tail = stream.rows(slice(0, cut)), stream.rows(slice(cut, None))
    if cut:
        straight.partial_fit(**head, classes=stream.classes)
        stopped.partial_fit(**head, classes=stream.classes)
    copies = [pickle.loads(pickle.dumps(stopped))]
    if hasattr(stopped, "classes_") and not learner.black_box:  # rows of weight 0 start nothing
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.sboost"
            stopped.save(path)
            copies.append(streamboost.load(path))
    if cut < len(stream):
        expected = straight.test_then_train(**tail, classes=stream.classes).tolist()
        for copy in copies:
            assert copy.test_then_train(**tail, classes=stream.classes).tolist() == expected
    for copy in copies:
        assert_same(straight, copy, stream)


@pytest.mark.parametrize(("ensemble", "learner"), every_nth(EVERY, 3))
@quick
@given(data=st.data(), seed=seeds)
def test_asking_changes_nothing(ensemble, learner, data, seed):
    stream = draw_stream(data, ensemble, learner, declared=True)
    new = build(ensemble, learner, stream, data, seed)
    asked, quiet = new(), new()
    other = stream.X[::-1].copy()
    for model in (asked, quiet):
        model.partial_fit(**stream.everything, classes=stream.classes)
    before = bits(asked)
    answers = [asked.predict_proba(other).tobytes(), asked.predict(other).tolist()]
    asked.decision_function(other)
    asked.predict_one(dict(enumerate(other[0])))
    asked.predict_proba_one(dict(enumerate(other[0])))
    report = asked.report()
    assert {len(values) for values in report.lanes.values()} == {report.n_estimators}
    assert str(report)
    asked.memory_bytes()
    assert bits(asked) == before
    assert [asked.predict_proba(other).tobytes(), asked.predict(other).tolist()] == answers
    for model in (asked, quiet):
        model.partial_fit(**stream.everything)
    assert_same(asked, quiet, stream)


@pytest.mark.parametrize(("ensemble", "learner"), every_nth(EVERY, 3))
@quick
@given(data=st.data(), seed=seeds)
def test_dicts_are_rows(ensemble, learner, data, seed):
    stream = draw_stream(data, ensemble, learner, declared=True, min_rows=2)
    if not stream.weight[0]:
        return  # the first row that is learned fixes how columns are addressed
    new = build(ensemble, learner, stream, data, seed)
    arrays, dicts = new(), new()
    for model in (arrays, dicts):
        model.partial_fit(**stream.rows(slice(0, 1)), classes=stream.classes)
    expected = arrays.test_then_train(**stream.rows(slice(1, None))).tolist()
    got = []
    for x, y, w in zip(stream.X[1:], stream.y[1:].tolist(), stream.weight[1:].tolist(), strict=True):
        row = dict(enumerate(x.tolist()))
        got.append(dicts.predict_one(row))
        dicts.learn_one(row, y, sample_weight=w)
    assert_same(arrays, dicts, stream)
    assert got == expected
    probabilities = [list(dicts.predict_proba_one(dict(enumerate(x.tolist()))).values()) for x in stream.X]
    assert probabilities == dicts.predict_proba(stream.X).tolist()


@pytest.mark.parametrize(("ensemble", "learner"), every_nth(EVERY, 2))
@quick
@given(data=st.data(), seed=seeds)
def test_weight_zero_is_nothing(ensemble, learner, data, seed):
    stream = draw_stream(data, ensemble, learner)
    positive = stream.weight > 0
    if not positive.any() or (stream.classes is None and not positive[0]):
        return  # the first row fixes columns even with weight 0, but there would be nothing to compare
    new = build(ensemble, learner, stream, data, seed)
    given_all, given_some = new(), new()
    all_answers = given_all.test_then_train(**stream.everything, classes=stream.classes)
    some_answers = given_some.test_then_train(**stream.rows(positive), classes=stream.classes)
    assert all_answers[positive].tolist() == some_answers.tolist()
    assert_same(given_all, given_some, stream)


# Every pair is cut here or, by threads, below.
CUT = [p for p in EVERY if not (p.values[0].alone or p.values[0].whole)]


@pytest.mark.parametrize(
    ("ensemble", "learner"),
    every_nth([p for p in CUT if not p.values[1].black_box], 2) + [p for p in CUT if p.values[1].black_box],
)
@quick
@given(data=st.data(), seed=seeds)
def test_lanes_cut_anywhere(ensemble, learner, data, seed):
    stream = draw_stream(data, ensemble, learner)
    n_estimators = data.draw(st.sampled_from([2, 3, 5, 17, 33]), label="n_estimators")
    if learner.black_box:
        n_estimators = min(n_estimators, 5)
    whole, cut = (ensemble.make_product(learner, n_estimators, seed, stream.categorical) for _ in range(2))
    one = whole.test_then_train(**stream.everything, classes=stream.classes)
    cuts = data.draw(lane_cuts(n_estimators), label="cuts")
    with lanes_cut(tuple(cut * ensemble.grain for cut in cuts)):
        two = cut.test_then_train(**stream.everything, classes=stream.classes)
    assert one.tolist() == two.tolist()
    assert_same(whole, cut, stream)


@pytest.mark.parametrize(
    ("ensemble", "learner"), every_nth([p for p in CUT if not p.values[1].black_box], 2, first=1)
)
@quick
@given(data=st.data(), seed=seeds)
def test_threads_change_nothing(ensemble, learner, data, seed):
    stream = draw_stream(data, ensemble, learner)
    n_estimators = data.draw(st.sampled_from([2, 3, 5, 17, 33]), label="n_estimators")
    alone, together = (
        ensemble.make_product(learner, n_estimators, seed, stream.categorical) for _ in range(2)
    )
    together.set_params(n_jobs=data.draw(st.integers(2, 4), label="threads"))
    cuts = tuple(cut * ensemble.grain for cut in data.draw(lane_cuts(n_estimators), label="cuts"))
    rows = data.draw(chunkings(len(stream.y)), label="calls")
    expected = [alone.test_then_train(**stream.rows(part), classes=stream.classes).tolist() for part in rows]
    with lanes_cut(cuts, wave_chunk=data.draw(st.integers(1, 4), label="rows that travel together")):
        got = [
            together.test_then_train(**stream.rows(part), classes=stream.classes).tolist() for part in rows
        ]
    assert got == expected
    assert_same(alone, together, stream)


@pytest.mark.parametrize(("ensemble", "learner"), every_nth(EVERY, 3))
@quick
@given(data=st.data(), seed=seeds)
def test_clone_starts_anew_and_apart(ensemble, learner, data, seed):
    stream = draw_stream(data, ensemble, learner)
    first = build(ensemble, learner, stream, data, seed)()
    first.partial_fit(**stream.everything, classes=stream.classes)
    before = bits(first)
    second = clone(first)
    assert not hasattr(second, "classes_")
    second.partial_fit(**stream.everything, classes=stream.classes)
    assert bits(first) == before
    assert_same(first, second, stream)


@pytest.mark.parametrize(("ensemble", "learner"), pairs(ENSEMBLES, LINEAR))
@quick
@given(data=st.data(), seed=seeds)
def test_sparse_is_dense(ensemble, learner, data, seed):
    stream = data.draw(streams(kinds=("numeric",), declared=True))
    stream.X[np.abs(stream.X) < 0.5] = 0.0
    new = build(ensemble, learner, stream, data, seed)
    dense, sparse = new(), new()
    rows = {**stream.everything, "X": sp.csr_matrix(stream.X)}
    expected = dense.test_then_train(**stream.everything, classes=stream.classes)
    assert sparse.test_then_train(**rows, classes=stream.classes).tolist() == expected.tolist()
    for name, array in state_of(dense).items():
        if name.startswith("rows/"):
            continue  # rows waiting for a batch phase are kept as they came
        np.testing.assert_array_equal(array, state_of(sparse)[name], err_msg=name)  # -0.0 is 0.0 here
    assert np.array_equal(dense.predict_proba(stream.X), sparse.predict_proba(rows["X"]))


FLIPPING = [e for e in ENSEMBLES if e.name in ("single", "bagging", "bagging-fraction", "oza", "oza-test-first",
                                               "oza-weight-cap", "osboost", "osboost-sign")]  # fmt: skip


@pytest.mark.parametrize("ensemble", FLIPPING, ids=lambda e: e.name)
@pytest.mark.parametrize("name", ["Perceptron", "OGD", "LogisticRegression"])
@quick
@given(data=st.data(), seed=seeds)
def test_mirrored_stream_gives_mirrored_answers(ensemble, name, data, seed):
    """(x, y) -> (-x, -y) from the same starts, without intercept: every margin changes sign."""
    stream = data.draw(streams(declared=True, missing=False))
    rng = np.random.default_rng(data.draw(seeds))
    stream.X = np.where(stream.X == 0, 1, stream.X) * rng.uniform(0.5, 1, stream.X.shape)  # no ties
    low, high = sorted(stream.classes)
    mirrored = np.where(stream.y == low, high, low)
    n_estimators = 1 if ensemble.alone else data.draw(st.integers(1, 5))
    learner = getattr(streamboost, name)
    # Where a step depends on its weight and those before, no weight may hang on the tie rule of learners that know nothing.
    options = {"start": "sphere"} if name != "Perceptron" else {}
    one, two = (
        ensemble.make_product(learner(fit_intercept=False, **options), n_estimators, seed).set_params(
            calibration=None
        )
        for _ in range(2)  # a temperature keeps the label of a tie, which has no mirror image
    )
    p = one.test_then_train(**stream.everything, classes=stream.classes, output="proba")
    q = two.test_then_train(
        -stream.X, mirrored, sample_weight=stream.weight, classes=stream.classes, output="proba"
    )
    # Before any row is learned there is no evidence, only a tie rule.
    first = np.argmax(stream.weight > 0) + 1
    np.testing.assert_allclose(p[first:], q[first:, ::-1], rtol=1e-12, atol=1e-12)


def test_every_model_and_learner_of_the_table_is_tried():
    """The catalogue pairs each with its oracle; what is batch, adaptive, replayed or hashed has laws of its own."""
    adaptive = {
        model for model in models.MODELS.values() if model.__module__ == "streamboost.ensemble.adaptive"
    }
    own = adaptive | {
        models.MODELS[name] for name in ("streamboost", "replay-boosting", "streaming-gradient-boost")
    }
    assert {ensemble.product for ensemble in ENSEMBLES} == set(models.MODELS.values()) - own
    tried = {type(learner.product()) for learner in LEARNERS}
    assert tried | {models.LEARNERS["hashed-logistic"]} == set(models.LEARNERS.values())
