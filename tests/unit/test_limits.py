"""Readers stay within memory and time whatever a file holds, and say what to do about it."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import numpy as np
import pytest

from streamboost.streams import DataError, open_stream

MEGABYTE = 1 << 20


@pytest.fixture
def write(tmp_path):
    def write(data: str | bytes, name: str = "data.csv"):
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return write


def rows_of(path, **options):
    return sum(len(chunk) for chunk in open_stream(path, **options).chunks())


def bounded(path, megabytes: int, seconds: float, **options) -> str:
    """Read a file in a process of its own with so much memory more than an empty one needs; what it said."""
    code = (
        "import json, resource, sys, time\n"
        "from streamboost.streams import open_stream, DataError\n"
        "path, more, options = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])\n"
        "size = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (size + more * 2**20,) * 2)\n"
        "start = time.process_time()\n"
        "try:\n"
        "    stream = open_stream(path, **options)\n"
        "    said = 'rows %d, bad %d' % (sum(len(chunk) for chunk in stream.chunks()), stream.n_bad)\n"
        "except DataError as error:\n"
        "    said = 'error ' + str(error)\n"
        "print(json.dumps([said, time.process_time() - start]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), str(megabytes), json.dumps(options)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said, used = json.loads(done.stdout)
    assert used < seconds, (said, used)
    return said


linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory limits as Linux has them")


@linux
def test_one_long_label_among_many_costs_no_more_than_itself(write):
    lines = [f"{i},l{i % 4000}" for i in range(8000)]
    lines[5000] = f"1,{'x' * 120_000}"
    path = write("a,label\n" + "\n".join(lines) + "\n")
    assert "label of" in bounded(path, 300, 20)
    assert bounded(path, 300, 20, on_bad_line="skip") == "rows 7999, bad 1"
    assert rows_of(path, limits={"label": 200_000}) == 8000


@linux
def test_quoted_cells_over_lines_take_linear_time_and_little_memory(write):
    path = write(b'a,b,label\n1,2,0\n"' + b'x\n","' * (4 * MEGABYTE))
    assert "line 3: a quote is not closed" in bounded(path, 300, 10, limits={"cell": 1 << 17})


def test_a_row_over_lines_reads_the_same_however_blocks_are_cut(write):
    long = "y" * 100_000
    rows = "".join(f'"{long}\n{i}",{i},{i % 2}\n' for i in range(12))
    path = write(f"text,a,label\n{rows}")
    (chunk,) = open_stream(path).chunks()
    assert chunk.X[:, 1].tolist() == list(range(12))
    huge = ",".join(f'"{long}\n"' for _ in range(12))
    assert (
        rows_of(
            write(f"{','.join(map('t{}'.format, range(12)))},a\n{huge},1\n", "huge.csv"),
            limits={"cell": 200_000},
        )
        == 1
    )


def test_many_columns_are_looked_at_once(write):
    width = 40_000
    names = ",".join(f"c{i}" for i in range(width))
    row = ",".join(["1.5"] * (width - 1))
    path = write(f"{names}\n" + "".join(f"{row},{i % 2}\n" for i in range(4)))
    start = time.process_time()
    stream = open_stream(path, drop=[f"c{i}" for i in range(2000)])
    assert stream.n_features == width - 2001
    assert time.process_time() - start < 8


def test_too_many_columns_are_named(write):
    path = write("".join(f"a{i}," for i in range(100_001)) + "label\n" + "1," * 100_001 + "0\n")
    with pytest.raises(
        DataError, match=r"100,002 columns; more than 100,000 need limits=\{'columns': 100002\}"
    ):
        open_stream(path)
    assert open_stream(path, limits={"columns": 200_000}).n_features == 100_001


@linux
def test_a_libsvm_index_does_not_decide_over_memory(write):
    path = write("1 1:1 2147483646:1\n0 2:1\n", "d.libsvm")
    assert "limits={'columns': 2147483646}" in bounded(path, 300, 10)


def test_a_wide_table_comes_in_small_chunks(write):
    width = 30_000
    path = write("".join(",".join(["1"] * width) + f",{i % 2}\n" for i in range(1500)))
    sizes = [len(chunk) for chunk in open_stream(path).chunks(1 << 20)]
    assert sum(sizes) == 1500
    assert max(sizes) * width <= 1 << 25


@pytest.mark.parametrize("ending", ["csv", "libsvm", "jsonl", "vw", "arff", "dat"])
def test_zeros_are_not_an_empty_file(write, ending):
    path = write(bytes(3 * MEGABYTE), f"zeros.{ending}")
    with pytest.raises(DataError, match=r"zero byte|not an ARFF file"):
        rows_of(path)


def test_an_endless_first_line_is_named(write):
    path = write(b"1," * (20 * MEGABYTE) + b"0")
    with pytest.raises(DataError, match=r"line 1: a line that is too long.*limits=\{'line'"):
        open_stream(path, limits={"line": 30 * MEGABYTE})
    with pytest.raises(DataError, match=r"20,971,521 columns"):
        open_stream(path, limits={"line": 64 * MEGABYTE})


def test_limits_are_names_and_numbers(write):
    path = write("a,label\n1,0\n")
    with pytest.raises(DataError, match="no limit 'lines'; the limits are line, cell, label, texts, columns"):
        open_stream(path, limits={"lines": 3})
    for wrong in (0, -1, 1.5, True, "9"):
        with pytest.raises(DataError, match="must be a whole number above 0"):
            open_stream(path, limits={"line": wrong})


def test_values_of_columns_are_limited_together(write):
    text = "name,label\n" + "".join(f"{i:n>100},{i % 2}\n" for i in range(2000))
    with pytest.raises(DataError, match=r"too long together.*limits=\{'texts'"):
        rows_of(write(text), limits={"texts": 100_000})
    objects = "".join(json.dumps({"name": f"{i:n>100}", "label": i % 2}) + "\n" for i in range(2000))
    with pytest.raises(DataError, match="too long together"):
        rows_of(write(objects, "d.jsonl"), limits={"texts": 100_000})
    with pytest.raises(DataError, match=r"line 2: column 'name': a value of"):
        rows_of(write(f"name,label\n{'x' * 50},1\n"), limits={"cell": 20})


def test_a_line_beyond_the_limit_is_one_bad_line(write):
    text = "a,label\n1,0\n" + "2" * 100_000 + ",1\n3,1\n"
    for name, data in (("d.csv", text), ("d.libsvm", "1 1:1\n0 1:" + "2" * 100_000 + "\n1 1:2\n")):
        stream = open_stream(write(data, name), limits={"line": 70_000}, on_bad_line="skip")
        # A line that is whole in a block is read; what is thrown away is one that does not end.
        assert sum(len(chunk) for chunk in stream.chunks()) + stream.n_bad == 3


def test_a_skipped_line_brings_no_column(write):
    good = {"a": 1.0, "label": 0}
    bad = [{"a": 1, "evil": [1], "label": 0}, {"a": 2, "worse": 3}, {"a": 3, "inf": float("inf"), "label": 1}]
    lines = [good, bad[0], {"a": 2.0, "label": 1}, bad[1], bad[2], good]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    stream = open_stream(write(text, "d.jsonl"), on_bad_line="skip")
    assert stream.feature_names == ("a",)
    assert sum(len(chunk) for chunk in stream.chunks()) == 3
    assert stream.n_bad == 3
    with pytest.raises(DataError, match="line 2: column 'evil': a value inside a value"):
        rows_of(write(text, "d.jsonl"))


def test_a_bad_numeric_label_in_arff(write):
    text = "@relation r\n@attribute a numeric\n@attribute y numeric\n@data\n1,0\n2,oops\n3,1\n"
    path = write(text, "d.arff")
    with pytest.raises(DataError, match=r"d\.arff, line 6: column 'y': 'oops' is not a finite number"):
        rows_of(path)
    stream = open_stream(path, on_bad_line="skip")
    assert np.concatenate([chunk.y for chunk in stream.chunks()]).tolist() == [0, 1]
    assert stream.n_bad == 1


def test_a_first_row_larger_than_what_is_looked_at_first(write):
    """It is there, whatever the first 16 MB say."""
    more = "2,3,no\n" * 50
    path = write("a,b,label\n1," + "z" * 20 * MEGABYTE + ",yes\n" + more)
    with pytest.raises(DataError, match=r"line 2: column 'b': a value of 200 characters or more"):
        rows_of(path, label="label")
    assert rows_of(path, label="label", on_bad_line="skip") == 50
    half = "z" * 9 * MEGABYTE
    assert rows_of(write(f"a,b,label\n{half},{half},yes\n" + more, "two.csv"), label="label") == 51


def test_links_that_lead_nowhere_are_told_apart_from_slips(tmp_path):
    (tmp_path / "data.csv").symlink_to(tmp_path / "nowhere.csv")
    with pytest.raises(DataError, match=r"data\.csv: a link that leads nowhere\."):
        open_stream(tmp_path / "data.csv")
