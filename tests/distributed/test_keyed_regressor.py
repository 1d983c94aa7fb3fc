"""One regressor per key: each like its own stream alone, with its own past."""

import numpy as np
import pandas as pd
import pytest

import streamboost as sb
from streamboost.distributed import KeyedClassifier, KeyedRegressor, KeyedShards
from streamboost.evaluate import prequential
from tests.catalogue import state_bytes


def model():
    return sb.StreamBoostRegressor(n_estimators=2, lags=2, random_state=1)


def rows(n=240, keys=4, seed=0):
    rng = np.random.default_rng(seed)
    for i in range(n):
        k = int(rng.integers(keys))
        yield {"who": k, "a": float(rng.normal()), "colour": "rgb"[i % 3]}, 10.0 * k + np.sin(i / 5)


@pytest.mark.parametrize("max_models", [1, 3, 100])
def test_every_key_is_its_own_stream(max_models):
    alone = {}
    with KeyedRegressor(model(), "who", max_models=max_models, fallback=None) as keyed:
        for x, y in rows():
            own = alone.setdefault(x["who"], model())
            rest = {name: value for name, value in x.items() if name != "who"}
            assert keyed.predict_one(x) == own.predict_one(rest)
            keyed.learn_one(x, y)
            own.learn_one(rest, y)
        for key, own in alone.items():
            assert state_bytes(keyed.own(key)) == state_bytes(own)


@pytest.mark.parametrize("fallback", ["global", "prior", None])
def test_the_store_is_gone_on_with(tmp_path, fallback):
    data = list(rows())
    with KeyedRegressor(model(), "who", folder=tmp_path / "once", max_models=2, fallback=fallback) as once:
        for x, y in data:
            once.learn_one(x, y)
        expected = [once.predict_one(x) for x, _ in data[:30]]
    for half in (data[:120], data[120:]):
        with KeyedRegressor(
            model(), "who", folder=tmp_path / "twice", max_models=2, fallback=fallback
        ) as twice:
            for x, y in half:
                twice.learn_one(x, y)
            last = [twice.predict_one(x) for x, _ in data[:30]]
    assert last == expected


def test_frames_and_test_then_train():
    data = list(rows())
    frame, y = pd.DataFrame([x for x, _ in data]), [target for _, target in data]
    with KeyedRegressor(model(), "who") as one, KeyedRegressor(model(), "who") as other:
        answers = one.test_then_train(frame, y)
        assert np.abs(answers - y)[-60:].mean() < 2
        for x, target in data:
            other.learn_one(x, target)
        assert one.predict(frame).tolist() == other.partial_fit(frame[:0], []).predict(frame).tolist()
        with pytest.raises(ValueError, match="must be equal"):
            one.partial_fit(frame, y[:-1])
    labels = np.where(np.array(y) > 15, "high", "low")
    with KeyedClassifier(sb.OnlineBaggingClassifier(n_estimators=3, random_state=1), "who") as keyed:
        assert (keyed.test_then_train(frame, labels)[-60:] == labels[-60:]).mean() > 0.9


def test_the_prior_is_the_mean_and_the_task_is_told_apart():
    with KeyedRegressor(model(), "who", fallback="prior") as keyed:
        keyed.learn_one({"who": 1, "a": 0.0}, 4.0)
        keyed.learn_one({"who": 2, "a": 0.0}, 8.0)
        assert keyed.predict_one({"who": 3, "a": 0.0}) == 6.0
    with pytest.raises(
        TypeError,
        match=r"KeyedClassifier takes one of streamboost's classifiers.*StreamBoostRegressor: .*KeyedRegressor for",
    ):
        KeyedClassifier(model(), "who")
    with pytest.raises(TypeError, match=r"KeyedRegressor takes one of streamboost's regressors"):
        KeyedRegressor(sb.OnlineBaggingClassifier(), "who")


