"""Cells that mean missing, weights in a column, and LIBSVM rows with few zeros."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse

from streamboost.cli.errors import shell_words
from streamboost.streams import DataError, DataWarning, open_stream

MARKERS = ["NA", "N/A", "NULL", "null", "None", "nan", "-", "?", ""]


@pytest.fixture
def write(tmp_path):
    def write(text: str, name: str = "data.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def column(stream, at=0):
    return np.concatenate([chunk.X[:, at] for chunk in stream.chunks()])


@pytest.mark.parametrize("marker", MARKERS)
@pytest.mark.parametrize("row", [5, 1500])
def test_the_usual_markers_are_missing(write, marker, row):
    cells = [str(i) for i in range(2000)]
    cells[row] = marker
    csv = write("a,label\n" + "".join(f"{cell},{i % 2}\n" for i, cell in enumerate(cells)))
    lines = [{"a": float(cell) if cell.isdigit() else cell, "label": i % 2} for i, cell in enumerate(cells)]
    objects = write("".join(json.dumps(line) + "\n" for line in lines), "data.jsonl")
    for path in (csv, objects):
        stream = open_stream(path)
        assert stream.nominal.tolist() == [False]
        values = column(stream)
        assert np.flatnonzero(np.isnan(values)).tolist() == [row]
        assert values[row + 1] == row + 1
        assert stream.missing_met == (() if marker in ("", "?", "nan") else (marker,)) or marker == "nan"


def test_markers_among_words(write):
    text = "sign,word,label\n+,red,0\n-,NA,1\n+,None,0\n-,blue,1\n"
    stream = open_stream(write(text))
    assert column(stream).tolist() == [0, 1, 0, 1]  # beside + it is a value
    np.testing.assert_array_equal(column(stream, 1), [0, np.nan, np.nan, 1])
    assert stream.categories == {"sign": ("+", "-"), "word": ("red", "blue")}
    assert stream.missing_met == ("NA", "None")


@pytest.mark.parametrize("marker", MARKERS)
@pytest.mark.parametrize("row", [5, 1500])
def test_among_numbers_a_marked_label_is_missing(write, marker, row):
    labels = [str(i % 2) for i in range(2000)]
    labels[row] = marker
    csv = write("a,label\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels)))
    lines = [{"a": i, "label": int(label) if label.isdigit() else label} for i, label in enumerate(labels)]
    objects = write("".join(json.dumps(line) + "\n" for line in lines), "data.jsonl")
    for path in (csv, objects) if marker else (csv,):
        stream = open_stream(path)
        assert len(column(stream)) == 1999
        assert stream.n_unlabeled == 1
        assert stream.find_classes() == (0, 1)
    own = [label.replace(marker, "gone") if marker else label or "gone" for label in labels]
    own = write("a,label\n" + "".join(f"{i},{label}\n" for i, label in enumerate(own)), "own.csv")
    assert len(column(open_stream(own, na_values=["gone"]))) == 1999


def test_labels_are_no_markers(write):
    stream = open_stream(write("a,label\n1,-\n2,NA\n3,+\n"))
    assert stream.find_classes() == ("+", "-", "NA")
    stream = open_stream(write("a,label\n1,-\n2,\n3,+\n"))
    assert [chunk.y.tolist() for chunk in stream.chunks()] == [["-", "+"]]
    assert stream.n_unlabeled == 1


def test_the_users_own_markers_replace_the_usual_ones(write):
    text = "a,b,label\n1,NA,0\n-9,x,1\n3,NA,0\n"
    stream = open_stream(write(text), na_values=["-9"])
    np.testing.assert_array_equal(column(stream), [1, np.nan, 3])
    assert stream.categories["b"] == ("NA", "x")
    assert stream.missing_met == ("-9",)
    with pytest.raises(DataError, match="na_values= is not for libsvm but for csv, arff, jsonl"):
        open_stream(write("1 1:2\n", "d.libsvm"), na_values=["x"])


def test_a_value_that_a_model_knows_is_a_value(write):
    from streamboost.streams import ExpectedColumns

    expected = ExpectedColumns(names=("a",), values=(("NA", "b"),), labels=(0, 1), needs_label=True)
    stream = open_stream(write("a,label\nNA,0\nnull,1\nb,1\n"), expected=expected)
    np.testing.assert_array_equal(column(stream), [0, np.nan, 1])


def test_a_few_words_among_numbers_are_named(write):
    cells = [str(i) for i in range(100)]
    cells[40] = "12o"
    path = write("a,label\n" + "".join(f"{cell},{i % 2}\n" for i, cell in enumerate(cells)))
    with pytest.warns(
        DataWarning, match=r"column 'a' is read as nominal because of '12o' \(line 42\), but 99%"
    ) as said:
        open_stream(path)
    assert "--na-values 12o" in shell_words(said[0].message)
    open_stream(path, nominal=["a"])  # whoever asks for it is not warned
    assert np.isnan(column(open_stream(path, na_values=["12o"]))[40])
    late = write("a,label\n" + "1,0\n" * 1500 + "12o,1\n")
    with pytest.raises(
        DataError, match=r"line 1502: column 'a': '12o' is not a finite number.*na_values=\['12o'\]"
    ):
        list(open_stream(late).chunks())


def test_a_column_of_weights(write):
    rows = [(1.5, 0, 2), (2.5, 1, 0), (3.5, 0, 0.25)]
    texts = {
        "d.csv": "a,w,label\n" + "".join(f"{a},{w},{y}\n" for a, y, w in rows),
        "d.jsonl": "".join(json.dumps({"a": a, "w": w, "label": y}) + "\n" for a, y, w in rows),
        "d.arff": "@attribute w numeric\n@attribute a numeric\n@attribute c {0,1}\n@data\n"
        + "".join(f"{w},{a},{y}\n" for a, y, w in rows),
        "s.arff": "@attribute w numeric\n@attribute a numeric\n@attribute c numeric\n@data\n"
        + "".join(f"{{0 {w}, 1 {a}, 2 {y}}}\n" for a, y, w in rows),
    }
    for name, text in texts.items():
        stream = open_stream(write(text, name), weight="w")
        assert stream.feature_names == ("a",), name
        (chunk,) = stream.chunks()
        X = chunk.X.toarray() if scipy.sparse.issparse(chunk.X) else chunk.X
        assert X.tolist() == [[1.5], [2.5], [3.5]], name
        assert chunk.weight.tolist() == [2, 0, 0.25]
        assert [str(label) for label in chunk.y] == ["0", "1", "0"]
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow as pa

    path = write("", "d.parquet")
    a, y, w = zip(*rows, strict=True)
    parquet.write_table(pa.table({"a": a, "w": w, "label": y}), path)
    (chunk,) = open_stream(path, weight="w").chunks()
    assert chunk.weight.tolist() == [2, 0, 0.25]


def test_weights_that_cannot_be_used(write):
    path = write("a,w,label\n1,1,0\n2,-1,1\n3,,0\n4,1,1\n")
    with pytest.raises(DataError, match=r"line 3: column 'w': the weight -1 is not from 0"):
        list(open_stream(path, weight="w").chunks())
    stream = open_stream(path, weight="w", on_bad_line="skip")
    (chunk,) = stream.chunks()
    assert chunk.lines.tolist() == [2, 5]
    assert chunk.weight is None
    assert stream.n_bad == 2
    with pytest.raises(DataError, match="no column 'v'"):
        open_stream(path, weight="v")
    with pytest.raises(DataError, match="cannot be the weight and something else"):
        open_stream(path, weight="w", label="w")
    with pytest.raises(DataError, match="the weights in column 'w' must be numbers, not 'x'"):
        open_stream(write("a,w,label\n1,x,0\n2,1,1\n"), weight="w")


def test_libsvm_rows_with_few_zeros_are_dense(write):
    full = write("".join(f"{i % 2} 1:{i} 2:1 3:2\n" for i in range(1, 50)), "full.libsvm")
    thin = write("".join(f"{i % 2} {1 + i % 7}:1\n" for i in range(50)), "thin.libsvm")
    (dense,) = open_stream(full).chunks()
    (csr,) = open_stream(full, sparse=True).chunks()
    assert isinstance(dense.X, np.ndarray)
    assert scipy.sparse.issparse(csr.X)
    np.testing.assert_array_equal(dense.X, csr.X.toarray())
    assert scipy.sparse.issparse(next(iter(open_stream(thin).chunks())).X)
    zeros = write("".join(f"{i % 2} 1:0 2:0 3:0 4:1\n" for i in range(50)), "zeros.libsvm")
    # Zeros that are written are zeros.
    assert scipy.sparse.issparse(next(iter(open_stream(zeros).chunks())).X)
