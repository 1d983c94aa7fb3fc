"""Shards give the bits of one process: for every ensemble x learner, any cut, any chunks, and other shards midway."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laws.catalogue import ENSEMBLES, LEARNERS, MAIN_ENSEMBLES, every_nth, pairs
from laws.strategies import chunkings, seeds
from laws.test_laws import bits, draw_stream
from streamboost.distributed import Shards
from streamboost.distributed.parts import cut_state, join_states
from tests.catalogue import arrays

EVERY = pairs(MAIN_ENSEMBLES, LEARNERS) + pairs(
    [e for e in ENSEMBLES if e not in MAIN_ENSEMBLES],
    [a for a in LEARNERS if a.name in ("perceptron", "bayes-mixed")],
)


def shards_of(model, n_lanes):
    return st.integers(1, max(1, n_lanes // getattr(model, "n_candidates", 1)))


def same_bits(shards, whole):
    one, other = bits(shards.to_model()), bits(whole)
    assert one.keys() == other.keys()
    assert [name for name in one if one[name] != other[name]] == []


@pytest.mark.parametrize(("ensemble", "learner"), every_nth(EVERY, 2))
@settings(max_examples=3, deadline=None)
@given(data=st.data(), seed=seeds)
def test_shards_are_the_whole(ensemble, learner, data, seed):
    stream = draw_stream(data, ensemble, learner)
    n_estimators = 1 if ensemble.alone else data.draw(st.integers(1, 5), label="n_estimators")
    whole = ensemble.make_product(learner, n_estimators, seed, stream.categorical)
    shared = ensemble.make_product(learner, n_estimators, seed, stream.categorical)
    sizes = st.just(1) if ensemble.whole else shards_of(whole, whole._n_lanes())
    rows = data.draw(st.sampled_from([1, 2, 3, 5, 8]), label="chunk_rows")
    every = data.draw(st.sampled_from([1, 2, 100]), label="every")
    n = data.draw(sizes, label="n")
    with Shards(shared, n, engine="local", chunk_rows=rows, every=every) as shards:
        for cut in data.draw(chunkings(len(stream)), label="calls"):
            part = stream.rows(cut)
            verb = data.draw(st.sampled_from(["label", "proba", "score", "fit"]))
            if verb == "fit":
                whole.partial_fit(**part, classes=stream.classes)
                shards.partial_fit(**part, classes=stream.classes)
            else:
                a = whole.test_then_train(**part, classes=stream.classes, output=verb)
                b = shards.test_then_train(**part, classes=stream.classes, output=verb)
                assert a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes()
            if hasattr(whole, "classes_") and len(whole.classes_):
                assert whole.predict_proba(stream.X).tobytes() == shards.predict_proba(stream.X).tobytes()
            if data.draw(st.booleans(), label="scale"):
                shards.scale(data.draw(sizes, label="to"))
        same_bits(shards, whole)


@pytest.mark.parametrize(("ensemble", "learner"), every_nth(EVERY, 3))
@settings(max_examples=2, deadline=None)
@given(data=st.data(), seed=seeds)
def test_a_state_is_cut_and_joined(ensemble, learner, data, seed):
    stream = draw_stream(data, ensemble, learner)
    n_estimators = 1 if ensemble.alone else data.draw(st.integers(2, 7))
    whole = ensemble.make_product(learner, n_estimators, seed, stream.categorical)
    whole.partial_fit(**stream.everything, classes=stream.classes)
    state = arrays(whole)
    n_lanes = whole._n_lanes()
    edges = sorted({0, n_lanes, *data.draw(st.lists(st.integers(0, n_lanes), max_size=4))})
    parts = cut_state(state, list(itertools.pairwise(edges)))
    joined = join_states(parts)
    assert joined.keys() == state.keys()
    for name, array in state.items():
        assert (joined[name].dtype, joined[name].shape) == (array.dtype, array.shape), name
        assert joined[name].tobytes() == array.tobytes(), name
