"""ARFF, VW text, JSON lines, Parquet and Arrow: the same rows in every format read the same."""

import gzip
import io
import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from streamboost.streams import (
    ArffStream,
    ArrowStream,
    CsvStream,
    DataError,
    ExpectedColumns,
    JsonLinesStream,
    LibsvmStream,
    SparseArffStream,
    Stream,
    VwStream,
    open_arff,
    open_stream,
    to_arrays,
)
from streamboost.streams.readers.vw import parse_example
from tests.reading import rows

COLORS = ["red", "dark, blue", "it's"]
TABLE = [
    {
        "size": None if i % 11 == 0 else i / 8,
        "color": None if i % 7 == 0 else COLORS[i % 3],
        "n": i % 5,
        "kind": "yes" if i % 4 else "no",
    }
    for i in range(1, 2500)
]


def as_csv():
    def cell(value):
        return "" if value is None else f'"{value}"' if isinstance(value, str) else repr(value)

    return "size,color,n,kind\n" + "".join(",".join(map(cell, row.values())) + "\n" for row in TABLE)


def as_arff():
    def cell(value):
        if isinstance(value, str):
            return "'" + value.replace("'", "\\'") + "'"
        return "?" if value is None else repr(value)

    head = "% a remark\n@RELATION 'some data'\n\n@attribute size NUMERIC\n@attribute 'color' {red, 'dark, blue', \"it's\"} % c\n"
    head += "@attribute\tn integer\n@attribute kind { no , yes }\n@DATA\n% more\n"
    return head + "".join(",".join(map(cell, row.values())) + "\n" for row in TABLE)


def as_jsonl():
    return "".join(json.dumps({k: v for k, v in row.items() if v is not None}) + "\n" for row in TABLE)


def as_arrow(kind):
    pa = pytest.importorskip("pyarrow")
    columns = {key: [row[key] for row in TABLE] for key in TABLE[0]}
    table = pa.table(columns)
    if kind == "dictionary":
        table = table.set_column(1, "color", table["color"].dictionary_encode())
    out = io.BytesIO()
    if kind in ("parquet", "dictionary"):
        import pyarrow.parquet as pq

        pq.write_table(table, out, row_group_size=700)
    elif kind == "feather":
        import pyarrow.feather as feather

        feather.write_feather(table, out)
    else:
        with pa.ipc.new_stream(out, table.schema) as writer:
            writer.write_table(table, max_chunksize=333)
    return out.getvalue()


MAKERS = {
    "csv": as_csv,
    "arff": as_arff,
    "jsonl": as_jsonl,
    "parquet": lambda: as_arrow("parquet"),
    "parquet-dictionary": lambda: as_arrow("dictionary"),
    "arrow-feather": lambda: as_arrow("feather"),
    "arrow-stream": lambda: as_arrow("stream"),
}


def packed(name):
    data = MAKERS[name]()
    return data if isinstance(data, bytes) else data.encode()


EXPECTED = np.array(
    [
        [
            np.nan if row["size"] is None else row["size"],
            np.nan if row["color"] is None else [1, 2, 0][COLORS.index(row["color"])],
            row["n"],
        ]
        for row in TABLE
    ]
)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("how", ["plain", "packed", "pipe"])
def test_one_table_in_every_format(write, monkeypatch, name, how):
    data = packed(name)
    kind = name.partition("-")[0]
    if how == "pipe":
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
        stream = open_stream("-", format=kind)
    else:
        stream = open_stream(write(gzip.compress(data) if how == "packed" else data, f"data.{kind}"))
    assert isinstance(stream, Stream)
    assert stream.feature_names == ("size", "color", "n")
    assert stream.named
    assert stream.nominal.tolist() == [False, True, False]
    assert stream.label_name == "kind"
    X, y, lines = rows(stream)
    assert y.tolist() == [row["kind"] for row in TABLE]
    assert (np.diff(lines) == 1).all()
    # Codes follow the declaration in ARFF, the order of appearance elsewhere.
    values = {text: code for code, text in enumerate(stream.categories["color"])}
    assert set(values) == set(COLORS)
    renamed = EXPECTED.copy()
    for old, text in enumerate(["it's", "red", "dark, blue"]):
        renamed[EXPECTED[:, 1] == old, 1] = values[text]
    np.testing.assert_array_equal(X, renamed)
    if how != "pipe":
        assert stream.find_classes() == ("no", "yes")
        again = rows(stream, 7)
        np.testing.assert_array_equal(again[0], X)
        np.testing.assert_array_equal(again[1], y)


