"""Save, load, go on = never stopped, bit for bit."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import streamboost
from streamboost import NaiveBayes, OnlineBaggingClassifier, OSBoostClassifier
from tests.inside.handles import core_of, session_of
from tests.state.models import X, Y, build, go_on, state_bytes

NAMES = sorted(build())


@pytest.mark.parametrize("name", NAMES)
def test_a_loaded_model_goes_on_as_if_nothing_had_happened(name, tmp_path):
    model = build(name)[name]
    model.save(tmp_path / "m.sboost")
    loaded = streamboost.load(tmp_path / "m.sboost")
    assert type(loaded) is type(model)
    assert str(loaded.get_params()) == str(model.get_params())
    assert state_bytes(loaded) == state_bytes(model)
    assert state_bytes(go_on(name, loaded)) == state_bytes(go_on(name, model))
    assert state_bytes(loaded) != (tmp_path / "m.sboost").read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_equal_models_give_equal_bytes(name, tmp_path):
    first, second = build(name)[name], build(name)[name]
    if first.random_state is None:
        second = first
    first.save(tmp_path / "a")
    second.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_loaded_models_keep_what_the_face_knows(tmp_path):
    model = build("dicts")["dicts"]
    model.save(tmp_path / "m")
    loaded = streamboost.load(tmp_path / "m")
    assert loaded.classes_.tolist() == ["no", "yes"]
    assert loaded.feature_names_in_.tolist() == model.feature_names_in_.tolist()
    assert session_of(loaded).schema.d0 == session_of(model).schema.d0 < loaded.n_features_in_
    assert loaded.report().to_dict() == model.report().to_dict()
    assert loaded.memory_bytes() == model.memory_bytes()


@pytest.mark.parametrize("labels", [[True, False], [0.5, 2.5], [-3, 2**40], ["ä", "\u2028\n"]])
def test_labels_keep_their_type(labels, tmp_path):
    model = (
        OnlineBaggingClassifier(n_estimators=2, random_state=0).fit(np.eye(2), labels)
        if labels[0] != 0.5
        else None
    )
    if model is None:
        model = OnlineBaggingClassifier(n_estimators=2, random_state=0)
        model.partial_fit(np.eye(2), labels, classes=labels)
    model.save(tmp_path / "m")
    loaded = streamboost.load(tmp_path / "m")
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.classes_.tolist() == sorted(labels)


def test_an_unstarted_model_has_nothing_to_save(tmp_path):
    with pytest.raises(ValueError, match="nothing to save"):
        OSBoostClassifier().save(tmp_path / "m")


def test_saving_replaces_the_file_whole_and_leaves_no_litter(tmp_path):
    path = tmp_path / "m.sboost"
    path.write_bytes(b"old")
    model = OSBoostClassifier(NaiveBayes(), n_estimators=2).fit(X, Y)
    model.save(path)
    assert [p.name for p in tmp_path.iterdir()] == ["m.sboost"]
    assert path.stat().st_mode & 0o444
    model.save(os.fspath(path))
    streamboost.load(os.fspath(path)).predict(X)


def test_a_failed_save_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "m.sboost"
    model = OSBoostClassifier(NaiveBayes(), n_estimators=2).fit(X, Y)
    model.save(path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        model.partial_fit(X, Y).save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["m.sboost"]


def test_parameters_changed_after_the_start_are_not_what_is_saved(tmp_path):
    model = OSBoostClassifier(NaiveBayes(), n_estimators=2, gamma=0.1).fit(X, Y)
    model.set_params(gamma=0.3, n_estimators=50)
    model.save(tmp_path / "m")
    loaded = streamboost.load(tmp_path / "m")
    assert (loaded.gamma, loaded.n_estimators) == (0.1, 2)


def test_loading_imports_no_pickle_by_name(tmp_path):
    build("oza-nb")["oza-nb"].save(tmp_path / "m")
    code = (
        "import builtins, pickle, sys, streamboost\n"
        "def refuse(*a, **k): raise SystemExit('pickle was used')\n"
        "pickle.loads = pickle.load = pickle.Unpickler = refuse\n"
        f"streamboost.load({str(tmp_path / 'm')!r})\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_missing_file_is_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        streamboost.load(tmp_path / "nowhere")


def test_what_could_not_be_loaded_is_not_saved(tmp_path, monkeypatch):
    """The bytes are read back before they take the place of a file that loads."""
    model = streamboost.OSBoostClassifier(n_estimators=3, random_state=0).fit([[0.0], [1.0]], [0, 1])
    path = tmp_path / "model.sboost"
    model.save(path)
    good = path.read_bytes()
    state = core_of(model).state
    spoilt = {name: np.full_like(a, np.inf) if a.dtype == np.float64 else a for name, a in state().items()}
    monkeypatch.setattr(session_of(model), "model", _Spoilt(core_of(model), spoilt))
    with pytest.raises(RuntimeError, match="was not saved"):
        model.save(path)
    assert path.read_bytes() == good


class _Spoilt:
    """A native model whose numbers went wrong."""

    def __init__(self, model, state):
        self._model, self._state = model, state

    def state(self):
        return self._state

    def __getattr__(self, name):
        return getattr(self._model, name)
