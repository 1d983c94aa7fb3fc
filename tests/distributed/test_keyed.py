"""One model per key: each like its own stream alone, in bounded memory, whatever was written away in between."""

import numpy as np
import pytest

import streamboost as sb
from streamboost.distributed import KeyedClassifier


def model():
    return sb.OnlineBaggingClassifier(n_estimators=3, random_state=1)


def rows(n=300, keys=7, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        k = int(rng.integers(keys))
        a, colour = float(rng.normal()), str(rng.choice(["red", "blue", "green"]))
        yield {"who": k, "a": a, "colour": colour}, ["no", "yes"][int((a > 0) != (k % 2 == 0))]


def state_bytes(estimator):
    return {n: (a.dtype.str, a.shape, a.tobytes()) for n, a in estimator._session.model.state().items()}


@pytest.mark.parametrize("max_models", [1, 3, 100])
def test_every_key_is_its_own_stream(max_models):
    alone = {}
    with KeyedClassifier(model(), "who", max_models=max_models, fallback=None) as keyed:
        for x, y in rows():
            own = alone.setdefault(x["who"], model())
            rest = {name: value for name, value in x.items() if name != "who"}
            assert keyed.predict_one(x) == own.predict_one(rest)
            keyed.learn_one(x, y)
            own.learn_one(rest, y)
            assert len(keyed) <= max_models
        for key, own in alone.items():
            assert state_bytes(keyed.own(key)) == state_bytes(own)
        assert (keyed.n_evicted > 0) == (max_models < 7)


def test_the_store_is_gone_on_with(tmp_path):
    data = list(rows())
    with KeyedClassifier(model(), "who", folder=tmp_path / "once", max_models=4) as once:
        for x, y in data:
            once.learn_one(x, y)
        expected = [once.predict_proba_one(x) for x, _ in data[:50]]
    for half in (data[:150], data[150:]):
        with KeyedClassifier(model(), "who", folder=tmp_path / "twice", max_models=4) as twice:
            for x, y in half:
                twice.learn_one(x, y)
            last = [twice.predict_proba_one(x) for x, _ in data[:50]]
    assert last == expected


def test_the_better_of_the_two_takes_over():
    rng = np.random.default_rng(1)
    with KeyedClassifier(sb.OnlineBaggingClassifier(n_estimators=10, random_state=1), "who") as keyed:
        for _ in range(3000):
            k, a = int(rng.integers(2)), float(rng.normal())
            keyed.learn_one({"who": k, "a": a}, int((a > 0) == (k == 0)))  # the keys contradict each other
        assert min(keyed.share(0), keyed.share(1)) > 0.99
        assert keyed.predict_one({"who": 0, "a": 2.0}) == 1
        assert keyed.predict_one({"who": 1, "a": 2.0}) == 0
        young = keyed.predict_proba_one({"who": 99, "a": 2.0})  # the global model answers
        assert set(young) == {0, 1}
        assert keyed.own(99) is None  # a question makes no model


def test_prior():
    with KeyedClassifier(model(), "who", fallback="prior") as keyed:
        assert keyed.predict_one({"who": 1, "a": 0.0}) is None
        for label in ("x", "y", "y"):
            keyed.learn_one({"who": 1, "a": 0.0}, label)
        assert keyed.predict_proba_one({"who": 2, "a": 0.0}) == {"x": 1 / 3, "y": 2 / 3}


def test_idle_models_go_to_the_store():
    now = [0.0]
    with KeyedClassifier(model(), "who", idle_s=10, clock=lambda: now[0]) as keyed:
        for key in (1, 2, 3):
            keyed.learn_one({"who": key, "a": 1.0}, 0)
        now[0] = 5
        keyed.learn_one({"who": 3, "a": 1.0}, 1)
        now[0] = 12
        keyed.learn_one({"who": 4, "a": 1.0}, 0)
        assert len(keyed) == 2
        assert keyed.own(1)._session.model.n_learned == 1


def test_refusals():
    from sklearn.naive_bayes import GaussianNB

    for wrong, words in [
        ({"max_models": 0}, "max_models=0"),
        ({"idle_s": -1}, "idle_s=-1"),
        ({"fallback": "mean"}, "fallback='mean'"),
    ]:
        with pytest.raises(ValueError, match=words):
            KeyedClassifier(model(), "who", **wrong)
    with pytest.raises(TypeError, match="GaussianNB"):
        KeyedClassifier(GaussianNB(), "who")
    with pytest.raises(ValueError, match="Python code"):
        KeyedClassifier(sb.OnlineBaggingClassifier(GaussianNB()), "who")
    with KeyedClassifier(model(), "who") as keyed:
        with pytest.raises(ValueError, match="no feature 'who'"):
            keyed.learn_one({"a": 1.0}, 0)
        with pytest.raises(ValueError, match=r"who=1\.5"):
            keyed.learn_one({"who": 1.5, "a": 1.0}, 0)
        with pytest.raises(ValueError, match="sample_weight=-1"):
            keyed.learn_one({"who": 1, "a": 1.0}, 0, -1)
        keyed.learn_one({"who": 1, "a": 1.0}, 0, 0)
        assert len(keyed) == 0
    with pytest.raises(RuntimeError, match="closed"):
        keyed.predict_one({"who": 1, "a": 1.0})
