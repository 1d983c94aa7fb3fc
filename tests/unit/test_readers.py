"""Dialects, bad lines, gzip: the readers beyond the plain case."""

import gzip
import os
import threading

import numpy as np
import pytest

from streamboost.streams import CsvStream, DataError, LibsvmStream, open_stream
from streamboost.streams.base import DataWarning
from tests.reading import rows


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("header", [True, False])
def test_the_delimiter_is_found(write, delimiter, header):
    lines = [["age", "job", "label"]] if header else []
    lines += [["31.5", "clerk", "yes"], ["-4", "the, smith", "no"], ["7", "clerk", "yes"]]
    quoted = [[f'"{c}"' if "," in c else c for c in line] for line in lines]
    stream = CsvStream(write("\n".join(delimiter.join(line) for line in quoted)))
    X, y, _ = rows(stream)
    assert X.tolist() == [[31.5, 0], [-4, 1], [7, 0]]
    assert y.tolist() == ["yes", "no", "yes"]
    assert stream.named is header
    assert tuple(stream.categories.values()) == (("clerk", "the, smith"),)


def test_a_delimiter_can_be_said(write):
    path = write("a:b\n1:2\n3:4\n")
    assert rows(CsvStream(path, delimiter=":"))[0].tolist() == [[1], [3]]
    with pytest.raises(DataError, match="one character"):
        CsvStream(path, delimiter="::")


@pytest.mark.parametrize(
    ("first", "found"),
    [
        ("low,med,2,yes", True),  # nothing tells a value from a name here
        ("vhigh,vhigh,2,yes", False),  # the same word twice
        ("x,y,0.5,yes", False),  # no name is 0.5
        ("place,town,2019,answer", True),  # a year may be one
    ],
)
def test_a_header_is_told_from_a_row(write, first, found):
    stream = CsvStream(write(first + "\n" + "high,low,3,no\nlow,high,4,yes\n"))
    assert stream.named is found
    assert len(rows(stream)[1]) == (2 if found else 3)


@pytest.mark.parametrize(
    "value", ["2024-03-01", "1/2/2024", "01.02.24", "2024-03-01T10:00:00Z", "12:30", "23:59:59"]
)
def test_dates_are_refused_with_advice(write, value):
    path = write(f"when,x,label\n{value},1,a\n?,2,b\n")
    with pytest.raises(DataError, match=r"column 'when' holds dates or times .*drop=.*nominal="):
        CsvStream(path)
    assert CsvStream(path, drop=["when"]).feature_names == ("x",)
    assert CsvStream(path, nominal=["when"]).nominal.tolist() == [True, False]


def test_decimal_commas_are_read_and_said(write):
    with pytest.warns(DataWarning, match=r"numbers such as '1,5' are read with a decimal comma"):
        stream = CsvStream(write("x;label\n1,5;a\n2,25;b\n"))
    assert rows(stream)[0].tolist() == [[1.5], [2.25]]


def test_columns_can_be_left_out(write):
    path = write("id,x,label\np1,1,a\np2,2,b\n")
    stream = CsvStream(path, drop=["id"])
    assert rows(stream)[0].tolist() == [[1], [2]]
    assert CsvStream(path, drop=["label"]).label_name == "x"
    for drop, message in [
        (["z"], "no column 'z'"),
        (["x", "id"], "no column is left"),
        (["x", "id", "label"], "every column"),
    ]:
        with pytest.raises(DataError, match=message):
            CsvStream(path, drop=drop)
    with pytest.raises(DataError, match="cannot be dropped"):
        CsvStream(path, label="x", drop=["x"])


GOOD = [f"{i},{'abc'[i % 3]}{i % 5},{'pq'[i % 2]}" for i in range(3000)]
BAD = {
    5: "1,2",
    700: "1,2,3,4",
    1300: "high,new,p",
    1500: "inf,c0,p",
    1501: "1,c1,",
    1502: '1,"open,p',
    2900: '1,"a"b,p',
    2950: "1,\udcff,p",
    2951: "1,\0,p",
}


def with_bad(good, bad, header=""):
    lines = [header] if header else []
    numbers = []
    for i, line in enumerate(good):
        if i in bad:
            lines.append(bad[i])
            numbers.append(len(lines))
        lines.append(line)
    return "\n".join(lines).encode(errors="surrogateescape"), numbers


