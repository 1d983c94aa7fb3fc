"""CSV and LIBSVM readers: what they read, and what they say about files they cannot read."""

import gzip
import io
import math
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from streamboost.streams import (
    CsvStream,
    DataError,
    DataWarning,
    LibsvmStream,
    Stream,
    data_files,
    load,
    open_stream,
    to_arrays,
)
from streamboost.streams.readers.source import ByteSource
from tests.reading import rows


@pytest.fixture
def write(tmp_path):
    def write(text, name="data.csv"):
        path = tmp_path / name
        data = text if isinstance(text, bytes) else text.encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


@pytest.fixture
def stdin(monkeypatch):
    def give(text):
        data = text if isinstance(text, bytes) else text.encode()
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))

    return give


def everything(stream, size=7):
    return rows(stream, size)


MIXED = "age,job,pay,label\n31,clerk,1.5,yes\n42,smith,,no\n?,clerk,2e3,yes\n50,?,7,no\n"


def test_csv_mixed_columns(write):
    stream = CsvStream(write(MIXED))
    assert isinstance(stream, Stream)
    assert stream.feature_names == ("age", "job", "pay")
    assert stream.nominal.tolist() == [False, True, False]
    X, y, lines = everything(stream)
    np.testing.assert_array_equal(X, [[31, 0, 1.5], [42, 1, np.nan], [np.nan, 0, 2000], [50, np.nan, 7]])
    assert y.tolist() == ["yes", "no", "yes", "no"]
    assert lines.tolist() == [2, 3, 4, 5]
    assert stream.categories == {"job": ("clerk", "smith")}
    assert stream.find_classes() == ("no", "yes")


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data"])
def test_csv_reads_the_same_plain_and_packed_and_again(write, name):
    stream = open_stream(write(MIXED, name))
    first, again = everything(stream, 1), everything(stream, 100)
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)


def test_csv_named_label(write):
    stream = CsvStream(write("y,a,b\n1,2,3\n0,4,5\n"), label="y")
    X, y, _ = everything(stream)
    assert X.tolist() == [[2, 3], [4, 5]]
    assert y.tolist() == [1, 0]
    assert y.dtype == np.int64
    assert stream.label_name == "y"


def test_csv_without_header(write):
    stream = CsvStream(write("1,2,3\n4,5,6.5\n"))
    assert stream.feature_names == ("1", "2")
    X, y, lines = everything(stream)
    assert X.tolist() == [[1, 2], [4, 5]]
    assert y.dtype == np.float64
    assert lines.tolist() == [1, 2]
    assert everything(CsvStream(write("a,b,c\nx,y,z\n"), header=False))[0].tolist() == [[0, 0], [1, 1]]
    assert everything(CsvStream(write("1,2\n3,4\n"), header=True))[0].tolist() == [[3]]


def test_csv_quotes_blanks_bom_and_line_ends(write):
    text = '\ufeffa,"b,c",label\r\n"x, y",1, p \r\n\r\n"two\r\nlines",2,q\r\n'
    stream = CsvStream(write(text))
    assert stream.feature_names == ("a", "b,c")
    _, y, lines = everything(stream)
    assert y.tolist() == ["p", "q"]
    assert lines.tolist() == [2, 5]
    assert stream.categories["a"] == ("x, y", "two\r\nlines")


def test_csv_forced_nominal(write):
    path = write("a,b,label\n1,5,0\n2,5,1\n")
    assert CsvStream(path, nominal=["b"]).nominal.tolist() == [False, True]
    stream = CsvStream(path, nominal="all")
    assert stream.nominal.tolist() == [True, True]
    assert everything(stream)[1].tolist() == [0, 1]
    with pytest.raises(DataError, match="no column 'z'"):
        CsvStream(path, nominal=["z"])


def long_csv(last):
    return "a,b,label\n" + "".join(f"{i},{i % 3},{i % 2}\n" for i in range(1500)) + last


def test_csv_text_behind_the_first_thousand_rows_is_a_bad_line(write):
    path = write(long_csv("oops,1,0\n"))
    with pytest.raises(DataError, match=r"data\.csv, line 1502: column 'a': 'oops' is not a finite number"):
        everything(CsvStream(path))
    text = "a,label\n" + "".join(f"{i},0\n" for i in range(998)) + "word,1\n" + "2,0\n" * 10
    with pytest.warns(DataWarning, match=r"'a' is read as nominal because of 'word' \(line 1000\)"):
        stream = CsvStream(write(text))
    assert stream.nominal.tolist() == [True]


