"""Files as office programs and other tools write them: decimal commas, encodings, row numbers; and what has to be converted."""

import warnings

import numpy as np
import pytest

from streamboost.streams import DataError, DataWarning, open_stream, to_arrays

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


def test_other_encodings(tmp_path):
    for encoding in ("latin-1", "utf-16"):
        path = tmp_path / f"{encoding}.csv"
        path.write_text(EUROPEAN, encoding=encoding)
        stream = open_stream(path, encoding=encoding, decimal=",")
        assert stream.feature_names == ("größe", "preis", "ort")
        assert to_arrays(stream).X.shape == (1500, 3)
    with pytest.raises(DataError, match="encoding='latin-1'"):
        open_stream(tmp_path / "latin-1.csv")
    with pytest.raises(DataError, match="no encoding 'klingon'"):
        open_stream(tmp_path / "latin-1.csv", encoding="klingon")


def test_what_has_to_be_converted_says_how(tmp_path):
    book = tmp_path / "book.xlsx"
    book.write_bytes(b"PK\x03\x04rest")
    with pytest.raises(DataError, match="save the sheet as CSV"):
        open_stream(book)
    whole = tmp_path / "list.json"
    whole.write_text('[{"a": 1, "label": "x"}]')
    with pytest.raises(DataError, match=r"jq -c '\.\[\]'"):
        open_stream(whole)


def test_slips_in_names_are_said(tmp_path):
    path = tmp_path / "index.csv"
    path.write_text(",a,y\n" + "".join(f"{i},{i % 3},{i % 2}\n" for i in range(50)))
    with pytest.warns(DataWarning, match="counts the rows"):
        open_stream(path)
    path.write_text("a,a,y\n" + "".join(f"{i % 5},{i % 3},{i % 2}\n" for i in range(50)))
    with pytest.warns(DataWarning, match="2 columns are named 'a'"):
        open_stream(path)
    path.write_text("a,b,y\n1,2,p\n3,4,\n")
    with pytest.raises(DataError, match="on_bad_line='skip'"):
        open_stream(path)
