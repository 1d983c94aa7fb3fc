"""Remembered rows beside a model's file: each is written once, what is read back is the model, and nothing is trusted."""

import copy
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

import streamboost as sb
from streamboost.base.files import persist, rows_apart
from streamboost.base.files.rows_apart import RowReader, RowShelf, pieces_of
from tests.inside.handles import state_of


@pytest.fixture(autouse=True)
def short_pieces(monkeypatch):
    monkeypatch.setattr(rows_apart, "ROWS", 16)


def stream(n, d=3, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, (np.nan_to_num(X[:, 0]) > 0).astype(int), rng.choice([0.5, 1.0, 2.0], n)


def write(folder: Path, model, number: int, known=None) -> RowShelf:
    shelf = RowShelf(7, known or {})
    data = persist.to_bytes(model, shelf=shelf)
    if shelf.name:
        (folder / shelf.name).write_bytes(shelf.data)
    (folder / f"{number}.sboost").write_bytes(data)
    return shelf


MODELS = {
    "classes": lambda: sb.ReplayBoostingClassifier(memory=200, rounds=2, leaves=3, random_state=1),
    "numbers": lambda: sb.ReplayBoostingRegressor(memory=200, rounds=2, leaves=3, random_state=1),
    "default": lambda: sb.StreamBoostClassifier(n_estimators=2, random_state=1),
    "default of numbers": lambda: sb.StreamBoostRegressor(n_estimators=2, random_state=1),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("d", [1, 3])
def test_a_series_of_files_is_the_models_and_writes_what_is_new(name, d, tmp_path):
    X, y, weight = stream(520, d)
    model, known, sizes = MODELS[name](), {}, []
    for number, end in enumerate(range(40, 521, 40)):
        model.partial_fit(X[end - 40 : end], y[end - 40 : end], sample_weight=weight[end - 40 : end])
        sizes.append(len(write(tmp_path, model, number, known).data))
        known = pieces_of(tmp_path / f"{number}.sboost")
        read = sb.load(tmp_path / f"{number}.sboost")
        assert read.to_bytes() == model.to_bytes()
    rows = sum(a.nbytes for n, a in state_of(model).items() if "ring_" in n)
    assert 0 < max(sizes[6:]) < 0.6 * rows  # 40 rows and a piece at either end, of 200 and more
    again = write(tmp_path, model, 99, known)
    assert again.data == b""
    assert again.name == ""


def test_memories_of_the_same_rows_share_their_pieces(tmp_path):
    X, y, _ = stream(400, 6)
    model = sb.StreamBoostClassifier(n_estimators=2, random_state=1).partial_fit(X, y)
    shelf = write(tmp_path, model, 1)
    state = {name: array for name, array in state_of(model).items() if name.endswith("ring_cells")}
    assert len(state) == 3
    assert set(state) <= set(shelf.taken)
    # Rows once, what the judge is told once, labels and (equal) weights once.
    judged = max(array.nbytes for array in state.values()) - min(array.nbytes for array in state.values())
    assert len(shelf.data) <= min(array.nbytes for array in state.values()) + judged + 8 * 400 + 8 * 32


def test_columns_that_come_later_and_short_memories(tmp_path):
    model = sb.ReplayBoostingClassifier(memory=200, rounds=2, random_state=1)
    known = {}
    for i in range(150):
        row = {"a": float(i % 7), "c": "uvw"[i % 3]} | ({"late": 1.0 * i} if i > 60 else {})
        model.learn_one(row, i % 2)
        if i in (20, 58, 64, 149):
            shelf = write(tmp_path, model, i, known)
            known = pieces_of(tmp_path / f"{i}.sboost")
            assert sb.load(tmp_path / f"{i}.sboost").to_bytes() == model.to_bytes()
            assert bool(shelf.name) == (i > 30)  # before, all is in the model's file


def parts(path: Path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def changed(path: Path, change):
    members = parts(path)
    manifest = json.loads(members["manifest.json"])
    change(manifest["arrays"]["replay/ring_cells"])
    members["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)


@pytest.fixture
def written(tmp_path):
    X, y, _ = stream(130, 3)
    write(tmp_path, MODELS["classes"]().partial_fit(X, y), 1)
    return tmp_path / "1.sboost"


def test_what_is_damaged_or_missing_is_said(written):
    rows = next(written.parent.glob("*.rows"))
    data = rows.read_bytes()
    with pytest.raises(sb.ModelFileError, match="load it by its path"):
        sb.load(written.read_bytes())
    rows.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(sb.ModelFileError, match=r"\.rows, with rows of this model, is damaged"):
        sb.load(written)
    rows.write_bytes(data[:-9])
    with pytest.raises(sb.ModelFileError, match="is damaged"):
        sb.load(written)
    rows.unlink()
    with pytest.raises(sb.ModelFileError, match="cannot be read"):
        sb.load(written)
    rows.symlink_to("/dev/zero")
    with pytest.raises(sb.ModelFileError, match="is a device"):
        sb.load(written)


def first(entry):
    return entry["pieces"][0]


LIES = {
    "no pieces": lambda e: e.update(pieces=[]),
    "pieces of another kind": lambda e: e.update(pieces={}),
    "a piece of another kind": lambda e: e["pieces"].insert(0, 1),
    "a short piece": lambda e: first(e).pop(),
    "rows below 1": lambda e: first(e).__setitem__(0, 0),
    "rows beyond a piece": lambda e: first(e).__setitem__(0, 10**9),
    "rows that are no number": lambda e: first(e).__setitem__(0, True),
    "another file": lambda e: first(e).__setitem__(1, "../" + first(e)[1]),
    "a file of another kind": lambda e: first(e).__setitem__(1, "1.sboost"),
    "an offset below 0": lambda e: first(e).__setitem__(2, -1),
    "an offset beyond all files": lambda e: first(e).__setitem__(2, 2**63),
    "an offset beyond this file": lambda e: first(e).__setitem__(2, 2**40),
    "another hash": lambda e: first(e).__setitem__(3, "0" * 64),
    "no hash": lambda e: first(e).__setitem__(3, None),
    "a larger array": lambda e: e["shape"].__setitem__(0, 10**12),
    "a smaller array": lambda e: e["shape"].__setitem__(0, 1),
    "two axes": lambda e: e["shape"].append(1),
    "wider rows": lambda e: e.update(row_bytes=[10**9]),
    "no width": lambda e: e.update(row_bytes=[0, 12]),
    "three blocks": lambda e: e.update(row_bytes=[4, 4, 4]),
    "another type": lambda e: e.update(dtype="<f8"),
    "more said": lambda e: e.update(more=1),
    "pieces twice": lambda e: e["pieces"].extend(copy.deepcopy(e["pieces"])),
}


@pytest.mark.parametrize("lie", LIES)
def test_lies_are_refused(written, lie):
    changed(written, LIES[lie])
    with pytest.raises(sb.ModelFileError):
        sb.load(written)


def test_a_hash_stands_for_bytes_only_once_they_are_read(written):
    with zipfile.ZipFile(io.BytesIO(written.read_bytes())) as archive:
        entry = json.loads(archive.read("manifest.json"))["arrays"]["replay/ring_cells"]
    read = RowReader(written.parent)("replay/ring_cells", entry)
    np.testing.assert_array_equal(read, state_of(sb.load(written))["replay/ring_cells"])