@pytest.mark.parametrize("name", MAKERS)
def test_formats_are_recognised_without_their_endings(write, name):
    data = packed(name)
    if name == "arrow-stream":
        return  # it has no magic bytes
    stream = open_stream(write(data, "noname"))
    assert len(rows(stream)[1]) == len(TABLE)


@pytest.mark.parametrize("name", MAKERS)
def test_every_format_serves_a_model(write, name):
    known = ExpectedColumns(
        names=("n", "color", "size"),
        values=(None, ("red", "green"), None),
        labels=("yes", "no"),
        needs_label=True,
    )
    stream = open_stream(write(packed(name), f"data.{name.partition('-')[0]}"), expected=known)
    X, _, _ = rows(stream)
    np.testing.assert_array_equal(X[:, 0], EXPECTED[:, 2])
    np.testing.assert_array_equal(X[:, 2], EXPECTED[:, 0])
    assert stream.column_values[1][:2] == ("red", "green")
    assert set(stream.column_values[1]) == {"green", *COLORS}
    red = [row["color"] == "red" for row in TABLE]
    np.testing.assert_array_equal(X[:, 1] == 0, red)
    assert stream.classes is None


@pytest.mark.parametrize("name", ["csv", "arff", "jsonl", "parquet"])
def test_columns_can_be_left_out_and_named(write, name):
    path = write(packed(name), f"data.{name}")
    stream = open_stream(path, label="n", drop=["kind"], nominal=["color"])
    y = rows(stream)[1]
    assert stream.feature_names == ("size", "color")
    assert y.dtype == np.int64
    assert y.tolist() == [row["n"] for row in TABLE]
    assert open_stream(path, nominal="all").nominal.all()
    for bad in ({"label": "zz"}, {"drop": ["zz"]}, {"nominal": ["zz"]}):
        with pytest.raises(DataError, match="no column 'zz'"):
            open_stream(path, **bad)


def test_options_of_other_formats_are_refused(write):
    with pytest.raises(DataError, match="delimiter= is not for jsonl but for csv"):
        open_stream(write(as_jsonl(), "d.jsonl"), delimiter=";")
    with pytest.raises(DataError, match="bits= is not for csv but for vw"):
        open_stream(write(as_csv(), "d.csv"), bits=4)
    with pytest.raises(DataError, match="has 3 features, not 9"):
        open_stream(write(as_jsonl(), "d.jsonl"), n_features=9)


# JSON lines


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"a": 1, "b": "x"', "not JSON"),
        ("[1, 2]", "not a JSON object"),
        ('{"a": [1], "b": "x", "y": 0}', "column 'a': a value inside a value"),
        ('{"a": 1, "b": {"c": 1}, "y": 0}', "the key 'b.c' is in none of the first 1,000 objects"),
        ('{"a": "1", "b": "x", "y": 0}', "column 'a': '1' is in quotes, and this is a column of numbers"),
        ('{"a": true, "b": "x", "y": 0}', "column 'a': 'true' is not a finite number"),
        ('{"a": Infinity, "b": "x", "y": 0}', "column 'a': 'inf'"),
        ('{"a": 1e999, "b": "x", "y": 0}', "column 'a': 'inf'"),
        ('{"a": 1, "b": "x", "y": 0.5}', "label 0.5 where the labels are whole numbers"),
        ('{"a": 1, "b": "x", "y": 0, "z": 1}', "the key 'z' is in none of the first 1,000 objects"),
        ("[" * 100_000, "not JSON"),
        ('{"a": ' + "9" * 5000 + ', "b": "x", "y": 0}', "column 'a': 'inf'"),
        ("\0", "not a text file"),
    ],
)
def test_json_lines_that_are_bad(write, line, reason):
    good = '{"a": 1, "b": "x", "y": 1}\n{"a": 2.5, "b": true, "y": 0}\n' * 501
    path = write(good + line + '\n\n{"a": NaN, "b": "z", "y": 1}', "d.jsonl")
    with pytest.raises(DataError, match=r"d\.jsonl, line 1003: ") as caught:
        rows(JsonLinesStream(path))
    assert reason in str(caught.value)
    stream = JsonLinesStream(path, on_bad_line="skip")
    X, y, lines = rows(stream)
    assert len(y) == 1003
    assert stream.n_bad == 1
    assert lines[-1] == 1005
    assert np.isnan(X[-1, 0])
    assert stream.categories == {"b": ("x", "true", "z")}


