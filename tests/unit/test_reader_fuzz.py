"""Random and mutated lines, 126,000 of them, through every reader of text: rows or a clear refusal, never anything else."""

import contextlib
import gzip
import json
import re
import time
import warnings

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet
import pytest

from streamboost.streams import DataError, open_stream

LINES = 3000  # in a file
FILES = 7  # of each format; 6 formats

ALPHABET = list(b"0123456789.,:;|-+eE \t\"'\\#%?@{}[]xnaif=\r\0\x80\xc3\xa9\xff")


def csv_line(rng, i):
    return f'{rng.normal():.3f},{"abc"[i % 3]}{i % 5},"q, {i % 4}",{i % 9},{"yes" if i % 2 else "no"}'


def number_line(rng, i):
    return ";".join(f"{value:.6g}" for value in rng.normal(size=6)) + f";{i % 3}"


def libsvm_line(rng, i):
    return f"{1 - 2 * (i % 2)} " + " ".join(f"{j}:{rng.normal():.4g}" for j in range(1 + i % 3, 9, 2))


def arff_line(rng, i):
    return (
        f"{rng.normal():.3f},{['red', chr(39) + 'a b' + chr(39), '?'][i % 3]},{i},{'yes' if i % 2 else 'no'}"
    )


def vw_line(rng, i):
    return f"{1 - 2 * (i % 2)} {1 + i % 2} 't{i}|n a:{rng.normal():.3f} b{i % 5} |m:2 c:1"


def json_line(rng, i):
    return json.dumps({"a": round(rng.normal(), 3), "b": "xyz"[i % 3], "c": i % 2 == 0, "label": i % 4})


ARFF_HEADER = "@relation r\n@attribute a real\n@attribute b {red,'a b'}\n@attribute c real\n@attribute y {no,yes}\n@data\n"
FORMATS = {
    "csv": ("mixed,kind,quoted,n,answer\n", csv_line, {}),
    "csv numbers": ("", number_line, {}),
    "libsvm": ("", libsvm_line, {"n_features": 12}),
    "arff": (ARFF_HEADER, arff_line, {}),
    "vw": ("", vw_line, {}),
    "jsonl": ("", json_line, {}),
}


def mutated(rng, line, others):
    """A line with bytes changed, put in, taken out or doubled; cut off; or spliced with another one."""
    data = bytearray(line)
    for _ in range(rng.integers(1, 6)):
        at = int(rng.integers(0, len(data) + 1))
        letter = ALPHABET[rng.integers(0, len(ALPHABET))]
        action = rng.integers(0, 6)
        if action == 0:
            data.insert(at, letter)
        elif action == 1 and at < len(data):
            data[at] = letter
        elif action == 2:
            del data[at : at + int(rng.integers(1, 8))]
        elif action == 3:
            data[at:at] = data[at : at + int(rng.integers(1, 30))]
        elif action == 4:
            data = data[:at]
        else:
            other = others[rng.integers(0, len(others))]
            data = data[:at] + other[int(rng.integers(0, len(other) + 1)) :]
    return bytes(data)


def make_file(rng, header, line, share):
    good = [line(rng, i).encode() for i in range(LINES)]
    lines = []
    for i, text in enumerate(good):
        lucky = i < 3 or rng.random() > share
        if lucky:
            lines.append(text)
        elif rng.random() < 0.2:
            lines.append(bytes(rng.choice(ALPHABET, rng.integers(0, 60)).tolist()))
        else:
            lines.append(mutated(rng, text, good))
    return header.encode() + b"\n".join(lines) + b"\n"


def check_rows(stream, size):
    count = 0
    last = 0
    for chunk in stream.chunks(size):
        assert 0 < len(chunk) <= size
        X = chunk.X.data if hasattr(chunk.X, "tocsr") else chunk.X
        assert not np.isinf(X).any()
        assert chunk.X.shape == (len(chunk), stream.n_features)
        assert chunk.y.dtype.kind in "Uif"
        assert (np.diff(chunk.lines) > 0).all()
        assert chunk.lines[0] > last
        last = int(chunk.lines[-1])
        count += len(chunk)
    return count, last


@pytest.mark.filterwarnings("ignore::streamboost.streams.DataWarning")
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("number", range(FILES))
def test_no_line_does_harm(tmp_path, name, number):
    header, line, options = FORMATS[name]
    rng = np.random.default_rng([number, list(FORMATS).index(name)])
    data = make_file(rng, header, line, share=[0.001, 0.02, 0.2, 0.5, 0.9, 1.0, 0.3][number])
    path = tmp_path / "data"
    path.write_bytes(gzip.compress(data, 1) if number % 3 == 1 else data)
    format = name.partition(" ")[0]
    n_lines = data.count(b"\n")
    try:
        stream = open_stream(path, format=format, on_bad_line="skip", **options)
        count, last = check_rows(stream, 700)
        assert count + stream.n_bad <= n_lines
        assert last <= n_lines
        assert check_rows(stream, 113) == (count, last)
        assert stream.find_classes()
    except DataError as error:
        # Nothing that could be a row, or a first row that says something else than the rest.
        assert_clear(error)
        count = 0
    # The same file, where a bad line stops: there is one, or all is read.
    said = ""
    try:
        stopping = open_stream(path, format=format, **options)
        assert check_rows(stopping, 700)[0] == count
    except DataError as error:
        assert_clear(error)
        said = str(error)
    if count:
        assert bool(said) == (stream.n_bad > 0)
        assert not said or re.search(r", line \d+: ", said)


