"""Lossless and proportional, for the learners of which the thesis claims it.

Lossless: after any order of the rows the online model is the batch model of the same weighted multiset. Proportional: only
each row's share of the weight counts. With whole weights counting is exact, so answers are compared bit for bit.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.single import Single

import streamboost as sb
from laws.catalogue import LEARNERS
from laws.strategies import seeds, streams

quick = settings(max_examples=25)
NAMES = ("stump", "stump-exact", "tan-query", "tan-raw", "ban-raw")
LOSSLESS = [a for a in LEARNERS if a.name in NAMES]
PROPORTIONAL = [a for a in LOSSLESS if a.name != "tan-query"]  # pseudo counts are absolute


def draw_stream(data, learner, **options):
    return data.draw(
        streams(kinds=learner.kinds, n_classes=(2, 3), min_rows=3, max_rows=20, declared=True, **options)
    )


def learned(learner, stream, rows, weight=None):
    model = sb.SingleLearnerClassifier(
        learner.product(), categorical_features=stream.categorical, calibration=None
    )
    return model.partial_fit(stream.X[rows], stream.y[rows], classes=stream.classes, sample_weight=weight)


def answers(model, stream):
    return model.predict_proba(stream.X).tobytes(), model.predict(stream.X).tolist()


@pytest.mark.parametrize("learner", LOSSLESS, ids=lambda a: a.name)
@quick
@given(data=st.data(), seed=seeds)
def test_order_is_forgotten(learner, data, seed):
    stream = draw_stream(data, learner, weights=False)
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 5, len(stream)).astype(float)
    order = rng.permutation(len(stream))
    one = learned(learner, stream, slice(None), weight)
    assert answers(learned(learner, stream, order, weight[order]), stream) == answers(one, stream)


@pytest.mark.parametrize("learner", LOSSLESS, ids=lambda a: a.name)
@quick
@given(data=st.data())
def test_online_is_batch(learner, data):
    """After every row the model is what the oracle computes from the whole multiset so far."""
    stream = draw_stream(data, learner, weights=False)
    codes, order = stream.codes()
    oracle = Single(
        learner.make(), 0, width=stream.X.shape[1], nominal=stream.categorical, n_classes=len(order)
    )
    model = sb.SingleLearnerClassifier(
        learner.product(), categorical_features=stream.categorical, calibration=None
    )
    for t in range(len(stream)):
        model.partial_fit(**stream.rows(slice(t, t + 1)), classes=stream.classes)
        oracle.learn(stream.X[t].tolist(), codes[t])
        if oracle.doubt:
            return
        got = model.predict_proba(stream.X)
        for x, row in zip(stream.X.tolist(), got, strict=True):
            expected = oracle.answer(x)
            if not expected.close:
                assert row == pytest.approx(expected.proba, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("learner", PROPORTIONAL, ids=lambda a: a.name)
@quick
@given(data=st.data(), factor=st.sampled_from([2.0, 3.0, 1e6]))
def test_only_shares_count(learner, data, factor):
    stream = draw_stream(data, learner, weights=False)
    one = learned(learner, stream, slice(None))
    many = learned(learner, stream, slice(None), np.full(len(stream), factor))
    assert many.predict(stream.X).tolist() == one.predict(stream.X).tolist()
    np.testing.assert_allclose(many.predict_proba(stream.X), one.predict_proba(stream.X), rtol=1e-9)


@pytest.mark.parametrize("learner", LOSSLESS, ids=lambda a: a.name)
@quick
@given(data=st.data(), seed=seeds)
def test_weight_is_copies(learner, data, seed):
    stream = draw_stream(data, learner, weights=False)
    copies = np.random.default_rng(seed).integers(1, 4, len(stream))
    weighted = learned(learner, stream, slice(None), copies.astype(float))
    copied = learned(learner, stream, np.repeat(np.arange(len(stream)), copies))
    assert answers(copied, stream) == answers(weighted, stream)


@quick
@given(data=st.data(), seed=seeds)
def test_few_values_need_no_merging(data, seed):
    """Up to max_bins distinct values, bins are exact."""
    stream = data.draw(streams(declared=True, n_classes=(2, 3), max_rows=20))
    one, two = (
        sb.OnlineBoostingClassifier(sb.DecisionStump(numeric, max_bins=20), n_estimators=3, random_state=seed)
        for numeric in ("bins", "exact")
    )
    for model in (one, two):
        model.partial_fit(**stream.everything, classes=stream.classes)
    assert answers(one, stream) == answers(two, stream)


def test_bins_bound_memory_and_keep_the_cut():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4000, 1))
    y = (X[:, 0] > 0.3).astype(int)
    model = sb.SingleLearnerClassifier(sb.DecisionStump(max_bins=32)).partial_fit(
        X[:400], y[:400], classes=[0, 1]
    )
    before = model.memory_bytes()
    model.partial_fit(X[400:], y[400:])
    assert model.memory_bytes() <= 1.5 * before
    assert (model.predict(X) == y).mean() > 0.97