def test_json_objects_inside_objects_have_columns_of_their_own(write):
    line = '{"user": {"id": 7, "at": {"town": "Ghent"}, "none": {}}, "y": 0}\n{"y": 1}\n'
    stream = JsonLinesStream(write(line, "d.jsonl"))
    assert stream.feature_names == ("user.id", "user.at.town")
    np.testing.assert_array_equal(rows(stream)[0], [[7, 0], [np.nan, np.nan]])
    # Names grow with every level: what a line can make of its bytes has a bound.
    deep = '{"a":' * 500 + "1" + "}" * 500
    with pytest.raises(DataError, match="a value inside a value"):
        rows(JsonLinesStream(write(f'{{"x": {deep}, "b": 1, "y": 0}}\n', "e.jsonl")))


def test_json_label_by_default_and_by_name(write):
    path = write('{"label": "p", "a": 1}\n{"a": 2, "label": "q"}\n', "d.ndjson")
    assert JsonLinesStream(path).label_name == "label"
    assert JsonLinesStream(path, label="a").feature_names == ("label",)
    for text, message in [("", "no rows"), ("\n\n", "no rows"), ('{"a": 1}\n', "no column is left")]:
        with pytest.raises(DataError, match=message):
            JsonLinesStream(write(text, "e.jsonl"))
    with pytest.raises(DataError, match="dates or times"):
        JsonLinesStream(write('{"d": "2024-01-02", "y": 1}\n', "f.jsonl"))


# ARFF

HEADER = "@relation r\n@attribute a real\n@attribute b {x, 'y z'}\n@attribute c {p,q}\n@data\n"


def test_arff_declares_values_and_classes(write):
    stream = open_stream(write(HEADER + "1,'y z',q\n?,?,p\n", "d.arff"))
    assert isinstance(stream, ArffStream)
    assert stream.classes == ("p", "q")
    assert stream.categories == {"b": ("x", "y z")}
    X, y, lines = rows(stream)
    np.testing.assert_array_equal(X, [[1, 1], [np.nan, np.nan]])
    assert y.tolist() == ["q", "p"]
    assert lines.tolist() == [6, 7]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1,z,p", "column 'b': 'z' is not one of the declared values"),
        ("1,x,r", "column 'c': 'r' is not one of the declared values"),
        ("one,x,p", "column 'a': 'one' is not a finite number (it is declared numeric)"),
        ("1,x", "2 cells where the first row has 3"),
        ("{0 1, 1 x}", "column 'a': '{0 1' is not"),
    ],
)
def test_arff_bad_lines(write, line, reason):
    path = write(HEADER + "1,x,p\n" * 1200 + line + "\n2,x,q\n", "d.arff")
    with pytest.raises(DataError, match=r"line 1206: ") as caught:
        rows(open_arff(path))
    if not line.startswith("{"):
        assert reason in str(caught.value)
    stream = open_arff(path, on_bad_line="skip")
    assert len(rows(stream)[1]) == 1201
    assert stream.n_bad == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("hello\n", "not an ARFF file"),
        (HEADER, "no rows below @data"),
        ("@relation r\n@attribute a real\n@data\n1\n", "1 attributes"),
        ("@attribute a real\n@attribute a real\n@data\n1,2\n", "2 attributes are named 'a'"),
        ("@attribute a complex\n@data\n", "line 1: attribute 'a' has the unknown type"),
        ("@attribute a {x,y\n@data\n", "are not closed by a brace"),
        ("@attribute a {x,x}\n@data\n", "not distinct texts"),
        ("@attributes a real\n@data\n", "line 1: expected @attribute"),
        ("@attribute a date\n@attribute c {p,q}\n@data\n2024-01-01,p\n", r"'a' is a date.*drop="),
        ("@attribute a string\n@attribute c {p,q}\n@data\nx,p\n", r"'a' is a string.*nominal="),
        (b"@relation r\n@attribute a real\n@attribute c {p,q}\n@data\n\x00\xff,p\n", "not a text file"),
    ],
)
def test_arff_unusable_files(write, text, message):
    with pytest.raises(DataError, match=message):
        open_arff(write(text, "d.arff"))


