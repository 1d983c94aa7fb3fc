"""Small models by the short way: whatever their rows bring, each is bit for bit what its own stream alone would give."""

import random
import sqlite3

import numpy as np
import pytest

import streamboost as sb
from streamboost.distributed import KeyedClassifier
from streamboost.distributed.model_templates import KeyedModel, ModelTemplates
from tests.distributed.test_messages import mutant
from tests.inside.handles import core_of

MODELS = {
    "bagging": lambda: sb.OnlineBaggingClassifier(n_estimators=3, random_state=1),
    "declared nominal": lambda: sb.OnlineBaggingClassifier(
        n_estimators=2, random_state=1, categorical_features=["b"]
    ),
    "trees": lambda: sb.OnlineBoostingClassifier(
        sb.HoeffdingTree(grace_period=5), n_estimators=2, random_state=1
    ),
    "linear": lambda: sb.OnlineBoostingClassifier(
        sb.LogisticRegression(scale="none"), n_estimators=2, random_state=1
    ),
    "default": lambda: sb.StreamBoostClassifier(n_estimators=2, random_state=1),
}


def rows(n, seed):
    """Rows of 25 keys that discover labels, columns and values in many orders, often the same ones."""
    rng = random.Random(seed)
    for _ in range(n):
        key = rng.randrange(25)
        x = {"who": key, "a": rng.choice([rng.gauss(0, 1), rng.gauss(0, 1), 3, float("nan")])}
        x["b"] = rng.choice([1, 2, 2.0, 7])
        if key % 3:
            x["colour"] = rng.choice(["red", "blue", True, "red", None])
        if rng.random() < 0.1:
            x["late"] = rng.gauss(0, 1)
        if rng.random() < 0.02:
            x["a"] = 40.0  # a linear learner warns once
        yield x, rng.choice([0, 1, 1, 2] if key % 2 else [1, 0]), rng.choice([1.0, 1.0, 1.0, 0.5, 0.0])


def file_of(model):
    return model.to_bytes()


@pytest.mark.filterwarnings("ignore:X holds values")
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("max_models", [2, 100])
def test_every_key_is_its_own_stream(name, max_models):
    make = MODELS[name]
    binary = name == "linear"
    alone = {}
    with KeyedClassifier(make(), "who", max_models=max_models, fallback=None) as keyed:
        for x, y, weight in rows(400 if max_models < 100 else 800, 3):
            y = min(y, 1) if binary else y
            own = alone.setdefault(x["who"], make())
            rest = {name: value for name, value in x.items() if name != "who"}
            assert keyed.predict_proba_one(x) == own.predict_proba_one(rest)
            keyed.learn_one(x, y, weight)
            if weight:
                own.learn_one(rest, y, weight)
        for key, own in alone.items():
            mine = keyed.own(key)
            assert (not hasattr(own, "n_features_in_")) == (
                mine is None or not hasattr(mine, "n_features_in_")
            )
            if hasattr(own, "n_features_in_"):
                assert file_of(mine) == file_of(own)
        assert keyed._templates._by_text  # the short way was gone


def example(i, label):
    return {"a": float(i), "colour": "red"}, label


def test_a_model_that_follows_others_takes_the_short_way(monkeypatch):
    model_templates = ModelTemplates(sb.OnlineBaggingClassifier(n_estimators=2, random_state=1))
    for _ in range(4):  # each way is known from the second time on
        keyed_model = KeyedModel(sb.OnlineBaggingClassifier(n_estimators=2, random_state=1))
        for i, label in enumerate("xyxy"):
            model_templates.learn(keyed_model, *example(i, label), 1.0)
    expected = keyed_model.model.to_bytes()
    packed = model_templates.pack(keyed_model)
    for _ in range(2):  # a text is known from the second time on
        model_templates.unpack(*packed)
    monkeypatch.setattr(type(keyed_model.model), "_learn", None)  # the long way
    monkeypatch.setattr(type(keyed_model.model), "_restore", None)
    fresh = KeyedModel(sb.OnlineBaggingClassifier(n_estimators=2, random_state=1))
    for i, label in enumerate("xyxy"):
        model_templates.learn(fresh, *example(i, label), 1.0)
    woken = model_templates.unpack(*packed)
    monkeypatch.undo()
    assert fresh.model.to_bytes() == woken.model.to_bytes() == expected
    # What one of them discovers the others do not know.
    woken.model.learn_one({"a": 1.0, "colour": "green", "b": 1.0}, "z")
    assert fresh.model.classes_.tolist() == ["x", "y"]
    assert fresh.model.to_bytes() == expected