@pytest.mark.parametrize(
    ("last", "message"),
    [
        ("1,2\n", "line 1502: 2 cells where the first row has 3"),
        ("1,2,3,4\n", "line 1502: 4 cells"),
        ("1,inf,0\n", "column 'b': 'inf'"),
        ("1,1_000,0\n", "column 'b': '1_000'"),
        ("1,2,0.5\n", "line 1502: label 0.5 where the labels are whole numbers"),
        ("1,2,maybe\n", "line 1502: column 'label': 'maybe'"),
        ('1,"2,0\n', "unexpected end of data"),
        ("1,2\0,0\n", "line 1502: not a text file"),
    ],
)
def test_csv_bad_lines(write, last, message):
    stream = CsvStream(write(long_csv(last)))
    with pytest.raises(DataError) as caught:
        everything(stream)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_csv_label_scan_names_the_bad_line(write):
    stream = CsvStream(write(long_csv("1,2,maybe\n")))
    with pytest.raises(DataError, match="line 1502"):
        stream.find_classes()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("a,b\n", "no rows below the header"),
        ("a:b\n1:2\n", "only one column"),
        ("a,b\n1\n", "line 2: 1 cells where the first row has 2"),
        (b"\xff\xfe\x00", "is no text in the encoding utf-16"),
        (b"\x1f\x8bgarbage", "gzip"),
        (b"\x1f\x8b", "gzip"),
    ],
)
def test_csv_unusable_files(write, text, message):
    with pytest.raises(DataError, match=message):
        CsvStream(write(text))


def test_truncated_gzip(write):
    packed = gzip.compress(np.random.default_rng(0).bytes(50_000).hex().encode().replace(b"a", b"\n"))
    with pytest.raises(DataError, match="cut off"):
        for _ in ByteSource(write(packed[:2000], "x.libsvm")).blocks():
            pass


def test_missing_columns_and_files(write, tmp_path):
    with pytest.raises(
        DataError, match=r"no column 'labl'; did you mean 'label'\? The columns are age, job, pay, label"
    ):
        CsvStream(write(MIXED), label="labl")
    with pytest.raises(DataError, match="2 columns are named 'a'"):
        CsvStream(write("a,a\n1,2\n"), label="a")
    with pytest.raises(DataError, match="no such file"):
        open_stream(tmp_path / "nothing.csv")
    with pytest.raises(DataError, match="is a directory"):
        open_stream(tmp_path, format="csv")
    with pytest.raises(TypeError, match="argument 'lable'; did you mean 'label'"):
        open_stream(write(MIXED), lable="age")
    with pytest.raises(DataError, match="has 3 features, not 5"):
        open_stream(write(MIXED), n_features=5)


def test_csv_from_standard_input(stdin):
    stdin(gzip.compress(MIXED.encode()))
    stream = open_stream("-", format="csv")
    assert not stream.repeatable
    assert stream.fraction is None
    assert everything(stream)[1].tolist() == ["yes", "no", "yes", "no"]
    with pytest.raises(DataError, match="only once"):
        everything(stream)


@pytest.mark.parametrize(
    ("text", "reader"),
    [
        ("a,b,label\n1,2,0\n3,4,1\n", "CsvStream"),
        ("+1 1:0.5 3:2\n-1 2:1\n", "LibsvmStream"),
        ('{"a": 1, "label": 0}\n{"a": 2, "label": 1}\n', "JsonLinesStream"),
        ("@relation r\n@attribute a numeric\n@attribute c {0,1}\n@data\n1,0\n2,1\n", "ArffStream"),
        ("1 |f a:1 b\n-1 |f b:2\n", "VwStream"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_the_format_of_standard_input_is_guessed(monkeypatch, text, reader, packed):
    data = gzip.compress(text.encode()) if packed else text.encode()
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    options = {"LibsvmStream": {"n_features": 3}, "VwStream": {"bits": 2}}.get(reader, {})
    stream = open_stream("-", **options)
    assert type(stream).__name__ == reader
    assert [len(chunk) for chunk in stream.chunks()] == [2]
    with pytest.raises(DataError, match="only once"):
        list(stream.chunks())


def test_empty_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"")))
    with pytest.raises(DataError, match="standard input: the file is empty"):
        open_stream("-")


