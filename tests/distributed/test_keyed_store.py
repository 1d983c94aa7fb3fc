"""Many small models and the store behind them: whatever is written, killed or lent in between, each is its own stream's."""

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import streamboost as sb
from streamboost import _core
from streamboost.distributed import KeyedClassifier, key_store
from streamboost.distributed.model_templates import KeyedModel, ModelTemplates
from tests.distributed.test_messages import signed
from tests.inside.handles import core_of
from tests.inside.stores import key_database_of

LEARNERS = [
    sb.NaiveBayes(),
    sb.NaiveBayes(sparse="always"),
    sb.HoeffdingTree(grace_period=5),
    sb.LogisticRegression(),
    sb.Perceptron(),
    sb.OGD(),
    sb.DecisionStump(),
    sb.MLP(),
    sb.IncrementalTree(),
    sb.NearestNeighbors(window=20),
]
MODELS = {
    **{
        f"{type(learner).__name__}-{i}": sb.OnlineBoostingClassifier(
            learner, n_estimators=3, random_state=1, n_jobs=1
        )
        for i, learner in enumerate(LEARNERS)
    },
    "guarded": sb.AdaptiveRandomForestClassifier(n_estimators=2, random_state=1, n_jobs=1),
    "pooled": sb.StreamBoostClassifier(n_estimators=2, random_state=1),
    "staged": sb.OnlineBaggingClassifier(n_estimators=2, random_state=1, calibration="platt"),
    "blocks": sb.OnlineBaggingClassifier(n_estimators=4, random_state=1, n_jobs=2),
}


def fresh(name):
    model = MODELS[name]
    return type(model)(**model.get_params(deep=False))


def rows(n, keys=4, seed=0):
    rng = random.Random(seed)
    for _ in range(n):
        x = {"who": rng.randrange(keys), "a": rng.gauss(0, 1), "b": rng.uniform(-1, 1)}
        yield x, int((x["a"] + x["b"] > 0) == (x["who"] % 2 == 0))