def test_parameters_of_a_model_that_was_given_away_are_its_own():
    model = sb.OnlineBaggingClassifier(sb.NaiveBayes(), n_estimators=2, random_state=1)
    with KeyedClassifier(model, "who", fallback=None) as keyed:
        for i in range(60):
            keyed.learn_one({"who": i % 10, "a": float(i)}, i % 2 == i % 4)
        keyed.own(3).set_params(estimator__prior_alpha=0.5)
        keyed.learn_one({"who": 4, "a": 1.0}, True)
        with pytest.raises(ValueError, match="prior_alpha"):
            keyed.learn_one({"who": 3, "a": 1.0}, True)


def test_one_seed_for_all_keys_if_none_is_given():
    with KeyedClassifier(sb.OnlineBaggingClassifier(n_estimators=2), "who", fallback=None) as keyed:
        for i in range(40):
            keyed.learn_one({"who": i % 4, "a": float(i // 4)}, i // 4 % 2)
        assert len({file_of(keyed.own(key)) for key in range(4)}) == 1


def test_stores_of_files_are_gone_on_with_and_damage_is_seen(tmp_path):
    make = MODELS["bagging"]
    old = make()
    old.learn_one({"a": 1.0}, "no")
    with KeyedClassifier(make(), "who", folder=tmp_path, fallback=None) as keyed:
        keyed.take([("1", {"n": 1, "own": 0.0, "global": 0.0}, old.to_bytes())])
        keyed.learn_one({"who": 1, "a": 2.0}, "yes")
        keyed.learn_one({"who": 2, "a": 2.0}, "yes")
    old.learn_one({"a": 2.0}, "yes")
    with KeyedClassifier(make(), "who", folder=tmp_path, fallback=None) as keyed:
        assert file_of(keyed.own(1)) == file_of(old)
    store = sqlite3.connect(tmp_path / "models.sqlite")
    (data,) = store.execute("SELECT data FROM models WHERE key='2'").fetchone()
    for at in np.random.default_rng(0).integers(0, len(data), 60).tolist():
        broken = data[:at] + bytes([data[at] ^ 16]) + data[at + 1 :]
        store.execute("UPDATE models SET data=? WHERE key='2'", (broken,))
        store.commit()
        with (
            KeyedClassifier(make(), "who", folder=tmp_path, fallback=None) as keyed,
            pytest.raises(ValueError),
        ):
            keyed.own(2)
    store.close()


def test_numbers_that_lie_are_refused_or_could_be_true():
    model = MODELS["trees"]()
    for x, y, _ in rows(60, 5):
        model.learn_one({"a": x["b"]}, y)
    core = core_of(model)
    good, rng, refused = core.packed(), np.random.default_rng(3), 0
    assert core.unpacked(good).packed() == good
    for _ in range(600):
        try:
            core.unpacked(mutant(rng, good))
        except (ValueError, MemoryError):
            refused += 1
    assert refused > 300
    assert core.packed() == good


def test_what_was_written_away_is_on_the_disk_after_flush(tmp_path):
    with KeyedClassifier(MODELS["bagging"](), "who", max_models=1, folder=tmp_path) as keyed:
        for key in range(5):
            keyed.learn_one({"who": key, "a": 1.0}, 0)
        keyed.flush()
        reader = sqlite3.connect(tmp_path / "models.sqlite")
        assert reader.execute("SELECT count(*) FROM models").fetchone() == (6,)
        reader.close()
        assert not keyed._store._waiting
        keyed.predict_one({"who": 0, "a": 1.0})  # a model that only answers is not written again
        keyed.predict_one({"who": 1, "a": 1.0})
        assert not keyed._store._waiting