LIBSVM = "+1 1:0.5 3:2\n-1 2:nan # a comment\n\n+1\n-1 1:1e-3 2:-4 3:1\n"


@pytest.mark.parametrize("name", ["d.libsvm", "d.svm.gz", "d.txt"])
def test_libsvm(write, name):
    stream = open_stream(write(LIBSVM, name))
    assert isinstance(stream, Stream)
    assert isinstance(stream, LibsvmStream)
    assert stream.n_features == 3
    for size in (1, 3, 100):
        X, y, lines = everything(stream, size)
        np.testing.assert_array_equal(X, [[0.5, 0, 2], [0, np.nan, 0], [0, 0, 0], [1e-3, -4, 1]])
        assert y.tolist() == [1, -1, 1, -1]
        assert y.dtype == np.int64
        assert lines.tolist() == [1, 2, 4, 5]
    assert stream.find_classes() == (-1, 1)
    assert stream.classes is None


def test_libsvm_fractional_labels(write):
    stream = LibsvmStream(write("0.5 1:1\n2 1:1\n"))
    assert everything(stream)[1].dtype == np.float64
    assert stream.find_classes() == (0.5, 2.0)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 2:1 2:2", "index 2 follows index 2; indices must increase"),
        ("1 3:1 2:2", "index 2 follows index 3"),
        ("1 0:1", "index 0, but indices are counted from 1"),
        ("1 9:1", "index 9 where there are only 5 features"),
        ("1 a:1", "expected index:value, got 'a:1'"),
        ("1 -1:1", "expected index:value, got '-1:1'"),
        ("1 1:x", "the value of '1:x' is not a number"),
        ("1 1:inf", "not a number from -1e+100 to 1e+100"),
        ("1 1:1_0", "is not a number"),
        ("1 1:2:3", "expected index:value, got '1:2:3'"),
        ("1 1: 2", "expected index:value, got '1:'"),
        ("1 1 2", "expected index:value, got '1'"),
        ("1:2 3:4", "no label in front of '1:2'"),
        ("yes 1:2", "label 'yes' is not a number"),
        ("1,2 1:2", "label '1,2' is not a number"),
        ("0.5 1:2", "label 0.5 where the labels are whole numbers"),
        ("nan 1:2", "a missing or infinite label"),
    ],
)
def test_libsvm_bad_lines(write, line, message):
    text = "1 1:2 5:1\n-1 1:1\n" * 600 + line + "\n"
    stream = LibsvmStream(write(text, "d.libsvm"), n_features=5)
    with pytest.raises(DataError) as caught:
        everything(stream, 100)
    assert message in str(caught.value)
    assert "line 1201: " in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("1 x:2\n", "'x:2'"),
        ("1\n-1\n", "no row has a feature"),
        ("1 99999999999:1\n", "too large"),
    ],
)
def test_libsvm_unusable_files(write, text, message):
    with pytest.raises(DataError, match=message):
        LibsvmStream(write(text, "d.libsvm"))


def test_libsvm_scan_names_a_bad_label(write):
    text = "1 1:2\n" * 1100 + "one 1:3\n"
    with pytest.raises(DataError, match="line 1101: label 'one'"):
        LibsvmStream(write(text, "d.libsvm"))


def test_libsvm_from_standard_input(stdin):
    stdin(LIBSVM)
    with pytest.raises(DataError, match="n_features="):
        open_stream("-", format="libsvm")
    stdin(LIBSVM)
    stream = open_stream("-", format="libsvm", n_features=4)
    assert everything(stream)[0].shape == (4, 4)


