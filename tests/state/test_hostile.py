"""Files that lie. Every one of them must end in `ModelFileError`: no crash, no huge allocation, no silent nonsense."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import is_regressor

import streamboost
from streamboost import ModelFileError
from streamboost.distributed.files import cut, read_shards
from tests.inside.handles import session_of
from tests.state.models import build, manifest_of, npy, pack, rows, state_bytes, unpack, with_manifest

MODELS = build()
NUMBERS = ("regressor-linear", "regressor-tree", "regressor-span", "regressor-boosted")


def refused(path: Path, words: str | None = None) -> None:
    with pytest.raises(ModelFileError, match=words):
        streamboost.load(path)


@pytest.fixture(params=["oza-nb", "oza-iti", "osboost-perceptron", "dicts", "single-multiclass", *NUMBERS])
def good(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "good"
    MODELS[request.param].save(path)
    return path


@pytest.fixture
def members(good: Path) -> dict[str, bytes]:
    return unpack(good)


def replaced(members: dict[str, bytes], name: str, array: Any, *, tell: bool = True) -> dict[str, bytes]:
    """Swap one array, with an honest entry in the manifest unless told otherwise."""
    data = npy(array)
    manifest = manifest_of(members)
    if tell:
        manifest["arrays"][name] = {
            "dtype": np.asarray(array).dtype.str,
            "shape": list(np.shape(array)),
            "sha256": hashlib.sha256(data).hexdigest(),
        }
    return with_manifest({**members, f"arrays/{name}.npy": data}, manifest)


def arrays_of(members: dict[str, bytes]) -> dict[str, np.ndarray]:
    out = {}
    for name, entry in manifest_of(members)["arrays"].items():
        data = members[f"arrays/{name}.npy"]
        n_bytes = int(np.prod(entry["shape"], dtype=int)) * np.dtype(entry["dtype"]).itemsize
        out[name] = np.frombuffer(data[len(data) - n_bytes :], entry["dtype"]).reshape(entry["shape"])
    return out


def test_repacking_an_honest_file_is_fine(members, tmp_path):
    streamboost.load(pack(tmp_path / "m", members)).save(tmp_path / "again")
    assert unpack(tmp_path / "again") == members


# The container.


def test_cut_files(good, tmp_path):
    data = good.read_bytes()
    cut = tmp_path / "cut"
    for length in sorted(
        {0, 1, 3, 21, 22, 30, *range(40, len(data), max(1, len(data) // 150)), len(data) - 1}
    ):
        cut.write_bytes(data[:length])
        refused(cut)


def test_flipped_bytes_never_change_a_model(good, tmp_path):
    """A flip in the data or the manifest is refused; one in an unused zip field may load, then to the same model."""
    data = good.read_bytes()
    wanted = state_bytes(streamboost.load(good))
    path = tmp_path / "flipped"
    refusals = 0
    for position in range(0, len(data), max(1, len(data) // 400)):
        path.write_bytes(data[:position] + bytes([data[position] ^ 0x41]) + data[position + 1 :])
        try:
            loaded = streamboost.load(path)
        except ModelFileError:
            refusals += 1
        else:
            assert state_bytes(loaded) == wanted
    assert refusals > 200


def test_random_noise(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "noise"
    for size in (10, 100, 10_000):
        path.write_bytes(b"PK\x03\x04" + rng.bytes(size))
        refused(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes and devices")
def test_devices_and_pipes_are_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for target in ("/dev/zero", tmp_path / "pipe"):
        (tmp_path / "link").symlink_to(target)
        for read in (streamboost.load, lambda path: cut(path, 2), lambda path: read_shards([path])):
            with pytest.raises(ModelFileError, match="is a device or a pipe"):
                read(tmp_path / "link")
        (tmp_path / "link").unlink()


def test_appended_and_prepended_bytes(good, tmp_path):
    data = good.read_bytes()
    (tmp_path / "m").write_bytes(b"#!/bin/sh\n" + data)
    refused(tmp_path / "m")


def test_compressed_members(members, tmp_path):
    refused(pack(tmp_path / "m", members, zipfile.ZIP_DEFLATED), "stored")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_duplicate_members(members, tmp_path):
    pairs = list(members.items())
    refused(pack(tmp_path / "m", [*pairs, pairs[-1]]), "twice")
    refused(pack(tmp_path / "m", [*pairs, ("manifest.json", b"{}")]), "twice")


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/passwd", "arrays/../../x.npy", "arrays/x.npy", "evil.pkl", "arrays/"]
)
def test_members_that_do_not_belong(members, name, tmp_path):
    refused(pack(tmp_path / "m", {**members, name: b"boo"}), "members")


@pytest.mark.parametrize("name", ["../evil", "/abs", "a//b", "", "a b", "x\x00y", "."])
def test_array_names_that_are_paths(members, name, tmp_path):
    manifest = manifest_of(members)
    manifest["arrays"][name] = next(iter(manifest["arrays"].values()))
    changed = with_manifest(members, manifest)
    changed[f"arrays/{name}.npy"] = next(data for key, data in members.items() if key.startswith("arrays/"))
    refused(pack(tmp_path / "m", changed))


def test_too_many_members(members, tmp_path):
    refused(pack(tmp_path / "m", {**members, **{f"x{i}": b"" for i in range(1100)}}), "members")


def test_manifest_must_come_first(members, tmp_path):
    refused(pack(tmp_path / "m", dict(reversed(members.items()))), "begin")
    refused(pack(tmp_path / "m", {"readme.txt": b"hello"}), "begin")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"null",
        b"{",
        b'{"a": 1, "a": 2}',
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b"[" * 200_000,
        b'{"a": ' * 100_000,
        b"\xff\xfe",
        b'{"seed": ' + b"9" * 10_000 + b"}",
        b'{"format": "streamboost-model"}',
    ],
    ids=range(12),
)
def test_manifests_that_are_not(members, text, tmp_path):
    refused(pack(tmp_path / "m", {**members, "manifest.json": text}))


# Arrays.


def test_damaged_array(members, tmp_path):
    for name in [name for name in members if name.startswith("arrays/")]:
        data = members[name]
        refused(pack(tmp_path / "m", {**members, name: data[:-1] + bytes([data[-1] ^ 1])}), "SHA-256")


@pytest.mark.parametrize("dtype", ["<f4", "<i8", ">f8", "<U3", "|O", "<c16", "<M8[s]", "|V8"])
def test_wrong_dtypes(members, dtype, tmp_path):
    for name, array in arrays_of(members).items():
        if array.size and array.dtype != np.dtype(dtype):
            changed = array.astype(object if dtype == "|O" else "f8").astype(dtype, copy=False)
            refused(pack(tmp_path / "m", replaced(members, name, changed)))


def test_pickles_inside_arrays_do_not_run(members, tmp_path):
    class Evil:
        def __reduce__(self):
            return print, ("owned",)

    name = next(iter(manifest_of(members)["arrays"]))
    array = np.array([Evil()], dtype=object)
    for dtype in ("|O", "<f8"):
        changed = replaced(members, name, array)
        manifest = manifest_of(changed)
        manifest["arrays"][name]["dtype"] = dtype
        refused(pack(tmp_path / "m", with_manifest(changed, manifest)))


def test_wrong_shapes(members, tmp_path):
    for name, array in arrays_of(members).items():
        for changed in (
            np.concatenate([array.ravel(), array.ravel()[:1] if array.size else np.zeros(1, array.dtype)]),
            array.ravel()[:-1],
            array.reshape((1, *array.shape)),
            np.zeros((0,) * array.ndim, array.dtype) if array.size else np.zeros(5, array.dtype),
        ):
            if changed.shape != array.shape:
                refused(pack(tmp_path / "m", replaced(members, name, changed)))


def test_manifest_and_header_must_agree(members, tmp_path):
    name, array = next((n, a) for n, a in arrays_of(members).items() if a.ndim and a.size > 1)
    for lie in ([1, 1, array.size], [10**12], [-1], [2**62, 2**62], [1] * 40, "3", [1.5], [True], {}):
        manifest = manifest_of(members)
        manifest["arrays"][name]["shape"] = lie
        refused(pack(tmp_path / "m", with_manifest(members, manifest)))


def test_header_lies(members, tmp_path):
    name = next(n for n, a in arrays_of(members).items() if a.dtype == np.float64 and a.size > 1)
    data = members[f"arrays/{name}.npy"]
    for old, new in [
        (b"False", b"True "),
        (b"'<f8'", b"'|O' "),
        (b"(", b"(9"),
        (b"\x93NUMPY\x01", b"\x93NUMPY\x03"),
        (b"shape", b"sharp"),
        (b"{'descr'", b"(((((((("),
    ]:
        changed = data.replace(old, new, 1)
        assert changed != data
        manifest = manifest_of(members)
        manifest["arrays"][name]["sha256"] = hashlib.sha256(changed).hexdigest()
        refused(pack(tmp_path / "m", with_manifest({**members, f"arrays/{name}.npy": changed}, manifest)))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not(members, value, tmp_path):
    for name, array in arrays_of(members).items():
        if array.dtype == np.float64 and array.size:
            changed = array.copy()
            changed.ravel()[-1] = value
            changed = changed.reshape(array.shape)
            refused(pack(tmp_path / "m", replaced(members, name, changed)))


@pytest.mark.parametrize("value", [-1, 2**31, 2**62, -(2**63)])
def test_counts_and_indices_out_of_range(members, value, tmp_path):
    for name, array in arrays_of(members).items():
        if array.dtype == np.int64 and array.size and not (name.endswith("n_learned") and value > 0):
            changed = np.full(array.shape, value, np.int64)
            try:
                loaded = streamboost.load(pack(tmp_path / "m", replaced(members, name, changed)))
            except ModelFileError:
                continue
            # A counter that addresses nothing may be large; it must then be harmless.
            assert value > 0, name
            _use(loaded)


def _use(model: Any) -> None:
    if session_of(model).schema.named:
        model.predict_proba_one(rows()[0])
        model.learn_one(rows()[0], "yes")
    else:
        (model.predict if is_regressor(model) else model.predict_proba)(np.zeros((1, model.n_features_in_)))
        model.partial_fit(np.zeros((1, model.n_features_in_)), [1])


def test_missing_and_unknown_arrays(members, tmp_path):
    for name in manifest_of(members)["arrays"]:
        manifest = manifest_of(members)
        entry = manifest["arrays"].pop(name)
        without = {key: data for key, data in members.items() if key != f"arrays/{name}.npy"}
        refused(pack(tmp_path / "m", with_manifest(without, manifest)))
        manifest["arrays"]["bank/unknown"] = entry
        without["arrays/bank/unknown.npy"] = members[f"arrays/{name}.npy"]
        refused(pack(tmp_path / "m", with_manifest(without, manifest)))


# Meaning.


def change(manifest: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    out = copy.deepcopy(manifest)
    at = out
    *parents, last = path.split(".")
    for part in parents:
        at = at[part]
    at[last] = value
    return out


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("format", "zip"),
        ("format_version", 2),
        ("format_version", "1"),
        ("format_version", True),
        ("format_version", None),
        ("model.name", "os.system"),
        ("model.name", "../osboost"),
        ("model.name", ["osboost"]),
        ("model.version", 2),
        ("model.version", 0),
        ("model.params", []),
        ("model.params", {"estimator": 3}),
        ("model.params", {"__class__": "x"}),
        ("model.params.random_state", "x"),
        ("model.params.tie", "coin"),
        ("model.params.tie", {"a": 1}),
        ("model.params.monitor", "no"),
        ("learner", None),
        ("learner", "naive-bayes"),
        ("learner.name", "black_box"),
        ("learner.name", "sklearn.svm.SVC"),
        ("learner.version", 99),
        ("learner.params", {"evil": 1}),
        ("learner.params.feature_fraction", 7),
        ("learner.default", "yes"),
        ("seed", -1),
        ("seed", 2**64),
        ("seed", 1.5),
        ("seed", "7"),
        ("labels", []),
        ("labels.declared", 1),
        ("labels.values", ["a", "a"]),
        ("labels.values", ["a", 1]),
        ("labels.values", [None, 1]),
        ("labels.values", [[1], 2]),
        ("labels.values", []),
        ("labels.values", list(range(100_000))),
        ("columns.width", -1),
        ("columns.width", 2**31),
        ("columns.width", 2**40),
        ("columns.width", 10**9),
        ("columns.width", 1),
        ("columns.width", "4"),
        ("columns.d0", -1),
        ("columns.d0", 99),
        ("columns.names", ["a"]),
        ("columns.names", "abcd"),
        ("columns.names", [1.5, 2.5, 3.5, 4.5]),
        ("columns.names", ["a", "a", "a", "a"]),
        ("columns.values", {"9": ["x"]}),
        ("columns.values", {"-1": ["x"]}),
        ("columns.values", {"01": ["x"]}),
        ("columns.values", {"\u0662": ["x"]}),
        ("columns.values", {"2": "abc"}),
        ("columns.values", {"2": ["x", "x"]}),
        ("columns.values", {"0": [], "1": [], "2": [], "3": []}),
        ("columns.declared", [None]),
        ("warned", 0),
        ("arrays", []),
        ("arrays", {}),
        ("extra", 1),
    ],
)
def test_claims_that_cannot_be(members, path, value, tmp_path):
    manifest = manifest_of(members)
    if path == "labels.values" and value == manifest["labels"]["values"]:
        value = [0]  # a regressor has no labels
    refused(pack(tmp_path / "m", with_manifest(members, change(manifest, path, value))))


@pytest.mark.parametrize("n", [0, -1, 10**6, 10**9, 2**31, 2**70, 2.5, "3", None])
def test_numbers_of_learners_that_the_arrays_do_not_hold(members, n, tmp_path):
    manifest = manifest_of(members)
    if "n_estimators" in manifest["model"]["params"]:
        manifest["model"]["params"]["n_estimators"] = n
        refused(pack(tmp_path / "m", with_manifest(members, manifest)))


def test_missing_keys(members, tmp_path):
    manifest = manifest_of(members)
    for key in manifest:
        changed = {other: value for other, value in manifest.items() if other != key}
        refused(pack(tmp_path / "m", with_manifest(members, changed)))
    for part in ("model", "learner", "labels", "columns"):
        for key in manifest[part]:
            changed = copy.deepcopy(manifest)
            del changed[part][key]
            refused(pack(tmp_path / "m", with_manifest(members, changed)))


# Arc-x4 and bagging are plain votes over the same bank and keep the same arrays, and ADWIN boosting is Oza's with a guard: under
# the other's name such a file is sound.
TWINS = {("arc-x4", "bagging"), ("adwin-boosting", "oza-boost")}


def test_a_file_of_another_model(tmp_path):
    """Arrays of one algorithm under the name of another."""
    for source in MODELS:
        MODELS[source].save(tmp_path / "source")
        for name in ("bagging", "oza-boost", "osboost", "single"):
            members = unpack(tmp_path / "source")
            manifest = manifest_of(members)
            if manifest["model"]["name"] != name and (manifest["model"]["name"], name) not in TWINS:
                manifest["model"]["name"] = name
                refused(pack(tmp_path / "m", with_manifest(members, manifest)))


def test_the_message_of_a_newer_format_says_so(members, tmp_path):
    manifest = change(manifest_of(members), "format_version", 7)
    refused(pack(tmp_path / "m", with_manifest(members, manifest)), "newer streamboost")


def test_model_file_error_is_a_value_error():
    assert issubclass(ModelFileError, ValueError)
    assert json.loads("1") == 1


def test_negative_counts(members, tmp_path):
    """Weights and counts below 0 would poison the arithmetic. (The monitor's sums are only ever reported.)"""
    words = ("sum_", "count", "class_weight", "spread", "squared_norm", "total_weight")
    for name, array in arrays_of(members).items():
        part, last = name.rsplit("/", 1)
        if array.dtype == np.float64 and array.size and last.startswith(words) and part != "monitor":
            refused(pack(tmp_path / "m", replaced(members, name, -np.abs(array) - 1)))
