"""Shards of every kind of ensemble: the same bits, through crashes, restarts and other numbers of shards."""

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import streamboost as sb
from streamboost.distributed import Shards, cut, join
from streamboost.evaluate import prequential
from tests.catalogue import state_bytes
from tests.distributed.streams import models, rows
from tests.inside.handles import core_of

MODELS = models()


def fresh(name):
    return models()[name]


def same(model, other):
    one, two = state_bytes(model), state_bytes(other)
    assert one.keys() == two.keys()
    assert [name for name in one if one[name] != two[name]] == []


@pytest.mark.parametrize("name", MODELS)
def test_every_kind_of_ensemble(name):
    X, y = rows()
    whole = fresh(name)
    expected = whole.test_then_train(X, y, classes=[0, 1], output="proba")
    with Shards(fresh(name), 3, engine="local", chunk_rows=7, every=5) as shards:
        got = [shards.test_then_train(X[:200], y[:200], classes=[0, 1], output="proba")]
        shards.scale(2)
        shards.partial_fit(X[200:203], y[200:203])
        shards.scale(4)
        got.append(shards.test_then_train(X[203:], y[203:], output="proba"))
        assert np.delete(expected, [200, 201, 202], axis=0).tobytes() == np.vstack(got).tobytes()
        assert whole.predict_proba(X).tobytes() == shards.predict_proba(X).tobytes()
        same(shards.to_model(), whole)


@pytest.mark.parametrize(
    "more",
    [
        {"calibration": "platt"},
        {"coverages": (0.8, 0.9)},
        {"class_weight": "balanced"},
        {"class_weight": "oversample", "class_weight_half_life": 50},
        {"class_weight": {0: 0.5, 1: 3.0}, "keep_health": True},
        {"decision": "f1"},
        {"decision": "cost", "decision_costs": {(0, 1): 1.0, (1, 0): 5.0}, "calibration": "platt"},
    ],
)
def test_what_comes_around_the_vote(more):
    X, y = rows()
    whole = sb.OSBoostClassifier(n_estimators=6, random_state=3, **more)
    with Shards(sb.OSBoostClassifier(n_estimators=6, random_state=3, **more), 3, engine="local") as shards:
        expected = whole.test_then_train(X, y, classes=[0, 1], output="proba")
        got = shards.test_then_train(X, y, classes=[0, 1], output="proba")
        assert expected.tobytes() == got.tobytes()
        shards.scale(2)
        shards.partial_fit(X, y)
        whole.partial_fit(X, y)
        joined = shards.to_model()
        same(joined, whole)
        assert shards.predict(X).tolist() == whole.predict(X).tolist()
        if "coverages" in more:
            assert joined.predict_set(X, 0.8).tolist() == whole.predict_set(X, 0.8).tolist()


def test_what_is_said_of_classes_that_come_late(tmp_path):
    X, y = rows(300, k=3)
    y = np.where(np.arange(300) < 100, np.minimum(y, 1), y)  # the third class comes later
    weight = np.random.default_rng(1).choice([0.0, 1.0, 2.5], 300)
    more = {
        "class_weight": {0: 0.5, 2: 3.0},
        "decision": "cost",
        "decision_costs": {(2, 0): 9.0, (0, 2): 2.0},
        "random_state": 3,
    }
    whole = sb.StreamBoostClassifier(n_estimators=6, **more)
    folder = tmp_path / "shards"
    shards = Shards(
        sb.StreamBoostClassifier(n_estimators=6, **more),
        2,
        engine="local",
        folder=folder,
        chunk_rows=7,
        every=3,
    )
    expected = whole.test_then_train(X, y, sample_weight=weight, output="both")
    got = [shards.test_then_train(X[:150], y[:150], sample_weight=weight[:150], output="both")]
    shards._engine.close()  # the driver goes and comes back
    with Shards.resume(folder, engine="local") as shards:
        shards.scale(3)
        got.append(shards.test_then_train(X[150:], y[150:], sample_weight=weight[150:], output="both"))
        labels = [label for part in got for label in part[0]]
        assert labels == list(expected[0])
        assert got[1][1].tobytes() == expected[1][150:].tobytes()
        same(shards.to_model(), whole)
        assert shards.predict(X, stale="ok").shape == (300,)