def test_folder_of_data(write, tmp_path, monkeypatch):
    monkeypatch.delenv("STREAMBOOST_DATA", raising=False)
    assert data_files() == []
    write(MIXED, "people.csv.gz")
    write(LIBSVM, "heart.libsvm")
    write("hello", "README.md")
    monkeypatch.setenv("STREAMBOOST_DATA", str(tmp_path))
    assert [(f.name, f.format) for f in data_files()] == [("heart", "libsvm"), ("people", "csv")]
    for name in ("people", "people.csv", "people.csv.gz"):
        assert isinstance(open_stream(name), CsvStream)
    assert isinstance(open_stream("heart"), LibsvmStream)
    with pytest.raises(DataError, match="did you mean 'people'"):
        open_stream("peple")
    with pytest.raises(DataError, match=r"peple.csv.gz: no such file; did you mean '.*people.csv.gz'"):
        open_stream(tmp_path / "peple.csv.gz")
    with pytest.raises(DataError, match=r"weather.csv.gz: no such file\.$"):
        open_stream(tmp_path / "weather.csv.gz")
    assert repr(open_stream("people")) == f"<CsvStream {tmp_path / 'people.csv.gz'}>"
    assert repr(load("people")).startswith(f"<stream {tmp_path / 'people.csv.gz'}: ")
    with pytest.raises(DataError, match="label= is for CSV"):
        open_stream("heart", label="y")
    monkeypatch.setenv("STREAMBOOST_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="STREAMBOOST_DATA"):
        data_files()


def test_reading_into_memory(write):
    held = to_arrays(CsvStream(write(long_csv(""))), limit=1100)
    assert held.X.shape == (1100, 2)
    assert to_arrays(held, 5).y.tolist() == [0, 1, 0, 1, 0]
    sparse = to_arrays(LibsvmStream(write(LIBSVM, "d.libsvm"), sparse=True))
    assert scipy.sparse.issparse(sparse.X)
    assert sparse.permuted(np.array([3, 0])).X.toarray().tolist() == [[1e-3, -4, 1], [0.5, 0, 2]]


@pytest.mark.parametrize("value", ["1e101", "-1.7e308"])
@pytest.mark.parametrize("name", ["d.csv", "d.libsvm", "d.vw", "d.jsonl", "d.parquet"])
def test_numbers_that_no_model_takes_make_bad_lines(write, value, name):
    """Else a model refuses the whole chunk, and nobody hears the line."""
    cells = [*["0.5"] * 1100, value, "1e100"]
    pattern = {
        "d.csv": "{},{}\n",
        "d.libsvm": "{1} 1:{0}\n",
        "d.vw": "{1} | a:{0}\n",
        "d.jsonl": '{{"a": {}, "y": {}}}\n',
        "d.parquet": "",
    }[name]
    rows = "".join(pattern.format(cell, i % 2) for i, cell in enumerate(cells))
    path = write("a,y\n" + rows if name == "d.csv" else rows, name)
    if name == "d.parquet":
        pd.DataFrame({"a": map(float, cells), "y": np.arange(len(cells)) % 2}).to_parquet(path)
    line = 1102 if name == "d.csv" else 1101
    with pytest.raises(DataError, match=rf"line {line}: .* from -1e\+100 to 1e\+100"):
        everything(open_stream(path))
    stream = open_stream(path, on_bad_line="skip")
    assert len(everything(stream)[0]) == 1101
    assert stream.n_bad == 1
    if name == "d.csv":
        assert len(everything(open_stream(path, na_values=[value]))[0]) == 1102


NUMBERS = st.floats(-1e100, 1e100) | st.just(math.nan)


@given(st.lists(st.lists(NUMBERS, min_size=3, max_size=3), min_size=1, max_size=20))
def test_csv_keeps_numbers_exactly(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    cells = [["" if math.isnan(v) else repr(v) for v in row] for row in rows]
    path.write_text("a,b,c,label\n" + "".join(",".join([*row, "1"]) + "\n" for row in cells))
    np.testing.assert_array_equal(everything(CsvStream(path))[0], rows)


@given(st.binary(max_size=200) | st.text(alphabet='01:. ,\n"#-+enai?', max_size=80).map(str.encode))
def test_any_bytes_are_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("fuzz") / "x"
    path.write_bytes(data)
    for open_it in (CsvStream, LibsvmStream, lambda p: LibsvmStream(p, n_features=3), open_stream):
        message = ""
        try:
            stream = open_it(path)
            assert sum(len(chunk) for chunk in stream.chunks(3)) > 0
            assert stream.find_classes()
        except DataError as error:
            message = str(error)
        assert "\n" not in message
