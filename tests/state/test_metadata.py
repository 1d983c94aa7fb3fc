"""The user's own facts in a model file, and files that are no paths."""

from __future__ import annotations

import copy
import io
import json
import pickle
import zipfile

import numpy as np
import pytest

import streamboost
from streamboost import ModelFileError, NaiveBayes, OSBoostClassifier, UniversalPredictor
from tests.state.models import X, Y

FACTS = {"offset": 123456789012, "topic": "Zähler", "ok": True, "none": None, "parts": [{"p": 0.5}, []]}


@pytest.fixture
def model():
    return OSBoostClassifier(NaiveBayes(), n_estimators=2, random_state=1).fit(X, Y)


def test_facts_come_back_and_stay(model, tmp_path):
    assert model.metadata_ == {}
    plain = model.to_bytes()
    model.save(tmp_path / "m", metadata=FACTS)
    loaded = streamboost.load(tmp_path / "m")
    assert loaded.metadata_ == FACTS
    loaded.save(tmp_path / "again")  # without metadata= it keeps those it has
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()
    assert loaded.to_bytes(metadata={}) == plain
    assert model.metadata_ == {}, "saving changes nothing"
    for other in (pickle.loads(pickle.dumps(loaded)), copy.deepcopy(loaded), loaded.snapshot()):
        assert other.metadata_ == FACTS
    assert loaded.partial_fit(X, Y).metadata_ == FACTS
    assert loaded.fit(X, Y).metadata_ == {}, "a model that starts again has none of the old facts"


def test_facts_are_copies(model):
    facts = {"list": [1]}
    loaded = streamboost.load(model.to_bytes(metadata=facts))
    facts["list"].append(2)
    loaded.metadata_["list"].append(3)
    assert loaded.metadata_ == {"list": [1]}


def test_a_model_without_facts_has_the_file_it_always_had(model):
    with zipfile.ZipFile(io.BytesIO(model.to_bytes())) as archive:
        assert "metadata" not in json.loads(archive.read("manifest.json"))


@pytest.mark.parametrize(
    ("facts", "error", "message"),
    [
        ([1, 2], TypeError, "metadata must be a dict"),
        ({1: 2}, TypeError, "keys of metadata must be texts, got 1"),
        ({"x": float("nan")}, ValueError, "plain JSON"),
        ({"x": np.float64}, ValueError, "plain JSON"),
        ({"x": b"bytes"}, ValueError, "plain JSON"),
        ({"x": "y" * 65_536}, ValueError, "65,544 bytes as JSON; at most 65,536"),
    ],
)
def test_what_is_no_small_json_is_refused(model, tmp_path, facts, error, message):
    with pytest.raises(error, match=message):
        model.save(tmp_path / "m", metadata=facts)
    assert not (tmp_path / "m").exists()
    most = {"x": "y" * (65_536 - 8)}
    assert streamboost.load(model.to_bytes(metadata=most)).metadata_ == most


@pytest.mark.parametrize("bad", [[], "text", 1, None, {"x": "y" * 70_000}])
def test_a_file_with_other_metadata_is_refused(model, bad):
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(model.to_bytes(metadata={"x": 1}))) as old,
        zipfile.ZipFile(buffer, "w") as new,
    ):
        for info in old.infolist():
            data = old.read(info)
            if info.filename == "manifest.json":
                data = json.dumps({**json.loads(data), "metadata": bad}).encode()
            new.writestr(info, data)
    with pytest.raises(ModelFileError, match="metadata"):
        streamboost.load(buffer.getvalue())


def test_files_and_bytes(model, tmp_path):
    path = tmp_path / "m"
    model.save(path)
    data = path.read_bytes()
    buffer = io.BytesIO()
    model.save(buffer)
    assert buffer.getvalue() == data == model.to_bytes()
    with path.open("rb") as file:
        sources = [data, bytearray(data), memoryview(data), io.BytesIO(data), file]
        for source in sources:
            assert streamboost.load(source).to_bytes() == data
    with path.open("w") as file, pytest.raises(TypeError, match="binary mode"):
        model.save(file)
    with pytest.raises(TypeError, match="binary mode"):
        streamboost.load(io.StringIO("text"))
    with pytest.raises(TypeError, match="load takes a path, bytes, or a file"):
        streamboost.load(7)


def test_sequences_have_facts_too(tmp_path):
    model = UniversalPredictor(max_order=2).fit([1.0, 2.0, 3.0])
    model.save(tmp_path / "u", metadata=FACTS)
    loaded = streamboost.load(tmp_path / "u")
    assert loaded.metadata_ == FACTS
    assert streamboost.load(loaded.to_bytes()).metadata_ == FACTS
    assert loaded.to_bytes(metadata={}) == model.to_bytes()