def rest(x):
    return {name: value for name, value in x.items() if name != "who"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_models_that_share_a_workplace_learn_what_each_would_alone(name):
    """Also those that were packed and unpacked in between: one row of each key after the other."""
    model_templates, alone, keyed_model = ModelTemplates(fresh(name)), {}, {}
    for i, (x, y) in enumerate(rows(160)):
        key = x["who"]
        own = alone.setdefault(key, fresh(name))
        mine = keyed_model.setdefault(key, KeyedModel(fresh(name)))
        if mine.started and i % 3 == 0:
            mine = keyed_model[key] = model_templates.unpack(*model_templates.pack(mine))
        assert mine.predict_proba_one(rest(x)) == own.predict_proba_one(rest(x)) if mine.started else True
        model_templates.learn(mine, rest(x), y, 1.0)
        own.learn_one(rest(x), y)
    for key, own in alone.items():
        assert keyed_model[key].model.to_bytes() == own.to_bytes()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_numbers_are_the_state(name):
    model = fresh(name)
    for x, y in rows(60):
        model.learn_one(rest(x), y)
    core = core_of(model)
    state, numbers = core.state(), core.packed()
    for arrays in (_core.unpack_state(numbers), core.unpacked(numbers).state()):
        assert {k: (a.dtype, a.shape, a.tobytes()) for k, a in arrays.items()} == {
            k: (a.dtype, a.shape, a.tobytes()) for k, a in state.items()
        }
    assert core.unpacked(numbers).packed() == numbers
    if name == "guarded":  # one that names its fields otherwise, too long, or twice
        at = numbers.index(b"intake/n_learned")
        for broken in (
            numbers[:at] + b"intake/m_learned" + numbers[at + 16 :],
            numbers + numbers[24:],
            numbers[:-8],
        ):
            with pytest.raises(ValueError):
                core.unpacked(signed(broken))


@pytest.mark.parametrize("together", [1, 3, 1024])
@pytest.mark.parametrize("fallback", [None, "global", "prior"])
def test_written_in_batches_or_one_by_one_or_never(together, fallback, monkeypatch):
    monkeypatch.setattr(key_store, "TOGETHER", together)
    model = sb.OnlineBaggingClassifier(n_estimators=2, random_state=1)
    with (
        KeyedClassifier(model, "who", max_models=2, fallback=fallback) as few,
        KeyedClassifier(model, "who", fallback=fallback) as all_of_them,
    ):
        for i, (x, y) in enumerate(rows(300, keys=9)):
            assert few.predict_proba_one(x) == all_of_them.predict_proba_one(x)
            few.learn_one(x, y)
            all_of_them.learn_one(x, y)
            if i == 150:
                few.flush()
        assert few.n_evicted > 100
        assert not all_of_them.n_evicted
        for key in range(9):
            assert few.share(key) == all_of_them.share(key)
            assert few.own(key).to_bytes() == all_of_them.own(key).to_bytes()


KILLED = """
import os, signal, sys
sys.path.insert(0, {root!r})
import streamboost as sb
from streamboost.distributed import KeyedClassifier, key_store
from tests.distributed.test_keyed_store import rows
key_store.TOGETHER = 5
model = sb.OnlineBaggingClassifier(n_estimators=2, random_state=1)
keyed = KeyedClassifier(model, "who", max_models=2, fallback=None, folder={folder!r})
for i, (x, y) in enumerate(rows(400, keys=9)):
    keyed.learn_one(x, y)
    if i == 200:
        keyed.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_process_that_is_killed_leaves_whole_models_and_all_that_was_flushed(tmp_path):
    root = str(Path(__file__).parents[2])
    done = subprocess.run([sys.executable, "-c", KILLED.format(root=root, folder=str(tmp_path))], check=False)
    assert done.returncode == -signal.SIGKILL
    data = list(rows(400, keys=9))
    with KeyedClassifier(
        sb.OnlineBaggingClassifier(n_estimators=2, random_state=1), "who", fallback=None, folder=tmp_path
    ) as keyed:
        later = 0
        for key in range(9):
            mine = [(rest(x), y) for x, y in data if x["who"] == key]
            flushed = sum(x["who"] == key for x, _ in data[:201])
            n = keyed._find(key, make=False).n
            later += n - flushed
            assert n >= flushed
            alone = sb.OnlineBaggingClassifier(n_estimators=2, random_state=1)
            for x, y in mine[:n]:
                alone.learn_one(x, y)
            assert keyed.own(key).to_bytes() == alone.to_bytes()
            for x, y in mine[n:]:
                alone.learn_one(x, y)
                keyed.learn_one({"who": key, **x}, y)
            assert keyed.own(key).to_bytes() == alone.to_bytes()
        assert later > 0  # whole batches were written after the flush


def stored_rows():
    for i in range(40):
        key = ["ann", 7, True][i % 3]
        x = {"who": key, "a": ((i * 7919) % 101) / 50 - 1, "colour": ["red", "blue"][i % 4 // 2]}
        yield x, ["no", "yes"][(i * 31) % 7 % 2]


def test_a_store_of_version_1_is_gone_on_with(tmp_path):
    shutil.copy(Path(__file__).parent / "files" / "keyed-1.sqlite", tmp_path / "models.sqlite")
    # What the stored models are: probabilities were not tempered then.
    model = sb.OnlineBaggingClassifier(n_estimators=2, calibration=None, random_state=1)
    more = list(stored_rows()) * 2
    for half in (more[:40], more[40:]):  # the stored models, then the same ones written anew
        with KeyedClassifier(model, "who", folder=tmp_path, max_models=2) as keyed:
            for x, y in half:
                keyed.learn_one(x, y)
            answers = [keyed.predict_proba_one(x) for x, _ in half]
    with KeyedClassifier(model, "who") as once:
        for x, y in list(stored_rows()) * 3:
            once.learn_one(x, y)
        assert [once.predict_proba_one(x) for x, _ in half] == answers


@pytest.mark.parametrize(
    "table", ["models (kez TEXT PRIMARY KEY, head, data)", "texts (id INTEGER PRIMARY KEY, texu)"]
)
def test_a_store_whose_columns_have_other_names_is_refused(table, tmp_path):
    path = tmp_path / "models.sqlite"
    database = sqlite3.connect(path)
    database.execute(f"CREATE TABLE {table}")
    database.close()
    with pytest.raises(sb.ModelFileError, match="no such column"):
        key_store.KeyStore(path)


def test_a_store_in_a_format_to_come_is_refused(tmp_path):
    path = tmp_path / "models.sqlite"
    key_store.KeyStore(path).close()
    content = bytearray(path.read_bytes())
    content[44:48] = (77).to_bytes(4, "big")  # where SQLite has the format of its tables
    path.write_bytes(content)
    with pytest.raises(sb.ModelFileError, match="no store of models"):
        key_store.KeyStore(path)


@pytest.mark.parametrize("pages", [0, 6])
def test_a_full_disk_takes_no_model_away(pages, monkeypatch):
    """What cannot be written stays in memory, a row that finds no room for its model is not learned, and nothing piles up."""
    monkeypatch.setattr(key_store, "TOGETHER", 8)
    model = sb.OnlineBaggingClassifier(n_estimators=5, random_state=1)
    with KeyedClassifier(model, "who", max_models=3, fallback=None) as keyed:
        database = key_database_of(keyed)
        (used,) = database.execute("PRAGMA page_count").fetchone()
        database.execute(f"PRAGMA max_page_count={used + pages}")
        learned, said = dict.fromkeys(range(20), 0), []
        for i in range(60):
            try:
                keyed.learn_one({"who": i % 20, "a": float(i), f"c{i % 20}": "x"}, i % 2)
            except sqlite3.OperationalError as error:
                said.append(str(error))
                learned[i % 20] += getattr(error, "n_rows_learned", 0)
            else:
                learned[i % 20] += 1
            assert len(keyed) <= 4
        assert len(said) > 20
        assert all("disk is full" in line for line in said)
        database.execute("PRAGMA max_page_count=1000000")
        owns = {who: keyed.own(who) for who in learned}
        assert {who: 0 if own is None else own.n_learned_ for who, own in owns.items()} == learned


def test_a_store_knows_each_text_once_and_gives_models_away_whole(tmp_path):
    model = sb.OnlineBaggingClassifier(n_estimators=2, random_state=1)
    with (
        KeyedClassifier(model, "who", folder=tmp_path / "a", fallback=None) as keyed,
        KeyedClassifier(model, "who", folder=tmp_path / "b", fallback=None) as other,
    ):
        for x, y in rows(200, keys=20):
            keyed.learn_one(x, y)
        given = keyed.give(lambda key: True)
        (n_texts,) = key_database_of(keyed).execute("SELECT count(*) FROM texts").fetchone()
        assert n_texts < 4
        other.take(given)
        assert other._store._db.execute("SELECT count(*) FROM texts").fetchone() == (0,)
        for key in range(20):
            assert other.own(key).to_bytes() == keyed.own(key).to_bytes()
        key_database_of(keyed).execute("UPDATE texts SET text = replace(text, 'a', 'b')")
    with KeyedClassifier(model, "who", folder=tmp_path / "a", fallback=None) as keyed:
        with pytest.raises(ValueError, match="columns and labels"):
            keyed.own(3)
        key_database_of(keyed).execute("DELETE FROM texts")
        with pytest.raises(ValueError, match="columns and labels"):
            keyed.own(4)


def test_advice_about_a_model_is_given_whoever_has_it(monkeypatch):
    monkeypatch.setattr(sb.OnlineBaggingClassifier, "_advice", lambda self, lanes, n: (f"{n} rows",))
    said = []
    for keyed in (False, True):
        model = sb.OnlineBaggingClassifier(n_estimators=2, random_state=1)
        rng = np.random.default_rng(1)
        with (
            warnings.catch_warnings(record=True) as caught,
            KeyedClassifier(model, "who", fallback=None) as k,
        ):
            warnings.simplefilter("always")
            for i in range(1100):
                x, y = {"a": float(rng.normal())}, int(rng.integers(2))
                if keyed:
                    k.learn_one({"who": 1, **x}, y)
                    k.learn_one({"who": 1000 + i % 10, **x}, y)
                else:
                    model.learn_one(x, y)
        said.append([str(w.message) for w in caught])
    assert said[0] == said[1] == ["1000 rows"]
