"""One model per key: each like its own stream alone, in bounded memory, whatever was written away in between."""

import sqlite3
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone

import streamboost as sb
from streamboost.distributed import KeyedClassifier, KeyedShards
from streamboost.distributed.keyed_shards import owner
from tests.catalogue import state_bytes
from tests.inside.handles import model_of_all


def model():
    return sb.OnlineBaggingClassifier(n_estimators=3, random_state=1)


def rows(n=300, keys=7, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        k = int(rng.integers(keys))
        a, colour = float(rng.normal()), str(rng.choice(["red", "blue", "green"]))
        yield {"who": k, "a": a, "colour": colour}, ["no", "yes"][int((a > 0) != (k % 2 == 0))]


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


@pytest.mark.parametrize("max_models", [1, 100])
def test_keys_that_python_takes_for_equal_are_different_keys(max_models):
    """In memory as in the store."""
    keys = [1, True, "1", 0, False]
    with KeyedClassifier(model(), "who", max_models=max_models, fallback=None) as keyed:
        for x, y in rows(keys=len(keys)):
            keyed.learn_one({**x, "who": keys[x["who"]]}, y)
        learned = [keyed.own(key).n_learned_ for key in keys]
    assert learned == [sum(x["who"] == k for x, _ in rows(keys=len(keys))) for k in range(len(keys))]


def test_large_models_make_room_by_their_memory():
    made = sb.StreamBoostClassifier(text_features=["text"], random_state=1)
    alone = {}
    with KeyedClassifier(made, "who", max_bytes=45_000_000, fallback=None) as keyed:
        for i in range(40):
            x = {"text": ("free prize" if i % 3 else "see you") + f" {i}", "a": float(i)}
            own = alone.setdefault(i % 5, clone(made))
            keyed.learn_one({"who": i % 5, **x}, i % 3 > 0)
            own.learn_one(x, i % 3 > 0)
            assert len(keyed) <= 2
        assert keyed.n_evicted > 0
        for key, own in alone.items():
            assert state_bytes(keyed.own(key)) == state_bytes(own)


def test_texts_of_rows_are_not_kept():
    reads = sb.StreamBoostClassifier(text_features=["text"], random_state=1)
    with KeyedClassifier(reads, "who", fallback=None, max_models=1) as keyed:
        keyed.learn_one({"who": 0, "text": "a", "size": 1.0}, "no")
        tracemalloc.start()
        try:
            for at in range(30):
                keyed.learn_one({"who": at, "text": "x" * 300_000 + str(at), "size": 1.0}, "no")
            kept = tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()
    assert kept < 4_000_000


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


def test_a_folder_has_one_owner_and_one_kind_of_models(tmp_path):
    with KeyedClassifier(model(), "who", folder=tmp_path) as keyed:
        keyed.learn_one({"who": 1, "a": 1.0}, "yes")
        with pytest.raises(RuntimeError, match="is in use by another model, which is not closed yet"):
            KeyedClassifier(model(), "who", folder=tmp_path)
        keyed.learn_one({"who": 1, "a": 1.0}, "no")
    for _ in range(2):  # a refusal does not keep the folder
        with pytest.raises(ValueError, match="of the kind OnlineBaggingClassifier, not OSBoostClassifier"):
            KeyedClassifier(sb.OSBoostClassifier(), "who", folder=tmp_path)
    with KeyedClassifier(model(), "who", folder=tmp_path) as keyed:
        assert keyed.own(1).n_learned_ == 2


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


def test_what_the_model_of_all_refuses_is_learned_by_nobody():
    with KeyedClassifier(model(), "who", fallback="global") as keyed:
        for x, y in rows(50, keys=3):
            keyed.learn_one(x, y)
        before = state_bytes(model_of_all(keyed))
        with pytest.raises(ValueError, match="'a'"):
            keyed.learn_one({"who": "new", "a": "a text", "colour": "red"}, "yes")
        assert state_bytes(model_of_all(keyed)) == before
        own = keyed.own("new")
        assert own is None or getattr(own, "n_learned_", 0) == 0


def test_what_the_model_of_the_key_refuses_is_learned_by_nobody():
    """A column may be of another kind there; the answer was given before it was."""
    with KeyedClassifier(model(), "who") as keyed:
        keyed.learn_one({"who": 1, "a": "a text", "b": 1.0}, "no")
        keyed.learn_one({"who": 2, "b": 1.0}, "yes")
        late = {"who": 2, "a": "a text"}
        pending = keyed.predict_pending_one(late)
        keyed.learn_one({"who": 2, "a": 3.5}, "yes")
        another = {"who": 3, "a": "a text", "b": 1.0}  # for whom the model of all answers
        before = keyed.predict_proba_one(another)
        with pytest.raises(ValueError, match="'a' is numeric"):
            keyed.learn_one(late, "yes", pending=pending)
        assert keyed.predict_proba_one(another) == before

        pending = keyed.predict_pending_one({"who": 4, "a": "a text"})  # before it has a model
        keyed.learn_one({"who": 4, "a": 3.5}, "yes")
        before = keyed.predict_proba_one(another)
        with pytest.raises(ValueError, match="'a' is numeric"):
            keyed.learn_one({"who": 4, "a": "a text"}, "yes", pending=pending)
        assert keyed.predict_proba_one(another) == before


@pytest.mark.filterwarnings("ignore:Rows without a label")
@pytest.mark.parametrize("fallback", ["global", "prior", None])
def test_a_row_without_a_label_teaches_nobody(fallback):
    with (
        KeyedClassifier(model(), "who", fallback=fallback) as keyed,
        KeyedClassifier(model(), "who", fallback=fallback) as plain,
    ):
        for at, (x, y) in enumerate(rows(60, keys=2)):
            keyed.learn_one(x, y)
            plain.learn_one(x, y)
            keyed.learn_one(x, None if at % 2 else float("nan"))
        assert [keyed.share(who) for who in (0, 1)] == [plain.share(who) for who in (0, 1)]
        for who in (0, 1, 7):
            x = {"who": who, "a": 0.5, "colour": "red"}
            assert keyed.predict_proba_one(x) == plain.predict_proba_one(x)


def test_prior():
    with KeyedClassifier(model(), "who", fallback="prior") as keyed:
        assert keyed.predict_one({"who": 1, "a": 0.0}) is None
        for label in ("x", "y", "y"):
            keyed.learn_one({"who": 1, "a": 0.0}, label)
        assert keyed.predict_proba_one({"who": 2, "a": 0.0}) == {"x": 1 / 3, "y": 2 / 3}


def test_another_thread_is_no_damage():
    with KeyedClassifier(model(), "who", max_models=1) as keyed:
        for who in (1, 2):
            keyed.learn_one({"who": who, "a": 1.0}, 0)
        with ThreadPoolExecutor(1) as other, pytest.raises(sqlite3.ProgrammingError, match="thread"):
            other.submit(keyed.predict_one, {"who": 1, "a": 1.0}).result()
        assert keyed.own(1).n_learned_ == 1


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
        assert keyed.own(1).n_learned_ == 1


def test_refusals():
    with pytest.raises(TypeError, match="OnlineBaggingClassifier is a class; pass a model"):
        KeyedClassifier(sb.OnlineBaggingClassifier, "who")
    from sklearn.naive_bayes import GaussianNB

    for wrong, words in [
        ({"max_models": 0}, "max_models=0"),
        ({"max_bytes": 0}, "max_bytes=0"),
        ({"idle_s": -1}, "idle_s=-1"),
        ({"fallback": "mean"}, "fallback='mean'"),
    ]:
        with pytest.raises(ValueError, match=words):
            KeyedClassifier(model(), "who", **wrong)
    with pytest.raises(TypeError, match="GaussianNB"):
        KeyedClassifier(GaussianNB(), "who")
    with pytest.raises(TypeError, match="OnlineBMRClassifier"):
        KeyedClassifier(sb.OnlineBMRClassifier(), "who")
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


def learn_through_shards(folder, engine, keys=7, first=(2, 3), then=(1, 2)):
    """Learn through actors that come and go; every key's model must be the one of its own stream."""
    data, alone = list(rows(keys=keys)), {}
    for x, y in data:
        own = alone.setdefault(x["who"], model())
        own.learn_one({name: value for name, value in x.items() if name != "who"}, y)
    with KeyedShards(
        model(), "who", first[0], folder=folder, engine=engine, max_models=2, fallback=None
    ) as shards:
        shards.learn_many([x for x, _ in data[:100]], [y for _, y in data[:100]])
        shards.scale(first[1])
        shards.learn_many([x for x, _ in data[100:150]], [y for _, y in data[100:150]])
    with KeyedShards(
        model(), "who", then[0], folder=folder, engine=engine, max_models=2, fallback=None
    ) as shards:
        shards.learn_many([x for x, _ in data[150:200]], [y for _, y in data[150:200]])
        shards.scale(then[1])
        for x, y in data[200:]:
            shards.learn_one(x, y)
        for key, own in alone.items():
            assert state_bytes(shards.own(key)) == state_bytes(own)
        questions = [x for x, _ in data[:20]]
        answers = shards.predict_proba_many(questions)
        for x, answer in zip(questions, answers, strict=True):
            assert answer == alone[x["who"]].predict_proba_one({n: v for n, v in x.items() if n != "who"})
        assert shards.predict_one({**questions[0], "who": 1000}) is None
        with pytest.raises(ValueError, match="row 1: sample_weight=-1"):
            shards.learn_many(questions[:2], ["no", "no"], [0, -1])
        with pytest.raises(ValueError, match="no feature 'who'"):
            shards.learn_many([{"a": 1.0}], ["no"])
    assert sorted(path.name for path in folder.iterdir()) == [f"keys-{i}" for i in range(then[1])]


def test_keys_over_actors_that_come_and_go(tmp_path):
    learn_through_shards(tmp_path, "local")


def test_a_new_actor_takes_its_share_and_nobody_else_s():
    before = {str(key): owner(str(key), 4) for key in range(2000)}
    moved = [key for key, at in before.items() if owner(key, 5) != at]
    assert all(owner(key, 5) == 4 for key in moved)
    assert 300 < len(moved) < 500


def test_an_older_copy_does_not_replace_a_model(tmp_path):
    x = {"who": 1, "a": 1.0}
    with KeyedClassifier(model(), "who", folder=tmp_path) as keyed:
        keyed.learn_one(x, "no")
        old = keyed.give(lambda key: True)
        keyed.learn_one(x, "yes")
        new = keyed.give(lambda key: True)
        keyed.take(old)
        assert keyed.give(lambda key: True) == new
        keyed.drop(["1"])
        assert keyed.own(1) is None
        keyed.take(new)
        assert keyed.own(1).n_learned_ == 2


def test_bad_actors(tmp_path):
    for wrong, words in [
        ({"n": 0}, "n=0"),
        ({"engine": "spark"}, "engine='spark'"),
        ({"max_models": 0}, "max_models=0"),
        ({"max_bytes": 0}, "max_bytes=0"),
    ]:
        with pytest.raises(ValueError, match=words):
            KeyedShards(model(), "who", **{"folder": tmp_path / "k", "engine": "local", **wrong})