def test_arff_texts_on_request(write):
    path = write(
        "@attribute a string\n@attribute b real\n@attribute c {p,q}\n@data\nhello,1,p\n'a, b',2,q\n", "d.arff"
    )
    assert rows(open_arff(path, nominal=["a"]))[0].tolist() == [[0, 1], [1, 2]]
    assert open_arff(path, drop=["a"]).feature_names == ("b",)


SPARSE_HEADER = "@relation r\n@attribute a real\n@attribute 'b b' numeric\n@attribute c real\n@attribute y {no,yes}\n@data\n"


def test_sparse_arff(write):
    text = SPARSE_HEADER + "{0 1.5, 3 yes}\n{}\n{1 ?, 2 -4,3 yes}  \n"
    stream = open_stream(write(text, "d.arff"))
    assert isinstance(stream, SparseArffStream)
    assert stream.classes == ("no", "yes")
    X, y, _ = rows(stream)
    np.testing.assert_array_equal(X, [[1.5, 0, 0], [0, 0, 0], [0, np.nan, -4]])
    assert y.tolist() == ["yes", "no", "yes"]
    assert hasattr(next(stream.chunks()).X, "tocsr")
    mixed = "@attribute a real\n@attribute b {u,v}\n@attribute y {no,yes}\n@data\n{1 v}\n{0 2, 2 yes}\n"
    X, y, _ = rows(open_arff(write(mixed, "m.arff")))
    assert X.tolist() == [[0, 1], [2, 0]]
    for bad in (
        "{0 x}",
        "{9 1}",
        "{1 1, 0 1}",
        "{0 1 2}",
        "{3 maybe}",
        "0,1,2,yes",
        "{0 1",
        "{-1 2}",
        "{0 inf}",
    ):
        path = write(SPARSE_HEADER + "{0 1}\n" * 1200 + bad + "\n{1 1}\n", "b.arff")
        with pytest.raises(DataError, match="line 1207: "):
            rows(open_arff(path))
        stream = open_arff(path, on_bad_line="skip")
        assert len(rows(stream)[1]) == 1201


# VW


def test_vw_lines():
    example = parse_example("1 2.5 'tag|a:2 x:3 y |b x z:-1e1 | plain")
    assert (example.label, example.weight) == (1, 2.5)
    assert example.features == {"a^x": 6, "a^y": 2, "b^x": 1, "b^z": -10, "plain": 1}
    assert parse_example("-1 tag| a a:2").features == {"a": 3}
    assert parse_example("| a:1").label is None
    assert parse_example("'tag |n a").label is None
    assert parse_example("1 | http://x:80:0.5").features == {"http://x:80": 0.5}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1 a:1", "no | in front"),
        ("yes | a:1", "label 'yes' is not a finite number"),
        ("1 -2 | a:1", "importance -2 is negative"),
        ("1 1e300 | a:1", "importance 1e300 is beyond 2"),
        ("1 | a:9e99 b:-9e99", "all together, not from -1e+100 to 1e+100"),
        ("1 2 3 4 5 | a", "expected label, importance"),
        ("1 | a:x", "the value of a: 'x' is not a finite number"),
        ("1 | a:inf", "not a finite number"),
        ("1 | :3", "a value without a name"),
        ("1 | a:1e300", "not from -1e+100 to 1e+100"),
        ("1 |n:z a", "scale 'z' is not"),
        ("0.5 | a:1", "label 0.5 where the labels are whole numbers"),
    ],
)
def test_vw_bad_lines(write, line, reason):
    path = write("1 | a:1 b\n-1 | b:2\n" * 600 + line + "\n1 | a\n", "d.vw")
    with pytest.raises(DataError, match=r"line 1201: ") as caught:
        rows(VwStream(path))
    assert reason in str(caught.value)
    stream = VwStream(path, on_bad_line="skip")
    assert len(rows(stream)[1]) == 1201
    assert stream.n_bad == 1
    assert stream.feature_names == ("a", "b")


