"""Files as office programs and other tools write them: decimal commas, encodings, row numbers; and what has to be converted."""

import bz2
import datetime
import json
import lzma
import sys
import warnings
import zipfile

import numpy as np
import pytest

from streamboost.streams import DataError, DataWarning, open_stream, to_arrays
from streamboost.streams.readers import source

EUROPEAN = "größe;preis;ort;klasse\n" + "".join(
    f'{i % 7},{i % 10};"{i},50";Köln 1,5 km;{"ja" if i % 3 else "nein"}\n' for i in range(1500)
)


def test_decimal_commas_are_found_with_semicolons(tmp_path):
    path = tmp_path / "eu.csv"
    path.write_text(EUROPEAN, encoding="utf-8")
    with pytest.warns(DataWarning, match="decimal comma"):
        stream = open_stream(path)
    rows = to_arrays(stream)
    assert stream.nominal.tolist() == [False, False, True]
    np.testing.assert_array_equal(rows.X[:, 1], np.arange(1500) + 0.5)
    assert stream.categories["ort"] == ("Köln 1,5 km",), "words keep their commas"
    small = np.concatenate([chunk.X for chunk in stream.chunks(7)])
    np.testing.assert_array_equal(small, rows.X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(DataError, match="decimal comma"):
            open_stream(path, decimal=".")
    with pytest.raises(DataError, match="a comma cannot cut cells"):
        open_stream(path, decimal=",", delimiter=",")


@pytest.mark.parametrize("cell", ["1,234.50", "1.234,50", "12%", "$ 7.25", "1 234", "-2.5 €"])
def test_numbers_in_dress_are_no_silent_words(tmp_path, cell):
    path = tmp_path / "dressed.csv"
    rows = "".join(f"{cell.replace('2', str(i % 10))};{i % 2}\n" for i in range(100))
    path.write_text("amount;label\n" + rows, encoding="utf-8")
    with pytest.warns(
        DataWarning, match="column 'amount' is read as words because of the marks in its numbers"
    ):
        open_stream(path)
    words = tmp_path / "words.csv"
    words.write_text("size;label\n" + "".join(f"{i % 9} mm;{i % 2}\n" for i in range(100)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        open_stream(words)


@pytest.mark.parametrize(
    ("pack", "said"),
    [
        (bz2.compress, "is packed by bzip2; unpack it, or pack it with gzip"),
        (lzma.compress, "is packed by xz; unpack it, or pack it with gzip"),
        (lambda text: b"# made by hand\n" + text, "only one column in the first line, '# made by hand'"),
    ],
)
@pytest.mark.parametrize("name", ["x.csv", "x"])
def test_other_files_are_called_what_they_are(tmp_path, name, pack, said):
    path = tmp_path / name
    path.write_bytes(pack(b"a,b,y\n1,2,0\n3,4,1\n" * 50))
    with pytest.raises(DataError, match=said):
        open_stream(path)


def test_an_archive_is_no_workbook(tmp_path):
    path = tmp_path / "data.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data.csv", "a,y\n1,0\n")
    with pytest.raises(DataError, match="is a zip archive and no workbook; unpack it, or pack it with gzip"):
        open_stream(path)


def test_other_encodings(tmp_path):
    for encoding in ("latin-1", "utf-16"):
        path = tmp_path / f"{encoding}.csv"
        path.write_text(EUROPEAN, encoding=encoding)
        stream = open_stream(path, encoding=encoding, decimal=",")
        assert stream.feature_names == ("größe", "preis", "ort")
        assert to_arrays(stream).X.shape == (1500, 3)
    assert to_arrays(open_stream(tmp_path / "utf-16.csv", decimal=",")).X.shape == (
        1500,
        3,
    )  # its first bytes say so
    with pytest.raises(DataError, match="encoding='latin-1'"):
        open_stream(tmp_path / "latin-1.csv")
    with pytest.raises(DataError, match="no encoding 'klingon'"):
        open_stream(tmp_path / "latin-1.csv", encoding="klingon")


OBJECTS = [
    {"a": i / 2, "b": "x}\\" if i % 3 else '"[y', "ends": "\\", "label": "pq"[i % 2]} for i in range(1500)
]


@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize("block", [7, 1 << 18])
def test_lists_of_objects_are_one_object_per_line(tmp_path, monkeypatch, indent, block):
    monkeypatch.setattr(source, "BLOCK", block)
    lines, listed, loose = (tmp_path / name for name in ("a.jsonl", "b.json", "c.json"))
    lines.write_text("".join(json.dumps(entry) + "\n" for entry in OBJECTS))
    listed.write_text("\ufeff" + json.dumps(OBJECTS, indent=indent))
    loose.write_text("\n".join(json.dumps(entry, indent=indent) for entry in OBJECTS))
    wanted = to_arrays(open_stream(lines))
    for path in (listed, loose):
        stream = open_stream(path)
        found = to_arrays(stream)
        np.testing.assert_array_equal(found.X, wanted.X)
        assert found.y.tolist() == wanted.y.tolist()
        assert set(stream.categories["b"]) == {"x}\\", '"[y'}


def test_json_that_holds_no_rows(tmp_path):
    path = tmp_path / "data.json"
    for text, said in (
        ("[1, 2]", "holds no JSON objects"),
        ("[]", "holds no JSON objects"),
        ("[[1, 2], [3, 4]]", "not a JSON object|holds no JSON"),
        ('[{"a": 1, "y": 2}, {"a": 1', "line 2: not JSON"),
        ('{\n"data": [{"a": 1}]}', "inside a value|no column"),
    ):
        path.write_text(text)
        with pytest.raises(DataError, match=said):
            list(open_stream(path).chunks())


def test_workbooks_are_read_as_csv(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["größe", "wann", "ort", "klasse"])
    for i in range(1200):
        when = datetime.datetime(2024, 1, 1 + i % 28, i % 24)
        book.active.append([i / 4 if i % 5 else None, when, 'Köln, "1"', "ja" if i % 3 else "nein"])
    book.active.append([None] * 4)
    book.create_sheet("other").append([1, 2])
    path = tmp_path / "book.xlsx"
    book.save(path)
    with pytest.warns(DataWarning, match="its parts are read"):
        stream = open_stream(path)
    rows = to_arrays(stream)
    assert rows.X.shape == (1200, 9)
    assert stream.feature_names[:2] == ("größe", "wann (days)")
    assert stream.categories["ort"] == ('Köln, "1"',)
    assert np.isnan(rows.X[:, 0]).sum() == 240
    renamed = tmp_path / "book.data"
    renamed.write_bytes(path.read_bytes())
    with pytest.warns(DataWarning):
        np.testing.assert_array_equal(to_arrays(open_stream(renamed)).X, rows.X)
    path.write_bytes(b"PK\x03\x04rest")
    with pytest.raises(
        DataError, match=r"is no workbook that can be read \(BadZipFile.*save the sheet as CSV"
    ):
        open_stream(path)
    path.write_bytes(b"\xd0\xcf\x11\xe0rest")
    with pytest.raises(DataError, match="old kind"):
        open_stream(path.rename(tmp_path / "book.xls"))
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    renamed.write_bytes(b"PK\x03\x04")
    with monkeypatch.context(), pytest.raises(DataError, match=r'pip install "streamboost\[io\]"'):
        open_stream(renamed)
    monkeypatch.undo()


def test_slips_in_names_are_said(tmp_path):
    path = tmp_path / "index.csv"
    path.write_text(",a,y\n" + "".join(f"{i},{i % 3},{i % 2}\n" for i in range(50)))
    with pytest.warns(DataWarning, match="counts the rows"):
        open_stream(path)
    path.write_text("a,a,y\n" + "".join(f"{i % 5},{i % 3},{i % 2}\n" for i in range(50)))
    with pytest.warns(DataWarning, match="2 columns are named 'a'"):
        open_stream(path)
    quoted = path.with_suffix(".jsonl")
    quoted.write_text("".join(f'{{"a": "{i / 2}", "b": {i}, "y": "{"pq"[i % 2]}"}}\n' for i in range(9)))
    with pytest.warns(DataWarning, match=r"numbers in quotes are taken for words: column 'a' \('0.0'\);"):
        open_stream(quoted)