@pytest.mark.parametrize("kind", ["regressor", "classifier"])
def test_pending_answers_are_handed_to_the_models_that_gave_them(kind):
    numbers = kind == "regressor"
    make = model if numbers else lambda: sb.StreamBoostClassifier(n_estimators=2, random_state=1)
    keyed_kind = KeyedRegressor if numbers else KeyedClassifier
    alone, whole = {}, make()
    with keyed_kind(make(), "who", max_models=2) as keyed:
        late = []
        for x, target in rows(120):
            y = target if numbers else ("low" if target % 10 < 5 else "high")
            rest = {name: value for name, value in x.items() if name != "who"}
            own = alone.setdefault(x["who"], make())
            pending = keyed.predict_pending_one(x)
            assert pending.prediction == keyed.predict_one(x)
            late.append(
                (
                    x,
                    rest,
                    y,
                    pending,
                    *(m.predict_pending_one(rest) if m.started else None for m in (own, whole)),
                )
            )
            if len(late) < 9:
                continue
            x, rest, y, pending, mine, others = late.pop(0)
            keyed.learn_one(x, y, pending=pending)
            for m, said in ((alone[x["who"]], mine), (whole, others)):
                m.learn_one(rest, y, **({} if said is None else {"pending": said}))
        for key, own in alone.items():
            assert state_bytes(keyed.own(key)) == state_bytes(own)
        assert 0 < keyed.share(0) < 1


def test_regressors_by_key_over_actors(tmp_path):
    data = list(rows(80))
    with (
        KeyedShards(model(), "who", 2, folder=tmp_path, engine="local", fallback=None) as shards,
        KeyedRegressor(model(), "who", fallback=None) as keyed,
    ):
        shards.learn_many([x for x, _ in data], [y for _, y in data])
        for x, y in data:
            keyed.learn_one(x, y)
        asked = [x for x, _ in data[:10]]
        assert shards.predict_many(asked) == [keyed.predict_one(x) for x in asked]
        assert shards.predict_one(asked[0]) == keyed.predict_one(asked[0])


@pytest.mark.parametrize("delay", [0, 7])
@pytest.mark.parametrize("actors", [False, True])
@pytest.mark.parametrize("kind", ["regressor", "classifier"])
def test_an_evaluation_learns_what_the_verbs_learn(kind, actors, delay, tmp_path):
    data = list(rows(150))
    frame, y = pd.DataFrame([x for x, _ in data]), np.array([target for _, target in data])
    if kind == "classifier":
        y = np.where(y % 10 < 5, "low", "high")
        base = sb.StreamBoostClassifier(n_estimators=2, lags=1, delay=delay, random_state=1)
    else:
        base = sb.StreamBoostRegressor(n_estimators=2, lags=2, delay=delay, random_state=1)

    def make(name):
        if actors:
            return KeyedShards(base, "who", 2, folder=tmp_path / name, engine="local", max_models=2)
        return (KeyedRegressor if kind == "regressor" else KeyedClassifier)(base, "who", max_models=2)

    with make("evaluated") as evaluated, make("by-hand") as by_hand:
        proba = {"metrics": ["log_loss"]} if kind == "classifier" else {}
        result = prequential(evaluated, (frame, y), delay=delay, chunk_size=40, keep_errors=True, **proba)
        answers, late = [], []
        for x, truth in zip(frame.to_dict("records"), y.tolist(), strict=True):
            pending = by_hand.predict_pending_one(x)
            answers.append(pending.prediction)
            late.append((x, truth, pending if delay else None))
            if len(late) > delay:
                then, label, said = late.pop(0)
                by_hand.learn_one(then, label, pending=said)
        for then, label, said in late:
            by_hand.learn_one(then, label, pending=said)
        for key in range(4):
            assert state_bytes(evaluated.own(key)) == state_bytes(by_hand.own(key))
    left_out = delay + 1 if delay else 0
    assert (result.left_out, result.n_rows) == (left_out, 150 - left_out)
    scored = np.array(answers[left_out:], dtype=object if kind == "classifier" else float)
    if kind == "classifier":
        assert result.error == pytest.approx(np.mean(scored != y[left_out:]))
        assert np.isfinite(result.metrics["log_loss"]["cumulative"].value)
    else:
        assert result.mae == pytest.approx(np.abs(scored - y[left_out:]).mean())