def test_rows_without_a_label_are_left_out_and_counted(write):
    files = (
        (
            JsonLinesStream,
            '{"a": 1, "y": 1}\n{"a": 2, "y": 0}\n',
            '{"a": 3}\n{"a": 3, "y": null}\n',
            "d.jsonl",
        ),
        (open_arff, HEADER + "1,x,p\n2,x,q\n", "1,x,?\n1,x,?\n", "d.arff"),
        (VwStream, "1 | a:1 b\n-1 | b:2\n", "| a:1\n| b:1\n", "d.vw"),
        (CsvStream, "a,b,y\n1,x,up\n2,y,down\n", "3,x,\n4,x,?\n", "d.csv"),
        (CsvStream, "a,b,y\n1,x,1\n2,y,0\n", "3,x,\n4,x,?\n", "d.csv"),
        (CsvStream, "a,b,y\n1,x,1.5\n2,y,0\n", "3,x,\n4,x,nan\n", "d.csv"),
    )
    for reader, good, without, name in files:
        last = good.splitlines()[-1] + "\n"
        stream = reader(write(good + without + last, name))
        for _ in range(2):  # a second pass counts anew
            assert len(rows(stream)[1]) == 3
            assert (stream.n_unlabeled, stream.n_bad) == (2, 0)
    with pytest.raises(DataError, match="no rows with a label; 2 without"):
        rows(CsvStream(write("a,y\n1,\n2,\n", "d.csv")))
    with pytest.raises(DataError, match="infinite label"):
        rows(CsvStream(write("a,y\n1,2.5\n2,1\n" + "3,1\n" * 1100 + "2,inf\n", "d.csv")))


def test_vw_by_name_is_libsvm(write):
    lines = [(1 - 2 * (i % 2), [(j, (i * j) % 5 / 4) for j in range(1, 6) if (i + j) % 3]) for i in range(50)]
    svm = LibsvmStream(
        write("".join(f"{y} " + " ".join(f"{j}:{v}" for j, v in x) + "\n" for y, x in lines), "d.svm")
    )
    vw = VwStream(
        write("".join(f"{y} |n " + " ".join(f"{j}:{v}" for j, v in x) + "\n" for y, x in lines), "d.vw")
    )
    order = [vw.feature_names.index(f"n^{j}") for j in range(1, 6)]
    np.testing.assert_array_equal(rows(vw)[0][:, order], rows(svm)[0])
    np.testing.assert_array_equal(rows(vw)[1], rows(svm)[1])
    assert vw.find_classes() == (-1, 1)


def test_vw_hashed(write, monkeypatch):
    text = "1 | a:1 b:2\n2 3 | c a\n3 |n a:-1\n"
    stream = VwStream(write(text, "d.vw"), bits=10)
    assert stream.n_features == 1024
    X, y, _ = rows(stream)
    assert X.sum(axis=1).tolist() == [3, 2, -1]
    assert y.tolist() == [1, 2, 3]
    assert to_arrays(stream).weight.tolist() == [1, 3, 1]
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    np.testing.assert_array_equal(rows(open_stream("-", format="vw", bits=10))[0], X)
    # One column for all: values that meet are added up.
    assert rows(VwStream(write(text, "d.vw"), bits=1))[0].sum(axis=1).tolist() == [3, 2, -1]
    with pytest.raises(DataError, match="bits="):
        open_stream("-", format="vw")
    with pytest.raises(DataError, match="from 1 to 24"):
        VwStream(write(text, "d.vw"), bits=40)


