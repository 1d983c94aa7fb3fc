"""UniversalPredictor: least squares by another way, the loss bound, files."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone

import streamboost
from streamboost import ModelFileError, UniversalPredictor
from streamboost.base.files.archive import write_archive

sequences = hnp.arrays(float, st.integers(1, 60), elements=st.floats(-1, 1))


def batch(x, max_order, c, ridge):
    """The mixture from scratch at every step: ridge regression on the whole past."""
    losses, answers, largest = np.zeros(max_order), [], 0.0
    for t in range(len(x)):
        limit = math.sqrt(c) / 2 if c is not None else largest
        experts = []
        for k in range(1, max_order + 1):
            rows = np.array([[x[s - j] if s >= j else 0.0 for j in range(1, k + 1)] for s in range(t + 1)])
            normal = rows[:t].T @ rows[:t] + ridge * np.eye(k)
            coefficients = np.linalg.solve(normal, rows[:t].T @ x[:t])
            experts.append(np.clip(coefficients @ rows[t], -limit, limit))
        experts = np.array(experts)
        scale = 4 * limit**2
        weights = np.exp(-(losses - losses.min()) / (2 * scale)) if scale > 0 else np.ones(max_order)
        answers.append(float(weights @ experts / weights.sum()))
        losses += (x[t] - experts) ** 2
        largest = max(largest, abs(x[t]))
    return np.array(answers), losses


@pytest.mark.parametrize("c", [None, 4.0])
@settings(max_examples=15)
@given(x=sequences)
def test_recursive_is_batch(c, x):
    model = UniversalPredictor(3, scale=c, ridge=0.1)
    expected, losses = batch(x, 3, c, 0.1)
    np.testing.assert_allclose(model.test_then_train(x), expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(model._state["losses"], losses, rtol=1e-6, atol=1e-8)


@given(x=sequences, order=st.integers(1, 6))
def test_loss_bound_on_any_bounded_sequence(x, order):
    model = UniversalPredictor(order, scale=4.0).fit(x)
    (bound,) = model.bounds()
    assert bound.premise_holds
    assert bound.holds


@pytest.mark.parametrize("seed", range(3))
def test_loss_bound_where_the_past_misleads(seed):
    """The next number is chosen against the mixture."""
    model = UniversalPredictor(5, scale=4.0)
    rng = np.random.default_rng(seed)
    for _ in range(400):
        model.learn_one(-math.copysign(1.0, model.predict_one()) * rng.choice([1.0, 0.5]))
    assert all(bound.holds and bound.premise_holds for bound in model.bounds())


def test_it_finds_the_order():
    rng = np.random.default_rng(0)
    x = np.zeros(3000)
    for t in range(2, 3000):
        x[t] = 0.2 * x[t - 1] - 0.75 * x[t - 2] + 0.3 * rng.normal()
    model = UniversalPredictor(6)
    answers = model.test_then_train(x)
    assert model.order_weights_[0] < 1e-3
    assert np.mean((x - answers)[500:] ** 2) < 0.1 < np.var(x)


def test_numbers_beyond_the_known_bound_are_noticed():
    model = UniversalPredictor(2, scale=4.0).fit([0.5, -1.0, 1.5])
    assert not model.bounds()[0].premise_holds


def test_asking_changes_nothing_and_chunks_do_not_matter():
    x = np.random.default_rng(1).normal(size=50)
    whole, rows = UniversalPredictor(4), UniversalPredictor(4)
    expected = whole.test_then_train(x)
    got = []
    for value in x:
        got.append(rows.predict_one())
        assert rows.predict_one() == got[-1]
        rows.learn_one(value)
    assert np.array(got).tobytes() == expected.tobytes()
    assert rows.predict_one() == whole.predict_one()


@pytest.mark.parametrize("way", ["file", "pickle", "copy"])
def test_resumed_is_never_stopped(way, tmp_path):
    x = np.random.default_rng(2).normal(size=60)
    straight, stopped = UniversalPredictor(4).fit(x[:30]), UniversalPredictor(4).fit(x[:30])
    if way == "file":
        stopped.save(tmp_path / "m.sboost")
        stopped = streamboost.load(tmp_path / "m.sboost")
    else:
        stopped = pickle.loads(pickle.dumps(stopped)) if way == "pickle" else copy.deepcopy(stopped)
    assert stopped.test_then_train(x[30:]).tobytes() == straight.test_then_train(x[30:]).tobytes()
    assert clone(stopped).predict_one() == 0.0


def test_words_for_what_does_not_fit(tmp_path):
    with pytest.raises(ValueError, match="max_order"):
        UniversalPredictor(0).learn_one(1.0)
    for bad in (math.nan, math.inf, 1e200):
        with pytest.raises(ValueError, match="not finite"):
            UniversalPredictor().learn_one(bad)
    with pytest.raises(ValueError, match="sequence of numbers"):
        UniversalPredictor().fit([[1.0]])
    with pytest.raises(ValueError, match="nothing to save"):
        UniversalPredictor().save(tmp_path / "m.sboost")
    with pytest.raises(AttributeError, match="learned nothing"):
        _ = UniversalPredictor().order_weights_


@pytest.mark.parametrize(
    "damage",
    [
        lambda model, arrays: model["params"].update(max_order=400),
        lambda model, arrays: model["params"].update(max_order=-1),
        lambda model, arrays: model["params"].pop("ridge"),
        lambda model, arrays: model.update(version=2),
        lambda model, arrays: arrays.pop("past"),
        lambda model, arrays: arrays.update(past=np.zeros(7)),
        lambda model, arrays: arrays.update(past=np.full(3, np.nan)),
        lambda model, arrays: arrays.update(losses=np.full(3, -1.0)),
    ],
)
def test_a_file_that_lies_is_refused(damage, tmp_path):
    model = UniversalPredictor(3).fit([0.1, 0.2, 0.3])
    head = {
        "name": "universal-predictor",
        "version": 1,
        "params": {"max_order": 3, "scale": None, "ridge": 1e-3},
    }
    arrays = dict(model._state)
    damage(head, arrays)
    with open(tmp_path / "m.sboost", "wb") as file:
        write_archive(file, {"model": head}, arrays)
    with pytest.raises(ModelFileError):
        streamboost.load(tmp_path / "m.sboost")