def test_a_file_with_skipped_lines_reads_as_the_file_without_them(write):
    data, numbers = with_bad(GOOD, BAD, "size,kind,answer")
    clean = CsvStream(write("size,kind,answer\n" + "\n".join(GOOD), "clean.csv"))
    stream = CsvStream(write(data), on_bad_line="skip")
    expected = rows(clean)
    for size in (1, 333, 10_000):
        X, y, lines = rows(stream, size)
        np.testing.assert_array_equal(X, expected[0])
        np.testing.assert_array_equal(y, expected[1])
        assert sorted({*lines.tolist(), *numbers}) == list(range(2, len(GOOD) + len(BAD) + 2))
        assert stream.n_bad == len(BAD) - 1  # a row without a label is left out, and not bad
        assert stream.first_bad.endswith("line 7: 2 cells where the first row has 3.")
    assert stream.categories == clean.categories
    assert stream.find_classes() == clean.find_classes() == ("p", "q")


def test_libsvm_skips_likewise(write):
    good = [f"{1 - 2 * (i % 2)} {1 + i % 3}:{i / 4} 5:1" for i in range(3000)]
    bad = {0: "x 1:1", 9: "1 2:1 1:1", 1200: "1 0:3", 2000: "0.5 1:1", 2500: "1 1:\udcff", 2999: "1 1:2 junk"}
    data, numbers = with_bad(good, bad)
    clean = LibsvmStream(write("\n".join(good), "clean.libsvm"))
    stream = LibsvmStream(write(data, "bad.libsvm"), on_bad_line="skip")
    assert stream.n_features == clean.n_features == 5
    # The first rows hold no fraction, so a later one is bad.
    for a, b in zip(rows(stream)[:2], rows(clean)[:2], strict=True):
        np.testing.assert_array_equal(a, b)
    assert stream.n_bad == len(numbers)
    assert "line 1: label 'x' is not a number" in stream.first_bad


def test_nothing_but_bad_lines(write):
    stream = LibsvmStream(write("1 1:2\n" + "junk\n" * 5, "x.libsvm"), n_features=1, on_bad_line="skip")
    assert rows(stream)[1].tolist() == [1]
    assert stream.n_bad == 5
    with pytest.raises(DataError, match=r"no rows that can be read; 6 bad lines, .*line 1: label 'junk'"):
        LibsvmStream(write("junk\n" * 6, "x.libsvm"), on_bad_line="skip")
    with pytest.raises(DataError, match="no rows"):
        CsvStream(write("a,b\n" + "1\n" * 9), on_bad_line="skip")
    with pytest.raises(DataError, match="stop or skip, not 'ignore'"):
        CsvStream(write("a,b\n1,2\n"), on_bad_line="ignore")


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_line_ends(write, ends):
    stream = CsvStream(write(ends.join(["a,b,label", "1,x,0", "2,y,1", ""])))
    assert rows(stream)[0].tolist() == [[1, 0], [2, 1]]
    assert rows(stream)[2].tolist() == [2, 3]


def test_gzip_in_several_members_and_padded(write):
    text = "a,b,label\n" + "".join(f"{i},{i % 7},{i % 2}\n" for i in range(40_000))
    cut = len(text) // 3
    packed = b"".join(gzip.compress(part.encode()) for part in (text[:cut], "", text[cut:])) + b"\0" * 512
    X, _, lines = rows(CsvStream(write(packed, "odd-name")))
    assert X[:, 0].tolist() == list(range(40_000))
    assert lines[-1] == 40_001
    for damage, message in [
        (packed[: len(packed) // 2], "cut off"),
        (packed[:-520] + b"1234" * 2, "damaged gzip"),
    ]:
        with pytest.raises(DataError, match=message):
            rows(CsvStream(write(damage, "broken")))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_is_read_once_and_in_small_pieces(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    packed = gzip.compress(("a,b\n" + "1,2\n" * 5000).encode())

    def give():
        with path.open("wb", buffering=0) as pipe:
            for i in range(0, len(packed), 3):
                pipe.write(packed[i : i + 3])

    giver = threading.Thread(target=give)
    giver.start()
    stream = open_stream(path, format="csv")
    assert sum(len(chunk) for chunk in stream.chunks(500)) == 5000  # a pipe hands on what has come
    giver.join()
    assert not stream.repeatable


def test_memory_is_that_of_a_chunk(write):
    # Lines without end and quotes without end do not fill the memory either.
    import tracemalloc

    data = b"a,b,label\n" + b"1,2,0\n" * 2000 + b'1,"' + b"x,y,z\n" * 200_000
    path = write(data)
    tracemalloc.start()
    stream = CsvStream(path, on_bad_line="skip")
    assert len(rows(stream)[1]) == 2000
    assert tracemalloc.get_traced_memory()[1] < 20e6
    tracemalloc.stop()
    assert stream.n_bad == 200_000