def test_vw_for_a_model(write):
    path = write("1 | a:1 b:2\n2 | new c\n", "d.vw")
    names = ExpectedColumns(names=("c", "a"), values=(None, None), labels=(1, 2), needs_label=True)
    assert rows(VwStream(path, expected=names))[0].tolist() == [[0, 1], [1, 0]]
    hashed = ExpectedColumns(names=None, values=(None,) * 8, labels=(1, 2), needs_label=False)
    np.testing.assert_array_equal(rows(VwStream(path, expected=hashed))[0], rows(VwStream(path, bits=3))[0])
    bare = write("| a:1\n| c\n", "e.vw")
    stream = VwStream(bare, expected=hashed)
    assert stream.label_name is None
    assert rows(stream)[1].tolist() == [None, None]
    with pytest.raises(DataError, match="6 columns without names"):
        VwStream(
            path, expected=ExpectedColumns(names=None, values=(None,) * 6, labels=(1,), needs_label=True)
        )
    with pytest.raises(DataError, match="texts"):
        VwStream(
            path, expected=ExpectedColumns(names=None, values=(None,) * 8, labels=("p",), needs_label=True)
        )


def test_too_many_names_ask_for_bits(write):
    text = "".join(f"1 | n{i} m{i}\n" for i in range(40_000))
    with pytest.raises(DataError, match="bits="):
        VwStream(write(text, "d.vw"))


# Parquet and Arrow


def parquet(write, columns, name="d.parquet"):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return write(out.getvalue(), name)


def test_arrow_types(write):
    import datetime
    import decimal

    base = {"y": ["p", "q"]}
    refused = {
        "date": [datetime.date(2024, 1, 1)] * 2,
        "time": [datetime.datetime(2024, 1, 1, 2)] * 2,
        "list": [[1], [2]],
        "struct": [{"a": 1}, {"a": 2}],
        "bytes": [b"a", b"b"],
    }
    for name, values in refused.items():
        path = parquet(write, {name: values, "x": [1, 2], **base})
        with pytest.raises(DataError, match=rf"column '{name}' holds .*drop="):
            ArrowStream(path)
        assert rows(ArrowStream(path, drop=[name]))[0].tolist() == [[1], [2]]
    dates = ArrowStream(parquet(write, {"date": refused["date"], **base}), nominal=["date"])
    assert rows(dates)[0].tolist() == [[0], [0]]
    assert dates.categories == {"date": ("2024-01-01",)}
    fine = {"flag": [True, None], "price": [decimal.Decimal("1.5"), None], "void": [None, None], **base}
    stream = ArrowStream(parquet(write, fine))
    assert stream.nominal.tolist() == [True, False, False]
    np.testing.assert_array_equal(rows(stream)[0], [[0, 1.5, np.nan], [np.nan, np.nan, np.nan]])


def test_bad_rows_of_a_table(write):
    columns = {
        "x": [0.5, float("inf"), 1.0, None, 2.0, 3.0],
        "c": ["a", "b", "c", "a", None, "d"],
        "y": [1.0, 0.0, None, 1.0, 0.5, 0.0],
    }
    columns = {k: [*([1.0] * 1200 if k != "c" else ["a"] * 1200), *v] for k, v in columns.items()}
    path = parquet(write, columns)
    with pytest.raises(
        DataError, match=r"line 1202: column 'x': 'inf' is not a number from -1e.100 to 1e.100"
    ):
        rows(ArrowStream(path))
    stream = ArrowStream(path, on_bad_line="skip")
    X, y, lines = rows(stream, 100)
    assert (stream.n_bad, stream.n_unlabeled) == (2, 1)
    assert lines[-3:].tolist() == [1201, 1204, 1206]
    assert stream.categories == {"c": ("a", "d")}
    np.testing.assert_array_equal(X[-3:], [[0.5, 0], [np.nan, 0], [3, 1]])
    assert y.dtype == np.int64


def test_broken_tables(write):
    data = packed("parquet")
    for broken in (data[: len(data) // 2], b"PAR1" + b"\0" * 100, b"ARROW1\0\0junk", b"junk"):
        with pytest.raises(DataError, match="can be read"):
            ArrowStream(write(broken, "d.parquet"))
    with pytest.raises(DataError, match="no rows"):
        ArrowStream(parquet(write, {"a": [], "b": []}))
    with pytest.raises(DataError, match="cut off"):
        ArrowStream(write(gzip.compress(data)[:-20], "d.parquet.gz"))


def test_without_pyarrow_the_extra_is_named(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r'pip install "streamboost\[io\]"'):
        ArrowStream(write(b"PAR1", "d.parquet"))