REGRESSORS = {
    "mean": lambda: sb.OnlineBaggingRegressor(n_estimators=6, random_state=3),
    "median": lambda: sb.OnlineBaggingRegressor(n_estimators=6, combine="median", random_state=3),
    "forest": lambda: sb.AdaptiveRandomForestRegressor(n_estimators=6, random_state=3),
    "gradient": lambda: sb.OnlineGradientBoostingRegressor(n_estimators=6, random_state=3),
    "logarithms": lambda: sb.OnlineBaggingRegressor(
        n_estimators=6, target="log1p", coverages=(0.9,), random_state=3
    ),
    "default": lambda: sb.StreamBoostRegressor(n_estimators=4, random_state=3),
}


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.parametrize("engine", ["local", "processes"])
def test_regressors(name, engine, tmp_path):
    if engine == "processes" and name != "forest":
        pytest.skip("one is enough")
    X, _ = rows(400)
    y = np.exp(np.nan_to_num(X[:, 0])) + np.nan_to_num(X[:, 1]) ** 2
    weight = np.random.default_rng(1).choice([0.0, 1.0, 2.0], 400)
    whole = REGRESSORS[name]()
    expected = whole.test_then_train(X, y, sample_weight=weight)
    with Shards(REGRESSORS[name](), 2, engine=engine, chunk_rows=9, every=4) as shards:
        got = [shards.test_then_train(X[:200], y[:200], sample_weight=weight[:200])]
        if engine == "processes":
            os.kill(shards.pids()[0], signal.SIGKILL)
        shards.scale(3)
        got.append(shards.test_then_train(X[200:], y[200:], sample_weight=weight[200:]))
        assert np.concatenate(got).tobytes() == expected.tobytes()
        assert shards.predict(X).tobytes() == whole.predict(X).tobytes()
        assert shards.predict(X, stale="ok").shape == (400,)
        same(shards.to_model(), whole)
        shards.save(tmp_path / "shards.sboost")
    whole.save(tmp_path / "whole.sboost")
    assert (tmp_path / "shards.sboost").read_bytes() == (tmp_path / "whole.sboost").read_bytes()
    parts = cut(tmp_path / "whole.sboost", 2)
    join(parts, tmp_path / "again.sboost")
    assert (tmp_path / "again.sboost").read_bytes() == (tmp_path / "whole.sboost").read_bytes()


def test_the_worst_learner_of_all_shards_starts_again():
    X, y = rows(3000)
    whole = fresh("leveraging")
    whole.partial_fit(X, y, classes=[0, 1])
    assert len(whole.report().replacements) > 0  # else this test tells nothing
    with Shards(fresh("leveraging"), 3, engine="local") as shards:
        shards.partial_fit(X, y, classes=[0, 1])
        same(shards.to_model(), whole)


