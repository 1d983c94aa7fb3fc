"""The container alone: what goes in comes out, and only that."""

from __future__ import annotations

import io
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import streamboost
from streamboost.base.files.archive import ModelFileError, parse_json, read_archive, write_archive
from streamboost.base.files.writing import write_file

ARRAYS = hnp.arrays(
    st.sampled_from([np.dtype("<f8"), np.dtype("<i8"), np.dtype("<i4"), np.dtype("|u1")]),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)


@given(st.dictionaries(st.from_regex(r"[a-z]{1,5}(/[a-z_]{1,5})?", fullmatch=True), ARRAYS, max_size=4))
def test_round_trip(arrays):
    buffer = io.BytesIO()
    write_archive(buffer, {"model": "x"}, arrays)
    manifest, back = read_archive(buffer)
    assert manifest["model"] == "x"
    assert back.keys() == arrays.keys()
    for name, array in arrays.items():
        assert back[name].dtype == array.dtype
        assert back[name].shape == array.shape
        assert back[name].tobytes() == array.tobytes()
        assert back[name].flags.writeable


def test_big_endian_and_strided_arrays_are_stored_little_endian():
    buffer = io.BytesIO()
    write_archive(buffer, {}, {"a": np.arange(6, dtype=">f8").reshape(2, 3).T})
    _, back = read_archive(buffer)
    assert back["a"].tolist() == [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]
    assert back["a"].dtype.str == "<f8"


@pytest.mark.parametrize("name", ["", "../a", "/a", "a b", "a/", "ä"])
def test_names_are_words(name):
    with pytest.raises(ValueError, match="cannot name"):
        write_archive(io.BytesIO(), {}, {name: np.zeros(1)})


def test_objects_cannot_be_stored():
    with pytest.raises(ValueError, match="dtype object"):
        write_archive(io.BytesIO(), {}, {"a": np.array([None])})


@given(st.binary(max_size=300))
def test_any_bytes_are_refused_politely(data):
    for prefix in (b"", b"PK\x03\x04", b"PK\x05\x06"):
        with pytest.raises(ModelFileError):
            read_archive(io.BytesIO(prefix + data))


def test_a_path_is_named(tmp_path):
    (tmp_path / "table.csv").write_text("a,b\n")
    with pytest.raises(ModelFileError, match=r"table.csv: not a model file: `save` and"):
        streamboost.load(tmp_path / "table.csv")


def test_json_is_strict():
    assert parse_json(b'{"a": [1, 2.5, null]}') == {"a": [1, 2.5, None]}
    for text in (b'{"a": NaN}', b'{"a":1,"a":2}', b"[1]", b"\xff"):
        with pytest.raises(ModelFileError):
            parse_json(text)


def test_write_file_respects_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "x", b"data")
    finally:
        os.umask(before)
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "x").read_bytes() == b"data"
