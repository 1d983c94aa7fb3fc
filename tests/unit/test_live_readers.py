"""Rows of a pipe are handed on as they come, in every format."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

from streamboost.streams import ExpectedColumns, open_stream

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")

ARFF = "@relation r\n@attribute x numeric\n@attribute z numeric\n@attribute label {0,1}\n@data\n"
FORMATS = {
    "csv": ("x,z,label\n", "{x},{z},{y}\n"),
    "csv without names": ("", "{x},{z},{y}\n"),
    "jsonl": ("", '{{"x": {x}, "z": {z}, "label": {y}}}\n'),
    "libsvm": ("", "{y} 1:{x} 2:{z}\n"),
    "vw": ("", "{y} | x:{x} z:{z}\n"),
    "arff": (ARFF, "{x},{z},{y}\n"),
    "sparse arff": (ARFF, "{{0 {x}, 1 {z}, 2 {y}}}\n"),
}
ROWS = [{"x": i + 0.5, "z": i - 7.25, "y": i % 2} for i in range(6)]


class Pipe:
    """A named pipe whose writer is told when to write."""

    def __init__(self, path):
        os.mkfifo(path)
        self.path = path
        self.turn = threading.Semaphore(0)

    def start(self, pieces):
        def write():
            with open(self.path, "wb", buffering=0) as file:
                for piece in pieces:
                    assert self.turn.acquire(timeout=120)
                    file.write(piece.encode())

        threading.Thread(target=write, daemon=True).start()


def expected(kind):
    labels = ("0", "1") if "arff" in kind else (0, 1)
    names = None if kind in ("libsvm", "csv without names") else ("x", "z")
    return ExpectedColumns(names, (None, None), labels, needs_label=True)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_row_is_there_before_the_next_is_written(kind, tmp_path):
    head, row = FORMATS[kind]
    lines = [row.format(**values) for values in ROWS]
    # The third row comes in two pieces: half a line is no row.
    pieces = [head + lines[0], lines[1], lines[2][:4], lines[2][4:], lines[3] + lines[4], lines[5]]
    pipe = Pipe(tmp_path / "pipe")
    pipe.start(pieces)
    pipe.turn.release()
    bare = kind.split()[-1] if "arff" in kind else kind.split()[0]
    stream = open_stream(pipe.path, format=bare, expected=expected(kind))
    found = []
    chunks = stream.chunks()
    for n_rows, turns in [(1, 0), (1, 1), (1, 2), (2, 1), (1, 1)]:
        for _ in range(turns):
            pipe.turn.release()
        chunk = next(chunks)
        assert len(chunk) == n_rows
        X = chunk.X.toarray() if hasattr(chunk.X, "toarray") else chunk.X
        found += [(*x, int(y)) for x, y in zip(X.tolist(), chunk.y.tolist(), strict=True)]
    assert next(chunks, None) is None
    assert found == [(r["x"], r["z"], r["y"]) for r in ROWS]


def test_a_chunk_is_never_larger_than_asked_for(tmp_path):
    pipe = Pipe(tmp_path / "pipe")
    pipe.start(["".join(FORMATS["jsonl"][1].format(**values) for values in ROWS)])
    pipe.turn.release()
    stream = open_stream(pipe.path, format="jsonl", expected=expected("jsonl"))
    assert [len(chunk) for chunk in stream.chunks(4)] == [4, 2]


def test_all_rows_that_came_say_whether_they_are_sparse(tmp_path):
    """One full row among empty ones does not make a pipe dense."""
    pipe = Pipe(tmp_path / "pipe")
    pipe.start(["1 1:1 2:1 3:1 4:1\n" + "0 2:1\n" * 20, "1 1:1\n"])
    pipe.turn.release()
    columns = ExpectedColumns(None, (None,) * 4, (0, 1), needs_label=True)
    stream = open_stream(pipe.path, format="libsvm", expected=columns)
    assert not stream.dense
    pipe.turn.release()
    assert sum(len(chunk) for chunk in stream.chunks()) == 22


def test_what_waits_for_bytes_can_do_something_else(tmp_path):
    pipe = Pipe(tmp_path / "pipe")
    lines = [FORMATS["csv"][1].format(**values) for values in ROWS]
    pipe.start([FORMATS["csv"][0] + lines[0], lines[1]])
    pipe.turn.release()
    stream = open_stream(pipe.path, format="csv", expected=expected("csv"))
    calls = []

    def idle():
        calls.append(len(calls))
        if len(calls) == 3:
            pipe.turn.release()
        return 0.01 if len(calls) < 3 else None

    stream.when_idle(idle)
    X = np.concatenate([chunk.X for chunk in stream.chunks()])
    assert X[:, 0].tolist() == [0.5, 1.5]
    assert len(calls) >= 3


def test_a_file_is_read_as_before(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,z,label\n" + "".join(FORMATS["csv"][1].format(**values) for values in ROWS))
    stream = open_stream(path)
    assert not stream.live
    assert [len(chunk) for chunk in stream.chunks()] == [6]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "arff", "libsvm"])
def test_half_a_line_at_the_end_of_a_pipe_is_left_out_and_counted(kind, tmp_path):
    """Whoever wrote it has gone; what was whole is read."""
    head, row = FORMATS[kind]
    lines = [row.format(**values) for values in ROWS]
    half = "1 1:5 2" if kind == "libsvm" else lines[0][:6]
    pipe = Pipe(tmp_path / "pipe")
    pipe.start([head + "".join(lines), half])
    pipe.turn.release()
    pipe.turn.release()
    stream = open_stream(pipe.path, format=kind, expected=expected(kind))
    assert sum(len(chunk) for chunk in stream.chunks()) == len(ROWS)
    assert stream.n_bad == 1
    assert "ends in the middle of a line" in stream.first_bad