def test_labels_and_categories_that_come_late(tmp_path):
    rng = np.random.default_rng(5)
    words = np.array(["red", "green", "blue", "black"], object)
    data = [{"a": float(rng.normal()), "b": str(words[min(i // 20, 3)])} for i in range(120)]
    for i in range(60, 120):
        data[i]["c"] = float(i)
    labels = [["no", "yes", "perhaps"][min(i // 30, 2) if i % 2 else 0] for i in range(120)]
    whole = sb.OnlineBaggingClassifier(n_estimators=5, random_state=1)
    folder = tmp_path / "shards"
    shards = Shards(
        sb.OnlineBaggingClassifier(n_estimators=5, random_state=1), 2, engine="local", folder=folder, every=7
    )
    for i, (x, label) in enumerate(zip(data, labels, strict=True)):
        assert whole.predict_one(x) == (shards.predict_one(x) if i else None)
        whole.learn_one(x, label)
        shards.learn_one(x, label)
        if i in (25, 64, 100):  # the driver goes and comes back
            shards._engine.close()
            shards = Shards.resume(folder, engine="local")
            assert shards.n_learned == i + 1
    same(shards.to_model(), whole)
    assert shards.classes_.tolist() == whole.classes_.tolist()
    shards.close()


@pytest.mark.parametrize("name", ["osboost-ocp", "trees"])
def test_killed_processes_come_back(name):
    X, y = rows(2000)
    whole = fresh(name)
    expected = whole.test_then_train(X, y, classes=[0, 1], output="score")
    with Shards(fresh(name), 3, engine="processes", chunk_rows=20, every=6) as shards:
        got = []
        for i, first in enumerate(range(0, 2000, 200)):
            got.append(
                shards.test_then_train(
                    X[first : first + 200],
                    y[first : first + 200],
                    classes=[0, 1] if not i else None,
                    output="score",
                )
            )
            if i in (2, 4, 7):
                os.kill(shards.pids()[i % 3], signal.SIGKILL)
        assert np.vstack(got).tobytes() == expected.tobytes()
        line = core_of(shards.model).line
        assert line.losses >= 3
        assert shards.predict_proba(X).tobytes() == whole.predict_proba(X).tobytes()
        same(shards.to_model(), whole)
        pids = shards.pids()
    for pid in pids:
        assert not Path(f"/proc/{pid}").exists()


DRIVER = """
import sys
sys.path.insert(0, {root!r})
from streamboost.distributed import Shards
from tests.distributed.streams import models, rows
X, y = rows(4000)
shards = Shards(models()[{name!r}], 2, engine="processes", folder={folder!r}, chunk_rows=10, every=9)
for first in range(0, 4000, 10):
    shards.partial_fit(X[first:first + 10], y[first:first + 10], classes=[0, 1] if not first else None)
    print(first, flush=True)
"""


@pytest.mark.parametrize("name", ["oza", "osboost-exp"])
def test_a_killed_driver_goes_on_from_the_log(name, tmp_path):
    folder = str(tmp_path / "shards")
    root = str(Path(__file__).parents[2])
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER.format(root=root, name=name, folder=folder)],
        stdout=subprocess.PIPE,
        text=True,
    )
    while int(driver.stdout.readline()) < 600:
        pass
    driver.kill()
    driver.wait()
    driver.stdout.close()
    X, y = rows(4000)
    whole = fresh(name)
    with Shards.resume(folder, engine="processes") as shards:
        done = shards.n_learned
        assert done >= 600
        assert done % 10 == 0
        whole.partial_fit(X[:done], y[:done], classes=[0, 1])
        same(shards.to_model(), whole)
        shards.partial_fit(X[done : done + 100], y[done : done + 100])
        whole.partial_fit(X[done : done + 100], y[done : done + 100])
        same(shards.to_model(), whole)


def test_a_trained_model_goes_to_shards_and_back(tmp_path):
    X, y = rows()
    model = fresh("oza").partial_fit(X[:300], y[:300])
    with Shards(model, 2, engine="local") as shards:
        shards.partial_fit(X[300:], y[300:])
        shards.save(tmp_path / "shards.sboost")
        assert shards.report().n_learned == 600
        assert shards.memory_bytes() > 0
    assert model.n_learned_ == 300  # the model itself is left alone
    model.partial_fit(X[300:], y[300:])
    model.save(tmp_path / "whole.sboost")
    assert (tmp_path / "shards.sboost").read_bytes() == (tmp_path / "whole.sboost").read_bytes()


@pytest.mark.parametrize("name", MODELS)
def test_files_are_cut_and_joined_byte_for_byte(name, tmp_path):
    X, y = rows(200)
    fresh(name).partial_fit(X, y, classes=[0, 1]).save(tmp_path / "m.sboost")
    for n in (1, 2, 4):
        parts = cut(tmp_path / "m.sboost", n)
        assert [part.name for part in parts] == [f"m-{i + 1}-of-{n}.sboost" for i in range(n)]
        join(parts[::-1], tmp_path / "again.sboost")
        assert (tmp_path / "again.sboost").read_bytes() == (tmp_path / "m.sboost").read_bytes()


def test_files_that_do_not_belong_together(tmp_path):
    X, y = rows(200)
    model = fresh("oza").partial_fit(X[:100], y[:100])
    model.save(tmp_path / "a.sboost")
    model.partial_fit(X[100:], y[100:])
    model.save(tmp_path / "b.sboost")
    a, b = cut(tmp_path / "a.sboost", 2), cut(tmp_path / "b.sboost", 2)
    for paths, words in [
        ([a[0]], "not all of 0 to 9"),
        ([a[0], a[0], a[1]], "not all of 0 to 9"),
        ([a[0], b[1]], "have not learned the same rows"),
        ([tmp_path / "a.sboost"], "is not a shard"),
        ([], "no shard to join"),
    ]:
        with pytest.raises(sb.ModelFileError, match=words):
            join(paths, tmp_path / "c.sboost")
        assert not (tmp_path / "c.sboost").exists()
    with pytest.raises(sb.ModelFileError, match="streamboost join"):
        sb.load(a[0])
    with pytest.raises(sb.ModelFileError, match="is a shard already"):
        cut(a[0], 2)
    with pytest.raises(ValueError, match="1 to 9 shards"):
        cut(tmp_path / "a.sboost", 10)


def test_stale_answers_say_how_old_they_are():
    X, y = rows(600, drift=False)
    with Shards(fresh("osboost"), 2, engine="local", chunk_rows=50, every=4) as shards:
        shards.partial_fit(X[:550], y[:550])
        whole = fresh("osboost").partial_fit(X[:400], y[:400])  # two lines of four chunks
        assert shards.predict(X, stale="ok").tolist() == whole.predict(X).tolist()
        assert shards.stale_by == 150
        with pytest.raises(ValueError, match="stale='yes'"):
            shards.predict(X, stale="yes")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n": 0}, "n=0"),
        ({"n": 10}, "n=10"),
        ({"engine": "spark"}, "engine='spark'"),
        ({"every": 0}, "every=0"),
        ({"chunk_rows": 1.5}, "chunk_rows=1.5"),
        ({"window": True}, "window=True"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises(ValueError, match=words):
        Shards(fresh("oza"), **{"n": 2, "engine": "local", **options})


def test_refusals(tmp_path):
    from sklearn.naive_bayes import GaussianNB

    X, y = rows(50)
    for model in (
        sb.OnlineBaggingClassifier(GaussianNB(), n_estimators=4),
        sb.OnlineBaggingClassifier(GaussianNB(), n_estimators=4).partial_fit(
            np.nan_to_num(X), y, classes=[0, 1]
        ),
    ):
        with pytest.raises(ValueError, match="written in Python"):
            Shards(model, 2, engine="local")
    for model in (
        sb.OSBoostClassifier(n_estimators=4, importances=True),
        sb.OSBoostClassifier(n_estimators=4, importances=True).partial_fit(X, y),
    ):
        with pytest.raises(ValueError, match="importances=True"):
            Shards(model, 2, engine="local")
    with pytest.raises(TypeError, match="not a GaussianNB"):
        Shards(GaussianNB(), 2, engine="local")
    with pytest.raises(FileNotFoundError, match="holds no shards"):
        Shards.resume(tmp_path)
    folder = tmp_path / "shards"
    with Shards(fresh("oza"), 2, engine="local", folder=folder) as shards:
        shards.partial_fit(X, y)
        log = sorted(path.name for path in folder.iterdir())
        with pytest.raises(ValueError, match=r"columns|features"):
            shards.partial_fit(X[:, :3], y)
        with pytest.raises(ValueError):
            shards.partial_fit(X, y[:-1])
        assert sorted(path.name for path in folder.iterdir()) == log  # a failed call touches no log
    with pytest.raises(RuntimeError, match="closed"):
        shards.predict(X)
    with pytest.raises(ValueError, match="resume"):
        Shards(fresh("oza"), 2, engine="local", folder=folder)
    with Shards.resume(folder, engine="local") as again:
        assert again.n_learned == 50


def test_snapshots_of_other_lanes_or_parameters_are_refused(tmp_path):
    X, y = rows(50)
    folder = tmp_path / "shards"
    Shards(fresh("oza"), 2, engine="local", folder=folder).partial_fit(X, y).close()
    lines = sorted(path for path in folder.iterdir() if path.name.startswith("line-"))
    first = lines[0].read_bytes()
    lines[0].write_bytes(lines[1].read_bytes())
    with pytest.raises(sb.ModelFileError, match="has the lanes"):
        Shards.resume(folder, engine="local")
    lines[0].write_bytes(first)
    other = tmp_path / "other"
    Shards(
        sb.OnlineBoostingClassifier(n_estimators=9, random_state=4), 2, engine="local", folder=other
    ).partial_fit(X, y).close()
    lines[0].write_bytes((other / lines[0].name).read_bytes())
    with pytest.raises(sb.ModelFileError, match="other parameters"):
        Shards.resume(folder, engine="local")


def test_an_engine_that_cannot_start_leaves_nothing_to_close(monkeypatch, recwarn):
    def refuse(*_, **__):
        raise ConnectionError("no cluster")

    monkeypatch.setattr("streamboost.distributed.shards.make_engine", refuse)
    with pytest.raises(ConnectionError, match="no cluster"):
        Shards(fresh("oza"), 2, engine="local")
    assert not [w for w in recwarn if "__del__" in str(w.message)]


def test_a_full_window_waits():
    X, y = rows(400)
    with Shards(fresh("trees"), 2, engine="processes", chunk_rows=10, window=3) as shards:
        shards.partial_fit(X, y)
        line = core_of(shards.model).line
        assert len(line._pending) <= 3
        shards.drain()
        assert not line._pending


LATE = {
    "default": lambda delay: sb.StreamBoostClassifier(n_estimators=4, delay=delay, random_state=3),
    "lags": lambda delay: sb.StreamBoostClassifier(n_estimators=4, lags=2, delay=delay, random_state=3),
    "plain": lambda delay: sb.OnlineBoostingClassifier(n_estimators=4, random_state=3),
    "numbers": lambda delay: sb.StreamBoostRegressor(
        n_estimators=4, lags=(1, 3), delay=delay, coverages=(0.9,), random_state=3
    ),
}


@pytest.mark.parametrize("delay", [0, 1, 30])
@pytest.mark.parametrize("name", LATE)
def test_an_evaluation_is_that_of_one_process(name, delay):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(250, 3))
    y = 9 * X[:, 0] + np.cumsum(rng.normal(size=250))
    if name != "numbers":
        y = np.where(y > np.median(y), "up", np.where(X[:, 1] > 1, "odd", "down"))
    alone = LATE[name](delay)
    expected = prequential(alone, (X, y), delay=delay)
    for chunk_rows, chunk_size in ((16, 100), (512, 1000)):
        with Shards(LATE[name](delay), 2, engine="local", chunk_rows=chunk_rows) as shards:
            result = prequential(shards, (X, y), delay=delay, chunk_size=chunk_size)
            assert result.task == expected.task
            assert result.left_out == expected.left_out
            assert result.error == expected.error
            same(shards.to_model(), alone)


def test_pending_answers_of_shards(tmp_path):
    X, y = np.random.default_rng(2).normal(size=(120, 2)), np.arange(120) % 3
    make = partial(sb.StreamBoostClassifier, n_estimators=4, delay=20, random_state=3)
    alone = make().partial_fit(X[:60], y[:60])
    with Shards(make(), 3, engine="local", folder=tmp_path, chunk_rows=7) as shards:
        shards.partial_fit(X[:60], y[:60])
        pending, expected = shards.predict_pending(X[60:]), alone.predict_pending(X[60:])
        np.testing.assert_array_equal(pending.records, expected.records)
        assert pending.prediction.tolist() == expected.prediction.tolist()
        shards.partial_fit(X[60:], y[60:], pending=pending)
        same(shards.to_model(), alone.partial_fit(X[60:], y[60:], pending=expected))
    with Shards.resume(tmp_path, engine="local") as back:
        same(back.to_model(), alone)