def assert_clear(error):
    text = str(error)
    assert "\n" not in text
    assert "data" in text
    assert len(text) < 1200


def test_there_are_a_hundred_thousand_lines():
    assert LINES * FILES * len(FORMATS) >= 100_000


@pytest.mark.parametrize("format", ["csv", "libsvm", "arff", "vw", "jsonl", "parquet", "arrow"])
def test_no_bytes_do_harm(tmp_path, format):
    rng = np.random.default_rng(5)
    path = tmp_path / "data"
    for size in (0, 1, 2, 5, 100, 5000):
        for kind in range(3):
            data = rng.bytes(size) if kind == 0 else bytes(rng.choice(ALPHABET + [10] * 6, size).tolist())
            path.write_bytes(gzip.compress(data)[: size // 2] if kind == 2 else data)
            for action in ("stop", "skip"):
                try:
                    stream = open_stream(path, format=format, on_bad_line=action)
                    check_rows(stream, 10)
                except DataError as error:
                    assert_clear(error)


QUOTES = {  # what a file may do so that one line after the other promises a row without an end
    "csv": ("a,b,label\n1,2,x\n3,4,y\n", ['a","', '"x', '1,"abcde', '","', '"",""","', "x"]),
    "arff": (ARFF_HEADER, ["a','", "'x", "1,'abcde", '","', "\\'", "x"]),
    "libsvm": ("1 1:2\n0 1:3\n", ["1 ", "1:", ":", "0 1:1 1:1", "#", "1e999 "]),
    "vw": ("1 | a:1\n-1 | a:2\n", ["1 ", "|", "a:", ":", "1 'tag| b", "| "]),
    "jsonl": ('{"a": 1, "label": 0}\n{"a": 2, "label": 1}\n', ['{"a":', "[", "{", '"', "\\", '{"label": 1}']),
    "json": (
        '[{"a": 1, "label": 0},\n{"a": 2, "label": 1},\n',
        ['{"a":', "[", "{", '"', "\\", '{"label": 1},', "}"],
    ),
}


@pytest.mark.parametrize("name", QUOTES)
@pytest.mark.parametrize("seed", range(6))
def test_time_is_linear_in_the_bytes_whatever_quotes_do(name, seed, tmp_path):
    header, pieces = QUOTES[name]
    rng = np.random.default_rng(seed)
    line = "".join(pieces[i] for i in rng.integers(0, len(pieces), 1 + seed // 2)) if seed else pieces[0]

    def write(lines):
        path = tmp_path / f"{lines}.{name}"
        path.write_text(header + (line + "\n") * lines)
        return path

    assert_linear(write, 10_000)


def table_in_pieces(path, name, n):
    """Each row in a piece of its own, as nobody writes them: row groups, batches, or a sheet without a width."""
    if name == "xlsx":
        book = openpyxl.Workbook(write_only=True)
        sheet = book.create_sheet()
        for i in range(n + 1):
            sheet.append(["a", "b", "label"] if i == 0 else [i, f"text {i}", "pq"[i % 2]] + [None] * (i % 7))
        book.save(path)
        return
    schema = pa.schema([("a", pa.float64()), ("b", pa.string()), ("label", pa.string())])
    row = pa.table({"a": [1.5], "b": ["x"], "label": ["p"]}, schema=schema)
    with (pa.parquet.ParquetWriter if name == "parquet" else pa.ipc.new_file)(path, schema) as writer:
        for _ in range(n):
            writer.write_table(row)


@pytest.mark.parametrize("name", ["parquet", "arrow", "xlsx"])
def test_time_is_linear_in_the_rows_of_tables(name, tmp_path):
    def write(rows):
        path = tmp_path / f"{rows}.{name}"
        table_in_pieces(path, name, rows)
        return path

    assert_linear(write, 1_000)


def assert_linear(write, n):
    """Four times the file takes about four times as long."""

    def seconds(path):
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with contextlib.suppress(DataError):
                sum(len(chunk.y) for chunk in open_stream(path, on_bad_line="skip").chunks(1000))
        return time.process_time() - start

    # Quadratic time takes 16 times as long for four times the lines, and minutes for this many.
    assert seconds(write(4 * n)) < 8 * seconds(write(n)) + 0.5
